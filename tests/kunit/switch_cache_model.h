/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What habits must tell: threads that leave and come, each with the slot that it would
 * have if nothing were remembered. Used by switch_cache.c and by the fuzzer.
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

/* Instead of module/switch_key.h. */
#define WALLPROF_SWITCH_KEY_H

#define WP_WAY_PREEMPTED	BIT(31)

struct wp_way {
	u64 ip;
	u64 sp;
	u64 fp;
	u64 arg;
	u64 changes;
	int nr;
	u32 state;
	u32 exec_id;
	u32 odd;
	u32 epoch;	/* no part of it: changes tell of a flip, too */
};

#define wp_way_ip(way)		((way)->ip)
#define wp_way_sp(way)		((way)->sp)
#define wp_way_fp(way)		((way)->fp)
#define wp_way_arg(way)		((way)->arg)
#define wp_way_nr(way)		((way)->nr)
#define wp_way_exec_id(way)	((way)->exec_id)
#define wp_way_is_odd(way)	(!!(way)->odd)

#include "pure/switch_cache.h"
#include "pure/tables.h"

static const struct wp_way habits_usual = {
	.ip = 0x401000, .sp = 0x7ffd0000, .fp = 0x7ffd1000, .arg = 3, .changes = 5, .nr = 7,
	.state = TASK_INTERRUPTIBLE, .exec_id = 9, .epoch = 2,
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
	else if (by_fp)
		leave.flags = WALLPROF_TASK_WEAK_STACK;
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

/*
 * What the probe does for who leaves. @came: the habit by which it came, or &wp_habits.none.
 * Returns the habit by which it leaves, or NULL.
 */
static inline struct wp_habit *habits_leave(struct wp_habits *habits,
					    struct wp_habit *came,
					    struct wallprof_task *slot, unsigned long key,
					    const struct wp_thread *thread,
					    const struct wp_way *way, bool by_fp,
					    struct wp_half *half, u64 now)
{
	struct wp_leave leave = habits_told(way, by_fp);
	struct wp_habit *habit = wp_habit_of(habits, slot, way);
	struct wp_memo memo = habits_memo(by_fp, way);

	if (wp_habit_holds_still(came, way)) {
		wp_habit_leave(came, slot, now);
		return came;
	}
	if (wp_habit_holds(habit, slot, way)) {
		wp_habit_tell(habits, habit, slot);
		wp_habit_leave(habit, slot, now);
		return habit;
	}
	wp_interval_open(slot, thread, &leave, now);
	if (way->odd || way->nr < 0)
		return NULL;
	habit = wp_habit_begin(habits, slot, key, way, &leave);
	if (!habit)
		return NULL;
	wp_habit_set_stack(habit, &memo, half);
	wp_habit_learn(habits, habit, slot, way);
	return NULL;
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
 * struct habits_sums - where intervals are summed
 * @aggrs: in this epoch and in the one before
 * @nr: how many there are of each
 */
struct habits_sums {
	struct wallprof_aggr aggrs[2][HABITS_AGGRS];
	unsigned int nr[2];
};

/**
 * struct habits_model - threads on some CPUs
 * @habits: of each CPU: what is tested
 * @current_nr: who runs there; -1: nobody
 * @came: the habit by which it came
 * @slots: of each thread, as the probe leaves them
 * @plain: the same of one that knows no habits
 * @threads: what each is now
 * @keys: whose slot each is; two have one place among those that are away
 * @half: two, in turn
 * @head: of each
 * @sums: where intervals were summed
 * @plain_sums: the same of one that knows no habits
 * @summed: how many intervals were summed in each by habit
 * @changes: of the mappings, and of the epoch
 * @epoch: now
 * @flipping: it has begun, and @changes do not tell yet
 * @now: the time
 * @births: how many there were
 * @left_again: how often a thread left by habit
 * @came_again: how often its interval went where the last one had gone
 */
struct habits_model {
	struct wp_habits habits[HABITS_CPUS];
	int current_nr[HABITS_CPUS];
	struct wp_habit *came[HABITS_CPUS];
	struct wallprof_task slots[HABITS_THREADS], plain[HABITS_THREADS];
	struct wp_thread threads[HABITS_THREADS];
	unsigned long keys[HABITS_THREADS];
	struct wp_half half[2];
	struct wallprof_half head[2];
	struct habits_sums sums, plain_sums;
	unsigned int summed[2];
	u64 changes;
	u32 epoch;
	bool flipping;
	u64 now;
	u64 births;
	unsigned int left_again, came_again;
};

/**
 * struct habits_step - what a thread does next: it leaves, or comes if it has left
 * @who: a thread
 * @event: what happens before: enum habits_event, or nothing
 * @way: how it, or who runs where it comes to, leaves: bits of what differs from the
 *	usual way
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
	HABITS_FLIP_BEGINS,	/* and the next HABITS_FLIP tells of it */
	HABITS_EVENTS,
};

/* Nobody runs on a CPU. */
static inline void habits_model_vacate(struct habits_model *m, unsigned int cpu)
{
	m->current_nr[cpu] = -1;
	m->came[cpu] = &m->habits[cpu].none;
}

/* @m: zeroes. */
static inline void habits_model_set(struct habits_model *m)
{
	unsigned long key;
	unsigned int i;

	for (i = 0; i < HABITS_CPUS; i++) {
		wp_habits_set(&m->habits[i]);
		habits_model_vacate(m, i);
	}
	for (i = 0; i < 2; i++)
		m->half[i].head = &m->head[i];
	m->keys[0] = 1 << 12;
	m->keys[1] = 2 << 12;
	for (key = 3 << 12; wp_habit_away(m->habits, key) != wp_habit_away(m->habits, 1 << 12);)
		key += 1 << 12;
	m->keys[2] = key;
	m->epoch = 1;
	m->changes = 1;
}

/* Adds an interval. Returns where; NULL if there is no room. */
static inline struct wallprof_aggr *habits_model_add(struct habits_sums *sums, u32 epoch,
						     const struct wallprof_aggr *key,
						     u64 ns, u64 now)
{
	struct wallprof_aggr *aggrs = sums->aggrs[epoch % 2];
	unsigned int *nr = &sums->nr[epoch % 2], i;

	for (i = 0; i < *nr; i++)
		if (wp_aggr_same(&aggrs[i], key))
			break;
	if (i == HABITS_AGGRS)
		return NULL;
	if (i == *nr) {
		aggrs[(*nr)++] = *key;
		aggrs[i].runnable = 0;
		aggrs[i].min = U64_MAX;
	}
	wp_aggr_sum(&aggrs[i], ns, key->runnable, now);
	return &aggrs[i];
}

static inline void habits_model_flip_begins(struct habits_model *m)
{
	if (m->flipping)
		return;
	m->flipping = true;
	m->epoch++;
	m->sums.nr[m->epoch % 2] = 0;
	m->plain_sums.nr[m->epoch % 2] = 0;
}

/* Returns whether the last epoch's half tells of what was summed there, and no more. */
static inline bool habits_model_flip(struct habits_model *m)
{
	unsigned int last;

	habits_model_flip_begins(m);
	last = !(m->epoch % 2);
	m->flipping = false;
	m->changes++;
	wp_half_settle(&m->half[last]);
	return m->head[last].events == m->summed[last];
}

/* The epoch in which it is counted what is done by a habit. */
static inline u32 habits_model_epoch_of(const struct habits_model *m,
					const struct wp_habit *habit)
{
	return m->epoch - !wp_again_is_in(habit->again, &m->half[m->epoch % 2]);
}

/* The ids come back, and in the same slot. */
static inline void habits_model_birth(struct habits_model *m, unsigned int who)
{
	unsigned int cpu;

	for (cpu = 0; cpu < HABITS_CPUS; cpu++)
		if (m->current_nr[cpu] == (int)who)
			habits_model_vacate(m, cpu);
	m->births++;
	m->threads[who] = (struct wp_thread){
		.start_time = m->births, .tid = 100 + m->births % 2, .tgid = 100,
		.exec_id = 9,
	};
	/* When the address is given to another one, some time has passed. */
	m->now = max(m->now, m->slots[who].since) + 1;
	wp_interval_begin(&m->slots[who], &m->threads[who], WALLPROF_TASK_RUNNING,
			  WALLPROF_STATE_RUNNING, m->now);
	m->plain[who] = m->slots[who];
}

/* Who runs on a CPU leaves it. */
static inline void habits_model_leave(struct habits_model *m, unsigned int cpu,
				      const struct habits_step *s)
{
	unsigned int who = m->current_nr[cpu];
	struct wp_way way = habits_usual;
	struct wp_habit *habit;
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
	way.exec_id = m->threads[who].exec_id;
	by_fp = s->way & 1;
	habit = habits_leave(&m->habits[cpu], m->came[cpu], &m->slots[who], m->keys[who],
			     &m->threads[who], &way, by_fp, &m->half[m->epoch % 2],
			     m->now);
	if (habit) {
		m->left_again++;
		way.epoch = habits_model_epoch_of(m, habit);
	}
	leave = habits_told(&way, by_fp);
	wp_interval_open(&m->plain[who], &m->threads[who], &leave, m->now);
	habits_model_vacate(m, cpu);
}

/* Somebody wakes it; or its stack is found while it sleeps. */
static inline void habits_model_meanwhile(struct habits_model *m, const struct habits_step *s)
{
	struct wallprof_task *slots[] = { &m->slots[s->who], &m->plain[s->who] };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		if (s->cpu & 2)
			wp_interval_wake(slots[i], WALLPROF_WAKER_TASK,
					 40 + (s->cpu >> 2 & 1), 0, m->now);
		if (s->cpu & 8 && slots[i]->flags & WALLPROF_TASK_WEAK_STACK) {
			slots[i]->user_stack = (u64)m->epoch << 36 | BIT(20);
			slots[i]->flags &= ~WALLPROF_TASK_WEAK_STACK;
		}
	}
}

/* It comes, as in the probe. Returns whether its interval goes where it belongs. */
static inline bool habits_model_come(struct habits_model *m, unsigned int cpu,
				     const struct habits_step *s)
{
	struct wallprof_task *slot = &m->slots[s->who], *plain = &m->plain[s->who];
	struct wp_habits *habits = &m->habits[cpu];
	struct wp_habit *habit = *wp_habit_away(habits, m->keys[s->who]);
	bool lasts = wp_habit_lasts(habit, habit->slot, m->keys[s->who], m->changes);
	bool again = lasts && (habit->runnable || wp_habit_same_waker(habit->aggr, slot));
	u32 epoch = again ? habits_model_epoch_of(m, habit) : m->epoch;
	struct wallprof_aggr key = {}, *aggr, *right;
	struct wp_passed passed;
	bool runnable;

	wp_interval_close(plain, m->now, &passed);
	wp_interval_key(plain, &passed, &key);
	wp_interval_forget(plain);
	right = habits_model_add(&m->plain_sums, epoch, &key, passed.ns, m->now);
	m->current_nr[cpu] = s->who;
	if (again) {
		if (habit->slot != slot)
			return false;
		aggr = habit->aggr;
		m->summed[aggr >= m->sums.aggrs[1]]++;
		wp_habit_come(habit, slot, aggr, m->now, habit->runnable);
		m->came[cpu] = habit;
		m->came_again++;
	} else {
		lasts = lasts && habit->slot == slot &&
			wp_again_is_in(habit->again, &m->half[epoch % 2]);
		runnable = BIT(slot->state) & WP_STATES_RUNNABLE;
		wp_interval_close(slot, m->now, &passed);
		memset(&key, 0, sizeof(key));
		wp_interval_key(slot, &passed, &key);
		aggr = habits_model_add(&m->sums, epoch, &key, passed.ns, m->now);
		if (lasts)
			wp_habit_sums(habits, habit, aggr, runnable);
		wp_interval_forget(slot);
	}
	return !right == !aggr && (!right || !memcmp(right, aggr, sizeof(*aggr)));
}

/* Whether a slot says what it would if nothing were remembered. */
static inline bool habits_model_agrees(const struct habits_model *m, unsigned int who)
{
	struct wallprof_task slot = m->slots[who];

	/* Without meaning else. */
	if (slot.phase != WALLPROF_TASK_OFF)
		slot.user_stack = m->plain[who].user_stack;
	return !memcmp(&slot, &m->plain[who], sizeof(slot));
}

/* Takes a step. Returns whether all was told as if nothing were remembered. */
static inline bool habits_model_step(struct habits_model *m, const struct habits_step *s)
{
	unsigned int cpu = s->cpu & 1;
	int left;

	if (s->event == HABITS_FLIP_BEGINS)
		habits_model_flip_begins(m);
	if (s->event == HABITS_FLIP && !habits_model_flip(m))
		return false;
	/* One that has begun makes no room. */
	while (m->sums.nr[m->epoch % 2] == HABITS_AGGRS)
		if (!habits_model_flip(m))
			return false;
	if (s->event == HABITS_BORN || !m->slots[s->who].tid)
		habits_model_birth(m, s->who);
	m->now += s->cpu >> 4;
	m->changes += s->event == HABITS_MAP;
	if (m->current_nr[!cpu] == s->who)
		cpu = !cpu;
	/* It leaves; or who runs where it comes to, or was born. */
	left = m->current_nr[cpu];
	if (s->event == HABITS_EXEC && left >= 0) {
		m->threads[left].exec_id++;
		m->threads[left].tid = 100;
		m->came[cpu] = &m->habits[cpu].none;
	}
	if (left >= 0) {
		habits_model_leave(m, cpu, s);
		if (!habits_model_agrees(m, left))
			return false;
	}
	if (left == s->who) {
		m->now += s->cpu >> 6;
		habits_model_meanwhile(m, s);
	} else if (m->slots[s->who].phase == WALLPROF_TASK_OFF) {
		if (!habits_model_come(m, cpu, s))
			return false;
	} else {
		m->current_nr[cpu] = s->who;
	}
	return habits_model_agrees(m, s->who);
}

#endif /* WALLPROF_KUNIT_HABITS_MODEL_H */
