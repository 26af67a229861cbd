/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of profiles, shared by otlpprofiles.c, otlporder.c and what makes messages of them.
 * Without padding in the structures, since their bytes are compared.
 */
#ifndef WP_LIB_OTLP_OTLPTABLES_H
#define WP_LIB_OTLP_OTLPTABLES_H

#include <stdbool.h>

#include "lib/base/intern.h"
#include "lib/otlp/otlpwindow.h"

/* What has numbers. */
enum wp_otlp_table {
	WP_OTLP_STRINGS,
	WP_OTLP_TEXTS,		/* strings that are values: not in the message's table */
	WP_OTLP_ATTRS,		/* struct wp_otlp_attribute */
	WP_OTLP_RESOURCES,	/* keys and values, each ended by a 0 */
	WP_OTLP_MAPPINGS,	/* struct wp_otlp_mapping */
	WP_OTLP_FUNCTIONS,	/* struct wp_otlp_function */
	WP_OTLP_LOCATIONS,	/* struct wp_otlp_place */
	WP_OTLP_STACKS,		/* numbers of locations */
	WP_OTLP_SAMPLES,	/* struct wp_otlp_key */
	WP_OTLP_TABLES,
};

/**
 * struct wp_otlp_attribute - an attribute
 * @key: string
 * @text: its value if @is_text: number of a text, 0: empty
 * @number: else its value
 * @is_text: 0 or 1
 */
struct wp_otlp_attribute {
	__u32 key;
	__u32 text;
	__s64 number;
	__u64 is_text;
};

/**
 * struct wp_otlp_mapping - a mapped file
 * @file: string
 * @build_id: attribute, or 0
 */
struct wp_otlp_mapping {
	__u32 file;
	__u32 build_id;
};

/**
 * struct wp_otlp_function - a function
 * @name: string
 * @source: string, or 0
 */
struct wp_otlp_function {
	__u32 name;
	__u32 source;
};

/**
 * struct wp_otlp_place - a location
 * @mapping: its mapping, or 0
 * @function: its function, or 0
 * @address: see &struct wp_otlp_frame
 * @line: likewise
 * @type: attribute, or 0
 */
struct wp_otlp_place {
	__u32 mapping;
	__u32 function;
	__u64 address;
	__u32 line;
	__u32 type;
};

/**
 * struct wp_otlp_key - identity of a sample
 * @resource: its resource
 * @kind: enum wp_otlp_kind
 * @stack: its stack, or 0
 * @nr: number of attributes
 * @attribute: attributes
 */
struct wp_otlp_key {
	__u32 resource;
	__u32 kind;
	__u32 stack;
	__u32 nr;
	__u32 attribute[WP_OTLP_ATTRIBUTES];
};

/**
 * struct wp_otlp - profiles
 * @window: their time
 * @table: by enum wp_otlp_table
 * @ns: time, by number of a sample less 1
 * @room: allocated entries of @ns
 * @sum: sums of it, by enum wp_otlp_kind
 * @overflowed: samples that found no place
 * @failed: no memory
 */
struct wp_otlp {
	struct wp_otlp_window window;
	struct wp_intern table[WP_OTLP_TABLES];
	__u64 *ns;
	size_t room;
	__u64 sum[WP_OTLP_KINDS];
	__u64 overflowed;
	bool failed;
};

#endif /* WP_LIB_OTLP_OTLPTABLES_H */
