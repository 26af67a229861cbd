/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lists of functions that programs leave which make code as they run:
 * /tmp/perf-PID.map. See jitmaps.c.
 */
#ifndef WP_LIB_SYMBOLS_JITMAPS_H
#define WP_LIB_SYMBOLS_JITMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/base/buf.h"

/* Processes whose lists are kept, and bytes of the list of one, without compression. */
#define WP_JITMAPS_MAX	1024
#define WP_JITMAPS_TEXT	((size_t)32 << 20)

/* The bytes of a list that one record holds. */
#define WP_JITMAPS_PIECE	3072

struct wp_jitmaps;

/**
 * struct wp_jitmap - the list of functions of a process, as it is kept
 * @pid: the process
 * @text: bytes without compression; 0: the process left none
 * @b: the list, compressed
 */
struct wp_jitmap {
	__u32 pid;
	__u32 text;
	struct wp_buf b;
};

/* @data: a list, compressed; @text: bytes of it without that */
typedef int (*wp_jitmaps_fn)(void *ctx, __u32 pid, const void *data, size_t bytes, size_t text);

int wp_jitmap_open(__u32 pid);
int wp_jitmap_unpack(const void *data, size_t bytes, size_t text);

void wp_jitmaps_see(struct wp_jitmaps **jit, __u32 pid);
void wp_jitmaps_look(struct wp_jitmaps *jit);
void wp_jitmaps_each(struct wp_jitmaps *jit, wp_jitmaps_fn fn, void *ctx);
void wp_jitmaps_free(struct wp_jitmaps *jit);

#endif /* WP_LIB_SYMBOLS_JITMAPS_H */
