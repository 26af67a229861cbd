// SPDX-License-Identifier: GPL-2.0
/* 5.4: a locked down kernel may forbid performance monitoring. Not EL8's 4.18. */
#include <linux/security.h>

int wp_test(void);
int wp_test(void)
{
	return security_locked_down(LOCKDOWN_PERF);
}
