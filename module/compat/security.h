/* SPDX-License-Identifier: GPL-2.0 */
/* linux/capability.h, linux/security.h: the right to record, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_SECURITY_H
#define WALLPROF_COMPAT_SECURITY_H

#include <linux/capability.h>
#include <linux/security.h>

#include "features.h"

/* Without CAP_PERFMON perf_event_open() asks for CAP_SYS_ADMIN. */
#ifndef WP_HAS_PERFMON_CAPABLE
static inline bool perfmon_capable(void)
{
	return capable(CAP_SYS_ADMIN);
}
#endif

/*
 * Whether a locked down kernel forbids to record. EL8's 4.18 has a lockdown of its own,
 * which forbids to change the kernel, but not to read it: perf works there.
 */
static inline int wp_locked_down_perf(void)
{
#ifdef WP_HAS_LOCKDOWN_PERF
	return security_locked_down(LOCKDOWN_PERF);
#else
	return 0;
#endif
}

#endif /* WALLPROF_COMPAT_SECURITY_H */
