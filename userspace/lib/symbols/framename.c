// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the labels of functions without a name: file and offset, if these are the same in
 * each process and each run.
 *
 * Pure: no I/O, no clock.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/framename.h"

/* Maximum size of the kernel's own text; modules are elsewhere. */
#define KERNEL_TEXT_MAX	(512ULL << 20)

static char *place_in(const char *name, int len, __u64 offset)
{
	char *to;

	return asprintf(&to, "%.*s+0x%" PRIx64, len, name, (uint64_t)offset) < 0 ? NULL : to;
}

/* Memory that programs write code to: its addresses differ between runs. */
static char *memory(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), tail = sizeof(deleted) - 1;
	char *to;

	if (path[0] == '[')
		return strdup(path);
	if (strncmp(path, "/memfd:", 7))
		return strdup("[anon]");
	if (len > tail && !strcmp(path + len - tail, deleted))
		len -= tail;
	return asprintf(&to, "[%.*s]", (int)len - 1, path + 1) < 0 ? NULL : to;
}

/**
 * wp_framename() - label of a function without a name
 * @place: location of the function
 *
 * For a file this is "libc.so.6+0x85f16", for the kernel "[kernel]+0x1234", for a module
 * "[nf_tables]+0x12"; for all code in memory without a file "[anon]", and for an address
 * without a mapping "[unmapped]".
 *
 * Return: the label, to be freed; NULL if there is no memory.
 */
char *wp_framename(const struct wp_frameplace *place)
{
	const char *path = place->path, *slash;
	bool near = place->base && place->offset >= place->base &&
		    place->offset - place->base < KERNEL_TEXT_MAX;

	if (place->kernel)
		return place_in("[kernel]", 8, near ? place->offset - place->base :
				place->offset);
	if (!path)
		return strdup(place->user ? "[unmapped]" : "[guest]");
	if (!place->file)
		return memory(path);
	slash = strrchr(path, '/');
	if (slash && slash[1])
		path = slash + 1;
	return place_in(path, (int)strnlen(path, 4096), place->offset);
}

/**
 * wp_framelabels_get() - look up or add the label of memory
 * @l: the labels
 * @path: name of the mapping; "" if it has none
 *
 * Beyond the limit all others are "[anon]".
 *
 * Return: the label, valid until wp_framelabels_free(); NULL if there is no memory.
 */
const char *wp_framelabels_get(struct wp_framelabels *l, const char *path)
{
	const struct wp_frameplace place = { .path = *path ? path : "//anon", .user = true };
	char *label = wp_framename(&place);
	size_t i;

	for (i = 0; label && i < l->nr && strcmp(l->label[i], label); i++)
		;
	if (!label)
		return NULL;
	if (i < l->nr) {
		free(label);
		return l->label[i];
	}
	if (l->nr == WP_FRAMELABELS_MAX) {
		free(label);
		return "[anon]";
	}
	l->label[l->nr] = label;
	return l->label[l->nr++];
}

/**
 * wp_framelabels_free() - free labels
 * @l: the labels
 */
void wp_framelabels_free(struct wp_framelabels *l)
{
	while (l->nr)
		free(l->label[--l->nr]);
}
