// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a session. Invariants 6 (memory is bounded, known when the
 * session starts, and charged to the opener), 7 (a session is a descriptor,
 * and sessions are independent) and poll.
 *
 * Above 700 lines: a session, its limits and its counters begin and end together.
 */

#include "device.h"

/* Invariant 7: a duplicate is the same session, which lives until the last. */
TEST(a_duplicate)
{
	struct wallprof_configure c = dev_config();
	struct wallprof_flip flip;
	int fd = dev_open(), other;

	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	other = dup(fd);
	ASSERT_EQ(0, dev_start(other, NULL));
	EXPECT_EQ(WALLPROF_SESSION_RUNNING, dev_status(fd).state);
	close(fd);
	EXPECT_EQ(WALLPROF_SESSION_RUNNING, dev_status(other).state);
	EXPECT_EQ(0, dev_flip(other, &flip));
	EXPECT_EQ(0, dev_stop(other, NULL));
	close(other);
}

TEST(inherited_by_a_child)
{
	struct wallprof_configure c = dev_config();
	int fd = dev_open(), status;
	pid_t pid;

	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	ASSERT_EQ(0, dev_start(fd, NULL));
	pid = fork();
	if (!pid) {
		struct wallprof_flip flip;

		_exit(dev_flip(fd, &flip) || dev_stop(fd, NULL));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(WALLPROF_SESSION_STOPPED, dev_status(fd).state);
}

/* The child keeps the session when its opener, who was charged, is gone. */
static void opens_and_leaves(void *arg)
{
	struct wallprof_configure c = dev_config();
	int *ready = arg, fd = dev_open();

	if (fd < 0 || dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c) || dev_start(fd, NULL))
		_exit(1);
	if (!fork()) {
		struct wallprof_flip flip;
		bool good;

		close(ready[0]);
		while (getppid() == 1 || kill(getppid(), 0) == 0) {
			nap_ns(20 * MS);
			if (dev_status(fd).state != WALLPROF_SESSION_RUNNING)
				break;
			if (now_ns() > (__u64)ready[2] * MS)
				break;
		}
		good = !dev_flip(fd, &flip) && !dev_stop(fd, NULL) && !close(fd);
		if (write(ready[1], good ? "y" : "n", 1) != 1)
			_exit(1);
		_exit(0);
	}
	_exit(0);
}

TEST(its_opener_is_gone)
{
	int ready[3], status;
	char said = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	ready[2] = now_ns() / MS + 300;
	pid = child_of(opens_and_leaves, ready);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	close(ready[1]);
	EXPECT_EQ(1, read(ready[0], &said, 1));
	EXPECT_EQ('y', said);
}

/* Descriptors that are open, by the module's count. */
static long users(void)
{
	char text[32] = "-1";
	int fd = open("/sys/module/wallprof/refcnt", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -1;
	close(fd);
	return atol(text);
}

/* Whether the device is mapped here. */
static bool has_mapping(void)
{
	char line[512];
	bool has = false;
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && fgets(line, sizeof(line), f))
		has |= !!strstr(line, WALLPROF_DEVICE);
	if (f)
		fclose(f);
	return has;
}

/* An owner whose child closes the descriptor and lives on. */
static void owns(void *arg)
{
	struct wallprof_configure c = dev_config();
	struct session s;
	int *say = arg;
	char has[2];

	dev_sampler(&c, 99);
	c.flags |= WALLPROF_TIMELINE;
	c.nr_records = WALLPROF_MIN_RECORDS;
	if (session_begin(&s, &c) ||
	    dev_map(s.fd, s.c.map_bytes - s.c.tails_offset, PROT_READ | PROT_WRITE,
		    MAP_SHARED, s.c.tails_offset) == MAP_FAILED)
		_exit(1);
	has[0] = has_mapping() ? 'y' : 'n';
	if (!fork()) {
		char c;

		close(s.fd);
		close(say[2]);
		has[1] = has_mapping() ? 'y' : 'n';
		if (write(say[1], has, sizeof(has)) != sizeof(has))
			_exit(1);
		/* Until the test ends. */
		_exit(read(say[0], &c, 1) != 0);
	}
	for (;;)
		pause();
}

/* It ends with its owner, whatever its child has inherited and not closed. */
TEST(a_child_keeps_nothing)
{
	int said[2], life[2], say[3];
	char has[2] = "";
	pid_t pid;

	ASSERT_EQ(0, users());
	ASSERT_EQ(0, pipe2(said, O_CLOEXEC) | pipe2(life, O_CLOEXEC));
	say[0] = life[0];
	say[1] = said[1];
	say[2] = life[1];
	pid = child_of(owns, say);
	ASSERT_EQ(2, read(said[0], has, sizeof(has)));
	EXPECT_EQ('y', has[0]);
	EXPECT_EQ(1, users());
	child_end(pid);
	ASSERT_EQ('n', has[1]);
	/* Its probes are gone before the module's count goes down. */
	UNTIL(!users());
}

TEST(closed_without_stop)
{
	for (unsigned int i = 0; i < 2 * scaled(10); i++) {
		struct wallprof_configure c = dev_config();
		int fd = dev_open();

		dev_sampler(&c, 99);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
		if (i & 1)
			ASSERT_EQ(0, dev_start(fd, NULL));
		close(fd);
	}
}

static void records(void *arg)
{
	struct wallprof_configure c = dev_config();
	struct session s;

	dev_sampler(&c, 999);
	if (session_begin(&s, &c))
		_exit(1);
	if (write(*(int *)arg, "", 1) != 1)
		_exit(1);
	for (;;)
		session_flip(&s);
}

/* Invariant 7: kill -9, in the middle of whatever it does. */
TEST(its_owner_is_killed)
{
	const unsigned int rounds = scaled(10);

	for (unsigned int i = 0; i < rounds; i++) {
		int ready[2];
		pid_t pid;
		char byte;

		ASSERT_EQ(0, pipe(ready));
		pid = child_of(records, &ready[1]);
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		nap_ns((10 + 70 * i / rounds) * MS);
		child_end(pid);
		close(ready[0]);
	}
}

/* Invariant 7: eight at once, each with a target and a length of its own. */
TEST(eight_at_once)
{
	struct session s[8];
	__u64 ns = 5 * MS;
	__u32 pids[8];

	for (int i = 0; i < 8; i++) {
		struct wallprof_configure c = dev_config();

		pids[i] = child_of(load_naps, &ns);
		if (i & 1)
			dev_sampler(&c, 99 + i);
		if (i == 7)
			c.states = 1U << WALLPROF_STATE_SLEEPING;
		dev_target(&c, i & 2 ? WALLPROF_TARGET_TID : WALLPROF_TARGET_PID,
			   &pids[i], 1);
		ASSERT_EQ(0, session_begin(&s[i], &c));
	}
	for (int i = 0; i < 7; i++) {
		nap_ns(50 * MS);
		EXPECT_EQ(0, session_flip(&s[7 - i]));
		/* The end of one is nothing to the others. */
		if (i == 3)
			session_close(&s[0]);
	}
	for (int i = 1; i < 8; i++) {
		const struct wallprof_task *t;

		UNTIL(session_account(&s[i], pids[i])->nr_off >= 10);
		EXPECT_WHOLE(&s[i]);
		t = session_account(&s[i], pids[i]);
		ASSERT_NE(NULL, t);
		EXPECT_EQ(1, dev_status(s[i].fd).nr_tasks);
		for (size_t k = 0; k < s[i].nr_aggrs; k++)
			EXPECT_EQ(pids[i], s[i].aggrs[k].tid);
	}
	for (int i = 0; i < 8; i++)
		child_end(pids[i]);
}

/* One event of many sessions is recorded by all of them alike. */
TEST(eight_that_see_the_same)
{
	struct wallprof_configure c = dev_config();
	struct session s[8];
	__u64 ns = 5 * MS, nr[8];
	__u32 pid = child_of(load_naps, &ns);

	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(0, session_begin(&s[i], &c));
	UNTIL(session_account(&s[7], pid)->nr_off >= 40);
	kill(pid, SIGSTOP);
	UNTIL(is_off(pid, 'T'));
	for (int i = 0; i < 8; i++) {
		EXPECT_WHOLE(&s[i]);
		nr[i] = session_account(&s[i], pid)->nr_off;
	}
	/* Started one after the other, some naps apart, and seen to the same end. */
	for (int i = 1; i < 8; i++)
		EXPECT_LE(nr[i], nr[i - 1] + 1);
	child_end(pid);
}

TEST(as_many_as_there_may_be)
{
	int fds[WALLPROF_MAX_SESSIONS];

	for (int i = 0; i < WALLPROF_MAX_SESSIONS; i++) {
		fds[i] = dev_open();
		ASSERT_LE(0, fds[i]) TH_LOG("session %d", i);
	}
	EXPECT_EQ(-EUSERS, dev_open());
	EXPECT_EQ(-EUSERS, dev_open());
	close(fds[17]);
	fds[17] = dev_open();
	EXPECT_LE(0, fds[17]);
	EXPECT_EQ(-EUSERS, dev_open());
}

/* Says how many sessions it can open, when it is asked. */
static void opens_all(void *arg)
{
	int *say = arg, nr = 0;
	char c;

	if (read(say[0], &c, 1) != 1)
		_exit(1);
	while (dev_open() >= 0)
		nr++;
	if (write(say[3], &nr, sizeof(nr)) != sizeof(nr))
		_exit(1);
}

/* Those who may not administer the host cannot take all of them. */
TEST(as_many_as_some_may_have)
{
	int fds[WALLPROF_MAX_SESSIONS_LIMITED], say[4], nr = 0;
	pid_t pid;

	if (!has_perfmon())
		SKIP(return, "no CAP_PERFMON");
	ASSERT_EQ(0, pipe(say) | pipe(say + 2));
	pid = child_of(opens_all, say);
	ASSERT_LE(0, dev_open());
	ASSERT_EQ(0, drop_cap(CAP_SYS_ADMIN));
	for (int i = 0; i < WALLPROF_MAX_SESSIONS_LIMITED; i++) {
		fds[i] = dev_open();
		ASSERT_LE(0, fds[i]) TH_LOG("session %d", i);
	}
	EXPECT_EQ(-EUSERS, dev_open());
	close(fds[3]);
	fds[3] = dev_open();
	EXPECT_LE(0, fds[3]);
	EXPECT_EQ(-EUSERS, dev_open());
	/* The others are for those who may. */
	ASSERT_EQ(1, write(say[1], "x", 1));
	ASSERT_EQ(sizeof(nr), read(say[2], &nr, sizeof(nr)));
	EXPECT_EQ(WALLPROF_MAX_SESSIONS - WALLPROF_MAX_SESSIONS_LIMITED - 1, nr);
	waitpid(pid, NULL, 0);
}

/* Invariant 6: what a session holds is charged, and given back. */
TEST(memory_is_charged_and_given_back)
{
	struct wallprof_configure c = dev_config();
	long before, with;
	int fd = dev_open();
	void *p;

	before = status_kb("VmLck");
	ASSERT_LE(0, before);
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	with = status_kb("VmLck");
	EXPECT_LE((long)(c.memory_bytes / 1024), with - before);
	EXPECT_LE(c.map_bytes, c.memory_bytes);
	ASSERT_EQ(0, dev_start(fd, NULL));
	p = dev_map(fd, c.map_bytes, PROT_READ, MAP_SHARED, 0);
	ASSERT_NE(MAP_FAILED, p);
	/* Starting and mapping take no more. */
	EXPECT_EQ(with, status_kb("VmLck"));
	close(fd);
	EXPECT_EQ(with, status_kb("VmLck"));
	munmap(p, c.map_bytes);
	EXPECT_EQ(before, status_kb("VmLck"));
}

TEST(memory_of_a_failed_configure)
{
	struct wallprof_configure c = dev_config();
	long before = status_kb("VmLck");
	int fd = dev_open();

	dev_sampler(&c, 99);
	c.attr_config = 9999;
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(-ENOENT, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	EXPECT_EQ(before, status_kb("VmLck"));
}

TEST(the_limit_of_locked_memory)
{
	struct wallprof_configure c = dev_config();
	struct rlimit limit = { 64 << 10, 1 << 30 };
	long before = status_kb("VmLck");
	int fd;

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	/* Who may lock memory has no limit. */
	fd = dev_open();
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	close(fd);

	ASSERT_EQ(0, drop_cap(CAP_IPC_LOCK));
	fd = dev_open();
	c = dev_config();
	EXPECT_EQ(-ENOMEM, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	EXPECT_EQ(WALLPROF_SESSION_OPEN, dev_status(fd).state);
	EXPECT_EQ(before, status_kb("VmLck"));

	limit.rlim_cur = limit.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	c = dev_config();
	EXPECT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	close(fd);
	EXPECT_EQ(before, status_kb("VmLck"));
}

/* More than the machine has: refused, and nothing stays behind. */
FIXTURE(memory)
{
	int fds[64];
};

FIXTURE_SETUP(memory)
{
	memset(self->fds, -1, sizeof(self->fds));
}

FIXTURE_TEARDOWN(memory)
{
}

TEST_F_TIMEOUT(memory, more_than_there_is, 120)
{
	long before = status_kb("VmLck");
	int ret = 0, i = 0;

	for (; i < 64 && !ret; i++) {
		struct wallprof_configure c = dev_config();

		dev_sampler(&c, 99);
		c.nr_aggrs = WALLPROF_MAX_AGGRS;
		c.stack_words = WALLPROF_MAX_STACK_WORDS;
		c.nr_exits = WALLPROF_MAX_EXITS;
		c.nr_tasks = WALLPROF_MAX_TASKS;
		self->fds[i] = dev_open();
		ASSERT_LE(0, self->fds[i]);
		ret = dev_cmd(self->fds[i], WALLPROF_IOC_CONFIGURE, &c);
	}
	EXPECT_EQ(-ENOMEM, ret);
	EXPECT_EQ(WALLPROF_SESSION_OPEN, dev_status(self->fds[i - 1]).state);
	while (i--)
		close(self->fds[i]);
	EXPECT_EQ(before, status_kb("VmLck"));
}

static short poll_now(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, ms);
	return p.revents;
}

TEST(poll_in_every_state)
{
	struct wallprof_configure c = dev_config();
	int fd = dev_open();
	__u32 me = getpid();

	dev_target(&c, WALLPROF_TARGET_PID, &me, 1);
	EXPECT_EQ(POLLERR, poll_now(fd, 0));
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	EXPECT_EQ(POLLERR, poll_now(fd, 0));
	ASSERT_EQ(0, dev_start(fd, NULL));
	EXPECT_EQ(0, poll_now(fd, 0));
	EXPECT_EQ(0, poll_now(fd, 50));
	ASSERT_EQ(0, dev_stop(fd, NULL));
	EXPECT_EQ(POLLHUP, poll_now(fd, 0) & ~POLLIN);
}

TEST(poll_wakes_when_the_targets_are_gone)
{
	struct wallprof_configure c = dev_config();
	int go[2], fd = dev_open();
	__u32 pid;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		char byte;

		/* It ends while the parent waits. */
		if (read(go[0], &byte, 1) == 1)
			nap_ns(200 * MS);
		_exit(0);
	}
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	ASSERT_EQ(0, dev_start(fd, NULL));
	EXPECT_EQ(1, dev_status(fd).nr_live_targets);
	ASSERT_EQ(1, write(go[1], "", 1));
	/* The harness ends who waits in vain. */
	EXPECT_EQ(POLLHUP, poll_now(fd, -1) & ~POLLIN);
	EXPECT_EQ(0, dev_status(fd).nr_live_targets);
	EXPECT_EQ(WALLPROF_SESSION_RUNNING, dev_status(fd).state);
}

TEST(poll_at_the_watermark)
{
	struct wallprof_configure c = dev_config();
	pid_t pid = child_of(load_all, (void *)1);
	struct wallprof_flip flip;
	int fd = dev_open();

	c.nr_exits = WALLPROF_MIN_EXITS;
	c.watermark = 1;
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	ASSERT_EQ(0, dev_start(fd, NULL));
	/* Each time anew. */
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(POLLIN, poll_now(fd, -1));
		ASSERT_EQ(0, dev_flip(fd, &flip));
	}
	child_end(pid);
	EXPECT_EQ(0, dev_stop(fd, NULL));
	EXPECT_NE(0, poll_now(fd, 0) & POLLHUP);
}

static void *stops_later(void *arg)
{
	nap_ns(200 * MS);
	dev_stop(*(int *)arg, NULL);
	return NULL;
}

TEST(poll_wakes_when_another_thread_stops)
{
	struct wallprof_configure c = dev_config();
	__u32 me = getpid();
	pthread_t thread;
	int fd = dev_open();

	dev_target(&c, WALLPROF_TARGET_PID, &me, 1);
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	ASSERT_EQ(0, dev_start(fd, NULL));
	pthread_create(&thread, NULL, stops_later, &fd);
	EXPECT_EQ(POLLHUP, poll_now(fd, -1) & ~POLLIN);
	pthread_join(thread, NULL);
}

/* Commands of several threads at one session take turns. */
struct crowd {
	int fd;
	volatile bool over;
	int bad;
};

static void *flips(void *arg)
{
	struct crowd *crowd = arg;
	struct wallprof_flip flip;

	while (!crowd->over)
		if (dev_flip(crowd->fd, &flip))
			__sync_fetch_and_add(&crowd->bad, 1);
	return NULL;
}

static void *asks(void *arg)
{
	struct crowd *crowd = arg;

	while (!crowd->over)
		if (dev_status(crowd->fd).state != WALLPROF_SESSION_RUNNING)
			__sync_fetch_and_add(&crowd->bad, 1);
	return NULL;
}

static void *maps(void *arg)
{
	struct crowd *crowd = arg;

	while (!crowd->over) {
		void *p = dev_map(crowd->fd, 4096, PROT_READ, MAP_SHARED, 0);

		if (p == MAP_FAILED)
			__sync_fetch_and_add(&crowd->bad, 1);
		else
			munmap(p, 4096);
	}
	return NULL;
}

TEST(many_threads_at_one_session)
{
	void *(*const bodies[])(void *) = { flips, flips, asks, maps };
	struct wallprof_configure c = dev_config();
	struct crowd crowd = { .fd = dev_open() };
	pid_t pid = child_of(load_all, NULL);
	pthread_t threads[4];

	ASSERT_EQ(0, dev_cmd(crowd.fd, WALLPROF_IOC_CONFIGURE, &c));
	ASSERT_EQ(0, dev_start(crowd.fd, NULL));
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, bodies[i], &crowd);
	nap_ns(scaled(SEC));
	crowd.over = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, crowd.bad);
	EXPECT_EQ(0, dev_stop(crowd.fd, NULL));
	child_end(pid);
}

/* Counters are made and released some time after. */
static void counters_become(int fd, __u32 want)
{
	UNTIL(dev_status(fd).counters == want);
}

/* CPUs go and come while a session runs; the account stays whole. */
TEST(cpus_go_and_come)
{
	struct wallprof_configure c = dev_config();
	struct session s;
	__u32 counters;
	pid_t pid;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "one CPU");
	pid = child_of(load_all, (void *)1);
	dev_sampler(&c, 99);
	c.flags |= WALLPROF_INHERIT;
	dev_target(&c, WALLPROF_TARGET_PID, (__u32 *)&pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	counters = dev_status(s.fd).counters;
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0, cpu_online(1, "0"));
		counters_become(s.fd, counters - 1);
		nap_ns(50 * MS);
		EXPECT_EQ(0, session_flip(&s));
		EXPECT_EQ(0, cpu_online(1, "1"));
		counters_become(s.fd, counters);
		nap_ns(50 * MS);
		EXPECT_EQ(0, session_flip(&s));
	}
	UNTIL(s.events[0] + session_so_far(&s, 0).events > 100);
	/* What it held while it was off is read, too; it ends while one is. */
	EXPECT_EQ(0, cpu_online(1, "0"));
	EXPECT_EQ(0, dev_status(s.fd).counters_failed);
	EXPECT_WHOLE(&s);
	EXPECT_EQ(0, cpu_online(1, "1"));
	child_end(pid);
}

TEST(opened_while_a_cpu_is_off)
{
	struct wallprof_configure c = dev_config();
	__u64 ns = 5 * MS;
	struct session s;
	pid_t pid;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "one CPU");
	pid = child_of(load_naps, &ns);
	ASSERT_EQ(0, cpu_online(1, "0"));
	dev_sampler(&c, 99);
	EXPECT_EQ(0, session_begin(&s, &c));
	EXPECT_EQ(0, cpu_online(1, "1"));
	counters_become(s.fd, sysconf(_SC_NPROCESSORS_ONLN));
	nap_ns(200 * MS);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), dev_status(s.fd).counters);
	EXPECT_WHOLE(&s);
	child_end(pid);
}

/*
 * A worker makes the counter of a CPU that comes online; not before CONFIGURE has
 * made its own, nor after it could not. CONFIGURE is held up: a kprobe's name lies
 * in memory that is not there before the test says so. Who makes counters, the
 * kernel's own tracing shows.
 */
#define INSTANCE	"/sys/kernel/tracing/instances/wallprof"
#define PROBE		INSTANCE "/events/wallprof/counter"

/*
 * How many counters kworkers made. Each line has the thread: the name in front of
 * it is known only once that thread has left its CPU.
 */
static unsigned int made_by_worker(void)
{
	FILE *f = fopen(INSTANCE "/trace", "re");
	unsigned int nr = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		nr += !!strstr(line, "by=\"kworker");
	if (f)
		fclose(f);
	return nr;
}

/*
 * The worker is not to make what CONFIGURE was refused. No test shows that it does
 * not: CONFIGURE cannot be held up in the middle since it follows no user's pointer
 * when it makes counters.
 */
TEST(worker_makes_counters)
{
	struct wallprof_configure c = dev_config();
	int fd = dev_open(), err;
	__u32 counters;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "one CPU");
	err = text_to("/sys/kernel/tracing/kprobe_events",
		      "p:wallprof/counter perf_event_create_kernel_counter by=$comm\n");
	if (err)
		SKIP(return, "no kprobe by tracefs: %s", strerror(-err));
	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_EQ(0, text_to(PROBE "/enable", "1"));
	dev_sampler(&c, 99);
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	EXPECT_EQ(0, made_by_worker());
	counters = dev_status(fd).counters;
	EXPECT_EQ(0, cpu_online(1, "0"));
	counters_become(fd, counters - 1);
	EXPECT_EQ(0, cpu_online(1, "1"));
	counters_become(fd, counters);
	EXPECT_LE(1, made_by_worker());
	close(fd);
	EXPECT_EQ(0, text_to(PROBE "/enable", "0"));
	EXPECT_EQ(0, rmdir(INSTANCE));
	EXPECT_EQ(0, text_to("/sys/kernel/tracing/kprobe_events", "-:wallprof/counter\n"));
}

TEST_HARNESS_MAIN
