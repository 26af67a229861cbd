/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Complete reads and writes at a position of a file. See fullio.c.
 */
#ifndef WP_LIB_BASE_FULLIO_H
#define WP_LIB_BASE_FULLIO_H

#include <stddef.h>
#include <sys/types.h>

int wp_pread_all(int fd, void *buf, size_t len, off_t pos);
int wp_pwrite_all(int fd, const void *data, size_t len, off_t pos);

#endif /* WP_LIB_BASE_FULLIO_H */
