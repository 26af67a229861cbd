// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow handler in NMI context, in the middle of everything else that
 * the module does: tests/guest/modules/nmi.c calls it there. Invariants 1 to 3 and 5:
 * what was taken and what was refused is all that came, and the tables and the
 * ledger of the scheduler's probes, which are interrupted, add up.
 *
 * Each variant is a point at which an NMI comes. QEMU's monitor sends more of
 * them meanwhile, which come anywhere.
 */
#include "device.h"
#include "rings.h"

#define PARAMETERS "/sys/module/nmi/parameters/"

/* Periods of the session's own counter; an NMI's is 1. */
#define PERIOD 1000003ULL

/*
 * How many to wait for, and how long at most, on a machine that hardly moves. Each
 * of those in a flip takes one.
 */
#define WANTED 200
#define WANTED_FLIPS 50
#define PATIENCE (400 * SEC)

static int point(const char *name)
{
	int fd = open(PARAMETERS "point", O_WRONLY | O_CLOEXEC);
	int ret = write(fd, name, strlen(name)) < 0 ? -errno : 0;

	close(fd);
	return ret;
}

struct counts {
	unsigned long hits, nmis, idle, not_nmi, plain, calls, nested, user, switches, rings;
};

static bool kernel_has(const char *symbol)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char name[256];
	bool has = false;

	while (f && fscanf(f, "%*s %*s %255s%*[^\n]", name) == 1)
		has |= !strcmp(name, symbol);
	if (!f || fclose(f))
		_exit(1);
	return has;
}

/* Whether a debug exception is an NMI for this kernel: when it became one, it got this name. */
static bool debug_is_nmi(void)
{
	return kernel_has("exc_debug");
}

/*
 * Whether this kernel dies if a watchpoint is hit in an interrupt or an NMI that comes while
 * a thread's end is seen to, as 5.4.119, 5.4.286 and Enterprise Linux 8's 4.18 do. In
 * kprobe_flush_task() a kprobe without an instruction counts as being stepped over, and
 * before 5.8 kprobes take any debug exception for the end of such a step.
 */
static bool dies_at_ends(void)
{
	return kernel_has("kprobe_busy_begin") && !debug_is_nmi();
}

static struct counts counts(void)
{
	struct counts c = { 0 };
	FILE *f = fopen(PARAMETERS "counts", "re");

	if (!f || fscanf(f, "%lu %lu %lu %lu %lu %lu %lu %lu %lu %lu", &c.hits,
			 &c.nmis, &c.idle, &c.not_nmi, &c.plain, &c.calls, &c.nested,
			 &c.user, &c.switches, &c.rings) != 10)
		_exit(1);
	fclose(f);
	return c;
}

static struct counts counts_since(const struct counts *before)
{
	struct counts c = counts();

	c.hits -= before->hits;
	c.nmis -= before->nmis;
	c.idle -= before->idle;
	c.not_nmi -= before->not_nmi;
	c.plain -= before->plain;
	c.calls -= before->calls;
	c.nested -= before->nested;
	c.user -= before->user;
	c.switches -= before->switches;
	c.rings -= before->rings;
	return c;
}

FIXTURE(nmi)
{
	struct wallprof_configure c;
	__u32 pids[2];
};

FIXTURE_VARIANT(nmi)
{
	const char *point;
	bool clock;	/* the session's counter overflows by itself, too */
	bool small;	/* tables that fill up */
	bool targets;	/* not everything is a target */
	__u32 rings;	/* what is asked for of the timeline */
	__u32 nr_records;
};

#define VARIANT(name, ...) \
	FIXTURE_VARIANT_ADD(nmi, name) { __VA_ARGS__ }

/* In the middle of a scheduler probe. */
VARIANT(sched_begins_and_ends, .point = "sched-busy");
VARIANT(sched_changes_threads, .point = "sched-current");
VARIANT(sched_interns_a_stack, .point = "sched-stacks");
VARIANT(sched_adds_to_an_aggregate, .point = "sched-aggrs");
VARIANT(sched_adds_an_end, .point = "sched-exits");
VARIANT(task_table_locked, .point = "tasks-lock");
VARIANT(task_table_changed, .point = "tasks-used");
VARIANT(targets_locked, .point = "tasks-lock", .targets = true);
VARIANT(targets_changed, .point = "tasks-used", .targets = true);
/* In the middle of a record's way into a ring, which is overwritten, read, or full. */
VARIANT(ring_has_half_a_record, .point = "ring-record",
	.rings = WALLPROF_TIMELINE | WALLPROF_OVERWRITE, .nr_records = WALLPROF_MIN_RECORDS);
VARIANT(ring_publishes_a_record, .point = "ring-next", .rings = WALLPROF_TIMELINE,
	.nr_records = 1 << 14);
VARIANT(ring_published_stacks, .point = "ring-head",
	.rings = WALLPROF_TIMELINE | WALLPROF_TIMELINE_STACKS, .nr_records = 1 << 14);
VARIANT(ring_under_a_clock, .point = "ring-next", .rings = WALLPROF_TIMELINE,
	.nr_records = WALLPROF_MIN_RECORDS, .clock = true);
VARIANT(ring_loses_records, .point = "ring-gap", .rings = WALLPROF_TIMELINE,
	.nr_records = WALLPROF_MIN_RECORDS);
/* In the middle of the overflow handler itself, which a timer called. */
VARIANT(sampler_begins_and_ends, .point = "sampler-busy", .clock = true);
VARIANT(sampler_interns_a_stack, .point = "sampler-stacks", .clock = true);
VARIANT(sampler_adds_to_an_aggregate, .point = "sampler-aggrs", .clock = true);
/* In the middle of a flip. */
VARIANT(flip_clears_a_half, .point = "flip-heads");
VARIANT(flip_publishes_the_epoch, .point = "flip-epoch");
VARIANT(flip_under_a_clock, .point = "flip-epoch", .clock = true);
/* Anywhere: the monitor's only. */
VARIANT(anywhere, .point = "nowhere");
VARIANT(anywhere_under_a_clock, .point = "nowhere", .clock = true);
/* Tables that are full, readers that are woken. */
VARIANT(full_tables, .point = "sched-aggrs", .small = true);
VARIANT(full_tables_under_a_clock, .point = "sampler-aggrs", .clock = true,
	.small = true);
/* The probe in the middle of itself: refused. */
VARIANT(a_switch_within_a_switch, .point = "switch");

static void leaves(void *arg)
{
	/* Kernel and user mode, and stacks that differ. */
	for (volatile int i = 0;; i++)
		if (i % 1000 == 0)
			syscall(SYS_getppid, arg);
}

FIXTURE_SETUP(nmi)
{
	__u64 nap = MS;

	self->c = dev_config();
	self->c.stack_flags |= WALLPROF_STACK_KERNEL;
	self->c.flags |= WALLPROF_SAMPLER | variant->rings;
	self->c.nr_records = variant->nr_records;
	self->c.attr_type = PERF_TYPE_SOFTWARE;
	self->c.attr_config = variant->clock ? PERF_COUNT_SW_CPU_CLOCK :
					       PERF_COUNT_SW_DUMMY;
	self->c.attr_period = PERIOD;
	if (variant->small) {
		self->c.nr_aggrs = WALLPROF_MIN_AGGRS;
		self->c.stack_words = WALLPROF_MIN_STACK_WORDS;
		self->c.nr_exits = WALLPROF_MIN_EXITS;
		self->c.watermark = 1;
	}
	/* The overflow handler writes these words, wherever it is called. */
	if (!strncmp(variant->point, "sampler", 7) && dies_at_ends())
		self->pids[0] = child_of(load_naps, &nap);
	else
		self->pids[0] = child_of(load_all, (void *)1);
	self->pids[1] = child_of(leaves, NULL);
	if (variant->targets) {
		dev_target(&self->c, WALLPROF_TARGET_PID, self->pids, 2);
		self->c.flags |= WALLPROF_INHERIT;
	}
}

FIXTURE_TEARDOWN(nmi)
{
	point("off");
	child_end(self->pids[0]);
	child_end(self->pids[1]);
}

/* Samples with user registers, and all samples' periods. */
static void sum_samples(const struct session *s, __u64 *user, __u64 *total)
{
	*user = 0;
	*total = s->lost[1][WALLPROF_LOSS_AGGR_FULL].ns;
	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];

		if (a->kind != WALLPROF_AGGR_SAMPLE)
			continue;
		*total += a->total;
		if (a->flags & WALLPROF_AGGR_USER_MODE)
			*user += a->count;
	}
}

/* Samples, and stacks of them, that found no room. */
static __u64 without_room(const struct session *s)
{
	return s->lost[1][WALLPROF_LOSS_AGGR_FULL].count +
	       s->lost[1][WALLPROF_LOSS_STACK_FULL].count;
}

static unsigned long wanted_hits(const FIXTURE_VARIANT(nmi) *variant)
{
	return strncmp(variant->point, "flip", 4) ? WANTED : WANTED_FLIPS;
}

/* Whether all has happened that a variant is about. */
static bool enough(const FIXTURE_VARIANT(nmi) *variant, const struct counts *c,
		   const struct session *s)
{
	if (variant->small && !without_room(s))
		return false;
	if (variant->targets && !s->events[1])
		return false;
	if (variant->clock && s->events[1] <= c->calls - c->nested)
		return false;
	if (!strcmp(variant->point, "nowhere"))
		return c->nmis >= WANTED && (variant->clock || c->user);
	if (!strcmp(variant->point, "switch") && c->switches < WANTED / 2)
		return false;
	if (!strncmp(variant->point, "sampler", 7) && c->nested < WANTED / 4)
		return false;
	return c->hits >= wanted_hits(variant) && c->nmis >= 10;
}

TEST_F_TIMEOUT(nmi, everything_is_counted, 500)
{
	const struct wallprof_lost *lost, *sched_lost;
	bool nowhere = !strcmp(variant->point, "nowhere");
	struct counts before, c = { 0 };
	__u64 until, user, total, taken;
	bool readable = false;
	struct session s;

	ASSERT_EQ(0, session_begin(&s, &self->c));
	before = counts();
	ASSERT_EQ(0, point(variant->point));
	until = now_ns() + PATIENCE;
	do {
		struct pollfd p = { .fd = s.fd, .events = POLLIN };

		nap_ns(variant->small ? 50 * MS : 2 * MS);
		poll(&p, 1, 0);
		readable |= p.revents & POLLIN;
		ASSERT_EQ(0, session_flip(&s));
		ASSERT_EQ(0, session_read_rings(&s, ~0ULL));
		c = counts_since(&before);
	} while (now_ns() < until &&
		 !(enough(variant, &c, &s) && (readable || !variant->small)));
	ASSERT_EQ(0, point("off"));
	c = counts_since(&before);
	EXPECT_ALL_WHOLE(&s);

	sum_samples(&s, &user, &total);
	lost = s.lost[1];
	sched_lost = s.lost[0];
	TH_LOG("%lu hits, %lu NMIs: %lu overflows, %lu nested, %lu in user mode, %lu switches; %llu samples, %llu without an aggregate, %llu without a stack, %u flips",
	       c.hits, c.nmis, c.calls, c.nested, c.user, c.switches,
	       (ull)s.events[1], (ull)lost[WALLPROF_LOSS_AGGR_FULL].count,
	       (ull)lost[WALLPROF_LOSS_STACK_FULL].count, s.flips);

	/* It happened, and where it should have. */
	EXPECT_EQ(0, c.not_nmi);
	if (debug_is_nmi()) {
		EXPECT_EQ(0, c.plain);
	} else {
		EXPECT_LE(c.plain, c.hits);
	}
	EXPECT_LE(10, c.nmis);
	if (!nowhere)
		EXPECT_LE(wanted_hits(variant), c.hits);
	if (!strcmp(variant->point, "switch")) {
		EXPECT_LE(WANTED / 2, c.switches);
	} else {
		EXPECT_EQ(0, c.switches);
	}
	EXPECT_EQ(c.hits + c.nmis - c.switches, c.calls);

	/* The rings are the scheduler's probes' alone. */
	EXPECT_EQ(0, c.rings);
	/* The sampler: each was taken, or refused in the middle of another. */
	EXPECT_EQ(lost[WALLPROF_LOSS_NESTED].count, lost[WALLPROF_LOSS_NESTED].ns);
	if (variant->targets) {
		/* Nothing is lost of threads that are none. */
		EXPECT_GE(c.nested, lost[WALLPROF_LOSS_NESTED].count);
	} else {
		EXPECT_EQ(c.nested, lost[WALLPROF_LOSS_NESTED].count);
	}
	taken = c.calls - c.nested;
	if (variant->targets) {
		EXPECT_GE(taken, s.events[1]);
		EXPECT_LT(0, s.events[1]);
	} else if (variant->clock) {
		ASSERT_LT(taken, s.events[1]);
		EXPECT_EQ(taken + (s.events[1] - taken) * PERIOD, total);
	} else {
		EXPECT_EQ(taken, s.events[1]);
		EXPECT_EQ(taken, total);
		if (!variant->small)
			EXPECT_EQ(c.user, user);
	}
	if (!strncmp(variant->point, "sampler", 7))
		EXPECT_LE(WANTED / 4, c.nested);

	/* The scheduler's probes: none was refused but what was made up. */
	EXPECT_EQ(c.switches, sched_lost[WALLPROF_LOSS_NESTED].count);
	EXPECT_LT(0, s.events[0]);
	if (variant->small) {
		EXPECT_LT(0, without_room(&s));
		EXPECT_TRUE(readable);
	}
	session_close(&s);
}

FIXTURE(perf)
{
	pid_t pid;
};

FIXTURE_SETUP(perf)
{
	self->pid = child_of(load_all, (void *)1);
}

FIXTURE_TEARDOWN(perf)
{
	child_end(self->pid);
}

/*
 * Without calls of ours: perf itself calls the overflow handler in NMI, for the
 * session's counter is a tracepoint that is passed there.
 */
TEST_F_TIMEOUT(perf, calls_in_an_nmi, 500)
{
	struct wallprof_configure c = dev_config();
	struct counts before, after;
	struct session s;
	__u64 until;
	FILE *f;

	f = fopen("/sys/kernel/tracing/events/nmi/nmi_handler/id", "re");
	ASSERT_NE(NULL, f);
	c.flags |= WALLPROF_SAMPLER;
	c.stack_flags |= WALLPROF_STACK_KERNEL;
	c.attr_type = PERF_TYPE_TRACEPOINT;
	ASSERT_EQ(1, fscanf(f, "%llu", (ull *)&c.attr_config));
	fclose(f);
	c.attr_period = 1;
	ASSERT_EQ(0, session_begin(&s, &c));
	before = counts();
	until = now_ns() + PATIENCE;
	do {
		nap_ns(2 * MS);
		ASSERT_EQ(0, session_flip(&s));
		after = counts();
	} while (now_ns() < until && after.idle - before.idle < WANTED);
	EXPECT_WHOLE(&s);
	TH_LOG("%lu NMIs, %llu samples", after.idle - before.idle, (ull)s.events[1]);
	EXPECT_LE(WANTED, after.idle - before.idle);
	/* Each of the kernel's handlers passes it. */
	EXPECT_LE(after.idle - before.idle, s.events[1]);
	EXPECT_EQ(0, s.lost[1][WALLPROF_LOSS_NESTED].count);
	for (size_t i = 0; i < s.nr_aggrs; i++)
		if (s.aggrs[i].kind == WALLPROF_AGGR_SAMPLE)
			EXPECT_NE(0, s.aggrs[i].kernel_stack);
	session_close(&s);
}

TEST_HARNESS_MAIN
