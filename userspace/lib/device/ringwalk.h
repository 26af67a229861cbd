/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Iteration over the records of all CPUs in order of time, without consuming them. For
 * rings in overwrite mode, while they are written. See ringwalk.c.
 *
 *	wp_ringwalk_open(&walk, dev)		after the current contents
 *	each round:
 *		wp_ringwalk_refresh(&walk)	reads the current heads
 *		wp_ringwalk_run(&walk, upto, fn, ctx)
 *	wp_ringwalk_close(&walk)
 *
 * or, to keep the current contents of the rings:
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

/* Number of records copied at a time; half of the smallest ring. */
#define WP_RINGWALK_CHUNK	32

/**
 * struct wp_ringwalk_cpu - position of a walk on a CPU
 * @cpu: the CPU
 * @records: its ring's records
 * @next: the next one to copy
 * @end: end of those to copy
 * @first: of a frozen walk, time of the first record, if older ones are gone; or 0
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
 * @cpus: CPUs that have a ring
 * @nr_cpus: their number
 * @heap: those of them that have a record, a heap with the earliest first
 * @nr_heap: their number
 * @live: the rings are being written
 * @memory: a copy of the rings
 * @missed: records that were overwritten before they were read
 * @burst: maximum number of records of a ring between two rounds
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

/* Takes a record of a CPU. A return value other than 0 ends the walk, and is returned. */
typedef int (*wp_ringwalk_fn)(void *ctx, __u32 cpu, const struct wallprof_record *record);

int wp_ringwalk_open(struct wp_ringwalk *walk, const struct wp_device *dev);
int wp_ringwalk_freeze(struct wp_ringwalk *walk, const struct wp_device *dev, bool copy);
void wp_ringwalk_refresh(struct wp_ringwalk *walk);
int wp_ringwalk_run(struct wp_ringwalk *walk, __u64 upto, wp_ringwalk_fn fn, void *ctx);
__u64 wp_ringwalk_begin(const struct wp_ringwalk *walk);
void wp_ringwalk_close(struct wp_ringwalk *walk);

__u64 wp_ringwalk_horizon(const struct wp_device *dev);

#endif /* WP_LIB_DEVICE_RINGWALK_H */
