/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What habits must tell: threads that leave and come, each with the slot that it would
 * have if nothing were remembered. Used by habits.c and by the fuzzer.
 *
 * Ways are made up, instead of those of the kernel's threads.
 */
#ifndef WALLPROF_KUNIT_HABITS_MODEL_H
#define WALLPROF_KUNIT_HABITS_MODEL_H

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/* Instead of module/way.h. */
#define WALLPROF_WAY_H

#define WP_WAY_PREEMPTED	BIT(31)

struct wp_way {
	u64 ip;
	u64 sp;
	u64 fp;
	u64 arg;
	u64 changes;
	int nr;
	u32 state;
	u32 epoch;
	u32 exec_id;
	u32 odd;
};

#define wp_way_ip(way)		((way)->ip)
#define wp_way_sp(way)		((way)->sp)
#define wp_way_fp(way)		((way)->fp)
#define wp_way_arg(way)		((way)->arg)
#define wp_way_nr(way)		((way)->nr)
#define wp_way_exec_id(way)	((way)->exec_id)
#define wp_way_is_odd(way)	(!!(way)->odd)

#include "habits.h"
#include "tables.h"

static const struct wp_way habits_usual = {
	.ip = 0x401000, .sp = 0x7ffd0000, .fp = 0x7ffd1000, .arg = 3, .changes = 5, .nr = 7,
	.state = TASK_INTERRUPTIBLE, .epoch = 2, .exec_id = 9,
};

/* What is told of who leaves so: by all that decides it, if its stack's words are. */
static inline struct wp_leave habits_told(const struct wp_way *way, bool by_fp)
{
	struct wp_leave leave = {
		.state = way->state == TASK_INTERRUPTIBLE ? WALLPROF_STATE_SLEEPING :
							    WALLPROF_STATE_DISK,
		.reason = WALLPROF_REASON_SYSCALL,
		.syscall = way->nr,
		.arg = way->arg,
	};

	leave.user_stack = (u64)way->epoch << 36 |
			   ((way->ip * 3 + way->sp * 5 + (by_fp ? way->fp * 7 : 0) +
			     way->changes * 11 + way->exec_id * 13 + way->nr * 17) & 0xfffff);
	if (way->state & WP_WAY_PREEMPTED) {
		leave.state = WALLPROF_STATE_PREEMPTED;
		leave.reason = WALLPROF_REASON_PREEMPTED;
		leave.syscall = WALLPROF_SYSCALL_NONE;
		leave.arg = 0;
	}
	if (way->odd)
		leave.flags = WALLPROF_TASK_IOWAIT;
	return leave;
}

/* What is remembered of the stack. */
static inline struct wp_memo habits_memo(bool by_fp, const struct wp_way *way)
{
	return (struct wp_memo){
		.begin = 100, .nr = 6, .why = WALLPROF_UNWIND_END, .by_fp = by_fp,
		.fp = way->fp, .flags = by_fp ? WALLPROF_STACK_BY_FP : 0,
	};
}

/* What the probe does for who leaves. Returns whether it was by habit. */
static inline bool habits_leave(struct wp_habits *habits, struct wallprof_task *slot,
				const struct wp_thread *thread, const struct wp_way *way,
				bool by_fp, struct wallprof_half *head, u64 now)
{
	struct wp_leave leave = habits_told(way, by_fp);
	struct wp_habit *habit = wp_habit_of(habits, slot, way);
	struct wp_memo memo = habits_memo(by_fp, way);

	if (wp_habit_holds(habit, slot, way)) {
		wp_habit_leave(habits, habit, slot, now);
		return true;
	}
	wp_interval_open(slot, thread, &leave, now);
	if (way->odd || way->nr < 0)
		return false;
	habit = wp_habit_begin(habits, slot, way, &leave);
	if (!habit)
		return false;
	wp_habit_set_stack(habit, &memo);
	wp_habit_learn(habits, habit, slot, way, head);
	return false;
}

static inline void habits_come(struct wallprof_task *slot, u64 now)
{
	struct wp_passed passed;

	wp_interval_close(slot, now, &passed);
	wp_interval_forget(slot);
}

#define HABITS_CPUS	2
#define HABITS_THREADS	3
#define HABITS_AGGRS	256	/* of an epoch */

/**
 * struct habits_model - threads on some CPUs
 * @habits: of each CPU: what is tested
 * @slots: of each thread, as the probe leaves them
 * @plain: the same of one that knows no habits
 * @threads: what each is now
 * @head: of the half that is written
 * @aggrs: where intervals were summed, in this epoch and in the one before
 * @nr_aggrs: how many there are of this one
 * @changes: of the mappings
 * @epoch: now
 * @now: the time
 * @left_again: how often a thread left by habit
 * @came_again: how often its interval went where the last one had gone
 */
struct habits_model {
	struct wp_habits habits[HABITS_CPUS];
	struct wallprof_task slots[HABITS_THREADS], plain[HABITS_THREADS];
	struct wp_thread threads[HABITS_THREADS];
	struct wallprof_half head;
	struct wallprof_aggr aggrs[2][HABITS_AGGRS];
	unsigned int nr_aggrs;
	u64 changes;
	u32 epoch;
	u64 now;
	unsigned int left_again, came_again;
};

/**
 * struct habits_step - what a thread does next: it leaves, or comes if it has left
 * @who: a thread
 * @event: what happens before: enum habits_event, or nothing
 * @way: how it leaves: bits of what differs from the usual way
 * @cpu: where: bit 0; and while it is away: bit 1: it is woken, 2: by another, 3: its
 *	stack is found
 */
struct habits_step {
	u8 who;
	u8 event;
	u8 way;
	u8 cpu;
};

enum habits_event {
	HABITS_FLIP = 1,
	HABITS_BORN,
	HABITS_EXEC,
	HABITS_MAP,
};

/* @m: zeroes. */
static inline void habits_model_set(struct habits_model *m)
{
	unsigned int i;

	for (i = 0; i < HABITS_CPUS; i++)
		wp_habits_set(&m->habits[i]);
	m->epoch = 1;
}

/* The aggregate of an interval, new or not; NULL if there is no room. */
static inline struct wallprof_aggr *habits_model_aggr(struct habits_model *m,
						      const struct wallprof_aggr *key)
{
	struct wallprof_aggr *aggrs = m->aggrs[m->epoch % 2];
	unsigned int i;

	for (i = 0; i < m->nr_aggrs; i++)
		if (wp_aggr_same(&aggrs[i], key))
			return &aggrs[i];
	if (m->nr_aggrs == HABITS_AGGRS)
		return NULL;
	aggrs[m->nr_aggrs++] = *key;
	return &aggrs[i];
}

/* The ids come back, and in the same slot. */
static inline void habits_model_birth(struct habits_model *m, unsigned int who)
{
	m->threads[who] = (struct wp_thread){
		.start_time = ++m->now, .tid = 100 + m->now % 2, .tgid = 100, .exec_id = 9,
	};
	wp_interval_begin(&m->slots[who], &m->threads[who], WALLPROF_TASK_RUNNING,
			  WALLPROF_STATE_RUNNING, m->now);
	m->plain[who] = m->slots[who];
}

static inline void habits_model_leave(struct habits_model *m, const struct habits_step *s)
{
	struct wp_way way = habits_usual;
	struct wp_leave leave;
	bool by_fp;

	/* Ways that have one place, too: see wp_habit_of(). */
	way.ip += 4 * (s->way & 1);
	way.nr += s->way >> 1 & 1;
	way.sp += 8 * (s->way >> 2 & 1);
	way.fp += 8 * (s->way >> 3 & 1);
	way.arg += s->way >> 4 & 1;
	way.odd = s->way >> 5 & 1;
	if (s->way >> 6 & 1)
		way.state = s->way >> 7 ? TASK_UNINTERRUPTIBLE : WP_WAY_PREEMPTED;
	way.changes = m->changes;
	way.epoch = m->epoch;
	way.exec_id = m->threads[s->who].exec_id;
	by_fp = s->way & 1;
	leave = habits_told(&way, by_fp);
	m->left_again += habits_leave(&m->habits[s->cpu & 1], &m->slots[s->who],
				      &m->threads[s->who], &way, by_fp, &m->head, m->now);
	wp_interval_open(&m->plain[s->who], &m->threads[s->who], &leave, m->now);
}

/* Somebody wakes it; or its stack is found while it sleeps. */
static inline void habits_model_meanwhile(struct habits_model *m, const struct habits_step *s)
{
	u64 stack = (u64)m->epoch << 36 | BIT(20);

	if (s->cpu & 2) {
		wp_interval_wake(&m->slots[s->who], WALLPROF_WAKER_TASK,
				 40 + (s->cpu >> 2 & 1), 0, m->now);
		wp_interval_wake(&m->plain[s->who], WALLPROF_WAKER_TASK,
				 40 + (s->cpu >> 2 & 1), 0, m->now);
	}
	if (s->cpu & 8) {
		m->slots[s->who].user_stack = stack;
		m->plain[s->who].user_stack = stack;
	}
}

/* It comes, as in the probe. Returns whether its interval goes where it belongs. */
static inline bool habits_model_come(struct habits_model *m, const struct habits_step *s)
{
	struct wallprof_task *slot = &m->slots[s->who], *plain = &m->plain[s->who];
	struct wp_habit *habit = *wp_habit_away(&m->habits[s->cpu & 1], slot);
	bool lasts = wp_habit_lasts(habit, slot, m->epoch), again;
	struct wallprof_aggr key = {}, *aggr;
	struct wp_passed passed;

	wp_interval_close(plain, m->now, &passed);
	wp_interval_key(plain, &passed, &key);
	wp_interval_forget(plain);
	aggr = habits_model_aggr(m, &key);
	again = lasts && habit->aggr && (habit->runnable || wp_habit_same_waker(habit, slot));
	if (again) {
		if (habit->aggr != aggr || habit->head != &m->head)
			return false;
		wp_interval_finish(slot, m->now, wp_interval_advance(slot, m->now),
				   habit->runnable);
		m->came_again++;
	} else {
		wp_interval_close(slot, m->now, &passed);
		if (lasts)
			habit->aggr = aggr;
	}
	wp_interval_forget(slot);
	return true;
}

/* Takes a step. Returns whether all was told as if nothing were remembered. */
static inline bool habits_model_step(struct habits_model *m, const struct habits_step *s)
{
	if (s->event == HABITS_FLIP || m->nr_aggrs == HABITS_AGGRS) {
		m->epoch++;
		m->nr_aggrs = 0;
	}
	if (s->event == HABITS_BORN || !m->slots[s->who].tid)
		habits_model_birth(m, s->who);
	m->now += s->cpu >> 4;
	if (m->slots[s->who].phase == WALLPROF_TASK_OFF) {
		if (!habits_model_come(m, s))
			return false;
	} else {
		if (s->event == HABITS_EXEC) {
			m->threads[s->who].exec_id++;
			m->threads[s->who].tid = 100;
		}
		m->changes += s->event == HABITS_MAP;
		habits_model_leave(m, s);
		m->now += s->cpu >> 6;
		habits_model_meanwhile(m, s);
	}
	return !memcmp(&m->slots[s->who], &m->plain[s->who], sizeof(m->slots[s->who]));
}

#endif /* WALLPROF_KUNIT_HABITS_MODEL_H */
