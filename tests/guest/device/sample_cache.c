// SPDX-License-Identifier: GPL-2.0
/*
 * Samples whose stacks are cached: they are the same as those of another event of the same
 * kind, which asks for one frame less than the session, and is walked each time.
 *
 * A child calls a leaf along many paths, several times each: all its stacks are equally deep
 * and begin at one place, and differ by the words of return addresses alone.
 */
#include "device.h"

#define BITS	5	/* of a path */
#define PATHS	(1 << BITS)
#define ROUNDS	10
#define MAX	(BITS + 4)	/* frames: all of the path; main()'s caller has none */

/* What the leaf does. */
enum leaf {
	TOUCHES,	/* a page for the first time */
	READS,		/* to such a page: the kernel touches it */
	NAPS,
};

struct paths {
	int go[2], done[2];
	enum leaf leaf;
	int zero;
};

static unsigned char *page;

static __attribute__((noinline)) int leaf(const struct paths *p)
{
	madvise(page, getpagesize(), MADV_DONTNEED);
	switch (p->leaf) {
	case TOUCHES:
		*(volatile unsigned char *)page = 1;
		return 0;
	case READS:
		return read(p->zero, page, 1) - 1;
	default:
		nap_ns(1000);
		return 0;
	}
}

/* One of two calls at each step. @here differs, so that they stay two. */
static __attribute__((noinline)) int along(const struct paths *p, unsigned int path, int bits,
					   int here)
{
	int done;

	if (!bits) {
		done = leaf(p);
	} else if (path & 1) {
		done = along(p, path >> 1, bits - 1, 1);
		asm volatile("" : "+r" (done));
	} else {
		done = along(p, path >> 1, bits - 1, 0);
		asm volatile("" : "+r" (done));
	}
	return done + here;
}

/* Says that it is ready, and waits for its next turn. */
static void in_turn(const struct paths *p)
{
	char byte = 0;

	if (write(p->done[1], &byte, 1) != 1 || read(p->go[0], &byte, 1) != 1)
		_exit(1);
}

/* All paths, and all again, from the last one back. */
static void goes_along(void *arg)
{
	struct paths *p = arg;

	page = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	along(p, 0, BITS, 0);
	for (unsigned int i = 0; i < 2 * PATHS * ROUNDS; i++) {
		unsigned int path = i / ROUNDS;

		if (path % PATHS == 0 && i % ROUNDS == 0)
			in_turn(p);
		along(p, path < PATHS ? path : 2 * PATHS - 1 - path, BITS, 0);
	}
	in_turn(p);
}

FIXTURE(sample_cache)
{
	struct wallprof_event cached, walked;
	struct paths *paths;
	struct session s;
	__u32 pid;
};

FIXTURE_VARIANT(sample_cache)
{
	__u32 flags;	/* of the session, more than SAMPLER */
	enum leaf leaf;
};

FIXTURE_VARIANT_ADD(sample_cache, of_faults) {
	.flags = WALLPROF_SAMPLE_CACHE, .leaf = TOUCHES,
};

/* The user's registers are where the kernel was entered. */
FIXTURE_VARIANT_ADD(sample_cache, of_faults_in_the_kernel) {
	.flags = WALLPROF_SAMPLE_CACHE, .leaf = READS,
};

/* By the scheduler; a nap may be over before it begins. */
FIXTURE_VARIANT_ADD(sample_cache, of_switches) {
	.flags = WALLPROF_SAMPLE_CACHE, .leaf = NAPS,
};

/* Beside the switches' own cache. */
FIXTURE_VARIANT_ADD(sample_cache, beside_intervals) {
	.flags = WALLPROF_SAMPLE_CACHE | WALLPROF_OFFCPU | WALLPROF_REASONS, .leaf = NAPS,
};

FIXTURE_VARIANT_ADD(sample_cache, without) {
	.leaf = TOUCHES,
};

FIXTURE_SETUP(sample_cache)
{
	__u64 event = variant->leaf == NAPS ? PERF_COUNT_SW_CONTEXT_SWITCHES :
					      PERF_COUNT_SW_PAGE_FAULTS;
	struct wallprof_configure c = dev_config();
	char byte;

	self->paths = mmap(NULL, sizeof(*self->paths), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->paths);
	self->paths->leaf = variant->leaf;
	self->paths->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->paths->zero);
	ASSERT_EQ(0, pipe(self->paths->go) | pipe(self->paths->done));
	self->pid = child_of(goes_along, self->paths);
	ASSERT_EQ(1, read(self->paths->done[0], &byte, 1));
	UNTIL(is_off(self->pid, 'S'));
	c.flags = WALLPROF_SAMPLER | variant->flags;
	c.max_stack = MAX + 1;
	dev_target(&c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &c));
	self->cached = dev_event(event, 1);
	self->cached.max_stack = MAX + 1;
	self->walked = self->cached;
	self->walked.max_stack = MAX;
	ASSERT_EQ(0, dev_cmd(self->s.fd, WALLPROF_IOC_EVENT, &self->cached));
	ASSERT_EQ(0, dev_cmd(self->s.fd, WALLPROF_IOC_EVENT, &self->walked));
}

FIXTURE_TEARDOWN(sample_cache)
{
	child_end(self->pid);
}

/* Whether stacks have the same frames, without the one that one event asks for more. */
static bool same_stack(const struct read_stack *a, const struct read_stack *b)
{
	unsigned int nr = a->nr < MAX ? a->nr : MAX;

	return nr == (b->nr < MAX ? b->nr : MAX) && a->flags == b->flags &&
	       !memcmp(a->ips, b->ips, nr * sizeof(*a->ips));
}

/* Samples of an event with a stack. */
static __u64 samples_with(const struct session *s, __u32 event, const struct read_stack *stack)
{
	__u64 count = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];
		const struct read_stack *other = session_stack(s, a->user_stack);

		if (a->kind == WALLPROF_AGGR_SAMPLE && a->event == event && other &&
		    same_stack(other, stack))
			count += a->count;
	}
	return count;
}

TEST_F(sample_cache, the_same_stacks)
{
	struct session *s = &self->s;
	__u64 samples = 0, paths = 0;
	char byte = 0;

	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	for (int turn = 0; turn < 2; turn++) {
		ASSERT_EQ(1, write(self->paths->go[1], &byte, 1));
		ASSERT_EQ(1, read(self->paths->done[0], &byte, 1));
		UNTIL(is_off(self->pid, 'S'));
		/* What is cached has no id any more. */
		ASSERT_EQ(0, session_flip(s));
	}
	EXPECT_WHOLE(s);
	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];
		const struct read_stack *stack = session_stack(s, a->user_stack);
		__u64 cached, walked;

		if (a->kind != WALLPROF_AGGR_SAMPLE)
			continue;
		ASSERT_NE(NULL, stack);
		cached = samples_with(s, self->cached.nr, stack);
		walked = samples_with(s, self->walked.nr, stack);
		EXPECT_EQ(walked, cached);
		if (a->event == self->cached.nr) {
			samples += a->count;
			paths += cached == 2 * ROUNDS;
		}
	}
	EXPECT_LT(0, samples);
	EXPECT_EQ(0, s->lost[1][WALLPROF_LOSS_NESTED].count);
	if (variant->leaf == NAPS)
		return;
	EXPECT_LE(2 * ROUNDS * PATHS, samples);
	if (HAS_FRAMES)
		EXPECT_LE(PATHS, paths);
	/* What began at the same place last was another path's, or is remembered. */
	if (variant->flags && sizeof(long) == 8) {
		EXPECT_LT(0, s->walks_remembered);
	} else {
		EXPECT_EQ(0, s->walks_remembered);
	}
}

TEST_HARNESS_MAIN
