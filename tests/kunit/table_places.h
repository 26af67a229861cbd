/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places in an index, for cases that look for two things at the same one. Used by
 * table_stacks.c and table_aggrs.c.
 */
#ifndef WALLPROF_KUNIT_TABLE_PLACES_H
#define WALLPROF_KUNIT_TABLE_PLACES_H

#include <linux/bitops.h>
#include <linux/types.h>

#include "suite.h"

/*
 * What an index word holds of a stack or aggregate that is alone in a table of the least
 * size: its slot and the bits of its hash. Two with the same are distinguished by
 * comparison only.
 */
#define PLACES BIT(21)

static inline u32 place_of(const u64 *index, u32 mask, u32 epoch)
{
	u32 slot;

	for (slot = 0; slot < mask; slot++) {
		if (index[slot] >> 36 == epoch)
			break;
	}
	return (u32)(index[slot] >> 21 & 0x7fff) * (mask + 1) + slot;
}

/* Which of a family of things was seen at a place: 0 or its number. */
struct places {
	u32 *member, *family;
};

static inline void places_init(struct kunit *test, struct places *places)
{
	places->member = suite_alloc(test, PLACES * sizeof(u32));
	places->family = suite_alloc(test, PLACES * sizeof(u32));
}

/* The earlier member of a family at a place, or -1; takes the place. */
static inline int places_take(struct places *p, u32 place, u32 family, u32 member)
{
	int earlier = p->family[place] == family ? (int)p->member[place] : -1;

	p->family[place] = family;
	p->member[place] = member;
	return earlier;
}

#endif /* WALLPROF_KUNIT_TABLE_PLACES_H */
