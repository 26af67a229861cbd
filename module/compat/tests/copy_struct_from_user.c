// SPDX-License-Identifier: GPL-2.0
/* 5.4, and EL8's 4.18: structs whose size the caller passes. */
#include <linux/uaccess.h>

int wp_test(void *to, size_t size, const void __user *from, size_t user_size);
int wp_test(void *to, size_t size, const void __user *from, size_t user_size)
{
	return copy_struct_from_user(to, size, from, user_size);
}
