/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PERF_RECORD_MMAP2, as in include/uapi/linux/perf_event.h.
 */
#ifndef WP_LIB_PERFDATA_MMAPRECORD_H
#define WP_LIB_PERFDATA_MMAPRECORD_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"

/* Missing in headers before Linux 5.12; so is the bit in struct perf_event_attr. */
#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID	(1 << 14)
#define NO_BUILD_ID_BIT
#endif

/**
 * struct wp_mmap2_record - the fixed start of the record
 * @header: PERF_RECORD_MISC_MMAP_BUILD_ID in its misc selects the member of the union
 * @pid: process
 * @tid: thread
 * @start: first address
 * @len: length in bytes
 * @pgoff: offset of @start in the file, in bytes
 * @maj: device of the file
 * @min: the same
 * @ino: its inode number
 * @ino_generation: generation of the inode
 * @build_id_size: size of @build_id
 * @reserved: 0
 * @build_id: its build-id
 * @prot: PROT_ flags of mmap(2)
 * @flags: MAP_ flags of mmap(2)
 * @filename: path, padded to 8 bytes; struct wp_sample_id follows
 */
struct wp_mmap2_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 start, len, pgoff;
	union {
		struct {
			__u32 maj, min;
			__u64 ino, ino_generation;
		};
		struct {
			__u8 build_id_size;
			__u8 reserved[3];
			__u8 build_id[WP_BUILDID_MAX];
		};
	};
	__u32 prot, flags;
	char filename[];
};

/**
 * wp_mmap2_is_id() - whether something marked as a build-id can be one
 * @at: where build_id_size of struct wp_mmap2_record is
 *
 * Device and inode can be marked by mistake: see inlineids.c.
 */
static inline bool wp_mmap2_is_id(const __u8 *at)
{
	unsigned int i, size = at[0], more = at[1] | at[2] | at[3];

	if (!size || size > WP_BUILDID_MAX)
		return false;
	/* Zeros follow a short one. */
	for (i = size; i < WP_BUILDID_MAX; i++)
		more |= at[4 + i];
	return !more;
}

/*
 * A record with this in place of a build-id is of a file without a known one that is not
 * the file at its path, as perf gives names of that to all others.
 */
#define WP_NO_BUILDID		0xff7077ffU

/**
 * struct wp_nobuildid - device and inode of such a file
 * @magic: WP_NO_BUILDID
 * @maj: device of the file
 * @min: the same
 * @ino: its inode number
 */
struct wp_nobuildid {
	__u32 magic;
	__u32 maj, min;
	__u64 ino;
} __attribute__((packed));

_Static_assert(sizeof(struct wp_nobuildid) == WP_BUILDID_MAX, "it has the size of a build-id");

#endif /* WP_LIB_PERFDATA_MMAPRECORD_H */
