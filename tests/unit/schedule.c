// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of schedules: what single events make of a thread, row by row; and hosts that
 * are made up, whose events are given with and without losses: the schedule must have
 * only what their threads did, and without losses all of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/idmap.h"
#include "lib/profile/schedule.h"
#include "tap.h"

#define MAX_TEXT	4096

static const char *const kinds[] = { "run", "wait", "block" };

/* Spans as text: "kind tid@cpu begin-end flags". */
struct text {
	char s[MAX_TEXT];
	bool idle;
};

static int put(void *ctx, const struct wp_span *span)
{
	struct text *text = ctx;
	size_t at = strlen(text->s);

	if (!span->who.tid && !text->idle)
		return 0;
	at += snprintf(text->s + at, MAX_TEXT - at, "%s%s %d@%u %s%llu-%llu%s", at ? ", " : "",
		       kinds[span->kind], span->who.tid, span->cpu, span->cut_begin ? "?" : "",
		       (unsigned long long)span->begin, (unsigned long long)span->end,
		       span->cut_end ? "?" : "");
	if (span->state)
		at += snprintf(text->s + at, MAX_TEXT - at, " %c%s", span->state,
			       span->preempted ? "+" : "");
	if (span->woken)
		snprintf(text->s + at, MAX_TEXT - at, " by %d", span->waker.tid);
	return 0;
}

static struct wp_schedthread who(int tid)
{
	return (struct wp_schedthread){ .tid = tid, .pid = WP_SCHED_NO_PID, .prio = 120,
					.comm = "x" };
}

static struct wp_schedevent switched(__u64 time, __u32 cpu, int from, const char *state, int to)
{
	return (struct wp_schedevent){ .type = WP_SCHED_SWITCH, .time = time, .cpu = cpu,
		.who = who(from), .other = who(to), .state = state[0],
		.preempted = state[1] == '+' };
}

static struct wp_schedevent woken(__u64 time, __u32 cpu, int by, int tid, __u32 to_cpu)
{
	return (struct wp_schedevent){ .type = WP_SCHED_WAKING, .time = time, .cpu = cpu,
		.who = who(tid), .other = who(by), .to_cpu = to_cpu };
}

static struct wp_schedevent born(__u64 time, __u32 cpu, int by, int tid, __u32 to_cpu)
{
	struct wp_schedevent ev = woken(time, cpu, by, tid, to_cpu);

	ev.type = WP_SCHED_WAKEUP_NEW;
	return ev;
}

static struct wp_schedevent moved(__u64 time, __u32 cpu, int tid, __u32 from, __u32 to)
{
	return (struct wp_schedevent){ .type = WP_SCHED_MIGRATE, .time = time, .cpu = cpu,
		.who = who(tid), .from_cpu = from, .to_cpu = to };
}

static struct wp_schedevent other(__u64 time, enum wp_schedevent_type type, int tid)
{
	return (struct wp_schedevent){ .type = type, .time = time, .who = who(tid),
				       .other = who(1) };
}

static struct wp_schedevent lost(__u64 time, __u32 cpu)
{
	return (struct wp_schedevent){ .type = WP_SCHED_LOST, .time = time, .cpu = cpu, .lost = 7 };
}

#define MAX_ROW	8

/* No event ends a row. */
static const struct wp_schedevent none = { .type = WP_SCHED_EXIT, .who = { .tid = -2 } };

static void test_rows(void)
{
	struct {
		const char *what;
		struct wp_schedevent ev[MAX_ROW + 1];
		const char *spans;
		__u64 missed;
	} rows[] = {
		{ "what sleeps is woken, and runs",
		  { switched(10, 0, 5, "S", 0), woken(20, 0, 0, 5, 0), switched(23, 0, 0, "R", 5),
		    switched(30, 0, 5, "D", 0), none },
		  "block 5@0 10-20 S by 0, wait 5@0 20-23 S by 0, run 5@0 23-30 D" },
		{ "one blocked before the recording, and one that waited",
		  { switched(10, 0, 5, "S", 0), woken(20, 0, 0, 6, 0), switched(23, 0, 0, "R", 7),
		    none },
		  "block 6@0 ?10-20 by 0, wait 7@0 ?10-23, block 5@0 10-23? S, wait 6@0 20-23? by 0, run 7@0 23-23?" },
		{ "what ran before it",
		  { switched(10, 0, 0, "R", 5), switched(20, 1, 6, "S", 0), none },
		  "run 6@1 ?10-20 S, run 5@0 10-20?" },
		{ "who is made to leave, and who yields",
		  { switched(10, 0, 5, "R+", 6), switched(15, 0, 6, "R", 5),
		    switched(17, 0, 5, "S", 6), none },
		  "run 6@0 10-15 R, wait 5@0 10-15 R+, run 5@0 15-17 S, wait 6@0 15-17 R, run 6@0 17-17?" },
		{ "a move changes the CPU of what waits",
		  { switched(10, 0, 5, "R+", 6), moved(12, 1, 5, 0, 1), switched(15, 1, 0, "R", 5),
		    none },
		  "wait 5@1 10-15 R+, run 5@1 15-15?, run 6@0 10-15?" },
		{ "and not of what sleeps or runs",
		  { switched(10, 0, 5, "S", 6), moved(12, 0, 5, 0, 1), moved(13, 0, 6, 0, 1),
		    switched(15, 0, 6, "S", 0), none },
		  "run 6@0 10-15 S, block 5@0 10-15? S" },
		{ "wakeups of what waits or runs are none",
		  { switched(10, 0, 0, "R", 5), woken(12, 0, 5, 5, 0), switched(15, 0, 5, "R+", 6),
		    woken(16, 0, 6, 5, 0), switched(19, 0, 6, "S", 5), none },
		  "run 5@0 10-15 R+, wait 6@0 ?10-15, run 6@0 15-19 S, wait 5@0 15-19 R+, run 5@0 19-19?" },
		{ "one that is woken on its way off its CPU waits from then on",
		  { switched(10, 0, 0, "R", 5), woken(14, 1, 9, 5, 0), switched(15, 0, 5, "S", 6),
		    switched(19, 0, 6, "S", 5), none },
		  "run 5@0 10-15 S, wait 6@0 ?10-15, run 6@0 15-19 S, wait 5@0 15-19 S by 9, "
		  "run 5@0 19-19?, run 9@1 ?10-19?" },
		{ "a birth",
		  { switched(10, 0, 0, "R", 5), other(11, WP_SCHED_FORK, 6), born(12, 0, 5, 6, 1),
		    switched(15, 1, 0, "R", 6), switched(19, 1, 6, "X", 0), none },
		  "wait 6@1 12-15, run 6@1 15-19 X, run 5@0 10-19?" },
		{ "names and forks behind the last switch end nothing later",
		  { switched(10, 0, 0, "R", 5), woken(12, 0, 5, 6, 0), switched(15, 1, 7, "S", 0),
		    other(900, WP_SCHED_NAME, 5), other(950, WP_SCHED_FORK, 8), none },
		  "block 6@0 ?10-12 by 5, run 7@1 ?10-15 S, run 5@0 10-15?, wait 6@0 12-15? by 5" },
		{ "a death, and another one with its id",
		  { switched(10, 0, 0, "R", 6), switched(12, 0, 6, "Z", 0), born(15, 0, 0, 6, 0),
		    switched(16, 0, 0, "R", 6), none },
		  "run 6@0 10-12 Z, wait 6@0 15-16, run 6@0 16-16?" },
		{ "one whose death was not seen",
		  { switched(10, 0, 0, "R", 6), switched(12, 0, 6, "S", 0), born(15, 0, 0, 6, 0),
		    switched(16, 0, 0, "R", 6), none },
		  "run 6@0 10-12 S, block 6@0 12-15? S, wait 6@0 15-16, run 6@0 16-16?" },
		{ "threads without an id, dead or elsewhere",
		  { switched(10, 0, 0, "R", 6), switched(12, 0, -1, "X", -1), woken(13, 0, -1, -1, 0),
		    switched(15, 0, -1, "S", 7), switched(16, 0, -1, "S", 0), none },
		  "run 6@0 10-12 X, wait 7@0 ?10-15, run 7@0 15-15?", 1 },
		{ "another one leaves than ran",
		  { switched(10, 0, 0, "R", 6), woken(12, 0, 6, 8, 0), switched(15, 0, 7, "S", 0),
		    switched(17, 1, 0, "R", 8), none },
		  "block 8@0 ?10-12 by 6, run 6@0 10-12?, wait 8@1 ?15-17, run 8@1 17-17?, block 7@0 15-17? S", 1 },
		{ "one that runs elsewhere",
		  { switched(10, 0, 0, "R", 6), switched(15, 1, 0, "R", 6), switched(18, 1, 6, "S", 0),
		    switched(20, 0, 0, "R", 0), none },
		  "run 6@0 10-10?, run 6@1 15-18 S", 1 },
		{ "one that runs elsewhere when the recording of its CPU was over",
		  { switched(10, 0, 0, "R", 6), switched(15, 1, 0, "R", 6), switched(18, 1, 6, "S", 0),
		    none },
		  "run 6@0 10-10?, run 6@1 15-18 S", 0 },
		{ "behind a loss nobody runs",
		  { switched(10, 0, 5, "S", 6), woken(11, 0, 6, 7, 0), lost(13, 0),
		    switched(20, 0, 7, "S", 6), none },
		  "block 7@0 ?10-11 by 6, run 6@0 10-11?, block 5@0 10-11? S, run 6@0 20-20?" },
		{ "who is known to run elsewhere runs on",
		  { switched(10, 0, 0, "R", 5), switched(11, 1, 0, "R", 6), lost(13, 0),
		    switched(20, 0, 0, "R", 7), switched(22, 1, 6, "S", 0), none },
		  "wait 6@1 ?10-11, run 5@0 10-10?, run 6@1 11-22 S, run 7@0 20-22?" },
		{ "a thread that was blocked when events were lost may have run",
		  { switched(10, 0, 5, "S", 0), switched(11, 1, 0, "R", 6), lost(13, 1),
		    switched(20, 1, 8, "S", 0), woken(25, 0, 0, 5, 0), none },
		  "wait 6@1 ?10-11, run 6@1 11-11?, block 5@0 10-11? S, block 5@0 ?20-25 by 0, "
		  "block 8@1 20-25? S" },
		{ "a wakeup shows who ran there",
		  { switched(10, 0, 5, "S", 0), woken(12, 1, 8, 5, 0), switched(15, 1, 8, "S", 0),
		    none },
		  "block 5@0 10-12 S by 8, run 8@1 ?10-15 S, wait 5@0 12-15? S by 8" },
		{ "time does not go back",
		  { switched(10, 0, 0, "R", 5), switched(8, 0, 5, "S", 0), woken(7, 0, 0, 5, 0),
		    switched(20, 0, 0, "R", 5), none },
		  "run 5@0 10-10 S, block 5@0 10-10 S by 0, wait 5@0 10-20 S by 0, run 5@0 20-20?" },
	};
	unsigned int i, j;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct text text = {};
		struct wp_schedule *s;
		int err;

		err = wp_schedule_new(&s, put, &text);
		for (j = 0; !err && rows[i].ev[j].who.tid != -2; j++)
			err = wp_schedule_event(s, &rows[i].ev[j]);
		if (!err)
			err = wp_schedule_end(s, 0);
		if (!ok(!err && !strcmp(text.s, rows[i].spans) &&
			wp_schedule_missed(s) == rows[i].missed, "%s", rows[i].what))
			printf("# %s\n# not %s; %llu missed\n", text.s, rows[i].spans,
			       (unsigned long long)wp_schedule_missed(s));
		wp_schedule_free(s);
	}
}

/*
 * A host that is made up. truth[] has what each thread does, from each time on, until
 * it does something else.
 */
#define THREADS		12
#define CPUS		3
#define MAX_EVENTS	4000
#define MAX_TRUTH	6000

enum { DEAD = 3 };

struct truth {
	__u64 time;
	int tid;
	unsigned int kind;
	__u32 cpu;
};

struct host {
	struct wp_schedevent ev[MAX_EVENTS];
	unsigned int nr;
	struct truth truth[MAX_TRUTH];
	unsigned int nr_truth;
	unsigned int kind[THREADS + 1];
	__u32 cpu[THREADS + 1];
	int running[CPUS];
	__u64 now;
};

static void does(struct host *h, int tid, unsigned int kind, __u32 cpu)
{
	h->kind[tid] = kind;
	h->cpu[tid] = cpu;
	if (h->nr_truth < MAX_TRUTH)
		h->truth[h->nr_truth++] = (struct truth){ h->now, tid, kind, cpu };
}

static void add_event(struct host *h, struct wp_schedevent ev)
{
	if (h->nr < MAX_EVENTS)
		h->ev[h->nr++] = ev;
}

static int one_of(const struct host *h, unsigned int kind)
{
	int from = rand() % THREADS, i;

	for (i = 0; i < THREADS; i++) {
		if (h->kind[(from + i) % THREADS + 1] == kind)
			return (from + i) % THREADS + 1;
	}
	return 0;
}

static void reschedule(struct host *h, __u32 cpu)
{
	static const char *const states[] = { "S", "D", "R", "R+", "X" };
	int from = h->running[cpu], to = one_of(h, WP_SPAN_RUNNABLE);
	const char *state = from ? states[rand() % 5] : "R";

	if (to && h->cpu[to] != cpu) {
		add_event(h, moved(h->now, cpu, to, h->cpu[to], cpu));
		does(h, to, WP_SPAN_RUNNABLE, cpu);
		h->now += rand() % 2;
	}
	add_event(h, switched(h->now, cpu, from, state, to));
	if (from)
		does(h, from, *state == 'R' ? WP_SPAN_RUNNABLE : *state == 'X' ? DEAD :
		     WP_SPAN_BLOCKED, cpu);
	if (to)
		does(h, to, WP_SPAN_RUNNING, cpu);
	h->running[cpu] = to;
}

static void make_up(struct host *h, unsigned int events)
{
	int tid;

	memset(h, 0, sizeof(*h));
	h->now = 1000;
	for (tid = 1; tid <= THREADS; tid++)
		does(h, tid, rand() % 2 ? WP_SPAN_BLOCKED : WP_SPAN_RUNNABLE, rand() % CPUS);
	h->now++;
	while (h->nr < events) {
		__u32 cpu = rand() % CPUS, to = rand() % CPUS;

		h->now += rand() % 4;
		switch (rand() % 8) {
		case 0:
			tid = one_of(h, DEAD);
			if (tid)
				add_event(h, born(h->now, cpu, h->running[cpu], tid, to));
			break;
		case 1:
		case 2:
		case 3:
			tid = one_of(h, WP_SPAN_BLOCKED);
			if (tid)
				add_event(h, woken(h->now, cpu, h->running[cpu], tid, to));
			break;
		default:
			reschedule(h, cpu);
			continue;
		}
		if (tid)
			does(h, tid, WP_SPAN_RUNNABLE, to);
	}
}

/* Whether the thread did that, and nothing else, from @span->begin to @span->end. */
static bool is_true(const struct host *h, const struct wp_span *span)
{
	unsigned int kind = DEAD, i;

	for (i = 0; i < h->nr_truth && h->truth[i].time < span->end; i++) {
		const struct truth *t = &h->truth[i];

		if (t->tid != span->who.tid)
			continue;
		/* What it did before it began to do this is of no interest. */
		if (t->time > span->begin && (kind != span->kind || t->kind != kind))
			return false;
		kind = t->kind;
	}
	return kind == span->kind || span->begin == span->end;
}

struct judge {
	const struct host *host;
	unsigned int spans;
	unsigned int wrong;
	unsigned int overlap;
	unsigned int apart;
	__u64 sum;
	struct {
		__u64 end;
		__u32 serial;
	} last[THREADS + 1];
};

static int judge(void *ctx, const struct wp_span *span)
{
	struct judge *j = ctx;
	int tid = span->who.tid;

	if (!tid)
		return 0;
	j->spans++;
	j->sum += span->end - span->begin;
	j->wrong += !is_true(j->host, span);
	if (j->last[tid].end && j->last[tid].serial == span->serial) {
		j->overlap += span->begin < j->last[tid].end;
		j->apart += span->begin > j->last[tid].end;
	}
	j->last[tid].end = span->end;
	j->last[tid].serial = span->serial;
	return 0;
}

/* All that threads did from the first event on: alive, and seen. */
static __u64 life(const struct host *h, __u64 start)
{
	__u64 sum = 0, since;
	unsigned int i;
	int tid;

	for (tid = 1; tid <= THREADS; tid++) {
		unsigned int kind = DEAD;

		for (since = start, i = 0; i <= h->nr_truth; i++) {
			__u64 time = i < h->nr_truth ? h->truth[i].time : h->now;

			if (i < h->nr_truth && h->truth[i].tid != tid)
				continue;
			time = time < start ? start : time;
			if (kind != DEAD)
				sum += time - since;
			since = time;
			kind = i < h->nr_truth ? h->truth[i].kind : kind;
		}
	}
	return sum;
}

/* Leaves out some events of a CPU here and there, and says where the first one was. */
static void leave_out(struct host *h, unsigned int places)
{
	static struct wp_schedevent kept[MAX_EVENTS];
	unsigned int skip[CPUS] = {}, i, nr = 0;

	for (i = 0; i < h->nr; i++) {
		const struct wp_schedevent *ev = &h->ev[i];

		if (!skip[ev->cpu] && i && rand() % h->nr < places) {
			skip[ev->cpu] = 1 + rand() % 6;
			kept[nr++] = lost(ev->time, ev->cpu);
		}
		if (skip[ev->cpu])
			skip[ev->cpu]--;
		else
			kept[nr++] = *ev;
	}
	memcpy(h->ev, kept, nr * sizeof(kept[0]));
	h->nr = nr;
}

static struct judge run_host(const struct host *h, __u64 *missed)
{
	struct judge j = { .host = h };
	struct wp_schedule *s;
	unsigned int i;
	int err;

	err = wp_schedule_new(&s, judge, &j);
	for (i = 0; !err && i < h->nr; i++)
		err = wp_schedule_event(s, &h->ev[i]);
	if (!err)
		err = wp_schedule_end(s, h->now);
	j.wrong += err != 0;
	*missed += wp_schedule_missed(s);
	wp_schedule_free(s);
	return j;
}

static void test_hosts(void)
{
	static struct host h;
	unsigned int i, wrong = 0, apart = 0, overlap = 0, short_of = 0, spans = 0;
	__u64 missed = 0;
	struct judge j;

	srand(1);
	for (i = 0; i < 50; i++) {
		make_up(&h, 2000);
		j = run_host(&h, &missed);
		wrong += j.wrong;
		apart += j.apart + j.overlap;
		short_of += j.sum != life(&h, h.ev[0].time);
	}
	ok(!wrong, "of whole hosts all spans are true (%u wrong)", wrong);
	ok(!apart, "spans are adjacent (%u are not)", apart);
	ok(!short_of, "and are all that there is (%u times they are not)", short_of);
	ok(!missed, "and nothing seems to be missing");
	wrong = 0;
	for (i = 0; i < 200; i++) {
		make_up(&h, 500);
		leave_out(&h, 1 + i % 20);
		j = run_host(&h, &missed);
		wrong += j.wrong;
		overlap += j.overlap;
		spans += j.spans;
	}
	ok(!wrong && spans > 10000, "with losses, too (%u of %u wrong)", wrong, spans);
	ok(!overlap, "and spans do not overlap (%u do)", overlap);
}

/* Anything: it need not make sense, but must end well. */
static void test_noise(void)
{
	static const char states[] = "RSDTtXZPI?";
	struct text text = { .idle = true };
	struct wp_schedule *s;
	unsigned int i;
	int err;

	err = wp_schedule_new(&s, put, &text);
	for (i = 0; i < 200000 && !err; i++) {
		struct wp_schedevent ev = {
			.type = rand() % (WP_SCHED_LOST + 1),
			.time = rand() % 10 ? i : (__u64)rand() << rand() % 40,
			.cpu = rand() % 10 ? rand() % 4 : rand(),
			.who = who(rand() % 20 - 2),
			.other = who(rand() % 20 - 2),
			.state = states[rand() % 10],
			.preempted = rand() % 2,
			.to_cpu = rand(),
		};

		if (!(rand() % 50))
			ev.who.tid = rand();
		memset(ev.who.comm, 'y', sizeof(ev.who.comm));
		text.s[0] = 0;
		err = wp_schedule_event(s, &ev);
	}
	text.s[0] = 0;
	ok(!err, "noise ends well");
	wp_schedule_free(s);
}

static int refuse(void *ctx, const struct wp_span *span)
{
	return -ENOSPC;
}

static void test_refusal(void)
{
	const struct wp_schedevent a = switched(1, 0, 0, "R", 5), b = switched(2, 0, 5, "S", 0);
	struct wp_schedule *s;

	wp_schedule_new(&s, refuse, NULL);
	ok(!wp_schedule_event(s, &a) && wp_schedule_event(s, &b) == -ENOSPC &&
	   wp_schedule_serial(s, 5) != WP_SCHEDULE_NONE &&
	   wp_schedule_serial(s, 6) == WP_SCHEDULE_NONE, "what the caller returns comes back");
	wp_schedule_free(s);
}

static void test_idmap(void)
{
	struct wp_idmap m = {};
	unsigned int i, bad = 0;
	__u32 nr;

	ok(wp_idmap_find(&m, 0) == WP_IDMAP_NONE, "no ids");
	/* Those that a multiple of a power of two would have in one place. */
	for (i = 0; i < 20000; i++)
		bad += wp_idmap_add(&m, i << 16 | i >> 16, &nr) != 1 || nr != i;
	for (i = 0; i < 20000; i++)
		bad += wp_idmap_find(&m, i << 16 | i >> 16) != i ||
		       wp_idmap_add(&m, i << 16 | i >> 16, &nr) || nr != i;
	ok(!bad && wp_idmap_find(&m, ~0U) == WP_IDMAP_NONE && m.nr == 20000,
	   "ids are numbered as they come");
	wp_idmap_free(&m);
}

int main(void)
{
	test_rows();
	test_hosts();
	test_noise();
	test_refusal();
	test_idmap();
	return done();
}
