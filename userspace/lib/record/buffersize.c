// SPDX-License-Identifier: GPL-2.0
/*
 * Default sizes of the module's buffers. Used before CONFIGURE.
 */
#include <unistd.h>
#include <linux/wallprof.h>

#include "lib/proc/memorylimit.h"
#include "lib/record/buffersize.h"

/* Default limit for all buffers together, and minimum size of each. */
#define MAX_TOTAL	(512ULL << 20)
#define MIN_BUFFER	(128ULL << 10)

/* Default size of a CPU's timeline ring. */
#define DEFAULT_RING	(4ULL << 20)

/*
 * Limit of all buffers together: what the kernel takes for them is charged to our control
 * group, and at its limit something in there is killed, most likely what is recorded.
 */
static __u64 total_limit(void)
{
	__u64 memory = (__u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	__u64 limit = wp_memory_limit();

	memory = (limit < memory ? limit : memory) / 16;
	return memory < MAX_TOTAL ? memory : MAX_TOTAL;
}

/**
 * wp_buffersize() - default size of a buffer
 * @most: size in bytes if there is enough memory
 * @buffers: number of buffers, over all CPUs
 *
 * Return: bytes: @most, halved until all buffers together take no more than 512 MiB or a
 * sixteenth of the memory of this machine, or that our control group may have, but never less
 * than 128 KiB each.
 */
__u64 wp_buffersize(__u64 most, __u64 buffers)
{
	__u64 total = total_limit();

	while (most > MIN_BUFFER && most * buffers > total)
		most /= 2;
	return most;
}

/**
 * wp_buffersize_growth() - memory that default buffers may take when they grow
 * @total: what they take before, together
 *
 * Return: bytes: what the limit of wp_buffersize() leaves. 0 for a reader with addresses of
 * 32 bits, which might not map the larger tables of many CPUs.
 */
__u64 wp_buffersize_growth(__u64 total)
{
	__u64 limit = sizeof(void *) < sizeof(__u64) ? 0 : total_limit();

	return limit > total ? limit - total : 0;
}

/**
 * wp_buffersize_ring() - number of records in a CPU's timeline ring
 * @buffer: requested bytes; 0: default
 * @nr_cpus: number of rings
 *
 * Return: a power of two that takes no more than @buffer bytes, unless that is too few.
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
