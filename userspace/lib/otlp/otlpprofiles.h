/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles for an OpenTelemetry receiver (OTLP). See otlpprofiles.c.
 *
 *	ret = wp_otlp_new(&otlp, &window);
 *	location = wp_otlp_location(otlp, &frame);		innermost first
 *	stack = wp_otlp_stack(otlp, locations, nr);
 *	attribute = wp_otlp_string(otlp, "thread.name", "worker");
 *	resource = wp_otlp_resource(otlp, labels, nr);
 *	wp_otlp_add(otlp, &sample);
 *	ret = wp_otlp_pack(otlp, &buf);
 *	wp_otlp_free(otlp);
 */
#ifndef WP_LIB_OTLP_OTLPPROFILES_H
#define WP_LIB_OTLP_OTLPPROFILES_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/base/buf.h"
#include "lib/otlp/otlpwindow.h"

/**
 * struct wp_otlp_label - an attribute of a resource
 * @key: its name
 * @value: its value
 */
struct wp_otlp_label {
	const char *key;
	const char *value;
};

/**
 * struct wp_otlp_frame - a frame
 * @file: path of the file, or another name of what is mapped; or NULL
 * @build_id: its build-id in hexadecimal digits, or NULL
 * @address: offset in the file, or the address
 * @function: its name; or NULL
 * @source: source file of the function; or NULL
 * @line: line in it; or 0
 * @type: its profile.frame.type; or NULL
 */
struct wp_otlp_frame {
	const char *file;
	const char *build_id;
	__u64 address;
	const char *function;
	const char *source;
	__u32 line;
	const char *type;
};

/**
 * struct wp_otlp_sample - time of a stack
 * @resource: wp_otlp_resource()
 * @kind: what it is
 * @stack: wp_otlp_stack(), or 0: none
 * @attribute: attributes
 * @nr: their number, at most WP_OTLP_ATTRIBUTES
 * @ns: nanoseconds
 */
struct wp_otlp_sample {
	__u32 resource;
	enum wp_otlp_kind kind;
	__u32 stack;
	const __u32 *attribute;
	unsigned int nr;
	__u64 ns;
};

/**
 * struct wp_otlp_stats - what profiles have
 * @samples: number of samples
 * @resources: of resources
 * @overflowed: samples beyond @max_samples of the window
 * @ns: sums, by enum wp_otlp_kind
 */
struct wp_otlp_stats {
	size_t samples;
	size_t resources;
	__u64 overflowed;
	__u64 ns[WP_OTLP_KINDS];
};

struct wp_otlp;

int wp_otlp_new(struct wp_otlp **out, const struct wp_otlp_window *window);
__u32 wp_otlp_string(struct wp_otlp *o, const char *key, const char *value);
__u32 wp_otlp_number(struct wp_otlp *o, const char *key, __s64 value);
__u32 wp_otlp_resource(struct wp_otlp *o, const struct wp_otlp_label *label, unsigned int nr);
__u32 wp_otlp_location(struct wp_otlp *o, const struct wp_otlp_frame *frame);
__u32 wp_otlp_stack(struct wp_otlp *o, const __u32 *location, unsigned int nr);
void wp_otlp_add(struct wp_otlp *o, const struct wp_otlp_sample *sample);
int wp_otlp_pack(struct wp_otlp *o, struct wp_buf *to);
void wp_otlp_stats(const struct wp_otlp *o, struct wp_otlp_stats *stats);
void wp_otlp_free(struct wp_otlp *o);

#endif /* WP_LIB_OTLP_OTLPPROFILES_H */
