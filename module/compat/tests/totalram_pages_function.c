// SPDX-License-Identifier: GPL-2.0
/* 5.0, and EL8's 4.18: a function, not a variable. */
#include <linux/mm.h>

unsigned long wp_test(void);
unsigned long wp_test(void)
{
	return totalram_pages();
}
