// SPDX-License-Identifier: GPL-2.0
/*
 * Folded stacks, one per line, for flamegraph.pl and others: the thread's name and its
 * functions, the outermost first, and nanoseconds or events. Threads, causes and wakers
 * that make separate sums are not in a line: each stack has one. Called by report
 * --folded, flame --folded and export --folded.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/folded.h"
#include "cmd/common/sections.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/base/text.h"

/**
 * struct folding - folded lines
 * @s: the recording
 * @kinds: the requested kinds: WP_SECTION_...
 * @others: number of events that are not time
 * @line: the current line, without its sum
 * @lines: all lines
 * @sum: their sums, by their numbers, less 1
 * @room: allocated entries of @sum
 */
struct folding {
	struct wp_samples *s;
	unsigned int kinds;
	unsigned int others;
	struct wp_buf line;
	struct wp_intern lines;
	__u64 *sum;
	size_t room;
};

static void put(struct folding *to, const char *text)
{
	wp_buf_add(&to->line, text, strlen(text));
}

/* Add a name to a line, without separators and terminal controls. */
static void put_name(struct folding *to, const char *name)
{
	char *copy = wp_text_dup(name), *c;

	if (!copy) {
		to->line.failed = -ENOMEM;
		return;
	}
	for (c = copy; *c; c++) {
		if (*c == ';')
			*c = ':';
	}
	put(to, copy);
	free(copy);
}

static int fold_line(struct folding *to, const struct wp_profline *l)
{
	size_t nr, i;
	const __u32 *functions = wp_samples_functions(to->s, l, &nr);

	if (!functions)
		return wp_no_memory("the stacks");
	to->line.len = 0;
	put_name(to, wp_samples_comm(to->s, l));
	for (i = 0; i < nr; i++) {
		const struct wp_function *f = wp_profile_function(to->s->profile, functions[i]);

		put(to, ";");
		put_name(to, f->inlined ? f->name : f->label);
		if (f->kernel)
			put(to, "_[k]");
		if (f->inlined)
			put(to, "_[i]");
	}
	return 0;
}

/* Add to the sum of the current line. */
static int add_sum(struct folding *to, __u64 value)
{
	__u32 nr = to->line.failed ? 0 :
		wp_intern(&to->lines, to->line.data, to->line.len, NULL);

	if (nr > to->room) {
		size_t room = to->room ? 2 * to->room : 1024;
		__u64 *sum = reallocarray(to->sum, room, sizeof(*sum));

		if (!sum)
			return wp_no_memory("the stacks");
		memset(sum + to->room, 0, (room - to->room) * sizeof(*sum));
		to->sum = sum;
		to->room = room;
	}
	if (!nr)
		return wp_no_memory("the stacks");
	to->sum[nr - 1] += value;
	return 0;
}

static int fold_section(void *ctx, const struct wp_section *section)
{
	struct folding *to = ctx;
	size_t i;
	int err;

	for (i = 0; i < to->s->sum.nr; i++) {
		const struct wp_profline *l = &to->s->sum.line[i];
		__u64 value = wp_section_value(section, l);

		if (!value)
			continue;
		err = fold_line(to, l);
		if (err)
			return err;
		if (to->kinds != section->kind && section->kind == WP_SECTION_RUNNABLE)
			put(to, ";[runnable]");
		if (to->kinds != section->kind && section->kind == WP_SECTION_BLOCKED)
			put(to, ";[blocked]");
		if (to->others > 1 && !section->ns) {
			put(to, ";[");
			put_name(to, wp_profile_events(to->s->profile)->event[l->event].name);
			put(to, "]");
		}
		err = add_sum(to, value);
		if (err)
			return err;
	}
	return 0;
}

/* Counts the events of the requested kinds that are not time. */
static int count_others(void *ctx, const struct wp_section *section)
{
	struct folding *to = ctx;
	size_t i;

	for (i = 0; !section->ns && i < to->s->sum.nr; i++) {
		if (wp_section_value(section, &to->s->sum.line[i])) {
			to->others++;
			break;
		}
	}
	return 0;
}

static void print_lines(const struct folding *to, FILE *f)
{
	const char *line;
	size_t i, len;

	for (i = 0; i < to->lines.nr; i++) {
		line = wp_intern_bytes(&to->lines, i + 1, &len);
		fprintf(f, "%.*s %" PRIu64 "\n", (int)len, line, (uint64_t)to->sum[i]);
	}
}

static bool is_time(const struct wp_samples *s, const struct wp_profline *l)
{
	const struct wp_perfevents *events = wp_profile_events(s->profile);

	if (l->kind == WP_PROFILE_CPU)
		return events->event[l->event].attr.type == PERF_TYPE_SOFTWARE;
	return l->kind != WP_PROFILE_OTHER;
}

/* All lines have one unit: if there is time, events that are not time are left out. */
static void leave_time(struct wp_samples *s)
{
	unsigned int gone = 0;
	size_t i, left = 0;

	for (i = 0; i < s->sum.nr; i++)
		left += is_time(s, &s->sum.line[i]);
	if (!left || left == s->sum.nr)
		return;
	for (i = left = 0; i < s->sum.nr; i++) {
		const struct wp_profline *l = &s->sum.line[i];

		if (is_time(s, l))
			s->sum.line[left++] = *l;
		else
			gone |= l->kind == WP_PROFILE_CPU ? WP_SECTION_CPU : WP_SECTION_OTHER;
	}
	s->sum.nr = left;
	wp_warn("events that are not time are left out; use 'report --folded --kinds %s'",
		gone == WP_SECTION_CPU ? "cpu" : gone == WP_SECTION_OTHER ? "other" : "cpu,other");
}

/**
 * wp_folded() - print folded stacks
 * @f: the output; the caller checks it for write errors
 * @s: the recording; lines that are not printed as their unit differs are removed
 * @kinds: kinds to print: WP_SECTION_...; if there are several, lines end with their
 *	kind, as [blocked], or with their event, if there are several that are not time
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_folded(FILE *f, struct wp_samples *s, unsigned int kinds)
{
	struct folding to = { .s = s, .kinds = kinds };
	int err;

	/* Explicitly requested kinds are all printed. */
	if (kinds == WP_SECTION_ALL)
		leave_time(s);
	wp_sections_each(s, kinds, count_others, &to);
	err = wp_sections_each(s, kinds, fold_section, &to);
	if (!err)
		print_lines(&to, f);
	wp_buf_free(&to.line);
	wp_intern_free(&to.lines);
	free(to.sum);
	return err;
}
