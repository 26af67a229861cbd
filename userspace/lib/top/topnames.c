// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the numbers of names that are part of a share's key, as the name of a waker. Engines
 * that keep profiles want few values of an attribute, so the number of names is limited:
 * further ones have one number, and are counted.
 *
 * What an interval that was open has is subtracted later, by the same key: a name keeps its
 * number for some intervals after its last use.
 *
 * Pure: no I/O, no clock, no allocation.
 */
#include <stdio.h>
#include <string.h>

#include "lib/top/topnames.h"

#define SLOTS	(sizeof(((struct wp_topnames *)NULL)->slot))

/* The slot of a name, or the free slot for it. There are fewer names than slots. */
static __u8 *slot_of(struct wp_topnames *t, const char *text)
{
	__u32 hash = 2166136261U;
	const char *c;
	size_t i;

	for (c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619U;
	i = hash % SLOTS;
	while (t->slot[i] && strcmp(t->name[t->slot[i] - 1].text, text))
		i = (i + 1) % SLOTS;
	return &t->slot[i];
}

/**
 * wp_topnames_number() - the number of a name
 * @t: the names
 * @text: the name, any bytes
 *
 * Return: its number; WP_TOPNAMES_OTHER: there are too many; 0: it is empty.
 */
__u8 wp_topnames_number(struct wp_topnames *t, const char *text)
{
	char name[WP_TOPNAME];
	unsigned int i;
	__u8 *slot;

	if (!*text)
		return 0;
	snprintf(name, sizeof(name), "%s", text);
	slot = slot_of(t, name);
	for (i = 0; !*slot && i < WP_TOPNAMES; i++) {
		if (*t->name[i].text)
			continue;
		memcpy(t->name[i].text, name, sizeof(name));
		*slot = i + 1;
	}
	if (!*slot) {
		t->overflowed++;
		return WP_TOPNAMES_OTHER;
	}
	t->name[*slot - 1].used = t->now;
	return *slot;
}

/**
 * wp_topnames_text() - the name of a number
 * @t: the names
 * @nr: from wp_topnames_number(), in this interval or one of the last WP_TOPNAMES_KEPT
 *
 * Return: the name; of WP_TOPNAMES_OTHER "[other]"; of 0 NULL.
 */
const char *wp_topnames_text(const struct wp_topnames *t, __u8 nr)
{
	if (nr == WP_TOPNAMES_OTHER)
		return "[other]";
	return nr && nr <= WP_TOPNAMES ? t->name[nr - 1].text : NULL;
}

/**
 * wp_topnames_turn() - an interval has ended: drop what has not been used for long
 * @t: the names
 */
void wp_topnames_turn(struct wp_topnames *t)
{
	unsigned int i;

	t->now++;
	memset(t->slot, 0, sizeof(t->slot));
	for (i = 0; i < WP_TOPNAMES; i++) {
		if (t->now - t->name[i].used > WP_TOPNAMES_KEPT)
			*t->name[i].text = 0;
		if (*t->name[i].text)
			*slot_of(t, t->name[i].text) = i + 1;
	}
}
