// SPDX-License-Identifier: GPL-2.0
/*
 * The timeline: every switch and wakeup, in rings that the reader maps. What is lost
 * is counted, to the record; and a reader that writes nonsense harms only itself.
 *
 * Above 700 lines: all tests judge the rings by the same functions.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>

#include "device.h"

/* A session with rings, and its mappings. */
struct rings {
	int fd;
	struct wallprof_configure c;
	unsigned char *map;
	struct wallprof_tail *tails;
	unsigned int nr_cpus;
	__u64 start, stop;
};

/* What the rings held, and whether it can be. */
struct seen {
	__u64 records;		/* except those of losses */
	__u64 lost_in_records;
	__u64 type[WALLPROF_RECORD_MAX];
	__u64 of_tid;		/* switches of the thread that was asked for */
	__u64 left_blocked;	/* its switches away, sleeping */
	__u64 died;		/* and those that were its last: X or Z */
	__u64 stacks;		/* its stacks, user and kernel */
	char trouble[256];
};

static struct wallprof_configure timeline_config(__u32 nr_records)
{
	struct wallprof_configure c = dev_config();

	c.flags = WALLPROF_TIMELINE;
	c.nr_records = nr_records;
	return c;
}

static int rings_open(struct rings *r, const struct wallprof_configure *c)
{
	size_t bytes;
	int err;

	*r = (struct rings){ .fd = dev_open(), .c = *c };
	if (r->fd < 0)
		return r->fd;
	err = dev_cmd(r->fd, WALLPROF_IOC_CONFIGURE, &r->c);
	if (err)
		return err;
	r->nr_cpus = dev_info(r->fd).nr_cpus;
	r->map = dev_map(r->fd, r->c.map_bytes, PROT_READ, MAP_SHARED, 0);
	bytes = r->c.map_bytes - r->c.tails_offset;
	r->tails = dev_map(r->fd, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			   r->c.tails_offset);
	return r->map == MAP_FAILED || (void *)r->tails == MAP_FAILED ? -errno : 0;
}

static const struct wallprof_ring *ring_of(const struct rings *r, unsigned int cpu)
{
	return (void *)(r->map + r->c.rings_offset + cpu * r->c.ring_stride);
}

static __u64 head_of(const struct rings *r, unsigned int cpu)
{
	/* What it publishes is read after it. */
	return __atomic_load_n(&ring_of(r, cpu)->head, __ATOMIC_ACQUIRE);
}

static const struct wallprof_record *record_of(const struct rings *r, unsigned int cpu,
					       __u64 nr)
{
	return (void *)(r->map + r->c.rings_offset + cpu * r->c.ring_stride +
			getpagesize() + nr % r->c.nr_records * r->c.record_bytes);
}

static __u64 lost_of(const struct rings *r)
{
	__u64 lost = 0;

	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		lost += *(volatile __u64 *)&ring_of(r, cpu)->lost;
	return lost;
}

static __u64 heads_of(const struct rings *r)
{
	__u64 sum = 0;

	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		sum += head_of(r, cpu);
	return sum;
}

static void trouble(struct seen *s, const char *what, unsigned int cpu, __u64 nr)
{
	if (!s->trouble[0])
		snprintf(s->trouble, sizeof(s->trouble), "%s: CPU %u, record %llu", what, cpu,
			 (ull)nr);
}

/* Whether an id names a stack of this CPU's that is in its table. */
static bool is_stack(const struct rings *r, __u64 id, unsigned int cpu, bool kernel)
{
	const unsigned char *half = r->map + r->c.cpus_offset + r->c.cpu_stride * cpu +
				    (WALLPROF_STACK_EPOCH(id) & 1) * r->c.half_stride;
	const struct wallprof_half *head = (void *)half;
	const struct wallprof_stack *stack;

	stack = (void *)(half + r->c.stacks_offset + 8ULL * WALLPROF_STACK_INDEX(id));
	return WALLPROF_STACK_CPU(id) == cpu && !WALLPROF_STACK_CONTEXT(id) &&
	       WALLPROF_STACK_EPOCH(id) == head->epoch &&
	       WALLPROF_STACK_INDEX(id) < head->stack_words && stack->nr &&
	       kernel == !!(stack->flags & WALLPROF_STACK_IS_KERNEL);
}

/* Stacks are those of the switch that stands before them. Returns how many there are. */
static unsigned int judge_stacks(const struct rings *r, struct seen *s, unsigned int cpu,
				 __u64 nr, __u32 tid)
{
	const struct wallprof_record *rec = record_of(r, cpu, nr), *before = rec;

	/* Of the oldest that is there, the switch was overwritten. */
	if (nr + r->c.nr_records == head_of(r, cpu))
		return 0;
	if (nr)
		before = record_of(r, cpu, nr - 1);
	if (before->type != WALLPROF_RECORD_SWITCH || before->time != rec->time ||
	    before->flags || !before->tid)
		trouble(s, "stacks of no switch", cpu, nr);
	if ((!rec->user_stack && !rec->kernel_stack) ||
	    (rec->user_stack && !is_stack(r, rec->user_stack, cpu, false)) ||
	    (rec->kernel_stack && !is_stack(r, rec->kernel_stack, cpu, true)))
		trouble(s, "not a stack", cpu, nr);
	return before->tid == tid ? !!rec->user_stack + !!rec->kernel_stack : 0;
}

/* Judges what is in the rings of a stopped session between @from and @to. */
static struct seen rings_read(const struct rings *r, __u32 tid, __u64 from, __u64 to)
{
	struct seen s = { 0 };

	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		__u64 head = head_of(r, cpu), last = 0;
		__u64 nr = head > r->c.nr_records ? head - r->c.nr_records : 0;
		long long current = -1;

		for (; nr < head; nr++) {
			const struct wallprof_record *rec = record_of(r, cpu, nr);

			if (rec->time < last) {
				static char text[100];

				snprintf(text, sizeof(text), "time steps back by %llu ns, at a record of type %u",
					 (ull)(last - rec->time), rec->type);
				trouble(&s, text, cpu, nr);
			}
			last = rec->time;
			if (rec->time < r->start || rec->time > r->stop)
				trouble(&s, "not of the session's time", cpu, nr);
			if (rec->flags & ~WALLPROF_RECORD_COMES ||
			    rec->type >= WALLPROF_RECORD_MAX)
				trouble(&s, "not a record", cpu, nr);
			if (rec->type == WALLPROF_RECORD_LOST) {
				s.lost_in_records += rec->lost;
				current = -1;
				continue;
			}
			if (rec->time < from || rec->time > to)
				continue;
			s.records++;
			s.type[rec->type % WALLPROF_RECORD_MAX]++;
			if (rec->type == WALLPROF_RECORD_STACKS) {
				s.stacks += judge_stacks(r, &s, cpu, nr, tid);
				continue;
			}
			if (rec->type != WALLPROF_RECORD_SWITCH) {
				if (!rec->tid)
					trouble(&s, "an idle thread is woken", cpu, nr);
				continue;
			}
			if (rec->prio > 139 || rec->other_prio > 139)
				trouble(&s, "no priority", cpu, nr);
			if (r->c.target == WALLPROF_TARGET_ALL && current >= 0 &&
			    current != rec->tid)
				trouble(&s, "another leaves than came", cpu, nr);
			current = rec->other_tid;
			s.of_tid += rec->tid == tid || rec->other_tid == tid;
			s.died += rec->tid == tid && rec->state & 0x30;
			/* S or D: on RT also for a lock. */
			s.left_blocked += rec->tid == tid && rec->state & 3;
			if (!!(rec->flags & WALLPROF_RECORD_COMES) !=
			    (r->c.target != WALLPROF_TARGET_ALL && rec->tid != tid))
				trouble(&s, "the wrong one is a target", cpu, nr);
			if (r->c.target != WALLPROF_TARGET_ALL && rec->tid != tid &&
			    rec->other_tid != tid)
				trouble(&s, "nobody that was asked for", cpu, nr);
		}
	}
	return s;
}

/* How often this thread went to sleep, as the kernel counts. */
static __u64 sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* Naps until the thread was blocked so often: a nap may be over at once. */
static __u64 nap_times(__u64 nr)
{
	__u64 before = sleeps();

	while (sleeps() - before < nr)
		nap_ns(MS);
	return sleeps() - before;
}

#define EXPECT_GOOD(s) EXPECT_STREQ("", (s).trouble)

TEST(a_thread_that_naps)
{
	struct wallprof_configure c = timeline_config(1 << 16);
	__u64 before, all, naps;
	struct rings r;
	struct seen s;

	ASSERT_EQ(0, rings_open(&r, &c));
	EXPECT_EQ(sizeof(struct wallprof_record), r.c.record_bytes);
	EXPECT_EQ(32, sizeof(struct wallprof_record));
	EXPECT_EQ(0, r.c.cpu_stride);
	before = sleeps();
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	naps = nap_times(100);
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	all = sleeps() - before;
	s = rings_read(&r, gettid_(), 0, ~0ULL);
	EXPECT_GOOD(s);
	EXPECT_EQ(0, lost_of(&r));
	EXPECT_LE(naps, s.left_blocked);
	EXPECT_GE(all, s.left_blocked);
	EXPECT_LE(2 * naps, s.of_tid);
	EXPECT_LE(naps, s.type[WALLPROF_RECORD_WAKING]);
	close(r.fd);
}

static void *naps_and_ends(void *arg)
{
	__u32 *tid = arg;

	__atomic_store_n(tid, gettid_(), __ATOMIC_RELEASE);
	/* Until it is a target. */
	while (!(__atomic_load_n(tid, __ATOMIC_ACQUIRE) & 1U << 31))
		nap_ns(MS);
	for (int i = 0; i < 10; i++)
		nap_ns(MS);
	return NULL;
}

/* A thread's last switch is recorded; then it is no target any more. */
static void ends(struct __test_metadata *_metadata, bool with_sums)
{
	struct wallprof_configure c = timeline_config(1 << 12);
	struct pollfd pfd = { .events = POLLIN };
	struct seen s;
	struct rings r;
	pthread_t thread;
	__u32 word = 0, tid;

	if (with_sums)
		c.flags |= WALLPROF_OFFCPU;
	ASSERT_EQ(0, pthread_create(&thread, NULL, naps_and_ends, &word));
	UNTIL(__atomic_load_n(&word, __ATOMIC_ACQUIRE));
	tid = word;
	dev_target(&c, WALLPROF_TARGET_TID, &tid, 1);
	ASSERT_EQ(0, rings_open(&r, &c));
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	EXPECT_EQ(1, dev_status(r.fd).nr_live_targets);
	__atomic_store_n(&word, tid | 1U << 31, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	pfd.fd = r.fd;
	/* The harness ends who waits in vain. */
	while (poll(&pfd, 1, -1) == 1 && !(pfd.revents & POLLHUP))
		nap_ns(MS);
	EXPECT_EQ(0, dev_status(r.fd).nr_live_targets);
	EXPECT_EQ(0, dev_status(r.fd).nr_tasks);
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	s = rings_read(&r, tid, 0, ~0ULL);
	EXPECT_GOOD(s);
	EXPECT_EQ(1, s.died);
	close(r.fd);
}

TEST(the_last_switch)
{
	ends(_metadata, false);
}

TEST(the_last_switch_beside_the_sums)
{
	ends(_metadata, true);
}

/*
 * How long a thread ran, by its switches. @from_start: set to whether it ran from the
 * start on: its start is recorded only if it was known then.
 */
static __u64 ran_by_switches(const struct rings *r, __u32 tid, bool *from_start)
{
	__u64 ran = 0, first = ~0ULL, last = 0;
	bool comes_last = true;

	*from_start = true;
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		for (__u64 nr = 0; nr < head_of(r, cpu); nr++) {
			const struct wallprof_record *rec = record_of(r, cpu, nr);
			bool comes = rec->other_tid == tid;

			if (rec->type != WALLPROF_RECORD_SWITCH || (!comes && rec->tid != tid))
				continue;
			ran += comes ? -rec->time : rec->time;
			if (rec->time < first) {
				first = rec->time;
				*from_start = !comes;
			}
			if (rec->time > last) {
				last = rec->time;
				comes_last = comes;
			}
		}
	}
	if (*from_start)
		ran -= r->start;
	if (comes_last)
		ran += r->stop;
	return ran;
}

/* Both have the same slices, to the nanosecond. */
TEST(slices_beside_the_sums)
{
	struct wallprof_configure c = timeline_config(1 << 12);
	const struct wallprof_task *account = NULL;
	__u32 tid = gettid_();
	bool from_start;
	struct rings r;
	__u64 ran;

	c.flags |= WALLPROF_OFFCPU;
	dev_target(&c, WALLPROF_TARGET_TID, &tid, 1);
	ASSERT_EQ(0, rings_open(&r, &c));
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	nap_times(50);
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	EXPECT_EQ(0, lost_of(&r));
	for (__u32 i = 0; i < r.c.nr_tasks; i++) {
		const struct wallprof_task *t = (void *)(r.map + r.c.tasks_offset +
							 (__u64)i * r.c.task_bytes);

		if (t->tid == tid && t->phase)
			account = t;
	}
	ASSERT_NE(NULL, account);
	EXPECT_LE(50, account->nr_off);
	ran = ran_by_switches(&r, tid, &from_start);
	/* The account begins when START came to the thread. */
	EXPECT_EQ(account->run_ns + (from_start ? account->born - r.start : 0), ran);
	close(r.fd);
}

/* Of one thread: what it leaves, and is woken from. */
TEST(one_target)
{
	struct wallprof_configure c = timeline_config(1 << 12);
	__u32 tid = gettid_();
	__u64 naps;
	struct rings r;
	struct seen s;

	dev_target(&c, WALLPROF_TARGET_TID, &tid, 1);
	ASSERT_EQ(0, rings_open(&r, &c));
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	naps = nap_times(50);
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	s = rings_read(&r, tid, 0, ~0ULL);
	EXPECT_GOOD(s);
	EXPECT_LE(naps, s.left_blocked);
	EXPECT_LE(naps, s.type[WALLPROF_RECORD_WAKING]);
	EXPECT_EQ(s.of_tid, s.type[WALLPROF_RECORD_SWITCH]);
	close(r.fd);
}

/* Beside the sums, which are as without. */
TEST(beside_the_sums)
{
	struct wallprof_configure c = dev_config();
	__u64 naps;
	struct rings r;
	struct seen s;

	c.flags |= WALLPROF_TIMELINE;
	c.nr_records = 1 << 14;
	ASSERT_EQ(0, rings_open(&r, &c));
	ASSERT_LT(0, r.c.cpu_stride);
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	naps = nap_times(20);
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	s = rings_read(&r, gettid_(), 0, ~0ULL);
	EXPECT_GOOD(s);
	EXPECT_LE(naps, s.left_blocked);
	close(r.fd);
}

/* Each switch of a thread that naps has its stacks. */
TEST(stacks)
{
	struct wallprof_configure c = dev_config();
	__u64 naps;
	struct rings r;
	struct seen s;

	c.flags |= WALLPROF_TIMELINE | WALLPROF_TIMELINE_STACKS;
	c.stack_flags |= WALLPROF_STACK_KERNEL;
	c.nr_records = 1 << 14;
	ASSERT_EQ(0, rings_open(&r, &c));
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	naps = nap_times(20);
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	s = rings_read(&r, gettid_(), 0, ~0ULL);
	EXPECT_GOOD(s);
	EXPECT_EQ(0, lost_of(&r));
	EXPECT_LE(naps, s.left_blocked);
	EXPECT_LE(2 * s.left_blocked, s.stacks);
	close(r.fd);
}

/* A full ring loses stacks as it loses all else, and never the switch that they belong to. */
TEST(stacks_are_lost_alike)
{
	struct wallprof_configure c = dev_config();
	struct rings r;
	struct seen s;

	c.flags |= WALLPROF_TIMELINE | WALLPROF_TIMELINE_STACKS;
	c.stack_flags |= WALLPROF_STACK_KERNEL;
	c.nr_records = WALLPROF_MIN_RECORDS;
	ASSERT_EQ(0, rings_open(&r, &c));
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	for (int i = 0; i < 20; i++) {
		__u64 lost = lost_of(&r);

		UNTIL(lost_of(&r) > lost);
		for (unsigned int cpu = 0; cpu < r.nr_cpus; cpu++)
			__atomic_store_n(&r.tails[cpu].tail, head_of(&r, cpu) - i % 3,
					 __ATOMIC_RELEASE);
		nap_ns(MS);
	}
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	s = rings_read(&r, gettid_(), 0, ~0ULL);
	EXPECT_GOOD(s);
	close(r.fd);
}

/* A ring that nobody reads keeps its first records, and counts the others. */
TEST(full)
{
	struct wallprof_configure c = timeline_config(WALLPROF_MIN_RECORDS);
	struct rings r;
	struct seen s;
	__u64 lost;

	ASSERT_EQ(0, rings_open(&r, &c));
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	/* On an idle CPU nothing would come behind. */
	stay_on(0);
	UNTIL(*(volatile __u64 *)&ring_of(&r, 0)->lost > 100);
	for (unsigned int cpu = 0; cpu < r.nr_cpus; cpu++) {
		const volatile struct wallprof_ring *ring = ring_of(&r, cpu);

		EXPECT_GE(r.c.nr_records, head_of(&r, cpu));
		/* The two are written, and read, one after the other. */
		UNTIL(!ring->open_since == !ring->lost);
	}
	/* After a read, new records follow the record of the loss. */
	for (unsigned int cpu = 0; cpu < r.nr_cpus; cpu++)
		__atomic_store_n(&r.tails[cpu].tail, head_of(&r, cpu), __ATOMIC_RELEASE);
	lost = lost_of(&r);
	nap_times(1);
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	s = rings_read(&r, gettid_(), 0, ~0ULL);
	EXPECT_GOOD(s);
	EXPECT_LT(0, s.lost_in_records);
	EXPECT_LE(lost, lost_of(&r));
	close(r.fd);
}

/* Gives places back up to record @to, and counts the records of losses from @from on. */
static __u64 gaps_read(struct rings *r, __u64 from, __u64 to)
{
	__u64 nr, gaps = 0;

	for (nr = r->tails[0].tail; nr < to; nr++)
		gaps += nr >= from && record_of(r, 0, nr)->type == WALLPROF_RECORD_LOST;
	__atomic_store_n(&r->tails[0].tail, nr, __ATOMIC_RELEASE);
	return gaps;
}

/* What the first CPU, on which this thread is, has written and lost at a time. */
struct mark {
	__u64 time, head, lost;
};

static struct mark mark_of(const struct rings *r)
{
	const volatile struct wallprof_ring *ring = ring_of(r, 0);
	struct mark m;

	/* Whatever happens on that CPU in between changes one of the two. */
	do {
		m.head = ring->head;
		m.lost = ring->lost;
		m.time = now_ns();
	} while (ring->head != m.head || ring->lost != m.lost);
	return m;
}

/*
 * What a session that loses many records writes and loses between two times is what
 * another one sees that has room for all. Of one CPU, on which this thread reads the
 * clock: each event is before or after that for both.
 */
TEST(losses_are_exact)
{
	struct wallprof_configure large = timeline_config(1 << 16);
	struct wallprof_configure small = timeline_config(WALLPROF_MIN_RECORDS);
	__u64 gaps = 0, lost, first = 1;
	struct rings all, some;
	struct mark from, to;
	struct seen a;

	stay_on(0);
	large.cpus = (uintptr_t)&first;
	large.cpus_bytes = sizeof(first);
	small.cpus = large.cpus;
	small.cpus_bytes = large.cpus_bytes;
	ASSERT_EQ(0, rings_open(&all, &large));
	ASSERT_EQ(0, rings_open(&some, &small));
	ASSERT_EQ(0, dev_start(all.fd, &all.start));
	ASSERT_EQ(0, dev_start(some.fd, &some.start));
	from = mark_of(&some);
	for (int i = 0; i < 600; i++) {
		nap_ns(MS / 4);
		/* Now and then, and not all of it, as a reader that is too slow. */
		if (i % 100 == 50)
			gaps += gaps_read(&some, from.head, head_of(&some, 0) * 9 / 10);
	}
	to = mark_of(&some);
	gaps += gaps_read(&some, from.head, to.head);
	ASSERT_EQ(0, dev_stop(some.fd, &some.stop));
	ASSERT_EQ(0, dev_stop(all.fd, &all.stop));
	a = rings_read(&all, 0, from.time, to.time);
	EXPECT_GOOD(a);
	EXPECT_EQ(0, lost_of(&all));
	lost = to.lost - from.lost;
	EXPECT_LT(0, lost);
	EXPECT_LT(0, gaps);
	/* The record of a gap takes a place for itself. */
	EXPECT_EQ(a.records, to.head - from.head + lost - gaps);
	close(some.fd);
	close(all.fd);
}

TEST(overwritten)
{
	struct wallprof_configure c = timeline_config(WALLPROF_MIN_RECORDS);
	__u64 there = 0;
	struct rings r;
	struct seen s;

	c.flags |= WALLPROF_OVERWRITE;
	ASSERT_EQ(0, rings_open(&r, &c));
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	/* Nobody looks at it. */
	r.tails[0].tail = 1ULL << 60;
	UNTIL(heads_of(&r) > 10 * WALLPROF_MIN_RECORDS * r.nr_cpus);
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	s = rings_read(&r, gettid_(), 0, ~0ULL);
	EXPECT_GOOD(s);
	EXPECT_EQ(0, lost_of(&r));
	/* As many as fit of each CPU's, of which one has more. */
	for (unsigned int cpu = 0; cpu < r.nr_cpus; cpu++)
		there += head_of(&r, cpu) < r.c.nr_records ? head_of(&r, cpu) : r.c.nr_records;
	EXPECT_LE(WALLPROF_MIN_RECORDS, there);
	EXPECT_EQ(there, s.records);
	close(r.fd);
}

struct scribbler {
	struct rings *r;
	bool over;
};

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	__u64 x = 88172645463325252ULL;

	while (!__atomic_load_n(&s->over, __ATOMIC_RELAXED)) {
		for (unsigned int cpu = 0; cpu < s->r->nr_cpus; cpu++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			/* Of all sizes, and near what is true. */
			__atomic_store_n(&s->r->tails[cpu].tail,
					 x & 1 ? head_of(s->r, cpu) + (x >> 8 & 127) - 64 :
						 x >> (x >> 1 & 63), __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

/* A reader that writes nonsense: records are good all the same, and none is unaccounted. */
TEST(nonsense_in_the_tails)
{
	struct wallprof_configure c = timeline_config(WALLPROF_MIN_RECORDS);
	struct scribbler who = { 0 };
	__u64 last = 0, steps = 0;
	pthread_t thread;
	struct rings r;
	struct seen s;

	ASSERT_EQ(0, rings_open(&r, &c));
	who.r = &r;
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble, &who));
	for (__u64 i = 0; i < scaled(2000) || !lost_of(&r); i++) {
		__u64 now = heads_of(&r);

		steps += now > last;
		EXPECT_LE(last, now);
		last = now;
		nap_ns(MS / 10);
	}
	EXPECT_LT(0, steps);
	__atomic_store_n(&who.over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, dev_stop(r.fd, &r.stop));
	s = rings_read(&r, 0, 0, ~0ULL);
	/* A place may have been written while another record stood there unread. */
	EXPECT_GOOD(s);
	close(r.fd);
}

/* poll() reports half full rings, and again after a read and a flip. */
TEST(poll_reports)
{
	struct wallprof_configure c = timeline_config(WALLPROF_MIN_RECORDS);
	struct pollfd pfd = { .events = POLLIN };
	struct wallprof_flip flip;
	__u64 ns = 1000 * 1000;
	struct rings r;
	pid_t busy;

	ASSERT_EQ(0, rings_open(&r, &c));
	pfd.fd = r.fd;
	busy = child_of(load_naps, &ns);
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	for (int round = 0; round < 3; round++) {
		bool half = false;

		/* The harness ends who waits in vain. */
		ASSERT_EQ(1, poll(&pfd, 1, -1));
		EXPECT_EQ(POLLIN, pfd.revents);
		for (unsigned int cpu = 0; cpu < r.nr_cpus; cpu++) {
			__u64 head = head_of(&r, cpu);

			half |= head - r.tails[cpu].tail >= WALLPROF_MIN_RECORDS / 2;
			__atomic_store_n(&r.tails[cpu].tail, head, __ATOMIC_RELEASE);
		}
		EXPECT_TRUE(half);
		ASSERT_EQ(0, dev_flip(r.fd, &flip));
	}
	child_end(busy);
	close(r.fd);
}

/* Also of a ring that is full when the reader flips: all that comes is lost. */
TEST(poll_reports_losses)
{
	struct wallprof_configure c = timeline_config(WALLPROF_MIN_RECORDS);
	struct pollfd pfd = { .events = POLLIN };
	struct wallprof_flip flip;
	__u64 ns = MS, first = 1;
	struct rings r;
	pid_t busy;

	/* Another CPU's ring might have room, and record it. */
	c.cpus = (uintptr_t)&first;
	c.cpus_bytes = sizeof(first);
	ASSERT_EQ(0, rings_open(&r, &c));
	pfd.fd = r.fd;
	stay_on(0);
	busy = child_of(load_naps, &ns);
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	UNTIL(*(volatile __u64 *)&ring_of(&r, 0)->lost);
	ASSERT_EQ(0, dev_flip(r.fd, &flip));
	/* The harness ends who waits in vain. */
	ASSERT_EQ(1, poll(&pfd, 1, -1));
	EXPECT_EQ(POLLIN, pfd.revents);
	child_end(busy);
	close(r.fd);
}

static int try_map(const struct rings *r, __u64 bytes, int prot, __u64 offset)
{
	void *p = dev_map(r->fd, bytes, prot, MAP_SHARED, offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, bytes);
	return 0;
}

/* Tails, and nothing but tails, can be written. */
TEST(writable)
{
	struct wallprof_configure c = timeline_config(WALLPROF_MIN_RECORDS);
	__u64 page = getpagesize(), tails;
	struct rings r;
	void *p;

	ASSERT_EQ(0, rings_open(&r, &c));
	tails = r.c.map_bytes - r.c.tails_offset;
	EXPECT_EQ(0, try_map(&r, tails, PROT_READ | PROT_WRITE, r.c.tails_offset));
	EXPECT_EQ(0, try_map(&r, tails, PROT_WRITE, r.c.tails_offset));
	EXPECT_EQ(-EACCES, try_map(&r, tails, PROT_READ | PROT_EXEC, r.c.tails_offset));
	EXPECT_EQ(-EACCES, try_map(&r, tails + page, PROT_READ | PROT_WRITE,
				   r.c.tails_offset - page));
	EXPECT_EQ(-EACCES, try_map(&r, page, PROT_READ | PROT_WRITE, r.c.rings_offset));
	EXPECT_EQ(-EACCES, try_map(&r, r.c.map_bytes, PROT_READ | PROT_WRITE, 0));
	EXPECT_EQ(-EINVAL, try_map(&r, tails + page, PROT_READ | PROT_WRITE,
				   r.c.tails_offset));
	p = dev_map(r.fd, page, PROT_READ, MAP_SHARED, r.c.rings_offset);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, mprotect(p, page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	close(r.fd);
}

/* Who dies while it records leaves nothing behind. */
TEST(killed)
{
	struct wallprof_configure c = timeline_config(1 << 12);
	struct rings r;
	int status;
	pid_t pid;

	for (int i = 0; i < 3; i++) {
		int ready[2];
		char byte;

		ASSERT_EQ(0, pipe(ready));
		pid = fork();
		if (!pid) {
			if (rings_open(&r, &c) || dev_start(r.fd, &r.start))
				_exit(1);
			if (write(ready[1], "x", 1) != 1)
				_exit(1);
			for (;;)
				nap_ns(MS);
		}
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		nap_ns(20 * MS);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		close(ready[0]);
	}
	/* And the next one records. */
	ASSERT_EQ(0, rings_open(&r, &c));
	ASSERT_EQ(0, dev_start(r.fd, &r.start));
	UNTIL(heads_of(&r));
	close(r.fd);
}

TEST_HARNESS_MAIN
