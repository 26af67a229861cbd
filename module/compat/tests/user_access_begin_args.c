// SPDX-License-Identifier: GPL-2.0
/* 5.0, and EL8's 4.18: checks the addresses. */
#include <linux/uaccess.h>

int wp_test(const void __user *from, size_t n);
int wp_test(const void __user *from, size_t n)
{
	return user_access_begin(from, n);
}
