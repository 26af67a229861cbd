// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how the module's rings are read: heads, tails, and the records between. Called
 * by the sched commands, from one thread. Documentation/abi.rst tells the protocol.
 */
#include <string.h>

#include "lib/device.h"
#include "lib/rings.h"

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

static int drain_ring(struct wp_device *dev, __u32 cpu, wp_ring_fn fn, void *ctx)
{
	/* Pairs with the module's release store: the records are there. */
	__u64 head = __atomic_load_n(&head_of(dev, cpu)->head, __ATOMIC_ACQUIRE);
	__u64 tail = dev->tails[cpu].tail;
	struct wallprof_record record;
	int err = 0;

	/* Of a ring that is overwritten the last ones are left. */
	if (head - tail > dev->conf.nr_records)
		tail = head - dev->conf.nr_records;
	for (; tail != head && !err; tail++) {
		memcpy(&record, record_of(dev, cpu, tail), sizeof(record));
		if (record.type < WALLPROF_RECORD_MAX)
			err = fn(ctx, cpu, &record);
	}
	/* Pairs with the module's load of the tail: the places were read. */
	__atomic_store_n(&dev->tails[cpu].tail, tail, __ATOMIC_RELEASE);
	return err;
}

/**
 * wp_rings_drain() - take what the rings hold
 * @dev: the session, mapped, with TIMELINE
 * @fn: called for each record, of one CPU after another, of each in order of time
 * @ctx: handed to it
 *
 * A ring that is overwritten may be read after STOP only.
 *
 * Return: 0, or what @fn returned.
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
 * wp_rings_open_gaps() - tell of what was lost at the end
 * @dev: the session, stopped and drained
 * @fn: called for each CPU where nothing came behind a loss, with the record that
 *	would have told of it
 * @ctx: handed to it
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
		err = fn(ctx, cpu, &record);
	}
	return err;
}
