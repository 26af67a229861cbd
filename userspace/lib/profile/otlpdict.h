/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of a message of OTLP profiles, and the fields of its messages. See
 * otlpdict.c; for otlpfile.c.
 */
#ifndef WP_LIB_PROFILE_OTLPDICT_H
#define WP_LIB_PROFILE_OTLPDICT_H

#include <sys/types.h>

#include "lib/profile/stackfile.h"
#include "otlp-profiles.pb-c.h"

/* Limit of a name; longer ones are cut. */
#define WP_OTLPDICT_NAME	4096

/**
 * struct wp_otlpfield - a field of a message
 * @nr: its number
 * @at: its bytes; NULL: it is a number
 * @len: their number
 * @value: the number
 */
struct wp_otlpfield {
	unsigned int nr;
	const __u8 *at;
	size_t len;
	__u64 value;
};

/**
 * struct wp_otlparray - a growing array
 * @data: its entries
 * @nr: their number
 * @room: allocated entries
 */
struct wp_otlparray {
	void *data;
	size_t nr;
	size_t room;
};

/**
 * struct wp_otlpdict - tables of a message
 * @s: where functions are added
 * @strings: struct string
 * @functions: struct function
 * @mappings: numbers of strings, __s32
 * @attributes: struct attribute
 * @texts: values of attributes
 * @locations: struct run in @frames
 * @frames: numbers of functions, __u32
 * @stacks: struct run in @places
 * @places: numbers of locations, __s32
 * @no_stack: number of the function that stands for no stack, or 0
 * @stack: the current stack
 * @name: buffer for a name
 * @file: the same
 */
struct wp_otlpdict {
	struct wp_stackfile *s;
	struct wp_otlparray strings;
	struct wp_otlparray functions;
	struct wp_otlparray mappings;
	struct wp_otlparray attributes;
	struct wp_intern texts;
	struct wp_otlparray locations;
	struct wp_otlparray frames;
	struct wp_otlparray stacks;
	struct wp_otlparray places;
	__u32 no_stack;
	__u32 stack[WP_STACKFILE_FRAMES];
	char name[WP_OTLPDICT_NAME];
	char file[WP_OTLPDICT_NAME];
};

typedef int (*wp_otlpfield_fn)(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx);

int wp_otlpdict_invalid(const struct wp_otlpdict *d, const char *what);
int wp_otlpdict_walk(struct wp_otlpdict *d, const __u8 *data, size_t size, wp_otlpfield_fn fn,
		     void *ctx);
void *wp_otlpdict_unpack(struct wp_otlpdict *d, const ProtobufCMessageDescriptor *type,
			 const struct wp_otlpfield *f);
int wp_otlpdict_read(struct wp_otlpdict *d, const __u8 *data, size_t size);
const char *wp_otlpdict_string(const struct wp_otlpdict *d, __s32 nr, char to[WP_OTLPDICT_NAME]);
int wp_otlpdict_attribute(struct wp_otlpdict *d, __s32 nr, __s64 *number);
ssize_t wp_otlpdict_stack(struct wp_otlpdict *d, __s32 nr);
void wp_otlpdict_free(struct wp_otlpdict *d);

#endif /* WP_LIB_PROFILE_OTLPDICT_H */
