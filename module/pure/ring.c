// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU's ring of records, and the count of records that are lost for want of room.
 *
 * This file owns how a ring is written. All records have one size, so that none is ever
 * split at the end of the ring. It is pure; its callers are timeline.c (irqs off, on the
 * ring's CPU) and process context, before anything is recorded.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/ring.h"

/**
 * wp_ring_set - initialize a ring
 * @ring: to fill
 * @mapped: a page for its head, and @nr records behind that, all zero
 * @page_size: bytes
 * @tail: written by the reader: how far it has read
 * @nr: a power of two
 * @overwrite: drop the oldest record when there is no room
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
 * wp_ring_reset - empty a ring
 * @ring: the ring, which has no writer; the caller sets its tail to 0
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
 * wp_ring_mend - reserve a record after a loss, or lose one
 * @ring: the ring
 * @now: the time
 *
 * A record of its own reports a loss, in front of the first record that finds room
 * again.
 *
 * Context: irqs off.
 * Return: as wp_ring_reserve().
 */
struct wallprof_record *wp_ring_mend(struct wp_ring *ring, u64 now)
{
	struct wallprof_ring *head = ring->head;
	u64 used = wp_ring_used(ring);

	/* The reader has made room meanwhile. */
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
