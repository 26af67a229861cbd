// SPDX-License-Identifier: GPL-2.0
/* Recording while processes, threads and CPUs come and go in masses. */
#include "life.h"

#define GROUP "/sys/fs/cgroup/storm"

/* Shared by a child that switches the second CPU off and on, and its parent. */
struct hotplug {
	unsigned int changes;	/* of the CPU, until now */
	unsigned int met;	/* sessions that saw one, in START or after it */
};

static void cpu1(volatile struct hotplug *hotplug, const char *on)
{
	int ret = put(CPU1, on);

	if (ret) {
		fprintf(stderr, "# second CPU, %s: %s\n", on, strerror(-ret));
		_exit(1);
	}
	hotplug->changes++;
}

/* It goes once and comes again. */
static void cpu1_goes_and_comes(volatile struct hotplug *hotplug, unsigned int ms)
{
	cpu1(hotplug, "0");
	nap_below(ms);
	cpu1(hotplug, "1");
	nap_below(ms);
}

/* Spins on the second CPU. */
static void spins_there(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		_exit(1);
	load_spin(arg);
}

/* CPUs go and come at random while everything is recorded and read. */
TEST_F_TIMEOUT(life, cpus_go_and_come, 600)
{
	struct wallprof_configure c = dev_config();
	struct hotplug hotplug = { 0 };
	struct session s;
	int ended;
	pid_t pid;

	if (access(CPU1, W_OK))
		SKIP(return, "one CPU");
	c.stack_flags |= WALLPROF_STACK_KERNEL;
	dev_sampler(&c, 999);
	life_rings(&c);
	ASSERT_EQ(0, session_begin(&s, &c));
	s.cpus_go = true;
	pid = fork();
	if (!pid) {
		for (unsigned int i = 0; i < times(40); i++)
			cpu1_goes_and_comes(&hotplug, 50);
		_exit(0);
	}
	while (!waitpid(pid, &ended, WNOHANG)) {
		nap_below(30);
		ASSERT_EQ(0, session_flip(&s));
		ASSERT_EQ(0, life_read_rings(&s));
	}
	/* What follows waits for that CPU. */
	ASSERT_EQ(0, ended);
	UNTIL(dev_status(s.fd).counters == sysconf(_SC_NPROCESSORS_ONLN));
	EXPECT_EQ(0, dev_status(s.fd).counters_failed);
	/* And none of them is one that died with its CPU. */
	ASSERT_EQ(0, session_flip(&s));
	pid = child_of(spins_there, NULL);
	UNTIL(((volatile struct wallprof_half *)session_half(&s, 1, 1, s.epoch + 1))->events);
	child_end(pid);
	UNTIL(s.events[0] + session_so_far(&s, 0).events > 100);
	EXPECT_ALL_WHOLE(&s);
	EXPECT_LT(100, s.events[0]);
	EXPECT_LT(0, s.events[1]);
	session_close(&s);
}

/* Sessions open and close while CPUs go and come. */
TEST_F_TIMEOUT(life, sessions_and_cpus_come_and_go, 600)
{
	volatile struct hotplug *hotplug;
	unsigned int sessions = 0;
	int ended;
	pid_t pid;

	if (access(CPU1, W_OK))
		SKIP(return, "one CPU");
	hotplug = life_shared(sizeof(*hotplug));
	ASSERT_NE(NULL, hotplug);
	pid = fork();
	if (!pid) {
		for (unsigned int i = 0; i < times(40) || !hotplug->met; i++)
			cpu1_goes_and_comes(hotplug, 20);
		_exit(0);
	}
	while (!waitpid(pid, &ended, WNOHANG)) {
		struct wallprof_configure c = life_any();
		unsigned int changes = hotplug->changes;
		struct session s;

		if (!(c.flags & WALLPROF_SAMPLER))
			dev_sampler(&c, 499);
		ASSERT_EQ(0, life_begin(&s, &c));
		s.cpus_go = true;
		nap_below(30);
		hotplug->met += hotplug->changes != changes;
		if (rnd(2))
			EXPECT_ALL_WHOLE(&s);
		session_close(&s);
		sessions++;
	}
	EXPECT_EQ(0, ended);
	EXPECT_LT(0, hotplug->met);
	TH_LOG("%u sessions, of which %u saw some of %u changes", sessions, hotplug->met,
	       hotplug->changes);
}

/* Forks that do not end by themselves, as far as a control group lets them. */
static void bomb(void)
{
	pid_t first = getpid();

	for (;;) {
		pid_t pid = fork();

		if (!pid)
			continue;
		if (pid < 0)
			nap_below(20);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (getpid() != first && rnd(4) == 0)
			_exit(0);
	}
}

/* Kills all processes of the group. */
static void defuse(void)
{
	char line[32];
	bool any;

	do {
		FILE *f = fopen(GROUP "/cgroup.procs", "re");

		any = false;
		while (f && fgets(line, sizeof(line), f)) {
			int pid = atoi(line);

			any = true;
			/* One that ended just now is listed as 0, which is the caller. */
			if (pid > 0)
				kill(pid, SIGKILL);
		}
		if (f)
			fclose(f);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		nap_ns(MS);
	} while (any);
}

static void a_bomb_in_a_group(void *arg)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	if (put(GROUP "/cgroup.procs", pid) || read(*(int *)arg, pid, 1) != 1)
		_exit(1);
	rnd_seed(getpid());
	bomb();
}

struct storm_case {
	unsigned int nr_tasks, target;
};

/* Whether enough has happened: threads found no slot, or ended. */
static bool enough(const struct session *s, bool few)
{
	return few ? dev_status(s->fd).tasks_failed > 10 : s->nr_ends > 20;
}

TEST_F_TIMEOUT(life, fork_bombs, 1200)
{
	static const struct storm_case cases[] = {
		{ 4096, WALLPROF_TARGET_ALL },
		{ WALLPROF_MIN_TASKS, WALLPROF_TARGET_ALL },
		{ 4096, WALLPROF_TARGET_PID },
		{ WALLPROF_MIN_TASKS, WALLPROF_TARGET_PID },
	};
	int go[2];

	ASSERT_EQ(0, pipe(go));
	put("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	rmdir(GROUP);
	ASSERT_EQ(0, mkdir(GROUP, 0755));
	ASSERT_EQ(0, put(GROUP "/pids.max", "150"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct wallprof_configure c = dev_config();
		bool few = cases[i].nr_tasks == WALLPROF_MIN_TASKS;
		struct wallprof_status status;
		struct session s;
		__u32 pid;

		pid = child_of(a_bomb_in_a_group, &go[0]);
		c.nr_tasks = cases[i].nr_tasks;
		c.nr_exits = 8192;
		dev_sampler(&c, 499);
		life_rings(&c);
		if (cases[i].target == WALLPROF_TARGET_PID) {
			dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
			c.flags |= WALLPROF_INHERIT;
		}
		ASSERT_EQ(0, session_begin(&s, &c));
		ASSERT_EQ(1, write(go[1], "", 1));
		for (unsigned int k = 0; k < times(40) || !enough(&s, few); k++) {
			nap_ns(25 * MS);
			ASSERT_EQ(0, session_flip(&s));
			ASSERT_EQ(0, life_read_rings(&s));
		}
		defuse();
		status = dev_status(s.fd);
		EXPECT_ALL_WHOLE(&s);
		TH_LOG("%zu ends, %u slots, %llu threads without one", s.nr_ends,
		       status.nr_tasks, (ull)status.tasks_failed);
		session_close(&s);
	}
	group_end(GROUP);
}

/* Executes itself for ever, from the leader or from another thread. */
#define AGAIN "exec sh -c \"$0\" \"$0\""

static void *executes(void *arg)
{
	execl("/bin/sh", "sh", "-c", AGAIN, AGAIN, NULL);
	return arg;
}

static void executes_for_ever(void *arg)
{
	pthread_t thread;

	if (arg) {
		pthread_create(&thread, NULL, executes, NULL);
		for (;;)
			pause();
	}
	executes(NULL);
}

static void *executes_once(void *arg)
{
	execl("/bin/true", "true", NULL);
	return arg;
}

/* A process after the other, each with a program of its own. */
static void executes_many(void *arg)
{
	for (;;) {
		pid_t pid = vfork();

		if (!pid) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
		/* Threads whose process executes under them. */
		pid = fork();
		if (!pid) {
			pthread_t thread;

			for (int i = 0; i < 3; i++)
				pthread_create(&thread, NULL, load_short, NULL);
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
		/* A thread that executes under its process. */
		pid = fork();
		if (!pid) {
			pthread_t thread;

			pthread_create(&thread, NULL, executes_once, NULL);
			for (;;)
				pause();
		}
		waitpid(pid, NULL, 0);
	}
}

TEST_F_TIMEOUT(life, exec_storms, 600)
{
	for (unsigned int armed = 0; armed < 3; armed++) {
		struct wallprof_configure c = dev_config();
		struct session s;
		__u32 pids[3];

		pids[0] = child_of(executes_for_ever, NULL);
		pids[1] = child_of(executes_for_ever, (void *)1);
		pids[2] = child_of(executes_many, NULL);
		dev_sampler(&c, 499);
		life_rings(&c);
		if (armed) {
			dev_target(&c, WALLPROF_TARGET_PID, pids, 3);
			c.flags |= WALLPROF_INHERIT;
			if (armed == 2)
				c.flags |= WALLPROF_ENABLE_ON_EXEC;
		}
		ASSERT_EQ(0, session_begin(&s, &c));
		s.execs = true;
		for (unsigned int k = 0; k < times(40) || !s.events[0]; k++) {
			nap_ns(25 * MS);
			ASSERT_EQ(0, session_flip(&s));
			ASSERT_EQ(0, life_read_rings(&s));
		}
		for (int i = 0; i < 3; i++)
			child_end(pids[i]);
		EXPECT_ALL_WHOLE(&s);
		session_close(&s);
	}
}

/* Threads that live for so short that the counter overflows as they end. */
static void *spins(void *arg)
{
	for (volatile int i = 0; i < (int)(uintptr_t)arg; i++)
		;
	return arg;
}

static void threads_end(void *arg)
{
	pthread_t threads[4];

	rnd_seed((uintptr_t)arg);
	for (;;) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, spins,
				       (void *)(uintptr_t)rnd(20000));
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		/* All of it at once, too. */
		if (rnd(16) == 0 && !fork()) {
			for (int i = 0; i < 4; i++)
				pthread_create(&threads[i], NULL, spins,
					       (void *)10000000);
			_exit(0);
		}
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

TEST_F_TIMEOUT(life, threads_end_while_sampled, 600)
{
	static const unsigned int targets[] = { WALLPROF_TARGET_ALL,
						WALLPROF_TARGET_PID };

	for (int i = 0; i < 4; i++) {
		struct wallprof_configure c = dev_config();
		struct session s;
		__u32 pid;

		pid = child_of(threads_end, (void *)(uintptr_t)(1 + i));
		dev_sampler(&c, 0);
		c.attr_flags = 0;
		c.attr_period = 100000;		/* ns */
		c.flags |= WALLPROF_WAKER_STACKS | WALLPROF_WAKER_CHAINS;
		c.stack_flags |= WALLPROF_STACK_KERNEL;
		if (targets[i % 2] == WALLPROF_TARGET_PID) {
			dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
			c.flags |= WALLPROF_INHERIT;
		}
		/* Without the scheduler's probes another one frees the slots. */
		if (i >= 2)
			c.flags &= ~(WALLPROF_OFFCPU | WALLPROF_WAKEUPS |
				     WALLPROF_WAKERS | WALLPROF_REASONS | WALLPROF_ARGS |
				     WALLPROF_WAKER_STACKS | WALLPROF_WAKER_CHAINS);
		life_rings(&c);
		ASSERT_EQ(0, session_begin(&s, &c));
		for (unsigned int k = 0; k < times(40) || !s.events[1] ||
		     (c.flags & WALLPROF_OFFCPU && s.nr_ends <= 20); k++) {
			nap_ns(25 * MS);
			ASSERT_EQ(0, session_flip(&s));
			ASSERT_EQ(0, life_read_rings(&s));
		}
		child_end(pid);
		if (c.flags & WALLPROF_OFFCPU) {
			EXPECT_ALL_WHOLE(&s);
		} else {
			EXPECT_EQ(0, dev_stop(s.fd, &s.stop));
			EXPECT_EQ(0, session_flip(&s));
			EXPECT_STREQ("", s.trouble);
		}
		EXPECT_LT(0, s.events[1]);
		EXPECT_EQ(0, s.lost[1][WALLPROF_LOSS_NESTED].count);
		session_close(&s);
	}
}

TEST_HARNESS_MAIN
