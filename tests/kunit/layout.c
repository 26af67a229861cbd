// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/layout.c: the mapping of a session and its memory.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "layout_model.h"
#include "pure/config.h"
#include "pure/layout.h"
#include "suite.h"

#define OFFCPU		WALLPROF_OFFCPU
#define SAMPLER		WALLPROF_SAMPLER
#define HISTOGRAMS	WALLPROF_HISTOGRAMS
#define TIMELINE	WALLPROF_TIMELINE

/* Configurations and machines. */
static const struct row {
	const char *name;
	u32 flags, nr_aggrs, stack_words, nr_exits, nr_tasks, nr_targets;
	struct wp_machine machine;
	u32 nr_waits, target, nr_records;
	u64 grow_bytes;
} rows[] = {
	{ "the least, off-CPU", OFFCPU, 16, 256, 16, 64, 0, { 4096, 3000, 1, 1 } },
	{ "the least, sampler", SAMPLER, 16, 256, 16, 64, 0, { 4096, 3000, 1, 1 } },
	{ "the least, both", OFFCPU | SAMPLER, 16, 256, 16, 64, 0, { 4096, 3000, 1, 1 } },
	{ "pages of 64 KiB", OFFCPU | SAMPLER, 16, 256, 16, 64, 3, { 65536, 3000, 4, 4 } },
	{ "odd numbers", OFFCPU | SAMPLER, 1001, 4097, 33, 128, 77, { 4096, 4097, 3, 3 } },
	{ "stacks that are remembered", OFFCPU, 16, 256, 16, 64, 0, { 4096, 420000, 4, 4 } },
	{ "single intervals", OFFCPU, 16, 256, 16, 64, 0, { 4096, 3000, 2, 2 },
	  WALLPROF_MIN_WAITS },
	{ "single intervals, and samples", OFFCPU | SAMPLER, 17, 257, 17, 64, 0,
	  { 4096, 3000, 2, 2 }, 17 },
	{ "histograms", OFFCPU | HISTOGRAMS, 17, 257, 17, 64, 0, { 4096, 3000, 2, 2 } },
	{ "histograms, intervals and samples", OFFCPU | SAMPLER | HISTOGRAMS, 17, 257, 17,
	  64, 0, { 4096, 3000, 2, 2 }, 17 },
	{ "names", OFFCPU, 16, 256, 16, 64, 1000, { 4096, 3000, 2, 2 }, 0,
	  WALLPROF_TARGET_COMM },
	{ "a timeline alone", TIMELINE, 16, 256, 16, 64, 0, { 4096, 3000, 3, 2 }, 0, 0,
	  WALLPROF_MIN_RECORDS },
	{ "a timeline beside all", OFFCPU | SAMPLER | HISTOGRAMS | TIMELINE, 17, 257, 17, 64,
	  0, { 65536, 3000, 2, 2 }, 17, 0, 4096 },
	{ "the largest rings", TIMELINE, 16, 256, 16, 64, 0, { 4096, 3000, 16384, 16384 },
	  0, 0, WALLPROF_MAX_RECORDS },
	{ "tables that may grow", OFFCPU | SAMPLER | HISTOGRAMS | TIMELINE, 17, 257, 17, 64,
	  0, { 4096, 3000, 2, 2, 5000, WALLPROF_MAX_GROWTH }, 17, 0, 4096, 1 },
	{ "tables that may grow on a small machine", OFFCPU | SAMPLER, 17, 257, 17, 64, 0,
	  { 4096, 3000, 2, 2, 5000, 2 }, 17, 0, 0, 1 },
	{ "tables that may not grow there", OFFCPU | SAMPLER, 17, 257, 17, 64, 0,
	  { 4096, 3000, 2, 2, 5000, 0 }, 17, 0, 0, 1 },
	{ "tables that may double once", OFFCPU | SAMPLER, 16, WALLPROF_MAX_STACK_WORDS / 2, 16,
	  64, 0, { 4096, 3000, 2, 2, 4096, WALLPROF_MAX_GROWTH }, 0, 0, 0, ~0ULL },
	{ "CPUs that are not online", OFFCPU, 4096, 65536, 1024, 1 << 16, 1000,
	  { 4096, 8192, 64, 5 } },
	{ "the largest task table", OFFCPU, 16, 256, 16, WALLPROF_MAX_TASKS,
	  WALLPROF_MAX_TARGETS, { 4096, 3000, 8, 8 } },
	{ "the largest tables, off-CPU", OFFCPU, WALLPROF_MAX_AGGRS,
	  WALLPROF_MAX_STACK_WORDS, WALLPROF_MAX_EXITS, 64, 0, { 4096, 3000, 16384, 16384 },
	  WALLPROF_MAX_WAITS },
	{ "the largest tables, sampler", SAMPLER, WALLPROF_MAX_AGGRS,
	  WALLPROF_MAX_STACK_WORDS, WALLPROF_MAX_EXITS, 64, 0, { 4096, 3000, 16384, 16384 } },
	{ "the largest tables, both", OFFCPU | SAMPLER | HISTOGRAMS, WALLPROF_MAX_AGGRS,
	  WALLPROF_MAX_STACK_WORDS, WALLPROF_MAX_EXITS, WALLPROF_MAX_TASKS,
	  WALLPROF_MAX_TARGETS, { 65536, 3000, 16384, 16384 }, WALLPROF_MAX_WAITS },
};

static void row_describe(const struct row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", row->name);
}

KUNIT_ARRAY_PARAM(row, rows, row_describe);

/* Of the test that runs. On a kernel that looks for mistakes the stack has no room for it. */
static struct wp_layout l;

static bool row_set(const struct row *row, struct wp_layout *l,
		    struct wallprof_configure *c)
{
	/* Out fields may hold anything before. */
	memset(c, 0xa5, sizeof(*c));
	memset(l, 0xa5, sizeof(*l));
	c->flags = row->flags;
	c->nr_aggrs = row->nr_aggrs;
	c->stack_words = row->stack_words;
	c->nr_exits = row->nr_exits;
	c->nr_waits = row->nr_waits;
	c->nr_tasks = row->nr_tasks;
	c->target = row->target;
	c->nr_targets = row->nr_targets;
	c->nr_records = row->nr_records;
	c->grow_bytes = row->grow_bytes;
	c->watermark = 50;
	return wp_layout_set(l, c, &row->machine);
}

/* Parts follow each other, nothing wraps, and all memory is counted. */
static void holds(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct wallprof_configure c;

	KUNIT_EXPECT_TRUE(test, row_set(row, &l, &c));
	KUNIT_EXPECT_TRUE(test, layout_holds(&l, &c, &row->machine));
}

/* Lookups at the edges of the parts of a mapping, and behind it. */
static void finds(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct wallprof_configure c;
	u32 cpu;

	KUNIT_EXPECT_TRUE(test, row_set(row, &l, &c));
	for (cpu = 0; cpu <= row->machine.nr_cpus && !suite_failed(test); cpu++) {
		u64 edge = c.cpus_offset + cpu * c.cpu_stride;

		KUNIT_EXPECT_TRUE_MSG(test, layout_finds(&l, &c, edge - 1), "CPU %u", cpu);
		KUNIT_EXPECT_TRUE_MSG(test, layout_finds(&l, &c, edge), "CPU %u", cpu);
		KUNIT_EXPECT_TRUE_MSG(test, layout_finds(&l, &c, edge + 1), "CPU %u", cpu);
		edge = c.rings_offset + cpu * c.ring_stride;
		KUNIT_EXPECT_TRUE_MSG(test, layout_finds(&l, &c, edge - 1), "CPU %u", cpu);
		KUNIT_EXPECT_TRUE_MSG(test, layout_finds(&l, &c, edge), "CPU %u", cpu);
	}
	KUNIT_EXPECT_TRUE(test, layout_finds(&l, &c, c.map_bytes - 1));
	KUNIT_EXPECT_TRUE(test, layout_finds(&l, &c, c.map_bytes));
	KUNIT_EXPECT_TRUE(test, layout_finds(&l, &c, 0));
	KUNIT_EXPECT_TRUE(test, layout_finds(&l, &c, U64_MAX));
	KUNIT_EXPECT_TRUE(test, layout_finds(&l, &c, U64_MAX - c.cpu_stride));
}

/* A part that is not configured takes no room, and its fields are 0. */
static void left_out(struct kunit *test)
{
	struct wallprof_configure c;

	row_set(&rows[0], &l, &c);
	KUNIT_EXPECT_EQ(test, c.sampler_half_stride, 0);
	KUNIT_EXPECT_EQ(test, c.sampler_offset, c.cpu_stride);
	KUNIT_EXPECT_EQ(test, c.waits_offset, 0);
	KUNIT_EXPECT_EQ(test, c.hists_offset, 0);
	KUNIT_EXPECT_EQ(test, c.hist_bytes, 0);
	KUNIT_EXPECT_EQ(test, c.cpu_stride, 2 * c.half_stride);
	KUNIT_EXPECT_EQ(test, c.rings_offset, 0);
	KUNIT_EXPECT_EQ(test, c.ring_stride, 0);
	KUNIT_EXPECT_EQ(test, c.tails_offset, 0);
	row_set(&rows[1], &l, &c);
	KUNIT_EXPECT_EQ(test, c.half_stride, 0);
	KUNIT_EXPECT_EQ(test, c.exits_offset, 0);
	KUNIT_EXPECT_EQ(test, c.waits_offset, 0);
	KUNIT_EXPECT_EQ(test, c.sampler_offset, 0);
	KUNIT_EXPECT_EQ(test, c.cpu_stride, 2 * c.sampler_half_stride);
}

/* In fields are not changed. */
static void keeps(struct kunit *test)
{
	size_t in = offsetof(struct wallprof_configure, map_bytes);
	struct wallprof_configure c, was;

	row_set(&rows[2], &l, &c);
	was = c;
	wp_layout_set(&l, &c, &rows[2].machine);
	KUNIT_EXPECT_EQ(test, memcmp(&c, &was, sizeof(c)), 0);
	memset((char *)&was + in, 0, sizeof(was) - in);
	was.min_ns = 1;
	was.max_ns = 2;
	was.wait_ns = 3;
	was.nr_waits = 16;
	was.nr_records = 64;
	was.grow_bytes = 5;
	c = was;
	wp_layout_set(&l, &c, &rows[2].machine);
	KUNIT_EXPECT_EQ(test, memcmp(&c, &was, in), 0);
	KUNIT_EXPECT_EQ(test, c.min_ns, 1);
	KUNIT_EXPECT_EQ(test, c.max_ns, 2);
	KUNIT_EXPECT_EQ(test, c.wait_ns, 3);
	KUNIT_EXPECT_EQ(test, c.nr_waits, 16);
	KUNIT_EXPECT_EQ(test, c.nr_records, 64);
	KUNIT_EXPECT_EQ(test, c.grow_bytes, 5);
}

/* A CPU's tables have a limit; no configuration that is valid comes near it. */
static void too_large(struct kunit *test)
{
	struct row row = rows[2];
	struct wallprof_configure c;
	u32 step;

	for (step = 1U << 30; step && !suite_failed(test); step /= 2) {
		row.nr_aggrs += step;
		KUNIT_EXPECT_EQ(test, row_set(&row, &l, &c),
				c.cpu_stride <= WALLPROF_MAX_CPU_BYTES);
		if (c.cpu_stride > WALLPROF_MAX_CPU_BYTES)
			row.nr_aggrs -= step;
	}
	/* The search has ended at the largest table that is allowed. */
	KUNIT_EXPECT_GT(test, row.nr_aggrs, WALLPROF_MAX_AGGRS);
	KUNIT_EXPECT_TRUE(test, row_set(&row, &l, &c));
	row.nr_aggrs++;
	KUNIT_EXPECT_FALSE(test, row_set(&row, &l, &c));
}

static u32 random_within(u32 min, u32 max)
{
	/* Mostly small: of the large ones too few would be near the limits. */
	return min + suite_below((max - min + 1) >> suite_below(12) | 1);
}

/* The layout agrees with the reference for any valid configuration. */
static void random_model(struct kunit *test)
{
	int round;

	for (round = 0; round < SUITE_ROUNDS(40000) && !suite_failed(test); round++) {
		struct row row = {
			.flags = 1 + suite_below(3),
			.nr_aggrs = random_within(WALLPROF_MIN_AGGRS, WALLPROF_MAX_AGGRS),
			.stack_words = random_within(WALLPROF_MIN_STACK_WORDS,
						     WALLPROF_MAX_STACK_WORDS),
			.nr_exits = random_within(WALLPROF_MIN_EXITS, WALLPROF_MAX_EXITS),
			.nr_tasks = WALLPROF_MIN_TASKS << suite_below(17),
			.target = suite_below(WALLPROF_TARGET_MAX),
			.nr_targets = random_within(0, WALLPROF_MAX_TARGETS),
			.machine.page_size = 4096 << 2 * suite_below(3),
			.machine.cpu_bytes = random_within(1, 1 << 20),
			.machine.nr_cpus = random_within(1, 1 << 14),
			.machine.cache_bytes = random_within(0, 1 << 20),
			.machine.growth = suite_below(WALLPROF_MAX_GROWTH + 1),
			.grow_bytes = suite_below(2),
		};
		struct wallprof_configure c;

		if (row.flags & OFFCPU && suite_below(2))
			row.flags |= HISTOGRAMS;
		if (row.flags & OFFCPU && suite_below(2))
			row.nr_waits = random_within(WALLPROF_MIN_WAITS,
						     WALLPROF_MAX_WAITS);
		if (suite_below(2)) {
			row.flags |= TIMELINE;
			row.nr_records = WALLPROF_MIN_RECORDS << suite_below(17);
		}
		row.machine.nr_online = 1 + suite_below(row.machine.nr_cpus);
		KUNIT_EXPECT_TRUE_MSG(test, row_set(&row, &l, &c), "round %d", round);
		KUNIT_EXPECT_TRUE_MSG(test, layout_holds(&l, &c, &row.machine), "round %d",
				      round);
		KUNIT_EXPECT_TRUE_MSG(test, layout_finds(&l, &c, suite_random() >>
							 suite_below(60)),
				      "round %d", round);
		if (round % 64 == 0)
			cond_resched();
	}
}

static struct kunit_case layout_cases[] = {
	KUNIT_CASE_PARAM(holds, row_gen_params),
	KUNIT_CASE_PARAM(finds, row_gen_params),
	KUNIT_CASE(left_out),
	KUNIT_CASE(keeps),
	KUNIT_CASE(too_large),
	KUNIT_CASE(random_model),
	{}
};

static struct kunit_suite layout_suite = {
	.name = "wallprof_layout",
	.init = suite_init,
	.test_cases = layout_cases,
};

kunit_test_suite(layout_suite);
