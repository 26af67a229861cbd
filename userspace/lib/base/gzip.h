/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compression by gzip. See gzip.c.
 */
#ifndef WP_LIB_BASE_GZIP_H
#define WP_LIB_BASE_GZIP_H

#include <stddef.h>

#include "lib/base/buf.h"

int wp_gzip(const void *data, size_t size, struct wp_buf *to);

#endif /* WP_LIB_BASE_GZIP_H */
