// SPDX-License-Identifier: GPL-2.0
/*
 * The options of CONFIGURE and EVENT: their check, and the values that 0 stands for.
 *
 * This file owns the rules of the uapi header for a single struct. It is pure; its callers
 * are session.c and counters.c, in process context.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/perf_event.h>

#include "pure/config.h"

static bool wp_within(u64 value, u64 min, u64 max)
{
	return value >= min && value <= max;
}

/* perf_event_open() refuses the same. */
static bool wp_config_attr_ok(u32 flags, u32 precise, u64 period)
{
	return !(flags & ~WALLPROF_ATTR_FLAGS) && precise <= 3 && period && !(period >> 63) &&
	       (!(flags & WALLPROF_ATTR_FREQ) || period <= WALLPROF_MAX_FREQ);
}

static bool wp_config_sampler_ok(const struct wallprof_configure *config)
{
	if (!(config->flags & WALLPROF_SAMPLER) || !config->attr_period)
		return !config->attr_flags && !config->attr_type &&
		       !config->attr_precise && !config->attr_config &&
		       !config->attr_config1 && !config->attr_config2 &&
		       !config->attr_period;
	return wp_config_attr_ok(config->attr_flags, config->attr_precise,
				 config->attr_period);
}

static bool wp_config_range_ok(const struct wallprof_configure *config)
{
	if (!(config->flags & WALLPROF_OFFCPU))
		return !config->min_ns && !config->max_ns && !config->wait_ns;
	return !config->max_ns || config->max_ns >= config->min_ns;
}

static bool wp_config_timeline_ok(const struct wallprof_configure *config)
{
	if (!(config->flags & WALLPROF_TIMELINE))
		return !config->nr_records && !(config->flags & (WALLPROF_OVERWRITE |
								 WALLPROF_TIMELINE_STACKS));
	/* A record that nobody reads may outlive its stacks. */
	if (config->flags & WALLPROF_TIMELINE_STACKS &&
	    (!(config->flags & WALLPROF_OFFCPU) || !config->stack_flags ||
	     config->flags & WALLPROF_OVERWRITE))
		return false;
	return wp_within(config->nr_records, WALLPROF_MIN_RECORDS, WALLPROF_MAX_RECORDS) &&
	       is_power_of_2(config->nr_records);
}

static bool wp_config_waits_ok(const struct wallprof_configure *config)
{
	if (!config->wait_ns)
		return !config->nr_waits;
	return wp_within(config->nr_waits, WALLPROF_MIN_WAITS, WALLPROF_MAX_WAITS);
}

static bool wp_config_targets_ok(const struct wallprof_configure *config)
{
	if (config->target >= WALLPROF_TARGET_MAX)
		return false;
	if (config->target == WALLPROF_TARGET_ALL)
		return !config->nr_targets && !config->targets &&
		       !(config->flags & (WALLPROF_ENABLE_ON_EXEC |
					  WALLPROF_INHERIT));
	if (config->target == WALLPROF_TARGET_UID &&
	    config->flags & WALLPROF_ENABLE_ON_EXEC)
		return false;
	if ((config->target == WALLPROF_TARGET_COMM ||
	     config->target == WALLPROF_TARGET_CGROUP) &&
	    (!(config->flags & WALLPROF_OFFCPU) ||
	     config->flags & (WALLPROF_ENABLE_ON_EXEC | WALLPROF_INHERIT)))
		return false;
	return wp_within(config->nr_targets, 1, WALLPROF_MAX_TARGETS);
}

/**
 * wp_config_ok - check a configuration
 * @config: the user's; the out fields are not read
 *
 * The kernel or the machine may still refuse it.
 */
bool wp_config_ok(const struct wallprof_configure *config)
{
	return !(config->flags & ~WALLPROF_CONFIGURE_FLAGS) &&
	       config->flags & (WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_TIMELINE) &&
	       (config->flags & WALLPROF_OFFCPU ||
		!(config->flags & (WALLPROF_WAKEUPS | WALLPROF_REASONS |
				   WALLPROF_HISTOGRAMS))) &&
	       (config->flags & WALLPROF_WAKEUPS || !(config->flags & WALLPROF_WAKERS)) &&
	       (config->flags & WALLPROF_REASONS || !(config->flags & WALLPROF_ARGS)) &&
	       (!(config->flags & WALLPROF_WAKER_STACKS) ||
		(config->flags & WALLPROF_WAKERS && config->stack_flags)) &&
	       (!(config->flags & WALLPROF_LOCK_OWNERS) ||
		(config->flags & WALLPROF_ARGS && !(config->flags & WALLPROF_WAKER_STACKS))) &&
	       (!(config->flags & WALLPROF_WAKER_CHAINS) ||
		config->flags & WALLPROF_WAKERS) &&
	       (!(config->flags & WALLPROF_SAMPLE_CACHE) ||
		(config->flags & WALLPROF_SAMPLER && config->stack_flags & WP_STACK_WALK)) &&
	       !(config->stack_flags & ~WALLPROF_STACK_FLAGS) &&
	       wp_within(config->max_stack, 1, WALLPROF_MAX_STACK) &&
	       !(config->states >> WALLPROF_STATE_MAX) &&
	       wp_config_targets_ok(config) &&
	       wp_config_sampler_ok(config) &&
	       wp_config_range_ok(config) &&
	       wp_config_waits_ok(config) &&
	       wp_config_timeline_ok(config) &&
	       wp_within(config->nr_aggrs, WALLPROF_MIN_AGGRS,
			 WALLPROF_MAX_AGGRS) &&
	       wp_within(config->stack_words, WALLPROF_MIN_STACK_WORDS,
			 WALLPROF_MAX_STACK_WORDS) &&
	       wp_within(config->nr_exits, WALLPROF_MIN_EXITS,
			 WALLPROF_MAX_EXITS) &&
	       wp_within(config->nr_tasks, WALLPROF_MIN_TASKS,
			 WALLPROF_MAX_TASKS) &&
	       is_power_of_2(config->nr_tasks) &&
	       config->watermark <= 100 && !config->reserved && !config->reserved2;
}

/* A number of the records; @size 0: there is none. */
static bool wp_config_number_ok(u32 offset, u32 size, u32 sign)
{
	if (!size)
		return !offset && !sign;
	return size <= sizeof(u64) && is_power_of_2(size) && sign <= 1 &&
	       offset <= WALLPROF_MAX_RECORD_BYTES - size;
}

/* What is read of each record: the kernel must not count them off before. */
static bool wp_config_record_ok(const struct wallprof_event *event)
{
	bool each = event->attr_type == PERF_TYPE_TRACEPOINT && event->attr_period == 1 &&
		    !(event->attr_flags & WALLPROF_ATTR_FREQ);

	/* Records are kept as stacks are. */
	if (event->record_words > WALLPROF_MAX_STACK ||
	    (event->record_words && event->attr_type != PERF_TYPE_TRACEPOINT))
		return false;
	if (!wp_config_number_ok(event->weight_offset, event->weight_size, event->weight_sign) ||
	    !wp_config_number_ok(event->by_offset, event->by_size, event->by_sign) ||
	    event->nr_filter > WALLPROF_MAX_FILTER ||
	    event->filter_text_bytes > WALLPROF_MAX_FILTER_TEXT)
		return false;
	if (!event->nr_filter &&
	    (event->filter || event->filter_text || event->filter_text_bytes))
		return false;
	return each || !wp_event_reads(event);
}

/**
 * wp_config_event_ok - check an event
 * @config: the session's configuration
 * @event: the user's
 *
 * The kernel or the machine may still refuse it.
 */
bool wp_config_event_ok(const struct wallprof_configure *config,
			const struct wallprof_event *event)
{
	return config->flags & WALLPROF_SAMPLER && !event->reserved &&
	       !(event->stack_flags & ~config->stack_flags) &&
	       wp_within(event->max_stack, 1, config->max_stack) &&
	       wp_config_attr_ok(event->attr_flags, event->attr_precise, event->attr_period) &&
	       wp_config_record_ok(event);
}

/**
 * wp_config_fill - replace each 0 that stands for a default
 * @config: as validated
 */
void wp_config_fill(struct wallprof_configure *config)
{
	if (!config->watermark)
		config->watermark = 50;
	if (!config->states)
		config->states = GENMASK(WALLPROF_STATE_MAX - 1, 0);
}
