// SPDX-License-Identifier: GPL-2.0
/* 5.8, and taken over into 5.4: the lock of a memory's mappings has functions. */
#include <linux/mm.h>

void wp_test(struct mm_struct *mm);
void wp_test(struct mm_struct *mm)
{
	if (mmap_read_trylock(mm))
		mmap_read_unlock(mm);
}
