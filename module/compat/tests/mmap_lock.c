// SPDX-License-Identifier: GPL-2.0
/* 5.8: mmap_sem became mmap_lock. */
#include <linux/mm.h>

int wp_test(struct mm_struct *mm);
int wp_test(struct mm_struct *mm)
{
	return down_write_trylock(&mm->mmap_lock);
}
