/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes of the module's buffers. See buffersize.c.
 */
#ifndef WP_LIB_RECORD_BUFFERSIZE_H
#define WP_LIB_RECORD_BUFFERSIZE_H

#include <linux/types.h>

/* Size of the tables of one CPU and context, if there is enough memory. */
#define WP_DEFAULT_BUFFER	(2ULL << 20)

__u64 wp_buffersize(__u64 most, __u64 buffers);
__u64 wp_buffersize_growth(__u64 total);
__u32 wp_buffersize_ring(__u64 buffer, __u32 nr_cpus);

#endif /* WP_LIB_RECORD_BUFFERSIZE_H */
