// SPDX-License-Identifier: GPL-2.0
/* 5.8: use_mm() got this name, and sets the address limit. */
#include <linux/kthread.h>

void wp_test(struct mm_struct *mm);
void wp_test(struct mm_struct *mm)
{
	kthread_use_mm(mm);
	kthread_unuse_mm(mm);
}
