// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that is freed together, as that of a message while it is made. Allocation failures
 * are recorded, so that callers may check only once, at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"

/**
 * wp_arena_get() - allocate zeroed memory
 * @a: where it belongs to
 * @nr: number of elements; may be 0
 * @size: size of one
 *
 * Return: room for one element more than @nr; NULL: no memory.
 */
void *wp_arena_get(struct wp_arena *a, size_t nr, size_t size)
{
	void *chunk;

	if (a->nr == a->room) {
		size_t room = a->room ? 2 * a->room : 64;
		void **more = reallocarray(a->chunk, room, sizeof(*more));

		if (!more) {
			a->failed = true;
			return NULL;
		}
		a->chunk = more;
		a->room = room;
	}
	chunk = calloc(nr + 1, size);
	if (!chunk)
		a->failed = true;
	else
		a->chunk[a->nr++] = chunk;
	return chunk;
}

/**
 * wp_arena_free() - free all
 * @a: the memory
 */
void wp_arena_free(struct wp_arena *a)
{
	while (a->nr)
		free(a->chunk[--a->nr]);
	free(a->chunk);
	memset(a, 0, sizeof(*a));
}
