// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the numbers of byte strings: paths, mappings and stacks that a file has only once,
 * however often they are used. The strings are not trusted, so the hash has a key. Called
 * by converters of recordings.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/base/intern.h"
#include "lib/base/siphash.h"

#define FIRST_ROOM	256

static __u64 hash_of(const struct wp_intern *t, const void *data, size_t len)
{
	struct wp_siphash h;

	wp_siphash_begin(&h, t->key);
	wp_siphash_add(&h, data, len);
	return wp_siphash_end(&h);
}

/* The slot of the string, or the free slot for it. */
static __u32 *slot_of(const struct wp_intern *t, __u64 hash, const void *data, size_t len)
{
	size_t i = hash & (t->room - 1);

	for (;; i = (i + 1) & (t->room - 1)) {
		const struct wp_intern_entry *e;

		if (!t->slot[i])
			return &t->slot[i];
		e = &t->entry[t->slot[i] - 1];
		if (e->hash == hash && e->len == len &&
		    (!len || !memcmp(t->bytes + e->at, data, len)))
			return &t->slot[i];
	}
}

/* At most half of the slots are used. */
static bool more_slots(struct wp_intern *t)
{
	size_t room = t->room ? t->room * 2 : FIRST_ROOM;
	__u32 *slot;
	size_t i, at;

	if (t->nr < t->room / 2)
		return true;
	if (!t->room && getrandom(t->key, sizeof(t->key), GRND_NONBLOCK) < 0)
		t->key[0] = (uintptr_t)t;
	slot = room <= UINT32_MAX ? calloc(room, sizeof(*slot)) : NULL;
	if (!slot)
		return false;
	for (i = 0; i < t->nr; i++) {
		for (at = t->entry[i].hash & (room - 1); slot[at]; at = (at + 1) & (room - 1))
			;
		slot[at] = i + 1;
	}
	free(t->slot);
	t->slot = slot;
	t->room = room;
	return true;
}

static bool more_entries(struct wp_intern *t, size_t len)
{
	size_t room = t->bytes_room;
	void *p;

	if (t->nr == t->entry_room) {
		room = t->entry_room ? t->entry_room * 2 : FIRST_ROOM;
		p = reallocarray(t->entry, room, sizeof(*t->entry));
		if (!p)
			return false;
		t->entry = p;
		t->entry_room = room;
	}
	if (len <= t->bytes_room - t->len)
		return true;
	room = t->bytes_room * 2 > t->len + len ? t->bytes_room * 2 : t->len + len;
	p = realloc(t->bytes, room);
	if (!p)
		return false;
	t->bytes = p;
	t->bytes_room = room;
	return true;
}

/**
 * wp_intern() - look up or add a string
 * @t: the table
 * @data: its bytes
 * @len: its length
 * @is_new: set to whether it was added; may be NULL
 *
 * Return: its number, 1 and up; 0 if there is no memory.
 */
__u32 wp_intern(struct wp_intern *t, const void *data, size_t len, bool *is_new)
{
	struct wp_intern_entry e = { .len = len };
	__u32 *slot;

	if (!more_slots(t) || !more_entries(t, len))
		return 0;
	e.hash = hash_of(t, data, len);
	slot = slot_of(t, e.hash, data, len);
	if (is_new)
		*is_new = !*slot;
	if (*slot)
		return *slot;
	e.at = t->len;
	if (len)
		memcpy(t->bytes + t->len, data, len);
	t->len += len;
	t->entry[t->nr++] = e;
	*slot = t->nr;
	return t->nr;
}

/**
 * wp_intern_find() - look up a string
 * @t: the table
 * @data: its bytes
 * @len: its length
 *
 * Return: its number; 0 if it is not in the table.
 */
__u32 wp_intern_find(const struct wp_intern *t, const void *data, size_t len)
{
	return t->room ? *slot_of(t, hash_of(t, data, len), data, len) : 0;
}

/**
 * wp_intern_bytes() - the string with a number
 * @t: the table
 * @nr: a number returned by wp_intern()
 * @len: set to its length; may be NULL
 *
 * Return: the string, valid until the next one is added.
 */
const void *wp_intern_bytes(const struct wp_intern *t, __u32 nr, size_t *len)
{
	const struct wp_intern_entry *e = &t->entry[nr - 1];

	if (len)
		*len = e->len;
	/* A table of nothing but the empty string has no bytes. */
	return e->len ? t->bytes + e->at : "";
}

/**
 * wp_intern_memory() - memory used by the table
 * @t: the table
 *
 * Return: bytes, approximately.
 */
size_t wp_intern_memory(const struct wp_intern *t)
{
	return t->bytes_room + t->entry_room * sizeof(*t->entry) + t->room * sizeof(*t->slot);
}

/**
 * wp_intern_free() - free the table
 * @t: the table; empty afterwards
 */
void wp_intern_free(struct wp_intern *t)
{
	free(t->slot);
	free(t->entry);
	free(t->bytes);
	memset(t, 0, sizeof(*t));
}
