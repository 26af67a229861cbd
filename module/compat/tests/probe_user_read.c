// SPDX-License-Identifier: GPL-2.0
/* 5.5 to 5.7, and taken over into 5.4: reads user memory with the address limit set. */
#include <linux/uaccess.h>

long wp_test(void *to, const void __user *from, size_t n);
long wp_test(void *to, const void __user *from, size_t n)
{
	return probe_user_read(to, from, n);
}
