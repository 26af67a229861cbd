// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the interned data of a packet sequence: each mapping and frame gets a number, and
 * is written in the packet in which it is new. Called by pfsamples.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/perfetto/pfinterned.h"

/* Limit for an event's interned data, in bytes. */
#define MAX_DICT	(64 << 20)

/* Identity of a mapping. */
struct mapping_key {
	__u64 start;
	__u64 end;
	__u64 offset;
	__u32 path;
	__u32 id;
};

struct frame_key {
	__u64 rel_pc;
	__u32 mapping;
	__u32 name;
};

/**
 * wp_pfinterned_free_news() - free the new data of a packet
 * @n: the data; it has no room after this
 */
void wp_pfinterned_free_news(struct wp_pfnews *n)
{
	free(n->item);
	free(n->paths);
	free(n->ids);
	free(n->names);
	free(n->mappings);
	free(n->frames);
	free(n->frame_ids);
	memset(n, 0, sizeof(*n));
}

/**
 * wp_pfinterned_alloc_news() - make room for the new data of a packet
 * @n: the data, without room
 * @room: number of frames
 *
 * Return: 0 or -ENOMEM.
 */
int wp_pfinterned_alloc_news(struct wp_pfnews *n, size_t room)
{
	n->item = calloc(room, sizeof(*n->item));
	n->paths = calloc(room, sizeof(*n->paths));
	n->ids = calloc(room, sizeof(*n->ids));
	n->names = calloc(room, sizeof(*n->names));
	n->mappings = calloc(room, sizeof(*n->mappings));
	n->frames = calloc(room, sizeof(*n->frames));
	n->frame_ids = calloc(room, sizeof(*n->frame_ids));
	if (!n->item || !n->paths || !n->ids || !n->names || !n->mappings || !n->frames ||
	    !n->frame_ids)
		return -ENOMEM;
	n->room = room;
	return 0;
}

/**
 * wp_pfinterned_begin_news() - begin a packet without new data
 * @n: the data
 */
void wp_pfinterned_begin_news(struct wp_pfnews *n)
{
	pf__interned_data__init(&n->data);
	n->data.mapping_paths = n->paths;
	n->data.build_ids = n->ids;
	n->data.function_names = n->names;
	n->data.mappings = n->mappings;
	n->data.frames = n->frames;
	n->data.callstacks = n->stacks;
}

static void put_string(Pf__InternedString *to, __u32 iid, const void *data, size_t len)
{
	pf__interned_string__init(to);
	to->has_iid = true;
	to->iid = iid;
	to->has_str = true;
	to->str.data = (uint8_t *)data;
	to->str.len = len;
}

static __u32 path_of(struct wp_pfinterned *dict, struct wp_pfnews *n, struct wp_pfitem *item,
		     const char *path)
{
	size_t len = strlen(path);
	bool is_new;
	__u32 nr = wp_intern(&dict->paths, path, len, &is_new);

	if (nr && is_new) {
		put_string(&item->path, nr, path, len);
		n->paths[n->data.n_mapping_paths++] = &item->path;
	}
	return nr;
}

static __u32 id_of(struct wp_pfinterned *dict, struct wp_pfnews *n, struct wp_pfitem *item,
		   const struct wp_buildid *id)
{
	bool is_new;
	__u32 nr = wp_intern(&dict->ids, id->data, id->size, &is_new);

	if (nr && is_new) {
		put_string(&item->id, nr, id->data, id->size);
		n->ids[n->data.n_build_ids++] = &item->id;
	}
	return nr;
}

/* Intern the name of a function; returns its number. */
static __u32 name_of(struct wp_pfinterned *dict, struct wp_pfnews *n, struct wp_pfitem *item,
		     const char *name)
{
	size_t len = strlen(name);
	bool is_new;
	__u32 nr = wp_intern(&dict->names, name, len, &is_new);

	if (nr && is_new) {
		put_string(&item->name, nr, name, len);
		n->names[n->data.n_function_names++] = &item->name;
	}
	return nr;
}

/*
 * Intern a mapping, or the placeholder for one; returns its number, 0 if there is no
 * memory.
 */
static __u32 mapping_of(struct wp_pfinterned *dict, struct wp_pfnews *n,
			struct wp_pfitem *item, const struct wp_memmap *map, const char *path)
{
	struct mapping_key key = { .path = path_of(dict, n, item, path) };
	Pf__Mapping *to = &item->mapping;
	bool is_new;
	__u32 nr;

	if (map) {
		key.start = map->start;
		key.end = map->end;
		key.offset = map->offset;
		key.id = map->id.size ? id_of(dict, n, item, &map->id) : 0;
	}
	if (!key.path || (map && map->id.size && !key.id))
		return 0;
	nr = wp_intern(&dict->mappings, &key, sizeof(key), &is_new);
	if (!nr || !is_new)
		return nr;
	pf__mapping__init(to);
	to->has_iid = true;
	to->iid = nr;
	to->has_build_id = !!key.id;
	to->build_id = key.id;
	to->has_start = !!map;
	to->start = key.start;
	to->has_end = !!map;
	to->end = key.end;
	to->has_exact_offset = !!map;
	to->exact_offset = key.offset;
	item->path_id = key.path;
	to->n_path_string_ids = 1;
	to->path_string_ids = &item->path_id;
	n->mappings[n->data.n_mappings++] = to;
	return nr;
}

/**
 * wp_pfinterned_frame() - intern a frame
 * @dict: the interned data
 * @n: the new data of the packet
 * @item: messages for what is new
 * @map: its mapping, or NULL
 * @path: path of the mapping's file, or the placeholder for one
 * @address: its address
 * @name: name of its function; NULL if unknown
 *
 * Return: its number, 0 if there is no memory.
 */
__u32 wp_pfinterned_frame(struct wp_pfinterned *dict, struct wp_pfnews *n,
			  struct wp_pfitem *item, const struct wp_memmap *map,
			  const char *path, __u64 address, const char *name)
{
	struct frame_key key = { .rel_pc = address };
	bool is_new;
	__u32 nr;

	if (map)
		key.rel_pc = address - map->start + map->offset;
	if (name) {
		key.name = name_of(dict, n, item, name);
		if (!key.name)
			return 0;
	}
	key.mapping = mapping_of(dict, n, item, map, path);
	nr = key.mapping ? wp_intern(&dict->frames, &key, sizeof(key), &is_new) : 0;
	if (!nr || !is_new)
		return nr;
	pf__frame__init(&item->frame);
	item->frame.has_iid = true;
	item->frame.iid = nr;
	item->frame.has_function_name_id = !!key.name;
	item->frame.function_name_id = key.name;
	item->frame.has_mapping_id = true;
	item->frame.mapping_id = key.mapping;
	item->frame.has_rel_pc = true;
	item->frame.rel_pc = key.rel_pc;
	n->frames[n->data.n_frames++] = &item->frame;
	return nr;
}

/**
 * wp_pfinterned_forget() - forget all interned data
 * @dict: the data
 */
void wp_pfinterned_forget(struct wp_pfinterned *dict)
{
	wp_intern_free(&dict->paths);
	wp_intern_free(&dict->ids);
	wp_intern_free(&dict->names);
	wp_intern_free(&dict->mappings);
	wp_intern_free(&dict->frames);
	wp_intern_free(&dict->stacks);
}

/**
 * wp_pfinterned_too_much() - whether the interned data must be dropped
 * @dict: the data
 *
 * Return: true if it is above the limit.
 */
bool wp_pfinterned_too_much(const struct wp_pfinterned *dict)
{
	return wp_intern_memory(&dict->paths) + wp_intern_memory(&dict->ids) +
		wp_intern_memory(&dict->names) + wp_intern_memory(&dict->mappings) +
		wp_intern_memory(&dict->frames) + wp_intern_memory(&dict->stacks) > MAX_DICT;
}
