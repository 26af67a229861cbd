/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reference of the switch cache: threads that leave and come, each with the slot that it
 * would have without the cache. Used by switch_cache.c and by the fuzzer.
 *
 * Switch keys are made up, instead of read from threads.
 */
#ifndef WALLPROF_KUNIT_SWITCH_CACHE_MODEL_H
#define WALLPROF_KUNIT_SWITCH_CACHE_MODEL_H

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/* Instead of module/switch_key.h. */
#define WALLPROF_SWITCH_KEY_H

#define WP_SWITCH_PREEMPTED	BIT(31)
#define WP_SWITCH_WAKES		(BIT(30) | SWITCH_CACHE_WAKES_APART)
#define SWITCH_CACHE_WAKES_APART	BIT(9)	/* of addresses that share a place with it */

struct wp_switch_key {
	u64 ip;
	u64 sp;
	u64 fp;
	u64 arg;
	u64 changes;
	int nr;
	u32 state;
	u32 exec_id;
	u32 odd;
	u32 epoch;	/* no part of it: a flip changes @changes, too */
};

#define wp_switch_key_ip(skey)		((skey)->ip)
#define wp_switch_key_sp(skey)		((skey)->sp)
#define wp_switch_key_fp(skey)		((skey)->fp)
#define wp_switch_key_arg(skey)		((skey)->arg)
#define wp_switch_key_nr(skey)		((skey)->nr)
/* Of this call, some arguments have entries of their own, and some share an entry. */
#define SWITCH_CACHE_FUTEX		8
#define wp_switch_key_object(skey)	((skey)->nr == SWITCH_CACHE_FUTEX ? (skey)->arg & ~3ULL : 0)
#define wp_switch_key_exec_id(skey)	((skey)->exec_id)
#define wp_switch_key_is_uncacheable(skey)	(!!(skey)->odd)

#include "pure/switch_cache.h"
#include "pure/tables.h"

static const struct wp_switch_key switch_cache_usual = {
	.ip = 0x401000, .sp = 0x7ffd0000, .fp = 0x7ffd1000, .arg = 3, .changes = 5, .nr = 7,
	.state = TASK_INTERRUPTIBLE, .exec_id = 9, .epoch = 2,
};

/*
 * What is recorded of a thread that leaves: by all that decides it but the stack's words.
 */
static inline struct wp_leave switch_cache_recorded(const struct wp_switch_key *skey, bool by_fp)
{
	struct wp_leave leave = {
		.state = skey->state == TASK_INTERRUPTIBLE ? WALLPROF_STATE_SLEEPING :
							    WALLPROF_STATE_DISK,
		.reason = WALLPROF_REASON_SYSCALL,
		.syscall = skey->nr,
		.arg = skey->arg,
	};

	leave.user_stack = (u64)skey->epoch << 36 |
			   ((skey->ip * 3 + skey->sp * 5 + (by_fp ? skey->fp * 7 : 0) +
			     skey->changes * 11 + skey->exec_id * 13 + skey->nr * 17) & 0xfffff);
	if (skey->state & WP_SWITCH_PREEMPTED) {
		leave.state = WALLPROF_STATE_PREEMPTED;
		leave.reason = WALLPROF_REASON_PREEMPTED;
		leave.syscall = WALLPROF_SYSCALL_NONE;
		leave.arg = 0;
	}
	if (skey->odd)
		leave.flags = WALLPROF_TASK_IOWAIT;
	else if (by_fp)
		leave.flags = WALLPROF_TASK_WEAK_STACK;
	return leave;
}

/* The cached stack. */
static inline struct wp_cached_stack switch_cache_stack(bool by_fp,
							const struct wp_switch_key *skey)
{
	return (struct wp_cached_stack){
		.begin = 100, .nr = 6, .stop = WALLPROF_UNWIND_END, .by_fp = by_fp,
		.fp = skey->fp, .flags = by_fp ? WALLPROF_STACK_BY_FP : 0,
	};
}

/*
 * Does what the probe does when a thread leaves. @came: the entry by which it came, or
 * &wp_switch_cache.none. Returns the entry by which it leaves, or NULL.
 */
static inline struct wp_cached_switch *switch_cache_leave(struct wp_switch_cache *cache,
							  struct wp_cached_switch *came,
							  struct wallprof_task *slot,
							  unsigned long key,
							  const struct wp_thread *thread,
							  const struct wp_switch_key *skey,
							  bool by_fp,
							  struct wp_half *half, u64 now)
{
	struct wp_leave leave = switch_cache_recorded(skey, by_fp);
	struct wp_cached_switch *cached = wp_cached_of(cache, slot, skey);
	struct wp_cached_stack old = switch_cache_stack(by_fp, skey);

	if (wp_cached_matches_key(came, skey)) {
		wp_cached_leave(came, slot, now);
		return came;
	}
	if (wp_cached_matches(cached, slot, skey)) {
		wp_cached_apply(cache, cached, slot);
		wp_cached_leave(cached, slot, now);
		return cached;
	}
	wp_interval_open(slot, thread, &leave, now);
	if (skey->odd || skey->nr < 0)
		return NULL;
	if (!wp_cached_begin(cache, cached, slot, key, skey, &leave))
		return NULL;
	wp_cached_set_stack(cached, &old, half);
	wp_cached_learn(cache, cached, slot, skey);
	return NULL;
}

/*
 * Id of the record of a waker's stacks: by all that decides it but the stack's words. The
 * thread's birth stands for its process id.
 */
static inline u64 switch_cache_record(const struct wp_switch_key *skey, bool by_fp,
				      const struct wp_thread *thread)
{
	u64 stack = switch_cache_recorded(skey, by_fp).user_stack;

	return (stack ^ ((thread->start_time * 29) & 0xfffff)) | BIT(20);
}

/*
 * Does what the probe does when a thread wakes another one: @id is the record's. Returns the
 * entry by which it does, or NULL.
 */
static inline struct wp_cached_switch *switch_cache_wake(struct wp_switch_cache *cache,
							 struct wallprof_task *slot,
							 unsigned long key,
							 const struct wp_thread *thread,
							 const struct wp_switch_key *skey,
							 bool by_fp, struct wp_half *half,
							 u64 *id)
{
	struct wp_leave leave = switch_cache_recorded(skey, by_fp);
	struct wp_cached_switch *cached = wp_cached_of_waker(cache, slot, skey);
	struct wp_cached_stack old = switch_cache_stack(by_fp, skey);

	if (wp_cached_wakes(cached, slot, skey)) {
		*id = wp_cached_wake(cached);
		return cached;
	}
	*id = switch_cache_record(skey, by_fp, thread);
	if (skey->odd || skey->nr < 0)
		return NULL;
	if (wp_cached_begin(cache, cached, slot, key, skey, &leave)) {
		wp_cached_set_stack(cached, &old, half);
		wp_cached_learn_waker(cached, skey, *id);
	}
	return NULL;
}

static inline void switch_cache_come(struct wallprof_task *slot, u64 now)
{
	struct wp_interval interval;

	wp_interval_close(slot, now, &interval);
	wp_interval_forget(slot);
}

#define SWITCH_CACHE_CPUS	2
#define SWITCH_CACHE_THREADS	3
#define SWITCH_CACHE_AGGRS	256	/* of an epoch */

/**
 * struct switch_cache_sums - aggregates
 * @aggrs: in this epoch and in the one before
 * @hists: their histograms; the halves are as far apart in no other array
 * @nr: number of aggregates in each
 */
struct switch_cache_sums {
	struct wallprof_aggr aggrs[2][SWITCH_CACHE_AGGRS];
	struct wallprof_hist hists[2][SWITCH_CACHE_AGGRS + 1];
	unsigned int nr[2];
};

/**
 * struct switch_cache_model - threads on some CPUs
 * @caches: of each CPU: the switch cache under test
 * @current_nr: the thread that runs there; -1: none
 * @came: the entry by which it came
 * @slots: of each thread, as the probe leaves them
 * @slow: the same without the cache
 * @threads: the identity of each now
 * @keys: the key of each; two share one place in the index of threads away
 * @tables: two halves, in turn
 * @head: of each
 * @sums: aggregates of the intervals
 * @plain_sums: the same without the cache
 * @summed: number of intervals that were added in each half by the cache
 * @changes: of the mappings, and of the epoch
 * @epoch: the current one
 * @flipping: a flip has begun, and @changes is not counted up yet
 * @now: the time
 * @births: number of births
 * @left_again: number of times that a thread left by an entry
 * @came_again: number of intervals that were added to the cached aggregate
 * @woke_again: number of wakeups by an entry
 * @mixed: number of both of whose stacks frames were found by frame pointer
 */
struct switch_cache_model {
	struct wp_switch_cache caches[SWITCH_CACHE_CPUS];
	int current_nr[SWITCH_CACHE_CPUS];
	struct wp_cached_switch *came[SWITCH_CACHE_CPUS];
	struct wallprof_task slots[SWITCH_CACHE_THREADS], slow[SWITCH_CACHE_THREADS];
	struct wp_thread threads[SWITCH_CACHE_THREADS];
	unsigned long keys[SWITCH_CACHE_THREADS];
	struct wp_tables tables;
	struct wallprof_half head[2];
	struct switch_cache_sums sums, plain_sums;
	unsigned int summed[2];
	u64 changes;
	u32 epoch;
	bool flipping;
	u64 now;
	u64 births;
	unsigned int left_again, came_again, woke_again, mixed;
};

/**
 * struct switch_cache_step - a step of a thread: it leaves, or comes if it has left
 * @who: the thread
 * @event: what happens before: enum switch_cache_event, or nothing
 * @how: how it, or the thread that runs where it comes to, leaves: bits of what differs
 *	from the usual key
 * @cpu: the CPU: bit 0; while the thread is away: bit 1: it is woken, 2: by another
 *	waker, 3: its stack is found; bit 3, too: the waker of SWITCH_CACHE_WAKES is elsewhere
 */
struct switch_cache_step {
	u8 who;
	u8 event;
	u8 how;
	u8 cpu;
};

enum switch_cache_event {
	SWITCH_CACHE_FLIP = 1,
	SWITCH_CACHE_BORN,
	SWITCH_CACHE_EXEC,
	SWITCH_CACHE_MAP,
	SWITCH_CACHE_FLIP_BEGINS,	/* the next SWITCH_CACHE_FLIP counts @changes up */
	SWITCH_CACHE_WAKES,		/* the thread that leaves next wakes another one */
	SWITCH_CACHE_EVENTS,
};

/* Leaves a CPU without a thread. */
static inline void switch_cache_model_vacate(struct switch_cache_model *m, unsigned int cpu)
{
	m->current_nr[cpu] = -1;
	m->came[cpu] = &m->caches[cpu].none;
}

/* @m: zeroes. */
static inline void switch_cache_model_set(struct switch_cache_model *m)
{
	unsigned long key;
	unsigned int i;

	for (i = 0; i < SWITCH_CACHE_CPUS; i++) {
		wp_switch_cache_init(&m->caches[i]);
		switch_cache_model_vacate(m, i);
	}
	for (i = 0; i < 2; i++) {
		m->tables.half[i].head = &m->head[i];
		m->tables.half[i].aggrs = m->sums.aggrs[i];
		m->tables.half[i].hists = m->sums.hists[i];
	}
	m->keys[0] = 1 << 12;
	m->keys[1] = 2 << 12;
	for (key = 3 << 12; wp_cached_away(m->caches, key) != wp_cached_away(m->caches, 1 << 12);)
		key += 1 << 12;
	m->keys[2] = key;
	m->epoch = 1;
	m->changes = 1;
}

/* Adds an interval. Returns its aggregate; NULL if there is no room. */
static inline struct wallprof_aggr *switch_cache_model_add(struct switch_cache_sums *sums,
							   u32 epoch,
							   const struct wallprof_aggr *key,
							   u64 ns, u64 now)
{
	struct wallprof_aggr *aggrs = sums->aggrs[epoch % 2];
	unsigned int *nr = &sums->nr[epoch % 2], i;

	for (i = 0; i < *nr; i++)
		if (wp_aggr_same(&aggrs[i], key))
			break;
	if (i == SWITCH_CACHE_AGGRS)
		return NULL;
	if (i == *nr) {
		aggrs[(*nr)++] = *key;
		aggrs[i].runnable = 0;
		aggrs[i].min = U64_MAX;
		memset(&sums->hists[epoch % 2][i], 0, sizeof(sums->hists[0][i]));
	}
	wp_aggr_sum(&aggrs[i], ns, key->runnable, now);
	wp_hist_add(&sums->hists[epoch % 2][i], ns, key->runnable);
	return &aggrs[i];
}

static inline void switch_cache_model_flip_begins(struct switch_cache_model *m)
{
	if (m->flipping)
		return;
	m->flipping = true;
	m->epoch++;
	m->sums.nr[m->epoch % 2] = 0;
	m->plain_sums.nr[m->epoch % 2] = 0;
}

/* Returns whether the last epoch's half has the counts of its intervals, and no more. */
static inline bool switch_cache_model_flip(struct switch_cache_model *m)
{
	unsigned int last;

	switch_cache_model_flip_begins(m);
	last = !(m->epoch % 2);
	m->flipping = false;
	m->changes++;
	wp_half_settle(&m->tables.half[last]);
	return m->head[last].events == m->summed[last];
}

/* The epoch in whose half an entry counts. */
static inline u32 switch_cache_model_epoch_of(const struct switch_cache_model *m,
					      const struct wp_cached_switch *cached)
{
	return m->epoch - !wp_cache_hits_are_in(cached->hits, &m->tables.half[m->epoch % 2]);
}

/* The ids are used again, and in the same slot. */
static inline void switch_cache_model_birth(struct switch_cache_model *m, unsigned int who)
{
	unsigned int cpu;

	for (cpu = 0; cpu < SWITCH_CACHE_CPUS; cpu++)
		if (m->current_nr[cpu] == (int)who)
			switch_cache_model_vacate(m, cpu);
	m->births++;
	m->threads[who] = (struct wp_thread){
		.start_time = m->births, .tid = 100 + m->births % 2, .tgid = 100,
		.exec_id = 9,
	};
	/* Before the address is used again, some time has passed. */
	m->now = max(m->now, m->slots[who].since) + 1;
	wp_interval_begin(&m->slots[who], &m->threads[who], WALLPROF_TASK_RUNNING,
			  WALLPROF_STATE_RUNNING, m->now);
	m->slow[who] = m->slots[who];
}

/* How a thread leaves, or wakes, in a step; without the state. */
static inline struct wp_switch_key switch_cache_model_key(const struct switch_cache_model *m,
							  unsigned int who,
							  const struct switch_cache_step *s)
{
	struct wp_switch_key skey = switch_cache_usual;

	/* Keys that share one place, too: see wp_cached_of(). */
	skey.ip += 4 * (s->how & 1);
	skey.nr += s->how >> 1 & 1;
	skey.sp += 8 * (s->how >> 2 & 1);
	skey.fp += 8 * (s->how >> 3 & 1);
	skey.arg += s->how >> 4 & 1;
	skey.odd = s->how >> 5 & 1;
	skey.changes = m->changes;
	skey.epoch = m->epoch;
	skey.exec_id = m->threads[who].exec_id;
	return skey;
}

/*
 * The thread that runs on a CPU wakes another one. Returns whether the record is the one that
 * it has without the cache.
 */
static inline bool switch_cache_model_wake(struct switch_cache_model *m, unsigned int cpu,
					   const struct switch_cache_step *s)
{
	unsigned int who = m->current_nr[cpu];
	struct wp_switch_key skey = switch_cache_model_key(m, who, s);
	struct wp_cached_switch *cached;
	bool by_fp = s->how & 1;
	u64 id;

	skey.state = WP_SWITCH_WAKES;
	skey.ip += s->cpu & 8 ? SWITCH_CACHE_WAKES_APART : 0;
	cached = switch_cache_wake(&m->caches[cpu], &m->slots[who], m->keys[who], &m->threads[who],
				   &skey, by_fp, &m->tables.half[m->epoch % 2], &id);
	if (cached) {
		m->woke_again++;
		m->mixed += by_fp;
		skey.epoch = switch_cache_model_epoch_of(m, cached);
	}
	return id == switch_cache_record(&skey, by_fp, &m->threads[who]);
}

/* The thread that runs on a CPU leaves it. */
static inline void switch_cache_model_leave(struct switch_cache_model *m, unsigned int cpu,
					    const struct switch_cache_step *s)
{
	unsigned int who = m->current_nr[cpu];
	struct wp_switch_key skey = switch_cache_model_key(m, who, s);
	struct wp_cached_switch *cached;
	bool by_fp = s->how & 1;
	struct wp_leave leave;

	if (s->how >> 6 & 1)
		skey.state = s->how >> 7 ? TASK_UNINTERRUPTIBLE : WP_SWITCH_PREEMPTED;
	cached = switch_cache_leave(&m->caches[cpu], m->came[cpu], &m->slots[who], m->keys[who],
				    &m->threads[who], &skey, by_fp, &m->tables.half[m->epoch % 2],
				    m->now);
	if (cached) {
		m->left_again++;
		m->mixed += by_fp;
		skey.epoch = switch_cache_model_epoch_of(m, cached);
	}
	leave = switch_cache_recorded(&skey, by_fp);
	wp_interval_open(&m->slow[who], &m->threads[who], &leave, m->now);
	switch_cache_model_vacate(m, cpu);
}

/* A thread is woken; or its stack is found while it is blocked. */
static inline void switch_cache_model_meanwhile(struct switch_cache_model *m,
						const struct switch_cache_step *s)
{
	struct wallprof_task *slots[] = { &m->slots[s->who], &m->slow[s->who] };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		if (s->cpu & 2)
			wp_interval_wake(slots[i], WALLPROF_WAKER_TASK,
					 40 + (s->cpu >> 2 & 1),
					 (u64)m->epoch << 36 | (1 + (s->how & 1)), m->now);
		if (s->cpu & 8 && slots[i]->flags & WALLPROF_TASK_WEAK_STACK) {
			slots[i]->user_stack = (u64)m->epoch << 36 | BIT(20);
			slots[i]->flags &= ~WALLPROF_TASK_WEAK_STACK;
		}
	}
}

/* The histogram of an aggregate. */
static inline const struct wallprof_hist *
switch_cache_model_hist(const struct switch_cache_sums *sums, const struct wallprof_aggr *aggr)
{
	unsigned int half = aggr >= sums->aggrs[1];

	return &sums->hists[half][aggr - sums->aggrs[half]];
}

/* Whether an aggregate has what the one without the cache has. */
static inline bool switch_cache_model_same_sum(const struct switch_cache_model *m,
					       const struct wallprof_aggr *aggr,
					       const struct wallprof_aggr *right)
{
	return !memcmp(right, aggr, sizeof(*aggr)) &&
	       !memcmp(switch_cache_model_hist(&m->plain_sums, right),
		       switch_cache_model_hist(&m->sums, aggr), sizeof(struct wallprof_hist));
}

/*
 * A thread comes, as in the probe. Returns whether its interval is added where it
 * belongs.
 */
static inline bool switch_cache_model_come(struct switch_cache_model *m, unsigned int cpu,
					   const struct switch_cache_step *s)
{
	struct wallprof_task *slot = &m->slots[s->who], *slow = &m->slow[s->who];
	struct wp_switch_cache *cache = &m->caches[cpu];
	struct wp_cached_switch *cached = *wp_cached_away(cache, m->keys[s->who]);
	bool lasts = wp_cached_left_by(cached, cached->slot, m->keys[s->who], m->changes);
	bool again = lasts && (cached->runnable ||
			       wp_cached_same_waker(cached->aggr, slot, true));
	u32 epoch = again ? switch_cache_model_epoch_of(m, cached) : m->epoch;
	struct wallprof_aggr key = {}, *aggr, *right;
	struct wp_interval interval;
	bool runnable;

	wp_interval_close(slow, m->now, &interval);
	wp_interval_key(slow, &interval, &key);
	wp_interval_forget(slow);
	right = switch_cache_model_add(&m->plain_sums, epoch, &key, interval.ns, m->now);
	m->current_nr[cpu] = s->who;
	if (again) {
		if (cached->slot != slot)
			return false;
		aggr = cached->aggr;
		m->summed[aggr >= m->sums.aggrs[1]]++;
		wp_cached_come(cached, slot, aggr, m->now, cached->runnable, &m->tables);
		m->came[cpu] = cached;
		m->came_again++;
	} else {
		lasts = lasts && cached->slot == slot &&
			wp_cache_hits_are_in(cached->hits, &m->tables.half[epoch % 2]);
		runnable = BIT(slot->state) & WP_STATES_RUNNABLE;
		wp_interval_close(slot, m->now, &interval);
		memset(&key, 0, sizeof(key));
		wp_interval_key(slot, &interval, &key);
		aggr = switch_cache_model_add(&m->sums, epoch, &key, interval.ns, m->now);
		if (lasts && aggr)
			wp_cached_sums(cached, aggr, runnable);
		wp_interval_forget(slot);
	}
	return !right == !aggr && (!right || switch_cache_model_same_sum(m, aggr, right));
}

/* Whether a slot is the same as without the cache. */
static inline bool switch_cache_model_agrees(const struct switch_cache_model *m, unsigned int who)
{
	struct wallprof_task slot = m->slots[who];

	/* Only valid in phase OFF. */
	if (slot.phase != WALLPROF_TASK_OFF)
		slot.user_stack = m->slow[who].user_stack;
	return !memcmp(&slot, &m->slow[who], sizeof(slot));
}

/* Takes a step. Returns whether all was recorded as without the cache. */
static inline bool switch_cache_model_step(struct switch_cache_model *m,
					   const struct switch_cache_step *s)
{
	unsigned int cpu = s->cpu & 1;
	int left;

	if (s->event == SWITCH_CACHE_FLIP_BEGINS)
		switch_cache_model_flip_begins(m);
	if (s->event == SWITCH_CACHE_FLIP && !switch_cache_model_flip(m))
		return false;
	/* A flip that has only begun makes no room. */
	while (m->sums.nr[m->epoch % 2] == SWITCH_CACHE_AGGRS)
		if (!switch_cache_model_flip(m))
			return false;
	if (s->event == SWITCH_CACHE_BORN || !m->slots[s->who].tid)
		switch_cache_model_birth(m, s->who);
	m->now += s->cpu >> 4;
	m->changes += s->event == SWITCH_CACHE_MAP;
	if (m->current_nr[!cpu] == s->who)
		cpu = !cpu;
	/* The thread leaves; or the one that runs where it comes to, or was born. */
	left = m->current_nr[cpu];
	if (s->event == SWITCH_CACHE_EXEC && left >= 0) {
		m->threads[left].exec_id++;
		m->threads[left].tid = 100;
		m->came[cpu] = &m->caches[cpu].none;
	}
	if (s->event == SWITCH_CACHE_WAKES && left >= 0 && !switch_cache_model_wake(m, cpu, s))
		return false;
	if (left >= 0) {
		switch_cache_model_leave(m, cpu, s);
		if (!switch_cache_model_agrees(m, left))
			return false;
	}
	if (left == s->who) {
		m->now += s->cpu >> 6;
		switch_cache_model_meanwhile(m, s);
	} else if (m->slots[s->who].phase == WALLPROF_TASK_OFF) {
		if (!switch_cache_model_come(m, cpu, s))
			return false;
	} else {
		m->current_nr[cpu] = s->who;
	}
	return switch_cache_model_agrees(m, s->who);
}

#endif /* WALLPROF_KUNIT_SWITCH_CACHE_MODEL_H */
