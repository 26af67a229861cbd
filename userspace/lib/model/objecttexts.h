/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts of objects, with numbers. See objecttexts.c; used by objects.c only.
 */
#ifndef WP_LIB_MODEL_OBJECTTEXTS_H
#define WP_LIB_MODEL_OBJECTTEXTS_H

#include <linux/types.h>

#define WP_OBJECTS_MAX		16384	/* different ones, for the whole recording */
#define WP_OBJECT_TEXT		512	/* bytes of a text; longer ones are cut in front */

/**
 * struct wp_objecttexts - the texts
 * @text: by object, less 1
 * @nr_texts: their number
 * @slot: hash table: index into @text, plus 1
 */
struct wp_objecttexts {
	char **text;
	__u32 nr_texts;
	__u32 *slot;
};

int wp_objecttexts_init(struct wp_objecttexts *t);
int wp_objecttexts_add(struct wp_objecttexts *t, char *text, __u32 *object);
void wp_objecttexts_free(struct wp_objecttexts *t);

#endif /* WP_LIB_MODEL_OBJECTTEXTS_H */
