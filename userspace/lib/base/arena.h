/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that is freed together. See arena.c.
 */
#ifndef WP_LIB_BASE_ARENA_H
#define WP_LIB_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct wp_arena - memory; all zero: none
 * @chunk: what is allocated
 * @nr: number of chunks
 * @room: allocated entries of @chunk
 * @failed: no memory
 */
struct wp_arena {
	void **chunk;
	size_t nr;
	size_t room;
	bool failed;
};

void *wp_arena_get(struct wp_arena *a, size_t nr, size_t size);
void wp_arena_free(struct wp_arena *a);

#endif /* WP_LIB_BASE_ARENA_H */
