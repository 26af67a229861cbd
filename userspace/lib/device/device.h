/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/wallprof: a session with the module. See device.c.
 */
#ifndef WP_LIB_DEVICE_DEVICE_H
#define WP_LIB_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>
#include <linux/wallprof_interp.h>

#include "lib/base/cpumask.h"

#define WP_CONTEXT_SCHED	0
#define WP_CONTEXT_SAMPLER	1
#define WP_CONTEXTS		2

/**
 * struct wp_device - a session
 * @fd: the device, or -1
 * @info: capabilities of the module
 * @conf: the configuration, and the layout of the mapping
 * @map: the mapping, or NULL
 * @map_bytes: its size
 * @tails: tails of the rings, by CPU, mapped for writing; NULL without rings
 * @tails_bytes: size of this mapping
 * @possible: possible CPUs: the mapping has no data of others
 * @has_possible: they are known; if not, all below info.nr_cpus
 */
struct wp_device {
	int fd;
	struct wallprof_info info;
	struct wallprof_configure conf;
	const char *map;
	size_t map_bytes;
	struct wallprof_tail *tails;
	size_t tails_bytes;
	struct wp_cpumask possible;
	bool has_possible;
};

/**
 * struct wp_half - a retired half, checked to lie within the mapping
 * @head: its head
 * @aggrs: aggregates: see wp_half_aggr()
 * @aggr_bytes: distance of two
 * @nr_aggrs: their number
 * @words: stack words
 * @nr_words: their number
 * @exits: ended threads: see wp_half_exit()
 * @task_bytes: distance of two
 * @nr_exits: their number
 * @waits: single intervals: see wp_half_wait()
 * @wait_bytes: distance of two
 * @nr_waits: their number
 * @hists: histograms of the aggregates: see wp_half_hist(); NULL without
 * @hist_bytes: distance of two
 * @cpu: the CPU
 * @context: WP_CONTEXT_SCHED or WP_CONTEXT_SAMPLER
 */
struct wp_half {
	const struct wallprof_half *head;
	const char *aggrs;
	__u32 aggr_bytes;
	__u32 nr_aggrs;
	const __u64 *words;
	__u32 nr_words;
	const char *exits;
	__u32 task_bytes;
	__u32 nr_exits;
	const char *waits;
	__u32 wait_bytes;
	__u32 nr_waits;
	const char *hists;
	__u32 hist_bytes;
	__u32 cpu;
	__u32 context;
};

/* Whether the mapping has data of a CPU. */
static inline bool wp_device_has_cpu(const struct wp_device *dev, __u32 cpu)
{
	return cpu < dev->info.nr_cpus &&
	       (!dev->has_possible || wp_cpumask_has(&dev->possible, cpu));
}

int wp_device_open(struct wp_device *dev);
void wp_device_close(struct wp_device *dev);
int wp_device_configure(struct wp_device *dev, const struct wallprof_configure *conf);
int wp_device_map(struct wp_device *dev);
int wp_device_event(const struct wp_device *dev, struct wallprof_event *event);
int wp_device_count(const struct wp_device *dev, __u32 nr, struct wallprof_count *count);
int wp_device_read(const struct wp_device *dev, struct wallprof_read *read);
int wp_device_start(struct wp_device *dev, __u64 *time);
int wp_device_flip(struct wp_device *dev, __u32 *epoch, __u64 *time);
int wp_device_stop(struct wp_device *dev, __u64 *time);
int wp_device_status(struct wp_device *dev, struct wallprof_status *status);
int wp_device_push(const struct wp_device *dev, const void *table, size_t size, __u32 flags,
		   __u32 *id);
int wp_device_maps(const struct wp_device *dev, __u32 pid, __u64 start_stack,
		   const struct wallprof_map *maps, __u32 nr,
		   const struct wallprof_interp *interp);
int wp_device_snapshot(const struct wp_device *dev, __u32 *tid, void *to, __u32 *bytes);

bool wp_device_half(const struct wp_device *dev, __u32 cpu, __u32 context, __u32 epoch,
		    struct wp_half *half);
const struct wallprof_stack *wp_half_stack(const struct wp_half *half, __u32 *pos, __u64 *id);
const struct wallprof_task *wp_device_task(const struct wp_device *dev, __u32 i);

/* The module's structs may have grown: it reports their distance. */
static inline const struct wallprof_aggr *wp_half_aggr(const struct wp_half *half, __u32 i)
{
	return (const struct wallprof_aggr *)(half->aggrs + (size_t)half->aggr_bytes * i);
}

/* Id of an aggregate in wallprof_aggr.waker_aggr. */
static inline __u64 wp_half_aggr_id(const struct wp_half *half, __u32 i)
{
	return (__u64)half->head->epoch << 36 | (__u64)half->cpu << 22 |
	       (__u64)half->context << 21 | i;
}

static inline __u64 wp_half_wait_id(const struct wp_half *half, __u32 i)
{
	return wp_half_aggr_id(half, WALLPROF_INDEX_IS_WAIT | i);
}

static inline const struct wallprof_task *wp_half_exit(const struct wp_half *half, __u32 i)
{
	return (const struct wallprof_task *)(half->exits + (size_t)half->task_bytes * i);
}

static inline const struct wallprof_wait *wp_half_wait(const struct wp_half *half, __u32 i)
{
	return (const struct wallprof_wait *)(half->waits + (size_t)half->wait_bytes * i);
}

/* Histogram of the aggregate with the same number; NULL without WALLPROF_HISTOGRAMS. */
static inline const struct wallprof_hist *wp_half_hist(const struct wp_half *half, __u32 i)
{
	return half->hists ? (const struct wallprof_hist *)(half->hists +
							   (size_t)half->hist_bytes * i) : NULL;
}

const char *wp_loss_name(unsigned int loss);
const char *wp_unwind_name(unsigned int unwind);

#endif /* WP_LIB_DEVICE_DEVICE_H */
