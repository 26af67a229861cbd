// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rows of the top command: what threads did between two looks at their
 * accounts, sums by process, order and filter; and of the shares of their time, over
 * single cases, and over many random intervals whose sums are known.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/top/toptable.h"
#include "lib/top/topview.h"
#include "tap.h"

#define S	1000000000ULL

static const struct wp_topoptions by_run = { .threads = true, .column = WP_TOPCOLUMN_RUN };

static struct wallprof_task task_of(__u32 tgid, __u32 tid, __u8 phase, __u8 state, __u64 since)
{
	return (struct wallprof_task){ .tgid = tgid, .tid = tid, .start_time = tid, .born = S,
				       .phase = phase, .state = state, .since = since,
				       .reason = WALLPROF_REASON_SYSCALL, .syscall = 1 };
}

static void test_open(void)
{
	struct wallprof_task t = task_of(1, 1, WALLPROF_TASK_OFF, WALLPROF_STATE_SLEEPING, 5 * S);
	__u64 blocked, runnable;

	ok(wp_top_open_phase(&t, 8 * S, &blocked, &runnable) && blocked == 3 * S && !runnable,
	   "who sleeps is blocked, so far");
	t.woken = 7 * S;
	ok(wp_top_open_phase(&t, 8 * S, &blocked, &runnable) && blocked == 2 * S && runnable == S,
	   "and runnable since it was woken");
	t.woken = 4 * S;
	ok(wp_top_open_phase(&t, 8 * S, &blocked, &runnable) && blocked == 3 * S && !runnable,
	   "but not by who woke it before");
	t.state = WALLPROF_STATE_PREEMPTED;
	ok(wp_top_open_phase(&t, 8 * S, &blocked, &runnable) && !blocked && runnable == 3 * S,
	   "who lost its CPU is runnable");
	ok(wp_top_open_phase(&t, 4 * S, &blocked, &runnable) && !blocked && !runnable,
	   "a time before it is none");
	t.phase = WALLPROF_TASK_UNSEEN;
	ok(!wp_top_open_phase(&t, 8 * S, &blocked, &runnable), "awake since the start: on a CPU");
	t.state = WALLPROF_STATE_DISK;
	ok(wp_top_open_phase(&t, 8 * S, &blocked, &runnable) && blocked == 3 * S,
	   "blocked since the start");
	t.phase = WALLPROF_TASK_RUNNING;
	ok(!wp_top_open_phase(&t, 8 * S, &blocked, &runnable), "on a CPU: not off it");
	t.phase = WALLPROF_TASK_EXITED;
	ok(!wp_top_open_phase(&t, 8 * S, &blocked, &runnable), "gone: neither");
}

static const struct wp_toprow *row_of(const struct wp_toptable *t, __u32 id)
{
	size_t i;

	for (i = 0; i < t->nr_view; i++) {
		if (t->view[i]->tid == id || (!t->view[i]->tid && t->view[i]->tgid == id))
			return t->view[i];
	}
	return NULL;
}

static bool did(const struct wp_toptable *t, __u32 id, __u64 run, __u64 runnable, __u64 blocked)
{
	const struct wp_toprow *row = row_of(t, id);
	bool good = row && row->ns[WP_TOP_RUN] == run && row->ns[WP_TOP_RUNNABLE] == runnable &&
		    row->ns[WP_TOP_BLOCKED] == blocked;

	if (row && !good)
		printf("# %llu run, %llu runnable, %llu blocked\n", (unsigned long long)row->ns[0],
		       (unsigned long long)row->ns[1], (unsigned long long)row->ns[2]);
	return good;
}

static void turn(struct wp_toptable *t, struct wp_topshares *s, __u64 time,
		 const struct wp_topoptions *o)
{
	if (wp_toptable_turn(t, time, true) || wp_topshares_turn(s, true))
		abort();
	wp_toptable_join(t, s);
	if (wp_toptable_view(t, s, o))
		abort();
}

static void live(struct wp_toptable *t, __u32 slot, const struct wallprof_task *task, __u64 time,
		 const char *comm)
{
	if (wp_toptable_live(t, slot, task, time, comm))
		abort();
}

static void test_rates(void)
{
	struct wallprof_task sleeps = task_of(10, 10, WALLPROF_TASK_OFF, WALLPROF_STATE_SLEEPING, S);
	struct wallprof_task spins = task_of(10, 11, WALLPROF_TASK_UNSEEN, WALLPROF_STATE_RUNNING, S);
	struct wallprof_task other = task_of(20, 20, WALLPROF_TASK_RUNNING, 0, 3 * S), born, again;
	struct wp_topshares s = { 0 };
	struct wp_toptable t;

	if (wp_toptable_init(&t, S, 8))
		abort();
	live(&t, 0, &sleeps, 3 * S, "one");
	live(&t, 1, &spins, 3 * S, "two");
	other.run_ns = S / 2;
	other.off_ns = S + S / 2;
	other.runnable_ns = S;
	live(&t, 2, &other, 3 * S, "three");
	turn(&t, &s, 3 * S, &by_run);
	ok(t.nr_view == 3 && t.interval == 2 * S && did(&t, 10, 0, 0, 2 * S) &&
	   did(&t, 11, 2 * S, 0, 0) && did(&t, 20, S / 2, S, S / 2),
	   "the first interval, open phases counted");
	ok(t.view[0]->tid == 11 && t.view[1]->tid == 20 && t.nr_threads == 3 && !t.nr_ended &&
	   t.ns[WP_TOP_RUN] == 2 * S + S / 2 && t.ns[WP_TOP_BLOCKED] == 2 * S + S / 2,
	   "in order of time on a CPU, and in sum");

	/* It wakes up after two seconds more, and runs for one. */
	sleeps.phase = WALLPROF_TASK_RUNNING;
	sleeps.off_ns = 4 * S;
	sleeps.since = 5 * S;
	live(&t, 0, &sleeps, 6 * S, "one");
	live(&t, 1, &spins, 6 * S, "two");
	/* Another thread has its slot now; it ended in the middle. */
	other.phase = WALLPROF_TASK_EXITED;
	other.run_ns += S;
	other.since = 4 * S;
	if (wp_toptable_ended(&t, &other, "three"))
		abort();
	born = task_of(30, 30, WALLPROF_TASK_RUNNING, 0, 5 * S);
	born.born = 4 * S;
	born.off_ns = born.runnable_ns = S;
	live(&t, 2, &born, 6 * S, "four");
	turn(&t, &s, 6 * S, &by_run);
	ok(did(&t, 10, S, 0, 2 * S) && did(&t, 11, 3 * S, 0, 0),
	   "the next one: a sleep of long counts as far as it was in it");
	ok(did(&t, 20, S, 0, 0) && row_of(&t, 20)->ended && t.nr_ended == 1, "who ended in it");
	ok(did(&t, 30, S, S, 0), "who was born in it");

	/* Half of the totals were written: they seem to shrink. */
	sleeps.off_ns = 0;
	live(&t, 0, &sleeps, 7 * S, "one");
	turn(&t, &s, 7 * S, &by_run);
	ok(did(&t, 10, S, 0, 0) && !row_of(&t, 30) && !row_of(&t, 20), "less than before is nothing");
	sleeps.off_ns = 4 * S;
	again = born;
	again.phase = WALLPROF_TASK_EXITED;
	again.since = 6 * S + S / 2;
	again.run_ns = S + S / 2;
	live(&t, 0, &sleeps, 8 * S, "one");
	if (wp_toptable_ended(&t, &again, "four"))
		abort();
	turn(&t, &s, 8 * S, &by_run);
	ok(did(&t, 10, S, 0, 0), "and is not counted twice when it is back");
	ok(did(&t, 30, S / 2, 0, 0), "one that was neither found nor reported as ended is now");

	/* One of an older birth than the interval, in a slot that was nobody's. */
	born.born = 2 * S;
	born.tid = 40;
	live(&t, 3, &born, 9 * S, "five");
	turn(&t, &s, 9 * S, &by_run);
	ok(did(&t, 40, 0, 0, 0), "what cannot have been in the interval is not");

	live(&t, 1, &spins, 10 * S, "two");
	turn(&t, &s, 10 * S, &by_run);
	ok(did(&t, 11, 0, 0, 0), "who was not seen for a while");
	/* It was read half a second after the end of the interval, and had run until then. */
	spins.phase = WALLPROF_TASK_OFF;
	spins.run_ns = 10 * S + S / 2;
	spins.since = 11 * S + S / 2;
	live(&t, 1, &spins, 11 * S, "two");
	turn(&t, &s, 11 * S, &by_run);
	ok(did(&t, 11, S, 0, 0), "what is more than fits is cut");
	live(&t, 1, &spins, 12 * S, "two");
	turn(&t, &s, 12 * S, &by_run);
	ok(did(&t, 11, S / 2, S / 2, 0), "and comes in the next interval");
	wp_toptable_free(&t);
	wp_topshares_free(&s);
}

static void test_processes(void)
{
	struct wp_topoptions o = { .column = WP_TOPCOLUMN_NAME };
	struct wp_topshares s = { 0 };
	struct wallprof_task task;
	struct wp_toptable t;
	__u32 i;

	if (wp_toptable_init(&t, S, 16))
		abort();
	for (i = 0; i < 6; i++) {
		task = task_of(10 + i % 2, 10 + i, WALLPROF_TASK_OFF, WALLPROF_STATE_SLEEPING, S);
		live(&t, i, &task, 2 * S, i == 0 ? "leader\033" : i == 1 ? "Alpha" : "worker");
	}
	task = task_of(0, 99, WALLPROF_TASK_RUNNING, 0, S);
	task.tgid = 50;
	live(&t, 7, &task, 2 * S, "orphan");
	turn(&t, &s, 2 * S, &o);
	ok(t.nr_view == 3 && did(&t, 10, 0, 0, 3 * S) && did(&t, 11, 0, 0, 3 * S) &&
	   did(&t, 50, S, 0, 0) && row_of(&t, 10)->nr_threads == 3, "threads in sum, by process");
	ok(!strcmp(t.view[0]->comm, "Alpha") && !strcmp(t.view[1]->comm, "leader\033") &&
	   !strcmp(t.view[2]->comm, "orphan"), "by the name of the first thread, in its order");
	o.reverse = true;
	wp_toptable_view(&t, &s, &o);
	ok(t.view[0]->tgid == 50 && t.view[2]->tgid == 11, "the other way round");
	o = (struct wp_topoptions){ .threads = true, .column = WP_TOPCOLUMN_ID, .filter = "ALPH" };
	wp_toptable_view(&t, &s, &o);
	ok(t.nr_view == 1 && t.view[0]->tid == 11, "by a part of the name, in either case");
	strcpy(o.filter, "13");
	wp_toptable_view(&t, &s, &o);
	ok(t.nr_view == 1 && t.view[0]->tid == 13, "by id");
	strcpy(o.filter, "1");
	wp_toptable_view(&t, &s, &o);
	ok(!t.nr_view, "all of it");
	*o.filter = 0;
	wp_toptable_view(&t, &s, &o);
	for (i = 1; i < t.nr_view && t.view[i - 1]->tid < t.view[i]->tid; i++)
		;
	ok(t.nr_view == 7 && (i == 7 || t.view[i]->tgid != t.view[i - 1]->tgid),
	   "threads in order of process and id");
	if (wp_toptable_turn(&t, 3 * S, false))
		abort();
	ok(t.nr_view == 7 && t.interval == S && t.threads.nr == 7, "what is not to be seen is not");
	wp_toptable_free(&t);
	wp_topshares_free(&s);
}

static void test_order(void)
{
	struct wp_topoptions o = { .threads = true, .column = WP_TOPCOLUMN_RUN };
	static const __u64 permille[] = { 100, 100, 101, 500, 0, 0 };
	static const __u32 want[] = { 4, 3, 1, 2, 5, 6 };
	struct wp_topshares s = { 0 };
	struct wallprof_task task;
	struct wp_toptable t;
	__u32 i, bad = 0;

	if (wp_toptable_init(&t, S, 8))
		abort();
	for (i = 0; i < 6; i++) {
		task = task_of(1, i + 1, WALLPROF_TASK_OFF, WALLPROF_STATE_SLEEPING, S);
		/* Differences that nobody sees. */
		task.run_ns = permille[i] * (S / 1000) + i * 1000;
		task.since += task.run_ns;
		live(&t, i, &task, 2 * S, "x");
	}
	turn(&t, &s, 2 * S, &o);
	for (i = 0; i < 6; i++)
		bad += t.view[i]->tid != want[i];
	ok(!bad, "those that look the same are in order of their ids");
	o.reverse = true;
	wp_toptable_view(&t, &s, &o);
	for (i = 0; i < 6; i++)
		bad += t.view[5 - i]->tid != want[i];
	ok(!bad, "all of it the other way round");
	wp_toptable_free(&t);
	wp_topshares_free(&s);
}

static struct wp_topkey key_of(__u32 tid, __u16 call, const struct wp_stack *stack)
{
	return (struct wp_topkey){ .tgid = 7, .tid = tid, .start_time = tid,
				   .state = WALLPROF_STATE_SLEEPING,
				   .reason = WALLPROF_REASON_SYSCALL, .syscall = call,
				   .user = stack };
}

static const struct wp_topshare *share_of(const struct wp_topshares *s, const struct wp_topkey *k)
{
	size_t i;

	for (i = 0; i < s->nr_shown; i++) {
		const struct wp_topkey *key = &s->shown[i].key;

		if (key->tid == k->tid && key->syscall == k->syscall && key->user == k->user &&
		    key->oncpu == k->oncpu)
			return &s->shown[i];
	}
	return NULL;
}

static bool has(const struct wp_topshares *s, const struct wp_topkey *k, __u64 blocked,
		__u64 runnable)
{
	const struct wp_topshare *share = share_of(s, k);

	if (!blocked && !runnable)
		return !share;
	if (!share || share->ns[WP_TOP_BLOCKED] != (__s64)blocked ||
	    share->ns[WP_TOP_RUNNABLE] != (__s64)runnable) {
		printf("# %lld blocked, %lld runnable\n",
		       share ? (long long)share->ns[WP_TOP_BLOCKED] : -1,
		       share ? (long long)share->ns[WP_TOP_RUNNABLE] : -1);
		return false;
	}
	return true;
}

static void test_shares(void)
{
	struct wp_stack *stack[2] = { calloc(1, sizeof(struct wp_stack)),
				      calloc(1, sizeof(struct wp_stack)) };
	struct wp_topkey a = key_of(1, 1, stack[0]), b = key_of(1, 1, stack[1]),
			 c = key_of(1, 2, NULL), other = key_of(2, 1, stack[0]);
	struct wp_topshares s = { 0 };
	size_t first;

	wp_topshares_open(&s, &a, 100, 0);
	wp_topshares_open(&s, &other, 10, 5);
	wp_topshares_turn(&s, true);
	ok(has(&s, &a, 100, 0) && has(&s, &other, 10, 5), "what is open counts");
	wp_topshares_open(&s, &a, 150, 0);
	wp_topshares_open(&s, &other, 10, 25);
	wp_topshares_turn(&s, true);
	ok(has(&s, &a, 50, 0) && has(&s, &other, 0, 20), "as far as it has come since");
	wp_topshares_add(&s, &a, 170, 3);
	wp_topshares_add(&s, &c, 7, 0);
	wp_topshares_turn(&s, true);
	ok(has(&s, &a, 20, 3) && has(&s, &c, 7, 0), "and when it closes, what is new of it");
	ok(wp_topshares_of(&s, 7, 1, 1, &first) == 2 && !wp_topshares_of(&s, 7, 2, 2, &first) &&
	   wp_topshares_of(&s, 7, 0, 0, &first) == 2 && !wp_topshares_of(&s, 6, 0, 0, &first) &&
	   !wp_topshares_of(&s, 7, 1, 2, &first), "of a thread, of a process, and of none");

	wp_topshares_open(&s, &a, 100, 0);
	wp_topshares_turn(&s, true);
	wp_topshares_open(&s, &b, 130, 0);
	wp_topshares_turn(&s, true);
	ok(has(&s, &a, 0, 0) && has(&s, &b, 30, 0), "a stack that was found anew takes it over");
	/* It closed after the flip: it is in the next epoch. */
	wp_topshares_turn(&s, true);
	ok(!s.nr_shown, "an interval that closed, and has not been read yet");
	wp_topshares_add(&s, &b, 135, 0);
	wp_topshares_turn(&s, true);
	ok(has(&s, &b, 5, 0), "is not counted twice when it is read");
	wp_topshares_open(&s, &b, 50, 0);
	wp_topshares_turn(&s, true);
	wp_topshares_turn(&s, true);
	wp_topshares_turn(&s, true);
	wp_topshares_add(&s, &b, 50, 0);
	wp_topshares_turn(&s, true);
	ok(has(&s, &b, 50, 0), "nor waited for for ever");

	wp_topshares_open(&s, &a, 10, 0);
	wp_topshares_turn(&s, true);
	wp_topshares_open(&s, &a, 20, 0);
	wp_topshares_turn(&s, false);
	ok(has(&s, &a, 10, 0), "what is not to be seen is not");
	wp_topshares_open(&s, &a, 24, 0);
	wp_topshares_turn(&s, true);
	ok(has(&s, &a, 4, 0), "but counted off all the same");
	ok(stack[0]->held && !stack[1]->held, "stacks that are seen are held, others are not");

	a.oncpu = true;
	wp_topshares_sample(&s, &a, 300);
	a.user = stack[1];
	wp_topshares_sample(&s, &a, 100);
	wp_topshares_turn(&s, true);
	wp_topshares_scale(&s, 0, wp_topshares_of(&s, 7, 1, 1, &first), 1000);
	ok(share_of(&s, &a) && share_of(&s, &a)->ns[WP_TOP_RUN] == 250,
	   "samples stand for the time that the thread ran");
	wp_topshares_free(&s);
	ok(!stack[0]->held && !stack[1]->held, "and are let go");
	free(stack[0]);
	free(stack[1]);
}

/* Who woke a thread is known when its wait is over, and subtracted from the same wait. */
static void test_names(void)
{
	struct wp_stack *stack = calloc(1, sizeof(*stack));
	struct wp_topkey open = key_of(1, 1, NULL), woken, other = key_of(1, 1, stack);
	struct wp_topshares s = { 0 };
	unsigned int i;

	open.object = 1;
	woken = open;
	woken.waker = 2;
	wp_topshares_open(&s, &open, 100, 0);
	wp_topshares_turn(&s, true);
	ok(has(&s, &open, 100, 0) && s.shown[0].key.object == 1 && !s.shown[0].key.waker,
	   "a wait that goes on has no waker");
	wp_topshares_add(&s, &other, 500, 0);
	wp_topshares_add(&s, &woken, 130, 4);
	wp_topshares_turn(&s, true);
	ok(has(&s, &other, 500, 0) && has(&s, &woken, 30, 4) && s.nr_shown == 2 &&
	   share_of(&s, &woken)->key.waker == 2,
	   "who woke it has what is new of it, and no other wait is less");
	for (i = 0; i < 2; i++) {
		woken = open;
		woken.waker = 3 + i;
		wp_topshares_add(&s, &woken, 10, 0);
		woken.owner = 1;
		wp_topshares_add(&s, &woken, 10, 0);
		woken.lock = 1;
		wp_topshares_add(&s, &woken, 10, 0);
		woken.object = 2 + i;
		wp_topshares_add(&s, &woken, 10, 0);
	}
	wp_topshares_turn(&s, true);
	ok(s.nr_shown == 8, "each name makes a share");
	wp_topshares_free(&s);
	free(stack);
}

/*
 * Threads that sleep and wake at random. Some closed intervals are read one epoch late.
 * Over all epochs the sums are those of the intervals, and no thread has more than
 * an interval is long.
 */
static void test_random(void)
{
	enum { THREADS = 50, EPOCHS = 2000, LENGTH = 1000 };
	__u64 since[THREADS] = { 0 }, real[THREADS] = { 0 }, seen[THREADS] = { 0 }, now = 0, over = 0;
	struct wp_topshares s = { 0 };
	unsigned int i, e, bad = 0;
	size_t j;

	srand(1);
	for (e = 0; e < EPOCHS; e++) {
		for (i = 0; i < THREADS; i++) {
			__u64 at = now;

			/* Each sleeps, is recorded when it wakes, and runs for a moment. */
			while (rand() % 3) {
				struct wp_topkey key = key_of(i + 1, since[i] % 3, NULL);
				__u64 wakes = at + rand() % 400;

				if (wakes >= now + LENGTH)
					break;
				if (wakes > since[i]) {
					wp_topshares_add(&s, &key, wakes - since[i], 0);
					real[i] += wakes - since[i];
				}
				since[i] = at = wakes > since[i] ? wakes : since[i];
			}
		}
		now += LENGTH;
		for (i = 0; i < THREADS; i++) {
			struct wp_topkey key = key_of(i + 1, since[i] % 3, NULL);

			wp_topshares_open(&s, &key, now - since[i], 0);
		}
		wp_topshares_turn(&s, true);
		for (j = 0; j < s.nr_shown; j++) {
			seen[s.shown[j].key.tid - 1] += s.shown[j].ns[WP_TOP_BLOCKED];
			over += s.shown[j].ns[WP_TOP_BLOCKED] > LENGTH;
		}
	}
	for (i = 0; i < THREADS; i++)
		bad += seen[i] != real[i] + (now - since[i]) || seen[i] != now;
	ok(!bad && !over, "random intervals: %u of %u threads do not have all of theirs, %llu times more than all",
	   bad, THREADS, (unsigned long long)over);
	wp_topshares_free(&s);
}

static void test_most(void)
{
	struct wallprof_task task = task_of(7, 1, WALLPROF_TASK_OFF, WALLPROF_STATE_SLEEPING, S);
	struct wp_topoptions o = { .threads = true };
	/* accept(2) of x86 and of arm64, whichever this is, is none of these: by name. */
	struct wp_topkey idle = key_of(1, 0, NULL), a = key_of(1, 1, NULL), run = { 0 };
	struct wp_stack *stack = calloc(1, sizeof(*stack));
	struct wp_topshares s = { 0 };
	struct wp_toptable t;
	unsigned int call;

	for (call = 0; call < 500; call++) {
		struct wp_cause cause;

		idle.syscall = call;
		wp_topkey_cause(&idle, &cause);
		if (wp_cause_idle(&cause, idle.state))
			break;
	}
	if (wp_toptable_init(&t, S, 4))
		abort();
	task.run_ns = S;
	task.since = 2 * S;
	live(&t, 0, &task, 11 * S, "most");
	run = key_of(1, 0, NULL);
	run.oncpu = true;
	run.reason = 0;
	wp_topshares_sample(&s, &run, 5);
	wp_topshares_add(&s, &a, S, 0);
	a.user = stack;
	wp_topshares_add(&s, &a, 2 * S, 0);
	wp_topshares_add(&s, &idle, 6 * S, 0);
	turn(&t, &s, 11 * S, &o);
	ok(call < 500 && t.view[0]->most != SIZE_MAX && !t.view[0]->most_oncpu &&
	   s.shown[t.view[0]->most].key.syscall == call && t.view[0]->most_ns == 6 * S &&
	   t.view[0]->idle == 6 * S, "what it did most");
	o.no_idle = true;
	wp_toptable_view(&t, &s, &o);
	ok(s.shown[t.view[0]->most].key.user == stack && t.view[0]->most_ns == 3 * S &&
	   wp_toprow_blocked(t.view[0], &o) == 3 * S,
	   "without waits for work: another reason, of all its stacks; and its largest");
	live(&t, 0, &task, 12 * S, "most");
	wp_topshares_add(&s, &idle, S, 0);
	turn(&t, &s, 12 * S, &o);
	ok(!t.nr_view && t.left_out == 1, "one that does nothing else is left out");
	task.phase = WALLPROF_TASK_RUNNING;
	task.off_ns = 10 * S;
	task.since = 12 * S;
	live(&t, 0, &task, 14 * S, "most");
	wp_topshares_add(&s, &a, S, 0);
	turn(&t, &s, 14 * S, &o);
	ok(t.nr_view == 1 && t.view[0]->most_oncpu && t.view[0]->most == SIZE_MAX,
	   "on a CPU, without a sample");
	wp_toptable_free(&t);
	wp_topshares_free(&s);
	free(stack);
}

/* Of a whole host: a kernel thread that waits for work, one in D, and one that ran. */
static void test_kthreads(void)
{
	static const __u8 states[] = { WALLPROF_STATE_IDLE, WALLPROF_STATE_DISK,
				       WALLPROF_STATE_SLEEPING, WALLPROF_STATE_SLEEPING };
	static const char *const names[] = { "kworker/0:1", "jbd2/vda1-8", "ksoftirqd/0",
					     "kworker/1:0" };
	struct wp_topoptions o = { .no_idle = true };
	struct wp_topshares s = { 0 };
	struct wp_toptable t;
	__u32 i;

	if (wp_toptable_init(&t, S, 8))
		abort();
	for (i = 0; i < 4; i++) {
		struct wallprof_task task = task_of(20 + i, 20 + i, WALLPROF_TASK_OFF, states[i], S);
		struct wp_topkey key = { .tgid = 20 + i, .tid = 20 + i, .start_time = 20 + i,
					 .state = states[i], .reason = WALLPROF_REASON_KERNEL,
					 .syscall = WALLPROF_SYSCALL_NONE };

		task.run_ns = i == 2 ? S / 50 : S / 500;
		task.since += task.run_ns;
		live(&t, i, &task, 2 * S, names[i]);
		wp_topshares_open(&s, &key, S - task.run_ns, 0);
	}
	turn(&t, &s, 2 * S, &o);
	ok(!row_of(&t, 20) && t.kthreads == 1 && t.kthreads_ns == S && !t.left_out,
	   "a kernel thread that hardly ran, and waits for work, is hidden, and counted");
	ok(row_of(&t, 21) && row_of(&t, 21)->kthread && wp_toprow_blocked(row_of(&t, 21), &o),
	   "one in D is not");
	ok(row_of(&t, 22) != NULL, "nor one that ran for 2 %%");
	ok(row_of(&t, 23) != NULL, "nor a kworker that sleeps in the middle of its work");
	o.no_idle = false;
	wp_toptable_view(&t, &s, &o);
	ok(t.nr_view == 4 && !t.kthreads && !t.kthreads_ns, "all of them if idle ones are wanted");
	wp_toptable_free(&t);
	wp_topshares_free(&s);
}

/* Threads that ended, and names that nobody knows. */
static void test_ended(void)
{
	struct wp_topoptions o = { .threads = true, .column = WP_TOPCOLUMN_WAIT };
	struct wp_topkey key = { .tgid = 10, .syscall = 3, .state = WALLPROF_STATE_SLEEPING,
				 .reason = WALLPROF_REASON_SYSCALL };
	const struct wp_toprow *sum;
	struct wp_topshares s = { 0 };
	struct wallprof_task task;
	struct wp_toptable t;
	__u32 i;

	if (wp_toptable_init(&t, S, 8))
		abort();
	task = task_of(10, 10, WALLPROF_TASK_RUNNING, 0, S);
	live(&t, 0, &task, 2 * S, "server");
	task = task_of(10, 11, WALLPROF_TASK_OFF, WALLPROF_STATE_SLEEPING, S);
	live(&t, 1, &task, 2 * S, NULL);
	task = task_of(20, 20, WALLPROF_TASK_OFF, WALLPROF_STATE_SLEEPING, S);
	live(&t, 2, &task, 2 * S, NULL);
	task = task_of(20, 21, WALLPROF_TASK_OFF, WALLPROF_STATE_SLEEPING, S);
	live(&t, 3, &task, 2 * S, "worker");
	for (i = 0; i < 3; i++) {
		key.tid = 50 + i;
		key.start_time = 50 + i;
		wp_topshares_add(&s, &key, S / 4, 0);
		task = task_of(10, 50 + i, WALLPROF_TASK_EXITED, 0, 2 * S);
		task.off_ns = S / 4;
		if (wp_toptable_ended(&t, &task, i ? NULL : "short"))
			abort();
	}
	task = task_of(20, 60, WALLPROF_TASK_EXITED, 0, 2 * S);
	task.off_ns = S / 8;
	if (wp_toptable_ended(&t, &task, "only"))
		abort();
	turn(&t, &s, 2 * S, &o);
	sum = row_of(&t, WP_TOP_ENDED);
	ok(t.nr_view == 6 && t.nr_ended == 4 && sum && sum->ended && sum->nr_threads == 3 &&
	   sum->ns[WP_TOP_BLOCKED] == 3 * (S / 4), "threads that ended are one row");
	ok(sum && sum->nr == 3 && sum->most != SIZE_MAX && sum->most_ns == 3 * (S / 4),
	   "with all their shares");
	ok(row_of(&t, 60) && !strcmp(row_of(&t, 60)->comm, "only"), "one alone stays what it is");
	ok(!strcmp(row_of(&t, 11)->comm, "server") && !strcmp(row_of(&t, 20)->comm, "worker"),
	   "names that are not known are the process's, and that has a thread's");
	ok(t.view[0]->tid == 11 && t.view[5]->tid == 10, "in order of the time that they wait");
	o.threads = false;
	wp_toptable_view(&t, &s, &o);
	ok(t.nr_view == 2 && t.view[1]->nr_threads == 5 && t.view[1]->nr == 3 &&
	   !strcmp(t.view[0]->comm, "worker"), "a process has all of them");
	t.self = 10;
	turn(&t, &s, 3 * S, &o);
	task = task_of(10, 11, WALLPROF_TASK_OFF, WALLPROF_STATE_SLEEPING, S);
	live(&t, 1, &task, 4 * S, NULL);
	o.no_idle = true;
	turn(&t, &s, 4 * S, &o);
	ok(!t.nr_view && t.left_out == 1, "whoever looks is idle when it waits");
	wp_toptable_free(&t);
	wp_topshares_free(&s);
}

static const struct wp_topshare *samples_of(const struct wp_topshares *s, __u32 tid,
					     unsigned int event)
{
	size_t i;

	for (i = 0; i < s->nr_shown; i++) {
		if (s->shown[i].key.tid == tid && s->shown[i].key.event == event)
			return &s->shown[i];
	}
	abort();
}

/* The samples of each event are of all the time that a thread ran. */
static void test_events(void)
{
	struct wp_topoptions o = { .column = WP_TOPCOLUMN_EVENT };
	struct wallprof_task task[2];
	struct wp_stack *stack = calloc(1, sizeof(*stack));
	struct wp_topkey key = { .tgid = 7, .oncpu = true };
	struct wp_topshares s = { 0 };
	struct wp_toptable t;
	__u32 i;

	if (wp_toptable_init(&t, S, 4))
		abort();
	for (i = 0; i < 2; i++) {
		task[i] = task_of(7 + i, 1 + i, WALLPROF_TASK_UNSEEN, WALLPROF_STATE_RUNNING, S);
		live(&t, i, &task[i], 11 * S, "events");
		key.tgid = 7 + i;
		key.tid = 1 + i;
		key.start_time = 1 + i;
		key.event = 0;
		key.user = NULL;
		wp_topshares_sample(&s, &key, i ? 1000 : 3);
		key.user = stack;
		wp_topshares_sample(&s, &key, 1);
		key.event = 3;
		wp_topshares_sample(&s, &key, 5 - i);
	}
	turn(&t, &s, 11 * S, &o);
	ok(t.view[0]->tgid == 8 && t.view[0]->events[0] == 1001 && t.view[0]->events[3] == 4 &&
	   t.view[1]->events[0] == 4 && t.view[1]->events[3] == 5 && !t.view[0]->events[1] &&
	   t.events[0] == 1005 && t.events[3] == 9, "the numbers of each event, the most first");
	ok(samples_of(&s, 1, 3)->ns[WP_TOP_RUN] == 10 * (__s64)S &&
	   samples_of(&s, 1, 3)->weight == 5, "all the time is that of one event");
	ok(t.view[1]->most_oncpu && !s.shown[t.view[1]->most].key.user &&
	   s.shown[t.view[1]->most].ns[WP_TOP_RUN] == 3 * 10 * (__s64)S / 4,
	   "and of the other, by its own samples");
	o.event = 3;
	wp_toptable_view(&t, &s, &o);
	ok(t.view[0]->tgid == 7 && s.shown[t.view[0]->most].key.user == stack &&
	   s.shown[t.view[0]->most].key.event == 3,
	   "another event is selected: its order, and its stacks");
	wp_toptable_free(&t);
	wp_topshares_free(&s);
	free(stack);
}

int main(void)
{
	test_open();
	test_rates();
	test_processes();
	test_order();
	test_shares();
	test_names();
	test_random();
	test_most();
	test_kthreads();
	test_ended();
	test_events();
	return done();
}
