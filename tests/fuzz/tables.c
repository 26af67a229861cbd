// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/tables.c: the input is a program of stacks, aggregates, single
 * intervals, ended threads and flips. After each step the tables must agree with the
 * reference, and at the end the records and losses must be what was put in.
 *
 * Input: four bytes of capacities, then operations, each a byte and its arguments; what
 * the input lacks is 0.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tables_model.h"

static const uint8_t *data;
static size_t left;

static u64 take(int bytes)
{
	u64 value = 0;

	for (; bytes && left; bytes--, left--)
		value = value << 8 | *data++;
	return value;
}

static void must(bool good)
{
	if (!good)
		abort();
}

/* Half of all words are small, so that stacks come again. */
static u64 take_word(void)
{
	u64 kind = take(1);

	return kind < 128 ? kind : kind < 160 ? take(8) : kind < 192 ? -kind : kind << 32;
}

static void do_stack(struct twin *t)
{
	u64 ips[WALLPROF_MAX_STACK] = {}, shape = take(1), id;
	unsigned int nr = shape & 128 ? (shape & 127) % 128 : shape & 7, i;
	u8 kinds = take(1);

	for (i = 0; i < nr && i < 4; i++)
		ips[i] = take_word();
	if (nr > 4)
		ips[nr - 1] = take(1);
	must(twin_intern(t, ips, nr, kinds & 7, kinds >> 3 & 15, &id));
	must(!id || (WALLPROF_STACK_EPOCH(id) == t->epoch &&
		     WALLPROF_STACK_CPU(id) == t->tables.cpu &&
		     WALLPROF_STACK_CONTEXT(id) == t->tables.context &&
		     WALLPROF_STACK_INDEX(id) > 0 &&
		     WALLPROF_STACK_INDEX(id) < t->sizes.stack_words));
}

/* Adds an interval; if @single, as a single one if there is room. */
static void do_aggr(struct twin *t, bool single, u64 *count, u64 *ns)
{
	u8 fields = take(1);
	struct wallprof_aggr key = {
		.tid = fields & 1 ? take_word() : 1,
		.tgid = fields & 2 ? take_word() : 1,
		.start_time = fields & 4 ? take_word() : 1,
		.exec_id = fields & 8 ? take_word() : 1,
		.kind = fields & 16 ? take(1) : 0,
		.state = fields & 32 ? take(1) : 0,
		.flags = fields & 64 ? take(2) : 0,
		.user_stack = fields & 128 ? take_word() : 1,
		.kernel_stack = fields & 128 ? take_word() : 1,
		.waker_tid = fields & 1 ? take(1) : 1,
		.syscall = fields & 2 ? take(2) : 1,
		.reason = fields & 4 ? take(1) : 0,
		.waker = fields & 8 ? take(1) : 0,
		.arg = fields & 16 ? take_word() : 1,
		.waker_stack = fields & 32 ? take_word() : 1,
	};
	u64 value = take_word(), time = take_word();

	key.runnable = take(1) & 1 ? value : value / 3;
	*count += 1;
	*ns += value;
	if (single) {
		u32 nr = t->model[t->epoch % 2].head->nr_waits;

		must(twin_wait(t, &key, value, time));
		if (nr < t->sizes.nr_waits)
			return;
	}
	must(twin_aggr(t, &key, value, time));
}

static void do_exit(struct twin *t)
{
	struct wallprof_task task = { .tid = take(1), .spill_ns = take_word() };

	must(twin_exit(t, &task));
}

/* Entries and losses of an epoch are what was put into it. */
static void do_end(struct twin *t, u64 *count, u64 *ns)
{
	struct wp_half *half = wp_half_of(&t->tables, t->epoch);
	u32 i;

	*count -= half->head->lost[WALLPROF_LOSS_AGGR_FULL].count;
	*ns -= half->head->lost[WALLPROF_LOSS_AGGR_FULL].ns;
	for (i = 0; i < half->head->nr_aggrs; i++) {
		*count -= half->aggrs[i].count;
		*ns -= half->aggrs[i].total;
	}
	for (i = 0; i < half->head->nr_waits; i++) {
		*count -= 1;
		*ns -= half->waits[i].end - half->waits[i].begin;
	}
	must(!*count && !*ns);
	must(twin_agrees(t));
}

static void do_flip(struct twin *t, u32 epoch, u64 *count, u64 *ns)
{
	if (epoch <= t->epoch || epoch > WP_EPOCH_MAX)
		return;
	do_end(t, count, ns);
	must(twin_begin(t, epoch));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static const u32 cpus[] = { 0, 1, 255, (1 << WALLPROF_STACK_CPU_BITS) - 1 };
	u64 count = 0, ns = 0;
	struct kunit test;
	struct twin t;
	u8 shape;

	data = input;
	left = size;
	shape = take(1);
	kunit_init_test(&test, "tables", NULL);
	twin_init(&test, &t, WALLPROF_MIN_AGGRS + take(1) % 48,
		  WALLPROF_MIN_STACK_WORDS + take(1) * 2, take(1) % 20,
		  1 + shape % 100, cpus[shape & 3], shape >> 2 & 1);
	must(twin_begin(&t, 1));
	while (left) {
		u8 op = take(1);

		if (op < 110)
			do_stack(&t);
		else if (op < 230)
			do_aggr(&t, op >= 220, &count, &ns);
		else if (op < 245)
			do_exit(&t);
		else if (op < 254)
			do_flip(&t, t.epoch + 1, &count, &ns);
		else
			do_flip(&t, t.epoch + take(4) % WP_EPOCH_MAX, &count, &ns);
	}
	do_end(&t, &count, &ns);
	kunit_cleanup(&test);
	return 0;
}
