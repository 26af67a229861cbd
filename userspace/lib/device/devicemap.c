// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of a session, mapped: nothing is read of them unless all of it lies within the
 * mapping, whatever the module says.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/err.h"
#include "lib/device/device.h"

/* Whether [at, at + bytes) lies within [0, limit). */
static bool fits(__u64 at, __u64 bytes, __u64 limit)
{
	return at <= limit && bytes <= limit - at;
}

/* Whether a table of so many entries, when it has grown, lies within a half of this size. */
static bool table_fits(const struct wallprof_configure *c, __u64 at, __u64 nr, __u64 bytes,
		       __u64 half)
{
	return fits(at, (nr << c->growth) * bytes, half);
}

/* Whether the tables of both contexts lie within a half of this size. */
static bool tables_fit(const struct wallprof_configure *c, __u64 half)
{
	return table_fits(c, c->aggrs_offset, c->nr_aggrs, c->aggr_bytes, half) &&
	       table_fits(c, c->stacks_offset, c->stack_words, sizeof(__u64), half);
}

/* Whether the rings and their tails lie within the mapping. */
static bool rings_fit(const struct wp_device *dev)
{
	const struct wallprof_configure *c = &dev->conf;
	__u64 page = dev->info.page_size, nr = dev->info.nr_cpus;

	if (!(c->flags & WALLPROF_TIMELINE))
		return true;
	return !((c->rings_offset | c->ring_stride | c->record_bytes) % sizeof(__u64)) &&
	       !(c->tails_offset % page) &&
	       fits(page, (__u64)c->nr_records * c->record_bytes, c->ring_stride) &&
	       c->ring_stride <= c->map_bytes &&
	       fits(c->rings_offset, c->ring_stride * nr, c->map_bytes) &&
	       fits(c->tails_offset, sizeof(struct wallprof_tail) * nr, c->map_bytes);
}

/* Whether every table lies within the mapping. */
static bool layout_ok(const struct wp_device *dev)
{
	const struct wallprof_configure *c = &dev->conf;
	__u64 sched = c->half_stride, sampler = c->sampler_half_stride;

	if ((c->tasks_offset | c->cpus_offset | c->cpu_stride | c->sampler_offset |
	     c->half_stride | c->sampler_half_stride | c->aggrs_offset | c->stacks_offset |
	     c->exits_offset | c->waits_offset | c->aggr_bytes | c->task_bytes |
	     c->wait_bytes | c->hists_offset | c->hist_bytes) % sizeof(__u64))
		return false;
	if (c->growth > WALLPROF_MAX_GROWTH)
		return false;
	if (!fits(c->tasks_offset, (__u64)c->nr_tasks * c->task_bytes, c->map_bytes))
		return false;
	if (c->cpu_stride > c->map_bytes ||
	    !fits(c->cpus_offset, c->cpu_stride * dev->info.nr_cpus, c->map_bytes))
		return false;
	if (c->flags & (WALLPROF_OFFCPU | WALLPROF_SAMPLER) &&
	    !fits(0, sizeof(struct wallprof_half), c->aggrs_offset))
		return false;
	if (!rings_fit(dev))
		return false;
	if (c->flags & WALLPROF_OFFCPU &&
	    (sched > c->cpu_stride || !fits(0, sched * 2, c->cpu_stride) ||
	     !tables_fit(c, sched) ||
	     !table_fits(c, c->exits_offset, c->nr_exits, c->task_bytes, sched) ||
	     !table_fits(c, c->waits_offset, c->nr_waits, c->wait_bytes, sched) ||
	     !table_fits(c, c->hists_offset, c->nr_aggrs, c->hist_bytes, sched)))
		return false;
	if (c->flags & WALLPROF_SAMPLER &&
	    (sampler > c->cpu_stride || !fits(c->sampler_offset, sampler * 2, c->cpu_stride) ||
	     !tables_fit(c, sampler)))
		return false;
	return true;
}

/* Map the tails of the rings, which the reader writes. */
static int map_tails(struct wp_device *dev)
{
	size_t bytes = dev->conf.map_bytes - dev->conf.tails_offset;
	void *map;
	int err;

	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd,
		   dev->conf.tails_offset);
	if (map == MAP_FAILED) {
		err = errno;
		wp_err("could not map the tails of the rings of %s: %s", WALLPROF_DEVICE,
		       strerror(err));
		return -err;
	}
	dev->tails = map;
	dev->tails_bytes = bytes;
	return 0;
}

/**
 * wp_device_map() - map the tables, read-only, and the tails of the rings
 * @dev: the session, configured
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_device_map(struct wp_device *dev)
{
	size_t hist_bytes = dev->conf.flags & WALLPROF_HISTOGRAMS ?
			    sizeof(struct wallprof_hist) : 0;
	void *map;

	if (dev->conf.aggr_bytes < sizeof(struct wallprof_aggr) ||
	    dev->conf.task_bytes < sizeof(struct wallprof_task) ||
	    dev->conf.wait_bytes < sizeof(struct wallprof_wait) ||
	    dev->conf.record_bytes < sizeof(struct wallprof_record) ||
	    dev->conf.hist_bytes < hist_bytes) {
		wp_err("%s: the module's sums, threads, waits, histograms and records have %u, %u, %u, %u and %u bytes, this wallprof knows %zu, %zu, %zu, %zu and %zu: they are not of one version",
		       WALLPROF_DEVICE, dev->conf.aggr_bytes, dev->conf.task_bytes,
		       dev->conf.wait_bytes, dev->conf.hist_bytes, dev->conf.record_bytes,
		       sizeof(struct wallprof_aggr), sizeof(struct wallprof_task),
		       sizeof(struct wallprof_wait), hist_bytes,
		       sizeof(struct wallprof_record));
		return -EPROTO;
	}
	if (!layout_ok(dev) || dev->conf.map_bytes != (size_t)dev->conf.map_bytes) {
		wp_err("%s: the layout of the tables makes no sense", WALLPROF_DEVICE);
		return -EPROTO;
	}
	map = mmap(NULL, dev->conf.map_bytes, PROT_READ, MAP_SHARED, dev->fd, 0);
	if (map == MAP_FAILED) {
		int err = errno;

		wp_err("could not map the tables of %s (%llu bytes): %s", WALLPROF_DEVICE,
		       (unsigned long long)dev->conf.map_bytes, strerror(err));
		return -err;
	}
	dev->map = map;
	dev->map_bytes = dev->conf.map_bytes;
	return dev->conf.flags & WALLPROF_TIMELINE ? map_tails(dev) : 0;
}
