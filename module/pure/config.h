/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_CONFIG_H
#define WALLPROF_PURE_CONFIG_H

#include <linux/types.h>
#include <linux/wallprof.h>

/* Flags of wallprof_configure.stack_flags that make user stacks be walked. */
#define WP_STACK_WALK	(WALLPROF_STACK_USER | WALLPROF_STACK_TABLES)

bool wp_config_ok(const struct wallprof_configure *config);
bool wp_config_event_ok(const struct wallprof_configure *config,
			const struct wallprof_event *event);
void wp_config_fill(struct wallprof_configure *config);

/*
 * Whether threads become targets, and cease to be, while they live; the session sees it
 * when they leave their CPUs. Targets by user change by fork or exec only.
 */
static inline bool wp_config_targets_change(const struct wallprof_configure *config)
{
	switch (config->target) {
	case WALLPROF_TARGET_COMM:
	case WALLPROF_TARGET_CGROUP:
		return true;
	case WALLPROF_TARGET_UID:
		return config->flags & WALLPROF_OFFCPU;
	default:
		return false;
	}
}

/* Whether the records of an event are looked at. */
static inline bool wp_event_reads(const struct wallprof_event *event)
{
	return event->nr_filter || event->weight_size || event->by_size;
}

#endif /* WALLPROF_PURE_CONFIG_H */
