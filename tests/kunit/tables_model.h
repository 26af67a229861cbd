/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The epoch tables and a reference of them, side by side: lists that are
 * searched from their beginning. Used by tables.c, table_*.c and the fuzzer.
 *
 * Every operation is done to both and returns whether they agree. Each part of a
 * half is memory of its own, so that KASAN or ASan sees an access beyond its end.
 *
 * The reference does not have the hash, so it does not know where a search of an
 * index gives up; but no search can as long as there are fewer entries than
 * TWIN_PROBES.
 */
#ifndef WALLPROF_KUNIT_TABLES_MODEL_H
#define WALLPROF_KUNIT_TABLES_MODEL_H

#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/tables.h"
#include "suite.h"

#define TWIN_PROBES 64
#define TWIN_PAGE 4096

/* Too large for a kernel stack: cases have theirs in static memory. */
struct twin {
	struct wp_table_sizes sizes;
	struct wp_tables tables;
	struct wp_half model[2];	/* without the indexes */
	u32 epoch;
};

static inline void twin_init(struct kunit *test, struct twin *t, u32 nr_aggrs,
			     u32 stack_words, u32 nr_exits, u32 watermark, u32 cpu,
			     u32 context)
{
	int i;

	memset(t, 0, sizeof(*t));
	/* As many single intervals as ended threads. */
	wp_sizes_set(&t->sizes, nr_aggrs, stack_words, nr_exits, nr_exits, true,
		     watermark, TWIN_PAGE);
	wp_tables_set(&t->tables, cpu, context);
	for (i = 0; i < 4; i++) {
		struct wp_half *half = i < 2 ? &t->tables.half[i] : &t->model[i - 2];

		half->head = suite_alloc(test, sizeof(*half->head));
		half->aggrs = suite_alloc(test, nr_aggrs * sizeof(*half->aggrs));
		half->stacks = suite_alloc(test, stack_words * sizeof(*half->stacks));
		half->exits = suite_alloc(test, nr_exits * sizeof(*half->exits));
		half->waits = suite_alloc(test, nr_exits * sizeof(*half->waits));
		half->hists = suite_alloc(test, nr_aggrs * sizeof(*half->hists));
		if (i >= 2)
			continue;
		half->sizes = &t->sizes;
		half->aggr_index = suite_alloc(test, (t->sizes.aggr_mask + 1ULL) *
						     sizeof(u64));
		half->stack_index = suite_alloc(test, (t->sizes.stack_mask + 1ULL) *
						      sizeof(u64));
	}
}

/* For a case that uses many; the last one is freed when the case ends. */
static inline void twin_free(struct kunit *test, struct twin *t)
{
	int i;

	for (i = 0; i < 4; i++) {
		struct wp_half *half = i < 2 ? &t->tables.half[i] : &t->model[i - 2];

		suite_free(test, half->head);
		suite_free(test, half->aggrs);
		suite_free(test, half->stacks);
		suite_free(test, half->exits);
		suite_free(test, half->waits);
		suite_free(test, half->hists);
		if (i >= 2)
			continue;
		suite_free(test, half->aggr_index);
		suite_free(test, half->stack_index);
	}
}

/* Whether a half's head and all its entries in use are the reference's. */
static inline bool twin_half_agrees(const struct twin *t, int i)
{
	const struct wp_half *half = &t->tables.half[i], *model = &t->model[i];
	const struct wallprof_half *head = model->head;
	bool above = head->nr_aggrs >= t->sizes.aggr_watermark ||
		     head->stack_words >= t->sizes.stack_watermark ||
		     head->nr_exits >= t->sizes.exit_watermark ||
		     head->nr_waits >= t->sizes.wait_watermark;

	return !memcmp(half->head, head, sizeof(*head)) &&
	       !memcmp(half->aggrs, model->aggrs,
		       head->nr_aggrs * sizeof(*model->aggrs)) &&
	       !memcmp(half->stacks, model->stacks, head->stack_words * sizeof(u64)) &&
	       !memcmp(half->exits, model->exits,
		       head->nr_exits * sizeof(*model->exits)) &&
	       !memcmp(half->waits, model->waits,
		       head->nr_waits * sizeof(*model->waits)) &&
	       !memcmp(half->hists, model->hists,
		       head->nr_aggrs * sizeof(*model->hists)) &&
	       wp_half_above_watermark(half) == above;
}

static inline bool twin_agrees(const struct twin *t)
{
	return twin_half_agrees(t, 0) && twin_half_agrees(t, 1);
}

static inline bool twin_begin(struct twin *t, u32 epoch)
{
	struct wallprof_half *head = t->model[epoch % 2].head;

	wp_half_begin(&t->tables, epoch);
	memset(head, 0, sizeof(*head));
	head->epoch = epoch;
	head->cpu = t->tables.cpu;
	head->stack_words = 1;
	t->epoch = epoch;
	return twin_half_agrees(t, epoch % 2);
}

static inline u64 twin_id(const struct twin *t, u32 index)
{
	return ((t->epoch * (1ULL << 14) + t->tables.cpu) * 2 +
		t->tables.context) * (1ULL << 21) + index;
}

static inline bool twin_intern(struct twin *t, const u64 *ips, unsigned int nr,
			       u8 unwind, u8 flags, u64 *id)
{
	struct wp_half *model = &t->model[t->epoch % 2];
	struct wallprof_half *head = model->head;
	struct wallprof_stack new = { .nr = nr, .unwind = unwind, .flags = flags };
	bool room = nr + 1 <= t->sizes.stack_words - head->stack_words &&
		    head->nr_stacks <= t->sizes.stack_mask;
	u32 at = 1;

	*id = wp_stack_intern(&t->tables, t->epoch, ips, nr, unwind, flags);
	while (at < head->stack_words) {
		struct wallprof_stack *stack = (void *)&model->stacks[at];

		if (!memcmp(stack, &new, sizeof(new)) &&
		    !memcmp(stack->ips, ips, nr * sizeof(u64)))
			break;
		at += 1 + stack->nr;
	}
	if (at < head->stack_words) {
		/* An entry may be out of a search's reach: see above. */
		if (*id || head->nr_stacks < TWIN_PROBES)
			return *id == twin_id(t, at);
		room = false;
	}
	if (!*id && room && head->nr_stacks >= TWIN_PROBES)
		room = false;
	if (!room) {
		head->lost[WALLPROF_LOSS_STACK_FULL].count++;
		return !*id;
	}
	memcpy(&model->stacks[at], &new, sizeof(new));
	memcpy(&model->stacks[at + 1], ips, nr * sizeof(u64));
	head->stack_words += 1 + nr;
	head->nr_stacks++;
	return *id == twin_id(t, at);
}

/* A part of an interval, in the bucket whose limits, in us, are around it. */
static inline void twin_count(u32 *buckets, u64 ns)
{
	int nr = 0;

	while (nr < WALLPROF_HIST_BUCKETS - 1 && ns >= 1000ULL << nr)
		nr++;
	if (ns && buckets[nr] < U32_MAX)
		buckets[nr]++;
}

/* Adds to an aggregate if it is found where it was last. */
static inline bool twin_again(struct wp_tables *tables, struct wp_half *half,
			      const struct wallprof_aggr *key, u64 value, u64 time)
{
	struct wallprof_aggr *aggr = wp_aggr_guess(tables, half, key->tid, key->user_stack);

	if (!aggr || !wp_aggr_same(aggr, key))
		return false;
	wp_aggr_add_recent(half->head, aggr, value, key->runnable, time);
	return true;
}

/* Counts an interval in the histogram of the aggregate that it was just added to. */
static inline void twin_hist(struct twin *t, const struct wallprof_aggr *key, u64 value)
{
	struct wp_half *half = wp_half_of(&t->tables, t->epoch);
	struct wallprof_aggr *aggr = wp_aggr_guess(&t->tables, half, key->tid, key->user_stack);

	wp_hist_add(wp_hist_of(half, aggr), value, key->runnable);
}

static inline bool twin_aggr(struct twin *t, const struct wallprof_aggr *key,
			     u64 value, u64 time)
{
	struct wp_half *model = &t->model[t->epoch % 2];
	struct wallprof_half *head = model->head;
	size_t bytes = offsetof(struct wallprof_aggr, count);
	/* With or without the guess of where the aggregate was last, as in the probe. */
	bool added = (suite_below(2) &&
		      twin_again(&t->tables, wp_half_of(&t->tables, t->epoch), key,
				 value, time)) ||
		     wp_aggr_add(&t->tables, t->epoch, key, value, time);
	bool room = head->nr_aggrs < t->sizes.nr_aggrs;
	struct wallprof_aggr *aggr;
	u32 i;

	head->events++;
	for (i = 0; i < head->nr_aggrs; i++) {
		if (!memcmp(&model->aggrs[i], key, bytes))
			break;
	}
	if (!added && head->nr_aggrs >= TWIN_PROBES)
		room = false;
	else if (i < head->nr_aggrs)
		room = true;
	if (!room) {
		head->lost[WALLPROF_LOSS_AGGR_FULL].count++;
		head->lost[WALLPROF_LOSS_AGGR_FULL].ns += value;
		return !added;
	}
	aggr = &model->aggrs[i];
	if (i == head->nr_aggrs) {
		memcpy(aggr, key, bytes);
		memset((char *)aggr + bytes, 0, sizeof(*aggr) - bytes);
		memset(&model->hists[i], 0, sizeof(model->hists[i]));
		aggr->min = value;
		aggr->first = time;
		head->nr_aggrs++;
	}
	aggr->count++;
	aggr->total += value;
	aggr->min = value < aggr->min ? value : aggr->min;
	aggr->max = value > aggr->max ? value : aggr->max;
	aggr->last = time > aggr->last ? time : aggr->last;
	aggr->runnable += key->runnable;
	if (aggr->runnable_max < key->runnable)
		aggr->runnable_max = key->runnable;
	if (aggr->blocked_max < value - key->runnable)
		aggr->blocked_max = value - key->runnable;
	if (added)
		twin_hist(t, key, value);
	twin_count(model->hists[i].blocked, value - key->runnable);
	twin_count(model->hists[i].runnable, key->runnable);
	return added;
}

static inline bool twin_exit(struct twin *t, const struct wallprof_task *task)
{
	struct wp_half *model = &t->model[t->epoch % 2];
	struct wallprof_half *head = model->head;
	bool added = wp_exit_add(&t->tables, t->epoch, task);

	if (head->nr_exits == t->sizes.nr_exits) {
		head->lost[WALLPROF_LOSS_EXIT_FULL].count++;
		head->lost[WALLPROF_LOSS_EXIT_FULL].ns += task->spill_ns;
		return !added;
	}
	model->exits[head->nr_exits++] = *task;
	return added;
}

static inline bool twin_wait(struct twin *t, const struct wallprof_aggr *key,
			     u64 ns, u64 now)
{
	struct wp_half *model = &t->model[t->epoch % 2];
	struct wallprof_half *head = model->head;
	const u64 more[2] = { now * 3, ~ns };
	bool added = wp_wait_add(&t->tables, t->epoch, key, more, ns, now);
	struct wallprof_wait *wait;

	if (head->nr_waits == t->sizes.nr_waits) {
		head->waits_full.count++;
		head->waits_full.ns += ns;
		return !added;
	}
	wait = &model->waits[head->nr_waits++];
	memset(wait, 0, sizeof(*wait));
	/* The key is the same, at the same offsets. */
	memcpy(wait, key, offsetof(struct wallprof_aggr, count));
	wait->begin = now - ns;
	wait->end = now;
	wait->runnable = key->runnable;
	wait->arg2 = more[0];
	wait->arg3 = more[1];
	if (added)
		wp_wait_chain(&t->tables, t->epoch, ~now);
	wait->waker_aggr = ~now;
	head->events++;
	return added;
}

#endif /* WALLPROF_KUNIT_TABLES_MODEL_H */
