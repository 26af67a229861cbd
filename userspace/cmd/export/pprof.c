// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof export --pprof: samples with their stacks, for pprof, compressed by gzip. A
 * protobuf message may be written in parts, one after the other, so each sample, frame
 * and function is written on its own, without keeping any.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cmd/common/heldlock.h"
#include "cmd/common/info.h"
#include "cmd/export/samples.h"
#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/base/text.h"
#include "lib/model/ledgerfile.h"
#include "lib/perfdata/eventlist.h"
#include "pprof.pb-c.h"

/* Values of every sample, before those of events that are not time. */
enum {
	VALUE_SAMPLES,
	VALUE_CPU,
	VALUE_OFFCPU,
	VALUE_RUNNABLE,
	VALUE_WAKER,
	FIRST_EVENT,
};

#define MAX_LABELS	10

/**
 * struct writer - a file that is being written
 * @s: the recording
 * @gz: the file
 * @failed: first write error, a negative errno, or 0
 * @strings: the table of strings, by their numbers less 1
 * @mappings: identities of mappings
 * @value_of_event: index of the value of an event, or 0
 * @nr_values: number of values of each sample
 * @value: values of the current sample
 * @location: its frames
 * @room: allocated frames
 */
struct writer {
	struct wp_export_samples s;
	gzFile gz;
	int failed;
	struct wp_intern strings;
	struct wp_intern mappings;
	unsigned int *value_of_event;
	unsigned int nr_values;
	int64_t *value;
	uint64_t *location;
	size_t room;
};

struct mapping_key {
	__u64 start;
	__u64 end;
	__u64 offset;
	__u64 path;
	__u64 build_id;
};

static void put(struct writer *w, const Pprof__Profile *part)
{
	size_t size = pprof__profile__get_packed_size(part);
	uint8_t small[512], *buf = size > sizeof(small) ? malloc(size) : small;

	if (!buf) {
		w->failed = -ENOMEM;
		return;
	}
	pprof__profile__pack(part, buf);
	errno = 0;
	if (size && gzwrite(w->gz, buf, size) != (int)size && !w->failed)
		w->failed = errno ? -errno : -EIO;
	if (buf != small)
		free(buf);
}

/* Number of a string; a new one is written. Invalid UTF-8 is replaced. */
static int64_t string_of(struct writer *w, const char *s)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	ProtobufCBinaryData data;
	bool is_new;
	char *copy = strdup(s);
	__u32 nr;

	if (!copy) {
		w->failed = -ENOMEM;
		return 0;
	}
	wp_text_clean(copy, false);
	nr = wp_intern(&w->strings, copy, strlen(copy), &is_new);
	if (!nr)
		w->failed = -ENOMEM;
	if (nr && is_new) {
		data.data = (uint8_t *)copy;
		data.len = strlen(copy);
		part.n_string_table = 1;
		part.string_table = &data;
		put(w, &part);
	}
	free(copy);
	return nr ? nr - 1 : 0;
}

static void put_type(struct writer *w, const char *type, const char *unit)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT, *values = &value;

	value.has_type = true;
	value.type = string_of(w, type);
	value.has_unit = true;
	value.unit = string_of(w, unit);
	part.n_sample_type = 1;
	part.sample_type = &values;
	put(w, &part);
	w->nr_values++;
}

/* Whether there is a sample of an event; perf's dummy, and ours, have none. */
static bool has_samples(const struct writer *w, unsigned int event)
{
	size_t i;

	for (i = 0; i < w->s.samples.sum.nr; i++) {
		const struct wp_profline *l = &w->s.samples.sum.line[i];

		if (l->event == event && l->kind != WP_PROFILE_OFFCPU)
			return true;
	}
	return false;
}

/* Types of the values; the default is one that has samples. */
static int put_types(struct writer *w)
{
	const struct wp_perfevents *events = wp_profile_events(w->s.samples.profile);
	Pprof__Profile part = PPROF__PROFILE__INIT;
	struct wp_profile_stats stats;
	char field[WP_EVENT_FIELD];
	unsigned int i;

	wp_profile_stats(w->s.samples.profile, &stats);
	put_type(w, "samples", "count");
	put_type(w, "cpu", "nanoseconds");
	put_type(w, "off-cpu", "nanoseconds");
	put_type(w, "runnable", "nanoseconds");
	put_type(w, "wakeup", "nanoseconds");
	w->value_of_event = calloc(events->nr, sizeof(*w->value_of_event));
	if (!w->value_of_event)
		return wp_no_memory("the profile");
	for (i = 0; i < events->nr; i++) {
		enum wp_profile_kind kind = wp_profile_kind(w->s.samples.profile, i);

		if (!has_samples(w, i) ||
		    (kind != WP_PROFILE_OTHER &&
		     (kind != WP_PROFILE_CPU || events->event[i].attr.type == PERF_TYPE_SOFTWARE)))
			continue;
		w->value_of_event[i] = w->nr_values;
		put_type(w, events->event[i].name,
			 wp_event_field(events->event[i].name, field) ? field : "count");
	}
	w->value = calloc(w->nr_values, sizeof(*w->value));
	if (!w->value)
		return wp_no_memory("the profile");
	part.has_default_sample_type = true;
	part.default_sample_type = string_of(w, stats.samples[WP_PROFILE_OFFCPU] ? "off-cpu" :
					     stats.samples[WP_PROFILE_CPU] ? "cpu" : "samples");
	put(w, &part);
	return 0;
}

static void put_functions(struct writer *w)
{
	__u32 i;

	for (i = 1; i <= w->s.nr_functions; i++) {
		const struct wp_function *f = wp_profile_function(w->s.samples.profile, i);
		Pprof__Profile part = PPROF__PROFILE__INIT;
		Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;

		function.has_id = true;
		function.id = i;
		function.has_name = true;
		function.name = string_of(w, f->inlined ? f->name : f->label);
		function.has_system_name = true;
		function.system_name = function.name;
		function.has_filename = true;
		function.filename = string_of(w, f->path);
		part.n_function = 1;
		part.function = &functions;
		put(w, &part);
	}
}

/* In hexadecimal digits, as expected by pprof; 0 if it is unknown. */
static __u64 build_id_of(struct writer *w, const struct wp_buildid *id)
{
	char digits[2 * WP_BUILDID_MAX + 1];
	unsigned int i;

	for (i = 0; i < id->size; i++)
		sprintf(digits + 2 * i, "%02x", id->data[i]);
	return id->size ? string_of(w, digits) : 0;
}

/* Number of a frame's mapping; addresses without a mapping get a placeholder. */
static uint64_t mapping_of(struct writer *w, const struct wp_frame *f, const char *path,
			   const struct wp_buildid *id)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings = &mapping;
	struct mapping_key key = {
		.start = f->map_start,
		.end = f->map_end,
		.offset = f->map_offset,
	};
	bool is_new;

	key.path = string_of(w, path);
	key.build_id = build_id_of(w, id);
	mapping.id = wp_intern(&w->mappings, &key, sizeof(key), &is_new);
	if (!mapping.id)
		w->failed = -ENOMEM;
	if (!mapping.id || !is_new)
		return mapping.id;
	mapping.has_id = true;
	mapping.has_memory_start = true;
	mapping.memory_start = key.start;
	mapping.has_memory_limit = true;
	mapping.memory_limit = key.end ? key.end : UINT64_MAX;
	mapping.has_file_offset = true;
	mapping.file_offset = key.offset;
	mapping.has_filename = true;
	mapping.filename = key.path;
	mapping.has_build_id = true;
	mapping.build_id = key.build_id;
	mapping.has_has_functions = true;
	mapping.has_functions = true;
	mapping.has_has_inline_frames = true;
	mapping.has_inline_frames = w->s.e->samples.symbols.inlines;
	part.n_mapping = 1;
	part.mapping = &mappings;
	put(w, &part);
	return mapping.id;
}

static uint64_t mapping_of_frame(struct writer *w, const struct wp_frame *f, __u32 nr)
{
	struct wp_profile *p = w->s.samples.profile;

	return mapping_of(w, f, wp_profile_function(p, f->function)->path,
			  wp_profile_frame_id(p, nr));
}

static bool is_library(const char *name)
{
	const char *so = strstr(name, ".so");

	return so && (!so[3] || so[3] == '.' || so[3] == ' ');
}

/* A frame of the program in a line, or 0. */
static __u32 program_of(const struct writer *w, const struct wp_profline *l)
{
	struct wp_profile *p = w->s.samples.profile;
	size_t nr;
	const __u32 *frames = wp_profile_stack(p, l->stack, &nr);

	/* From the outermost one on: inner frames may be in libraries. */
	while (nr--) {
		const struct wp_frame *frame = wp_profile_frame(p, frames[nr]);
		const struct wp_function *f;

		if (!frame)
			continue;
		f = wp_profile_function(p, frame->function);
		if (f->path[0] == '/' && f->path[1] != '/' && !is_library(f->dso))
			return frames[nr];
	}
	return 0;
}

/* A frame of the program with the most samples, or 0. */
static int main_program(struct writer *w, __u32 *frame)
{
	struct wp_profile *p = w->s.samples.profile;
	__u64 *samples = calloc(w->s.nr_functions + 1, sizeof(*samples)), most = 0;
	struct wp_intern paths = { 0 };
	size_t i;

	if (!samples)
		return wp_no_memory("the profile");
	for (i = 0; i < w->s.samples.sum.nr; i++) {
		const struct wp_profline *l = &w->s.samples.sum.line[i];
		__u32 at = program_of(w, l), nr;
		const char *path;

		if (!at)
			continue;
		path = wp_profile_function(p, wp_profile_frame(p, at)->function)->path;
		nr = wp_intern(&paths, path, strlen(path), NULL);
		samples[nr] += l->count;
		if (samples[nr] > most) {
			most = samples[nr];
			*frame = at;
		}
	}
	wp_intern_free(&paths);
	free(samples);
	return 0;
}

/*
 * pprof names the profile after the first mapping: the program with the most samples. The
 * kernel comes last, after libraries.
 */
static int put_mappings(struct writer *w)
{
	struct wp_profile *p = w->s.samples.profile;
	__u32 i, main = 0;
	int err = main_program(w, &main);

	if (main)
		mapping_of_frame(w, wp_profile_frame(p, main), main);
	for (i = 1; i <= w->s.nr_frames && !err; i++) {
		const struct wp_frame *f = wp_profile_frame(p, i);

		if (!f)
			err = -ENOMEM;
		else if (wp_profile_function(p, f->function)->path[0] == '/')
			mapping_of_frame(w, f, i);
	}
	return err;
}

static int put_locations(struct writer *w)
{
	struct wp_profile *p = w->s.samples.profile;
	int err = put_mappings(w);
	__u32 i;

	for (i = 1; i <= w->s.nr_frames && !err; i++) {
		const struct wp_frame *f = wp_profile_frame(p, i);
		Pprof__Profile part = PPROF__PROFILE__INIT;
		Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
		Pprof__Line line[WP_SYMBOLS_INLINED + 1], *lines[WP_SYMBOLS_INLINED + 1];
		const __u32 *functions;
		size_t k;

		if (!f)
			return -ENOMEM;
		location.has_id = true;
		location.id = i;
		location.has_mapping_id = true;
		location.mapping_id = mapping_of_frame(w, f, i);
		location.has_address = true;
		location.address = f->address;
		functions = wp_profile_frame_functions(p, f, &location.n_line);
		location.line = lines;
		for (k = 0; k < location.n_line; k++) {
			pprof__line__init(&line[k]);
			line[k].has_function_id = true;
			line[k].function_id = functions[k];
			lines[k] = &line[k];
		}
		part.n_location = 1;
		part.location = &locations;
		put(w, &part);
	}
	return err;
}

static void add_label(struct writer *w, Pprof__Sample *sample, const char *key, const char *str,
		      int64_t num)
{
	Pprof__Label *label = sample->label[sample->n_label];

	if (str && !*str)
		return;
	pprof__label__init(label);
	label->has_key = true;
	label->key = string_of(w, key);
	label->has_str = !!str;
	if (str)
		label->str = string_of(w, str);
	label->has_num = !str;
	label->num = num;
	sample->n_label++;
}

static void set_values(struct writer *w, const struct wp_profline *l)
{
	memset(w->value, 0, w->nr_values * sizeof(*w->value));
	w->value[VALUE_SAMPLES] = l->count;
	if (l->kind == WP_PROFILE_CPU)
		w->value[VALUE_CPU] = l->ns;
	if (l->kind == WP_PROFILE_OFFCPU) {
		w->value[VALUE_OFFCPU] = l->ns;
		w->value[VALUE_RUNNABLE] = l->runnable;
	}
	if (l->kind == WP_PROFILE_WAKER)
		w->value[VALUE_WAKER] = l->ns;
	if (l->kind != WP_PROFILE_OFFCPU && w->value_of_event[l->event])
		w->value[w->value_of_event[l->event]] = l->weight;
}

/*
 * Location of samples without a stack, as those of kernel threads: pprof drops samples
 * without one, and their time.
 */
static void put_no_stack(struct writer *w)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
	Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;

	function.has_id = true;
	function.id = w->s.nr_functions + 1;
	function.has_name = true;
	function.name = string_of(w, "[no stack]");
	function.has_system_name = true;
	function.system_name = function.name;
	line.has_function_id = true;
	line.function_id = function.id;
	location.has_id = true;
	location.id = w->s.nr_frames + 1;
	location.n_line = 1;
	location.line = &lines;
	part.n_function = 1;
	part.function = &functions;
	part.n_location = 1;
	part.location = &locations;
	put(w, &part);
}

static int put_sample(struct writer *w, const struct wp_profline *l)
{
	const struct wp_profile_thread *t = wp_profile_thread(w->s.samples.profile, l->thread);
	const struct wp_profile_cause *cause = wp_profile_cause(w->s.samples.profile, l->cause);
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
	Pprof__Label label[MAX_LABELS], *labels[MAX_LABELS];
	size_t nr, i;
	const __u32 *frames = wp_profile_stack(w->s.samples.profile, l->stack, &nr);

	if (nr >= w->room) {
		uint64_t *p = reallocarray(w->location, nr + 1, sizeof(*p));

		if (!p)
			return wp_no_memory("the profile");
		w->location = p;
		w->room = nr + 1;
	}
	w->location[0] = w->s.nr_frames + 1;
	for (i = 0; i < nr; i++)
		w->location[i] = frames[i];
	for (i = 0; i < MAX_LABELS; i++)
		labels[i] = &label[i];
	sample.label = labels;
	add_label(w, &sample, "thread", wp_samples_comm(&w->s.samples, l), 0);
	add_label(w, &sample, "tid", NULL, t->tid);
	add_label(w, &sample, "pid", NULL, t->pid);
	add_label(w, &sample, "state", cause->state, 0);
	add_label(w, &sample, "reason", cause->reason, 0);
	add_label(w, &sample, "syscall", cause->syscall, 0);
	add_label(w, &sample, "object", cause->object, 0);
	if (wp_heldlock(&w->s.samples, l)) {
		add_label(w, &sample, "lock_owner", cause->owner_comm, 0);
		add_label(w, &sample, "lock_owner_tid", NULL, cause->owner);
	}
	if (cause->by[0])
		add_label(w, &sample, wp_profile_by(w->s.samples.profile, l->event), cause->by, 0);
	set_values(w, l);
	sample.n_location_id = nr ? nr : 1;
	sample.location_id = w->location;
	sample.n_value = w->nr_values;
	sample.value = w->value;
	part.n_sample = 1;
	part.sample = &samples;
	put(w, &part);
	return 0;
}

static void put_comment(struct writer *w, const char *before, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	int64_t comment;
	char *line;

	if (!text || !*text || asprintf(&line, "%s%s", before, text) < 0)
		return;
	comment = string_of(w, line);
	part.n_comment = 1;
	part.comment = &comment;
	put(w, &part);
	free(line);
}

/* Host, time and command of the recording, and what is missing. */
static void put_origin(struct writer *w)
{
	const struct wp_perffile *file = wp_profile_file(w->s.samples.profile);
	Pprof__Profile part = PPROF__PROFILE__INIT;
	struct wp_ledgerfile_head head;
	struct wp_profile_stats stats;
	struct wp_info info;
	__u64 offset, tod;

	wp_profile_stats(w->s.samples.profile, &stats);
	wp_info_read(&info, &w->s.samples);
	put_comment(w, "host ", info.host);
	put_comment(w, "", info.system);
	put_comment(w, "", info.command);
	if (info.written)
		put_comment(w, "file written ", info.when);
	put_comment(w, "", info.lost);
	wp_info_free(&info);
	if (wp_ledgerfile_open(file->fd, &head, &offset)) {
		head.start = stats.first;
		head.stop = stats.last;
	}
	part.has_duration_nanos = true;
	part.duration_nanos = head.stop - head.start;
	part.has_time_nanos = wp_perffile_time(file, head.start, &tod);
	part.time_nanos = part.has_time_nanos ? tod : 0;
	put(w, &part);
}

static int put_file(struct writer *w)
{
	size_t i;
	int err;

	/* The first string must be the empty one. */
	string_of(w, "");
	err = put_types(w);
	if (err)
		return err;
	put_origin(w);
	put_functions(w);
	put_no_stack(w);
	err = put_locations(w);
	for (i = 0; i < w->s.samples.sum.nr && !err; i++)
		err = put_sample(w, &w->s.samples.sum.line[i]);
	return err;
}

/**
 * wp_export_pprof() - write a profile for pprof
 * @e: the options
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_export_pprof(const struct wp_export *e)
{
	struct writer w = { 0 };
	int err, fd;

	err = wp_export_samples_read(&w.s, e);
	if (!err && !wp_samples_output(&w.s.samples, &w.s.out, e->output))
		err = -EIO;
	if (err)
		return wp_export_samples_end(&w.s, err);
	fd = fcntl(w.s.out.fd, F_DUPFD_CLOEXEC, 0);
	w.gz = fd < 0 ? NULL : gzdopen(fd, "wb");
	if (!w.gz) {
		if (fd >= 0)
			close(fd);
		wp_no_memory("the profile");
		return wp_export_samples_end(&w.s, wp_outfile_end(&w.s.out, -ENOMEM));
	}
	err = put_file(&w);
	errno = 0;
	if (gzclose(w.gz) != Z_OK && !w.failed)
		w.failed = errno ? -errno : -EIO;
	if (w.failed && !err) {
		err = w.failed;
		wp_err("could not write all of %s: %s", e->output, strerror(-err));
	}
	err = wp_outfile_end(&w.s.out, err);
	wp_intern_free(&w.strings);
	wp_intern_free(&w.mappings);
	free(w.value_of_event);
	free(w.value);
	free(w.location);
	return wp_export_samples_end(&w.s, err);
}
