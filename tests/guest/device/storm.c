// SPDX-License-Identifier: GPL-2.0
/*
 * A storm of events: what was recorded, and what each counter of losses has, are together
 * what the programs did, to the event.
 *
 * A child on each CPU, and one that moves, does one cheap system call after the other, each
 * from another stack, with tables that have room for a few of them; a tracepoint of period 1
 * counts them, while the epochs flip: each time that they have done so much more. Nothing here
 * depends on how fast that is.
 */
#include <sched.h>
#include <sys/mount.h>

#include "device.h"

#define ENTER	"/sys/kernel/tracing/events/raw_syscalls/sys_enter/"
#define MAX_CHILDREN	9
#define BITS	9	/* of a path */
#define OTHERS	2	/* calls of a child while it is recorded, beside those of the storm */
#define EPOCH	1000	/* calls, of all children, before the next flip */
#define FEW_WORDS	512	/* of stacks: for some more than there can be sums */

struct storm {
	int go[2], done[2];
	unsigned int calls;
	int cpu;		/* -1: any */
	volatile unsigned int at;
};

/* One of two calls at each step. @here differs, so that they stay two. */
static __attribute__((noinline)) long along(unsigned int path, int bits, long call, int here)
{
	long done;

	if (!bits) {
		done = syscall(SYS_getppid, call);
	} else if (path & 1) {
		done = along(path >> 1, bits - 1, call, 1);
		asm volatile("" : "+r" (done));
	} else {
		done = along(path >> 1, bits - 1, call, 0);
		asm volatile("" : "+r" (done));
	}
	return done + here;
}

static void storms(void *arg)
{
	struct storm *storm = arg;
	char byte = 0;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	if (storm->cpu >= 0) {
		CPU_SET(storm->cpu, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
	}
	if (write(storm->done[1], &byte, 1) != 1 || read(storm->go[0], &byte, 1) != 1)
		_exit(1);
	for (; storm->at < storm->calls; storm->at++)
		along(storm->at * 0x9e3779b1U >> (32 - BITS), BITS, storm->at, 0);
	/* These are the others. */
	if (write(storm->done[1], &byte, 1) != 1 || read(storm->go[0], &byte, 1) != 1)
		_exit(1);
}

/* A number in a file; after a word, if there is one. */
static long read_number(const char *path, const char *word)
{
	int fd = open(path, O_RDONLY);
	char text[4096];
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	const char *at;

	text[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
	at = word ? strstr(text, word) : text;
	at = at && word ? strstr(at, "offset:") : at;
	return at ? atol(word ? at + strlen("offset:") : at) : -1;
}

FIXTURE(storm)
{
	struct wallprof_configure c;
	struct wallprof_event event;
	struct wallprof_filter_test test;
	struct storm *storms;	/* shared */
	__u32 pids[MAX_CHILDREN];
	unsigned int nr;
	__u64 calls, others;
	__u64 args;		/* of the calls, in sum */
	int args_offset;	/* where the first one is in the records */
	struct session s;
};

FIXTURE_VARIANT(storm)
{
	__u32 flags;		/* of the session, more than SAMPLER */
	__u32 nr_aggrs;
	__u32 stack_words;
};

/* Nothing has room. */
FIXTURE_VARIANT_ADD(storm, small) {
	.nr_aggrs = WALLPROF_MIN_AGGRS, .stack_words = FEW_WORDS,
};

/* Sums have, stacks have not. */
FIXTURE_VARIANT_ADD(storm, few_stacks) {
	.flags = WALLPROF_SAMPLE_CACHE,
	.nr_aggrs = 1 << 16, .stack_words = FEW_WORDS,
};

/* The other way round. */
FIXTURE_VARIANT_ADD(storm, few_sums) {
	.flags = WALLPROF_SAMPLE_CACHE,
	.nr_aggrs = WALLPROF_MIN_AGGRS, .stack_words = 1 << 18,
};

FIXTURE_SETUP(storm)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char byte;

	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	self->storms = mmap(NULL, MAX_CHILDREN * sizeof(*self->storms), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->storms);
	for (int i = 0; i <= cpus && i < MAX_CHILDREN; i++) {
		struct storm *storm = &self->storms[i];

		ASSERT_EQ(0, pipe(storm->go) + pipe(storm->done));
		storm->calls = scaled(20000);
		storm->cpu = i - 1;
		self->pids[i] = child_of(storms, storm);
		ASSERT_EQ(1, read(storm->done[0], &byte, 1));
		UNTIL(is_off(self->pids[i], 'S'));
		self->nr++;
		self->calls += storm->calls;
		self->others += OTHERS;
		self->args += (__u64)storm->calls * (storm->calls - 1) / 2;
	}
	self->c = dev_config();
	self->c.flags |= WALLPROF_SAMPLER | variant->flags;
	self->c.nr_aggrs = variant->nr_aggrs;
	self->c.stack_words = variant->stack_words;
	dev_target(&self->c, WALLPROF_TARGET_PID, self->pids, self->nr);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	self->event = dev_event(read_number(ENTER "id", NULL), 1);
	self->event.attr_type = PERF_TYPE_TRACEPOINT;
	ASSERT_LT(0, (long)self->event.attr_config);
	self->test = (struct wallprof_filter_test){
		.operand = WALLPROF_FILTER_SIGNED, .compare = WALLPROF_FILTER_EQUAL,
		.offset = read_number(ENTER "format", " id;"), .size = sizeof(long),
		.yes = WALLPROF_FILTER_TAKE, .no = WALLPROF_FILTER_DROP, .value = SYS_getppid,
	};
	ASSERT_LT(0, (short)self->test.offset);
	self->args_offset = read_number(ENTER "format", " args[6];");
	ASSERT_LT(0, self->args_offset);
}

FIXTURE_TEARDOWN(storm)
{
	for (unsigned int i = 0; i < self->nr; i++)
		child_end(self->pids[i]);
}

static int add(struct session *s, struct wallprof_event event,
	       const struct wallprof_filter_test *test)
{
	int ret;

	event.filter = (uintptr_t)test;
	event.nr_filter = !!test;
	ret = dev_cmd(s->fd, WALLPROF_IOC_EVENT, &event);
	return ret ? ret : (int)event.nr;
}

/* Lets them all work at once, and flips until they have. 0, or a negative errno. */
static int let_them(struct session *s, const struct storm *storms, const __u32 *pids,
		    unsigned int nr)
{
	unsigned int flipped = 0, at = 0, all = 0;
	char byte = 0;
	int ret = 0;

	for (unsigned int i = 0; i < nr; i++) {
		all += storms[i].calls;
		if (write(storms[i].go[1], &byte, 1) != 1)
			return -errno;
	}
	while (at < all && !ret) {
		at = 0;
		for (unsigned int i = 0; i < nr; i++)
			at += storms[i].at;
		if (at - flipped < EPOCH) {
			nap_ns(MS);
			continue;
		}
		flipped = at;
		ret = session_flip(s);
	}
	for (unsigned int i = 0; i < nr && !ret; i++) {
		if (read(storms[i].done[0], &byte, 1) != 1)
			return -errno;
		UNTIL(is_off(pids[i], 'S'));
	}
	return ret;
}

/* What was recorded of all events, or of one. */
struct found {
	__u64 count, total;
	__u64 missing;		/* stacks and records that the samples lack */
	__u64 marked;		/* samples that are said to lack a stack */
	__u64 stackless;	/* that do */
};

static struct found found_of(const struct session *s, int nr, int with_record)
{
	struct found f = { 0 };

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];
		unsigned int missing = !a->user_stack + !a->kernel_stack;

		if (a->kind != WALLPROF_AGGR_SAMPLE || (nr >= 0 && a->event != nr))
			continue;
		f.count += a->count;
		f.total += a->total;
		f.marked += a->flags & WALLPROF_AGGR_NO_STACK ? a->count : 0;
		f.stackless += missing ? a->count : 0;
		missing += a->event == with_record && !a->waker_stack;
		f.missing += missing * a->count;
	}
	return f;
}

static struct wallprof_count count_of(struct session *s, __u32 nr)
{
	struct wallprof_count count = { .size = sizeof(count), .nr = nr };

	if (dev_cmd(s->fd, WALLPROF_IOC_COUNT, &count))
		count.value = ~0ULL;
	return count;
}

/* Samples that are lost, each with its period. */
static struct wallprof_lost lost_of(const struct session *s)
{
	const struct wallprof_lost *lost = s->lost[1];

	return (struct wallprof_lost){
		.count = lost[WALLPROF_LOSS_AGGR_FULL].count + lost[WALLPROF_LOSS_NESTED].count,
		.ns = lost[WALLPROF_LOSS_AGGR_FULL].ns + lost[WALLPROF_LOSS_NESTED].ns,
	};
}

/*
 * That @what was found and the losses are so many samples and so much in sum, and that each stack and
 * record that found no room is one that a sample lacks. How fast it was has no limit.
 */
#define EXPECT_EXACT(what, samples, sum) do { \
	const struct found f_ = what; \
	const struct wallprof_lost lost_ = lost_of(s); \
	const __u64 no_room_ = s->lost[1][WALLPROF_LOSS_STACK_FULL].count; \
	EXPECT_EQ(samples, f_.count + lost_.count); \
	EXPECT_EQ(sum, f_.total + lost_.ns); \
	EXPECT_EQ(f_.stackless, f_.marked); \
	EXPECT_LE(f_.missing, no_room_); \
	/* A sample that is lost may have lacked all three. */ \
	EXPECT_GE(f_.missing + 3 * lost_.count, no_room_); \
	if (!lost_.count) { \
		EXPECT_EQ(f_.missing, no_room_); \
	} \
	fprintf(stderr, "# rate: %llu events in %llu ms, %u flips, %llu lost, %llu without room\n", \
		(ull)(samples), (ull)(s->stop - s->start) / MS, s->flips, (ull)lost_.count, \
		(ull)no_room_); \
} while (0)

/* What there is room for decides what is lost, and here that is certain. */
#define EXPECT_LOST() do { \
	if (variant->nr_aggrs == WALLPROF_MIN_AGGRS) { \
		EXPECT_LT(0, lost_of(s).count); \
	} else { \
		EXPECT_EQ(0, lost_of(s).count); \
	} \
	if (variant->stack_words == FEW_WORDS) { \
		EXPECT_LT(0, s->lost[1][WALLPROF_LOSS_STACK_FULL].count); \
	} \
	EXPECT_LT(1, s->flips); \
} while (0)

/* One event. */
TEST_F_TIMEOUT(storm, to_the_event, 600)
{
	struct session *s = &self->s;

	ASSERT_EQ(0, add(s, self->event, NULL));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_them(s, self->storms, self->pids, self->nr));
	EXPECT_WHOLE(s);
	EXPECT_EXACT(found_of(s, -1, -1), self->calls + self->others, self->calls + self->others);
	EXPECT_LOST();
}

/* The storm alone passes the filter; with a record that is never the same. */
TEST_F_TIMEOUT(storm, with_filter_and_record, 600)
{
	struct session *s = &self->s;

	self->event.record_words = 8;
	ASSERT_EQ(0, add(s, self->event, &self->test));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_them(s, self->storms, self->pids, self->nr));
	EXPECT_WHOLE(s);
	EXPECT_EXACT(found_of(s, -1, 0), self->calls, self->calls);
	EXPECT_EQ(self->others, count_of(s, 0).filtered);
	EXPECT_EQ(0, count_of(s, 0).unfit);
	EXPECT_LOST();
}

/* All of it at once, and a weight, which is lost with its sample. */
TEST_F_TIMEOUT(storm, several, 600)
{
	struct wallprof_event weighed = self->event, recorded = self->event;
	__u64 plain = self->calls + self->others;
	struct session *s = &self->s;

	ASSERT_EQ(0, add(s, self->event, NULL));
	ASSERT_EQ(1, add(s, self->event, &self->test));
	recorded.record_words = 8;
	ASSERT_EQ(2, add(s, recorded, &self->test));
	weighed.weight_offset = self->args_offset;
	weighed.weight_size = sizeof(long);
	ASSERT_EQ(3, add(s, weighed, &self->test));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_them(s, self->storms, self->pids, self->nr));
	EXPECT_WHOLE(s);
	EXPECT_EXACT(found_of(s, -1, 2), plain + 3 * self->calls,
		     plain + 2 * self->calls + self->args);
	for (int i = 1; i <= 3; i++)
		EXPECT_EQ(self->others, count_of(s, i).filtered);
	EXPECT_LOST();
	if (lost_of(s).count)
		return;
	/* Then each has its own. */
	EXPECT_EQ(plain, found_of(s, 0, -1).count);
	for (int i = 1; i <= 3; i++)
		EXPECT_EQ(self->calls, found_of(s, i, -1).count);
	EXPECT_EQ(self->args, found_of(s, 3, -1).total);
}

TEST_HARNESS_MAIN
