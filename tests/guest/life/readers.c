// SPDX-License-Identifier: GPL-2.0
/* What becomes of a session when its reader is killed, stopped, or many. */
#include <sys/prctl.h>

#include "life.h"

/* What a reader was at when it was killed. */
enum at {
	AT_NOTHING,	/* it had not opened yet */
	AT_START,	/* or at what comes before it: open, CONFIGURE, mmap, tables */
	AT_FLIP,	/* the session runs */
	AT_END,		/* STOP, or close */
	AT_MAX,
};

/* Its own records, in memory that survives it. */
struct victim {
	unsigned int seed;
	enum at at;
	unsigned int begun;	/* sessions */
};

static void reads(void *arg)
{
	volatile struct victim *me = arg;

	rnd_seed(me->seed);
	for (;;) {
		struct wallprof_configure c = life_any();
		struct session s;

		me->at = AT_START;
		if (life_begin(&s, &c))
			_exit(1);
		me->at = AT_FLIP;
		me->begun++;
		for (unsigned int i = rnd(10); i; i--)
			if (session_flip(&s) || life_read_rings(&s))
				_exit(1);
		me->at = AT_END;
		if (rnd(2))
			session_end(&s);
		session_close(&s);
	}
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/*
 * Invariant 7: kill -9, in the middle of whatever it does. Every other round waits
 * for a session first: else, where all is slow, none would come to have one.
 */
TEST_F_TIMEOUT(life, killed_at_random_points, 600)
{
	unsigned int killed[AT_MAX] = { 0 };
	volatile struct victim *victims;

	victims = life_shared(2 * sizeof(*victims));
	ASSERT_NE(NULL, victims);
	for (unsigned int i = 0; i < times(150) || !killed[AT_START] || !killed[AT_FLIP] ||
	     !killed[AT_END]; i++) {
		pid_t pids[2];

		for (int k = 0; k < 2; k++) {
			victims[k] = (struct victim){ .seed = 1 + 2 * i + k };
			pids[k] = child_of(reads, (void *)&victims[k]);
		}
		for (int k = 0; k < 2 && i % 2; k++)
			UNTIL(victims[k].begun || has_ended(pids[k]));
		nap_below(60);
		for (int k = 0; k < 2; k++) {
			int status = 0;

			kill(pids[k], SIGKILL);
			waitpid(pids[k], &status, 0);
			ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
				TH_LOG("round %u", i);
			killed[victims[k].at]++;
		}
		/* What it held is gone when it is. */
		ASSERT_EQ(0, life_users()) TH_LOG("round %u", i);
		ASSERT_EQ(0, life_areas()) TH_LOG("round %u", i);
	}
	TH_LOG("killed before open: %u, until START: %u, while it ran: %u, at its end: %u",
	       killed[AT_NOTHING], killed[AT_START], killed[AT_FLIP], killed[AT_END]);
	EXPECT_LT(0, killed[AT_FLIP]);
}

/*
 * More than there may be, all at once. Those that come too late get an error;
 * all others record the same thread, and its totals are whole in each.
 */
#define TRY 80

struct crowd {
	pid_t target;
	int go[2], opened[2], on[2];
};

static void one_of_many(void *arg)
{
	struct wallprof_configure c = life_config();
	struct crowd *crowd = arg;
	struct session s;
	char byte = 'n';
	int ret, fd;

	close(crowd->go[1]);
	close(crowd->on[1]);
	if (read(crowd->go[0], &byte, 1) < 0)
		_exit(1);
	fd = dev_open();
	byte = fd >= 0 ? 'y' : fd == -EUSERS ? 'n' : '?';
	if (write(crowd->opened[1], &byte, 1) != 1)
		_exit(1);
	if (read(crowd->on[0], &byte, 1) < 0)
		_exit(1);
	if (fd < 0)
		_exit(fd == -EUSERS ? 0 : 1);
	close(fd);
	/* The 64 that were open make room for each other. */
	dev_target(&c, WALLPROF_TARGET_PID, (__u32 *)&crowd->target, 1);
	while ((ret = session_begin(&s, &c)) == -EUSERS)
		nap_ns(MS);
	if (ret)
		_exit(2);
	for (int i = 0; i < 5 || !s.events[0]; i++) {
		nap_ns(50 * MS);
		if (session_flip(&s))
			_exit(3);
	}
	if (session_end(&s)) {
		fprintf(stderr, "# %s\n", s.trouble);
		_exit(4);
	}
	_exit(0);
}

TEST_F_TIMEOUT(life, more_than_there_may_be, 600)
{
	unsigned int yes = 0, no = 0, bad = 0;
	__u64 ns = 2 * MS;
	struct crowd crowd;
	pid_t pids[TRY];

	/* So many probes at each switch are load enough. */
	kill(self->load, SIGSTOP);
	crowd.target = child_of(load_naps, &ns);
	ASSERT_EQ(0, pipe(crowd.go) | pipe(crowd.opened) | pipe(crowd.on));
	for (int i = 0; i < TRY; i++)
		pids[i] = child_of(one_of_many, &crowd);
	close(crowd.go[1]);
	for (int i = 0; i < TRY; i++) {
		char byte = '?';

		ASSERT_EQ(1, read(crowd.opened[0], &byte, 1));
		yes += byte == 'y';
		no += byte == 'n';
	}
	EXPECT_EQ(WALLPROF_MAX_SESSIONS, yes);
	EXPECT_EQ(TRY - WALLPROF_MAX_SESSIONS, no);
	EXPECT_EQ(WALLPROF_MAX_SESSIONS, life_users());
	close(crowd.on[1]);
	for (int i = 0; i < TRY; i++) {
		int status;

		waitpid(pids[i], &status, 0);
		if (status)
			bad++;
	}
	EXPECT_EQ(0, bad);
	child_end(crowd.target);
}

/* Waits below more and more frames. */
static __attribute__((__noinline__)) int waits_at(unsigned int depth)
{
	if (depth)
		return waits_at(depth - 1) + 1;
	nap_ns(MS);
	return 0;
}

static void waits_everywhere(void *arg)
{
	for (unsigned int i = 0;; i++)
		waits_at(i % 40);
}

/* What the epoch that nobody retires has lost for a reason until now. */
static __u64 lost_now(const struct session *s, enum wallprof_loss loss)
{
	__u64 nr = 0;

	for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++)
		nr += session_half(s, cpu, 0, 1)->lost[loss].count;
	return nr;
}

/* What is not drained is lost, and counted; that is all. */
TEST_F_TIMEOUT(life, never_drained, 600)
{
	struct wallprof_configure c = life_config();
	const struct wallprof_lost *lost;
	struct wallprof_status status;
	struct session s;
	pid_t pid;

	pid = child_of(waits_everywhere, NULL);
	c.nr_aggrs = WALLPROF_MIN_AGGRS;
	c.stack_words = WALLPROF_MIN_STACK_WORDS;
	c.nr_exits = WALLPROF_MIN_EXITS;
	c.stack_flags |= WALLPROF_STACK_KERNEL;
	c.flags |= WALLPROF_TIMELINE | WALLPROF_TIMELINE_STACKS;
	c.nr_records = WALLPROF_MIN_RECORDS;
	dev_sampler(&c, 999);
	ASSERT_EQ(0, session_begin(&s, &c));
	/* What the other tests want to see gone is seen. */
	EXPECT_EQ(1, life_users());
	EXPECT_LT(0, life_areas());
	do {
		nap_ns(times(5) * SEC / 5);
	} while (!lost_now(&s, WALLPROF_LOSS_AGGR_FULL) ||
		 !lost_now(&s, WALLPROF_LOSS_STACK_FULL) ||
		 !lost_now(&s, WALLPROF_LOSS_EXIT_FULL) || !session_ring(&s, 0)->lost);
	status = dev_status(s.fd);
	EXPECT_EQ(WALLPROF_SESSION_RUNNING, status.state);
	EXPECT_EQ(1, status.epoch);
	EXPECT_ALL_WHOLE(&s);
	/* The first ones stay. */
	EXPECT_EQ(WALLPROF_MIN_RECORDS, session_ring(&s, 0)->head);
	EXPECT_EQ(session_ring(&s, 0)->lost, session_ring(&s, 0)->open);
	lost = s.lost[0];
	TH_LOG("%llu intervals: %llu without an aggregate, %llu stacks, %llu ends lost; %llu samples: %llu lost",
	       (ull)s.events[0], (ull)lost[WALLPROF_LOSS_AGGR_FULL].count,
	       (ull)lost[WALLPROF_LOSS_STACK_FULL].count,
	       (ull)lost[WALLPROF_LOSS_EXIT_FULL].count, (ull)s.events[1],
	       (ull)s.lost[1][WALLPROF_LOSS_AGGR_FULL].count);
	EXPECT_LT(0, lost[WALLPROF_LOSS_AGGR_FULL].count);
	EXPECT_LT(0, lost[WALLPROF_LOSS_STACK_FULL].count);
	EXPECT_LT(0, lost[WALLPROF_LOSS_EXIT_FULL].count);
	EXPECT_EQ(0, lost[WALLPROF_LOSS_NESTED].count);
	EXPECT_EQ(0, s.lost[1][WALLPROF_LOSS_NESTED].count);
	session_close(&s);
	child_end(pid);
}

/*
 * A reader of its own, that reads until its pipe is readable and it has something,
 * and then judges it.
 */
struct reader {
	struct wallprof_configure c;
	pid_t stopped;	/* a thread; the reader reports once it saw it so */
	int end[2], begun[2];
	pid_t pid;
};

static void reads_until_end(void *arg)
{
	struct reader *r = arg;
	struct pollfd end = { .fd = r->end[0], .events = POLLIN };
	struct session s;

	close(r->end[1]);
	if (session_begin(&s, &r->c) || write(r->begun[1], "", 1) != 1)
		_exit(1);
	while (!poll(&end, 1, 5)) {
		if (session_flip(&s) || life_read_rings(&s))
			_exit(2);
		if (r->stopped && time_in(&s, r->stopped, WALLPROF_STATE_STOPPED) &&
		    write(r->begun[1], "", 1) == 1)
			r->stopped = 0;
	}
	/* The CPU of what is recorded may have stood still all the time. */
	while (!s.events[0]) {
		nap_ns(5 * MS);
		if (session_flip(&s))
			_exit(2);
	}
	if (session_end_rings(&s)) {
		fprintf(stderr, "# %s\n", s.trouble);
		_exit(3);
	}
	session_close(&s);
	_exit(0);
}

static int reader_begin(struct reader *r, const struct wallprof_configure *c)
{
	char byte;

	r->c = *c;
	life_rings(&r->c);
	if (pipe(r->end) || pipe(r->begun))
		return -errno;
	r->pid = child_of(reads_until_end, r);
	close(r->end[0]);
	close(r->begun[1]);
	return read(r->begun[0], &byte, 1) == 1 ? 0 : -EPIPE;
}

/* Its exit status. */
static int reader_end(struct reader *r)
{
	int status;

	close(r->end[1]);
	waitpid(r->pid, &status, 0);
	close(r->begun[0]);
	return status;
}

/* Two children to be recorded: one naps, one spins. */
static void napper_and_spinner(struct wallprof_configure *c, pid_t *pids)
{
	static __u64 ns = MS;

	pids[0] = child_of(load_naps, &ns);
	pids[1] = child_of(load_spin, NULL);
	dev_sampler(c, 499);
	dev_target(c, WALLPROF_TARGET_PID, (__u32 *)pids, 2);
}

TEST_F_TIMEOUT(life, stopped_and_continued, 300)
{
	struct wallprof_configure c = dev_config();
	struct reader r = { 0 };
	struct pollfd seen;
	pid_t pids[2];

	napper_and_spinner(&c, pids);
	r.stopped = pids[0];
	ASSERT_EQ(0, reader_begin(&r, &c));
	for (unsigned int i = 0; i < times(100); i++) {
		pid_t pid = rnd(3) ? pids[rnd(2)] : r.pid;

		kill(pid, SIGSTOP);
		nap_below(30);
		kill(pid, SIGCONT);
		nap_below(10);
	}
	seen = (struct pollfd){ .fd = r.begun[0], .events = POLLIN };
	while (!poll(&seen, 1, 0)) {
		kill(pids[0], SIGSTOP);
		nap_ns(10 * MS);
		kill(pids[0], SIGCONT);
		nap_ns(10 * MS);
	}
	EXPECT_EQ(POLLIN, seen.revents);
	EXPECT_EQ(0, reader_end(&r));
	child_end(pids[0]);
	child_end(pids[1]);
}

#define GROUP "/sys/fs/cgroup/life"

static int join(pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return put(GROUP "/cgroup.procs", text);
}

/* Reader and target in a control group that is frozen again and again. */
TEST_F_TIMEOUT(life, frozen_and_thawed, 300)
{
	struct wallprof_configure c = dev_config();
	struct reader r = { 0 };
	pid_t pids[2];

	rmdir(GROUP);
	ASSERT_EQ(0, mkdir(GROUP, 0755));
	if (access(GROUP "/cgroup.freeze", F_OK)) {
		rmdir(GROUP);
		SKIP(return, "before 5.2 a control group of version 2 cannot be frozen");
	}
	napper_and_spinner(&c, pids);
	ASSERT_EQ(0, reader_begin(&r, &c));
	ASSERT_EQ(0, join(pids[0]));
	ASSERT_EQ(0, join(pids[1]));
	ASSERT_EQ(0, join(r.pid));
	for (unsigned int i = 0; i < times(100); i++) {
		ASSERT_EQ(0, put(GROUP "/cgroup.freeze", "1"));
		nap_below(30);
		ASSERT_EQ(0, put(GROUP "/cgroup.freeze", "0"));
		nap_below(10);
	}
	/* A frozen reader, too, can be killed. */
	ASSERT_EQ(0, put(GROUP "/cgroup.freeze", "1"));
	nap_ns(20 * MS);
	kill(r.pid, SIGKILL);
	waitpid(r.pid, NULL, 0);
	EXPECT_EQ(0, life_users());
	EXPECT_EQ(0, life_areas());
	ASSERT_EQ(0, put(GROUP "/cgroup.freeze", "0"));
	/* And one that is thawed has totals that are whole. */
	ASSERT_EQ(0, reader_begin(&r, &c));
	ASSERT_EQ(0, join(r.pid));
	for (unsigned int i = 0; i < times(50); i++) {
		ASSERT_EQ(0, put(GROUP "/cgroup.freeze", "1"));
		nap_below(20);
		ASSERT_EQ(0, put(GROUP "/cgroup.freeze", "0"));
		nap_below(20);
	}
	EXPECT_EQ(0, reader_end(&r));
	child_end(pids[0]);
	child_end(pids[1]);
	group_end(GROUP);
}

/*
 * The whole machine goes to sleep, as far as a machine can of which nothing is
 * to be woken: all processes are frozen, for a second, and go on.
 */
TEST_F_TIMEOUT(life, suspended, 120)
{
	struct wallprof_configure c = dev_config();
	struct reader r = { 0 };
	bool test = !access("/sys/power/pm_test", W_OK);

	if (!test)
		SKIP(return, "this kernel has no CONFIG_PM_DEBUG to wake up by");
	dev_sampler(&c, 499);
	ASSERT_EQ(0, reader_begin(&r, &c));
	ASSERT_EQ(0, put("/sys/power/pm_test", "freezer"));
	put("/sys/module/suspend/parameters/pm_test_delay", "1");
	for (int i = 0; i < 3; i++) {
		nap_ns(100 * MS);
		EXPECT_EQ(0, put("/sys/power/state", "freeze"));
	}
	EXPECT_EQ(0, put("/sys/power/pm_test", "none"));
	EXPECT_EQ(0, reader_end(&r));
}

TEST_HARNESS_MAIN
