// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the methods of a JVM that are known, by their addresses. A process chooses these, so the
 * hash has a random key: it cannot have all of them in one place. Called by jvmmethods.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/record/methodtable.h"

#define FIRST_ROOM	64

static size_t slot_of(const struct wp_methodtable *t, __u64 address)
{
	size_t i = wp_keyhash(&t->key, address) & (t->room - 1);

	while (t->slot[i].address && t->slot[i].address != address)
		i = (i + 1) & (t->room - 1);
	return i;
}

/**
 * wp_methodtable_free() - free all methods
 * @t: the table, which is empty then
 */
void wp_methodtable_free(struct wp_methodtable *t)
{
	size_t i;

	for (i = 0; i < t->room; i++)
		free(t->slot[i].name);
	free(t->slot);
	*t = (struct wp_methodtable){ 0 };
}

/**
 * wp_methodtable_find() - find a method
 * @t: the table
 * @address: its address, not 0
 *
 * Return: the method, valid until one is added; NULL: it is not there.
 */
struct wp_method *wp_methodtable_find(const struct wp_methodtable *t, __u64 address)
{
	struct wp_method *method = t->room ? &t->slot[slot_of(t, address)] : NULL;

	return method && method->address ? method : NULL;
}

/* Move the methods to a table of another size, which has room for them. */
static int move(struct wp_methodtable *t, size_t room)
{
	struct wp_methodtable more = *t;
	size_t i;

	more.slot = calloc(room, sizeof(*more.slot));
	if (!more.slot)
		return -ENOMEM;
	more.room = room;
	if (!t->room)
		wp_keyhash_draw(&more.key);
	for (i = 0; i < t->room; i++) {
		if (t->slot[i].address)
			more.slot[slot_of(&more, t->slot[i].address)] = t->slot[i];
	}
	free(t->slot);
	*t = more;
	return 0;
}

/**
 * wp_methodtable_add() - add a method
 * @t: the table, which does not have it
 * @address: its address, not 0
 *
 * Return: the method, valid until the next one is added; NULL: there is no memory.
 */
struct wp_method *wp_methodtable_add(struct wp_methodtable *t, __u64 address)
{
	struct wp_method *method;

	if (t->nr >= t->room / 2 && move(t, t->room ? 2 * t->room : FIRST_ROOM))
		return NULL;
	method = &t->slot[slot_of(t, address)];
	method->address = address;
	t->nr++;
	return method;
}

/**
 * wp_methodtable_sweep() - drop methods that were not looked up lately
 * @t: the table
 * @turns: number of sweeps that a method outlives
 */
void wp_methodtable_sweep(struct wp_methodtable *t, unsigned int turns)
{
	size_t room = FIRST_ROOM, nr = 0, i;

	for (i = 0; i < t->room; i++) {
		struct wp_method *method = &t->slot[i];

		if (method->address && method->unused++ > turns) {
			free(method->name);
			*method = (struct wp_method){ 0 };
		}
		nr += !!method->address;
	}
	if (nr == t->nr)
		return;
	t->nr = nr;
	while (nr >= room / 2)
		room *= 2;
	/* Without memory the old table cannot be searched, as its chains are broken. */
	if (move(t, room))
		wp_methodtable_free(t);
}

/**
 * wp_methodtable_bytes() - memory of the methods
 * @t: the table
 *
 * Return: bytes.
 */
size_t wp_methodtable_bytes(const struct wp_methodtable *t)
{
	size_t bytes = t->room * sizeof(*t->slot), i;

	for (i = 0; i < t->room; i++)
		bytes += t->slot[i].name ? strlen(t->slot[i].name) + 1 : 0;
	return bytes;
}
