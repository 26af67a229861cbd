// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that grow: what finds no room in one epoch finds it in a later one, within the
 * memory that CONFIGURE named and the owner's limit, and charged to it. Invariants 5 (every
 * loss is counted) and 6 (memory is bounded).
 */
#include <sys/resource.h>

#include "device.h"

#define THREADS	160
#define DEPTHS	40

/* Small tables, which the load fills: doubled four times they hold it. */
static struct wallprof_configure small_config(void)
{
	struct wallprof_configure c = dev_config();

	c.nr_aggrs = 32;
	c.stack_words = 256;
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
	c.nr_waits = 64;
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
		nap_ns(2 * MS);
	__asm__ volatile("");
}

static void *naps(void *arg)
{
	for (;;)
		nap_at((uintptr_t)arg % DEPTHS);
	return NULL;
}

/* On CPU 0: many threads with many stacks, and some that end. */
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

/* Retires epochs of 20 ms until @nr in a row have lost nothing, after some that did. */
static int flip_until_whole(struct session *s, unsigned int nr)
{
	unsigned int whole = 0;
	int err = 0;

	while (!err && whole < nr) {
		__u64 lost = lost_so_far(s);

		nap_ns(20 * MS);
		err = session_flip(s);
		whole = lost_so_far(s) == lost && lost ? whole + 1 : 0;
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

	/* Room for one half, once or twice. */
	self->c.grow_bytes = 80 << 10;
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
	EXPECT_GE(80 << 10, status.grown_bytes);
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
