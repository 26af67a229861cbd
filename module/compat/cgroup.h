/* SPDX-License-Identifier: GPL-2.0 */
/*
 * include/linux/cgroup.h, with and without CONFIG_CGROUPS: the hierarchy of
 * version 2.
 */
#ifndef WALLPROF_COMPAT_CGROUP_H
#define WALLPROF_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/kernfs.h>
#include <linux/sched.h>

#include "features.h"

#ifdef CONFIG_CGROUPS

static inline bool wp_has_cgroups(void)
{
	return true;
}

/*
 * A thread's cgroup. Its css_set, and all that it holds, is freed after an RCU grace
 * period. Context: RCU read side.
 */
static inline struct cgroup *wp_task_cgroup(struct task_struct *p)
{
	return rcu_dereference_raw(p->cgroups)->dfl_cgrp;
}

static inline struct cgroup *wp_cgroup_parent(struct cgroup *group)
{
	return cgroup_parent(group);
}

/*
 * The inode number of the cgroup's directory. cgroup_id() is another number where inodes
 * have but half of it: there, and before 5.5, an id has the generation beside it.
 */
static inline u64 wp_cgroup_id(struct cgroup *group)
{
#ifdef WP_HAS_KERNFS_INO
	return kernfs_ino(group->kn);
#else
	return group->kn->id.ino;
#endif
}

#else

static inline bool wp_has_cgroups(void)
{
	return false;
}

static inline struct cgroup *wp_task_cgroup(struct task_struct *p)
{
	return NULL;
}

static inline struct cgroup *wp_cgroup_parent(struct cgroup *group)
{
	return NULL;
}

static inline u64 wp_cgroup_id(struct cgroup *group)
{
	return 0;
}

#endif

#endif /* WALLPROF_COMPAT_CGROUP_H */
