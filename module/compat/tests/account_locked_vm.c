// SPDX-License-Identifier: GPL-2.0
/* 5.3, and EL8's 4.18: charges for locked memory. */
#include <linux/mm.h>

int wp_test(struct mm_struct *mm);
int wp_test(struct mm_struct *mm)
{
	return account_locked_vm(mm, 1, true);
}
