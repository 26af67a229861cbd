/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/mm.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_MM_H
#define WALLPROF_COMPAT_MM_H

#include <linux/mm.h>

#include "features.h"

#ifndef WP_HAS_VM_FLAGS_MOD
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/*
 * Holds one page of another process's memory, whose mmap_lock is held for
 * reading, and stays so. Return: 1, or else.
 */
static inline long wp_get_user_page(struct mm_struct *mm, unsigned long addr,
				    unsigned int gup_flags, struct page **page)
{
#ifdef WP_HAS_GET_USER_PAGES_REMOTE_VMAS
	return get_user_pages_remote(mm, addr, 1, gup_flags, page, NULL, NULL);
#else
	return get_user_pages_remote(mm, addr, 1, gup_flags, page, NULL);
#endif
}

#endif /* WALLPROF_COMPAT_MM_H */
