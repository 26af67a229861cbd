// SPDX-License-Identifier: GPL-2.0
/*
 * How large the module's buffers are if the user names no size. Used before CONFIGURE.
 */
#include <unistd.h>
#include <linux/wallprof.h>

#include "lib/record/buffersize.h"

/* All buffers together, unless the user says otherwise; and the least of each. */
#define MAX_TOTAL	(512ULL << 20)
#define MIN_BUFFER	(128ULL << 10)

/* A CPU's ring of the timeline, unless the user says otherwise. */
#define DEFAULT_RING	(4ULL << 20)

/**
 * wp_buffersize() - how large a buffer is if nobody says
 * @most: bytes that it has where there is enough memory
 * @buffers: how many there are, of all CPUs
 *
 * Return: bytes: @most, or half of it, and so on, so that all together get no more
 * than 512 MiB or a sixteenth of the memory, but never less than 128 KiB each.
 */
__u64 wp_buffersize(__u64 most, __u64 buffers)
{
	__u64 memory = (__u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 16;
	__u64 total = memory < MAX_TOTAL ? memory : MAX_TOTAL;

	while (most > MIN_BUFFER && most * buffers > total)
		most /= 2;
	return most;
}

/**
 * wp_buffersize_ring() - how many records a CPU's ring of the timeline has
 * @buffer: bytes that were asked for; 0: none were
 * @nr_cpus: how many rings there are
 *
 * Return: a power of two, and no more bytes than @buffer unless that is too few.
 */
__u32 wp_buffersize_ring(__u64 buffer, __u32 nr_cpus)
{
	__u64 records = WALLPROF_MIN_RECORDS;

	if (!buffer)
		buffer = wp_buffersize(DEFAULT_RING, nr_cpus);
	while (records < WALLPROF_MAX_RECORDS &&
	       records * 2 * sizeof(struct wallprof_record) <= buffer)
		records *= 2;
	return records;
}
