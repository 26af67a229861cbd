// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof export --firefox: samples with their stacks, for profiler.firefox.com: a track
 * for each thread, with its time on a CPU, blocked and runnable; and separate tracks for
 * what it woke, and for events that are not time. The format is the "processed profile
 * format" of https://github.com/firefox-devtools/profiler, src/types/profile.ts, in
 * version 60, which the profiler upgrades to later ones.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/info.h"
#include "cmd/export/export.h"
#include "cmd/graph/graph.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/outfile.h"
#include "lib/base/text.h"

#define VERSION	60
/* Number of time slots by which sums of one stack are separated. */
#define SLOTS	1000

/* Order of the file's list of categories. */
enum category {
	OTHER,
	USER,
	KERNEL,
	BLOCKED,
	RUNNABLE,
};

/* Tracks of a thread: for other events than on-CPU time one each, from TRACK_EVENTS on. */
enum {
	TRACK_TIME,
	TRACK_WAKE,
	TRACK_EVENTS,
};

/**
 * struct row - a sample of a track
 * @thread: number of wp_profile_thread(), less 1
 * @track: the track
 * @slot: the time slot
 * @stack: number in the file's table
 * @off_cpu: blocked or runnable time
 * @value: ns or events
 */
struct row {
	__u32 thread;
	__u32 track;
	__u32 slot;
	__u32 stack;
	bool off_cpu;
	__u64 value;
};

/**
 * struct firefox - the file
 * @j: its JSON writer
 * @samples: the recording
 * @g: its stacks
 * @off: stacks that end in "blocked" or "runnable": struct off_stack
 * @dsos: files of functions
 * @row: samples of all tracks
 * @nr: their number
 */
struct firefox {
	struct wp_json j;
	struct wp_samples samples;
	struct wp_flame_graph g;
	struct wp_intern off;
	struct wp_intern dsos;
	struct row *row;
	size_t nr;
};

struct off_stack {
	__u32 node;
	__u32 category;
};

/*
 * Number of a frame's stack with the category of its off-CPU time as the innermost frame.
 */
static int off_stack(struct firefox *w, __u32 node, enum category category, __u32 *stack)
{
	struct off_stack key = { .node = node, .category = category };
	__u32 nr = wp_intern(&w->off, &key, sizeof(key), NULL);

	*stack = w->g.nodes.nr + nr - 1;
	return nr ? 0 : wp_no_memory("the profile");
}

static bool is_time(const struct firefox *w, __u32 event)
{
	return !strcmp(w->g.event[event].unit, "ns");
}

static int add_row(struct firefox *w, const struct wp_flame_line *l, __u32 track,
		   enum category category, __u64 value)
{
	struct row *row = &w->row[w->nr];

	if (!value)
		return 0;
	*row = (struct row){
		.thread = l->thread,
		.track = track,
		.slot = l->slot,
		.stack = l->node - 1,
		.off_cpu = category != OTHER,
		.value = value,
	};
	w->nr++;
	return category == OTHER ? 0 : off_stack(w, l->node, category, &row->stack);
}

static int by_track(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	if (a->off_cpu != b->off_cpu)
		return a->off_cpu ? -1 : 1;
	return a->stack < b->stack ? -1 : a->stack > b->stack;
}

static __u32 track_of(const struct firefox *w, const struct wp_flame_line *l)
{
	if (l->kind == WP_FLAME_WAKE)
		return TRACK_WAKE;
	return l->event == w->g.chosen && is_time(w, l->event) ? TRACK_TIME :
	       TRACK_EVENTS + l->event;
}

static int make_rows(struct firefox *w)
{
	int err = 0;
	size_t i;

	w->row = calloc(2 * w->g.nr, sizeof(*w->row));
	if (!w->row)
		return wp_no_memory("the profile");
	for (i = 0; i < w->g.nr && !err; i++) {
		const struct wp_flame_line *l = &w->g.line[i];

		if (l->kind == WP_FLAME_OFF) {
			err = add_row(w, l, TRACK_TIME, BLOCKED, l->value - l->runnable);
			if (!err)
				err = add_row(w, l, TRACK_TIME, RUNNABLE, l->runnable);
		} else {
			err = add_row(w, l, track_of(w, l), OTHER, l->value);
		}
	}
	qsort(w->row, w->nr, sizeof(*w->row), by_track);
	return err;
}

/* Length of a time slot in ns. */
static double slot_ns(const struct firefox *w)
{
	const struct wp_profsum *sum = &w->samples.sum;

	return (double)(sum->to - sum->from) / sum->slots;
}

static void put_entry(struct wp_json *j, const char *label, const char *value)
{
	if (!value || !*value)
		return;
	wp_json_open(j, NULL, '{');
	wp_json_string(j, "label", label);
	wp_json_string(j, "format", "string");
	wp_json_string(j, "value", value);
	wp_json_close(j, '}');
}

/* Data for which the format has no place of its own. */
static void put_extra(struct firefox *w)
{
	struct wp_info info;

	wp_info_read(&info, &w->samples);
	wp_json_open(&w->j, "extra", '[');
	wp_json_open(&w->j, NULL, '{');
	wp_json_string(&w->j, "label", "Recording");
	wp_json_open(&w->j, "entries", '[');
	put_entry(&w->j, "Host", info.host);
	put_entry(&w->j, info.written ? "File written" : "Recorded", info.when);
	put_entry(&w->j, "Missing", info.lost);
	wp_json_close(&w->j, ']');
	wp_json_close(&w->j, '}');
	wp_json_close(&w->j, ']');
	wp_info_free(&info);
}

static void put_meta(struct firefox *w)
{
	static const struct {
		const char *name;
		const char *color;
	} categories[] = {
		[OTHER] = { "Other", "grey" },
		[USER] = { "User", "yellow" },
		[KERNEL] = { "Kernel", "orange" },
		[BLOCKED] = { "Blocked", "blue" },
		[RUNNABLE] = { "Runnable", "green" },
	};
	const struct wp_perffile *file = wp_profile_file(w->samples.profile);
	char *release = wp_perffile_string(file, WP_FEAT_OSRELEASE);
	char *arch = wp_perffile_string(file, WP_FEAT_ARCH);
	char *command = wp_perffile_cmdline(file);
	__u64 tod = 0;
	size_t i;

	wp_perffile_time(file, w->samples.sum.from, &tod);
	wp_json_open(&w->j, "meta", '{');
	wp_json_number(&w->j, "version", 29);
	wp_json_number(&w->j, "preprocessedProfileVersion", VERSION);
	wp_json_string(&w->j, "product", "wallprof");
	wp_json_string(&w->j, "importedFrom", "wallprof " WP_VERSION);
	wp_json_number(&w->j, "startTime", tod / 1000000);
	wp_json_millionths(&w->j, "interval", slot_ns(w));
	wp_json_open(&w->j, "sampleUnits", '{');
	wp_json_string(&w->j, "time", "ms");
	wp_json_string(&w->j, "eventDelay", "ms");
	wp_json_string(&w->j, "threadCPUDelta", "ns");
	wp_json_close(&w->j, '}');
	wp_json_number(&w->j, "processType", 0);
	wp_json_number(&w->j, "stackwalk", 1);
	wp_json_bool(&w->j, "symbolicated", true);
	wp_json_bool(&w->j, "sourceCodeIsNotOnSearchfox", true);
	wp_json_bool(&w->j, "usesOnlyOneStackType", true);
	wp_json_string(&w->j, "platform", "Linux");
	wp_json_string(&w->j, "oscpu", release ? release : "");
	wp_json_string(&w->j, "abi", arch ? arch : "");
	wp_json_string(&w->j, "arguments", command ? command : "");
	put_extra(w);
	wp_json_open(&w->j, "markerSchema", '[');
	wp_json_close(&w->j, ']');
	wp_json_open(&w->j, "categories", '[');
	for (i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
		wp_json_open(&w->j, NULL, '{');
		wp_json_string(&w->j, "name", categories[i].name);
		wp_json_string(&w->j, "color", categories[i].color);
		wp_json_open(&w->j, "subcategories", '[');
		wp_json_string(&w->j, NULL, "Other");
		wp_json_close(&w->j, ']');
		wp_json_close(&w->j, '}');
	}
	wp_json_close(&w->j, ']');
	wp_json_close(&w->j, '}');
	free(release);
	free(arch);
	free(command);
}

/* A column with the same value in each row. */
static void put_same(struct wp_json *j, const char *key, size_t nr, long value)
{
	wp_json_open(j, key, '[');
	while (nr--) {
		if (value == LONG_MIN)
			wp_json_null(j, NULL);
		else
			wp_json_signed(j, NULL, value);
	}
	wp_json_close(j, ']');
}

#define NOTHING	LONG_MIN

static void put_numbers(struct wp_json *j, const char *key, size_t nr)
{
	size_t i;

	wp_json_open(j, key, '[');
	for (i = 0; i < nr; i++)
		wp_json_number(j, NULL, i);
	wp_json_close(j, ']');
}

static void put_stacks(struct firefox *w)
{
	const struct wp_flame_graph *g = &w->g;
	__u32 i;

	wp_json_open(&w->j, "stackTable", '{');
	wp_json_number(&w->j, "length", g->nodes.nr + w->off.nr);
	wp_json_open(&w->j, "frame", '[');
	for (i = 1; i <= g->nodes.nr; i++)
		wp_json_number(&w->j, NULL, wp_flame_node(g, i)->item - 1);
	for (i = 1; i <= w->off.nr; i++) {
		const struct off_stack *off = wp_intern_bytes(&w->off, i, NULL);

		wp_json_number(&w->j, NULL, g->items.nr + (off->category == RUNNABLE));
	}
	wp_json_close(&w->j, ']');
	wp_json_open(&w->j, "prefix", '[');
	for (i = 1; i <= g->nodes.nr; i++) {
		if (wp_flame_node(g, i)->parent)
			wp_json_number(&w->j, NULL, wp_flame_node(g, i)->parent - 1);
		else
			wp_json_null(&w->j, NULL);
	}
	for (i = 1; i <= w->off.nr; i++) {
		const struct off_stack *off = wp_intern_bytes(&w->off, i, NULL);

		wp_json_number(&w->j, NULL, off->node - 1);
	}
	wp_json_close(&w->j, ']');
	wp_json_close(&w->j, '}');
}

/* One frame for each function, and two more: blocked and runnable. */
static void put_frames(struct firefox *w)
{
	static const unsigned char categories[] = {
		[WP_FLAME_USER] = USER,
		[WP_FLAME_KERNEL] = KERNEL,
		[WP_FLAME_THREAD] = OTHER,
		[WP_FLAME_NOTE] = BLOCKED,
	};
	size_t nr = w->g.items.nr + 2;
	__u32 i;

	wp_json_open(&w->j, "frameTable", '{');
	wp_json_number(&w->j, "length", nr);
	put_same(&w->j, "address", nr, -1);
	put_same(&w->j, "inlineDepth", nr, 0);
	wp_json_open(&w->j, "category", '[');
	for (i = 1; i <= w->g.items.nr; i++)
		wp_json_number(&w->j, NULL, categories[wp_flame_item(&w->g, i)->type]);
	wp_json_number(&w->j, NULL, BLOCKED);
	wp_json_number(&w->j, NULL, RUNNABLE);
	wp_json_close(&w->j, ']');
	put_same(&w->j, "subcategory", nr, 0);
	put_numbers(&w->j, "func", nr);
	put_same(&w->j, "nativeSymbol", nr, NOTHING);
	put_same(&w->j, "innerWindowID", nr, 0);
	put_same(&w->j, "line", nr, NOTHING);
	put_same(&w->j, "column", nr, NOTHING);
	wp_json_close(&w->j, '}');
}

/* Names are the first strings, followed by names of files. */
static void put_functions(struct firefox *w)
{
	size_t nr = w->g.items.nr + 2, k;
	const char *dso;
	__u32 i;

	wp_json_open(&w->j, "funcTable", '{');
	wp_json_number(&w->j, "length", nr);
	put_numbers(&w->j, "name", nr);
	wp_json_open(&w->j, "isJS", '[');
	for (k = 0; k < nr; k++)
		wp_json_bool(&w->j, NULL, false);
	wp_json_close(&w->j, ']');
	wp_json_open(&w->j, "relevantForJS", '[');
	for (k = 0; k < nr; k++)
		wp_json_bool(&w->j, NULL, false);
	wp_json_close(&w->j, ']');
	wp_json_open(&w->j, "resource", '[');
	for (i = 1; i <= w->g.items.nr; i++) {
		wp_flame_name(&w->g, wp_flame_item(&w->g, i), &dso);
		wp_json_signed(&w->j, NULL, *dso ? (long)wp_intern(&w->dsos, dso,
								   strlen(dso) + 1, NULL) - 1 : -1);
	}
	wp_json_signed(&w->j, NULL, -1);
	wp_json_signed(&w->j, NULL, -1);
	wp_json_close(&w->j, ']');
	put_same(&w->j, "source", nr, NOTHING);
	put_same(&w->j, "lineNumber", nr, NOTHING);
	put_same(&w->j, "columnNumber", nr, NOTHING);
	wp_json_close(&w->j, '}');
}

static void put_resources(struct firefox *w)
{
	size_t nr = w->dsos.nr, i;

	wp_json_open(&w->j, "resourceTable", '{');
	wp_json_number(&w->j, "length", nr);
	/* Libraries. */
	put_same(&w->j, "type", nr, 1);
	put_numbers(&w->j, "lib", nr);
	wp_json_open(&w->j, "name", '[');
	for (i = 0; i < nr; i++)
		wp_json_number(&w->j, NULL, w->g.items.nr + 2 + i);
	wp_json_close(&w->j, ']');
	put_same(&w->j, "host", nr, NOTHING);
	wp_json_close(&w->j, '}');
	wp_json_open(&w->j, "nativeSymbols", '{');
	wp_json_number(&w->j, "length", 0);
	put_same(&w->j, "libIndex", 0, 0);
	put_same(&w->j, "address", 0, 0);
	put_same(&w->j, "name", 0, 0);
	put_same(&w->j, "functionSize", 0, 0);
	wp_json_close(&w->j, '}');
	wp_json_open(&w->j, "sources", '{');
	wp_json_number(&w->j, "length", 0);
	put_same(&w->j, "id", 0, 0);
	put_same(&w->j, "filename", 0, 0);
	wp_json_close(&w->j, '}');
}

static void put_strings(struct firefox *w)
{
	const char *dso;
	__u32 i;

	wp_json_open(&w->j, "stringArray", '[');
	for (i = 1; i <= w->g.items.nr; i++)
		wp_json_string(&w->j, NULL,
			       wp_flame_name(&w->g, wp_flame_item(&w->g, i), &dso));
	wp_json_string(&w->j, NULL, "[blocked]");
	wp_json_string(&w->j, NULL, "[runnable]");
	for (i = 1; i <= w->dsos.nr; i++)
		wp_json_string(&w->j, NULL, wp_intern_bytes(&w->dsos, i, NULL));
	wp_json_close(&w->j, ']');
}

static void put_shared(struct firefox *w)
{
	wp_json_open(&w->j, "shared", '{');
	put_stacks(w);
	put_frames(w);
	put_functions(w);
	put_resources(w);
	put_strings(w);
	wp_json_close(&w->j, '}');
}

static void put_libs(struct firefox *w)
{
	__u32 i;

	wp_json_open(&w->j, "libs", '[');
	for (i = 1; i <= w->dsos.nr; i++) {
		const char *dso = wp_intern_bytes(&w->dsos, i, NULL);

		wp_json_open(&w->j, NULL, '{');
		wp_json_string(&w->j, "arch", "");
		wp_json_string(&w->j, "name", dso);
		wp_json_string(&w->j, "path", dso);
		wp_json_string(&w->j, "debugName", dso);
		wp_json_string(&w->j, "debugPath", dso);
		wp_json_string(&w->j, "breakpadId", "");
		wp_json_null(&w->j, "codeId");
		wp_json_close(&w->j, '}');
	}
	wp_json_close(&w->j, ']');
}

/* Time on a CPU in the slot of the first of rows. */
static double slot_cpu_ns(const struct row *row, size_t nr)
{
	double ns = 0;
	size_t i;

	for (i = 0; i < nr && row[i].slot == row->slot; i++)
		ns += row[i].off_cpu ? 0 : row[i].value;
	return ns;
}

/*
 * A slot's time is divided among its stacks one after the other, in no known order: time on a
 * CPU last, as the viewer has no CPU use without time since the sample before. What was
 * off the CPU may be longer than the slot in which it ended, and gets what is left; and
 * samples may stand for more time on a CPU than a slot has. Events that are not time are at
 * the slot's begin.
 */
static void put_times(struct firefox *w, const struct row *row, size_t nr, bool counts)
{
	double width = slot_ns(w), cpu = 0, scale = 1, at = 0;
	size_t i;

	wp_json_open(&w->j, "time", '[');
	for (i = 0; i < nr; i++) {
		if (!i || row[i].slot != row[i - 1].slot) {
			at = 0;
			cpu = slot_cpu_ns(&row[i], nr - i);
			scale = cpu > width ? width / cpu : 1;
		}
		if (counts)
			at = 0;
		else if (!row[i].off_cpu)
			at += row[i].value * scale;
		else if (at + row[i].value < width - cpu * scale)
			at += row[i].value;
		else
			at = width - cpu * scale;
		wp_json_millionths(&w->j, NULL, row[i].slot * width + at);
	}
	wp_json_close(&w->j, ']');
}

/* Time on a CPU since the sample before: the graph of a thread's CPU use is made of it. */
static void put_cpu_deltas(struct firefox *w, const struct row *row, size_t nr)
{
	size_t i;

	wp_json_open(&w->j, "threadCPUDelta", '[');
	for (i = 0; i < nr; i++)
		wp_json_number(&w->j, NULL, row[i].off_cpu ? 0 : row[i].value);
	wp_json_close(&w->j, ']');
}

static void put_samples(struct firefox *w, const struct row *row, size_t nr)
{
	bool counts = row->track >= TRACK_EVENTS && !is_time(w, row->track - TRACK_EVENTS);
	size_t i;

	wp_json_open(&w->j, "samples", '{');
	wp_json_number(&w->j, "length", nr);
	wp_json_open(&w->j, "stack", '[');
	for (i = 0; i < nr; i++)
		wp_json_number(&w->j, NULL, row[i].stack);
	wp_json_close(&w->j, ']');
	put_times(w, row, nr, counts);
	if (row->track == TRACK_TIME)
		put_cpu_deltas(w, row, nr);
	wp_json_open(&w->j, "weight", '[');
	for (i = 0; i < nr; i++) {
		if (counts)
			wp_json_number(&w->j, NULL, row[i].value);
		else
			wp_json_millionths(&w->j, NULL, row[i].value);
	}
	wp_json_close(&w->j, ']');
	wp_json_string(&w->j, "weightType", counts ? "samples" : "tracing-ms");
	wp_json_close(&w->j, '}');
}

static void put_markers(struct wp_json *j)
{
	static const char *const columns[] = {
		"data", "name", "startTime", "endTime", "phase", "category",
	};
	size_t i;

	wp_json_open(j, "markers", '{');
	wp_json_number(j, "length", 0);
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		put_same(j, columns[i], 0, 0);
	wp_json_close(j, '}');
}

static void put_track(struct firefox *w, const struct row *row, size_t nr)
{
	const struct wp_profile_thread *t =
		wp_profile_thread(w->samples.profile, row->thread + 1);
	char name[400], id[16];

	snprintf(name, sizeof(name), "%s%s%s%s", t->comm, row->track == TRACK_TIME ? "" : " (",
		 row->track >= TRACK_EVENTS ? w->g.event[row->track - TRACK_EVENTS].name :
		 row->track == TRACK_WAKE ? "woke" : "",
		 row->track == TRACK_TIME ? "" : ")");
	snprintf(id, sizeof(id), "%d", t->pid);
	wp_json_open(&w->j, NULL, '{');
	wp_json_string(&w->j, "name", name);
	wp_json_string(&w->j, "processName", t->comm);
	wp_json_string(&w->j, "processType", "default");
	wp_json_bool(&w->j, "isMainThread", t->tid == t->pid && row->track == TRACK_TIME);
	wp_json_string(&w->j, "pid", id);
	wp_json_signed(&w->j, "tid", t->tid);
	wp_json_number(&w->j, "processStartupTime", 0);
	wp_json_null(&w->j, "processShutdownTime");
	wp_json_number(&w->j, "registerTime", 0);
	wp_json_null(&w->j, "unregisterTime");
	put_same(&w->j, "pausedRanges", 0, 0);
	put_markers(&w->j);
	put_samples(w, row, nr);
	wp_json_close(&w->j, '}');
}

static void put_file(struct firefox *w)
{
	size_t first = 0, i;

	wp_json_open(&w->j, NULL, '{');
	put_meta(w);
	put_shared(w);
	put_libs(w);
	wp_json_open(&w->j, "threads", '[');
	for (i = 1; i <= w->nr; i++) {
		if (i < w->nr && w->row[i].thread == w->row[first].thread &&
		    w->row[i].track == w->row[first].track)
			continue;
		put_track(w, &w->row[first], i - first);
		first = i;
	}
	wp_json_close(&w->j, ']');
	wp_json_close(&w->j, '}');
}

static int write_file(struct firefox *w, const char *path)
{
	struct wp_outfile out;
	int err;

	w->j.f = wp_samples_output(&w->samples, &out, path);
	if (!w->j.f)
		return -EIO;
	put_file(w);
	err = wp_outfile_commit(&out);
	if (!err && wp_outfile_has_name(&out))
		wp_text_print(stderr, "[ wallprof export: Wrote %.3f MB %s (%zu sample%s in sum) ]\n",
			      (double)out.bytes / 1024 / 1024, path, w->nr, w->nr == 1 ? "" : "s");
	return err;
}

/**
 * wp_export_firefox() - write a file for the Firefox Profiler
 * @e: the options
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_export_firefox(const struct wp_export *e)
{
	struct firefox w = { 0 };
	int err;

	err = wp_samples_read(&w.samples, &e->samples, SLOTS);
	if (!err)
		err = wp_flame_graph(&w.g, &w.samples, NULL, NULL);
	if (!err)
		err = make_rows(&w);
	if (!err)
		err = write_file(&w, e->output);
	if (!err)
		wp_samples_warn(&w.samples);
	free(w.row);
	wp_intern_free(&w.off);
	wp_intern_free(&w.dsos);
	wp_flame_graph_free(&w.g);
	wp_samples_free(&w.samples);
	return err;
}
