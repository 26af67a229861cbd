/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/rcupdate.h: what a grace period waits for. */
#ifndef WALLPROF_COMPAT_RCUPDATE_H
#define WALLPROF_COMPAT_RCUPDATE_H

#include <linux/rcupdate.h>

#include "features.h"

/*
 * As synchronize_rcu_expedited() from 4.20 on, for readers that have interrupts off or are
 * NMIs. Before, a preemptible kernel's RCU waits only for rcu_read_lock(), and another
 * kind of it for these. What others free after a grace period needs rcu_read_lock() then,
 * also with interrupts off.
 * Context: process.
 */
static inline void wp_synchronize_irqs_off_expedited(void)
{
#ifdef WP_HAS_SYNCHRONIZE_SCHED_EXPEDITED
	synchronize_sched_expedited();
#else
	synchronize_rcu_expedited();
#endif
}

#endif /* WALLPROF_COMPAT_RCUPDATE_H */
