// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait for each other. Each waits for one lock, which has one owner, so the
 * threads behind a deadlock, which may be thousands, all lead to it.
 *
 * Pure: no I/O, no clock.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/model/lockcycles.h"

/**
 * wp_lockcycles_find() - find the threads whose chain of owners leads back to them
 * @nr: the number of threads
 * @next: returns the thread that a thread waits for; @nr: none
 * @ctx: passed to @next
 * @found: of each thread, set to whether it is one
 *
 * Calls @next twice for a thread at most.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_lockcycles_find(size_t nr, size_t (*next)(const void *ctx, size_t i), const void *ctx,
		       bool *found)
{
	/* The walk that came to a thread first, from 1. */
	size_t *walk = calloc(nr + 1, sizeof(*walk)), i, at;

	if (!walk)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		found[i] = false;
	for (i = 0; i < nr; i++) {
		for (at = i; at < nr && !walk[at]; at = next(ctx, at))
			walk[at] = i + 1;
		/* The walk came back to a thread of its own: from there on is a cycle. */
		while (at < nr && walk[at] == i + 1 && !found[at]) {
			found[at] = true;
			at = next(ctx, at);
		}
	}
	free(walk);
	return 0;
}
