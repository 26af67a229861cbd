// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of who ran while threads waited for their CPUs: each ns of a time in which a thread
 * was runnable is somebody's, or not known.
 */
#include <string.h>

#include "lib/profile/starved.h"
#include "tap.h"

#define MAX_TEXT	1024

static char text[MAX_TEXT];

static int put(void *ctx, const struct wp_starved_time *t)
{
	size_t at = strlen(text);

	snprintf(text + at, sizeof(text) - at, "%s%d for %d %llu", at ? ", " : "", t->who.tid,
		 t->runner.tid, (unsigned long long)t->ns);
	return 0;
}

static struct wp_schedthread who(int tid)
{
	return (struct wp_schedthread){ .tid = tid, .pid = tid, .prio = 120 + tid % 2,
					.comm = "x" };
}

static struct wp_schedevent switched(__u64 time, __u32 cpu, int from, const char *state, int to)
{
	return (struct wp_schedevent){ .type = WP_SCHED_SWITCH, .time = time, .cpu = cpu,
		.who = who(from), .other = who(to), .state = state[0],
		.preempted = state[1] == '+' };
}

static struct wp_schedevent woken(__u64 time, __u32 cpu, int tid, __u32 to_cpu)
{
	return (struct wp_schedevent){ .type = WP_SCHED_WAKING, .time = time, .cpu = cpu,
		.who = who(tid), .other = who(9), .to_cpu = to_cpu };
}

static struct wp_schedevent moved(__u64 time, int tid, __u32 from, __u32 to)
{
	return (struct wp_schedevent){ .type = WP_SCHED_MIGRATE, .time = time, .cpu = to,
		.who = who(tid), .from_cpu = from, .to_cpu = to };
}

static struct wp_schedevent lost(__u64 time)
{
	return (struct wp_schedevent){ .type = WP_SCHED_LOST, .time = time, .lost = 1 };
}

static void check(const char *what, const struct wp_schedevent *ev, size_t nr, __u64 end,
		  const char *wanted)
{
	struct wp_starved *s;
	int err = wp_starved_new(&s, put, NULL);
	size_t i;

	text[0] = 0;
	for (i = 0; i < nr && !err; i++)
		err = wp_starved_event(s, &ev[i]);
	if (!err)
		err = wp_starved_end(s, end);
	ok(!err && !strcmp(text, wanted), "%s: %s", what, text);
	wp_starved_free(s);
}

#define CHECK(what, wanted, end, ...)						\
do {										\
	const struct wp_schedevent ev[] = { __VA_ARGS__ };			\
										\
	check(what, ev, sizeof(ev) / sizeof(ev[0]), end, wanted);		\
} while (0)

/* Who comes without having been woken was runnable from the beginning on. */
int main(void)
{
	CHECK("preempted, and back", "2 for 1 10, 1 for 2 30", 0,
	      switched(10, 0, 0, "R", 1), switched(20, 0, 1, "R+", 2),
	      switched(50, 0, 2, "S", 1), switched(60, 0, 1, "S", 0));
	CHECK("woken behind two", "3 for 2 25, 1 for 3 5, 1 for 2 15", 0,
	      switched(10, 0, 1, "S", 2), woken(20, 0, 1, 0), switched(35, 0, 2, "S", 3),
	      switched(40, 0, 3, "S", 1));
	CHECK("an idle CPU wakes up", "1 for 0 5", 0,
	      switched(10, 0, 1, "S", 0), woken(20, 1, 1, 0), switched(25, 0, 0, "R", 1));
	CHECK("moved: each part is of its CPU", "2 for 1 5, 1 for 2 10, 1 for 4 15", 0,
	      switched(5, 1, 3, "S", 4), switched(10, 0, 1, "S", 2), woken(20, 0, 1, 0),
	      moved(30, 1, 0, 1), switched(45, 1, 4, "S", 1));
	CHECK("moved before it was woken: that is nothing", "2 for 1 5, 1 for 4 10", 0,
	      switched(5, 1, 3, "S", 4), switched(10, 0, 1, "S", 2), moved(15, 1, 0, 1),
	      woken(20, 0, 1, 1), switched(30, 1, 4, "S", 1));
	CHECK("open at the end", "2 for 1 10, 1 for 2 30", 50,
	      switched(10, 0, 0, "R", 1), switched(20, 0, 1, "R+", 2), woken(50, 0, 5, 3));
	CHECK("a CPU of which nothing is known", "1 for -1 5, 1 for 2 5", 0,
	      switched(10, 0, 1, "S", 2), woken(20, 0, 1, 7), moved(25, 1, 7, 0),
	      switched(30, 0, 2, "S", 1));
	CHECK("nobody knows who ran where events were lost", "3 for 1 10", 0,
	      switched(10, 0, 1, "S", 2), woken(20, 0, 1, 0), lost(40),
	      switched(50, 0, 2, "S", 1), woken(60, 0, 3, 0), switched(70, 0, 1, "R+", 3));
	return done();
}
