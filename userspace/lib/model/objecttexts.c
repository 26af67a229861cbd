// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the texts of objects, each once, with a number. Their number is bounded; the rest
 * share one. Called by objects.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/model/objecttexts.h"

#define TEXT_ROOM	(WP_OBJECTS_MAX * 2)

static __u64 mix(__u64 hash, __u64 x)
{
	hash = (hash ^ x) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static __u32 *text_slot(struct wp_objecttexts *t, const char *text)
{
	__u64 hash = 0;
	const char *c;
	size_t i;

	for (c = text; *c; c++)
		hash = mix(hash, (unsigned char)*c);
	i = hash & (TEXT_ROOM - 1);
	while (t->slot[i] && strcmp(t->text[t->slot[i] - 1], text))
		i = (i + 1) & (TEXT_ROOM - 1);
	return &t->slot[i];
}

/**
 * wp_objecttexts_init() - set up an empty table
 * @t: the texts
 *
 * Return: 0 or -ENOMEM.
 */
int wp_objecttexts_init(struct wp_objecttexts *t)
{
	t->text = calloc(WP_OBJECTS_MAX, sizeof(*t->text));
	t->slot = calloc(TEXT_ROOM, sizeof(*t->slot));
	return t->text && t->slot ? 0 : -ENOMEM;
}

/**
 * wp_objecttexts_add() - find or add a text
 * @t: the texts
 * @text: the text, which is changed; if there are too many, the shared one is used
 * @object: set to its number, 1 and up
 *
 * Return: 0 or -ENOMEM.
 */
int wp_objecttexts_add(struct wp_objecttexts *t, char *text, __u32 *object)
{
	static const char others[] = "(others: too many are different)";
	char shown[WP_TEXT_GROWS * WP_OBJECT_TEXT];
	size_t len = strlen(text);
	char *copy;
	__u32 *slot;

	/* Keep the end of a path, which is the most specific part. */
	if (len >= WP_OBJECT_TEXT) {
		text += len - WP_OBJECT_TEXT + 1;
		memset(text, '.', 3);
	}
	len = wp_text_show(shown, sizeof(shown), text, false);
	text = shown;
	if (len >= WP_OBJECT_TEXT) {
		text += len - WP_OBJECT_TEXT + 1;
		memset(text, '.', 3);
		wp_text_clean(text, false);
	}
	slot = text_slot(t, text);
	if (!*slot && t->nr_texts >= WP_OBJECTS_MAX - 1) {
		copy = strdup(others);
		if (!copy)
			return -ENOMEM;
		slot = text_slot(t, copy);
	} else if (!*slot) {
		copy = strdup(text);
		if (!copy)
			return -ENOMEM;
	} else {
		copy = NULL;
	}
	if (*slot) {
		free(copy);
	} else {
		t->text[t->nr_texts] = copy;
		*slot = ++t->nr_texts;
	}
	*object = *slot;
	return 0;
}

/**
 * wp_objecttexts_free() - free the texts
 * @t: the texts
 */
void wp_objecttexts_free(struct wp_objecttexts *t)
{
	__u32 i;

	for (i = 0; i < t->nr_texts; i++)
		free(t->text[i]);
	free(t->text);
	free(t->slot);
}
