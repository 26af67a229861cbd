/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/mm.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_MM_H
#define WALLPROF_COMPAT_MM_H

#include <linux/mm.h>

#include "features.h"

#ifndef WP_HAS_MMAP_LOCK
#define mmap_lock	mmap_sem
#endif

#ifndef WP_HAS_MMAP_READ_TRYLOCK
static inline bool mmap_read_trylock(struct mm_struct *mm)
{
	return down_read_trylock(&mm->mmap_lock);
}

static inline void mmap_read_unlock(struct mm_struct *mm)
{
	up_read(&mm->mmap_lock);
}
#endif

#ifndef WP_HAS_VM_FLAGS_MOD
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#endif /* WALLPROF_COMPAT_MM_H */
