// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof export --speedscope: samples with their stacks, for speedscope.app: a profile
 * for each kind of time, whose outermost frames are the names of threads. The format is
 * that of https://www.speedscope.app/file-format-schema.json.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/info.h"
#include "cmd/export/samples.h"
#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/base/json.h"
#include "lib/perfdata/eventlist.h"

/**
 * struct part - a profile of the file
 * @name: its name
 * @unit: unit of its weights
 * @value: returns a line's value for it
 * @event: an event, or -1
 */
struct part {
	const char *name;
	const char *unit;
	__u64 (*value)(const struct wp_profline *l);
	int event;
};

/**
 * struct speedscope - a file that is being written
 * @s: the recording
 * @j: its JSON writer
 * @comms: names of threads; their frames follow the functions'
 * @parts: number of profiles so far
 */
struct speedscope {
	struct wp_export_samples s;
	struct wp_json j;
	struct wp_intern comms;
	unsigned int parts;
};

static __u64 blocked(const struct wp_profline *l)
{
	return l->kind == WP_PROFILE_OFFCPU ? wp_profline_blocked(l) : 0;
}

static __u64 runnable(const struct wp_profline *l)
{
	return l->kind == WP_PROFILE_OFFCPU ? l->runnable : 0;
}

static __u64 time_of(const struct wp_profline *l)
{
	return l->ns;
}

static __u64 weight_of(const struct wp_profline *l)
{
	return l->weight;
}

static __u64 value_of(const struct part *part, const struct wp_profline *l)
{
	if (part->event >= 0 &&
	    (l->event != (__u32)part->event || l->kind == WP_PROFILE_OFFCPU))
		return 0;
	return part->value(l);
}

static __u32 comm_of(struct speedscope *w, const struct wp_profline *l)
{
	const char *comm = wp_samples_comm(&w->s.samples, l);

	return wp_intern(&w->comms, comm, strlen(comm) + 1, NULL);
}

static int put_frames(struct speedscope *w)
{
	__u32 i;

	for (i = 0; i < w->s.samples.sum.nr; i++) {
		if (!comm_of(w, &w->s.samples.sum.line[i]))
			return wp_no_memory("the names of threads");
	}
	wp_json_open(&w->j, "shared", '{');
	wp_json_open(&w->j, "frames", '[');
	for (i = 1; i <= w->s.nr_functions; i++) {
		const struct wp_function *f = wp_profile_function(w->s.samples.profile, i);

		wp_json_open(&w->j, NULL, '{');
		wp_json_string(&w->j, "name", f->label);
		wp_json_string(&w->j, "file", f->path);
		wp_json_close(&w->j, '}');
	}
	for (i = 1; i <= w->comms.nr; i++) {
		wp_json_open(&w->j, NULL, '{');
		wp_json_string(&w->j, "name", wp_intern_bytes(&w->comms, i, NULL));
		wp_json_close(&w->j, '}');
	}
	wp_json_close(&w->j, ']');
	wp_json_close(&w->j, '}');
	return 0;
}

static int put_stack(struct speedscope *w, const struct wp_profline *l)
{
	size_t nr;
	const __u32 *functions = wp_profile_stack_functions(w->s.samples.profile, l->stack, &nr);

	if (l->stack && !functions)
		return -ENOMEM;
	wp_json_open(&w->j, NULL, '[');
	wp_json_number(&w->j, NULL, w->s.nr_functions + comm_of(w, l) - 1);
	while (nr--)
		wp_json_number(&w->j, NULL, functions[nr] - 1);
	wp_json_close(&w->j, ']');
	return 0;
}

static int put_part(struct speedscope *w, const struct part *part)
{
	__u64 total = 0;
	int err = 0;
	size_t i;

	for (i = 0; i < w->s.samples.sum.nr; i++)
		total += value_of(part, &w->s.samples.sum.line[i]);
	if (!total)
		return 0;
	w->parts++;
	wp_json_open(&w->j, NULL, '{');
	wp_json_string(&w->j, "type", "sampled");
	wp_json_string(&w->j, "name", part->name);
	wp_json_string(&w->j, "unit", part->unit);
	wp_json_number(&w->j, "startValue", 0);
	wp_json_number(&w->j, "endValue", total);
	wp_json_open(&w->j, "samples", '[');
	for (i = 0; i < w->s.samples.sum.nr && !err; i++) {
		if (value_of(part, &w->s.samples.sum.line[i]))
			err = put_stack(w, &w->s.samples.sum.line[i]);
	}
	wp_json_close(&w->j, ']');
	wp_json_open(&w->j, "weights", '[');
	for (i = 0; i < w->s.samples.sum.nr; i++) {
		__u64 value = value_of(part, &w->s.samples.sum.line[i]);

		if (value)
			wp_json_number(&w->j, NULL, value);
	}
	wp_json_close(&w->j, ']');
	wp_json_close(&w->j, '}');
	return err;
}

static int put_parts(struct speedscope *w)
{
	static const struct part off[] = {
		{ "blocked", "nanoseconds", blocked, -1 },
		{ "runnable", "nanoseconds", runnable, -1 },
	};
	const struct wp_perfevents *events = wp_profile_events(w->s.samples.profile);
	unsigned int i;
	int err = 0;

	for (i = 0; i < events->nr && !err; i++) {
		enum wp_profile_kind kind = wp_profile_kind(w->s.samples.profile, i);
		const struct perf_event_attr *attr = &events->event[i].attr;
		bool ns = kind == WP_PROFILE_WAKER || (kind == WP_PROFILE_CPU &&
			attr->type == PERF_TYPE_SOFTWARE);
		/* The other units that it knows are of time. */
		char field[WP_EVENT_FIELD] = "";
		bool bytes = wp_event_field(events->event[i].name, field) &&
			     !strcmp(field, "bytes");
		const struct part part = {
			.name = events->event[i].name,
			.unit = ns ? "nanoseconds" : bytes ? "bytes" : "none",
			.value = ns ? time_of : weight_of,
			.event = i,
		};

		if (kind != WP_PROFILE_OFFCPU && kind != WP_PROFILE_RUNNABLE)
			err = put_part(w, &part);
	}
	for (i = 0; i < sizeof(off) / sizeof(off[0]) && !err; i++)
		err = put_part(w, &off[i]);
	return err;
}

/* Description of the recording and its losses: the format has no other place for it. */
static void put_name(struct speedscope *w)
{
	struct wp_info info;
	char *name = NULL;

	wp_info_read(&info, &w->s.samples);
	if (asprintf(&name, "%s (%s, %s%s%s)%s%s, by %s", w->s.e->samples.input,
		     info.host ? info.host : "", info.system ? info.system : "",
		     *info.when ? ", " : "", info.when, *info.lost ? ": " : "",
		     info.lost, info.command ? info.command : "an unknown command") < 0)
		name = NULL;
	wp_json_string(&w->j, "name", name ? name : w->s.e->samples.input);
	free(name);
	wp_info_free(&info);
}

static int put_file(struct speedscope *w)
{
	int err;

	wp_json_open(&w->j, NULL, '{');
	wp_json_string(&w->j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	wp_json_string(&w->j, "exporter", "wallprof " WP_VERSION);
	put_name(w);
	err = put_frames(w);
	if (!err) {
		wp_json_open(&w->j, "profiles", '[');
		err = put_parts(w);
		wp_json_close(&w->j, ']');
	}
	wp_json_close(&w->j, '}');
	return err;
}

/**
 * wp_export_speedscope() - write a file for speedscope
 * @e: the options
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_export_speedscope(const struct wp_export *e)
{
	struct speedscope w = { 0 };
	int err;

	err = wp_export_samples_read(&w.s, e);
	if (!err) {
		w.j.f = wp_samples_output(&w.s.samples, &w.s.out, e->output);
		err = w.j.f ? wp_outfile_end(&w.s.out, put_file(&w)) : -EIO;
	}
	wp_intern_free(&w.comms);
	return wp_export_samples_end(&w.s, err);
}
