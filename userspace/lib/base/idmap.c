// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers ids in the order in which they are added: 0, 1, 2, ... so that data about them
 * can be in an array. Ids come from untrusted files: the hash has a random key, so that a
 * file cannot provoke collisions. Called by schedstate.c and by the commands that read
 * timelines.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/base/idmap.h"

#define MIN_BITS	6
#define MAX_BITS	31

static struct wp_idmap_slot *place(const struct wp_idmap *m, __u32 id)
{
	size_t mask = ((size_t)1 << m->bits) - 1;
	size_t i = (m->key * (id + 1ULL)) >> (64 - m->bits);

	while (m->slot[i].nr != WP_IDMAP_NONE && m->slot[i].id != id)
		i = (i + 1) & mask;
	return &m->slot[i];
}

static void draw_key(struct wp_idmap *m)
{
	if (getrandom(&m->key, sizeof(m->key), GRND_NONBLOCK) != sizeof(m->key))
		m->key = (__u64)(uintptr_t)m * 0x9e3779b97f4a7c15ULL;
	m->key |= 1;
}

static int grow(struct wp_idmap *m)
{
	struct wp_idmap old = *m;
	size_t room, i;

	if (!m->slot)
		draw_key(m);
	m->bits = m->slot ? m->bits + 1 : MIN_BITS;
	room = (size_t)1 << m->bits;
	m->slot = m->bits > MAX_BITS ? NULL : malloc(room * sizeof(*m->slot));
	if (!m->slot) {
		*m = old;
		return -ENOMEM;
	}
	memset(m->slot, 0xff, room * sizeof(*m->slot));
	for (i = 0; old.slot && i < (size_t)1 << old.bits; i++) {
		if (old.slot[i].nr != WP_IDMAP_NONE)
			*place(m, old.slot[i].id) = old.slot[i];
	}
	free(old.slot);
	return 0;
}

/**
 * wp_idmap_find() - look up the number of an id
 * @m: the ids
 * @id: the id
 *
 * Return: its number, or WP_IDMAP_NONE.
 */
__u32 wp_idmap_find(const struct wp_idmap *m, __u32 id)
{
	return m->slot ? place(m, id)->nr : WP_IDMAP_NONE;
}

/**
 * wp_idmap_add() - look up the number of an id, or assign the next one
 * @m: the ids
 * @id: the id
 * @nr: set to its number
 *
 * Return: 1 if it is new, 0 if it is not, -ENOMEM.
 */
int wp_idmap_add(struct wp_idmap *m, __u32 id, __u32 *nr)
{
	struct wp_idmap_slot *slot;

	*nr = wp_idmap_find(m, id);
	if (*nr != WP_IDMAP_NONE)
		return 0;
	if (!m->slot || m->nr >= (__u32)1 << (m->bits - 1)) {
		int err = grow(m);

		if (err)
			return err;
	}
	slot = place(m, id);
	slot->id = id;
	slot->nr = *nr = m->nr++;
	return 1;
}

/**
 * wp_idmap_free() - free the map
 * @m: the ids
 */
void wp_idmap_free(struct wp_idmap *m)
{
	free(m->slot);
	memset(m, 0, sizeof(*m));
}
