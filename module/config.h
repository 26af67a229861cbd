/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_CONFIG_H
#define WALLPROF_CONFIG_H

#include <linux/types.h>
#include <linux/wallprof.h>

bool wp_config_ok(const struct wallprof_configure *config);
void wp_config_fill(struct wallprof_configure *config);

/* Whether threads come to be targets, and cease to be, while they live. */
static inline bool wp_config_targets_change(const struct wallprof_configure *config)
{
	return config->target == WALLPROF_TARGET_COMM ||
	       config->target == WALLPROF_TARGET_CGROUP;
}

#endif /* WALLPROF_CONFIG_H */
