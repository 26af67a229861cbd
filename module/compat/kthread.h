/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/kthread.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_KTHREAD_H
#define WALLPROF_COMPAT_KTHREAD_H

#include <linux/kthread.h>

#include "features.h"

#ifndef WP_HAS_KTHREAD_USE_MM
#include <linux/mmu_context.h>
#include <linux/uaccess.h>

/* As in 5.8. Kernel threads begin with KERNEL_DS, and a worker has to end with it. */
static inline void kthread_use_mm(struct mm_struct *mm)
{
	use_mm(mm);
	set_fs(USER_DS);
}

static inline void kthread_unuse_mm(struct mm_struct *mm)
{
	set_fs(KERNEL_DS);
	unuse_mm(mm);
}
#endif

#endif /* WALLPROF_COMPAT_KTHREAD_H */
