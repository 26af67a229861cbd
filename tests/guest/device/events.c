// SPDX-License-Identifier: GPL-2.0
/*
 * Several events in a session: each sample is of its event, as many as there were; with the
 * stacks that the event asks for; on CPUs that come and go. What is refused leaves the
 * session as it was.
 */
#include "device.h"

#define PAGES	300
#define STRIDE	65536	/* a page, or several */
#define NAPS	40

/* What a child counted of itself between two looks, while it was recorded. */
struct counted {
	struct rusage before, after;
	int go[2], done[2];
};

static struct counted *counted_new(void)
{
	struct counted *c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return pipe(c->go) || pipe(c->done) ? NULL : c;
}

/* Inner frames for the stacks of faults. */
static __attribute__((noinline)) void touch(volatile unsigned char *page)
{
	*page = 1;
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void touch_all(unsigned char *pages)
{
	for (int i = 0; i < PAGES; i++)
		touch(&pages[i * STRIDE]);
	__asm__ volatile("" ::: "memory");
}

static void counts_itself(void *arg)
{
	struct counted *c = arg;
	char byte = 0;
	/* Of its own: Linux 5.10 counts the first touch of shared memory as a major fault. */
	unsigned char *pages = mmap(NULL, PAGES * STRIDE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(pages, PAGES * STRIDE, MADV_NOHUGEPAGE);

	/* Once for the code and the stack: only the pages are touched for the first time later. */
	getrusage(RUSAGE_SELF, &c->before);
	nap_ns(1);
	touch((unsigned char *)&c->after);
	if (write(c->done[1], &byte, 1) != 1 || read(c->go[0], &byte, 1) != 1)
		_exit(1);
	getrusage(RUSAGE_SELF, &c->before);
	touch_all(pages);
	for (int i = 0; i < NAPS; i++)
		nap_ns(1000);
	getrusage(RUSAGE_SELF, &c->after);
	/* Nothing here is touched for the first time. */
	if (write(c->done[1], &byte, 1) != 1 || read(c->go[0], &byte, 1) != 1)
		_exit(1);
}

FIXTURE(events)
{
	struct wallprof_configure c;
	struct counted *counted;
	struct session s;
	__u32 pid;
};

/* A child that waits to be recorded, and a session without an event. */
FIXTURE_SETUP(events)
{
	char byte;

	self->counted = counted_new();
	ASSERT_NE(NULL, self->counted);
	self->pid = child_of(counts_itself, self->counted);
	ASSERT_EQ(1, read(self->counted->done[0], &byte, 1));
	UNTIL(is_off(self->pid, 'S'));
	self->c = dev_config();
	self->c.flags |= WALLPROF_SAMPLER;
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
}

FIXTURE_TEARDOWN(events)
{
	child_end(self->pid);
}

/* Adds an event: its number, or a negative errno. */
static int add(struct session *s, struct wallprof_event event)
{
	int ret = dev_cmd(s->fd, WALLPROF_IOC_EVENT, &event);

	return ret ? ret : (int)event.nr;
}

static int add_software(struct session *s, __u64 config, __u64 period)
{
	return add(s, dev_event(config, period));
}

static struct wallprof_count count_of(struct session *s, __u32 nr)
{
	struct wallprof_count count = { .size = sizeof(count), .nr = nr };

	if (dev_cmd(s->fd, WALLPROF_IOC_COUNT, &count))
		count.value = ~0ULL;
	return count;
}

/* Has the child work, and waits until it has. 0, or -1. */
static int let_it_work(struct counted *c)
{
	char byte = 0;

	return write(c->go[1], &byte, 1) == 1 && read(c->done[0], &byte, 1) == 1 ? 0 : -1;
}

struct samples {
	__u64 count, total;
	unsigned int deepest, no_stack;
};

/* The samples of an event. */
static struct samples samples_of(const struct session *s, unsigned int nr)
{
	struct samples sum = { 0 };

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];
		const struct read_stack *stack;

		if (a->kind != WALLPROF_AGGR_SAMPLE || a->event != nr)
			continue;
		sum.count += a->count;
		sum.total += a->total;
		stack = session_stack(s, a->user_stack);
		if (stack && stack->nr > sum.deepest)
			sum.deepest = stack->nr;
		if (!stack)
			sum.no_stack += a->count;
	}
	return sum;
}

/*
 * A child's faults and switches, each of period 1, beside a clock: as many as the kernel
 * says to the child itself.
 */
TEST_F(events, as_many_as_there_were)
{
	struct session *s = &self->s;
	const struct counted *c = self->counted;
	struct wallprof_count faults, at_the_end;
	struct samples sum;
	__u64 switches;
	long wanted;

	ASSERT_EQ(0, add(s, (struct wallprof_event){
		.size = sizeof(struct wallprof_event), .attr_type = PERF_TYPE_SOFTWARE,
		.attr_config = PERF_COUNT_SW_CPU_CLOCK, .attr_period = 1000,
		.attr_flags = WALLPROF_ATTR_FREQ, .max_stack = 1,
		.stack_flags = WALLPROF_STACK_USER }));
	ASSERT_EQ(1, add_software(s, PERF_COUNT_SW_PAGE_FAULTS_MIN, 1));
	ASSERT_EQ(2, add_software(s, PERF_COUNT_SW_CONTEXT_SWITCHES, 1));
	EXPECT_EQ(3 * dev_info(s->fd).nr_online, dev_status(s->fd).counters);
	EXPECT_EQ(0, count_of(s, 1).enabled_ns);
	/* It is off its CPU. */
	switches = nr_switches(self->pid);
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_work(self->counted));
	UNTIL(is_off(self->pid, 'S'));
	faults = count_of(s, 1);
	EXPECT_WHOLE(s);
	EXPECT_EQ(0, s->lost[1][WALLPROF_LOSS_NESTED].count);
	EXPECT_EQ(0, dev_status(s->fd).counters);

	sum = samples_of(s, 1);
	EXPECT_EQ(c->after.ru_minflt - c->before.ru_minflt, sum.count);
	EXPECT_LE(PAGES, sum.count);
	EXPECT_EQ(sum.count, sum.total);
	EXPECT_EQ(0, sum.no_stack);
	if (HAS_FRAMES)
		EXPECT_LT(2, sum.deepest);
	/* The event of a switch away from a CPU: the last ones are those of write and read. */
	wanted = c->after.ru_nvcsw + c->after.ru_nivcsw - c->before.ru_nvcsw - c->before.ru_nivcsw;
	sum = samples_of(s, 2);
	EXPECT_LE(wanted, sum.count);
	EXPECT_GE(nr_switches(self->pid) - switches, sum.count);
	EXPECT_LT(0, wanted);
	sum = samples_of(s, 0);
	EXPECT_GE(1, sum.deepest);

	/* Counters count for all threads, and keep what they have counted. */
	at_the_end = count_of(s, 1);
	EXPECT_LE(samples_of(s, 1).count, faults.value);
	EXPECT_LE(faults.value, at_the_end.value);
	EXPECT_NE(~0ULL, at_the_end.value);
	EXPECT_LE(faults.enabled_ns, at_the_end.enabled_ns);
	EXPECT_LE(s->stop - s->start, at_the_end.enabled_ns);
	EXPECT_LT(0, at_the_end.running_ns);
	EXPECT_GE(at_the_end.enabled_ns, at_the_end.running_ns);
	EXPECT_EQ(~0ULL, count_of(s, 3).value);
}

/* Frames of one event's stacks are no matter of the other's. */
TEST_F(events, stacks_of_its_own)
{
	struct wallprof_event event = dev_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1);
	struct session *s = &self->s;
	__u64 count;

	ASSERT_EQ(0, add(s, event));
	event.max_stack = 2;
	ASSERT_EQ(1, add(s, event));
	event.max_stack = 64;
	event.stack_flags = 0;
	ASSERT_EQ(2, add(s, event));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_work(self->counted));
	EXPECT_WHOLE(s);
	count = samples_of(s, 0).count;
	EXPECT_LE(PAGES, count);
	EXPECT_EQ(count, samples_of(s, 1).count);
	EXPECT_EQ(count, samples_of(s, 2).count);
	if (HAS_FRAMES) {
		EXPECT_LT(2, samples_of(s, 0).deepest);
		EXPECT_EQ(2, samples_of(s, 1).deepest);
	}
	EXPECT_EQ(1, samples_of(s, 2).deepest);
}

/* What is refused is not there, and hinders nobody. */
TEST_F(events, refused)
{
	struct wallprof_event good = dev_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1), bad;
	struct session *s = &self->s, other;
	struct wallprof_configure c = dev_config();

	EXPECT_EQ(-EINVAL, dev_start(s->fd, NULL));
#define BAD(want, change) do { \
		bad = good; \
		bad.change; \
		EXPECT_EQ(want, add(s, bad)); \
	} while (0)
	BAD(-EINVAL, attr_flags = 1U << 6);
	BAD(-EINVAL, attr_precise = 4);
	BAD(-EINVAL, attr_period = 0);
	BAD(-EINVAL, attr_period = 1ULL << 63);
	BAD(-EINVAL, reserved = 1);
	BAD(-EINVAL, max_stack = 0);
	BAD(-EINVAL, max_stack = 65);
	/* The session does not ask for these. */
	BAD(-EINVAL, stack_flags = WALLPROF_STACK_KERNEL);
	BAD(-EINVAL, stack_flags = WALLPROF_STACK_TABLES | WALLPROF_STACK_USER);
	BAD(-EINVAL, stack_flags = 1U << 3);
	BAD(-ENOENT, attr_config = 9999);
	EXPECT_EQ(0, dev_status(s->fd).counters);
	EXPECT_EQ(-EINVAL, dev_start(s->fd, NULL));
	EXPECT_EQ(0, add(s, good));
	BAD(-ENOENT, attr_config = 9999);
	EXPECT_EQ(1, add(s, good));
	EXPECT_EQ(2 * dev_info(s->fd).nr_online, dev_status(s->fd).counters);
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	EXPECT_EQ(-EBUSY, add(s, good));
	ASSERT_EQ(0, let_it_work(self->counted));
	EXPECT_WHOLE(s);
	EXPECT_LE(PAGES, samples_of(s, 0).count);
	EXPECT_EQ(samples_of(s, 0).count, samples_of(s, 1).count);
	EXPECT_EQ(-EBUSY, add(s, good));

	/* A session without samples has no events. */
	ASSERT_EQ(0, session_open(&other, &c));
	EXPECT_EQ(-EINVAL, add(&other, good));
	EXPECT_EQ(~0ULL, count_of(&other, 0).value);
	EXPECT_EQ(0, dev_start(other.fd, NULL));
	session_close(&other);
}

/* As many as there may be, all at work at once. */
TEST_F(events, the_most)
{
	struct wallprof_event event = dev_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1);
	struct session *s = &self->s;
	__u64 count;

	for (int i = 0; i < WALLPROF_MAX_EVENTS; i++)
		ASSERT_EQ(i, add(s, event));
	EXPECT_EQ(-ENOSPC, add(s, event));
	EXPECT_EQ(WALLPROF_MAX_EVENTS * dev_info(s->fd).nr_online, dev_status(s->fd).counters);
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	ASSERT_EQ(0, let_it_work(self->counted));
	EXPECT_WHOLE(s);
	EXPECT_EQ(0, s->lost[1][WALLPROF_LOSS_AGGR_FULL].count);
	count = samples_of(s, 0).count;
	EXPECT_LE(PAGES, count);
	for (int i = 1; i < WALLPROF_MAX_EVENTS; i++)
		EXPECT_EQ(count, samples_of(s, i).count);
}

/* A CPU that comes back has a counter of each event again. */
TEST_F(events, cpus)
{
	struct session *s = &self->s;
	__u64 before;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "one CPU");
	ASSERT_EQ(0, add_software(s, PERF_COUNT_SW_PAGE_FAULTS_MIN, 1));
	ASSERT_EQ(1, add_software(s, PERF_COUNT_SW_CONTEXT_SWITCHES, 1));
	ASSERT_EQ(0, dev_start(s->fd, &s->start));
	s->cpus_go = true;
	UNTIL(count_of(s, 1).value > 100);
	before = count_of(s, 1).value;
	ASSERT_EQ(0, cpu_online(1, "0"));
	UNTIL(dev_status(s->fd).counters == 2 * dev_info(s->fd).nr_online);
	EXPECT_LE(before, count_of(s, 1).value);
	ASSERT_EQ(0, cpu_online(1, "1"));
	UNTIL(dev_status(s->fd).counters == 2 * dev_info(s->fd).nr_online);
	EXPECT_EQ(0, dev_status(s->fd).counters_failed);
	ASSERT_EQ(0, let_it_work(self->counted));
	EXPECT_WHOLE(s);
	EXPECT_EQ(self->counted->after.ru_minflt - self->counted->before.ru_minflt,
		  samples_of(s, 0).count);
}

/* Counters need the right again, as CONFIGURE does. */
TEST_F(events, rights)
{
	if (!has_perfmon())
		SKIP(return, "no CAP_PERFMON");
	ASSERT_EQ(0, keep_caps(CAP(SETUID)));
	EXPECT_EQ(-EPERM, add_software(&self->s, PERF_COUNT_SW_PAGE_FAULTS_MIN, 1));
	EXPECT_EQ(0, dev_status(self->s.fd).counters);
}

TEST_HARNESS_MAIN
