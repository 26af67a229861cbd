// SPDX-License-Identifier: GPL-2.0
/* 5.2, and EL8's 4.18: the table of system calls of any thread, not only of current. */
#include <linux/sched.h>
#include <asm/syscall.h>

int wp_test(struct task_struct *p);
int wp_test(struct task_struct *p)
{
	return syscall_get_arch(p);
}
