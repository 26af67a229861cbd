// SPDX-License-Identifier: GPL-2.0
/* 5.8: CAP_PERFMON. */
#include <linux/capability.h>

bool wp_test(void);
bool wp_test(void)
{
	return perfmon_capable();
}
