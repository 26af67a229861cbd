/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kind of memory that holds a lock. See lockmemory.c.
 */
#ifndef WP_LIB_MODEL_LOCKMEMORY_H
#define WP_LIB_MODEL_LOCKMEMORY_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/proc/procmaps.h"

/**
 * enum wp_lockmemory - kind of memory; the numbers are in recordings
 * @WP_LOCKMEMORY_UNKNOWN: not known
 * @WP_LOCKMEMORY_HEAP: [heap]: what brk() extends
 * @WP_LOCKMEMORY_STACK: [stack]: of the first thread
 * @WP_LOCKMEMORY_ANON: [anon]: also stacks of other threads, and what malloc() maps
 * @WP_LOCKMEMORY_SHARED_ANON: shared with children
 * @WP_LOCKMEMORY_FILE: [file]: a mapped file
 * @WP_LOCKMEMORY_SHARED_FILE: shared with all processes that map the file
 * @WP_LOCKMEMORY_MAX: the number of kinds
 */
enum wp_lockmemory {
	WP_LOCKMEMORY_UNKNOWN,
	WP_LOCKMEMORY_HEAP,
	WP_LOCKMEMORY_STACK,
	WP_LOCKMEMORY_ANON,
	WP_LOCKMEMORY_SHARED_ANON,
	WP_LOCKMEMORY_FILE,
	WP_LOCKMEMORY_SHARED_FILE,
	WP_LOCKMEMORY_MAX,
};

enum wp_lockmemory wp_lockmemory_of(const struct wp_procmap *map);
void wp_lockmemory_text(unsigned int memory, __u64 address, char *text, size_t size);

#endif /* WP_LIB_MODEL_LOCKMEMORY_H */
