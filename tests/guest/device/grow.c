// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that grow: what finds no room in one epoch finds it in a later one, within the
 * memory that CONFIGURE named and the owner's limit, and charged to it. Invariants 5 (every
 * loss is counted) and 6 (memory is bounded).
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "device.h"

#define THREADS	160
#define DEPTHS	40

/* Small tables, which the load fills: doubled four times they hold it. */
static struct wallprof_configure small_config(void)
{
	struct wallprof_configure c = dev_config();

	c.nr_aggrs = 64;
	c.stack_words = 512;
	c.nr_exits = 16;
	c.grow_bytes = 64 << 20;
	return c;
}

/* With all parts that a half can have, and samples. */
static struct wallprof_configure whole_config(void)
{
	struct wallprof_configure c = small_config();

	c.flags |= WALLPROF_HISTOGRAMS | WALLPROF_SAMPLER;
	c.wait_ns = 1;
	c.nr_waits = 256;
	c.attr_type = PERF_TYPE_SOFTWARE;
	c.attr_config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	c.attr_period = 1;
	return c;
}

__attribute__((noinline)) static void nap_at(unsigned int depth)
{
	if (depth)
		nap_at(depth - 1);
	else
		nap_ns(5 * MS);
	__asm__ volatile("");
}

static void *naps(void *arg)
{
	for (;;)
		nap_at((uintptr_t)arg % DEPTHS);
	return NULL;
}

/*
 * On CPU 0: many threads with many stacks, and some that end. However fast the machine is, what
 * they do in 20 ms has room in tables that have doubled four times.
 */
static void load_of_many(void *arg)
{
	pthread_t thread;

	stay_on(0);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, naps, (void *)i))
			_exit(1);
	for (;;) {
		pthread_t ends[24];

		for (int i = 0; i < 24; i++)
			if (pthread_create(&ends[i], NULL, load_short, NULL))
				_exit(1);
		for (int i = 0; i < 24; i++)
			pthread_join(ends[i], NULL);
		nap_ns(200 * MS);
	}
}

static __u64 lost_so_far(const struct session *s)
{
	__u64 sum = s->waits_full.count;

	for (int i = 0; i < 2; i++)
		sum += s->lost[i][WALLPROF_LOSS_AGGR_FULL].count +
		       s->lost[i][WALLPROF_LOSS_STACK_FULL].count +
		       s->lost[i][WALLPROF_LOSS_EXIT_FULL].count;
	return sum;
}

/* Retires epochs of 20 ms until @nr in a row have lost nothing, after both halves have grown. */
static int flip_until_whole(struct session *s, unsigned int nr)
{
	unsigned int whole = 0;
	int err = 0;

	while (!err && whole < nr) {
		__u64 lost = lost_so_far(s);

		nap_ns(20 * MS);
		err = session_flip(s);
		whole = lost_so_far(s) == lost && dev_status(s->fd).halves_grown > 1 ?
			whole + 1 : 0;
	}
	return err;
}

/* Retires epochs of 20 ms until halves have grown so often. */
static int flip_until_grown(struct session *s, unsigned int nr)
{
	int err = 0;

	while (!err && dev_status(s->fd).halves_grown < nr) {
		nap_ns(20 * MS);
		err = session_flip(s);
	}
	return err;
}

FIXTURE(grow)
{
	struct wallprof_configure c;
	struct session s;
	pid_t pid;
};

FIXTURE_VARIANT(grow)
{
	bool whole;
};

FIXTURE_VARIANT_ADD(grow, plain)
{
	.whole = false,
};

FIXTURE_VARIANT_ADD(grow, whole)
{
	.whole = true,
};

FIXTURE_SETUP(grow)
{
	self->c = variant->whole ? whole_config() : small_config();
	self->pid = child_of(load_of_many, NULL);
}

FIXTURE_TEARDOWN(grow)
{
	child_end(self->pid);
}

/*
 * What is lost at first is not lost later, what the mapping showed as zeroes before shows
 * it then, all of it is charged, and given back.
 */
TEST_F(grow, until_nothing_is_lost)
{
	struct session *s = &self->s;
	long before = status_kb("VmLck");
	struct wallprof_status status;
	volatile __u64 sum = 0;

	ASSERT_EQ(0, session_open(s, &self->c));
	EXPECT_EQ(WALLPROF_MAX_GROWTH, s->c.growth);
	for (__u64 at = 0; at < s->c.map_bytes; at += getpagesize())
		sum += *(__u64 *)(s->map + at);
	EXPECT_EQ((long)(s->c.memory_bytes / 1024), status_kb("VmLck") - before);
	ASSERT_EQ(0, session_start(s));
	ASSERT_EQ(0, flip_until_whole(s, 4));
	status = dev_status(s->fd);
	EXPECT_LT(1, status.halves_grown);
	EXPECT_EQ(0, status.grow_failed);
	EXPECT_LT(0, status.grown_bytes);
	EXPECT_GE(s->c.grow_bytes, status.grown_bytes);
	EXPECT_EQ((long)((s->c.memory_bytes + status.grown_bytes) / 1024),
		  status_kb("VmLck") - before);
	EXPECT_EQ(NULL, session_end(s)) TH_LOG("%s", s->trouble);
	session_close(s);
	EXPECT_EQ(before, status_kb("VmLck"));
}

/* Without memory to grow by, tables keep their sizes. */
TEST_F(grow, never_unasked)
{
	struct session *s = &self->s;
	struct wallprof_status status;

	self->c.grow_bytes = 0;
	ASSERT_EQ(0, session_begin(s, &self->c));
	EXPECT_EQ(0, s->c.growth);
	while (lost_so_far(s) < 1000) {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(s));
	}
	status = dev_status(s->fd);
	EXPECT_EQ(0, status.halves_grown);
	EXPECT_EQ(0, status.grown_bytes);
	EXPECT_EQ(0, status.grow_failed);
	EXPECT_EQ(NULL, session_end(s)) TH_LOG("%s", s->trouble);
	session_close(s);
}

/* They grow by as much as was named, and what is lost then is counted as ever. */
TEST_F(grow, within_the_bytes)
{
	struct session *s = &self->s;
	struct wallprof_status status;
	__u64 lost;

	/* Room for one half, once, not for both. */
	self->c.grow_bytes = (variant->whole ? 160 : 40) << 10;
	ASSERT_EQ(0, session_begin(s, &self->c));
	do {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(s));
		status = dev_status(s->fd);
	} while (!status.halves_grown);
	lost = lost_so_far(s);
	while (lost_so_far(s) < lost + 1000) {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(s));
	}
	status = dev_status(s->fd);
	EXPECT_LT(0, status.grown_bytes);
	EXPECT_GE(self->c.grow_bytes, status.grown_bytes);
	EXPECT_EQ(0, status.grow_failed);
	EXPECT_EQ(NULL, session_end(s)) TH_LOG("%s", s->trouble);
	session_close(s);
}

/* The owner's limit of locked memory leaves no room: the session goes on as it is. */
TEST_F(grow, within_the_limit)
{
	struct session *s = &self->s;
	struct wallprof_status status;
	struct rlimit limit;

	ASSERT_EQ(0, session_open(s, &self->c));
	limit.rlim_cur = (status_kb("VmLck") + 4) * 1024;
	limit.rlim_max = limit.rlim_cur;
	session_close(s);
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, drop_cap(CAP_IPC_LOCK));
	ASSERT_EQ(0, session_begin(s, &self->c));
	while (lost_so_far(s) < 1000) {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(s));
	}
	status = dev_status(s->fd);
	EXPECT_EQ(1, status.grow_failed);
	EXPECT_EQ(0, status.grown_bytes);
	EXPECT_EQ(0, status.halves_grown);
	EXPECT_EQ((long)(s->c.memory_bytes / 1024), status_kb("VmLck"));
	EXPECT_EQ(NULL, session_end(s)) TH_LOG("%s", s->trouble);
	session_close(s);
}

/* On CPU 1, if it is there: threads that wait and end. */
static void load_on_cpu1(void *arg)
{
	for (;;) {
		pthread_t ends[24];

		/* Each time: cpusets learn of a CPU that came later, and then reset this. */
		stay_on(1);
		for (int i = 0; i < 24; i++)
			if (pthread_create(&ends[i], NULL, load_short, NULL))
				_exit(1);
		for (int i = 0; i < 24; i++)
			pthread_join(ends[i], NULL);
		nap_ns(20 * MS);
	}
}

/* A thread that reads all of the mapping, again and again. */
struct looks {
	struct session *s;
	pthread_t thread;
	bool done;
	unsigned int rounds;
	unsigned int wrong;
};

static void look_at_half(struct looks *l, unsigned int cpu, int context, __u32 parity)
{
	const struct session *s = l->s;
	const volatile struct wallprof_half *half = session_half(s, cpu, context, parity);
	__u32 epoch = half->epoch;

	if (half->nr_aggrs > s->c.nr_aggrs << s->c.growth ||
	    half->stack_words > s->c.stack_words << s->c.growth ||
	    half->nr_exits > s->c.nr_exits << s->c.growth ||
	    half->nr_waits > s->c.nr_waits << s->c.growth ||
	    (half->cpu != cpu && half->cpu) || (epoch && epoch % 2 != parity))
		l->wrong++;
}

static void *look(void *arg)
{
	struct looks *l = arg;
	struct session *s = l->s;
	volatile __u64 sum = 0;

	while (!__atomic_load_n(&l->done, __ATOMIC_RELAXED) || !l->rounds) {
		/* Faults, not only what was mapped before. */
		if (l->rounds % 2)
			madvise(s->map, s->c.map_bytes, MADV_DONTNEED);
		for (__u64 at = 0; at < s->c.map_bytes; at += getpagesize())
			sum += *(volatile __u64 *)(s->map + at);
		for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++)
			for (int i = 0; i < 4; i++)
				if (i < 2 || s->c.flags & WALLPROF_SAMPLER)
					look_at_half(l, cpu, i / 2, i % 2);
		l->rounds++;
	}
	return NULL;
}

static void look_begin(struct looks *l, struct session *s)
{
	*l = (struct looks){ .s = s };
	pthread_create(&l->thread, NULL, look, l);
}

static void look_end(struct looks *l)
{
	__atomic_store_n(&l->done, true, __ATOMIC_RELAXED);
	pthread_join(l->thread, NULL);
}

/* Page faults all over the mapping while tables grow: each sees what is there. */
TEST_F(grow, under_page_faults)
{
	struct session *s = &self->s;
	long before = status_kb("VmLck");
	struct looks l;

	for (unsigned int i = 0; i < scaled(4); i++) {
		ASSERT_EQ(0, session_open(s, &self->c));
		ASSERT_EQ(0, session_start(s));
		look_begin(&l, s);
		EXPECT_EQ(0, flip_until_grown(s, 3));
		look_end(&l);
		EXPECT_EQ(0, l.wrong);
		EXPECT_LT(1, dev_status(s->fd).halves_grown);
		EXPECT_EQ(0, dev_status(s->fd).grow_failed);
		EXPECT_EQ(NULL, session_end(s)) TH_LOG("%s", s->trouble);
		session_close(s);
		EXPECT_EQ(before, status_kb("VmLck"));
	}
}

static void *cpu1_comes_and_goes(void *arg)
{
	bool *done = arg;

	while (!__atomic_load_n(done, __ATOMIC_RELAXED)) {
		cpu_online(1, "1");
		nap_ns(20 * MS);
		cpu_online(1, "0");
	}
	cpu_online(1, "1");
	return NULL;
}

/* A CPU that comes, and goes, while the tables of all grow has its own first size at first. */
TEST_F(grow, while_a_cpu_comes)
{
	struct session *s = &self->s;
	long before = status_kb("VmLck");
	struct wallprof_status status;
	pthread_t thread;
	bool done = false;
	pid_t pid;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "one CPU");
	ASSERT_EQ(0, cpu_online(1, "0"));
	ASSERT_EQ(0, session_begin(s, &self->c));
	s->cpus_go = true;
	pthread_create(&thread, NULL, cpu1_comes_and_goes, &done);
	UNTIL(dev_status(s->fd).cpus == 2);
	pid = child_of(load_on_cpu1, NULL);
	for (unsigned int i = 0; i < scaled(30) || dev_status(s->fd).halves_grown < 2; i++) {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(s));
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	child_end(pid);
	status = dev_status(s->fd);
	EXPECT_EQ(0, status.cpus_failed);
	EXPECT_EQ(0, status.grow_failed);
	EXPECT_LT(1, status.halves_grown);
	EXPECT_EQ((long)((s->c.memory_bytes + status.cpus_bytes + status.grown_bytes) / 1024),
		  status_kb("VmLck") - before);
	EXPECT_EQ(NULL, session_end(s)) TH_LOG("%s", s->trouble);
	session_close(s);
	EXPECT_EQ(before, status_kb("VmLck"));
}

static void *flips_fast(void *arg)
{
	struct session *s = arg;
	struct wallprof_flip flip;

	do
		memset(&flip, 0, sizeof(flip));
	while (!dev_flip(s->fd, &flip));
	return NULL;
}

/* Threads that agree on nothing retire epochs as fast as they can, and one reads. */
TEST_F(grow, by_two_threads)
{
	struct session *s = &self->s;
	long before = status_kb("VmLck");
	struct wallprof_status status;
	pthread_t threads[2];
	struct looks l;

	self->c.watermark = 1;
	ASSERT_EQ(0, session_begin(s, &self->c));
	look_begin(&l, s);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, flips_fast, s);
	UNTIL(dev_status(s->fd).halves_grown > 3);
	nap_ns(100 * MS);
	EXPECT_EQ(0, dev_stop(s->fd, &s->stop));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	look_end(&l);
	EXPECT_EQ(0, l.wrong);
	status = dev_status(s->fd);
	EXPECT_EQ(0, status.grow_failed);
	EXPECT_EQ((long)((s->c.memory_bytes + status.grown_bytes) / 1024),
		  status_kb("VmLck") - before);
	session_close(s);
	EXPECT_EQ(before, status_kb("VmLck"));
}

/* Another process retires the epochs: the owner pays, and gets it back. */
TEST_F(grow, by_a_child)
{
	struct session *s = &self->s;
	long before = status_kb("VmLck");
	struct wallprof_status status;
	int how;
	pid_t pid;

	ASSERT_EQ(0, session_begin(s, &self->c));
	pid = fork();
	if (!pid) {
		do {
			struct wallprof_flip flip = {};

			nap_ns(20 * MS);
			if (dev_flip(s->fd, &flip))
				_exit(1);
		} while (dev_status(s->fd).halves_grown < 2);
		_exit(status_kb("VmLck") != 0);
	}
	waitpid(pid, &how, 0);
	EXPECT_EQ(0, how);
	status = dev_status(s->fd);
	EXPECT_LT(1, status.halves_grown);
	EXPECT_EQ((long)((s->c.memory_bytes + status.grown_bytes) / 1024),
		  status_kb("VmLck") - before);
	session_close(s);
	EXPECT_EQ(before, status_kb("VmLck"));
}

/* The owner is gone, but its descriptor is not: tables grow, nobody else is charged. */
TEST_F(grow, without_the_owner)
{
	struct session *s = &self->s;
	long before = status_kb("VmLck");
	int fd = dev_open(), how;
	pid_t pid;

	ASSERT_LE(0, fd);
	pid = fork();
	if (!pid)
		_exit(dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &self->c) || dev_start(fd, &s->start));
	waitpid(pid, &how, 0);
	ASSERT_EQ(0, how);
	while (dev_status(fd).halves_grown < 2 && !dev_status(fd).grow_failed) {
		struct wallprof_flip flip = {};

		nap_ns(20 * MS);
		ASSERT_EQ(0, dev_flip(fd, &flip));
	}
	EXPECT_EQ(0, dev_status(fd).grow_failed);
	EXPECT_EQ(before, status_kb("VmLck"));
	close(fd);
	EXPECT_EQ(before, status_kb("VmLck"));
}

/* Many sessions grow until the one's limit that owns them all is reached. */
TEST_F(grow, many_sessions)
{
	enum { NR = 12 };
	long before = status_kb("VmLck"), most;
	static struct session all[NR];
	struct rlimit limit;
	__u64 bytes = 0, grown = 0;
	bool failed = false;

	ASSERT_EQ(0, session_open(&all[0], &self->c));
	bytes = all[0].c.memory_bytes;
	session_close(&all[0]);
	/* All of them at first, and 300 KiB more. */
	most = before + NR * bytes / 1024 + 300;
	limit.rlim_cur = most * 1024;
	limit.rlim_max = limit.rlim_cur;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, drop_cap(CAP_IPC_LOCK));
	for (int i = 0; i < NR; i++)
		ASSERT_EQ(0, session_begin(&all[i], &self->c));
	while (!failed) {
		nap_ns(20 * MS);
		for (int i = 0; i < NR; i++) {
			ASSERT_EQ(0, session_flip(&all[i]));
			failed |= dev_status(all[i].fd).grow_failed;
			EXPECT_GE(most, status_kb("VmLck"));
		}
	}
	for (int i = 0; i < NR; i++)
		grown += dev_status(all[i].fd).grown_bytes;
	EXPECT_LT(0, grown);
	EXPECT_EQ((long)((NR * bytes + grown) / 1024), status_kb("VmLck") - before);
	for (int i = 0; i < NR; i++) {
		EXPECT_EQ(NULL, session_end(&all[i])) TH_LOG("%s", all[i].trouble);
		session_close(&all[i]);
	}
	EXPECT_EQ(before, status_kb("VmLck"));
}

/* Samples alone: no threads that ended, no single intervals. */
TEST_F(grow, of_the_sampler_alone)
{
	struct session *s = &self->s;
	long before = status_kb("VmLck");
	struct wallprof_status status;

	self->c.flags = WALLPROF_SAMPLER;
	self->c.states = 0;
	self->c.wait_ns = 0;
	self->c.nr_waits = 0;
	self->c.attr_type = PERF_TYPE_SOFTWARE;
	self->c.attr_config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	self->c.attr_period = 1;
	ASSERT_EQ(0, session_begin(s, &self->c));
	EXPECT_EQ(WALLPROF_MAX_GROWTH, s->c.growth);
	ASSERT_EQ(0, flip_until_whole(s, 4));
	status = dev_status(s->fd);
	EXPECT_LT(1, status.halves_grown);
	EXPECT_EQ(0, status.grow_failed);
	EXPECT_EQ((long)((s->c.memory_bytes + status.grown_bytes) / 1024),
		  status_kb("VmLck") - before);
	EXPECT_EQ(NULL, session_end(s)) TH_LOG("%s", s->trouble);
	session_close(s);
	EXPECT_EQ(before, status_kb("VmLck"));
}

/* The limits of capacities hold for tables that have grown, too. */
TEST(capacities_have_limits)
{
	struct wallprof_configure c = dev_config();
	struct session s;

	c.grow_bytes = ~0ULL;
	c.nr_exits = WALLPROF_MAX_EXITS / 2;
	ASSERT_EQ(0, session_open(&s, &c));
	EXPECT_EQ(1, s.c.growth);
	session_close(&s);
	c.nr_exits++;
	ASSERT_EQ(0, session_open(&s, &c));
	EXPECT_EQ(0, s.c.growth);
	session_close(&s);
}

TEST_HARNESS_MAIN
