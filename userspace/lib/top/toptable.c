// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the rows of the top command: the difference of each thread's totals at two times,
 * and sums by process. topview.c selects and sorts them.
 *
 * The module's totals grow when a phase ends; the current phase is added here, so that a
 * thread that runs or is blocked throughout an interval has all of it. The slot of a
 * thread is read while it changes, and its phase may turn out to be another one: totals
 * that seem to shrink are held until they have caught up. And they are read a moment
 * after the interval's end: what exceeds the interval's length is moved to the next one.
 *
 * Pure: no I/O, no clock. Only a lack of memory can make it fail.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/cause.h"
#include "lib/model/kidle.h"
#include "lib/top/toptable.h"

/*
 * Totals of a thread at some time.
 * @slot: in the task table
 * @kthread: it is a kernel thread
 * @gone: its slot was free or reused at that time, but its end was not reported yet
 */
struct wp_topbase {
	__u32 slot;
	__u32 tid;
	__u64 born;
	__u64 ns[WP_TOP_TIMES];
	bool kthread;
	bool gone;
};

static bool is_runnable(unsigned int state)
{
	return state == WALLPROF_STATE_RUNNING || state == WALLPROF_STATE_PREEMPTED ||
	       state == WALLPROF_STATE_NEW;
}

/**
 * wp_top_open_phase() - the current off-CPU phase of a thread, and its length
 * @task: the thread, before STOP
 * @time: end of the phase so far
 * @blocked: set to the blocked time, in nanoseconds
 * @runnable: set to the runnable time since
 *
 * Return: false if it is on a CPU, or gone. A thread that was not blocked when the
 * session began and has not left its CPU since counts as being on one.
 */
bool wp_top_open_phase(const struct wallprof_task *task, __u64 time, __u64 *blocked,
		       __u64 *runnable)
{
	__u64 ns = time > task->since ? time - task->since : 0;

	*blocked = 0;
	*runnable = 0;
	if (task->phase != WALLPROF_TASK_OFF &&
	    (task->phase != WALLPROF_TASK_UNSEEN || is_runnable(task->state)))
		return false;
	if (is_runnable(task->state))
		*runnable = ns;
	/* A wakeup from before the thread left belongs to an earlier interval. */
	else if (task->woken > task->since && task->woken < time)
		*runnable = time - task->woken;
	*blocked = ns - *runnable;
	return true;
}

/* Totals up to now. */
static void times_of(const struct wallprof_task *task, __u64 time, __u64 *ns)
{
	__u64 blocked, runnable;

	ns[WP_TOP_RUN] = task->run_ns;
	ns[WP_TOP_RUNNABLE] = task->runnable_ns;
	ns[WP_TOP_BLOCKED] = task->off_ns - task->runnable_ns;
	if (wp_top_open_phase(task, time, &blocked, &runnable)) {
		ns[WP_TOP_BLOCKED] += blocked;
		ns[WP_TOP_RUNNABLE] += runnable;
	} else if (task->phase != WALLPROF_TASK_EXITED && time > task->since) {
		ns[WP_TOP_RUN] += time - task->since;
	}
}

/**
 * wp_toptable_init() - initialize a table
 * @t: the table
 * @start: start of the session
 * @nr_slots: size of the task table
 *
 * Return: 0 or -ENOMEM.
 */
int wp_toptable_init(struct wp_toptable *t, __u64 start, __u32 nr_slots)
{
	memset(t, 0, sizeof(*t));
	t->time = start;
	t->nr_slots = nr_slots;
	t->of_slot = calloc(nr_slots, sizeof(*t->of_slot));
	return t->of_slot ? 0 : -ENOMEM;
}

static struct wp_toprow *add_row(struct wp_toprows *rows)
{
	if (rows->nr == rows->room) {
		size_t room = rows->room ? rows->room * 2 : 256;
		struct wp_toprow *more = reallocarray(rows->row, room, sizeof(*more));

		if (!more)
			return NULL;
		rows->row = more;
		rows->room = room;
	}
	memset(&rows->row[rows->nr], 0, sizeof(*rows->row));
	return &rows->row[rows->nr++];
}

static int add_base(struct wp_toptable *t, const struct wp_topbase *base)
{
	if (t->nr_new == t->room_new) {
		size_t room = t->room_new ? t->room_new * 2 : 256;
		struct wp_topbase *more = reallocarray(t->new_base, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		t->new_base = more;
		t->room_new = room;
	}
	t->new_base[t->nr_new++] = *base;
	return 0;
}

/* Begin a row: the difference of the thread's totals to @base; NULL: to its start. */
static int begin_row(struct wp_toptable *t, const struct wallprof_task *task,
		     const struct wp_topbase *base, const __u64 *ns, const char *comm,
		     struct wp_toprow **out)
{
	struct wp_toprow *row = add_row(&t->next);
	unsigned int i;

	if (!row)
		return -ENOMEM;
	*out = row;
	row->tgid = task->tgid;
	row->tid = task->tid;
	row->start_time = task->start_time;
	row->nr_threads = 1;
	row->kthread = (base && base->kthread) ||
		       (task->phase != WALLPROF_TASK_RUNNING &&
			wp_kidle_is_kthread(task->tgid, task->tid, task->reason));
	if (comm)
		snprintf(row->comm, sizeof(row->comm), "%s", comm);
	for (i = 0; i < WP_TOP_TIMES; i++) {
		__u64 before = base ? base->ns[i] : 0;

		row->ns[i] = ns[i] > before ? ns[i] - before : 0;
		/*
		 * For a thread that took another's id by exec, the times of its totals
		 * are unknown.
		 */
		if (!base && task->born < t->time)
			row->ns[i] = 0;
	}
	return 0;
}

/* Move what exceeds the interval's length to the next one. */
static void cut(struct wp_toprow *row, struct wp_topbase *now, __u64 most)
{
	__u64 sum = 0, over;
	unsigned int i;

	for (i = 0; i < WP_TOP_TIMES; i++)
		sum += row->ns[i];
	for (i = 0; i < WP_TOP_TIMES && sum > most; i++) {
		over = sum - most < row->ns[i] ? sum - most : row->ns[i];
		row->ns[i] -= over;
		now->ns[i] -= over;
		sum -= over;
	}
}

/**
 * wp_toptable_live() - add a thread that is alive at the end of the interval
 * @t: the table
 * @slot: its slot in the task table
 * @task: contents of the slot
 * @time: end of the interval; @task was read right after that
 * @comm: its name, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int wp_toptable_live(struct wp_toptable *t, __u32 slot, const struct wallprof_task *task,
		     __u64 time, const char *comm)
{
	struct wp_topbase now = { .slot = slot, .tid = task->tid, .born = task->born };
	const struct wp_topbase *base = NULL;
	struct wp_toprow *row;
	unsigned int i;
	int err;

	if (slot < t->nr_slots && t->of_slot[slot])
		base = &t->base[t->of_slot[slot] - 1];
	if (base && (base->born != task->born || base->gone))
		base = NULL;
	times_of(task, time, now.ns);
	err = begin_row(t, task, base, now.ns, comm, &row);
	if (err)
		return err;
	for (i = 0; i < WP_TOP_TIMES; i++) {
		if (base && now.ns[i] < base->ns[i])
			now.ns[i] = base->ns[i];
	}
	now.kthread = row->kthread;
	cut(row, &now, time > t->time ? time - t->time : 0);
	return add_base(t, &now);
}

/* The slot of an ended thread is free: look it up by its id. */
static struct wp_topbase *find_base(const struct wp_toptable *t, const struct wallprof_task *task)
{
	size_t i;

	for (i = 0; i < t->nr_base; i++) {
		if (t->base[i].tid == task->tid && t->base[i].born == task->born)
			return &t->base[i];
	}
	return NULL;
}

/**
 * wp_toptable_ended() - add a thread that ended in the interval
 * @t: the table
 * @task: its totals
 * @comm: its name, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int wp_toptable_ended(struct wp_toptable *t, const struct wallprof_task *task,
		      const char *comm)
{
	/* Most threads that end were created in the same interval. */
	struct wp_topbase *base = task->born < t->time ? find_base(t, task) : NULL;
	struct wp_toprow *row;
	__u64 ns[WP_TOP_TIMES];
	int err;

	times_of(task, task->since, ns);
	err = begin_row(t, task, base, ns, comm, &row);
	if (err)
		return err;
	row->ended = true;
	if (base)
		base->tid = 0;
	return 0;
}

/**
 * wp_toprow_by_id() - compare rows for qsort()
 * @pa: a row
 * @pb: another one
 *
 * Return: their order by process, thread and start time.
 */
int wp_toprow_by_id(const void *pa, const void *pb)
{
	const struct wp_toprow *a = pa, *b = pb;
	int ret = wp_topshares_order(a->tgid, b->tgid);

	ret = ret ? ret : wp_topshares_order(a->tid, b->tid);
	return ret ? ret : wp_topshares_order(a->start_time, b->start_time);
}

/* A thread without a name gets its process's, a process any of its threads'. */
static void fill_names(struct wp_toptable *t)
{
	const struct wp_toprow *p = t->processes.row;
	size_t i;

	for (i = 0; i < t->threads.nr; i++) {
		struct wp_toprow *row = &t->threads.row[i];

		/* Both are sorted by process. */
		while (p->tgid != row->tgid)
			p++;
		if (!*row->comm)
			memcpy(row->comm, p->comm, sizeof(row->comm));
	}
}

static int sum_processes(struct wp_toptable *t)
{
	struct wp_toprow *p = NULL;
	unsigned int k;
	size_t i;

	t->processes.nr = 0;
	for (i = 0; i < t->threads.nr; i++) {
		const struct wp_toprow *row = &t->threads.row[i];

		if (!p || p->tgid != row->tgid) {
			p = add_row(&t->processes);
			if (!p)
				return -ENOMEM;
			p->tgid = row->tgid;
			p->ended = true;
		}
		if (*row->comm && (!*p->comm || row->tid == row->tgid))
			memcpy(p->comm, row->comm, sizeof(p->comm));
		p->ended &= row->ended;
		p->kthread |= row->kthread;
		p->nr_threads++;
		for (k = 0; k < WP_TOP_TIMES; k++)
			p->ns[k] += row->ns[k];
	}
	fill_names(t);
	return 0;
}

/* The state at the end of the interval is that at the start of the next. */
static int turn_base(struct wp_toptable *t)
{
	struct wp_topbase *old = t->base;
	size_t room = t->room_base, nr = t->nr_base, i;
	int err;

	memset(t->of_slot, 0, t->nr_slots * sizeof(*t->of_slot));
	for (i = 0; i < t->nr_new; i++) {
		if (t->new_base[i].slot < t->nr_slots)
			t->of_slot[t->new_base[i].slot] = i + 1;
	}
	/* It has just ended: the next epoch reports it. */
	for (i = 0; i < nr; i++) {
		struct wp_topbase base = old[i];
		__u32 at = base.slot < t->nr_slots ? t->of_slot[base.slot] : 0;

		if (!base.tid || base.gone || (at && t->new_base[at - 1].born == base.born))
			continue;
		base.gone = true;
		err = add_base(t, &base);
		if (err)
			return err;
	}
	t->base = t->new_base;
	t->nr_base = t->nr_new;
	t->room_base = t->room_new;
	t->new_base = old;
	t->nr_new = 0;
	t->room_new = room;
	return 0;
}

/**
 * wp_toptable_turn() - end an interval, and begin the next one
 * @t: the table; all threads have been added
 * @time: end of the interval
 * @shown: show it; if not, the old one stays
 *
 * The view is empty then, until the next wp_toptable_view().
 *
 * Return: 0 or -ENOMEM.
 */
int wp_toptable_turn(struct wp_toptable *t, __u64 time, bool shown)
{
	struct wp_toprows rows = t->threads;
	unsigned int k;
	size_t i;
	int err;

	err = turn_base(t);
	if (err)
		return err;
	if (shown) {
		t->threads = t->next;
		t->next = rows;
		t->nr_view = 0;
		t->interval = time > t->time ? time - t->time : 1;
		if (t->threads.nr)
			qsort(t->threads.row, t->threads.nr, sizeof(*t->threads.row),
			      wp_toprow_by_id);
		t->nr_threads = 0;
		t->nr_ended = 0;
		memset(t->ns, 0, sizeof(t->ns));
		for (i = 0; i < t->threads.nr; i++) {
			t->nr_threads += !t->threads.row[i].ended;
			t->nr_ended += t->threads.row[i].ended;
			for (k = 0; k < WP_TOP_TIMES; k++)
				t->ns[k] += t->threads.row[i].ns[k];
		}
		err = sum_processes(t);
	}
	t->next.nr = 0;
	t->time = time;
	return err;
}

/**
 * wp_topkey_idle() - whether a share is a wait for work
 * @key: the share's key
 * @comm: name of the thread, or of its process
 *
 * Return: true if it is: for a kernel thread by wp_kidle_wait(), else by wp_cause_idle().
 */
bool wp_topkey_idle(const struct wp_topkey *key, const char *comm)
{
	struct wp_cause cause;

	if (key->oncpu)
		return false;
	if (wp_kidle_is_kthread(key->tgid, key->tid, key->reason))
		return wp_kidle_wait(&(struct wp_kidle_wait){
			.comm = comm, .state = key->state, .reason = key->reason,
			.iowait = key->iowait });
	wp_topkey_cause(key, &cause);
	return wp_cause_idle(&cause, key->state);
}

static void find_idle(const struct wp_toptable *t, struct wp_toprow *row,
		      const struct wp_topshares *s)
{
	__u64 idle = 0, other = 0;
	size_t i;

	for (i = row->first; i < row->first + row->nr; i++) {
		const struct wp_topshare *share = &s->shown[i];

		if (wp_topkey_idle(&share->key, row->comm))
			idle += share->ns[WP_TOP_BLOCKED];
		else
			other += share->ns[WP_TOP_BLOCKED];
		row->kthread |= wp_kidle_is_kthread(share->key.tgid, share->key.tid,
						    share->key.reason);
	}
	/*
	 * Intervals that closed since the flip have no share yet: for a kernel thread
	 * they are not in D.
	 */
	if (row->kthread)
		row->idle = row->ns[WP_TOP_BLOCKED] - (other < row->ns[WP_TOP_BLOCKED] ?
						       other : row->ns[WP_TOP_BLOCKED]);
	else
		row->idle = idle;
	if (row->idle > row->ns[WP_TOP_BLOCKED] || (t->self && row->tgid == t->self))
		row->idle = row->ns[WP_TOP_BLOCKED];
}

static void count_events(struct wp_toprow *row, const struct wp_topshares *s)
{
	size_t i;

	memset(row->events, 0, sizeof(row->events));
	for (i = row->first; i < row->first + row->nr; i++) {
		if (s->shown[i].key.oncpu)
			row->events[s->shown[i].key.event] += s->shown[i].weight;
	}
}

/*
 * Merge the ended threads of a process, if there are several, into one row, with their
 * shares.
 */
static void sum_ended(struct wp_toptable *t, struct wp_topshares *s)
{
	struct wp_toprow *rows = t->threads.row, *sum = NULL;
	size_t i, nr = 0, nr_ended = 0;
	unsigned int k;

	for (i = 0; i < t->threads.nr; i++) {
		struct wp_toprow row = rows[i];

		if (i && row.tgid != rows[i - 1].tgid)
			sum = NULL;
		if (!row.ended) {
			rows[nr++] = row;
			continue;
		}
		if (!sum) {
			rows[nr] = row;
			sum = &rows[nr++];
			continue;
		}
		if (sum->tid != WP_TOP_ENDED) {
			wp_topshares_rename(s, sum->first, sum->nr, WP_TOP_ENDED);
			sum->tid = WP_TOP_ENDED;
			sum->start_time = 0;
		}
		wp_topshares_rename(s, row.first, row.nr, WP_TOP_ENDED);
		for (k = 0; k < WP_TOP_TIMES; k++)
			sum->ns[k] += row.ns[k];
		sum->nr_threads++;
		nr_ended++;
	}
	t->threads.nr = nr;
	if (nr_ended)
		wp_topshares_sort(s);
}

/**
 * wp_toptable_join() - assign the shares to the rows
 * @t: the table, of the same interval
 * @s: the shares; samples are converted to time
 */
void wp_toptable_join(struct wp_toptable *t, struct wp_topshares *s)
{
	size_t i;

	for (i = 0; i < t->threads.nr; i++) {
		struct wp_toprow *row = &t->threads.row[i];

		row->nr = wp_topshares_of(s, row->tgid, row->tid, row->start_time, &row->first);
		wp_topshares_scale(s, row->first, row->nr, row->ns[WP_TOP_RUN]);
	}
	sum_ended(t, s);
	for (i = 0; i < t->threads.nr; i++) {
		struct wp_toprow *row = &t->threads.row[i];

		row->nr = wp_topshares_of(s, row->tgid, row->tid, row->start_time, &row->first);
		find_idle(t, row, s);
		count_events(row, s);
	}
	for (i = 0; i < t->processes.nr; i++) {
		struct wp_toprow *row = &t->processes.row[i];

		row->nr = wp_topshares_of(s, row->tgid, 0, 0, &row->first);
		find_idle(t, row, s);
		count_events(row, s);
	}
	memset(t->events, 0, sizeof(t->events));
	for (i = 0; i < s->nr_shown; i++) {
		if (s->shown[i].key.oncpu)
			t->events[s->shown[i].key.event] += s->shown[i].weight;
	}
}

/**
 * wp_toptable_free() - free the table
 * @t: the table
 */
void wp_toptable_free(struct wp_toptable *t)
{
	free(t->threads.row);
	free(t->processes.row);
	free(t->next.row);
	free(t->view);
	free(t->base);
	free(t->new_base);
	free(t->of_slot);
	memset(t, 0, sizeof(*t));
}
