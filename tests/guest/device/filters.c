// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of a tracepoint: what they take are samples, and all else of the targets is
 * counted; whatever the user passes, only valid filters of tracepoints are taken. What a
 * tracepoint records is kept with its samples, if that is asked for, and samples are summed
 * by a number of it.
 */
#include <sys/mount.h>

#include "device.h"

#define SIGNALS	"/sys/kernel/tracing/events/signal/signal_generate/"
#define FIRST	30	/* of SIGUSR1 */
#define SECOND	20	/* of SIGUSR2 */
#define MANY	300	/* each with another number */

#define TAKE	WALLPROF_FILTER_TAKE
#define DROP	WALLPROF_FILTER_DROP

static int pipes[2][2];

static void sends_itself(void *arg)
{
	char byte = 0;

	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	prctl(PR_SET_NAME, "sends_itself");
	for (;;) {
		if (write(pipes[1][1], &byte, 1) != 1 || read(pipes[0][0], &byte, 1) != 1)
			_exit(1);
		for (int i = 0; byte && i < MANY; i++) {
			siginfo_t info = { .si_code = SI_QUEUE, .si_errno = -i };

			syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info);
		}
		/* One after the other, with the same stack. */
		for (int i = 0; !byte && i < FIRST + SECOND; i++)
			kill(getpid(), i % 5 < 3 ? SIGUSR1 : SIGUSR2);
	}
}

static char *read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, size - 1);

	buf[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
	return buf;
}

/* Where a field is in the records. */
static __u16 offset_of(const char *declaration)
{
	char text[8192], *at = strstr(read_text(SIGNALS "format", text, sizeof(text)), declaration);

	at = at ? strstr(at, "offset:") : NULL;
	return at ? atoi(at + strlen("offset:")) : 0;
}

FIXTURE(filters)
{
	struct wallprof_configure c;
	struct wallprof_event event;
	struct wallprof_filter_test test;
	struct session s;
	__u32 pid;
};

FIXTURE_SETUP(filters)
{
	char text[64], byte;

	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	ASSERT_EQ(0, pipe(pipes[0]) + pipe(pipes[1]));
	self->pid = child_of(sends_itself, NULL);
	ASSERT_EQ(1, read(pipes[1][0], &byte, 1));
	UNTIL(is_off(self->pid, 'S'));
	self->c = dev_config();
	self->c.flags |= WALLPROF_SAMPLER;
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	self->event = dev_event(atoi(read_text(SIGNALS "id", text, sizeof(text))), 1);
	self->event.attr_type = PERF_TYPE_TRACEPOINT;
	ASSERT_LT(0, self->event.attr_config);
	self->test = (struct wallprof_filter_test){
		.operand = WALLPROF_FILTER_SIGNED, .compare = WALLPROF_FILTER_EQUAL,
		.offset = offset_of("int sig;"), .size = 4, .yes = TAKE, .no = DROP,
		.value = SIGUSR1,
	};
	ASSERT_LT(0, self->test.offset);
}

FIXTURE_TEARDOWN(filters)
{
	child_end(self->pid);
	for (int i = 0; i < 4; i++)
		close(pipes[i / 2][i % 2]);
}

/* Adds an event with a filter: its number, or a negative errno. */
static int add(struct session *s, struct wallprof_event event,
	       const struct wallprof_filter_test *tests, unsigned int nr, const char *text)
{
	int ret;

	event.filter = (uintptr_t)tests;
	event.nr_filter = nr;
	event.filter_text = (uintptr_t)text;
	event.filter_text_bytes = text ? strlen(text) : 0;
	ret = dev_cmd(s->fd, WALLPROF_IOC_EVENT, &event);
	return ret ? ret : (int)event.nr;
}

static struct wallprof_count count_of(struct session *s, __u32 nr)
{
	struct wallprof_count count = { .size = sizeof(count), .nr = nr };

	if (dev_cmd(s->fd, WALLPROF_IOC_COUNT, &count))
		count.value = ~0ULL;
	return count;
}

static int let_it_send(char byte)
{
	return write(pipes[0][1], &byte, 1) == 1 && read(pipes[1][0], &byte, 1) == 1 ? 0 : -1;
}

static __u64 samples_of(const struct session *s, unsigned int nr)
{
	__u64 sum = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		if (s->aggrs[i].kind == WALLPROF_AGGR_SAMPLE && s->aggrs[i].event == nr)
			sum += s->aggrs[i].count;
	}
	return sum;
}

/* Beside each other: no filter, one of a number, of a text, of both, and what fits no record. */
TEST_F(filters, samples_are_what_they_take)
{
	struct wallprof_filter_test tests[3] = { self->test, self->test, self->test };
	struct session *s = &self->s;

	ASSERT_EQ(0, add(s, self->event, NULL, 0, NULL));
	ASSERT_EQ(1, add(s, self->event, tests, 1, NULL));
	/* sig > SIGUSR1 || comm ~ "*other*" */
	tests[0].compare = WALLPROF_FILTER_GREATER;
	tests[0].no = 1;
	tests[1] = (struct wallprof_filter_test){
		.operand = WALLPROF_FILTER_ARRAY, .compare = WALLPROF_FILTER_MIDDLE,
		.offset = offset_of("char comm[16];"), .size = 16, .yes = TAKE, .no = DROP,
		.text = 1, .length = 5,
	};
	ASSERT_EQ(2, add(s, self->event, tests, 2, "_other"));
	ASSERT_EQ(3, add(s, self->event, tests, 2, "_sends"));
	tests[0] = self->test;
	tests[0].offset = 1000;
	ASSERT_EQ(4, add(s, self->event, tests, 1, NULL));
	tests[0] = (struct wallprof_filter_test){
		.operand = WALLPROF_FILTER_TGID, .compare = WALLPROF_FILTER_EQUAL, .yes = DROP,
		.no = TAKE, .value = self->pid,
	};
	ASSERT_EQ(5, add(s, self->event, tests, 1, NULL));
	tests[0] = (struct wallprof_filter_test){
		.operand = WALLPROF_FILTER_COMM, .compare = WALLPROF_FILTER_FRONT, .yes = TAKE,
		.no = DROP, .length = 5,
	};
	ASSERT_EQ(6, add(s, self->event, tests, 1, "sends"));
	tests[0] = (struct wallprof_filter_test){
		.operand = WALLPROF_FILTER_CPU, .compare = WALLPROF_FILTER_LESS, .yes = DROP,
		.no = TAKE, .value = 10000,
	};
	ASSERT_EQ(7, add(s, self->event, tests, 1, NULL));

	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_send(0));
	UNTIL(is_off(self->pid, 'S'));
	EXPECT_WHOLE(s);
	static const struct {
		unsigned int taken, filtered, unfit;
	} wanted[] = {
		{ FIRST + SECOND, 0, 0 },
		{ FIRST, SECOND, 0 },
		{ SECOND, FIRST, 0 },
		{ FIRST + SECOND, 0, 0 },
		{ 0, FIRST + SECOND, FIRST + SECOND },
		{ 0, FIRST + SECOND, 0 },
		{ FIRST + SECOND, 0, 0 },
		{ 0, FIRST + SECOND, 0 },
	};
	for (unsigned int i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct wallprof_count count = count_of(s, i);

		EXPECT_EQ(wanted[i].taken, samples_of(s, i)) TH_LOG("event %u", i);
		EXPECT_EQ(wanted[i].filtered, count.filtered) TH_LOG("event %u", i);
		EXPECT_EQ(wanted[i].unfit, count.unfit) TH_LOG("event %u", i);
		/* Of all threads, before the filter. */
		EXPECT_LE(FIRST + SECOND, count.value);
	}
	EXPECT_EQ(0, s->lost[1][WALLPROF_LOSS_NESTED].count);
}

static __u64 sum_of(const struct session *s, unsigned int nr)
{
	__u64 sum = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		if (s->aggrs[i].kind == WALLPROF_AGGR_SAMPLE && s->aggrs[i].event == nr)
			sum += s->aggrs[i].total;
	}
	return sum;
}

/* Samples weigh what a field of the records is; those that the filter takes. */
TEST_F(filters, weights)
{
	struct wallprof_event event = self->event;
	struct session *s = &self->s;

	event.weight_offset = self->test.offset;
	event.weight_size = 4;
	ASSERT_EQ(0, add(s, event, NULL, 0, NULL));
	event.weight_sign = 1;
	ASSERT_EQ(1, add(s, event, &self->test, 1, NULL));
	event.weight_offset = WALLPROF_MAX_RECORD_BYTES - 4;
	ASSERT_EQ(2, add(s, event, NULL, 0, NULL));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_send(0));
	EXPECT_WHOLE(s);
	EXPECT_EQ(FIRST + SECOND, samples_of(s, 0));
	EXPECT_EQ(FIRST * SIGUSR1 + SECOND * SIGUSR2, sum_of(s, 0));
	EXPECT_EQ(0, count_of(s, 0).filtered);
	EXPECT_EQ(FIRST, samples_of(s, 1));
	EXPECT_EQ(FIRST * SIGUSR1, sum_of(s, 1));
	EXPECT_EQ(SECOND, count_of(s, 1).filtered);
	EXPECT_EQ(0, samples_of(s, 2));
	EXPECT_EQ(FIRST + SECOND, count_of(s, 2).filtered);
	EXPECT_EQ(FIRST + SECOND, count_of(s, 2).unfit);
}

/* What is not valid is refused, and leaves nothing. */
TEST_F(filters, refused)
{
	struct wallprof_filter_test tests[WALLPROF_MAX_FILTER + 1], bad;
	struct session *s = &self->s;
	struct wallprof_event event;
	char text[WALLPROF_MAX_FILTER_TEXT + 2];

#define BAD(change) do { \
		bad = self->test; \
		bad.change; \
		EXPECT_EQ(-EINVAL, add(s, self->event, &bad, 1, "text")) TH_LOG(#change); \
	} while (0)
	BAD(operand = WALLPROF_FILTER_OPERANDS);
	BAD(operand = 255);
	BAD(compare = WALLPROF_FILTER_GLOB);
	BAD(compare = 255);
	BAD(size = 3);
	BAD(size = 0);
	BAD(offset = WALLPROF_MAX_RECORD_BYTES - 3);
	BAD(offset = 65535);
	BAD(yes = 0);
	BAD(yes = 1);
	BAD(no = 0);
	BAD(no = 65533);
	BAD(length = 1);
	BAD(reserved = 1);
#undef BAD
#define BAD(change) do { \
		event = self->event; \
		event.change; \
		EXPECT_EQ(-EINVAL, add(s, event, &self->test, 1, "text")) TH_LOG(#change); \
	} while (0)
	BAD(attr_period = 2);
	BAD(attr_flags = WALLPROF_ATTR_FREQ);
	BAD(attr_type = PERF_TYPE_SOFTWARE);
	BAD(attr_type = PERF_TYPE_HARDWARE);
	BAD(weight_size = 3);
	BAD(weight_offset = 8);
	BAD(weight_sign = 1);
	BAD(by_size = 3);
	BAD(by_size = 16);
	BAD(by_offset = 8);
	BAD(by_sign = 1);
#undef BAD
	/* Without tests there is nothing else. */
	EXPECT_EQ(-EINVAL, add(s, self->event, &self->test, 0, NULL));
	EXPECT_EQ(-EINVAL, add(s, self->event, NULL, 0, "text"));
	/* Memory that cannot be read, whole and in part. */
	EXPECT_EQ(-EFAULT, add(s, self->event, NULL, 1, NULL));
	EXPECT_EQ(-EFAULT, add(s, self->event, (void *)-4096L, 1, NULL));
	event = self->event;
	event.filter = (uintptr_t)&self->test;
	event.nr_filter = 1;
	event.filter_text_bytes = 1;
	EXPECT_EQ(-EFAULT, dev_cmd(s->fd, WALLPROF_IOC_EVENT, &event));
	/* As many as there may be, and one more. */
	for (int i = 0; i <= WALLPROF_MAX_FILTER; i++) {
		tests[i] = self->test;
		tests[i].no = i + 1;
	}
	tests[WALLPROF_MAX_FILTER].no = DROP;
	memset(text, 'x', sizeof(text));
	text[WALLPROF_MAX_FILTER_TEXT + 1] = 0;
	EXPECT_EQ(-EINVAL, add(s, self->event, tests, WALLPROF_MAX_FILTER + 1, NULL));
	tests[WALLPROF_MAX_FILTER - 1].no = DROP;
	EXPECT_EQ(-EINVAL, add(s, self->event, tests, WALLPROF_MAX_FILTER, text));
	EXPECT_EQ(0, dev_status(s->fd).counters);
	text[WALLPROF_MAX_FILTER_TEXT] = 0;
	EXPECT_EQ(0, add(s, self->event, tests, WALLPROF_MAX_FILTER, text));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_send(0));
	EXPECT_WHOLE(s);
	EXPECT_EQ(FIRST, samples_of(s, 0));
	EXPECT_EQ(SECOND, count_of(s, 0).filtered);
}

/* Samples whose record has a signal, of records of so many words. */
static __u64 samples_with(const struct session *s, unsigned int nr, unsigned int offset, int sig,
			  unsigned int words)
{
	__u64 sum = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];
		const struct read_stack *record = session_stack(s, a->waker_stack);
		int value;

		if (a->kind != WALLPROF_AGGR_SAMPLE || a->event != nr || !record ||
		    record->nr != words || offset + sizeof(value) > 8 * words)
			continue;
		memcpy(&value, (const char *)record->ips + offset, sizeof(value));
		sum += value == sig ? a->count : 0;
	}
	return sum;
}

/* Whole, cut short, and not at all. */
TEST_F(filters, records)
{
	struct wallprof_event event = self->event;
	struct session *s = &self->s;
	unsigned int sums = 0, words = 0;

	event.record_words = WALLPROF_MAX_STACK;
	ASSERT_EQ(0, add(s, event, NULL, 0, NULL));
	/* The common fields alone: of all signals they are the same. */
	event.record_words = 1;
	ASSERT_EQ(1, add(s, event, NULL, 0, NULL));
	ASSERT_EQ(2, add(s, self->event, NULL, 0, NULL));
	event.record_words = WALLPROF_MAX_STACK + 1;
	EXPECT_EQ(-EINVAL, add(s, event, NULL, 0, NULL));
	event.record_words = 1;
	event.attr_type = PERF_TYPE_SOFTWARE;
	EXPECT_EQ(-EINVAL, add(s, event, NULL, 0, NULL));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_send(0));
	EXPECT_WHOLE(s);

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];
		const struct read_stack *record = session_stack(s, a->waker_stack);

		if (a->kind != WALLPROF_AGGR_SAMPLE)
			continue;
		sums += a->event == 1;
		if (a->event == 2) {
			EXPECT_EQ(0, a->waker_stack);
			continue;
		}
		ASSERT_NE(NULL, record);
		EXPECT_EQ(WALLPROF_STACK_IS_RECORD, record->flags);
		EXPECT_EQ(self->pid, record->ips[0] >> 32);
		if (a->event == 0)
			words = record->nr;
		else
			EXPECT_EQ(1, record->nr);
	}
	EXPECT_EQ(FIRST, samples_with(s, 0, self->test.offset, SIGUSR1, words));
	EXPECT_EQ(SECOND, samples_with(s, 0, self->test.offset, SIGUSR2, words));
	EXPECT_EQ(FIRST + SECOND, samples_of(s, 1));
	EXPECT_EQ(FIRST + SECOND, samples_of(s, 2));
	/* On each CPU, at each of two calls. */
	EXPECT_GE(2 * s->nr_cpus, sums);
}

/* Samples of an event, and the sum of their periods, that were summed by a number. */
static struct wallprof_lost sum_by(const struct session *s, unsigned int nr, __s64 by)
{
	struct wallprof_lost sum = { 0 };

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];

		if (a->kind != WALLPROF_AGGR_SAMPLE || a->event != nr || (__s64)a->arg != by)
			continue;
		sum.count += a->count;
		sum.ns += a->total;
	}
	return sum;
}

#define EXPECT_SUM(nr, by, count_, total) do { \
		EXPECT_EQ((__u64)(count_), sum_by(s, nr, by).count) TH_LOG("event %d", nr); \
		EXPECT_EQ((__u64)(total), sum_by(s, nr, by).ns) TH_LOG("event %d", nr); \
	} while (0)

/* Another session, of samples alone, that sums by a number. */
static int open_again(struct session *s, struct wallprof_configure c, __u32 flags,
		      __u32 nr_aggrs)
{
	int ret;

	session_close(s);
	c.flags = WALLPROF_SAMPLER | flags;
	c.nr_aggrs = nr_aggrs;
	ret = session_open(s, &c);
	s->by = true;
	return ret;
}

/* Alone, and with a filter, a weight and the record; of what fits no record nothing. */
TEST_F(filters, sums_by_a_number)
{
	struct wallprof_event event = self->event;
	struct session *s = &self->s;

	ASSERT_EQ(0, open_again(s, self->c, 0, 4096));
	ASSERT_EQ(0, add(s, event, NULL, 0, NULL));
	event.by_offset = self->test.offset;
	event.by_size = 4;
	event.by_sign = 1;
	ASSERT_EQ(1, add(s, event, NULL, 0, NULL));
	ASSERT_EQ(2, add(s, event, &self->test, 1, NULL));
	event.weight_offset = self->test.offset;
	event.weight_size = 1;
	ASSERT_EQ(3, add(s, event, NULL, 0, NULL));
	event.record_words = 1;
	ASSERT_EQ(4, add(s, event, NULL, 0, NULL));
	event = self->event;
	event.by_offset = WALLPROF_MAX_RECORD_BYTES - 1;
	event.by_size = 1;
	ASSERT_EQ(5, add(s, event, NULL, 0, NULL));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_send(0));
	EXPECT_WHOLE(s);
	EXPECT_SUM(0, 0, FIRST + SECOND, FIRST + SECOND);
	EXPECT_SUM(1, SIGUSR1, FIRST, FIRST);
	EXPECT_SUM(1, SIGUSR2, SECOND, SECOND);
	EXPECT_SUM(2, SIGUSR1, FIRST, FIRST);
	EXPECT_SUM(2, SIGUSR2, 0, 0);
	for (int i = 3; i <= 4; i++) {
		EXPECT_SUM(i, SIGUSR1, FIRST, FIRST * SIGUSR1);
		EXPECT_SUM(i, SIGUSR2, SECOND, SECOND * SIGUSR2);
	}
	for (int i = 0; i <= 4; i++)
		EXPECT_EQ(i == 2 ? FIRST : FIRST + SECOND, samples_of(s, i));
	EXPECT_EQ(0, samples_of(s, 5));
	EXPECT_EQ(FIRST + SECOND, count_of(s, 5).unfit);
	EXPECT_EQ(0, s->lost[1][WALLPROF_LOSS_NESTED].count);
}

/* The sum that is tried first is that of the sample before, of the other signal. */
TEST_F(filters, sums_of_cached_stacks)
{
	struct wallprof_event event = self->event;
	struct session *s = &self->s;

	ASSERT_EQ(0, open_again(s, self->c, WALLPROF_SAMPLE_CACHE, 4096));
	event.by_offset = self->test.offset;
	event.by_size = 4;
	event.by_sign = 1;
	ASSERT_EQ(0, add(s, event, NULL, 0, NULL));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_send(0));
	EXPECT_WHOLE(s);
	EXPECT_SUM(0, SIGUSR1, FIRST, FIRST);
	EXPECT_SUM(0, SIGUSR2, SECOND, SECOND);
#ifdef __x86_64__
	/* Elsewhere the walk begins with a register that is not compared. */
	EXPECT_LT(0, s->walks_remembered);
#endif
}

/* Each sample has a number of its own: what finds no room is counted. */
TEST_F(filters, more_numbers_than_room)
{
	struct wallprof_event event = self->event;
	__u64 found = 0, different = 0, lost;
	struct session *s = &self->s;

	ASSERT_EQ(0, open_again(s, self->c, 0, WALLPROF_MIN_AGGRS));
	event.by_offset = offset_of("int errno;");
	event.by_size = 4;
	event.by_sign = 1;
	ASSERT_LT(0, event.by_offset);
	ASSERT_EQ(0, add(s, event, NULL, 0, NULL));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_send(1));
	EXPECT_WHOLE(s);
	for (int i = 0; i < MANY; i++) {
		__u64 count = sum_by(s, 0, -i).count;

		EXPECT_GE(1, count);
		found += count;
		different += !!count;
	}
	EXPECT_LE(WALLPROF_MIN_AGGRS, different);
	EXPECT_GE(WALLPROF_MIN_AGGRS * s->nr_cpus, different);
	EXPECT_EQ(found, samples_of(s, 0));
	lost = s->lost[1][WALLPROF_LOSS_AGGR_FULL].count;
	EXPECT_EQ(MANY, found + lost);
}

TEST_HARNESS_MAIN
