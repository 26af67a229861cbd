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
 * @tail: mapped, and the user's to write: whatever it says, see wp_ring_has_room()
 * @records: mapped read-only
 * @nr: their number, a power of two
 * @overwrite: the oldest record is lost when there is no room
 * @next: how many were written
 * @gap: how many were lost since
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

/* How many records the reader has not read; more than there can be if it lies. */
static __always_inline u64 wp_ring_used(const struct wp_ring *ring)
{
	/*
	 * Pairs with the reader's release store. Records are only written if this
	 * says so, and a store does not go ahead of a load that it depends on.
	 */
	return ring->next - READ_ONCE(ring->tail->tail);
}

/* The place of the next record. */
static __always_inline struct wallprof_record *wp_ring_place(const struct wp_ring *ring)
{
	return &ring->records[ring->next & (ring->nr - 1)];
}

/**
 * wp_ring_reserve - get the place for a record
 * @ring: this CPU's
 * @now: the record's time
 *
 * Context: irqs off, until wp_ring_commit().
 * Return: where to write it; NULL if there is no room, which was counted.
 */
static __always_inline struct wallprof_record *wp_ring_reserve(struct wp_ring *ring, u64 now)
{
	if (ring->overwrite) {
		/*
		 * Pairs with the reader's second look at the head: whoever finds something
		 * of the new record finds that the one before it was written, too.
		 */
		smp_wmb();
		return wp_ring_place(ring);
	}
	if (likely(wp_ring_used(ring) < ring->nr && !ring->gap))
		return wp_ring_place(ring);
	return wp_ring_mend(ring, now);
}

/* The record that was written last; NULL if what came last was lost. Context: irqs off. */
static __always_inline const struct wallprof_record *wp_ring_last(const struct wp_ring *ring)
{
	if (!ring->next || ring->gap)
		return NULL;
	return &ring->records[(ring->next - 1) & (ring->nr - 1)];
}

/* The record is written. Context: irqs off. */
static __always_inline void wp_ring_commit(struct wp_ring *ring)
{
	/* The reader's acquire load of the head pairs with this. */
	smp_store_release(&ring->head->head, ++ring->next);
}

/* Whether the reader is to be woken. Context: irqs off. */
static __always_inline bool wp_ring_is_half_full(const struct wp_ring *ring)
{
	return !ring->overwrite && wp_ring_used(ring) >= ring->nr / 2;
}

#endif /* WALLPROF_PURE_RING_H */
