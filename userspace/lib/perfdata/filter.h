/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of tracepoints, in the kernel's syntax: 'nr_sector > 8 && rwbs ~ "*W*"'. See
 * filter.c.
 */
#ifndef WP_LIB_PERFDATA_FILTER_H
#define WP_LIB_PERFDATA_FILTER_H

#include <stddef.h>

#include <linux/wallprof.h>

#include "lib/perfdata/tracepoint.h"

/**
 * struct wp_filter - a filter as the module takes it
 * @tests: its tests
 * @text: the texts of these
 * @nr: number of @tests
 * @text_bytes: bytes of @text
 */
struct wp_filter {
	struct wallprof_filter_test tests[WALLPROF_MAX_FILTER];
	char text[WALLPROF_MAX_FILTER_TEXT];
	unsigned int nr;
	unsigned int text_bytes;
};

/**
 * struct wp_filter_error - where a filter is wrong
 * @at: its first character that is
 * @what: what is wrong, a sentence without its end
 * @field: there is no such field; empty: it is something else
 */
struct wp_filter_error {
	size_t at;
	char what[128];
	char field[64];
};

int wp_filter_parse(struct wp_filter *filter, const struct wp_tracepoint *tp, const char *text,
		    struct wp_filter_error *error);
int wp_filter_exclude(struct wp_filter *filter, __u32 tgid);

#endif /* WP_LIB_PERFDATA_FILTER_H */
