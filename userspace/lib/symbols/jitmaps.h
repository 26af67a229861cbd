/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function lists of programs with a JIT compiler: /tmp/perf-PID.map, jit-PID.dump. See
 * jitmaps.c.
 */
#ifndef WP_LIB_SYMBOLS_JITMAPS_H
#define WP_LIB_SYMBOLS_JITMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/base/buf.h"

/* Limits: number of processes with lists, and decompressed size of a list. */
#define WP_JITMAPS_MAX	1024
#define WP_JITMAPS_TEXT	((size_t)32 << 20)

/* Bytes of a list in one record. */
#define WP_JITMAPS_PIECE	3072

struct wp_dso;
struct wp_jitloads;
struct wp_jitmaps;

/**
 * struct wp_jitmap - stored function list of a process
 * @pid: the process
 * @text: decompressed size; 0: the process left none
 * @dump: it is a jitdump file, without instructions; else text
 * @b: the list, compressed
 */
struct wp_jitmap {
	__u32 pid;
	__u32 text;
	bool dump;
	struct wp_buf b;
};

/* Called with a list, which is the caller's. */
typedef void (*wp_jitmaps_fn)(void *ctx, const struct wp_jitmap *map);

int wp_jitmap_open(__u32 pid);
int wp_jitmap_dump(__u32 pid);
int wp_jitmap_unpack(const void *data, size_t bytes, size_t text);

void wp_jitmaps_see(struct wp_jitmaps **jit, __u32 pid);
void wp_jitmaps_dump(struct wp_jitmaps **jit, __u32 pid, const struct wp_dso *dso);
void wp_jitmaps_loads(struct wp_jitmaps **jit, __u32 pid, const struct wp_jitloads *loads);
void wp_jitmaps_look(struct wp_jitmaps *jit);
void wp_jitmaps_each(struct wp_jitmaps *jit, wp_jitmaps_fn fn, void *ctx);
void wp_jitmaps_free(struct wp_jitmaps *jit);

#endif /* WP_LIB_SYMBOLS_JITMAPS_H */
