/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf.data records, compressed as perf record -z does. See compress.c.
 */
#ifndef WP_LIB_PERFDATA_COMPRESS_H
#define WP_LIB_PERFDATA_COMPRESS_H

#include <stddef.h>
#include <linux/types.h>

/* Maximum number of bytes in a compressed record: COMPRESSED's mmap_len. */
#define WP_COMPRESS_CHUNK	(60U << 10)

#define WP_COMPRESS_MAX_LEVEL	22	/* as for perf's -z */

struct wp_compressor;

struct wp_compressor *wp_compressor_new(int level);
int wp_compressor_run(struct wp_compressor *c, const void *data, size_t len,
		      const void **out, size_t *out_len);
__u32 wp_compressor_ratio(const struct wp_compressor *c);
void wp_compressor_free(struct wp_compressor *c);

#endif /* WP_LIB_PERFDATA_COMPRESS_H */
