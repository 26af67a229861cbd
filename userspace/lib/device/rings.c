// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the reading of the module's rings: heads, tails, and the records between. Called
 * by the sched commands, from one thread. Documentation/abi.rst describes the protocol.
 */
#include <stdbool.h>
#include <string.h>

#include "lib/device/device.h"
#include "lib/device/rings.h"

static const char *ring_of(const struct wp_device *dev, __u32 cpu)
{
	return dev->map + dev->conf.rings_offset + dev->conf.ring_stride * cpu;
}

static const struct wallprof_ring *head_of(const struct wp_device *dev, __u32 cpu)
{
	return (const struct wallprof_ring *)ring_of(dev, cpu);
}

static const struct wallprof_record *record_of(const struct wp_device *dev, __u32 cpu,
					       __u64 nr)
{
	__u64 place = nr & (dev->conf.nr_records - 1);

	return (const void *)(ring_of(dev, cpu) + dev->info.page_size +
			      place * dev->conf.record_bytes);
}

/*
 * Read a record of stacks that belongs to the one before it. Returns whether there is
 * one.
 */
static bool read_stacks(const struct wp_device *dev, __u32 cpu, __u64 nr, __u64 head,
			const struct wallprof_record *of, struct wallprof_record *stacks)
{
	if (of->type != WALLPROF_RECORD_SWITCH || nr == head)
		return false;
	memcpy(stacks, record_of(dev, cpu, nr), sizeof(*stacks));
	return stacks->type == WALLPROF_RECORD_STACKS;
}

static int drain_ring(struct wp_device *dev, __u32 cpu, wp_ring_fn fn, void *ctx)
{
	/* Pairs with the module's release store: the records are visible. */
	__u64 head = __atomic_load_n(&head_of(dev, cpu)->head, __ATOMIC_ACQUIRE);
	__u64 tail = dev->tails[cpu].tail;
	struct wallprof_record record, stacks;
	int err = 0;

	/* In overwrite mode the last records are left. */
	if (head - tail > dev->conf.nr_records)
		tail = head - dev->conf.nr_records;
	while (tail != head && !err) {
		bool has_stacks;

		memcpy(&record, record_of(dev, cpu, tail), sizeof(record));
		has_stacks = read_stacks(dev, cpu, tail + 1, head, &record, &stacks);
		if (record.type < WALLPROF_RECORD_MAX && record.type != WALLPROF_RECORD_STACKS)
			err = fn(ctx, cpu, &record, has_stacks ? &stacks : NULL);
		if (err != WP_RING_LATER)
			tail += 1 + has_stacks;
	}
	/* Pairs with the module's load of the tail: the records have been read. */
	__atomic_store_n(&dev->tails[cpu].tail, tail, __ATOMIC_RELEASE);
	return err == WP_RING_LATER ? 0 : err;
}

/**
 * wp_rings_drain() - read and consume the records of the rings
 * @dev: the session, mapped, with TIMELINE
 * @fn: called for each record, CPU by CPU, for each in order of time
 * @ctx: passed to @fn
 *
 * In overwrite mode, rings may be read after STOP only.
 *
 * Return: 0 or a negative errno of @fn's.
 */
int wp_rings_drain(struct wp_device *dev, wp_ring_fn fn, void *ctx)
{
	__u32 cpu;
	int err = 0;

	for (cpu = 0; cpu < dev->info.nr_cpus && !err; cpu++) {
		if (wp_device_has_cpu(dev, cpu))
			err = drain_ring(dev, cpu, fn, ctx);
	}
	return err;
}

/**
 * wp_rings_open_gaps() - report losses at the end of the rings
 * @dev: the session, stopped and drained
 * @fn: called for each CPU without a record after a loss, with the record that would have
 *	reported it
 * @ctx: passed to @fn
 *
 * Return: 0, or what @fn returned.
 */
int wp_rings_open_gaps(const struct wp_device *dev, wp_ring_fn fn, void *ctx)
{
	__u32 cpu;
	int err = 0;

	for (cpu = 0; cpu < dev->info.nr_cpus && !err; cpu++) {
		const struct wallprof_ring *head = head_of(dev, cpu);
		struct wallprof_record record = { .type = WALLPROF_RECORD_LOST };

		if (!wp_device_has_cpu(dev, cpu) || !head->open)
			continue;
		record.time = head->open_since;
		record.lost = head->open;
		err = fn(ctx, cpu, &record, NULL);
	}
	return err;
}
