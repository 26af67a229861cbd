/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The header of a perf.data file, as in tools/perf/util/header.h of the kernel.
 * perfdata.c writes it, perffile.c reads it.
 */
#ifndef WP_LIB_PERFDATA_PERFHEADER_H
#define WP_LIB_PERFDATA_PERFHEADER_H

#include <linux/types.h>

#define WP_PERF_MAGIC	0x32454c4946524550ULL	/* "PERFILE2" */

/**
 * struct wp_file_section - a part of the file
 * @offset: offset in the file
 * @size: size in bytes
 */
struct wp_file_section {
	__u64 offset;
	__u64 size;
};

/**
 * struct wp_file_header - the header of the file
 * @magic: WP_PERF_MAGIC, in the writer's byte order
 * @size: size of this structure; less in the format for pipes
 * @attr_size: size of an entry of @attrs
 * @attrs: attributes and ids of the events
 * @data: the records
 * @event_types: unused
 * @features: a bit for each feature; a struct wp_file_section for each follows @data
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
