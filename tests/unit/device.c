// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what the reader does with a mapping: it reads what is there, and
 * nothing beyond it, whatever the mapping says. The mapping is a file's.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/device/device.h"
#include "tap.h"

#define PAGE	4096
#define CPUS	2

/* Of a module whose structs have grown since. */
#define AGGR_BYTES	(sizeof(struct wallprof_aggr) + 8)
#define TASK_BYTES	(sizeof(struct wallprof_task) + 16)
#define WAIT_BYTES	(sizeof(struct wallprof_wait) + 24)
#define STACKS		3072
#define WAITS		(PAGE + 1024)
#define HIST_BYTES	(sizeof(struct wallprof_hist) + 8)
#define HISTS		(3 * PAGE + 64)
#define RECORD_BYTES	(sizeof(struct wallprof_record) + 8)
#define HALF		(5 * PAGE)
#define CPU_STRIDE	(16 * PAGE)

static struct wp_device fresh(int fd)
{
	struct wp_device dev = {
		.fd = fd,
		.info = { .nr_cpus = CPUS, .page_size = PAGE },
		.conf = {
			.flags = WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_HISTOGRAMS,
			.nr_aggrs = 16, .stack_words = 256, .nr_exits = 16, .nr_tasks = 64,
			.tasks_offset = 0,
			.cpus_offset = 4 * PAGE,
			.half_stride = HALF,
			.sampler_offset = 2 * HALF,
			.sampler_half_stride = 3 * PAGE,
			.cpu_stride = CPU_STRIDE,
			.aggrs_offset = 1024,
			.stacks_offset = STACKS,
			.exits_offset = 2 * PAGE,
			.nr_waits = 16, .wait_bytes = WAIT_BYTES, .waits_offset = WAITS,
			.hist_bytes = HIST_BYTES, .hists_offset = HISTS,
			.map_bytes = 4 * PAGE + CPUS * CPU_STRIDE,
			.aggr_bytes = AGGR_BYTES,
			.task_bytes = TASK_BYTES,
			.record_bytes = RECORD_BYTES,
		},
	};

	return dev;
}

static void test_layout(int fd)
{
	static const struct {
		const char *what;
		size_t field;
		__u64 value;
	} bad[] = {
#define F(name) offsetof(struct wallprof_configure, name)
		{ "a table of threads beyond the mapping", F(tasks_offset), 35 * PAGE },
		{ "CPUs beyond the mapping", F(cpus_offset), 5 * PAGE },
		{ "CPUs before zero", F(cpus_offset), -8ULL },
		{ "a stride that overflows", F(cpu_stride), 1ULL << 63 },
		{ "halves beyond the CPU", F(half_stride), 9 * PAGE },
		{ "a half that overflows", F(half_stride), -8ULL },
		{ "halves of the sampler beyond the CPU", F(sampler_half_stride), 4 * PAGE },
		{ "a sampler beyond the CPU", F(sampler_offset), 17 * PAGE },
		{ "aggregates over the head", F(aggrs_offset), 8 },
		{ "aggregates beyond the half", F(aggrs_offset), HALF },
		{ "stacks beyond the half", F(stacks_offset), HALF - 8 },
		{ "ended threads beyond the half", F(exits_offset), HALF - 8 },
		{ "single intervals beyond the half", F(waits_offset), HALF - 8 },
		{ "single intervals that are not aligned", F(waits_offset), WAITS + 4 },
		{ "histograms beyond the half", F(hists_offset), HALF - 8 },
		{ "histograms that are not aligned", F(hists_offset), HISTS + 4 },
		{ "an offset that is not aligned", F(stacks_offset), STACKS + 1 },
		{ "tables that have grown beyond the half", F(growth), 4 },
		{ "tables that grow without a limit", F(growth), WALLPROF_MAX_GROWTH + 1 },
		{ "tables that grow beyond all numbers", F(growth), 0xffffffff },
#undef F
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wp_device dev = fresh(fd);

		memcpy((char *)&dev.conf + bad[i].field, &bad[i].value, sizeof(bad[i].value));
		ok(wp_device_map(&dev) < 0 && !dev.map, "%s", bad[i].what);
	}
}

/* Rings alone: there are no tables then. */
static void test_rings(int fd)
{
	static const struct {
		const char *what;
		size_t field;
		__u64 value;
	} bad[] = {
#define F(name) offsetof(struct wallprof_configure, name)
		{ "rings beyond the mapping", F(rings_offset), 33 * PAGE },
		{ "rings before zero", F(rings_offset), -8ULL },
		{ "rings that are not aligned", F(rings_offset), 4 * PAGE + 4 },
		{ "rings smaller than their records", F(ring_stride), PAGE },
		{ "rings as large as memory", F(ring_stride), 1ULL << 63 },
		{ "tails beyond the mapping", F(tails_offset), 36 * PAGE },
		{ "tails that are not aligned", F(tails_offset), 12 * PAGE + 8 },
		{ "tails before zero", F(tails_offset), -4096ULL },
#undef F
	};
	struct wp_device dev = fresh(fd);
	unsigned int i;

	dev.conf.flags = WALLPROF_TIMELINE;
	dev.conf.cpu_stride = 0;
	dev.conf.sampler_offset = 0;
	dev.conf.aggrs_offset = 0;
	dev.conf.nr_records = 64;
	dev.conf.rings_offset = 4 * PAGE;
	dev.conf.ring_stride = 2 * PAGE;
	dev.conf.tails_offset = 12 * PAGE;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wp_device other = dev;

		memcpy((char *)&other.conf + bad[i].field, &bad[i].value,
		       sizeof(bad[i].value));
		ok(wp_device_map(&other) < 0 && !other.map && !other.tails, "%s", bad[i].what);
	}
	dev.conf.record_bytes = sizeof(struct wallprof_record) - 8;
	ok(wp_device_map(&dev) < 0, "records smaller than ours");
	dev.conf.record_bytes = RECORD_BYTES;
	ok(!wp_device_map(&dev) && dev.tails, "rings, and no tables");
	dev.fd = -1;
	wp_device_close(&dev);
}

static void test_strides(int fd)
{
	static const struct {
		const char *what;
		__u32 aggr_bytes, task_bytes, wait_bytes, hist_bytes;
	} bad[] = {
		{ "sums smaller than ours", sizeof(struct wallprof_aggr) - 8, TASK_BYTES },
		{ "threads smaller than ours", AGGR_BYTES, sizeof(struct wallprof_task) - 8 },
		{ "no sizes, as of a module that does not report them", 0, 0 },
		{ "sums that are not aligned", AGGR_BYTES + 4, TASK_BYTES },
		{ "threads that are not aligned", AGGR_BYTES, TASK_BYTES + 4 },
		{ "sums so large that they go beyond the half", 2 * PAGE, TASK_BYTES },
		{ "threads so large that they go beyond the mapping", AGGR_BYTES, 1U << 31 },
		{ "waits smaller than ours", AGGR_BYTES, TASK_BYTES,
		  sizeof(struct wallprof_wait) - 8 },
		{ "waits that are not aligned", AGGR_BYTES, TASK_BYTES, WAIT_BYTES + 4 },
		{ "waits so large that they go beyond the half", AGGR_BYTES, TASK_BYTES,
		  1U << 31 },
		{ "histograms smaller than ours", AGGR_BYTES, TASK_BYTES, WAIT_BYTES,
		  sizeof(struct wallprof_hist) - 8 },
		{ "histograms that are not aligned", AGGR_BYTES, TASK_BYTES, WAIT_BYTES,
		  HIST_BYTES + 4 },
		{ "histograms so large that they go beyond the half", AGGR_BYTES, TASK_BYTES,
		  WAIT_BYTES, 1U << 31 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wp_device dev = fresh(fd);

		dev.conf.aggr_bytes = bad[i].aggr_bytes;
		dev.conf.task_bytes = bad[i].task_bytes;
		if (bad[i].wait_bytes)
			dev.conf.wait_bytes = bad[i].wait_bytes;
		if (bad[i].hist_bytes)
			dev.conf.hist_bytes = bad[i].hist_bytes;
		ok(wp_device_map(&dev) < 0 && !dev.map, "%s", bad[i].what);
	}
}

static void test_half(int fd)
{
	struct {
		struct wallprof_half head;
		char gap[1024 - sizeof(struct wallprof_half)];
	} head = { .head = { .epoch = 7, .cpu = 1, .nr_aggrs = 1000000, .stack_words = 9,
			     .nr_exits = 17, .nr_waits = 17 } };
	__u64 words[9] = { 0, 2, 0x10, 0x20, 1, 0x30, 3, 0, 0 };
	struct wp_device dev = fresh(fd);
	struct wallprof_aggr aggr = { .tid = 15 };
	struct wallprof_task exited = { .tid = 12 }, task = { .tid = 63 };
	struct wallprof_wait wait = { .tid = 14 };
	struct wallprof_hist hist = { .runnable = { [31] = 13 } };
	struct wp_half half;
	off_t base;
	__u32 pos = 0;
	__u64 id;
	const struct wallprof_stack *stack;

	/* CPU 1, the scheduler's half of epoch 7. Stack headers are one word. */
	base = 4 * PAGE + CPU_STRIDE + HALF;
	if (pwrite(fd, &head, sizeof(head), base) < 0 ||
	    pwrite(fd, words, sizeof(words), base + STACKS) < 0 ||
	    pwrite(fd, &aggr, sizeof(aggr), base + 1024 + 15 * AGGR_BYTES) < 0 ||
	    pwrite(fd, &exited, sizeof(exited), base + 2 * PAGE + 12 * TASK_BYTES) < 0 ||
	    pwrite(fd, &wait, sizeof(wait), base + WAITS + 14 * WAIT_BYTES) < 0 ||
	    pwrite(fd, &hist, sizeof(hist), base + HISTS + 13 * HIST_BYTES) < 0 ||
	    pwrite(fd, &task, sizeof(task), 63 * TASK_BYTES) < 0)
		exit(2);
	ok(!wp_device_map(&dev), "the mapping");
	ok(!wp_device_half(&dev, 0, WP_CONTEXT_SCHED, 7, &half), "a half of another epoch is empty");
	ok(!wp_device_half(&dev, 1, WP_CONTEXT_SCHED, 5, &half), "so is one of an earlier one");
	ok(wp_device_half(&dev, 1, WP_CONTEXT_SCHED, 7, &half), "the half of the epoch");
	ok(half.nr_aggrs == 16 && half.nr_exits == 16 && half.nr_waits == 16 &&
	   half.nr_words == 9,
	   "has no more entries than its tables");
	stack = wp_half_stack(&half, &pos, &id);
	ok(stack && stack->nr == 2 && stack->ips[1] == 0x20 &&
	   WALLPROF_STACK_EPOCH(id) == 7 && WALLPROF_STACK_CPU(id) == 1 &&
	   WALLPROF_STACK_CONTEXT(id) == 0 && WALLPROF_STACK_INDEX(id) == 1, "the first stack");
	stack = wp_half_stack(&half, &pos, &id);
	ok(stack && stack->nr == 1 && stack->ips[0] == 0x30 && WALLPROF_STACK_INDEX(id) == 4,
	   "the second stack");
	ok(!wp_half_stack(&half, &pos, &id), "a stack longer than its half ends the walk");
	words[1] = WALLPROF_MAX_STACK + 1;
	if (pwrite(fd, words, sizeof(words), base + STACKS) < 0)
		exit(2);
	half.nr_words = 256;
	pos = 0;
	ok(!wp_half_stack(&half, &pos, &id), "so does one longer than any");
	ok(wp_half_aggr(&half, 15)->tid == 15 && wp_half_exit(&half, 12)->tid == 12 &&
	   wp_half_wait(&half, 14)->tid == 14 && wp_device_task(&dev, 63)->tid == 63 &&
	   wp_half_hist(&half, 13)->runnable[31] == 13,
	   "entries are found by the module's sizes");
	dev.fd = -1;
	wp_device_close(&dev);

	dev = fresh(fd);
	dev.conf.flags = WALLPROF_OFFCPU;
	dev.conf.hist_bytes = 0;
	dev.conf.hists_offset = 0;
	dev.conf.sampler_offset = dev.conf.cpu_stride;
	dev.conf.sampler_half_stride = 0;
	ok(!wp_device_map(&dev) && !wp_device_half(&dev, 1, WP_CONTEXT_SAMPLER, 7, &half),
	   "no sampler, no half of it");
	ok(wp_device_half(&dev, 1, WP_CONTEXT_SCHED, 7, &half) && !wp_half_hist(&half, 0),
	   "nor histograms that were not asked for");
	dev.fd = -1;
	wp_device_close(&dev);

	dev = fresh(fd);
	dev.conf.flags = WALLPROF_SAMPLER;
	dev.conf.hist_bytes = 0;
	dev.conf.hists_offset = 0;
	dev.conf.sampler_offset = 0;
	dev.conf.half_stride = 0;
	dev.conf.exits_offset = 0;
	dev.conf.waits_offset = 0;
	dev.conf.nr_waits = 0;
	ok(!wp_device_map(&dev) && !wp_device_half(&dev, 1, WP_CONTEXT_SCHED, 7, &half),
	   "no off-CPU time, no half of it");
	dev.fd = -1;
	wp_device_close(&dev);
}

int main(void)
{
	char path[] = "/tmp/wallprof-device.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || ftruncate(fd, 4 * PAGE + CPUS * CPU_STRIDE))
		return 2;
	unlink(path);
	wp_set_verbosity(WP_SILENT);
	test_layout(fd);
	test_rings(fd);
	test_strides(fd);
	test_half(fd);
	close(fd);
	return done();
}
