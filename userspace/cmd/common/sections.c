// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the kinds of time in a recording, and the value of a line for each. Called by the
 * commands that show one after the other.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/screen.h"
#include "cmd/common/sections.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/perfdata/byfield.h"
#include "lib/perfdata/eventlist.h"

/* In the order of their bits. */
static const char *const names[] = { "cpu", "runnable", "blocked", "waker", "other" };

#define NR_NAMES	(sizeof(names) / sizeof(names[0]))

/**
 * wp_section_name() - name of a section's kind
 * @section: the section
 *
 * Return: the name, as for --kinds.
 */
const char *wp_section_name(const struct wp_section *section)
{
	return names[__builtin_ctz(section->kind)];
}

/**
 * wp_sections_parse() - parse --kinds
 * @arg: names of kinds, separated by commas
 * @kinds: set to WP_SECTION_...
 *
 * Return: 0 or -EINVAL; a message was printed.
 */
int wp_sections_parse(const char *arg, unsigned int *kinds)
{
	const char *at = arg;
	size_t len, i;

	*kinds = 0;
	do {
		len = strcspn(at, ",");
		for (i = 0; i < NR_NAMES; i++) {
			if (len == strlen(names[i]) && !strncmp(at, names[i], len))
				break;
		}
		if (i == NR_NAMES) {
			wp_err("--kinds must be a list of cpu, runnable, blocked, waker, other, not '%s'",
			       arg);
			return -EINVAL;
		}
		*kinds |= 1U << i;
		at += len;
	} while (*at++);
	return 0;
}

/**
 * wp_section_value() - value of a line for a section
 * @section: the section
 * @l: the line
 *
 * Return: ns or events; 0: it is not part of it.
 */
__u64 wp_section_value(const struct wp_section *section, const struct wp_profline *l)
{
	switch (section->kind) {
	case WP_SECTION_BLOCKED:
		return l->kind == WP_PROFILE_OFFCPU ? wp_profline_blocked(l) : 0;
	case WP_SECTION_RUNNABLE:
		return l->kind == WP_PROFILE_OFFCPU ? l->runnable : 0;
	}
	if (l->event != section->event || l->kind == WP_PROFILE_OFFCPU)
		return 0;
	return section->ns ? l->ns : l->weight;
}

/**
 * wp_sections_each() - iterate over the sections of a recording
 * @s: the recording
 * @kinds: kinds to visit: WP_SECTION_...
 * @fn: called for each
 * @ctx: passed to @fn
 *
 * Return: 0, or what @fn returned.
 */
int wp_sections_each(const struct wp_samples *s, unsigned int kinds, wp_section_fn fn, void *ctx)
{
	static const unsigned int of_kind[WP_PROFILE_KINDS] = {
		[WP_PROFILE_CPU] = WP_SECTION_CPU,
		[WP_PROFILE_WAKER] = WP_SECTION_WAKER,
		[WP_PROFILE_OTHER] = WP_SECTION_OTHER,
	};
	const bool intervals = wp_profile_has_causes(s->profile);
	const struct wp_section off[] = {
		{ .kind = WP_SECTION_RUNNABLE, .title = "runnable", .unit = "ns", .ns = true,
		  .intervals = intervals },
		{ .kind = WP_SECTION_BLOCKED, .title = "blocked", .unit = "ns", .ns = true,
		  .intervals = intervals },
	};
	const struct wp_perfevents *events = wp_profile_events(s->profile);
	unsigned int i, kind;
	int err = 0;

	for (i = 0; i < events->nr && !err; i++) {
		enum wp_profile_kind is = wp_profile_kind(s->profile, i);
		const struct wp_perfevent *event = &events->event[i];
		struct wp_section section = { .event = i, .by = wp_profile_by(s->profile, i) };
		char name[256], title[400], field[WP_EVENT_FIELD];

		kind = of_kind[is];
		if (!(kind & kinds))
			continue;
		section.kind = kind;
		section.ns = is == WP_PROFILE_WAKER || (is == WP_PROFILE_CPU &&
			event->attr.type == PERF_TYPE_SOFTWARE);
		snprintf(name, sizeof(name), "%s", event->name);
		if (section.by)
			wp_byfield_cut(name);
		snprintf(title, sizeof(title), "%s%s%s%s", is == WP_PROFILE_CPU ? "on-CPU, by " :
			 is == WP_PROFILE_WAKER ? "woke what was blocked, " : "", name,
			 section.by ? " by " : "", section.by ? section.by : "");
		section.title = title;
		section.unit = section.ns ? "ns" : wp_event_field(name, field) ? field : "events";
		err = fn(ctx, &section);
	}
	for (i = 0; i < sizeof(off) / sizeof(off[0]) && !err; i++) {
		if (kinds & off[i].kind)
			err = fn(ctx, &off[i]);
	}
	return err;
}

/* Ends the iteration at the first section that has anything. */
static int has_value(void *ctx, const struct wp_section *section)
{
	const struct wp_samples *s = ctx;
	size_t i;

	for (i = 0; i < s->sum.nr; i++) {
		if (wp_section_value(section, &s->sum.line[i]))
			return 1;
	}
	return 0;
}

/**
 * wp_sections_warn() - print that there is nothing of the requested kinds
 * @s: the recording
 * @kinds: the requested kinds: WP_SECTION_...
 */
void wp_sections_warn(struct wp_samples *s, unsigned int kinds)
{
	if (kinds != WP_SECTION_ALL && s->sum.nr && !wp_sections_each(s, kinds, has_value, s))
		wp_warn("%s has no samples of the kinds of --kinds", s->o->input);
}

/**
 * wp_section_put_title() - print the title and the total of a section
 * @section: the section
 * @total: ns or events
 * @count: samples or intervals
 */
void wp_section_put_title(const struct wp_section *section, __u64 total, __u64 count)
{
	char title[512], amount[32];

	wp_text_show(title, sizeof(title), section->title, false);
	if (section->ns)
		snprintf(amount, sizeof(amount), "%.6f s", (double)total / 1e9);
	else
		snprintf(amount, sizeof(amount), "%" PRIu64, (uint64_t)total);
	wp_screen_line("# %s: %s in %" PRIu64 " %s%s", title, amount, (uint64_t)count,
		       section->intervals ? "interval" : "sample", count == 1 ? "" : "s");
}

/**
 * wp_section_put_scale() - print how samples were scaled, if they were
 * @section: the section
 * @s: the recording
 */
void wp_section_put_scale(const struct wp_section *section, const struct wp_samples *s)
{
	struct wp_samples_scale scale;

	if (section->kind != WP_SECTION_CPU || section->event != s->clock ||
	    !wp_samples_scale(s, &scale))
		return;
	wp_screen_line("# samples stand for %.6f of %.6f s run: scaled, thread by thread",
		       (double)scale.sampled_ns / 1e9, (double)scale.run_ns / 1e9);
	if (scale.without_ns)
		wp_screen_line("# %.6f s of threads that were never sampled have no stack",
			       (double)scale.without_ns / 1e9);
}

/**
 * wp_section_value_text() - format a value, in 16 columns
 * @section: the section
 * @value: ns or events
 * @to: set to the text
 */
void wp_section_value_text(const struct wp_section *section, __u64 value, char to[32])
{
	if (section->ns)
		snprintf(to, 32, "%14.6f s", (double)value / 1e9);
	else
		snprintf(to, 32, "%16" PRIu64, (uint64_t)value);
}

/**
 * wp_section_put_value() - print a value
 * @section: the section
 * @value: ns or events
 */
void wp_section_put_value(const struct wp_section *section, __u64 value)
{
	char text[32];

	wp_section_value_text(section, value, text);
	fputs(text, stdout);
}
