// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU's ring of records, and what is lost for want of room in it.
 *
 * This file owns how a ring is written. All records are of one size, so that each
 * has its place, and none is ever cut in two. It is pure; its callers are
 * timeline.c (irqs off, on the ring's CPU) and session.c (process context, before
 * anything is recorded).
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/ring.h"

/**
 * wp_ring_set - make a ring of memory
 * @ring: to fill
 * @mapped: a page for its head, and @nr records behind that, all zero
 * @page_size: bytes
 * @tail: where the reader says how far it has read
 * @nr: a power of two
 * @overwrite: the oldest record is lost when there is no room
 *
 * Context: process.
 */
void wp_ring_set(struct wp_ring *ring, void *mapped, u64 page_size,
		 const struct wallprof_tail *tail, u32 nr, bool overwrite)
{
	*ring = (struct wp_ring) {
		.head = mapped,
		.tail = tail,
		.records = mapped + page_size,
		.nr = nr,
		.overwrite = overwrite,
	};
}

/**
 * wp_ring_reset - forget what is in a ring
 * @ring: the ring, which nobody writes to; its reader's tail is to be 0
 *
 * Context: process.
 */
void wp_ring_reset(struct wp_ring *ring)
{
	memset(ring->head, 0, sizeof(*ring->head));
	ring->next = 0;
	ring->gap = 0;
}

/**
 * wp_ring_mend - reserve, where records were lost, or one is to be
 * @ring: the ring
 * @now: the time
 *
 * What was lost is told by a record of its own, in front of the first that finds
 * room again.
 *
 * Context: irqs off.
 * Return: as wp_ring_reserve().
 */
struct wallprof_record *wp_ring_mend(struct wp_ring *ring, u64 now)
{
	struct wallprof_ring *head = ring->head;
	u64 used = wp_ring_used(ring);

	/* The reader came in between. */
	if (!ring->gap && used < ring->nr)
		return wp_ring_place(ring);
	if (used > ring->nr || ring->nr - used < 2) {
		if (!ring->gap)
			WRITE_ONCE(head->open_since, now);
		WRITE_ONCE(head->open, ++ring->gap);
		WRITE_ONCE(head->lost, head->lost + 1);
		return NULL;
	}
	*wp_ring_place(ring) = (struct wallprof_record) {
		.type = WALLPROF_RECORD_LOST,
		.time = head->open_since,
		.lost = ring->gap,
	};
	ring->gap = 0;
	WRITE_ONCE(head->open, 0);
	WRITE_ONCE(head->open_since, 0);
	wp_ring_commit(ring);
	return wp_ring_place(ring);
}
