/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk over the records of all CPUs in order of time, which takes nothing from the
 * rings. For rings that are overwritten, while they are. See ringwalk.c.
 *
 *	wp_ringwalk_open(&walk, dev)		behind what there is
 *	each round:
 *		wp_ringwalk_refresh(&walk)	how far the rings are now
 *		wp_ringwalk_run(&walk, upto, fn, ctx)
 *	wp_ringwalk_close(&walk)
 *
 * or, of what is left in the rings when it is to be kept:
 *
 *	wp_ringwalk_freeze(&walk, dev, copy)
 *	wp_ringwalk_run(&walk, upto, fn, ctx)
 *	wp_ringwalk_close(&walk)
 */
#ifndef WP_LIB_DEVICE_RINGWALK_H
#define WP_LIB_DEVICE_RINGWALK_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

struct wp_device;

/* Records that are copied at a time; half of the smallest ring. */
#define WP_RINGWALK_CHUNK	32

/**
 * struct wp_ringwalk_cpu - where the walk is on a CPU
 * @cpu: the CPU
 * @records: its ring's records
 * @next: the next one to copy
 * @end: and so far
 * @first: of a frozen walk, the time of the first record, if older ones are gone; or 0
 * @nr: records in @chunk
 * @at: the next of them
 * @chunk: copies
 */
struct wp_ringwalk_cpu {
	__u32 cpu;
	const char *records;
	__u64 next;
	__u64 end;
	__u64 first;
	unsigned int nr;
	unsigned int at;
	struct wallprof_record chunk[WP_RINGWALK_CHUNK];
};

/**
 * struct wp_ringwalk - a walk
 * @dev: the session
 * @cpus: those that have a ring
 * @nr_cpus: how many
 * @heap: those of them that have a record, the earliest one's first
 * @nr_heap: how many
 * @live: the rings are being written
 * @memory: of a copy
 * @missed: records that were overwritten before the walk came to them
 * @burst: the most records that a ring got between two rounds
 */
struct wp_ringwalk {
	const struct wp_device *dev;
	struct wp_ringwalk_cpu *cpus;
	__u32 nr_cpus;
	struct wp_ringwalk_cpu **heap;
	__u32 nr_heap;
	bool live;
	char *memory;
	__u64 missed;
	__u64 burst;
};

/* Takes a record of a CPU. A return other than 0 ends the walk, and is returned. */
typedef int (*wp_ringwalk_fn)(void *ctx, __u32 cpu, const struct wallprof_record *record);

int wp_ringwalk_open(struct wp_ringwalk *walk, const struct wp_device *dev);
int wp_ringwalk_freeze(struct wp_ringwalk *walk, const struct wp_device *dev, bool copy);
void wp_ringwalk_refresh(struct wp_ringwalk *walk);
int wp_ringwalk_run(struct wp_ringwalk *walk, __u64 upto, wp_ringwalk_fn fn, void *ctx);
__u64 wp_ringwalk_begin(const struct wp_ringwalk *walk);
void wp_ringwalk_close(struct wp_ringwalk *walk);

__u64 wp_ringwalk_horizon(const struct wp_device *dev);

#endif /* WP_LIB_DEVICE_RINGWALK_H */
