/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of time in a recording, each shown on its own. See sections.c.
 */
#ifndef WP_CMD_COMMON_SECTIONS_H
#define WP_CMD_COMMON_SECTIONS_H

#include <stdbool.h>

#include "cmd/common/samples.h"

/* Kinds, as bits. */
#define WP_SECTION_CPU		1
#define WP_SECTION_RUNNABLE	2
#define WP_SECTION_BLOCKED	4
#define WP_SECTION_WAKER	8
#define WP_SECTION_OTHER	16
#define WP_SECTION_ALL		31

/**
 * struct wp_section - a kind of time, or an event
 * @kind: WP_SECTION_...
 * @event: its event, for CPU, WAKER and OTHER
 * @title: its title
 * @unit: what its values are: "ns", "events", or the field that is summed
 * @by: the field that its samples are summed by, or NULL
 * @ns: values are ns
 * @intervals: counts are intervals, not samples
 */
struct wp_section {
	unsigned int kind;
	__u32 event;
	const char *title;
	const char *unit;
	const char *by;
	bool ns;
	bool intervals;
};

/* A return value other than 0 ends the iteration, and is returned. */
typedef int (*wp_section_fn)(void *ctx, const struct wp_section *section);

const char *wp_section_name(const struct wp_section *section);
int wp_sections_parse(const char *arg, unsigned int *kinds);
void wp_sections_warn(struct wp_samples *s, unsigned int kinds);
int wp_sections_each(const struct wp_samples *s, unsigned int kinds, wp_section_fn fn, void *ctx);
__u64 wp_section_value(const struct wp_section *section, const struct wp_profline *l);
void wp_section_put_title(const struct wp_section *section, __u64 total, __u64 count);
void wp_section_put_scale(const struct wp_section *section, const struct wp_samples *s);
void wp_section_value_text(const struct wp_section *section, __u64 value, char to[32]);
void wp_section_put_value(const struct wp_section *section, __u64 value);

#endif /* WP_CMD_COMMON_SECTIONS_H */
