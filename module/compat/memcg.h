/* SPDX-License-Identifier: GPL-2.0 */
/* linux/memcontrol.h and linux/sched/mm.h: the memcg that memory is charged to. */
#ifndef WALLPROF_COMPAT_MEMCG_H
#define WALLPROF_COMPAT_MEMCG_H

#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>

#include "features.h"

/*
 * For requests that must fail rather than have somebody killed. 4.19 has somebody killed
 * once for __GFP_RETRY_MAYFAIL, if it is a memory cgroup that has no room. No header shows
 * that, so what is as old by its headers gets the other flag, which makes less effort.
 */
#ifdef WP_HAS_ACCOUNT_LOCKED_VM
#define WP_GFP_MAY_FAIL	(__GFP_NOWARN | __GFP_RETRY_MAYFAIL)
#else
#define WP_GFP_MAY_FAIL	(__GFP_NOWARN | __GFP_NORETRY)
#endif

/*
 * As set_active_memcg(), which on 5.10 needs a symbol that is not exported. Allocations
 * of current with __GFP_ACCOUNT are charged to @memcg; NULL: to current's own. Context:
 * process. Return: the previous value.
 */
static inline struct mem_cgroup *wp_set_active_memcg(struct mem_cgroup *memcg)
{
	struct mem_cgroup *old = NULL;

#ifdef CONFIG_MEMCG
	old = current->active_memcg;
	current->active_memcg = memcg;
#endif
	return old;
}

#endif /* WALLPROF_COMPAT_MEMCG_H */
