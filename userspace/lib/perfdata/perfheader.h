/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The beginning of a perf.data file, as tools/perf/util/header.h of the kernel has it.
 * perfdata.c writes it, perffile.c reads it.
 */
#ifndef WP_LIB_PERFDATA_PERFHEADER_H
#define WP_LIB_PERFDATA_PERFHEADER_H

#include <linux/types.h>

#define WP_PERF_MAGIC	0x32454c4946524550ULL	/* "PERFILE2" */

/**
 * struct wp_file_section - a part of the file
 * @offset: from its beginning
 * @size: bytes
 */
struct wp_file_section {
	__u64 offset;
	__u64 size;
};

/**
 * struct wp_file_header - the first bytes of the file
 * @magic: WP_PERF_MAGIC, in the order of bytes of who wrote it
 * @size: bytes of this structure; less in what was written to a pipe
 * @attr_size: bytes of an entry of @attrs
 * @attrs: attributes and ids of the events
 * @data: the records
 * @event_types: nothing
 * @features: a bit for each feature; behind @data is a struct wp_file_section for each
 */
struct wp_file_header {
	__u64 magic;
	__u64 size;
	__u64 attr_size;
	struct wp_file_section attrs;
	struct wp_file_section data;
	struct wp_file_section event_types;
	__u64 features[4];
};

_Static_assert(sizeof(struct wp_file_header) == 104, "perf.data's header has 104 bytes");

#endif /* WP_LIB_PERFDATA_PERFHEADER_H */
