/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interned data of the samples in a Perfetto trace. See pfinterned.c; used by pfsamples.c
 * only.
 */
#ifndef WP_LIB_PERFETTO_PFINTERNED_H
#define WP_LIB_PERFETTO_PFINTERNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "lib/base/intern.h"
#include "lib/perfdata/memmaps.h"
#include "lib/perfetto/pfpacket.h"

/**
 * struct wp_pfinterned - interned data of a sequence
 * @paths: names of files
 * @ids: build-ids
 * @names: names of functions
 * @mappings: struct mapping_key
 * @frames: struct frame_key
 * @stacks: numbers of frames, __u32, the outermost first
 */
struct wp_pfinterned {
	struct wp_intern paths;
	struct wp_intern ids;
	struct wp_intern names;
	struct wp_intern mappings;
	struct wp_intern frames;
	struct wp_intern stacks;
};

/* Interned messages that a new frame may need. */
struct wp_pfitem {
	Pf__InternedString path;
	Pf__InternedString id;
	Pf__InternedString name;
	Pf__Mapping mapping;
	Pf__Frame frame;
	uint64_t path_id;
};

/**
 * struct wp_pfnews - interned data that is new in a packet
 * @data: the message, whose arrays are the following
 * @room: allocated frames
 * @item: the messages of the frames
 * @paths: mapping_paths
 * @ids: build_ids
 * @names: function_names
 * @mappings: mappings
 * @frames: frames
 * @frame_ids: the frames of @stack
 * @stack: the stack
 * @stacks: array of one, @stack
 */
struct wp_pfnews {
	Pf__InternedData data;
	size_t room;
	struct wp_pfitem *item;
	Pf__InternedString **paths;
	Pf__InternedString **ids;
	Pf__InternedString **names;
	Pf__Mapping **mappings;
	Pf__Frame **frames;
	uint64_t *frame_ids;
	Pf__Callstack stack;
	Pf__Callstack *stacks[1];
};

void wp_pfinterned_free_news(struct wp_pfnews *n);
int wp_pfinterned_alloc_news(struct wp_pfnews *n, size_t room);
void wp_pfinterned_begin_news(struct wp_pfnews *n);
__u32 wp_pfinterned_frame(struct wp_pfinterned *dict, struct wp_pfnews *n,
			  struct wp_pfitem *item, const struct wp_memmap *map,
			  const char *path, __u64 address, const char *name);
void wp_pfinterned_forget(struct wp_pfinterned *dict);
bool wp_pfinterned_too_much(const struct wp_pfinterned *dict);

#endif /* WP_LIB_PERFETTO_PFINTERNED_H */
