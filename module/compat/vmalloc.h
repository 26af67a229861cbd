/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/vmalloc.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_VMALLOC_H
#define WALLPROF_COMPAT_VMALLOC_H

#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "features.h"

#ifndef WP_HAS_VMALLOC_TWO_ARGS
#define __vmalloc(bytes, gfp)	__vmalloc(bytes, gfp, PAGE_KERNEL)
#endif

/* Only vfree() reads it, and vmap()'s memory can be freed by vunmap(). */
#ifndef VM_MAP_PUT_PAGES		/* 5.10 */
#define VM_MAP_PUT_PAGES	0
#endif

#endif /* WALLPROF_COMPAT_VMALLOC_H */
