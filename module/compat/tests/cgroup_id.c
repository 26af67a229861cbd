// SPDX-License-Identifier: GPL-2.0
/* 5.5: a cgroup's id is a number. */
#include <linux/cgroup.h>

u64 wp_test(struct cgroup *group);
u64 wp_test(struct cgroup *group)
{
	return cgroup_id(group);
}
