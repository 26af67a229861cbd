/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/mm.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_MM_H
#define WALLPROF_COMPAT_MM_H

#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

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

#ifndef WP_HAS_TOTALRAM_PAGES_FUNCTION
#define totalram_pages()	READ_ONCE(totalram_pages)
#endif

#ifndef WP_HAS_ACCOUNT_LOCKED_VM
/*
 * Charges a process for locked memory, or gives a charge back. Context: process; the lock
 * of @mm is not held.
 * Return: 0, or -ENOMEM beyond its limit, to which CAP_IPC_LOCK is no subject.
 */
static inline int account_locked_vm(struct mm_struct *mm, unsigned long pages, bool inc)
{
	unsigned long most = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	int err = 0;

	if (!mm || !pages)
		return 0;
	if (inc && capable(CAP_IPC_LOCK))
		most = ULONG_MAX;
	down_write(&mm->mmap_lock);
	if (!inc)
		mm->locked_vm -= min(pages, mm->locked_vm);
	else if (mm->locked_vm <= most && pages <= most - mm->locked_vm)
		mm->locked_vm += pages;
	else
		err = -ENOMEM;
	up_write(&mm->mmap_lock);
	return err;
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
