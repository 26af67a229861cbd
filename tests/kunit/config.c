// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/config.c: which configurations are valid.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/config.h"
#include "suite.h"

/* Both kinds of tables, everything a target, and all values the least. */
static const struct wallprof_configure least = {
	.size = sizeof(least), .flags = WALLPROF_OFFCPU | WALLPROF_SAMPLER,
	.max_stack = 1, .target = WALLPROF_TARGET_ALL, .nr_aggrs = WALLPROF_MIN_AGGRS,
	.stack_words = WALLPROF_MIN_STACK_WORDS, .nr_exits = WALLPROF_MIN_EXITS,
	.nr_tasks = WALLPROF_MIN_TASKS, .attr_period = 1,
};

/* One field of it, what it is set to, and whether that is valid. */
#define ROW(field, value, ok)							\
	{ #field " = " #value, offsetof(struct wallprof_configure, field),	\
	  sizeof_field(struct wallprof_configure, field), value, ok }

static const struct row {
	const char *name;
	unsigned int offset, bytes;
	u64 value;
	bool ok;
} rows[] = {
	ROW(flags, 0, false),
	ROW(flags, WALLPROF_SAMPLER, true),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_WAKEUPS, false),	/* a sampler's fields */
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_WAKEUPS, true),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_REASONS, true),
	ROW(flags, WALLPROF_SAMPLER | WALLPROF_WAKEUPS, false),
	ROW(flags, WALLPROF_SAMPLER | WALLPROF_REASONS, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_REASONS | WALLPROF_ARGS,
	    true),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_ARGS, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_WAKERS, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_WAKEUPS | WALLPROF_WAKERS,
	    true),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_WAKEUPS |
		   WALLPROF_WAKER_STACKS, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_TIMELINE, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_OVERWRITE, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | 1U << 12, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_REASONS | WALLPROF_ARGS |
		   WALLPROF_LOCK_OWNERS, true),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_REASONS | WALLPROF_LOCK_OWNERS,
	    false),
	/* Without stacks there is nothing to be cached. */
	ROW(flags, WALLPROF_SAMPLER | WALLPROF_SAMPLE_CACHE, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | 1U << 31, false),
	/* Where everything is a target, nothing is inherited and no exec awaited. */
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_INHERIT, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_ENABLE_ON_EXEC, false),
	ROW(flags, WALLPROF_INHERIT, false),
	ROW(stack_flags, 0, true),
	ROW(stack_flags, WALLPROF_STACK_FLAGS, true),
	ROW(stack_flags, 1U << 3, false),
	ROW(stack_flags, 1U << 31, false),
	ROW(max_stack, 0, false),
	ROW(max_stack, 1, true),
	ROW(max_stack, WALLPROF_MAX_STACK, true),
	ROW(max_stack, WALLPROF_MAX_STACK + 1, false),
	ROW(max_stack, U32_MAX, false),
	ROW(states, 0, true),
	ROW(states, (1U << WALLPROF_STATE_MAX) - 1, true),
	ROW(states, 1U << WALLPROF_STATE_MAX, false),
	ROW(states, 1U << 31, false),
	ROW(target, WALLPROF_TARGET_ALL, true),
	ROW(target, WALLPROF_TARGET_MAX, false),
	ROW(target, U32_MAX, false),
	ROW(nr_targets, 1, false),
	ROW(targets, 1, false),
	ROW(targets, 1ULL << 63, false),
	ROW(nr_aggrs, WALLPROF_MIN_AGGRS - 1, false),
	ROW(nr_aggrs, WALLPROF_MIN_AGGRS, true),
	ROW(nr_aggrs, WALLPROF_MAX_AGGRS, true),
	ROW(nr_aggrs, WALLPROF_MAX_AGGRS + 1, false),
	ROW(stack_words, WALLPROF_MIN_STACK_WORDS - 1, false),
	ROW(stack_words, WALLPROF_MIN_STACK_WORDS, true),
	ROW(stack_words, WALLPROF_MAX_STACK_WORDS, true),
	ROW(stack_words, WALLPROF_MAX_STACK_WORDS + 1, false),
	ROW(nr_exits, WALLPROF_MIN_EXITS - 1, false),
	ROW(nr_exits, WALLPROF_MIN_EXITS, true),
	ROW(nr_exits, WALLPROF_MAX_EXITS, true),
	ROW(nr_exits, WALLPROF_MAX_EXITS + 1, false),
	ROW(nr_tasks, 0, false),
	ROW(nr_tasks, WALLPROF_MIN_TASKS / 2, false),
	ROW(nr_tasks, WALLPROF_MIN_TASKS, true),
	ROW(nr_tasks, WALLPROF_MIN_TASKS + 1, false),
	ROW(nr_tasks, WALLPROF_MIN_TASKS * 3, false),
	ROW(nr_tasks, WALLPROF_MIN_TASKS * 2, true),
	ROW(nr_tasks, WALLPROF_MAX_TASKS, true),
	ROW(nr_tasks, WALLPROF_MAX_TASKS * 2, false),
	ROW(watermark, 0, true),
	ROW(watermark, 1, true),
	ROW(watermark, 100, true),
	ROW(watermark, 101, false),
	ROW(watermark, U32_MAX, false),
	ROW(attr_flags, WALLPROF_ATTR_FLAGS, true),
	ROW(attr_flags, WALLPROF_ATTR_FLAGS + 1, false),
	ROW(attr_flags, 1U << 31, false),
	ROW(attr_precise, 3, true),
	ROW(attr_precise, 4, false),
	ROW(attr_period, 0, true),	/* no event yet */
	ROW(attr_period, S64_MAX, true),
	ROW(attr_period, 1ULL << 63, false),
	ROW(attr_type, U32_MAX, true),
	ROW(attr_config, U64_MAX, true),
	ROW(attr_config1, U64_MAX, true),
	ROW(attr_config2, U64_MAX, true),
	ROW(min_ns, U64_MAX, true),
	ROW(nr_waits, 1, false),
	ROW(nr_waits, WALLPROF_MIN_WAITS, false),
	ROW(wait_ns, 1, false),
	ROW(max_ns, 1, true),
	ROW(max_ns, U64_MAX, true),
	/* Out fields are not read. */
	ROW(wait_bytes, U32_MAX, true),
	ROW(waits_offset, U64_MAX, true),
	ROW(reserved, 1, false),
	ROW(hist_bytes, U32_MAX, true),
	ROW(hists_offset, U64_MAX, true),
	ROW(nr_records, WALLPROF_MIN_RECORDS, false),
	ROW(grow_bytes, 1, true),
	ROW(grow_bytes, U64_MAX, true),
	ROW(growth, U32_MAX, true),
	ROW(reserved2, 1, false),
	ROW(record_bytes, U32_MAX, true),
	ROW(rings_offset, U64_MAX, true),
	ROW(ring_stride, U64_MAX, true),
	ROW(tails_offset, U64_MAX, true),
	ROW(map_bytes, U64_MAX, true),
	ROW(memory_bytes, U64_MAX, true),
};

static void row_describe(const struct row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", row->name);
}

KUNIT_ARRAY_PARAM(row, rows, row_describe);

static void row_apply(struct wallprof_configure *config, const struct row *row)
{
	void *at = (char *)config + row->offset;

	if (row->bytes == sizeof(u32))
		*(u32 *)at = row->value;
	else
		*(u64 *)at = row->value;
}

/* The least configuration is valid, and each field has its limits. */
static void field(struct kunit *test)
{
	struct wallprof_configure config = least;

	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	row_apply(&config, test->param_value);
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config),
			((const struct row *)test->param_value)->ok);
}

/* The waker's stacks are of the kinds that are asked for: at least one. */
static const struct row waker_stacks_rows[] = {
	ROW(stack_flags, 0, false),
	ROW(stack_flags, WALLPROF_STACK_USER, true),
	ROW(stack_flags, WALLPROF_STACK_KERNEL, true),
	ROW(stack_flags, WALLPROF_STACK_TABLES, true),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_WAKEUPS |
		   WALLPROF_WAKER_STACKS, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_WAKER_STACKS, false),
};

KUNIT_ARRAY_PARAM(waker_stacks, waker_stacks_rows, row_describe);

static const struct row flags_together_rows[] = {
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_WAKEUPS |
		   WALLPROF_WAKERS | WALLPROF_WAKER_CHAINS, true),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_WAKEUPS |
		   WALLPROF_WAKER_CHAINS, false),
	ROW(flags, WALLPROF_SAMPLER | WALLPROF_WAKER_CHAINS, false),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_HISTOGRAMS, true),
	ROW(flags, WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_WAKEUPS |
		   WALLPROF_HISTOGRAMS, true),
	ROW(flags, WALLPROF_SAMPLER | WALLPROF_HISTOGRAMS, false),
};

KUNIT_ARRAY_PARAM(flags_together, flags_together_rows, row_describe);

/* Chains need wakers, and no stacks; histograms need intervals. */
static void flags_together(struct kunit *test)
{
	struct wallprof_configure config = least;

	row_apply(&config, test->param_value);
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config),
			((const struct row *)test->param_value)->ok);
}

/* They need wakers, and at least one kind of stack. */
static void waker_stacks(struct kunit *test)
{
	struct wallprof_configure config = least;

	config.flags |= WALLPROF_OFFCPU | WALLPROF_WAKEUPS | WALLPROF_WAKERS |
			WALLPROF_WAKER_STACKS;
	config.stack_flags = WALLPROF_STACK_USER;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	row_apply(&config, test->param_value);
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config),
			((const struct row *)test->param_value)->ok);
}

/* Fields of the counter, in a session without one. */
static const struct row no_sampler_rows[] = {
	ROW(attr_flags, 0, true),
	ROW(attr_flags, 1, false),
	ROW(attr_type, 1, false),
	ROW(attr_precise, 1, false),
	ROW(attr_config, 1, false),
	ROW(attr_config1, 1, false),
	ROW(attr_config2, 1ULL << 63, false),
	ROW(attr_period, 1, false),
};

KUNIT_ARRAY_PARAM(no_sampler, no_sampler_rows, row_describe);

/* Without a counter its fields must be 0. */
static void no_sampler(struct kunit *test)
{
	struct wallprof_configure config = least;

	config.flags = WALLPROF_OFFCPU;
	config.attr_period = 0;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	row_apply(&config, test->param_value);
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config),
			((const struct row *)test->param_value)->ok);
}

/* User stacks of samples are cached, if there are both. */
static void sample_cache(struct kunit *test)
{
	struct wallprof_configure config = least;

	config.flags |= WALLPROF_SAMPLE_CACHE;
	config.stack_flags = WALLPROF_STACK_USER;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	config.stack_flags = WALLPROF_STACK_TABLES | WALLPROF_STACK_KERNEL;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	config.stack_flags = WALLPROF_STACK_KERNEL;
	KUNIT_EXPECT_FALSE(test, wp_config_ok(&config));
	config.stack_flags = WALLPROF_STACK_USER;
	config.flags = WALLPROF_OFFCPU | WALLPROF_SAMPLE_CACHE;
	config.attr_period = 0;
	KUNIT_EXPECT_FALSE(test, wp_config_ok(&config));
}

/* Without an event there is nothing of one; EVENT adds what the session can have. */
static void events(struct kunit *test)
{
	struct wallprof_configure config = least;
	struct wallprof_event event = { .attr_period = 1, .max_stack = 1 }, bad;

	config.attr_period = 0;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	config.attr_type = 1;
	KUNIT_EXPECT_FALSE(test, wp_config_ok(&config));
	config.attr_type = 0;
	config.attr_flags = WALLPROF_ATTR_FREQ;
	KUNIT_EXPECT_FALSE(test, wp_config_ok(&config));

	config = least;
	config.max_stack = 8;
	config.stack_flags = WALLPROF_STACK_USER;
	event.max_stack = 8;
	event.stack_flags = WALLPROF_STACK_USER;
	KUNIT_EXPECT_TRUE(test, wp_config_event_ok(&config, &event));
#define BAD(member, value) do { \
		bad = event; \
		bad.member = value; \
		KUNIT_EXPECT_FALSE(test, wp_config_event_ok(&config, &bad)); \
	} while (0)
	BAD(max_stack, 9);
	BAD(max_stack, 0);
	BAD(stack_flags, WALLPROF_STACK_USER | WALLPROF_STACK_KERNEL);
	BAD(attr_period, 0);
	BAD(attr_precise, 4);
	BAD(attr_flags, WALLPROF_ATTR_FLAGS + 1);
	BAD(reserved, 1);
	/* Without a filter nothing belongs to one. */
	BAD(filter, 1);
	BAD(filter_text, 1);
	BAD(filter_text_bytes, 1);
	BAD(weight_offset, 1);
	BAD(weight_sign, 1);
	BAD(by_offset, 1);
	BAD(by_sign, 1);
	/* A filter is of a tracepoint, of each record; so are a weight and what to sum by. */
	BAD(nr_filter, 1);
	BAD(weight_size, 4);
	BAD(record_words, 1);
	BAD(by_size, 4);
	event.attr_type = 2;
	event.by_size = 4;
	event.by_sign = 1;
	event.by_offset = WALLPROF_MAX_RECORD_BYTES - 4;
	KUNIT_EXPECT_TRUE(test, wp_config_event_ok(&config, &event));
	BAD(attr_type, 1);
	BAD(attr_period, 2);
	BAD(attr_flags, WALLPROF_ATTR_FREQ);
	BAD(by_offset, WALLPROF_MAX_RECORD_BYTES - 3);
	BAD(by_offset, 0xffff);
	BAD(by_size, 0);
	BAD(by_size, 3);
	BAD(by_size, 16);
	BAD(by_size, 128);
	BAD(by_sign, 2);
	event.weight_size = 8;
	event.weight_sign = 1;
	event.weight_offset = WALLPROF_MAX_RECORD_BYTES - 8;
	KUNIT_EXPECT_TRUE(test, wp_config_event_ok(&config, &event));
	BAD(attr_type, 1);
	BAD(attr_period, 2);
	BAD(attr_flags, WALLPROF_ATTR_FREQ);
	BAD(weight_offset, WALLPROF_MAX_RECORD_BYTES - 7);
	BAD(weight_offset, 0xffffffff);
	BAD(weight_size, 0);
	BAD(weight_size, 3);
	BAD(weight_size, 16);
	BAD(weight_sign, 2);
	BAD(record_words, WALLPROF_MAX_STACK + 1);
	event.nr_filter = WALLPROF_MAX_FILTER;
	event.filter_text_bytes = WALLPROF_MAX_FILTER_TEXT;
	KUNIT_EXPECT_TRUE(test, wp_config_event_ok(&config, &event));
	BAD(attr_type, 1);
	BAD(attr_period, 2);
	BAD(attr_flags, WALLPROF_ATTR_FREQ);
	BAD(nr_filter, WALLPROF_MAX_FILTER + 1);
	BAD(filter_text_bytes, WALLPROF_MAX_FILTER_TEXT + 1);
#undef BAD
	config.flags &= ~WALLPROF_SAMPLER;
	KUNIT_EXPECT_FALSE(test, wp_config_event_ok(&config, &event));
}

/* A frequency has a limit of its own. */
static void frequency(struct kunit *test)
{
	struct wallprof_configure config = least;

	config.attr_flags = WALLPROF_ATTR_FREQ;
	config.attr_period = WALLPROF_MAX_FREQ;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	config.attr_period++;
	KUNIT_EXPECT_FALSE(test, wp_config_ok(&config));
	config.attr_flags = 0;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
}

static const struct lengths {
	const char *name;
	u32 flags;
	u64 min, max;
	bool ok;
} ranges[] = {
	{ "one length", WALLPROF_OFFCPU, 7, 7, true },
	{ "none", WALLPROF_OFFCPU, 8, 7, false },
	{ "the longest", WALLPROF_OFFCPU, U64_MAX, U64_MAX, true },
	{ "any from one on", WALLPROF_OFFCPU, U64_MAX, 0, true },
	{ "all but the longest", WALLPROF_OFFCPU, 0, U64_MAX - 1, true },
	{ "a shortest of no intervals", 0, 1, 0, false },
	{ "a longest of no intervals", 0, 0, 1, false },
	{ "a range of no intervals", 0, 1, 2, false },
};

static void range_describe(const struct lengths *r, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", r->name);
}

KUNIT_ARRAY_PARAM(range, ranges, range_describe);

/* The range of lengths of intervals, if there are any. */
static void range(struct kunit *test)
{
	const struct lengths *r = test->param_value;
	struct wallprof_configure config = least;

	config.flags = WALLPROF_SAMPLER | r->flags;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	config.min_ns = r->min;
	config.max_ns = r->max;
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config), r->ok);
}

/* A configuration of a timeline alone, and beside the rest. */
static const struct row timeline_rows[] = {
	ROW(flags, WALLPROF_TIMELINE, true),
	ROW(flags, WALLPROF_TIMELINE | WALLPROF_OVERWRITE, true),
	ROW(flags, WALLPROF_TIMELINE | WALLPROF_OFFCPU | WALLPROF_WAKEUPS, true),
	ROW(flags, WALLPROF_OVERWRITE, false),
	ROW(flags, WALLPROF_TIMELINE | WALLPROF_TIMELINE_STACKS, false),
	ROW(flags, WALLPROF_OFFCPU, false),	/* a ring's size, and no ring */
	ROW(flags, WALLPROF_TIMELINE | WALLPROF_WAKEUPS, false),
	ROW(nr_records, 0, false),
	ROW(nr_records, WALLPROF_MIN_RECORDS / 2, false),
	ROW(nr_records, WALLPROF_MIN_RECORDS + 1, false),
	ROW(nr_records, WALLPROF_MIN_RECORDS * 3, false),
	ROW(nr_records, WALLPROF_MAX_RECORDS, true),
	ROW(nr_records, WALLPROF_MAX_RECORDS * 2, false),
	ROW(nr_records, U32_MAX, false),
	ROW(min_ns, 1, false),
};

KUNIT_ARRAY_PARAM(timeline, timeline_rows, row_describe);

/* A ring's size is a power of two. */
static void timeline(struct kunit *test)
{
	struct wallprof_configure config = least;

	config.flags = WALLPROF_TIMELINE;
	config.attr_period = 0;
	config.nr_records = WALLPROF_MIN_RECORDS;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	row_apply(&config, test->param_value);
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config),
			((const struct row *)test->param_value)->ok);
}

static const struct of_stacks {
	const char *name;
	u32 flags;
	u32 stack_flags;
	bool ok;
} all_of_stacks[] = {
	{"beside the sums", WALLPROF_TIMELINE | WALLPROF_OFFCPU, WALLPROF_STACK_USER, true},
	{"the kernel's alone", WALLPROF_TIMELINE | WALLPROF_OFFCPU, WALLPROF_STACK_KERNEL,
	 true},
	{"none asked for", WALLPROF_TIMELINE | WALLPROF_OFFCPU, 0, false},
	{"without the sums", WALLPROF_TIMELINE, WALLPROF_STACK_USER, false},
	{"overwritten", WALLPROF_TIMELINE | WALLPROF_OFFCPU | WALLPROF_OVERWRITE,
	 WALLPROF_STACK_USER, false},
	{"without a timeline", WALLPROF_OFFCPU, WALLPROF_STACK_USER, false},
};

static void of_stacks_describe(const struct of_stacks *s, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", s->name);
}

KUNIT_ARRAY_PARAM(of_stacks, all_of_stacks, of_stacks_describe);

/* The timeline's stacks are those of the tables, and live as long. */
static void timeline_stacks(struct kunit *test)
{
	const struct of_stacks *s = test->param_value;
	struct wallprof_configure config = least;

	config.flags = s->flags;
	config.stack_flags = s->stack_flags;
	config.attr_period = 0;
	config.nr_records = s->flags & WALLPROF_TIMELINE ? WALLPROF_MIN_RECORDS : 0;
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	config.flags |= WALLPROF_TIMELINE_STACKS;
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config), s->ok);
}

static const struct waits {
	const char *name;
	u32 flags;
	u64 ns;
	u32 nr;
	bool ok;
} all_waits[] = {
	{ "none", WALLPROF_OFFCPU, 0, 0, true },
	{ "all, and the least room", WALLPROF_OFFCPU, 1, WALLPROF_MIN_WAITS, true },
	{ "all, and the most room", WALLPROF_OFFCPU, 1, WALLPROF_MAX_WAITS, true },
	{ "too little room", WALLPROF_OFFCPU, 1, WALLPROF_MIN_WAITS - 1, false },
	{ "too much room", WALLPROF_OFFCPU, 1, WALLPROF_MAX_WAITS + 1, false },
	{ "2^32 - 1", WALLPROF_OFFCPU, 1, U32_MAX, false },
	{ "the longest", WALLPROF_OFFCPU, U64_MAX, WALLPROF_MIN_WAITS, true },
	{ "room for none", WALLPROF_OFFCPU, 0, WALLPROF_MIN_WAITS, false },
	{ "of no intervals", 0, 1, WALLPROF_MIN_WAITS, false },
};

static void waits_describe(const struct waits *w, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", w->name);
}

KUNIT_ARRAY_PARAM(waits, all_waits, waits_describe);

/* The length from which intervals are recorded one by one, and their capacity. */
static void waits(struct kunit *test)
{
	const struct waits *w = test->param_value;
	struct wallprof_configure config = least;

	config.flags = WALLPROF_SAMPLER | w->flags;
	config.wait_ns = w->ns;
	config.nr_waits = w->nr;
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config), w->ok);
}

static const struct targets {
	const char *name;
	u32 target, nr, flags;
	bool ok;
} all_targets[] = {
	{ "no pid", WALLPROF_TARGET_PID, 0, 0, false },
	{ "a pid", WALLPROF_TARGET_PID, 1, 0, true },
	{ "a tid", WALLPROF_TARGET_TID, 1, 0, true },
	{ "a uid", WALLPROF_TARGET_UID, 1, 0, true },
	{ "as many as there may be", WALLPROF_TARGET_TID, WALLPROF_MAX_TARGETS, 0, true },
	{ "one too many", WALLPROF_TARGET_TID, WALLPROF_MAX_TARGETS + 1, 0, false },
	{ "2^32 - 1", WALLPROF_TARGET_PID, U32_MAX, 0, false },
	{ "a pid, its children", WALLPROF_TARGET_PID, 1, WALLPROF_INHERIT, true },
	{ "a tid, its children", WALLPROF_TARGET_TID, 1, WALLPROF_INHERIT, true },
	{ "a uid, its children", WALLPROF_TARGET_UID, 1, WALLPROF_INHERIT, true },
	{ "a pid, from exec on", WALLPROF_TARGET_PID, 1, WALLPROF_ENABLE_ON_EXEC, true },
	{ "a tid, from exec on", WALLPROF_TARGET_TID, 1, WALLPROF_ENABLE_ON_EXEC, true },
	{ "a uid, from exec on", WALLPROF_TARGET_UID, 1, WALLPROF_ENABLE_ON_EXEC, false },
	{ "no name", WALLPROF_TARGET_COMM, 0, 0, false },
	{ "a name", WALLPROF_TARGET_COMM, 1, 0, true },
	{ "a name, its children", WALLPROF_TARGET_COMM, 1, WALLPROF_INHERIT, false },
	{ "a name, from exec on", WALLPROF_TARGET_COMM, 1, WALLPROF_ENABLE_ON_EXEC, false },
	{ "names, too many", WALLPROF_TARGET_COMM, WALLPROF_MAX_TARGETS + 1, 0, false },
	{ "a group", WALLPROF_TARGET_CGROUP, 1, 0, true },
	{ "a group, its children", WALLPROF_TARGET_CGROUP, 1, WALLPROF_INHERIT, false },
	{ "a group, from exec on", WALLPROF_TARGET_CGROUP, 1, WALLPROF_ENABLE_ON_EXEC, false },
};

static void targets_describe(const struct targets *t, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", t->name);
}

KUNIT_ARRAY_PARAM(targets, all_targets, targets_describe);

/* Each kind of target has its ids and flags. */
static void targets(struct kunit *test)
{
	const struct targets *t = test->param_value;
	struct wallprof_configure config = least;

	config.target = t->target;
	config.nr_targets = t->nr;
	config.targets = 0x1000;
	config.flags |= t->flags;
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config), t->ok);
}

/* Names and groups are followed from switch to switch; others need none. */
static void targets_without_switches(struct kunit *test)
{
	const struct targets *t = test->param_value;
	struct wallprof_configure config = least;

	config.target = t->target;
	config.nr_targets = t->nr;
	config.targets = 0x1000;
	config.flags = WALLPROF_SAMPLER | t->flags;
	config.attr_period = 1;
	KUNIT_EXPECT_EQ(test, wp_config_ok(&config),
			t->ok && t->target != WALLPROF_TARGET_COMM &&
			t->target != WALLPROF_TARGET_CGROUP);
}

/* A 0 that stands for a default is replaced, other values are kept. */
static void fill(struct kunit *test)
{
	struct wallprof_configure config = least, expected = least;

	expected.watermark = 50;
	expected.states = 0x7ff;
	wp_config_fill(&config);
	KUNIT_EXPECT_EQ(test, memcmp(&config, &expected, sizeof(config)), 0);
	KUNIT_EXPECT_TRUE(test, wp_config_ok(&config));
	config.watermark = 1;
	config.states = 4;
	expected = config;
	wp_config_fill(&config);
	KUNIT_EXPECT_EQ(test, memcmp(&config, &expected, sizeof(config)), 0);
}

static struct kunit_case config_cases[] = {
	KUNIT_CASE_PARAM(field, row_gen_params),
	KUNIT_CASE_PARAM(waker_stacks, waker_stacks_gen_params),
	KUNIT_CASE_PARAM(flags_together, flags_together_gen_params),
	KUNIT_CASE_PARAM(no_sampler, no_sampler_gen_params),
	KUNIT_CASE(frequency),
	KUNIT_CASE(sample_cache),
	KUNIT_CASE(events),
	KUNIT_CASE_PARAM(range, range_gen_params),
	KUNIT_CASE_PARAM(timeline, timeline_gen_params),
	KUNIT_CASE_PARAM(timeline_stacks, of_stacks_gen_params),
	KUNIT_CASE_PARAM(waits, waits_gen_params),
	KUNIT_CASE_PARAM(targets, targets_gen_params),
	KUNIT_CASE_PARAM(targets_without_switches, targets_gen_params),
	KUNIT_CASE(fill),
	{}
};

static struct kunit_suite config_suite = {
	.name = "wallprof_config",
	.init = suite_init,
	.test_cases = config_cases,
};

kunit_test_suite(config_suite);
