/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_RING_H
#define WALLPROF_PURE_RING_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_ring - a CPU's ring of records
 * @head: mapped read-only; written with release stores, which publish records
 * @tail: mapped, and written by the user to any value: see wp_ring_used()
 * @records: mapped read-only
 * @nr: their number, a power of two
 * @overwrite: drop the oldest record when there is no room
 * @next: number of records written
 * @gap: number of records lost since
 *
 * Written by its CPU alone, interrupts off.
 */
struct wp_ring {
	struct wallprof_ring *head;
	const struct wallprof_tail *tail;
	struct wallprof_record *records;
	u32 nr;
	bool overwrite;
	u64 next;
	u64 gap;
};

void wp_ring_set(struct wp_ring *ring, void *mapped, u64 page_size,
		 const struct wallprof_tail *tail, u32 nr, bool overwrite);
void wp_ring_reset(struct wp_ring *ring);
struct wallprof_record *wp_ring_mend(struct wp_ring *ring, u64 now);

/* Number of records that the reader has not read; too large if its tail is wrong. */
static __always_inline u64 wp_ring_used(const struct wp_ring *ring)
{
	/*
	 * Pairs with the reader's release store. Records are only written if this says
	 * so, and a store is not ordered before a load that it depends on.
	 */
	return ring->next - READ_ONCE(ring->tail->tail);
}

/* Where the next record is written. */
static __always_inline struct wallprof_record *wp_ring_place(const struct wp_ring *ring)
{
	return &ring->records[ring->next & (ring->nr - 1)];
}

/**
 * wp_ring_reserve - reserve a record
 * @ring: this CPU's
 * @now: the record's time
 *
 * Context: irqs off, until wp_ring_commit().
 * Return: the record, to be written; NULL if there is no room, which is counted.
 */
static __always_inline struct wallprof_record *wp_ring_reserve(struct wp_ring *ring, u64 now)
{
	if (ring->overwrite) {
		/*
		 * Pairs with the reader's second load of the head: a reader that sees
		 * part of the new record sees that the record before it was committed,
		 * too.
		 */
		smp_wmb();
		return wp_ring_place(ring);
	}
	if (likely(wp_ring_used(ring) < ring->nr && !ring->gap))
		return wp_ring_place(ring);
	return wp_ring_mend(ring, now);
}

/* The last record; NULL if records were lost since. Context: irqs off. */
static __always_inline const struct wallprof_record *wp_ring_last(const struct wp_ring *ring)
{
	if (!ring->next || ring->gap)
		return NULL;
	return &ring->records[(ring->next - 1) & (ring->nr - 1)];
}

/* Publishes the record that was reserved. Context: irqs off. */
static __always_inline void wp_ring_commit(struct wp_ring *ring)
{
	/* Pairs with the reader's acquire load of the head. */
	smp_store_release(&ring->head->head, ++ring->next);
}

/* Whether the reader should be woken. Context: irqs off. */
static __always_inline bool wp_ring_is_half_full(const struct wp_ring *ring)
{
	return !ring->overwrite && wp_ring_used(ring) >= ring->nr / 2;
}

#endif /* WALLPROF_PURE_RING_H */
