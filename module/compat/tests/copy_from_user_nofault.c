// SPDX-License-Identifier: GPL-2.0
/* 5.8: probe_user_read() got this name. */
#include <linux/uaccess.h>

long wp_test(void *to, const void __user *from, size_t n);
long wp_test(void *to, const void __user *from, size_t n)
{
	return copy_from_user_nofault(to, from, n);
}
