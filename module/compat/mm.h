/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/mm.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_MM_H
#define WALLPROF_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/version.h>

/* 6.3: vm_flags became const and got accessors. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#endif /* WALLPROF_COMPAT_MM_H */
