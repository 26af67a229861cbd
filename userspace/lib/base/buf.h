/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Growing byte buffers. See buf.c.
 */
#ifndef WP_LIB_BASE_BUF_H
#define WP_LIB_BASE_BUF_H

#include <stddef.h>
#include <linux/types.h>

/* Padding of strings in perf.data: NAME_ALIGN of perf. */
#define WP_STRING_ALIGN	64

/**
 * struct wp_buf - a growing byte buffer
 * @data: the bytes
 * @len: used bytes
 * @room: allocated bytes
 * @failed: memory ran out; what was added since is missing
 */
struct wp_buf {
	char *data;
	size_t len;
	size_t room;
	int failed;
};

void wp_buf_add(struct wp_buf *b, const void *data, size_t len);
void wp_buf_u32(struct wp_buf *b, __u32 v);
void wp_buf_u64(struct wp_buf *b, __u64 v);
void wp_buf_string(struct wp_buf *b, const char *s);
void wp_buf_free(struct wp_buf *b);

#endif /* WP_LIB_BASE_BUF_H */
