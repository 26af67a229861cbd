// SPDX-License-Identifier: GPL-2.0
/*
 * What a session records must add up, whatever the load and however small the
 * tables. The tests are named after the invariants of the design:
 *
 *  1  one writer per table: what is read is never torn
 *  2  nothing is allocated, printed or locked in a probe: lockdep and
 *     DEBUG_ATOMIC_SLEEP of a debug kernel report it; the same tests run there
 *  3  epochs: a retired half stays as it is
 *  4  a stack's id outlives its memory
 *  5  every loss is counted by reason, with its time
 *  6  memory: see life.c
 *  7  sessions: see life.c
 *  8  unloading: see unload.c
 *  9  the clock is CLOCK_MONOTONIC
 * 10  user memory is hostile: see hostile.c
 *
 * Above 700 lines: each invariant is judged by whole sessions of the same kinds.
 */
#include "device.h"

FIXTURE(epochs)
{
	struct wallprof_configure c;
	struct session s;
	pid_t pid;
};

FIXTURE_VARIANT(epochs)
{
	__u32 nr_aggrs, stack_words, nr_exits, nr_tasks;
	__u32 flags, stack_flags, states;
	__u64 min_ns, max_ns, wait_ns;
	__u32 nr_waits;
	bool all, sampler, plain;
};

#define ROOMY .nr_aggrs = 4096, .stack_words = 32768, .nr_exits = 4096, .nr_tasks = 4096
#define TINY .nr_aggrs = WALLPROF_MIN_AGGRS, .stack_words = WALLPROF_MIN_STACK_WORDS, \
	.nr_exits = WALLPROF_MIN_EXITS, .nr_tasks = WALLPROF_MIN_TASKS

FIXTURE_VARIANT_ADD(epochs, roomy) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .flags = WALLPROF_INHERIT,
};

FIXTURE_VARIANT_ADD(epochs, everything) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .all = true, .sampler = true,
};

FIXTURE_VARIANT_ADD(epochs, kernel_stacks) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_KERNEL,
	.flags = WALLPROF_INHERIT, .sampler = true,
};

FIXTURE_VARIANT_ADD(epochs, no_stacks) {
	ROOMY, .all = true,
};

FIXTURE_VARIANT_ADD(epochs, no_wakeups) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .all = true, .sampler = true,
	.plain = true,
};

FIXTURE_VARIANT_ADD(epochs, wakers) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .all = true, .sampler = true,
	.flags = WALLPROF_WAKER_STACKS | WALLPROF_WAKER_CHAINS,
};

FIXTURE_VARIANT_ADD(epochs, histograms) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .all = true, .sampler = true,
	.flags = WALLPROF_HISTOGRAMS,
};

FIXTURE_VARIANT_ADD(epochs, histograms_no_wakeups) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .all = true, .plain = true,
	.flags = WALLPROF_HISTOGRAMS,
};

FIXTURE_VARIANT_ADD(epochs, filtered) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .flags = WALLPROF_INHERIT,
	.states = 1U << WALLPROF_STATE_DISK | 1U << WALLPROF_STATE_NEW,
};

FIXTURE_VARIANT_ADD(epochs, within) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .all = true,
	.min_ns = 100000, .max_ns = 3 * MS,
};

FIXTURE_VARIANT_ADD(epochs, within_and_filtered) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .flags = WALLPROF_INHERIT,
	.states = 1U << WALLPROF_STATE_SLEEPING, .min_ns = 1 * MS,
};

FIXTURE_VARIANT_ADD(epochs, single) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .all = true,
	.wait_ns = 200000, .nr_waits = 8192,
};

FIXTURE_VARIANT_ADD(epochs, single_within) {
	ROOMY, .stack_flags = WALLPROF_STACK_USER, .flags = WALLPROF_INHERIT,
	.min_ns = 20000, .max_ns = 10 * MS, .wait_ns = 1, .nr_waits = 8192,
	.sampler = true,
};

FIXTURE_VARIANT_ADD(epochs, single_tiny) {
	TINY, .stack_flags = WALLPROF_STACK_USER,
	.flags = WALLPROF_INHERIT | WALLPROF_HISTOGRAMS,
	.wait_ns = 1, .nr_waits = WALLPROF_MIN_WAITS,
};

FIXTURE_VARIANT_ADD(epochs, tiny) {
	TINY, .stack_flags = WALLPROF_STACK_USER, .flags = WALLPROF_INHERIT,
	.sampler = true,
};

FIXTURE_VARIANT_ADD(epochs, tiny_everything) {
	TINY, .stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_KERNEL, .all = true,
};

FIXTURE_VARIANT_ADD(epochs, tiny_wakers) {
	TINY, .stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_KERNEL, .all = true,
	.flags = WALLPROF_WAKER_STACKS | WALLPROF_WAKER_CHAINS | WALLPROF_HISTOGRAMS,
};

FIXTURE_SETUP(epochs)
{
	self->c = dev_config();
	if (variant->plain)
		self->c.flags &= ~(WALLPROF_WAKEUPS | WALLPROF_WAKERS |
				   WALLPROF_REASONS | WALLPROF_ARGS);
	self->c.flags |= variant->flags;
	self->c.stack_flags = variant->stack_flags;
	self->c.states = variant->states;
	self->c.min_ns = variant->min_ns;
	self->c.max_ns = variant->max_ns;
	self->c.wait_ns = variant->wait_ns;
	self->c.nr_waits = variant->nr_waits;
	self->c.nr_aggrs = variant->nr_aggrs;
	self->c.stack_words = variant->stack_words;
	self->c.nr_exits = variant->nr_exits;
	self->c.nr_tasks = variant->nr_tasks;
	if (variant->sampler)
		dev_sampler(&self->c, 499);
	self->pid = child_of(load_all, (void *)1);
	if (!variant->all)
		dev_target(&self->c, WALLPROF_TARGET_PID, (__u32 *)&self->pid, 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
}

FIXTURE_TEARDOWN(epochs)
{
	child_end(self->pid);
}

/* Invariants 1, 3, 4 and 5: flip as fast as it goes, and add it all up. */
TEST_F_TIMEOUT(epochs, flipped_as_fast_as_it_goes, 120)
{
	__u64 until = now_ns() + scaled(SEC);
	struct session *s = &self->s;
	unsigned int flips = 0;

	do {
		ASSERT_EQ(0, session_flip(s));
		flips++;
	} while (now_ns() < until || flips < 20 ||
		 s->events[0] + s->filtered + s->out_of_range <= 100 ||
		 (variant->states && (!s->filtered || !s->filtered_ns)) ||
		 (variant->min_ns && (!s->out_of_range || !s->out_of_range_ns)) ||
		 (variant->wait_ns && !s->nr_waits) ||
		 (variant->flags & WALLPROF_HISTOGRAMS && !s->nr_hists) ||
		 (variant->sampler && !s->events[1]));
	EXPECT_WHOLE(s);
	if (variant->states) {
		for (size_t i = 0; i < s->nr_aggrs; i++)
			if (s->aggrs[i].kind == WALLPROF_AGGR_OFFCPU)
				EXPECT_NE(0, variant->states & 1U << s->aggrs[i].state);
	}
	if (!variant->stack_flags) {
		EXPECT_EQ(0, s->nr_stacks);
		for (size_t i = 0; i < s->nr_aggrs; i++)
			EXPECT_EQ(0, s->aggrs[i].user_stack | s->aggrs[i].kernel_stack);
	}
	TH_LOG("%u epochs, %llu intervals, %llu samples, %zu aggregates, %zu stacks, lost %llu %llu %llu %llu",
	       flips, (ull)s->events[0], (ull)s->events[1], s->nr_aggrs, s->nr_stacks,
	       (ull)s->lost[0][0].count, (ull)s->lost[0][1].count,
	       (ull)s->lost[0][2].count, (ull)s->lost[0][3].count);
}

/* The filter holds from the first interval on, also of those that START comes to late. */
TEST(filtered_from_the_start)
{
	struct wallprof_configure c = dev_config();
	__u64 ns = 20000;
	pid_t pids[8];

	c.states = 1U << WALLPROF_STATE_DISK;
	for (int i = 0; i < 8; i++)
		pids[i] = child_of(load_naps, &ns);
	for (unsigned int round = 0; round < scaled(10); round++) {
		struct session s;

		ASSERT_EQ(0, session_begin(&s, &c));
		do {
			nap_ns(2 * MS);
			ASSERT_EQ(0, session_flip(&s));
		} while (!s.filtered);
		EXPECT_WHOLE(&s);
		for (size_t i = 0; i < s.nr_aggrs; i++)
			EXPECT_EQ(WALLPROF_STATE_DISK, s.aggrs[i].state);
		session_close(&s);
	}
	for (int i = 0; i < 8; i++)
		child_end(pids[i]);
}

/* A nap of known length, and whether it is in the range or counted as left out. */
static bool nap_is_out(struct __test_metadata *_metadata, __u64 min_ns, __u64 max_ns)
{
	struct wallprof_configure c = dev_config();
	const struct wallprof_task *t;
	__u32 me = getpid();
	__u64 count = 0;
	bool out;
	struct session s;

	c.min_ns = min_ns;
	c.max_ns = max_ns;
	dev_target(&c, WALLPROF_TARGET_TID, &me, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	nap_ns(50 * MS);
	EXPECT_WHOLE(&s);
	t = session_account(&s, me);
	ASSERT_NE(NULL, t);
	EXPECT_LE(s.out_of_range_ns, t->off_ns);
	for (size_t i = 0; i < s.nr_aggrs; i++)
		count += s.aggrs[i].count;
	/* STOP waits, too. */
	count += !!(t->flags & WALLPROF_TASK_OPEN);
	EXPECT_EQ(t->nr_off, count + s.out_of_range);
	/* A CPU that stands still before the sleep makes that shorter. */
	out = s.out_of_range_ns >= 45 * MS;
	session_close(&s);
	return out;
}

TEST(one_interval_out_of_range)
{
	UNTIL(nap_is_out(_metadata, 1000 * SEC, 0));
	UNTIL(nap_is_out(_metadata, 0, 40 * MS));
	UNTIL(!nap_is_out(_metadata, 10 * MS, 0));
	UNTIL(!nap_is_out(_metadata, 0, 1000 * SEC));
}

/* One that sleeps all the time: at STOP its interval is out of range, or not. */
TEST(open_interval_out_of_range)
{
	__u64 ns = 1000 * SEC;
	__u32 pid = child_of(load_naps, &ns);

	UNTIL(is_off(pid, 'S'));
	for (int out = 0; out < 2; out++) {
		struct wallprof_configure c = dev_config();
		const struct wallprof_task *t;
		struct session s;

		*(out ? &c.max_ns : &c.min_ns) = 1 * MS;
		dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
		ASSERT_EQ(0, session_begin(&s, &c));
		nap_ns(20 * MS);
		EXPECT_WHOLE(&s);
		t = session_account(&s, pid);
		ASSERT_NE(NULL, t);
		EXPECT_LE(20 * MS, t->open_ns);
		EXPECT_EQ(out, !!(t->flags & WALLPROF_TASK_OUT_OF_RANGE));
		EXPECT_EQ(0, s.out_of_range);
		session_close(&s);
	}
	child_end(pid);
}

/* A nap that is recorded by itself: when it began, and when it ended. */
static bool nap_is_single(struct __test_metadata *_metadata)
{
	struct wallprof_configure c = dev_config();
	__u64 before, after, found = 0;
	__u32 me = getpid();
	struct session s;

	c.wait_ns = 40 * MS;
	c.nr_waits = WALLPROF_MIN_WAITS;
	dev_target(&c, WALLPROF_TARGET_TID, &me, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	before = now_ns();
	nap_ns(50 * MS);
	after = now_ns();
	EXPECT_WHOLE(&s);
	for (size_t i = 0; i < s.nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s.aggrs[i];

		if (a->max < c.wait_ns || a->last < before + 50 * MS || a->last > after)
			continue;
		EXPECT_EQ(1, a->count);
		EXPECT_LE(before, a->last - a->total);
		EXPECT_NE(0, a->user_stack);
		EXPECT_EQ(WALLPROF_REASON_SYSCALL, a->reason);
		found++;
	}
	EXPECT_LE(found, s.nr_waits);
	session_close(&s);
	return found == 1;
}

TEST(one_interval_by_itself)
{
	UNTIL(nap_is_single(_metadata));
}

/* No room by themselves: they are summed, and that is counted. The reader is woken. */
TEST(intervals_by_themselves_without_room)
{
	struct wallprof_configure c = dev_config();
	__u64 ns = 100000, count = 0;
	struct session s;
	struct pollfd p;
	__u32 pid = child_of(load_naps, &ns);

	c.wait_ns = 50000;
	c.nr_waits = WALLPROF_MIN_WAITS;
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	p = (struct pollfd){ .fd = s.fd, .events = POLLIN };
	/* The stacks and sums of a napper are too few for it. */
	EXPECT_EQ(1, poll(&p, 1, -1));
	EXPECT_NE(0, p.revents & POLLIN);
	UNTIL(session_so_far(&s, 0).waits_full.count > 10);
	EXPECT_WHOLE(&s);
	EXPECT_LE(WALLPROF_MIN_WAITS, s.nr_waits);
	EXPECT_LT(10, s.waits_full.count);
	for (size_t i = 0; i < s.nr_aggrs; i++)
		if (s.aggrs[i].max >= c.wait_ns)
			count += s.aggrs[i].count;
	EXPECT_LE(s.waits_full.count + s.nr_waits, count);
	EXPECT_EQ(0, s.lost[0][WALLPROF_LOSS_AGGR_FULL].count);
	child_end(pid);
}

/* Invariant 5: never flipped, the tables fill up; what is lost is counted. */
TEST_F_TIMEOUT(epochs, not_flipped_at_all, 60)
{
	struct session *s = &self->s;
	struct wallprof_half sum;
	__u64 lost;

	nap_ns(scaled(SEC / 2));
	do {
		nap_ns(5 * MS);
		sum = session_so_far(s, 0);
		lost = 0;
		for (int i = 0; i < WALLPROF_LOSS_MAX; i++)
			lost += sum.lost[i].count;
	} while (variant->nr_aggrs == WALLPROF_MIN_AGGRS ? !lost : !sum.events);
	EXPECT_WHOLE(s);
	/* There was no room: a table is full, then. */
	if (s->lost[0][WALLPROF_LOSS_AGGR_FULL].count) {
		unsigned int full = 0;

		for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++)
			full += session_half(s, cpu, 0, s->epoch)->nr_aggrs ==
				s->c.nr_aggrs;
		EXPECT_LT(0, full);
	}
}

/* Invariant 3: when FLIP returned, nobody writes to the retired half. */
TEST_F_TIMEOUT(epochs, a_retired_half_stays_as_it_is, 60)
{
	struct session *s = &self->s;
	unsigned char *copy = malloc(s->c.cpu_stride);

	for (unsigned int i = scaled(15); i; i--) {
		size_t bytes = s->c.half_stride;

		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(s));
		for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++) {
			const void *half = session_half(s, cpu, 0, s->epoch);

			memcpy(copy, half, bytes);
			nap_ns(10 * MS);
			EXPECT_EQ(0, memcmp(copy, half, bytes));
			if (!variant->sampler)
				continue;
			half = session_half(s, cpu, 1, s->epoch);
			memcpy(copy, half, s->c.sampler_half_stride);
			nap_ns(10 * MS);
			EXPECT_EQ(0, memcmp(copy, half, s->c.sampler_half_stride));
		}
	}
	EXPECT_WHOLE(s);
}

/* The targets' end in the middle: all of them have their summary. */
TEST_F_TIMEOUT(epochs, the_targets_die, 60)
{
	struct session *s = &self->s;
	siginfo_t info;

	nap_ns(200 * MS);
	ASSERT_EQ(0, session_flip(s));
	kill(self->pid, SIGKILL);
	ASSERT_EQ(0, waitid(P_PID, self->pid, &info, WEXITED | WNOWAIT));
	/* All of its threads have ended; they may still have to leave their CPUs. */
	UNTIL(!session_has_slot(s, self->pid));
	EXPECT_WHOLE(s);
	if (!s->lost[0][WALLPROF_LOSS_EXIT_FULL].count &&
	    !dev_status(s->fd).tasks_failed) {
		const struct wallprof_task *t = session_account(s, self->pid);

		ASSERT_NE(NULL, t);
		EXPECT_EQ(WALLPROF_TASK_EXITED, t->phase);
	}
}

/*
 * Invariant 1 and 5, with one interval known to the reader. A CPU that stands
 * still on the way to sleep makes it shorter than it should be, or lets none
 * be: then it is tried again.
 */
static bool nap_is_whole(struct __test_metadata *_metadata)
{
	const __u64 least = 200 * MS;
	struct wallprof_configure c = dev_config();
	const struct wallprof_task *t;
	unsigned int found = 0;
	struct session s;
	__u32 me = getpid();
	__u64 before, most;

	dev_target(&c, WALLPROF_TARGET_TID, &me, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	before = now_ns();
	nap_ns(least);
	most = now_ns() - before;
	EXPECT_WHOLE(&s);
	for (size_t i = 0; i < s.nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s.aggrs[i];

		EXPECT_EQ(gettid_(), a->tid);
		EXPECT_EQ(getpid(), a->tgid);
		EXPECT_EQ(WALLPROF_AGGR_OFFCPU, a->kind);
		if (a->state != WALLPROF_STATE_SLEEPING || a->last < before)
			continue;
		EXPECT_EQ(1, a->count);
		EXPECT_GE(most, a->total);
		EXPECT_EQ(a->first, a->last);
		EXPECT_NE(0, a->user_stack);
		/* Invariant 9: the clock is the one that the test reads. */
		EXPECT_LE(before + least, a->last);
		EXPECT_GE(before + most, a->last);
		found += a->total >= least;
	}
	EXPECT_GE(1, found);
	t = session_account(&s, gettid_());
	ASSERT_NE(NULL, t);
	EXPECT_LE(s.start, t->born);
	EXPECT_GE(s.begun, t->born);
	session_close(&s);
	return found;
}

TEST(one_interval)
{
	UNTIL(nap_is_whole(_metadata));
}

/* Invariant 9: start, stop and epochs lie where CLOCK_MONOTONIC says. */
TEST(the_clock_is_monotonic)
{
	struct wallprof_configure c = dev_config();
	struct session s;
	__u64 a, b, d, e;

	ASSERT_EQ(0, session_open(&s, &c));
	for (int i = 0; i < 3; i++)
		nap_ns(20 * MS);
	a = now_ns();
	ASSERT_EQ(0, dev_start(s.fd, &s.start));
	b = now_ns();
	EXPECT_LE(a, s.start);
	EXPECT_GE(b, s.start);
	for (int i = 0; i < 10; i++) {
		nap_ns(10 * MS);
		a = now_ns();
		ASSERT_EQ(0, session_flip(&s));
		b = now_ns();
		EXPECT_LE(a, s.flip_time);
		EXPECT_GE(b, s.flip_time);
	}
	d = now_ns();
	ASSERT_EQ(0, dev_stop(s.fd, &s.stop));
	e = now_ns();
	EXPECT_LE(d, s.stop);
	EXPECT_GE(e, s.stop);
}

/*
 * Invariant 4: an interval that began many epochs ago still names its stack,
 * though the memory was used again and again.
 */
TEST_F_TIMEOUT(epochs, a_stack_id_outlives_its_memory, 60)
{
	struct session *s = &self->s;
	const struct wallprof_task *t;
	__u64 ns = 800 * MS, id = 0;
	size_t seen = 0;
	pid_t napper;

	if (!variant->all || !variant->stack_flags || variant->max_ns ||
	    variant->nr_aggrs == WALLPROF_MIN_AGGRS)
		return;
	napper = child_of(load_naps, &ns);
	while (!id) {
		nap_ns(50 * MS);
		ASSERT_EQ(0, session_flip(s));
		for (; seen < s->nr_aggrs && !id; seen++) {
			__u64 stack = s->aggrs[seen].user_stack;

			if (s->aggrs[seen].tid == (__u32)napper && stack &&
			    WALLPROF_STACK_EPOCH(stack) + 2 < s->epoch)
				id = stack;
		}
	}
	child_end(napper);
	EXPECT_WHOLE(s);
	ASSERT_NE(NULL, session_stack(s, id));
	EXPECT_LT(0, session_stack(s, id)->nr);
	EXPECT_LT(0, WALLPROF_STACK_EPOCH(id));
	t = session_account(s, napper);
	EXPECT_NE(NULL, t);
}

/*
 * Blocked before and after: all of the time is there. Of everything, it
 * counts from START; a target counts from when START came to it.
 */
TEST(blocked_across_the_whole_session)
{
	__u64 ns = 1000 * SEC;
	__u32 pid = child_of(load_naps, &ns);

	UNTIL(is_off(pid, 'S'));
	for (int all = 0; all < 2; all++) {
		struct wallprof_configure c = dev_config();
		const struct wallprof_task *t;
		struct session s;

		if (!all)
			dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
		ASSERT_EQ(0, session_begin(&s, &c));
		nap_ns(300 * MS);
		EXPECT_WHOLE(&s);
		t = session_account(&s, pid);
		ASSERT_NE(NULL, t);
		EXPECT_EQ(WALLPROF_TASK_OFF, t->phase);
		EXPECT_EQ(0, t->run_ns);
		EXPECT_LE(s.start, t->born);
		EXPECT_GE(all ? s.start : s.begun, t->born);
		EXPECT_EQ(s.stop - t->born, t->off_ns);
		EXPECT_EQ(s.stop - t->born, t->open_ns);
		EXPECT_EQ(1, t->nr_off);
		EXPECT_NE(0, t->flags & WALLPROF_TASK_OPEN);
		EXPECT_NE(0, t->flags & WALLPROF_TASK_SINCE_START);
		EXPECT_TRUE(t->state == WALLPROF_STATE_SLEEPING ||
			    t->state == WALLPROF_STATE_UNKNOWN);
		session_close(&s);
	}
	child_end(pid);
}

/*
 * A thread that runs, on a CPU that the test keeps away from. If that stands
 * still while others of the kernel's are there, it is tried again.
 */
static __u64 cpu_ns(pid_t pid)
{
	struct timespec ts = { 0 };
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &ts);
	return ts.tv_sec * SEC + ts.tv_nsec;
}

static void spins_on_cpu1(void *arg)
{
	stay_on(1);
	load_spin(arg);
}

static bool ran_for_the_most_part(struct __test_metadata *_metadata, __u32 pid)
{
	struct wallprof_configure c = dev_config();
	const struct wallprof_task *t;
	struct session s;
	__u64 ran;
	bool most;

	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	ran = cpu_ns(pid);
	UNTIL(cpu_ns(pid) - ran >= 300 * MS);
	EXPECT_WHOLE(&s);
	t = session_account(&s, pid);
	ASSERT_NE(NULL, t);
	most = t->off_ns < t->run_ns;
	session_close(&s);
	return most;
}

TEST(running_across_the_whole_session)
{
	__u32 pid = child_of(spins_on_cpu1, NULL);

	stay_on(0);
	UNTIL(cpu_ns(pid) > 50 * MS);
	UNTIL(ran_for_the_most_part(_metadata, pid));
	child_end(pid);
}

/* It is blocked at the start and wakes in between. */
struct waking {
	int go[2];
	volatile __u64 woke;
};

/* Memory that a child shares. */
static void *shared(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
}

static void wakes_once(void *arg)
{
	struct waking *w = arg;
	char byte;

	if (read(w->go[0], &byte, 1) == 1)
		w->woke = now_ns();
	for (;;)
		pause();
}

TEST(blocked_at_the_start)
{
	struct wallprof_configure c = dev_config();
	struct waking *w = shared(sizeof(*w));
	unsigned int since_start = 0;
	struct session s;
	__u64 wakened;
	__u32 pid;

	ASSERT_EQ(0, pipe(w->go));
	pid = child_of(wakes_once, w);
	UNTIL(is_off(pid, 'S'));
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	nap_ns(300 * MS);
	wakened = now_ns();
	ASSERT_EQ(1, write(w->go[1], "", 1));
	UNTIL(w->woke);
	EXPECT_WHOLE(&s);
	for (size_t i = 0; i < s.nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s.aggrs[i];

		if (!(a->flags & WALLPROF_AGGR_SINCE_START))
			continue;
		since_start++;
		EXPECT_EQ(1, a->count);
		EXPECT_LE(wakened - s.begun, a->total);
		EXPECT_GE(w->woke - s.start, a->total);
		EXPECT_LE(s.start + a->total, a->first);
		EXPECT_GE(s.begun + a->total, a->first);
	}
	EXPECT_EQ(1, since_start);
	child_end(pid);
}

/*
 * Invariant 5, exactly: threads without a slot. All of them are blocked at
 * the same time, whose start and end are known.
 */
#define BLOCKED 100

struct blocked_all {
	int go[2], gate[2];
	volatile __u32 tids[BLOCKED];
	volatile __u64 blocked, woken;
};

struct blocked_one {
	struct blocked_all *all;
	int nr;
};

static void *sleeps_at_the_gate(void *arg)
{
	struct blocked_one *me = arg;
	char byte;

	me->all->tids[me->nr] = gettid_();
	if (read(me->all->gate[0], &byte, 1))
		_exit(1);
	return NULL;
}

static void hundred_sleep(void *arg)
{
	struct blocked_one each[BLOCKED];
	pthread_t threads[BLOCKED];
	struct blocked_all *all = arg;
	char byte;

	close(all->go[1]);
	if (read(all->go[0], &byte, 1) != 1 || pipe(all->gate))
		_exit(1);
	for (int i = 0; i < BLOCKED; i++) {
		each[i] = (struct blocked_one){ all, i };
		pthread_create(&threads[i], NULL, sleeps_at_the_gate, &each[i]);
	}
	for (int i = 0; i < BLOCKED; i++)
		UNTIL(all->tids[i] && is_off(all->tids[i], 'S'));
	all->blocked = now_ns();
	nap_ns(300 * MS);
	all->woken = now_ns();
	close(all->gate[1]);
	for (int i = 0; i < BLOCKED; i++)
		pthread_join(threads[i], NULL);
}

TEST(threads_without_a_slot)
{
	struct blocked_all *all = shared(sizeof(*all));
	struct wallprof_configure c = dev_config();
	struct wallprof_status status;
	struct wallprof_lost lost;
	__u64 blocked;
	struct session s;
	__u32 pid;

	ASSERT_EQ(0, pipe(all->go));
	pid = child_of(hundred_sleep, all);
	c.nr_tasks = WALLPROF_MIN_TASKS;
	c.flags |= WALLPROF_INHERIT;
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	ASSERT_EQ(1, write(all->go[1], "", 1));
	ASSERT_EQ(pid, (__u32)waitpid(pid, NULL, 0));
	EXPECT_WHOLE(&s);
	blocked = all->woken - all->blocked;
	ASSERT_LE(300 * MS, blocked);
	status = dev_status(s.fd);
	/* Every thread is in the ledger or counted. */
	EXPECT_EQ(1 + BLOCKED, session_accounts(&s) + status.tasks_failed);
	EXPECT_LE(1 + BLOCKED - WALLPROF_MIN_TASKS, status.tasks_failed);
	lost = s.lost[0][WALLPROF_LOSS_NO_TASK];
	lost.count += status.lost[WALLPROF_LOSS_NO_TASK].count;
	lost.ns += status.lost[WALLPROF_LOSS_NO_TASK].ns;
	/* All of them were blocked for so long, and no longer than there was a session. */
	EXPECT_LE(status.tasks_failed, lost.count);
	EXPECT_LE(status.tasks_failed * blocked, lost.ns);
	EXPECT_GE(status.tasks_failed * (s.stop - s.start), lost.ns);
	for (size_t i = 0; i < s.nr_ends; i++)
		if (s.ends[i].tid != pid)
			EXPECT_LE(blocked, s.ends[i].off_ns);
	TH_LOG("%llu threads failed: %llu intervals, %llu ns",
	       (ull)status.tasks_failed, (ull)lost.count, (ull)lost.ns);
}

/* Invariant 5: threads whose summary found no room are counted one by one. */
TEST(ends_without_room)
{
	struct blocked_all *all = shared(sizeof(*all));
	struct wallprof_configure c = dev_config();
	struct session s;
	__u64 ends;
	__u32 pid;

	ASSERT_EQ(0, pipe(all->go));
	pid = child_of(hundred_sleep, all);
	c.nr_exits = WALLPROF_MIN_EXITS;
	c.flags |= WALLPROF_INHERIT;
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	ASSERT_EQ(1, write(all->go[1], "", 1));
	ASSERT_EQ(pid, (__u32)waitpid(pid, NULL, 0));
	EXPECT_WHOLE(&s);
	ends = session_accounts(&s) + s.lost[0][WALLPROF_LOSS_EXIT_FULL].count;
	EXPECT_EQ(1 + BLOCKED, ends);
	/* All that they did found an aggregate: no time was lost. */
	EXPECT_EQ(0, s.lost[0][WALLPROF_LOSS_EXIT_FULL].ns);
	EXPECT_LT(0, s.lost[0][WALLPROF_LOSS_EXIT_FULL].count);
}

/* Invariant 5: a full stack table loses the stack, never the time. */
static void deep_nap(int depth, int *left)
{
	volatile char frame[32];

	frame[0] = depth;
	if (depth)
		deep_nap(depth - 1, left);
	else
		nap_ns(2 * MS);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

static void many_stacks(void *arg)
{
	for (;;)
		for (int depth = 1; depth < 60; depth++)
			deep_nap(depth, arg);
}

TEST(stacks_without_room)
{
	struct wallprof_configure c = dev_config();
	__u64 no_stack = 0, count = 0;
	struct session s;
	__u32 pid;

	pid = child_of(many_stacks, NULL);
	c.stack_words = WALLPROF_MIN_STACK_WORDS;
	c.max_stack = WALLPROF_MAX_STACK;
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	nap_ns(scaled(SEC));
	UNTIL(session_so_far(&s, 0).events > 200);
	EXPECT_WHOLE(&s);
	for (size_t i = 0; i < s.nr_aggrs; i++) {
		count += s.aggrs[i].count;
		if (s.aggrs[i].flags & WALLPROF_AGGR_NO_STACK) {
			no_stack += s.aggrs[i].count;
			EXPECT_EQ(0, s.aggrs[i].user_stack);
		}
	}
	if (!s.lost[0][WALLPROF_LOSS_STACK_FULL].count)
		SKIP(return, "libc's callers have no frame pointers here");
	/* The interval that was open at the end may have lost its stack, too. */
	EXPECT_LE(no_stack, s.lost[0][WALLPROF_LOSS_STACK_FULL].count);
	EXPECT_GE(no_stack + 1, s.lost[0][WALLPROF_LOSS_STACK_FULL].count);
	EXPECT_LT(no_stack, count);
	child_end(pid);
}

/* An exec in the middle: another exec_id. */
static void reads_and_execs(void *arg)
{
	int *go = arg;
	char byte;

	dup2(go[0], 0);
	close(go[1]);
	if (read(0, &byte, 1) != 1)
		_exit(1);
	execl("/bin/cat", "cat", (char *)NULL);
	_exit(1);
}

TEST(exec_in_the_middle)
{
	struct wallprof_configure c = dev_config();
	__u32 before = 0, after = 0;
	unsigned int waits = 0;
	struct session s;
	int go[2];
	__u32 pid;

	ASSERT_EQ(0, pipe(go));
	pid = child_of(reads_and_execs, go);
	UNTIL(is_off(pid, 'S'));
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	ASSERT_EQ(1, write(go[1], "", 1));
	UNTIL(is_called(pid, "cat") && is_off(pid, 'S'));
	close(go[1]);
	ASSERT_EQ(pid, (__u32)waitpid(pid, NULL, 0));
	EXPECT_WHOLE(&s);
	for (size_t i = 0; i < s.nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s.aggrs[i];

		/* Of the wait that was there at the start no state is known. */
		if (a->flags & WALLPROF_AGGR_SINCE_START)
			before = a->exec_id;
		else if (a->state == WALLPROF_STATE_SLEEPING)
			after = a->exec_id;
		else
			continue;
		waits += a->count;
	}
	EXPECT_EQ(2, waits);
	EXPECT_NE(before, after);
}

TEST(from_the_next_exec_on)
{
	struct wallprof_configure c = dev_config();
	const struct wallprof_task *t;
	struct session s;
	int go[2];
	__u32 pid;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		char byte;

		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		nap_ns(300 * MS);
		execl("/bin/sleep", "sleep", "0.2", (char *)NULL);
		_exit(1);
	}
	c.flags |= WALLPROF_ENABLE_ON_EXEC;
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, (__u32)waitpid(pid, NULL, 0));
	EXPECT_WHOLE(&s);
	t = session_account(&s, pid);
	ASSERT_NE(NULL, t);
	EXPECT_LE(s.start + 300 * MS, t->born);
	/* A CPU that stood still before the switch makes the nap one of running. */
	EXPECT_LE(200 * MS, t->run_ns + t->off_ns);
	for (size_t i = 0; i < s.nr_aggrs; i++)
		EXPECT_LE(t->born, s.aggrs[i].first);
}

/* Children of a target are targets only if it was asked for. */
static void forks_five(void *arg)
{
	char byte;

	if (read(*(int *)arg, &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < 5; i++) {
		if (!fork()) {
			nap_ns(10 * MS);
			_exit(0);
		}
		wait(NULL);
	}
}

TEST(children)
{
	for (int inherit = 0; inherit < 2; inherit++) {
		struct wallprof_configure c = dev_config();
		struct session s;
		int go[2];
		__u32 pid;

		ASSERT_EQ(0, pipe(go));
		pid = child_of(forks_five, &go[0]);
		c.flags |= inherit ? WALLPROF_INHERIT : 0;
		dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
		ASSERT_EQ(0, session_begin(&s, &c));
		ASSERT_EQ(1, write(go[1], "", 1));
		ASSERT_EQ(pid, (__u32)waitpid(pid, NULL, 0));
		EXPECT_WHOLE(&s);
		EXPECT_EQ(inherit ? 6 : 1, session_accounts(&s));
		session_close(&s);
	}
}

static void naps_as_another_user(void *arg)
{
	__u64 ns = 10 * MS;

	if (setresuid(4711, 4711, 4711) || write(*(int *)arg, "", 1) != 1)
		_exit(1);
	load_naps(&ns);
}

TEST(of_one_user)
{
	struct wallprof_configure c = dev_config();
	__u64 ns = 10 * MS;
	__u32 uid = 4711;
	struct session s;
	pid_t other = child_of(load_naps, &ns), pid;
	int ready[2];
	char byte;

	ASSERT_EQ(0, pipe(ready));
	pid = child_of(naps_as_another_user, &ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	dev_target(&c, WALLPROF_TARGET_UID, &uid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	/* Both nap as often. */
	for (int i = 0; i < 2; i++) {
		__u64 before = nr_switches(i ? other : pid);

		UNTIL(nr_switches(i ? other : pid) > before + 2);
	}
	EXPECT_WHOLE(&s);
	EXPECT_NE(NULL, session_account(&s, pid));
	EXPECT_EQ(NULL, session_account(&s, other));
	child_end(pid);
	child_end(other);
}

/* The first process of a pid namespace names itself, and is recorded, as it sees itself. */
static int is_one_to_itself(void)
{
	struct wallprof_configure c = dev_config();
	__u32 me = getpid();
	struct session s;

	if (me != 1)
		return 2;
	dev_target(&c, WALLPROF_TARGET_PID, &me, 1);
	if (session_begin(&s, &c))
		return 3;
	do {
		nap_ns(5 * MS);
	} while (!session_so_far(&s, 0).events);
	if (session_end(&s))
		return 4;
	if (session_accounts(&s) != 1 || !session_account(&s, me))
		return 5;
	for (size_t i = 0; i < s.nr_aggrs; i++)
		if (s.aggrs[i].tid != me || s.aggrs[i].tgid != me)
			return 6;
	return 0;
}

TEST(ids_are_those_of_the_namespace)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		SKIP(return, "no pid namespaces here: %s", strerror(errno));
	pid = fork();
	if (!pid)
		_exit(is_one_to_itself());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/*
 * Only the CPUs that were asked for: samples taken there, and intervals that
 * began there, wherever they ended.
 */
TEST(of_one_cpu)
{
	struct wallprof_configure c = dev_config();
	unsigned int elsewhere = 0;
	__u64 mask = 1;
	struct session s;
	pid_t pid = child_of(load_all, NULL);

	dev_sampler(&c, 499);
	c.cpus = (uintptr_t)&mask;
	c.cpus_bytes = 8;
	ASSERT_EQ(0, session_begin(&s, &c));
	EXPECT_EQ(1, dev_status(s.fd).counters);
	nap_ns(300 * MS);
	UNTIL(session_so_far(&s, 0).events || session_so_far(&s, 1).events);
	ASSERT_EQ(0, session_flip(&s));
	for (unsigned int cpu = 1; cpu < s.nr_cpus; cpu++)
		EXPECT_EQ(0, session_half(&s, cpu, 1, s.epoch)->nr_aggrs);
	for (size_t i = 0; i < s.nr_aggrs; i++)
		if (s.aggrs[i].user_stack && WALLPROF_STACK_CPU(s.aggrs[i].user_stack))
			elsewhere++;
	EXPECT_EQ(0, elsewhere);
	EXPECT_LT(0, s.nr_aggrs);
	child_end(pid);
}

static void reads_on_the_other_cpu(void *arg)
{
	char byte;

	stay_on(1);
	while (read(*(int *)arg, &byte, 1) == 1)
		;
}

/*
 * The CPU that a thread left is unknown if it is blocked at START: the open interval is of
 * all CPUs, whichever it comes to. Later ones are not.
 */
TEST(blocked_at_the_start_is_of_all_cpus)
{
	struct wallprof_configure c = dev_config();
	unsigned int since = 0, others = 0;
	__u64 mask = 1;
	struct session s;
	int start[2];
	__u32 pid;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one CPU");
	ASSERT_EQ(0, pipe(start));
	pid = child_of(reads_on_the_other_cpu, &start[0]);
	UNTIL(is_off(pid, 'S'));
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	c.cpus = (uintptr_t)&mask;
	c.cpus_bytes = 8;
	ASSERT_EQ(0, session_begin(&s, &c));
	for (int i = 0; i < 3; i++) {
		nap_ns(20 * MS);
		ASSERT_EQ(1, write(start[1], "", 1));
		UNTIL(session_so_far(&s, 0).events + session_so_far(&s, 0).filtered > i);
		UNTIL(is_off(pid, 'S'));
	}
	EXPECT_WHOLE(&s);
	for (size_t i = 0; i < s.nr_aggrs; i++) {
		if (s.aggrs[i].flags & WALLPROF_AGGR_SINCE_START)
			since += s.aggrs[i].count;
		else
			others++;
	}
	EXPECT_EQ(1, since);
	EXPECT_EQ(0, others);
	child_end(pid);
}

/* Samples: the period is what passed, whatever the tables hold. */
TEST(samples_of_a_spinner)
{
	struct wallprof_configure c = dev_config();
	__u32 pid = child_of(load_spin, NULL);
	const struct wallprof_task *t;
	__u64 total = 0, count = 0;
	struct session s;

	dev_sampler(&c, 0);
	c.attr_flags = 0;
	c.attr_period = 2 * MS;
	c.flags |= WALLPROF_OFFCPU;
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	nap_ns(scaled(SEC));
	UNTIL(session_so_far(&s, 1).events);
	EXPECT_WHOLE(&s);
	for (size_t i = 0; i < s.nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s.aggrs[i];

		EXPECT_EQ(pid, a->tid);
		if (a->kind != WALLPROF_AGGR_SAMPLE)
			continue;
		total += a->total;
		count += a->count;
		EXPECT_EQ(a->count * 2 * MS, a->total);
	}
	t = session_account(&s, pid);
	ASSERT_NE(NULL, t);
	/*
	 * An interrupt may come late, and then counts once: between two switches
	 * there is one of before, and one for each period.
	 */
	EXPECT_LT(0, count);
	EXPECT_GE(t->run_ns + (t->nr_off + 1) * 2 * 2 * MS, total);
	child_end(pid);
}

/*
 * kernel.perf_event_max_sample_rate holds for a caller that asks for more: the kernel stops
 * the counter until the next tick, which is counted, with the time.
 */
TEST(samples_are_throttled)
{
	static const char rate[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	struct wallprof_configure c = dev_config();
	__u32 pid = child_of(load_spin, NULL);
	const struct wallprof_lost *lost;
	struct session s;
	char before[32];

	snprintf(before, sizeof(before), "%lld", text_number(rate));
	ASSERT_EQ(0, text_to(rate, "1000"));
	dev_sampler(&c, 0);
	c.attr_flags = 0;
	c.attr_period = MS / 50;
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	do {
		nap_ns(50 * MS);
		ASSERT_EQ(0, session_flip(&s));
		lost = &s.lost[1][WALLPROF_LOSS_THROTTLED];
	} while (lost->count < 3);
	EXPECT_LT(0, lost->ns);
	EXPECT_WHOLE(&s);
	EXPECT_EQ(0, text_to(rate, before));
	child_end(pid);
}

TEST_HARNESS_MAIN
