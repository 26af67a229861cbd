// SPDX-License-Identifier: GPL-2.0
/*
 * The commands: sizes, flags, reserved fields, values, pointers, the order of
 * calls, and who may open. Every refusal has the errno that uapi documents and
 * leaves the session as it was.
 *
 * Above 700 lines: each command has each of its errnos here.
 */
#include <sys/mount.h>

#include "device.h"
#include "table.h"

union any {
	__u32 size;
	struct wallprof_info info;
	struct wallprof_configure configure;
	struct wallprof_start start;
	struct wallprof_flip flip;
	struct wallprof_stop stop;
	struct wallprof_status status;
	struct wallprof_push push;
	struct wallprof_maps maps;
	struct wallprof_live live;
	struct wallprof_event event;
	struct wallprof_count count;
	struct wallprof_read read;
	unsigned char bytes[8192];
};

/* Bring a new session to a state. */
static int fd_in(unsigned int state)
{
	struct wallprof_configure c = dev_config();
	int fd = dev_open();

	dev_sampler(&c, 99);
	if (state >= WALLPROF_SESSION_CONFIGURED)
		dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c);
	if (state >= WALLPROF_SESSION_RUNNING)
		dev_start(fd, NULL);
	if (state >= WALLPROF_SESSION_STOPPED)
		dev_stop(fd, NULL);
	return dev_status(fd).state == state ? fd : -1;
}

static volatile char byte_read;

static void body_pauses(void *arg)
{
	byte_read = 'x';
	for (;;)
		pause();
}

/* READ of a child that waits. */
static struct wallprof_read read_of(pid_t pid, void *to)
{
	while (!is_off(pid, 'S'))
		nap_ns(MS);
	return (struct wallprof_read){
		.pid = pid, .tid = pid, .address = (uintptr_t)&byte_read, .data = (uintptr_t)to,
		.bytes = 1,
	};
}

FIXTURE(command)
{
	union any arg;
	struct tiny_table table;
	int fd;
	pid_t child;
};

FIXTURE_VARIANT(command)
{
	unsigned long nr;
	unsigned int size;
	unsigned int state;	/* in which it is allowed */
	unsigned int then;	/* and the state after it */
	unsigned int least;	/* of the first version; 0: it has not grown */
};

#define COMMAND(name, NAME, state_, then_, ...) \
	FIXTURE_VARIANT_ADD(command, name) { \
		.nr = WALLPROF_IOC_ ## NAME, \
		.size = sizeof(struct wallprof_ ## name), \
		.state = WALLPROF_SESSION_ ## state_, \
		.then = WALLPROF_SESSION_ ## then_, \
		__VA_ARGS__ \
	}

COMMAND(info, INFO, OPEN, OPEN, .least = offsetof(struct wallprof_info, nr_online));
COMMAND(configure, CONFIGURE, OPEN, CONFIGURED,
	.least = offsetof(struct wallprof_configure, min_ns));
COMMAND(start, START, CONFIGURED, RUNNING);
COMMAND(flip, FLIP, RUNNING, RUNNING);
COMMAND(stop, STOP, RUNNING, STOPPED);
COMMAND(status, STATUS, OPEN, OPEN, .least = offsetof(struct wallprof_status, cpus));
COMMAND(push, PUSH, CONFIGURED, CONFIGURED);
COMMAND(maps, MAPS, CONFIGURED, CONFIGURED, .least = offsetof(struct wallprof_maps, interp));
COMMAND(live, LIVE, OPEN, OPEN);
COMMAND(event, EVENT, CONFIGURED, CONFIGURED, .least = offsetof(struct wallprof_event, filter));
COMMAND(count, COUNT, CONFIGURED, CONFIGURED,
	.least = offsetof(struct wallprof_count, filtered));
COMMAND(read, READ, RUNNING, RUNNING);

FIXTURE_SETUP(command)
{
	self->child = variant->nr == WALLPROF_IOC_READ ? child_of(body_pauses, NULL) : 0;
	self->fd = fd_in(variant->state);
	ASSERT_LE(0, self->fd);
	memset(&self->arg, 0, sizeof(self->arg));
	if (variant->nr == WALLPROF_IOC_CONFIGURE)
		self->arg.configure = dev_config();
	if (variant->nr == WALLPROF_IOC_PUSH) {
		self->table = tiny_table();
		self->arg.push.table = (uintptr_t)&self->table;
		self->arg.push.bytes = sizeof(self->table);
	}
	if (variant->nr == WALLPROF_IOC_MAPS)
		self->arg.maps.pid = getpid();
	if (variant->nr == WALLPROF_IOC_LIVE)
		self->arg.live.tid = (1U << 31) - 1;
	if (variant->nr == WALLPROF_IOC_EVENT)
		self->arg.event = dev_event(PERF_COUNT_SW_PAGE_FAULTS, 1);
	if (variant->nr == WALLPROF_IOC_READ)
		self->arg.read = read_of(self->child, &self->table);
	self->arg.size = variant->size;
}

FIXTURE_TEARDOWN(command)
{
	if (self->child)
		child_end(self->child);
	close(self->fd);
}

TEST_F(command, its_size)
{
	EXPECT_EQ(0, dev_cmd(self->fd, variant->nr, &self->arg));
	EXPECT_EQ(variant->then, dev_status(self->fd).state);
}

TEST_F(command, smaller_is_refused)
{
	unsigned int least = variant->least ? : variant->size;

	for (unsigned int size = 0; size < least; size++) {
		self->arg.size = size;
		EXPECT_EQ(-EINVAL, dev_cmd(self->fd, variant->nr, &self->arg))
			TH_LOG("size %u", size);
	}
	EXPECT_EQ(variant->state, dev_status(self->fd).state);
	self->arg.size = variant->size;
	EXPECT_EQ(0, dev_cmd(self->fd, variant->nr, &self->arg));
}

/* A reader of the first version: its struct will do, and no more of it is written. */
TEST_F(command, as_it_was_first)
{
	unsigned int least = variant->least ? : variant->size;

	memset(self->arg.bytes + least, 0xa5, sizeof(self->arg) - least);
	self->arg.size = least;
	EXPECT_EQ(0, dev_cmd(self->fd, variant->nr, &self->arg));
	EXPECT_EQ(variant->then, dev_status(self->fd).state);
	for (unsigned int i = least; i < sizeof(self->arg); i++)
		ASSERT_EQ(0xa5, self->arg.bytes[i]);
}

TEST_F(command, larger_with_zeros)
{
	union any before;

	self->arg.size = variant->size + 8;
	before = self->arg;
	EXPECT_EQ(0, dev_cmd(self->fd, variant->nr, &self->arg));
	EXPECT_EQ(variant->then, dev_status(self->fd).state);
	EXPECT_EQ(0, memcmp(self->arg.bytes + variant->size,
			    before.bytes + variant->size,
			    sizeof(before) - variant->size));
}

TEST_F(command, a_page_with_zeros)
{
	self->arg.size = 4096;
	EXPECT_EQ(0, dev_cmd(self->fd, variant->nr, &self->arg));
}

TEST_F(command, larger_with_something)
{
	const unsigned int sizes[] = { 1, 4, 8, 100, 1000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned int size = variant->size + sizes[i];

		self->arg.size = size;
		self->arg.bytes[size - 1] = 1;
		EXPECT_EQ(-E2BIG, dev_cmd(self->fd, variant->nr, &self->arg))
			TH_LOG("size %u", size);
		self->arg.bytes[size - 1] = 0;
		/* What lies beyond the size is nobody's business. */
	}
	EXPECT_EQ(variant->state, dev_status(self->fd).state);
}

TEST_F(command, far_too_large)
{
	const unsigned int sizes[] = { 65536, 1U << 20, 1U << 31, ~0U };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		int ret;

		self->arg.size = sizes[i];
		ret = dev_cmd(self->fd, variant->nr, &self->arg);
		EXPECT_TRUE(ret == -E2BIG || ret == -EFAULT)
			TH_LOG("size %u: %d", sizes[i], ret);
	}
	EXPECT_EQ(variant->state, dev_status(self->fd).state);
}

TEST_F(command, what_lies_beyond_is_not_touched)
{
	memset(self->arg.bytes + variant->size, 0xa5,
	       sizeof(self->arg) - variant->size);
	EXPECT_EQ(0, dev_cmd(self->fd, variant->nr, &self->arg));
	for (unsigned int i = variant->size; i < sizeof(self->arg); i++)
		ASSERT_EQ(0xa5, self->arg.bytes[i]);
}

TEST_F(command, bad_pointers)
{
	unsigned char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)pages);
	ASSERT_EQ(0, mprotect(pages + 4096, 4096, PROT_NONE));
	EXPECT_EQ(-EFAULT, dev_cmd(self->fd, variant->nr, NULL));
	EXPECT_EQ(-EFAULT, dev_cmd(self->fd, variant->nr, (void *)8));
	EXPECT_EQ(-EFAULT, dev_cmd(self->fd, variant->nr, (void *)-4096L));
	EXPECT_EQ(-EFAULT, dev_cmd(self->fd, variant->nr, (void *)-1L));
	EXPECT_EQ(-EFAULT, dev_cmd(self->fd, variant->nr, pages + 4096));
	/* The first and the last word are there, the rest is not. */
	memcpy(pages + 4092, &self->arg, 4);
	EXPECT_EQ(-EFAULT, dev_cmd(self->fd, variant->nr, pages + 4092));
	memcpy(pages + 4096 - variant->size + 4, &self->arg, variant->size - 4);
	EXPECT_EQ(-EFAULT, dev_cmd(self->fd, variant->nr,
				   pages + 4096 - variant->size + 4));
	EXPECT_EQ(variant->state, dev_status(self->fd).state);
	/* It needs no alignment and not a byte more. */
	memcpy(pages + 4096 - variant->size, &self->arg, variant->size);
	EXPECT_EQ(0, dev_cmd(self->fd, variant->nr, pages + 4096 - variant->size));
}

TEST_F(command, unaligned)
{
	unsigned char bytes[sizeof(struct wallprof_configure) + 8];

	memcpy(bytes + 1, &self->arg, variant->size);
	EXPECT_EQ(0, dev_cmd(self->fd, variant->nr, bytes + 1));
}

TEST_F(command, nothing_to_write_to)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, &self->arg, variant->size);
	ASSERT_EQ(0, mprotect(page, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, dev_cmd(self->fd, variant->nr, page));
	/* It was not carried out either. */
	EXPECT_EQ(variant->state, dev_status(self->fd).state);
	EXPECT_EQ(variant->state == WALLPROF_SESSION_OPEN ? 0 : 1,
		  dev_status(self->fd).epoch);
	EXPECT_EQ(0, dev_cmd(self->fd, variant->nr, &self->arg));
}

TEST_F(command, reserved_fields)
{
	switch (variant->nr) {
	case WALLPROF_IOC_START:
		self->arg.start.flags = 1U << 1;
		break;
	case WALLPROF_IOC_STOP:
		self->arg.stop.flags = 1U << 31;
		break;
	case WALLPROF_IOC_FLIP:
		self->arg.flip.flags = 1;
		EXPECT_EQ(-EINVAL, dev_cmd(self->fd, variant->nr, &self->arg));
		self->arg.flip.flags = 0;
		self->arg.flip.reserved = 1;
		break;
	case WALLPROF_IOC_PUSH:
		self->arg.push.flags = WALLPROF_PUSH_ONCE << 1;
		break;
	case WALLPROF_IOC_MAPS:
		self->arg.maps.flags = 1U << 31;
		break;
	case WALLPROF_IOC_LIVE:
		self->arg.live.flags = 1U << 31;
		break;
	case WALLPROF_IOC_EVENT:
		self->arg.event.reserved = 1;
		break;
	case WALLPROF_IOC_READ:
		self->arg.read.reserved = 1;
		break;
	default:
		return;		/* all of them are outputs */
	}
	EXPECT_EQ(-EINVAL, dev_cmd(self->fd, variant->nr, &self->arg));
	EXPECT_EQ(variant->state, dev_status(self->fd).state);
}

/* CONFIGURE: every value out of its range, one at a time. */
FIXTURE(configure)
{
	struct wallprof_configure c;
	__u32 me;
	int fd;
};

FIXTURE_SETUP(configure)
{
	self->fd = dev_open();
	ASSERT_LE(0, self->fd);
	self->c = dev_config();
	self->me = getpid();
}

FIXTURE_TEARDOWN(configure)
{
	close(self->fd);
}

#define TRY(want, ...) do { \
	struct wallprof_configure c = self->c; \
	__VA_ARGS__; \
	EXPECT_EQ(want, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, &c)) \
		TH_LOG("with %s", #__VA_ARGS__); \
	EXPECT_EQ(WALLPROF_SESSION_OPEN, dev_status(self->fd).state); \
	EXPECT_EQ(0, dev_status(self->fd).epoch); \
} while (0)

TEST_F(configure, flags)
{
	TRY(-EINVAL, c.flags = 0);
	TRY(-EINVAL, c.flags = WALLPROF_INHERIT);
	TRY(-EINVAL, c.flags = WALLPROF_INHERIT | WALLPROF_ENABLE_ON_EXEC);
	TRY(-EINVAL, dev_sampler(&c, 99); c.flags &= ~WALLPROF_OFFCPU);
	TRY(-EINVAL, dev_sampler(&c, 99); c.flags = WALLPROF_SAMPLER | WALLPROF_WAKEUPS);
	TRY(-EINVAL, dev_sampler(&c, 99); c.flags = WALLPROF_SAMPLER | WALLPROF_REASONS);
	TRY(-EINVAL, c.flags &= ~WALLPROF_REASONS);
	TRY(-EINVAL, c.flags &= ~WALLPROF_WAKEUPS);
	TRY(-EINVAL, c.flags |= WALLPROF_WAKER_STACKS; c.flags &= ~WALLPROF_WAKERS);
	TRY(-EINVAL, c.flags |= WALLPROF_WAKER_STACKS; c.stack_flags = 0);
	TRY(-EINVAL, c.flags |= WALLPROF_WAKER_CHAINS; c.flags &= ~WALLPROF_WAKERS);
	TRY(-EINVAL, dev_sampler(&c, 99); c.flags = WALLPROF_SAMPLER | WALLPROF_HISTOGRAMS);
	TRY(-EINVAL, dev_sampler(&c, 99); c.flags |= WALLPROF_SAMPLE_CACHE; c.stack_flags = 0);
	TRY(-EINVAL, dev_sampler(&c, 99); c.flags |= WALLPROF_SAMPLE_CACHE;
		     c.stack_flags = WALLPROF_STACK_KERNEL);
	TRY(-EINVAL, c.flags |= WALLPROF_LOCK_OWNERS; c.flags &= ~WALLPROF_ARGS);
	TRY(-EINVAL, c.flags |= WALLPROF_LOCK_OWNERS | WALLPROF_WAKER_STACKS);
	TRY(-EINVAL, c.reserved = 1);
	TRY(-EINVAL, c.reserved2 = 1);
	for (int bit = 10; bit < 32; bit++) {
		if (1U << bit != WALLPROF_ARGS && 1U << bit != WALLPROF_LOCK_OWNERS)
			TRY(-EINVAL, c.flags |= 1U << bit);
	}
	for (int bit = 3; bit < 32; bit++)
		TRY(-EINVAL, c.stack_flags |= 1U << bit);
}

TEST_F(configure, max_stack)
{
	TRY(-EINVAL, c.max_stack = 0);
	TRY(-EINVAL, c.max_stack = WALLPROF_MAX_STACK + 1);
	TRY(-EINVAL, c.max_stack = ~0U);
}

TEST_F(configure, states)
{
	for (int bit = WALLPROF_STATE_MAX; bit < 32; bit++)
		TRY(-EINVAL, c.states = 1 | 1U << bit);
}

TEST_F(configure, range)
{
	TRY(-EINVAL, c.min_ns = 2; c.max_ns = 1);
	TRY(-EINVAL, c.min_ns = ~0ULL; c.max_ns = ~0ULL - 1);
	TRY(-EINVAL, dev_sampler(&c, 99); c.flags = WALLPROF_SAMPLER; c.min_ns = 1);
	TRY(-EINVAL, dev_sampler(&c, 99); c.flags = WALLPROF_SAMPLER; c.max_ns = 1);
	self->c.min_ns = ~0ULL;
	self->c.max_ns = ~0ULL;
	EXPECT_EQ(0, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, &self->c));
}

TEST_F(configure, waits)
{
	TRY(-EINVAL, c.wait_ns = 1);
	TRY(-EINVAL, c.wait_ns = 1; c.nr_waits = WALLPROF_MIN_WAITS - 1);
	TRY(-EINVAL, c.wait_ns = 1; c.nr_waits = WALLPROF_MAX_WAITS + 1);
	TRY(-EINVAL, c.nr_waits = WALLPROF_MIN_WAITS);
	TRY(-EINVAL, dev_sampler(&c, 99); c.flags = WALLPROF_SAMPLER; c.wait_ns = 1;
	    c.nr_waits = WALLPROF_MIN_WAITS);
	self->c.wait_ns = ~0ULL;
	self->c.nr_waits = WALLPROF_MIN_WAITS;
	EXPECT_EQ(0, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, &self->c));
}

TEST_F(configure, targets)
{
	__u32 gone = 0x3ffffff0, ids[2] = { self->me, gone };

	TRY(-EINVAL, c.target = WALLPROF_TARGET_MAX);
	TRY(-EINVAL, c.target = ~0U);
	TRY(-EINVAL, c.nr_targets = 1; c.targets = (uintptr_t)&self->me);
	for (__u32 kind = WALLPROF_TARGET_PID; kind < WALLPROF_TARGET_MAX; kind++) {
		TRY(-EINVAL, dev_target(&c, kind, &self->me, 0));
		TRY(-EINVAL, dev_target(&c, kind, &self->me, WALLPROF_MAX_TARGETS + 1));
		TRY(-EINVAL, dev_target(&c, kind, &self->me, ~0U));
		TRY(-EFAULT, dev_target(&c, kind, NULL, 1));
		TRY(-EFAULT, dev_target(&c, kind, (void *)-4096L, 1));
		TRY(-EFAULT, dev_target(&c, kind, (void *)8, 16));
	}
	TRY(-ESRCH, dev_target(&c, WALLPROF_TARGET_PID, &gone, 1));
	TRY(-ESRCH, dev_target(&c, WALLPROF_TARGET_TID, &gone, 1));
	/* One of several is enough. */
	dev_target(&self->c, WALLPROF_TARGET_PID, ids, 2);
	EXPECT_EQ(0, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, &self->c));
}

TEST_F(configure, tables)
{
	TRY(-EINVAL, c.nr_aggrs = 0);
	TRY(-EINVAL, c.nr_aggrs = WALLPROF_MIN_AGGRS - 1);
	TRY(-EINVAL, c.nr_aggrs = WALLPROF_MAX_AGGRS + 1);
	TRY(-EINVAL, c.nr_aggrs = ~0U);
	TRY(-EINVAL, c.stack_words = 0);
	TRY(-EINVAL, c.stack_words = WALLPROF_MIN_STACK_WORDS - 1);
	TRY(-EINVAL, c.stack_words = WALLPROF_MAX_STACK_WORDS + 1);
	TRY(-EINVAL, c.stack_words = ~0U);
	TRY(-EINVAL, c.nr_exits = 0);
	TRY(-EINVAL, c.nr_exits = WALLPROF_MIN_EXITS - 1);
	TRY(-EINVAL, c.nr_exits = WALLPROF_MAX_EXITS + 1);
	TRY(-EINVAL, c.nr_tasks = 0);
	TRY(-EINVAL, c.nr_tasks = WALLPROF_MIN_TASKS / 2);
	TRY(-EINVAL, c.nr_tasks = WALLPROF_MIN_TASKS + 1);
	TRY(-EINVAL, c.nr_tasks = 3 * WALLPROF_MIN_TASKS);
	TRY(-EINVAL, c.nr_tasks = WALLPROF_MAX_TASKS * 2);
	TRY(-EINVAL, c.nr_tasks = 1U << 31);
	TRY(-EINVAL, c.watermark = 101);
	TRY(-EINVAL, c.watermark = ~0U);
}

TEST_F(configure, smallest_tables)
{
	self->c.nr_aggrs = WALLPROF_MIN_AGGRS;
	self->c.stack_words = WALLPROF_MIN_STACK_WORDS;
	self->c.nr_exits = WALLPROF_MIN_EXITS;
	self->c.nr_tasks = WALLPROF_MIN_TASKS;
	self->c.max_stack = 1;
	self->c.watermark = 100;
	EXPECT_EQ(0, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, &self->c));
}

TEST_F(configure, cpus)
{
	unsigned int nr_cpus = dev_info(self->fd).nr_cpus;
	__u64 mask[256] = { 1 };

	TRY(-EINVAL, c.cpus = (uintptr_t)mask; c.cpus_bytes = 4);
	TRY(-EINVAL, c.cpus = (uintptr_t)mask; c.cpus_bytes = 12);
	TRY(-EFAULT, c.cpus = 8; c.cpus_bytes = 8);
	TRY(-EFAULT, c.cpus = (uintptr_t)-4096L; c.cpus_bytes = 8);
	ASSERT_GT(256 * 64U, nr_cpus);
	mask[nr_cpus / 64] |= 1ULL << nr_cpus % 64;
	TRY(-EINVAL, c.cpus = (uintptr_t)mask; c.cpus_bytes = sizeof(mask));
	mask[nr_cpus / 64] &= ~(1ULL << nr_cpus % 64);
	mask[255] = 1ULL << 63;
	TRY(-EINVAL, c.cpus = (uintptr_t)mask; c.cpus_bytes = sizeof(mask));
	mask[255] = 0;
	/* A mask may be longer than this machine needs. */
	self->c.cpus = (uintptr_t)mask;
	self->c.cpus_bytes = sizeof(mask);
	EXPECT_EQ(0, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, &self->c));
}

/* What perf itself answers. */
static int perf_says(__u32 type, __u64 config)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config,
		.sample_period = 99, .freq = 1, .disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

TEST_F(configure, counter)
{
	int none = perf_says(PERF_TYPE_HARDWARE, 9999);

	dev_sampler(&self->c, 99);
	for (int bit = 6; bit < 32; bit++)
		TRY(-EINVAL, c.attr_flags |= 1U << bit);
	TRY(-EINVAL, c.attr_precise = 4);
	TRY(-EINVAL, c.attr_precise = ~0U);
	TRY(-EINVAL, c.attr_period = 0);
	/* What no kernel has; then what every one has. */
	TRY(-ENOENT, c.attr_type = PERF_TYPE_SOFTWARE; c.attr_config = 9999);
	EXPECT_GT(0, none);	/* -ENOENT without a PMU, -EINVAL with one */
	TRY(none, c.attr_type = PERF_TYPE_HARDWARE; c.attr_config = 9999);
	EXPECT_EQ(0, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, &self->c));
	EXPECT_LT(0, dev_status(self->fd).counters);
}

TEST_F(configure, layout)
{
	struct wallprof_configure *c = &self->c;
	unsigned int page = dev_info(self->fd).page_size;
	unsigned int cpus = dev_info(self->fd).nr_cpus;

	dev_sampler(c, 99);
	c->flags |= WALLPROF_HISTOGRAMS;
	c->wait_ns = 1;
	c->nr_waits = 77;
	ASSERT_EQ(0, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, c));
	EXPECT_EQ(sysconf(_SC_PAGESIZE), page);
	EXPECT_EQ(0, c->map_bytes % page);
	EXPECT_EQ(0, c->tasks_offset % page);
	EXPECT_EQ(0, c->cpus_offset % page);
	EXPECT_EQ(0, c->cpu_stride % page);
	EXPECT_EQ(0, c->sampler_offset % page);
	EXPECT_EQ(0, c->half_stride % page);
	EXPECT_EQ(0, c->sampler_half_stride % page);
	EXPECT_LE(c->tasks_offset + c->nr_tasks * sizeof(struct wallprof_task),
		  c->cpus_offset);
	EXPECT_LE(c->cpus_offset + cpus * c->cpu_stride, c->map_bytes);
	EXPECT_LE(sizeof(struct wallprof_half), c->aggrs_offset);
	EXPECT_LE(c->aggrs_offset + c->nr_aggrs * sizeof(struct wallprof_aggr),
		  c->stacks_offset);
	EXPECT_LE(c->stacks_offset + c->stack_words * 8ULL, c->exits_offset);
	EXPECT_LE(c->exits_offset + c->nr_exits * sizeof(struct wallprof_task),
		  c->waits_offset);
	EXPECT_LE(c->waits_offset + c->nr_waits * sizeof(struct wallprof_wait),
		  c->hists_offset);
	EXPECT_LE(c->hists_offset + c->nr_aggrs * sizeof(struct wallprof_hist),
		  c->half_stride);
	EXPECT_LE(2 * c->half_stride, c->sampler_offset);
	EXPECT_LE(c->sampler_offset + 2 * c->sampler_half_stride, c->cpu_stride);
	EXPECT_LE(c->map_bytes, c->memory_bytes);
	EXPECT_EQ(sizeof(struct wallprof_aggr), c->aggr_bytes);
	EXPECT_EQ(sizeof(struct wallprof_task), c->task_bytes);
	EXPECT_EQ(sizeof(struct wallprof_wait), c->wait_bytes);
	EXPECT_EQ(sizeof(struct wallprof_hist), c->hist_bytes);
}

/* A number of a file; -1: there is none. */
static long long file_number(const char *dir, const char *name)
{
	char path[128];
	long long nr;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%lld", &nr) != 1)
		nr = -1;
	if (f)
		fclose(f);
	return nr;
}

static int file_write(const char *dir, const char *name, const char *text)
{
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ret = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -errno;
	close(fd);
	return ret;
}

/*
 * All memory of a session is its user's, the list of targets as well: a memory
 * cgroup counts it, and one that has no room makes CONFIGURE fail, not somebody
 * be killed.
 */
TEST_F_TIMEOUT(configure, charged, 300)
{
	static const char root[] = "/tmp/cgroup", group[] = "/tmp/cgroup/configure";
	static __u32 ids[WALLPROF_MAX_TARGETS];
	const long long bytes = sizeof(ids);
	long long at_first, before, with;
	char max[32];
	int limit;

	mkdir(root, 0700);
	ASSERT_EQ(0, mount("none", root, "cgroup2", 0, NULL));
	if (file_write(root, "cgroup.subtree_control", "+memory")) {
		umount(root);
		SKIP(return, "no memory cgroups");
	}
	ASSERT_EQ(0, mkdir(group, 0700));
	ASSERT_EQ(0, file_write(group, "cgroup.procs", "0"));
	/* Present before it is counted. */
	for (unsigned int i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = self->me;
	dev_target(&self->c, WALLPROF_TARGET_PID, ids, ARRAY_SIZE(ids));
	self->c.nr_aggrs = WALLPROF_MIN_AGGRS;
	self->c.stack_words = WALLPROF_MIN_STACK_WORDS;
	self->c.nr_exits = WALLPROF_MIN_EXITS;
	self->c.nr_tasks = WALLPROF_MIN_TASKS;

	/* Of the size of our list, room for less than half. */
	at_first = file_number(group, "memory.current");
	EXPECT_LE(bytes, at_first);
	snprintf(max, sizeof(max), "%lld", at_first + bytes / 2);
	/* What was refused is freed later: there is no room for another open file. */
	limit = open("/tmp/cgroup/configure/memory.max", O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, limit);
	ASSERT_LT(0, write(limit, max, strlen(max)));
	TRY(-ENOMEM, (void)c);
	ASSERT_EQ(3, write(limit, "max", 3));
	close(limit);

	/* What was refused may be counted for a while still: it is freed later. */
	UNTIL((before = file_number(group, "memory.current")) <= at_first + bytes / 8);
	EXPECT_EQ(0, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, &self->c));
	with = file_number(group, "memory.current");
	/* What each CPU has in store was counted before. */
	EXPECT_LE((long long)self->c.memory_bytes - bytes / 2, with - before)
		TH_LOG("%lld to %lld, of %llu bytes", before, with,
		       (ull)self->c.memory_bytes);

	ASSERT_EQ(0, file_write(root, "cgroup.procs", "0"));
	rmdir(group);
	umount(root);
}

/* Attributes with pointers, which cannot be followed when the counters are made later. */
TEST_F(configure, probes)
{
	static const char pmus[] = "/sys/bus/event_source/devices";
	long long kprobe = file_number(pmus, "kprobe/type");
	long long uprobe = file_number(pmus, "uprobe/type");

	dev_sampler(&self->c, 99);
	self->c.attr_flags = 0;
	if (kprobe < 0 && uprobe < 0)
		SKIP(return, "neither kprobes nor uprobes as counters");
	if (kprobe >= 0)
		TRY(-EOPNOTSUPP, c.attr_type = kprobe; c.attr_config = 0;
		    c.attr_config1 = (uintptr_t)"schedule");
	if (uprobe >= 0)
		TRY(-EOPNOTSUPP, c.attr_type = uprobe; c.attr_config = 0;
		    c.attr_config1 = (uintptr_t)"/bin/true"; c.attr_config2 = 64);
	/* Refused before they are made: what cannot be made is refused alike. */
	if (kprobe >= 0)
		TRY(-EOPNOTSUPP, c.attr_type = kprobe; c.attr_config = 0;
		    c.attr_config1 = (uintptr_t)"no_function_of_the_kernel");
	if (uprobe >= 0)
		TRY(-EOPNOTSUPP, c.attr_type = uprobe; c.attr_config = 0;
		    c.attr_config1 = (uintptr_t)"/no/such/file");
}

/* The order of calls: every command in every state. */
TEST(order)
{
	static const struct {
		unsigned int state;
		int info, configure, start, flip, stop, status, push, maps, live, event, count,
			read;
	} table[] = {
		{ WALLPROF_SESSION_OPEN, 0, 0, -EINVAL, -EINVAL, -EINVAL, 0, -EINVAL, -EINVAL,
		  0, -EINVAL, -EINVAL, -EINVAL },
		{ WALLPROF_SESSION_CONFIGURED, 0, -EBUSY, 0, -EINVAL, -EINVAL, 0, 0, 0, 0, 0,
		  0, -EINVAL },
		{ WALLPROF_SESSION_RUNNING, 0, -EBUSY, -EBUSY, 0, 0, 0, 0, 0, 0, -EBUSY, 0,
		  0 },
		{ WALLPROF_SESSION_STOPPED, 0, -EBUSY, -EBUSY, 0, -EBUSY, 0, 0, 0, 0, -EBUSY,
		  0, -EINVAL },
	};
	struct tiny_table tiny = tiny_table();
	pid_t child = child_of(body_pauses, NULL);

	for (unsigned int i = 0; i < ARRAY_SIZE(table); i++) {
		struct wallprof_configure c = dev_config();
		struct wallprof_info info = { .size = sizeof(info) };
		struct wallprof_status status = { .size = sizeof(status) };
		struct wallprof_push push = {
			.size = sizeof(push), .table = (uintptr_t)&tiny,
			.bytes = sizeof(tiny),
		};
		struct wallprof_maps maps = { .size = sizeof(maps), .pid = getpid() };
		struct wallprof_live live = { .size = sizeof(live), .tid = (1U << 31) - 1 };
		struct wallprof_event event = dev_event(PERF_COUNT_SW_PAGE_FAULTS, 1);
		struct wallprof_count count = { .size = sizeof(count) };
		struct wallprof_read read = read_of(child, &info);
		struct wallprof_flip flip;
		int fd;

		read.size = sizeof(read);
		TH_LOG("state %u", i);
#define IN_STATE(want, call) do { \
		fd = fd_in(table[i].state); \
		ASSERT_LE(0, fd); \
		EXPECT_EQ(want, call); \
		if (want) \
			EXPECT_EQ(table[i].state, dev_status(fd).state); \
		close(fd); \
	} while (0)
		IN_STATE(table[i].info, dev_cmd(fd, WALLPROF_IOC_INFO, &info));
		IN_STATE(table[i].configure, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
		IN_STATE(table[i].start, dev_start(fd, NULL));
		IN_STATE(table[i].flip, dev_flip(fd, &flip));
		IN_STATE(table[i].stop, dev_stop(fd, NULL));
		IN_STATE(table[i].status, dev_cmd(fd, WALLPROF_IOC_STATUS, &status));
		IN_STATE(table[i].push, dev_cmd(fd, WALLPROF_IOC_PUSH, &push));
		IN_STATE(table[i].maps, dev_cmd(fd, WALLPROF_IOC_MAPS, &maps));
		IN_STATE(table[i].live, dev_cmd(fd, WALLPROF_IOC_LIVE, &live));
		IN_STATE(table[i].event, dev_cmd(fd, WALLPROF_IOC_EVENT, &event));
		IN_STATE(table[i].count, dev_cmd(fd, WALLPROF_IOC_COUNT, &count));
		IN_STATE(table[i].read, dev_cmd(fd, WALLPROF_IOC_READ, &read));
	}
	child_end(child);
}

TEST(one_epoch_is_left_after_stop)
{
	struct wallprof_flip flip;
	int fd = fd_in(WALLPROF_SESSION_STOPPED);

	EXPECT_EQ(0, dev_flip(fd, &flip));
	EXPECT_EQ(-ENODATA, dev_flip(fd, &flip));
	EXPECT_EQ(-ENODATA, dev_flip(fd, &flip));
	EXPECT_EQ(-EBUSY, dev_start(fd, NULL));
	EXPECT_EQ(WALLPROF_SESSION_STOPPED, dev_status(fd).state);
}

TEST(unknown_commands)
{
	for (unsigned int state = 0; state <= WALLPROF_SESSION_STOPPED; state++) {
		unsigned char arg[4096] = { 16 };
		int fd = fd_in(state);

		for (unsigned int nr = 12; nr < 256; nr++)
			EXPECT_EQ(-ENOTTY, dev_cmd(fd, _IO(WALLPROF_IOC_TYPE, nr), arg));
		for (unsigned int nr = 0; nr < 13; nr++) {
			EXPECT_EQ(-ENOTTY, dev_cmd(fd, _IO(0xb6, nr), arg));
			EXPECT_EQ(-ENOTTY, dev_cmd(fd, _IO(0xb8, nr), arg));
			EXPECT_EQ(-ENOTTY, dev_cmd(fd, _IOR(WALLPROF_IOC_TYPE, nr, int), arg));
			EXPECT_EQ(-ENOTTY, dev_cmd(fd, _IOWR(WALLPROF_IOC_TYPE, nr,
							     struct wallprof_info), arg));
		}
		EXPECT_EQ(state, dev_status(fd).state);
		close(fd);
	}
}

TEST(no_reading_and_writing)
{
	char byte = 0;
	int fd = dev_open();

	EXPECT_EQ(-1, read(fd, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(fd, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_END));
}

TEST(what_info_says)
{
	int fd = dev_open();
	struct wallprof_info info = dev_info(fd);

	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(WALLPROF_ABI_VERSION, info.abi_version);
	EXPECT_LE(sysconf(_SC_NPROCESSORS_CONF), info.nr_cpus);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), info.nr_online);
	EXPECT_EQ(0, info.reserved2);
	EXPECT_EQ(0, info.features);
	EXPECT_EQ(0, info.reserved);
	EXPECT_NE(0, info.states & 1U << WALLPROF_STATE_SLEEPING);
	EXPECT_EQ(0, info.states >> WALLPROF_STATE_MAX);
	EXPECT_NE(0, info.version[0]);
	EXPECT_EQ(0, info.version[sizeof(info.version) - 1]);
}

TEST(what_status_says)
{
	struct wallprof_configure c = dev_config();
	struct wallprof_status status;
	struct wallprof_flip flip;
	__u64 start, stop;
	int fd = dev_open();

	status = dev_status(fd);
	EXPECT_EQ(WALLPROF_SESSION_OPEN, status.state);
	EXPECT_EQ(0, status.start);
	EXPECT_EQ(0, status.stop);
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	status = dev_status(fd);
	EXPECT_EQ(WALLPROF_SESSION_CONFIGURED, status.state);
	EXPECT_EQ(0, status.start);
	ASSERT_EQ(0, dev_start(fd, &start));
	status = dev_status(fd);
	EXPECT_EQ(WALLPROF_SESSION_RUNNING, status.state);
	EXPECT_EQ(start, status.start);
	EXPECT_EQ(0, status.stop);
	EXPECT_EQ(0, status.counters);
	EXPECT_LT(0, status.nr_tasks);
	ASSERT_EQ(0, dev_flip(fd, &flip));
	EXPECT_EQ(status.epoch, flip.epoch);
	EXPECT_EQ(flip.epoch + 1, dev_status(fd).epoch);
	EXPECT_LE(start, flip.time);
	ASSERT_EQ(0, dev_stop(fd, &stop));
	status = dev_status(fd);
	EXPECT_EQ(WALLPROF_SESSION_STOPPED, status.state);
	EXPECT_EQ(start, status.start);
	EXPECT_EQ(stop, status.stop);
	EXPECT_LE(flip.time, stop);
	EXPECT_LE(stop, now_ns());
}

TEST(targets_that_are_gone)
{
	struct wallprof_configure c = dev_config();
	__u64 ns = SEC;
	__u32 pid = child_of(load_naps, &ns);
	int fd = dev_open();

	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	child_end(pid);
	EXPECT_EQ(-ESRCH, dev_start(fd, NULL));
	EXPECT_EQ(WALLPROF_SESSION_CONFIGURED, dev_status(fd).state);
	EXPECT_EQ(-ESRCH, dev_start(fd, NULL));
}

static void *pauses(void *arg)
{
	nap_ns(1000 * SEC);
	return arg;
}

static void many_threads(void *arg)
{
	pthread_t thread;

	for (int i = 0; i < 100; i++)
		pthread_create(&thread, NULL, pauses, NULL);
	if (write(*(int *)arg, "", 1) == 1)
		pauses(NULL);
}

TEST(targets_that_do_not_fit)
{
	struct wallprof_configure c = dev_config();
	int ready[2], fd = dev_open();
	__u32 pid;
	char byte;

	ASSERT_EQ(0, pipe(ready));
	pid = child_of(many_threads, &ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	c.flags |= WALLPROF_INHERIT;
	c.nr_tasks = WALLPROF_MIN_TASKS;
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	EXPECT_EQ(-ENOSPC, dev_start(fd, NULL));
	/* As if it had not been called; twice. */
	for (int i = 0; i < 2; i++) {
		struct wallprof_status status = dev_status(fd);

		EXPECT_EQ(WALLPROF_SESSION_CONFIGURED, status.state);
		EXPECT_EQ(0, status.nr_tasks);
		EXPECT_EQ(0, status.nr_live_targets);
		EXPECT_EQ(0, status.tasks_failed);
		EXPECT_EQ(0, status.start);
		EXPECT_EQ(0, status.lost[WALLPROF_LOSS_NO_TASK].count);
		EXPECT_EQ(0, status.lost[WALLPROF_LOSS_NO_TASK].ns);
		EXPECT_EQ(-ENOSPC, dev_start(fd, NULL));
	}
	close(fd);

	/* Of everything, what does not fit is counted. */
	c = dev_config();
	c.nr_tasks = WALLPROF_MIN_TASKS;
	fd = dev_open();
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	EXPECT_EQ(0, dev_start(fd, NULL));
	EXPECT_LE(100 - WALLPROF_MIN_TASKS, (long)dev_status(fd).tasks_failed);
	child_end(pid);
}

/* Who may open. Each runs in a process of its own, for good. */
TEST(open_needs_a_capability)
{
	ASSERT_EQ(0, keep_caps(0));
	EXPECT_EQ(-EPERM, dev_open());
}

TEST(open_is_refused_with_all_others)
{
	ASSERT_EQ(0, keep_caps(((1ULL << (CAP_LAST_CAP + 1)) - 1) & ~CAP(PERFMON) &
			       ~CAP(SYS_ADMIN)));
	EXPECT_EQ(-EPERM, dev_open());
}

TEST(open_with_perfmon_alone)
{
	if (!has_perfmon())
		SKIP(return, "no CAP_PERFMON");
	ASSERT_EQ(0, keep_caps(CAP(PERFMON)));
	EXPECT_LE(0, dev_open());
}

TEST(open_with_sys_admin_alone)
{
	ASSERT_EQ(0, keep_caps(CAP(SYS_ADMIN)));
	EXPECT_LE(0, dev_open());
}

TEST(open_as_a_user)
{
	ASSERT_EQ(0, setresuid(1000, 1000, 1000));
	EXPECT_GT(0, dev_open());
}

TEST_HARNESS_MAIN
