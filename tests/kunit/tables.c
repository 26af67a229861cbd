// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/tables.c: ended threads, single intervals, losses, epochs, and all
 * tables together. table_sizes.c, table_stacks.c and table_aggrs.c have the rest.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pure/tables.h"
#include "suite.h"
#include "table_keys.h"
#include "tables_model.h"

/* A stack that a case assembles; too large for a kernel stack. */
static u64 ips[WALLPROF_MAX_STACK];

static int tables_init(struct kunit *test)
{
	memset(ips, 0, sizeof(ips));
	return suite_init(test);
}

/* Ended threads. */

static const u32 exit_capacities[] = { 0, 1, 16, 100 };

static void capacity_describe(const u32 *n, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u", *n);
}

KUNIT_ARRAY_PARAM(exit_capacity, exit_capacities, capacity_describe);

/* Exactly as many as the capacity, the rest counted by spill_ns. */
static void exit_exact_capacity(struct kunit *test)
{
	u32 n = *(const u32 *)test->param_value, k, b;
	struct wallprof_task task;
	struct wallprof_half *head;
	static struct twin t;

	twin_init(test, &t, 16, 256, n, 100, 0, 0);
	twin_begin(&t, 1);
	head = t.tables.half[1].head;
	for (k = 0; k < n + 3; k++) {
		for (b = 0; b < sizeof(task); b++)
			((u8 *)&task)[b] = k * 7 + b;
		task.spill_ns = 1000 + k;
		KUNIT_EXPECT_TRUE_MSG(test, twin_exit(&t, &task), "%u of %u", k, n);
	}
	KUNIT_EXPECT_EQ(test, head->nr_exits, n);
	KUNIT_EXPECT_EQ(test, head->lost[WALLPROF_LOSS_EXIT_FULL].count, 3);
	KUNIT_EXPECT_EQ(test, head->lost[WALLPROF_LOSS_EXIT_FULL].ns, 3 * (1001 + n));
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/* Single intervals. */

/* Exactly as many as the capacity; the rest is counted, and added to nothing. */
static void wait_exact_capacity(struct kunit *test)
{
	u32 n = *(const u32 *)test->param_value, k, b;
	struct wallprof_half *head;
	struct wallprof_aggr key;
	static struct twin t;

	twin_init(test, &t, 16, 256, n, 100, 0, 0);
	twin_begin(&t, 1);
	head = t.tables.half[1].head;
	for (k = 0; k < n + 3; k++) {
		/* Each field of the key has bytes that no other one has. */
		for (b = 0; b < sizeof(key); b++)
			((u8 *)&key)[b] = k * 7 + b;
		key.runnable = k;
		KUNIT_EXPECT_TRUE_MSG(test, twin_wait(&t, &key, 1000 + k, 5000 + 2 * k),
				      "%u of %u", k, n);
	}
	KUNIT_EXPECT_EQ(test, head->nr_waits, n);
	KUNIT_EXPECT_EQ(test, head->events, n);
	KUNIT_EXPECT_EQ(test, head->nr_aggrs, 0);
	KUNIT_EXPECT_EQ(test, head->waits_full.count, 3);
	KUNIT_EXPECT_EQ(test, head->waits_full.ns, 3 * (1001 + n));
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/* Losses and epochs. */

/* Losses are counted by reason; NO_TASK counts differences modulo 2^64. */
static void lose_by_reason(struct kunit *test)
{
	struct wallprof_half head = {};
	static struct wp_half half;	/* the stack has no room for it */
	int loss;

	half.head = &head;
	for (loss = 0; loss < WALLPROF_LOSS_MAX; loss++) {
		wp_half_lose(&half, loss, 10 + loss);
		wp_half_lose(&half, loss, 100);
	}
	wp_half_lose(&half, WALLPROF_LOSS_NO_TASK, -200ULL);
	for (loss = 0; loss < WALLPROF_LOSS_MAX; loss++) {
		bool more = loss == WALLPROF_LOSS_NO_TASK;

		KUNIT_EXPECT_EQ(test, head.lost[loss].count, more ? 3 : 2);
		KUNIT_EXPECT_EQ(test, head.lost[loss].ns, 110ULL + loss - (more ? 200 : 0));
	}
}

/* A half begins with an empty head; the other half stays. */
static void begin_resets_head(struct kunit *test)
{
	struct wallprof_half empty = { .epoch = 44, .cpu = 9, .stack_words = 1 };
	struct wallprof_half *heads[2], other;
	static struct twin t;

	twin_init(test, &t, 16, 256, 16, 50, 9, 1);
	heads[0] = t.tables.half[0].head;
	heads[1] = t.tables.half[1].head;
	memset(heads[0], 0xff, sizeof(other));
	memset(heads[1], 0xee, sizeof(other));
	other = *heads[1];
	wp_half_begin(&t.tables, 44);
	KUNIT_EXPECT_EQ(test, memcmp(heads[0], &empty, sizeof(empty)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(heads[1], &other, sizeof(other)), 0);
}

/* The same entries go into @epoch as into those before, and all are new. */
static void epoch_again(struct kunit *test, struct twin *t, u32 epoch)
{
	struct wallprof_half *head = wp_half_of(&t->tables, epoch)->head;
	struct wallprof_aggr key = base_key;
	u64 id;
	u32 k;

	KUNIT_EXPECT_TRUE(test, twin_begin(t, epoch));
	for (k = 0; k < 16; k++) {
		ips[3] = k;
		KUNIT_EXPECT_TRUE_MSG(test, twin_intern(t, ips, 4, 0, 0, &id), "epoch %u",
				      epoch);
		KUNIT_EXPECT_EQ(test, WALLPROF_STACK_EPOCH(id), epoch);
		KUNIT_EXPECT_EQ(test, head->nr_stacks, k + 1);
		key.tid = k;
		KUNIT_EXPECT_TRUE_MSG(test, twin_aggr(t, &key, k, epoch), "epoch %u",
				      epoch);
		KUNIT_EXPECT_EQ(test, head->nr_aggrs, k + 1);
	}
	KUNIT_EXPECT_TRUE_MSG(test, twin_agrees(t), "epoch %u", epoch);
}

/* A half sees nothing of its earlier epochs. */
static void epoch_reuse(struct kunit *test)
{
	static struct twin t;
	u32 epoch;

	twin_init(test, &t, 16, 256, 16, 50, 1, 0);
	for (epoch = 1; epoch <= SUITE_ROUNDS(3000) && !suite_failed(test); epoch++) {
		epoch_again(test, &t, epoch);
		cond_resched();
	}
}

/* The first epoch and the last one work, and the jumps between. */
static void epoch_limits(struct kunit *test)
{
	static const u32 epochs[] = {
		1, 2, 3, 1 << 15, (1 << 15) + 1, 1 << 27, (1 << 27) + 1,
		(1 << 27) + 2, WP_EPOCH_MAX - 1, WP_EPOCH_MAX,
	};
	static struct twin t;
	int i;

	KUNIT_EXPECT_EQ(test, WP_EPOCH_MAX, (1U << 28) - 1);
	twin_init(test, &t, 16, 256, 16, 50, 1, 0);
	for (i = 0; i < ARRAY_SIZE(epochs); i++)
		epoch_again(test, &t, epochs[i]);
}

/* Every bit of an epoch distinguishes it: 1 and 1 + 2^bit, in one half. */
static void epoch_every_bit(struct kunit *test)
{
	u32 bit;

	for (bit = 1; bit < 28 && !suite_failed(test); bit++) {
		static struct twin t;

		twin_init(test, &t, 16, 256, 16, 50, 1, 0);
		epoch_again(test, &t, 1);
		epoch_again(test, &t, 1 | 1U << bit);
		twin_free(test, &t);
	}
}

/* The half that is not written stays unchanged for the reader. */
static void epoch_quiet_half_stays(struct kunit *test)
{
	struct wallprof_aggr key = base_key;
	u64 *was[2], id;
	static struct twin t;
	u32 e, k;

	twin_init(test, &t, 32, 256, 16, 50, 1, 0);
	for (k = 0; k < 2; k++)
		was[k] = suite_alloc(test, 64 * sizeof(u64));
	twin_begin(&t, 1);
	for (e = 1; e < SUITE_ROUNDS(200) && !suite_failed(test); e++) {
		struct wp_half *quiet = wp_half_of(&t.tables, e + 1);

		twin_begin(&t, e);
		memcpy(was[0], quiet->aggr_index, 64 * sizeof(u64));
		memcpy(was[1], quiet->stack_index, 64 * sizeof(u64));
		for (k = 0; k < 100; k++) {
			ips[0] = suite_below(60);
			key.tid = suite_below(40);
			twin_intern(&t, ips, 1, 0, 0, &id);
			twin_aggr(&t, &key, suite_below(100), e);
		}
		KUNIT_EXPECT_TRUE_MSG(test, twin_agrees(&t), "epoch %u", e);
		KUNIT_EXPECT_EQ(test, memcmp(was[0], quiet->aggr_index, 64 * sizeof(u64)), 0);
		KUNIT_EXPECT_EQ(test, memcmp(was[1], quiet->stack_index, 64 * sizeof(u64)),
				0);
		cond_resched();
	}
}

/* Random. */

struct sums {
	u64 count, ns;
};

/* Sums of the entries and losses of an epoch. */
static void sums_of_half(const struct wp_half *half, struct sums *sums)
{
	const struct wallprof_half *head = half->head;
	u32 i;

	for (i = 0; i < head->nr_aggrs; i++) {
		sums->count += half->aggrs[i].count;
		sums->ns += half->aggrs[i].total;
	}
	for (i = 0; i < head->nr_waits; i++) {
		sums->count++;
		sums->ns += half->waits[i].end - half->waits[i].begin;
	}
	sums->count += head->lost[WALLPROF_LOSS_AGGR_FULL].count;
	sums->ns += head->lost[WALLPROF_LOSS_AGGR_FULL].ns;
}

static bool random_stack(struct twin *t)
{
	u64 id;
	u32 i;

	for (i = 0; i < WALLPROF_MAX_STACK; i++)
		ips[i] = i;
	ips[0] = suite_below(16);
	ips[2] = suite_below(2);
	i = suite_below(8) ? suite_below(8) : suite_below(128);
	return twin_intern(t, ips, i, suite_below(2), suite_below(2), &id);
}

static bool random_aggr(struct twin *t, u64 value, u32 step, struct sums *in)
{
	struct wallprof_aggr key = base_key;

	field_flip(&key, &fields[suite_below(ARRAY_SIZE(fields))], suite_below(4));
	field_flip(&key, &fields[suite_below(ARRAY_SIZE(fields))], suite_below(4));
	in->count++;
	in->ns += value;
	return twin_aggr(t, &key, value, step - suite_below(10) + 10);
}

/* As a single interval, if there is room; else as the probe does. */
static bool random_wait(struct twin *t, u64 value, u32 step, struct sums *in)
{
	struct wallprof_aggr key = base_key;
	u32 nr = wp_half_of(&t->tables, t->epoch)->head->nr_waits;

	key.tid = step;
	if (!twin_wait(t, &key, value, step))
		return false;
	if (nr == t->sizes.nr_waits)
		return random_aggr(t, value, step, in);
	in->count++;
	in->ns += value;
	return true;
}

static bool random_exit(struct twin *t, u64 value, u32 step)
{
	struct wallprof_task task = { .spill_ns = value, .tid = step };

	return twin_exit(t, &task);
}

static void random_tables(struct kunit *test, u32 nr_aggrs, u32 stack_words,
			  u32 nr_exits)
{
	struct sums in = {}, out = {};
	u32 step;
	static struct twin t;

	twin_init(test, &t, nr_aggrs, stack_words, nr_exits, 1 + suite_below(100),
		  suite_below(1 << 14), suite_below(2));
	twin_begin(&t, 1);
	for (step = 0; step < 4000 && !suite_failed(test); step++) {
		u64 value = suite_random() >> 20;
		bool good = true;

		switch (suite_below(100)) {
		case 0:
			sums_of_half(wp_half_of(&t.tables, t.epoch), &out);
			KUNIT_EXPECT_EQ(test, out.count, in.count);
			KUNIT_EXPECT_EQ(test, out.ns, in.ns);
			good = twin_agrees(&t);
			good &= twin_begin(&t, t.epoch + 1 + 2 * !suite_below(4));
			break;
		case 1 ... 39:
			good = random_stack(&t);
			break;
		case 40 ... 90:
			good = random_aggr(&t, value, step, &in);
			break;
		case 91 ... 94:
			good = random_wait(&t, value, step, &in);
			break;
		default:
			good = random_exit(&t, value, step);
		}
		KUNIT_EXPECT_TRUE_MSG(test, good, "step %u", step);
	}
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
	twin_free(test, &t);
	cond_resched();
}

/* The tables agree with the reference; sums and losses are what was put in. */
static void random_model(struct kunit *test)
{
	int i;

	for (i = 0; i < SUITE_ROUNDS(60) && !suite_failed(test); i++) {
		u32 aggrs = 16 + suite_below(48);
		u32 words = 256 + suite_below(3) * suite_below(400);

		random_tables(test, aggrs, words, suite_below(2) * suite_below(20));
	}
}

/* The same with large tables. */
static void random_model_large(struct kunit *test)
{
	int i;

	for (i = 0; i < SUITE_ROUNDS(10) && !suite_failed(test); i++)
		random_tables(test, 256 + suite_below(256), 1024 + suite_below(4096), 64);
}

static struct kunit_case tables_cases[] = {
	KUNIT_CASE_PARAM(exit_exact_capacity, exit_capacity_gen_params),
	KUNIT_CASE_PARAM(wait_exact_capacity, exit_capacity_gen_params),
	KUNIT_CASE(lose_by_reason),
	KUNIT_CASE(begin_resets_head),
	KUNIT_CASE(epoch_reuse),
	KUNIT_CASE(epoch_limits),
	KUNIT_CASE(epoch_every_bit),
	KUNIT_CASE(epoch_quiet_half_stays),
	KUNIT_CASE(random_model),
	KUNIT_CASE(random_model_large),
	{}
};

static struct kunit_suite tables_suite = {
	.name = "wallprof_tables",
	.init = tables_init,
	.test_cases = tables_cases,
};

kunit_test_suite(tables_suite);
