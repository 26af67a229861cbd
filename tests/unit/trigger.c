// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of triggers: their syntax, and that of random streams of switches and wakeups
 * just those waits are found that a plain model of each thread finds.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/record/trigger.h"
#include "tap.h"

#define MS	1000000ULL
#define CPUS	4
#define THREADS	40
#define D	2
#define PREEMPTED 0x100

static void syntax(void)
{
	static const char *const bad[] = {
		"", "blocked", "blocked>", ">1ms", "blocked>x", "sleeping>1ms", "blocked>1ms,",
		"blocked>1ms,comm=", "blocked>1ms,pid=0", "blocked>1ms,tid=-1",
		"blocked>1ms,tid=1x", "blocked>1ms,pid=99999999999", "runnable>1ms,state=D",
		"blocked>1ms,state=", "blocked>1ms,state=Q", "blocked>1ms,state=X",
		"blocked>1ms,foo=1", "blocked<1ms", "blocked>99999999999999999s",
		"blocked>1ms,comm=0123456789012345678901234567890123456789012345678901234567890123",
	};
	struct wp_trigger t;
	unsigned int i;

	ok(!wp_trigger_parse(&t, "blocked>100ms") && t.kind == WP_TRIGGER_BLOCKED &&
	   t.ns == 100 * MS && !t.name[0] && !t.tid && !t.tgid && !t.states, "blocked");
	ok(!wp_trigger_parse(&t, "runnable>20,comm=a:b*,pid=3,tid=4") &&
	   t.kind == WP_TRIGGER_RUNNABLE && t.ns == 20 * MS && !strcmp(t.name, "a:b*") &&
	   t.tgid == 3 && t.tid == 4, "runnable, of a thread; a number alone is milliseconds");
	ok(!wp_trigger_parse(&t, "blocked>1s,state=DT") && t.states == (2 | 4), "in a state");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		wp_clear_errors();
		if (wp_trigger_parse(&t, bad[i]) != -22 || !strstr(wp_last_error(), "not a trigger"))
			break;
	}
	ok(i == sizeof(bad) / sizeof(bad[0]), "what is none is refused (%u: %s)", i,
	   i < sizeof(bad) / sizeof(bad[0]) ? bad[i] : "all");
	ok(!strcmp(wp_trigger_state_name(0x100), "R") && !strcmp(wp_trigger_state_name(D), "D") &&
	   !strcmp(wp_trigger_state_name(0x80), "I"), "states have letters");
}

static const char *name_of(void *ctx, __u32 tid)
{
	return tid % 2 ? "odd" : tid == 8 ? NULL : "even";
}

static struct wp_watch watch_for(struct wp_trigger *t, const char *text)
{
	struct wp_watch w;

	if (wp_trigger_parse(t, text) || wp_watch_open(&w, t, 1, CPUS))
		exit(2);
	w.name = name_of;
	return w;
}

static void leaves(struct wp_watch *w, __u32 cpu, __u64 time, __u32 tid, unsigned int state,
		   __u32 next)
{
	const struct wallprof_record r = {
		.type = WALLPROF_RECORD_SWITCH, .state = state, .time = time,
		.tid = tid, .tgid = tid / 10 * 10, .other_tid = next,
		.other_tgid = next / 10 * 10,
	};

	wp_watch_record(w, cpu, &r);
}

static void is_woken(struct wp_watch *w, __u64 time, __u32 tid, __u32 cpu, bool born)
{
	const struct wallprof_record r = {
		.type = born ? WALLPROF_RECORD_WAKEUP_NEW : WALLPROF_RECORD_WAKING,
		.cpu = cpu, .time = time, .tid = tid, .tgid = tid / 10 * 10,
	};

	wp_watch_record(w, 0, &r);
}

static void waits(void)
{
	struct wp_trigger t;
	struct wp_watch w = watch_for(&t, "blocked>10ms");
	struct wp_wait got;
	const struct wallprof_record lost = { .type = WALLPROF_RECORD_LOST, .lost = 1 };

	leaves(&w, 1, 5 * MS, 7, D, 0);
	wp_watch_look(&w, 15 * MS);
	ok(!wp_watch_take(&w, &got), "not longer than it says");
	wp_watch_look(&w, 15 * MS + 1);
	ok(wp_watch_take(&w, &got) && got.tid == 7 && got.since == 5 * MS && !got.over &&
	   got.ns == 10 * MS + 1 && got.cpu == 1 && got.state == D &&
	   got.kind == WP_TRIGGER_BLOCKED, "one that hangs");
	wp_watch_look(&w, 99 * MS);
	is_woken(&w, 100 * MS, 7, 1, false);
	ok(!wp_watch_take(&w, &got), "is reported once");
	leaves(&w, 1, 101 * MS, 0, 0, 7);
	leaves(&w, 1, 102 * MS, 7, D, 0);
	is_woken(&w, 113 * MS, 7, 1, false);
	ok(wp_watch_take(&w, &got) && got.over && got.ns == 11 * MS, "one that is over");
	wp_watch_look(&w, 999 * MS);
	ok(!wp_watch_take(&w, &got), "who is woken is not blocked");
	leaves(&w, 1, 1000 * MS, 8, PREEMPTED, 0);
	leaves(&w, 2, 1000 * MS, 9, 0, 0);
	leaves(&w, 3, 1000 * MS, 10, 0x20, 0);
	wp_watch_look(&w, 2000 * MS);
	ok(!wp_watch_take(&w, &got), "nor who could run on, or is dead");
	leaves(&w, 1, 2000 * MS, 5, D, 0);
	leaves(&w, 2, 1999 * MS, 0, 0, 5);
	wp_watch_look(&w, 2011 * MS);
	ok(wp_watch_take(&w, &got) && got.tid == 5, "what comes late changes nothing");
	leaves(&w, 1, 3000 * MS, 5, D, 0);
	wp_watch_record(&w, 2, &lost);
	wp_watch_look(&w, 4000 * MS);
	ok(!wp_watch_take(&w, &got) && !w.nr, "behind a gap nothing is known");
	wp_watch_close(&w);
	wp_watch_close(&w);

	w = watch_for(&t, "runnable>10ms");
	leaves(&w, 1, 1 * MS, 4, D, 7);
	is_woken(&w, 2 * MS, 7, 1, false);
	wp_watch_look(&w, 20 * MS);
	ok(!wp_watch_take(&w, &got), "who is woken while it runs runs on");
	is_woken(&w, 20 * MS, 6, 2, false);
	wp_watch_look(&w, 40 * MS);
	ok(!wp_watch_take(&w, &got), "on an unknown CPU nothing is reported");
	is_woken(&w, 40 * MS, 9, 1, false);
	is_woken(&w, 45 * MS, 9, 1, false);
	wp_watch_look(&w, 51 * MS);
	ok(wp_watch_take(&w, &got) && got.tid == 9 && got.ns == 11 * MS,
	   "one that was blocked at the start, from its first wakeup");
	is_woken(&w, 60 * MS, 30, 2, true);
	leaves(&w, 2, 71 * MS, 0, 0, 30);
	ok(wp_watch_take(&w, &got) && got.tid == 30 && got.over, "one that was born");
	leaves(&w, 2, 80 * MS, 30, PREEMPTED, 0);
	wp_watch_look(&w, 91 * MS);
	ok(wp_watch_take(&w, &got) && got.since == 80 * MS, "one that was preempted");
	wp_watch_close(&w);
}

/* Whether a thread that is blocked for long is found. */
static bool finds(const char *text, __u32 tid, unsigned int state)
{
	struct wp_trigger t;
	struct wp_watch w = watch_for(&t, text);
	struct wp_wait got;
	bool found;

	leaves(&w, 0, 1, tid, state, 0);
	wp_watch_look(&w, 10 * MS);
	found = wp_watch_take(&w, &got);
	wp_watch_close(&w);
	return found;
}

static void filters(void)
{
	ok(finds("blocked>1ms,comm=o?d", 7, 1) && !finds("blocked>1ms,comm=odd", 6, 1) &&
	   !finds("blocked>1ms,comm=*", 8, 1), "by name");
	ok(finds("blocked>1ms,pid=70", 73, 1) && !finds("blocked>1ms,pid=70", 83, 1),
	   "by process");
	ok(finds("blocked>1ms,tid=73", 73, 1) && !finds("blocked>1ms,tid=73", 74, 1),
	   "by thread");
	ok(finds("blocked>1ms,state=DT", 7, 4) && !finds("blocked>1ms,state=DT", 7, 1),
	   "by state");
	ok(!finds("blocked>1ms", 0, 1) && !finds("blocked>1ms", ~0U, 1),
	   "not the idle threads, nor those that are not visible");
}

/* What a thread is at, as plainly as can be. */
struct model {
	enum { RUNS, BLOCKED, RUNNABLE } is;
	__u64 since;
	__u32 cpu;
	bool reported;
};

struct world {
	struct model th[THREADS + 1];
	__u32 runs[CPUS];
	__u64 limit;
	unsigned long waits;
	unsigned long wrong;
	struct wp_watch w;
};

static unsigned long draw(unsigned long n)
{
	static __u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x % n;
}

/* The watch is to have found just @tid, or nothing if that is 0. */
static void compare(struct world *s, __u32 tid)
{
	struct wp_wait got;
	bool found = wp_watch_take(&s->w, &got);

	s->waits += tid != 0;
	s->wrong += found != !!tid || (found && (got.tid != tid || got.since != s->th[tid].since));
}

static bool is_long(struct world *s, __u32 tid, __u64 now)
{
	struct model *m = &s->th[tid];
	bool found = m->is == BLOCKED && !m->reported && now - m->since > s->limit;

	m->reported |= found;
	return found;
}

static void step(struct world *s, __u64 now)
{
	__u32 cpu = draw(CPUS), tid = 1 + draw(THREADS), prev = s->runs[cpu];
	struct model *m = &s->th[tid];

	if (m->is == BLOCKED) {
		bool found = is_long(s, tid, now);

		is_woken(&s->w, now, tid, m->cpu, false);
		compare(s, found ? tid : 0);
		*m = (struct model){ .is = RUNNABLE, .since = now, .cpu = m->cpu };
	} else if (m->is == RUNS) {
		/* In vain. */
		is_woken(&s->w, now, tid, m->cpu, false);
		compare(s, 0);
	} else {
		unsigned int state = draw(3) ? D : PREEMPTED;

		leaves(&s->w, cpu, now, prev, prev ? state : 0, tid);
		compare(s, 0);
		s->th[prev] = (struct model){ .is = state == D ? BLOCKED : RUNNABLE, .since = now,
					      .cpu = cpu };
		*m = (struct model){ .is = RUNS, .cpu = cpu };
		s->runs[cpu] = tid;
	}
}

/* All waits that have become too long are reported; the first of them is found. */
static void look(struct world *s, __u64 now)
{
	unsigned int nr = 0;
	struct wp_wait got;
	bool found, good = false;
	__u32 tid;

	wp_watch_look(&s->w, now);
	found = wp_watch_take(&s->w, &got);
	for (tid = 1; tid <= THREADS; tid++) {
		if (!is_long(s, tid, now))
			continue;
		nr++;
		good |= found && got.tid == tid && got.since == s->th[tid].since;
	}
	s->wrong += found != !!nr || found != good;
	s->waits += nr;
}

static void streams(void)
{
	struct wp_trigger t;
	struct world s = { .limit = MS, .w = watch_for(&t, "blocked>1ms") };
	__u64 now = 0;
	__u32 tid;
	int i;

	for (tid = 1; tid <= THREADS; tid++) {
		s.th[tid] = (struct model){ .is = RUNNABLE, .since = now };
		is_woken(&s.w, now, tid, 0, true);
	}
	for (i = 0; i < 200000; i++) {
		now += 1 + draw(25000);
		step(&s, now);
		if (i % 5 == 0)
			look(&s, now);
	}
	ok(!s.wrong && s.waits > 1000, "of a random stream just the long waits (%lu, %lu wrong)",
	   s.waits, s.wrong);
	ok(s.w.room < 1024, "in memory for so many threads (%zu)", s.w.room);
	wp_watch_close(&s.w);
}

/* Ids that are all different, and share places in a hash table. */
static __u32 tid_of(__u32 i)
{
	return ((__u64)i * i * 40503 >> 6) + 1;
}

static void many(void)
{
	struct wp_trigger t;
	struct wp_watch w = watch_for(&t, "runnable>1ms");
	__u32 i;

	for (i = 1; i <= 100000; i++)
		leaves(&w, 0, i, tid_of(i), D, 0);
	for (i = 1; i <= 100000; i += 2)
		leaves(&w, 0, 100000 + i, 0, 0, tid_of(i));
	ok(w.nr == 50000, "many threads; those that run are no burden (%zu)", w.nr);
	for (i = 2; i <= 100000; i += 2)
		leaves(&w, 0, 200000 + i, 0, 0, tid_of(i));
	ok(!w.nr, "all are found again");
	wp_watch_close(&w);
}

int main(void)
{
	wp_set_verbosity(WP_SILENT);
	syntax();
	waits();
	filters();
	streams();
	many();
	return done();
}
