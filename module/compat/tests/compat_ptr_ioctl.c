// SPDX-License-Identifier: GPL-2.0
/* 5.5, and taken over into 5.4: ioctl() of 32-bit programs, whose argument is a pointer. */
#include <linux/fs.h>

long wp_test(struct file *file, unsigned int cmd, unsigned long arg);
long wp_test(struct file *file, unsigned int cmd, unsigned long arg)
{
	return compat_ptr_ioctl(file, cmd, arg);
}
