// SPDX-License-Identifier: GPL-2.0
/*
 * Folded stacks, one per line, for flamegraph.pl and others: the thread's name and its
 * functions, the outermost first, and nanoseconds or events. Called by report --folded,
 * flame --folded and export --folded.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/folded.h"
#include "cmd/common/sections.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

/**
 * struct folding - output of folded lines
 * @f: the output
 * @s: the recording
 * @kinds: the requested kinds: WP_SECTION_...
 */
struct folding {
	FILE *f;
	struct wp_samples *s;
	unsigned int kinds;
};

/* Print a name in a folded line, without separators and terminal controls. */
static void put_name(FILE *f, const char *name)
{
	char *copy = wp_text_dup(name), *c;

	if (!copy)
		return;
	for (c = copy; *c; c++) {
		if (*c == ';')
			*c = ':';
	}
	fputs(copy, f);
	free(copy);
}

static int fold_line(const struct folding *to, const struct wp_profline *l)
{
	size_t nr, i;
	const __u32 *functions = wp_samples_functions(to->s, l, &nr);

	if (!functions)
		return wp_no_memory("the stacks");
	put_name(to->f, wp_samples_comm(to->s, l));
	for (i = 0; i < nr; i++) {
		const struct wp_function *f = wp_profile_function(to->s->profile, functions[i]);

		fputc(';', to->f);
		put_name(to->f, f->inlined ? f->name : f->label);
		if (f->kernel)
			fputs("_[k]", to->f);
		if (f->inlined)
			fputs("_[i]", to->f);
	}
	return 0;
}

static int fold_section(void *ctx, const struct wp_section *section)
{
	const struct folding *to = ctx;
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
			fputs(";[runnable]", to->f);
		if (to->kinds != section->kind && section->kind == WP_SECTION_BLOCKED)
			fputs(";[blocked]", to->f);
		fprintf(to->f, " %" PRIu64 "\n", (uint64_t)value);
	}
	return 0;
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
 *	kind, as [blocked]
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_folded(FILE *f, struct wp_samples *s, unsigned int kinds)
{
	struct folding to = { .f = f, .s = s, .kinds = kinds };

	/* Explicitly requested kinds are all printed. */
	if (kinds == WP_SECTION_ALL)
		leave_time(s);
	return wp_sections_each(s, kinds, fold_section, &to);
}
