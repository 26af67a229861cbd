// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the samples of a perf.data: for each the thread with its name, the stack, the
 * kind of time, and, for wallprof's own recordings, the cause. Called by
 * the commands that show or convert profiles.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/model/comms.h"
#include "lib/model/ledgerfile.h"
#include "lib/perfdata/rawsample.h"
#include "lib/profile/profby.h"
#include "lib/profile/profcause.h"
#include "lib/profile/profile.h"
#include "lib/profile/profstacks.h"
#include "lib/profile/stackfile.h"

/**
 * struct event - an event, and the fields of its raw payload
 * @kind: kind of its samples
 * @is_time: their period is in ns
 * @each_ns: nanoseconds that each represents; 0: unknown
 * @fields: those of its raw payload that are causes
 * @by: what its samples are summed by
 */
struct event {
	enum wp_profile_kind kind;
	bool is_time;
	__u64 each_ns;
	struct wp_profcause_fields fields;
	struct wp_profby by;
};

/**
 * struct wp_profile - a recording
 * @file: the file
 * @other: a file of another format, which was read; NULL: it is a perf.data, with what
 *	follows
 * @records: its records
 * @maps: its processes' mappings
 * @comms: names of threads
 * @stacks: stacks
 * @event: its events
 * @names: what the names of causes are found by
 * @threads: struct wp_profile_thread
 * @causes: struct wp_profile_cause
 * @stats: statistics
 * @fn: callback for samples
 * @ctx: for @fn
 */
struct wp_profile {
	struct wp_perffile file;
	struct wp_stackfile *other;
	struct wp_perfrecords *records;
	struct wp_memmaps *maps;
	struct wp_comms comms;
	struct wp_profstacks *stacks;
	struct event *event;
	struct wp_profcauses names;
	struct wp_intern threads;
	struct wp_intern causes;
	struct wp_profile_stats stats;
	wp_profile_fn fn;
	void *ctx;
};

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_cycles(const struct wp_perfevent *event)
{
	return (event->attr.type == PERF_TYPE_HARDWARE &&
		(__u32)event->attr.config == PERF_COUNT_HW_CPU_CYCLES) ||
	       !strncmp(event->name, "cycles", 6) || strstr(event->name, "/cycles/") ||
	       strstr(event->name, "/cpu-cycles/");
}

/* Compare a name that may have perf's modifiers appended. */
static bool is_named(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	return !strncmp(name, wanted, len) && (!name[len] || name[len] == ':');
}

static void set_event(struct event *to, const struct wp_perfevent *event, bool ours)
{
	const struct wp_tracepoint *tp = event->tracepoint;

	to->kind = WP_PROFILE_OTHER;
	if (is_named(event->name, "offcpu-time"))
		to->kind = WP_PROFILE_OFFCPU;
	else if (is_named(event->name, "runnable-time"))
		to->kind = WP_PROFILE_RUNNABLE;
	else if (is_named(event->name, "wakeup-time"))
		to->kind = WP_PROFILE_WAKER;
	else if (is_clock(&event->attr) || is_cycles(event))
		to->kind = WP_PROFILE_CPU;
	to->is_time = to->kind != WP_PROFILE_OTHER &&
		(to->kind != WP_PROFILE_CPU || is_clock(&event->attr));
	/*
	 * With a frequency the kernel adapts the period to this; our samples represent
	 * many overflows.
	 */
	if (to->kind == WP_PROFILE_CPU && !to->is_time && event->attr.freq && !ours &&
	    event->attr.sample_freq)
		to->each_ns = 1000000000 / event->attr.sample_freq;
	to->fields.is_short = event->attr.type == PERF_TYPE_SOFTWARE &&
		event->attr.sample_type & PERF_SAMPLE_RAW &&
		(to->kind == WP_PROFILE_OFFCPU || to->kind == WP_PROFILE_RUNNABLE);
	wp_profby_set(&to->by, event);
	if (!tp || strcmp(tp->system, WP_RAW_SYSTEM) || strcmp(tp->name, WP_RAW_NAME))
		return;
	wp_profcause_fields(&to->fields, tp);
}

/**
 * wp_profile_is_sums() - whether samples of the recording are sums
 * @p: the recording
 *
 * Return: true if it is of wallprof: how many samples there were is not known, except of
 * events whose period was 1.
 */
bool wp_profile_is_sums(const struct wp_profile *p)
{
	struct wp_ledgerfile_head head;
	__u64 offset;

	return !wp_ledgerfile_open(p->file.fd, &head, &offset);
}

static int set_events(struct wp_profile *p)
{
	const struct wp_perfevents *events = wp_profile_events(p);
	bool ours = wp_profile_is_sums(p);
	unsigned int i;

	p->event = calloc(events->nr, sizeof(*p->event));
	if (!p->event)
		return wp_no_memory("the samples of the recording");
	for (i = 0; i < events->nr; i++)
		set_event(&p->event[i], &events->event[i], ours);
	return 0;
}

/* Open a perf.data. */
static int open_perf(struct wp_profile *p, const char *path,
		     const struct wp_symbols_options *options)
{
	struct wp_symbols_options names = *options;
	char *release;
	int err;

	err = wp_perffile_open(&p->file, path);
	if (!err)
		err = wp_perfrecords_open(&p->records, &p->file, path);
	if (!err)
		err = set_events(p);
	if (err)
		return err;
	release = wp_perffile_string(&p->file, WP_FEAT_OSRELEASE);
	if (!names.release)
		names.release = release;
	p->names.arch = wp_perffile_string(&p->file, WP_FEAT_ARCH);
	p->maps = wp_memmaps_new(&p->file);
	err = p->maps ? wp_profstacks_new(&p->stacks, p->maps, &names) : -ENOMEM;
	p->names.stacks = p->stacks;
	p->names.comms = &p->comms;
	free(release);
	return err;
}

/**
 * wp_profile_open() - open a recording: a perf.data, or a file that stackfile.c reads
 * @out: set to the recording, to be closed with wp_profile_close()
 * @path: the file's name
 * @options: options for symbol lookups
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_profile_open(struct wp_profile **out, const char *path,
		    const struct wp_symbols_options *options)
{
	struct wp_profile *p = calloc(1, sizeof(*p));
	int err = 0;

	if (!p)
		return wp_no_memory("the samples of the recording");
	if (wp_perffile_open_other(&p->file, path))
		err = wp_stackfile_open(&p->other, p->file.fd, path, &p->threads, &p->causes);
	if (!err && p->other)
		err = set_events(p);
	if (!err && !p->other) {
		wp_perffile_close(&p->file);
		err = open_perf(p, path, options);
	}
	if (err) {
		wp_profile_close(p);
		return err;
	}
	*out = p;
	return 0;
}

/**
 * wp_profile_file() - the file
 * @p: the recording
 *
 * Return: the file, for its header and features.
 */
const struct wp_perffile *wp_profile_file(const struct wp_profile *p)
{
	return &p->file;
}

/**
 * wp_profile_events() - the events
 * @p: the recording
 *
 * Return: its events.
 */
const struct wp_perfevents *wp_profile_events(const struct wp_profile *p)
{
	return p->other ? &p->other->events : wp_perfrecords_events(p->records);
}

/**
 * wp_profile_length() - length of a recording that is no perf.data
 * @p: the recording
 * @ns: set to its length; 0: unknown
 *
 * All of its samples have that as their time.
 *
 * Return: false if it is a perf.data.
 */
bool wp_profile_length(const struct wp_profile *p, __u64 *ns)
{
	if (p->other)
		*ns = p->other->duration;
	return p->other;
}

/**
 * wp_profile_kind() - kind of an event's samples
 * @p: the recording
 * @event: index in wp_profile_events()
 *
 * Return: the kind.
 */
enum wp_profile_kind wp_profile_kind(const struct wp_profile *p, unsigned int event)
{
	return p->event[event].kind;
}

/**
 * wp_profile_by() - the field that an event's samples are summed by
 * @p: the recording
 * @event: index in wp_profile_events()
 *
 * Return: the field's name; NULL if there is none.
 */
const char *wp_profile_by(const struct wp_profile *p, unsigned int event)
{
	const struct wp_tracepoint_field *f = p->event[event].by.field;

	return f ? f->name : NULL;
}

/* Look up or add a sample's thread; returns its number, 0 if there is no memory. */
static __u32 thread_of(struct wp_profile *p, const struct wp_perfrecord *rec)
{
	struct wp_profile_thread t = { .pid = rec->pid, .tid = rec->tid };
	const char *comm = rec->tid > 0 ? wp_comms_find(&p->comms, rec->tid) : NULL;

	if (!rec->tid && !rec->pid)
		comm = "swapper";
	if (comm)
		snprintf(t.comm, sizeof(t.comm), "%s", comm);
	return wp_intern(&p->threads, &t, sizeof(t), NULL);
}

/*
 * Intern a sample's cause, and read its number of intervals. Returns the cause's number;
 * 0: none.
 */
static int cause_of(struct wp_profile *p, const struct wp_perfrecord *rec,
		    struct wp_profile_sample *sample)
{
	const struct event *event = &p->event[rec->event];
	struct wp_profile_cause c;

	memset(&c, 0, sizeof(c));
	if (!wp_profcause_read(&p->names, &event->fields, rec, sample, &c) &&
	    !wp_profby_read(&event->by, rec, c.by, c.error, &sample->count))
		return 0;
	if (event->by.calls)
		wp_profcause_call(&p->names, c.by, c.error);
	sample->cause = wp_intern(&p->causes, &c, sizeof(c), NULL);
	return sample->cause ? 0 : wp_no_memory("the samples of the recording");
}

/* Pass a sample to the reader. */
static int pass(struct wp_profile *p, const struct wp_profile_sample *sample)
{
	p->stats.samples[sample->kind]++;
	if (!p->stats.first || sample->time < p->stats.first)
		p->stats.first = sample->time;
	if (sample->time > p->stats.last)
		p->stats.last = sample->time;
	return p->fn(p->ctx, sample);
}

static int add_sample(struct wp_profile *p, const struct wp_perfrecord *rec)
{
	const struct event *event = &p->event[rec->event];
	bool has_period = rec->sample_type & PERF_SAMPLE_PERIOD;
	const struct wp_perfevents *events = wp_perfrecords_events(p->records);
	const struct perf_event_attr *attr = &events->event[rec->event].attr;
	struct wp_profile_sample sample = {
		.kind = event->kind,
		.event = rec->event,
		.cpu = rec->cpu,
		.time = rec->time,
		.weight = has_period ? rec->period : attr->freq ? 1 : attr->sample_period,
		.count = 1,
	};
	const struct wp_profile_cause *cause;
	const char *label;
	char text[128];
	int err;

	sample.ns = event->is_time ? sample.weight : event->each_ns;
	sample.thread = thread_of(p, rec);
	if (!sample.thread)
		return wp_no_memory("the samples of the recording");
	err = cause_of(p, rec, &sample);
	if (err)
		return err;
	cause = wp_profile_cause(p, sample.cause);
	label = wp_profby_label(&event->by, cause->by, cause->error, text, sizeof(text));
	err = wp_profstacks_add(p->stacks, rec, label,
				wp_profstacks_time(rec, event->kind == WP_PROFILE_OFFCPU ||
						   event->kind == WP_PROFILE_RUNNABLE),
				&sample.stack);
	if (err)
		return err;
	return pass(p, &sample);
}

static int add_record(void *ctx, const struct wp_perfrecord *rec)
{
	struct wp_profile *p = ctx;
	int err = 0;

	if (rec->header->type == PERF_RECORD_SAMPLE)
		return add_sample(p, rec);
	if (wp_comms_record(&p->comms, rec->header))
		err = wp_no_memory("the samples of the recording");
	return err ? err : wp_memmaps_record(p->maps, rec->header);
}

static int read_other(struct wp_profile *p)
{
	int err = 0;
	size_t i;

	for (i = 0; i < p->other->nr && !err; i++) {
		const struct wp_stackfile_sample *s = &p->other->sample[i];
		const struct event *event = &p->event[s->event];
		const struct wp_profile_sample sample = {
			.kind = event->kind,
			.event = s->event,
			.thread = s->thread,
			.stack = s->stack,
			.cause = s->cause,
			.time = p->other->duration,
			.weight = s->value,
			.ns = event->is_time ? s->value : 0,
			.count = s->count,
		};

		err = pass(p, &sample);
	}
	return err;
}

/**
 * wp_profile_read() - read all samples
 * @p: the recording; it can be read once
 * @fn: called for each sample, in order of time
 * @ctx: passed to @fn
 *
 * Return: 0, what @fn returned, or a negative errno; a message was printed.
 */
int wp_profile_read(struct wp_profile *p, wp_profile_fn fn, void *ctx)
{
	p->fn = fn;
	p->ctx = ctx;
	if (p->other)
		return read_other(p);
	wp_perfrecords_show_progress(p->records);
	return wp_perfrecords_read(p->records, add_record, p);
}

/**
 * wp_profile_stats() - read the statistics
 * @p: the recording
 * @stats: filled in
 */
void wp_profile_stats(const struct wp_profile *p, struct wp_profile_stats *stats)
{
	struct wp_perfrecords_stats records;

	*stats = p->stats;
	if (p->other)
		return;
	wp_perfrecords_stats(p->records, &records);
	stats->lost = records.lost;
	stats->damaged = records.damaged;
	stats->no_stack = wp_profstacks_left_out(p->stacks);
}

/**
 * wp_profile_threads() - number of threads
 * @p: the recording
 *
 * Return: their number, so far.
 */
size_t wp_profile_threads(const struct wp_profile *p)
{
	return p->threads.nr;
}

/**
 * wp_profile_add_thread() - add a thread that may have no sample
 * @p: the recording
 * @pid: its process
 * @tid: the thread
 * @comm: its name
 *
 * Return: its number; 0 if there is no memory.
 */
__u32 wp_profile_add_thread(struct wp_profile *p, __s32 pid, __s32 tid, const char *comm)
{
	struct wp_profile_thread t = { .pid = pid, .tid = tid };

	snprintf(t.comm, sizeof(t.comm), "%s", comm);
	return wp_intern(&p->threads, &t, sizeof(t), NULL);
}

/**
 * wp_profile_comm_of() - name of a thread at the time of the last sample
 * @p: the recording
 * @tid: the thread
 *
 * Return: its name, unsanitized, valid until the next sample; NULL if unknown.
 */
const char *wp_profile_comm_of(const struct wp_profile *p, __s32 tid)
{
	return tid > 0 ? wp_comms_find(&p->comms, tid) : NULL;
}

/**
 * wp_profile_thread() - a thread
 * @p: the recording
 * @thread: its number, 1 and up
 *
 * Return: the thread, valid until the next sample.
 */
const struct wp_profile_thread *wp_profile_thread(const struct wp_profile *p, __u32 thread)
{
	return wp_intern_bytes(&p->threads, thread, NULL);
}

/**
 * wp_profile_has_causes() - whether samples have causes, and numbers of intervals
 * @p: the recording
 *
 * Return: true if they do (not with record --no-reasons).
 */
bool wp_profile_has_causes(const struct wp_profile *p)
{
	unsigned int i;

	for (i = 0; i < wp_profile_events(p)->nr; i++) {
		if (p->event[i].kind == WP_PROFILE_OFFCPU &&
		    (p->event[i].fields.count || p->event[i].fields.is_short))
			return true;
	}
	return false;
}

/**
 * wp_profile_has_objects() - whether samples have the objects of waits
 * @p: the recording
 *
 * Return: true if they do (record -R).
 */
bool wp_profile_has_objects(const struct wp_profile *p)
{
	unsigned int i;

	for (i = 0; i < wp_profile_events(p)->nr; i++) {
		if (p->event[i].kind == WP_PROFILE_OFFCPU && p->event[i].fields.object)
			return true;
	}
	return false;
}

/**
 * wp_profile_cause() - cause of an interval
 * @p: the recording
 * @cause: its number, or 0
 *
 * Return: the cause, valid until the next sample.
 */
const struct wp_profile_cause *wp_profile_cause(const struct wp_profile *p, __u32 cause)
{
	static const struct wp_profile_cause none;

	return cause ? wp_intern_bytes(&p->causes, cause, NULL) : &none;
}

/**
 * wp_profile_stack() - the frames of a stack
 * @p: the recording
 * @stack: its number, or 0
 * @nr: set to their number
 *
 * Return: their numbers, the innermost first, valid until the next sample.
 */
const __u32 *wp_profile_stack(struct wp_profile *p, __u32 stack, size_t *nr)
{
	return p->other ? wp_stackfile_functions(p->other, stack, nr) :
	       wp_profstacks_frames(p->stacks, stack, nr);
}

/**
 * wp_profile_frame() - a frame
 * @p: the recording
 * @frame: its number
 *
 * Return: the frame, valid until the next sample; NULL if there is no memory, after a
 * message.
 */
const struct wp_frame *wp_profile_frame(struct wp_profile *p, __u32 frame)
{
	return p->other ? wp_stackfile_frame(p->other, frame) :
	       wp_profstacks_frame(p->stacks, frame);
}

/**
 * wp_profile_frame_id() - build-id of a frame's file
 * @p: the recording
 * @frame: its number
 *
 * Return: the build-id, valid until the next sample; empty if unknown.
 */
const struct wp_buildid *wp_profile_frame_id(const struct wp_profile *p, __u32 frame)
{
	static const struct wp_buildid none;

	return p->other ? &none : wp_profstacks_frame_id(p->stacks, frame);
}

/**
 * wp_profile_frame_functions() - the functions at a frame
 * @p: the recording
 * @f: the frame
 * @nr: set to their number
 *
 * Return: their numbers: the inlined ones, if requested, the innermost first, then the
 * frame's function; valid until the next frame is looked up.
 */
const __u32 *wp_profile_frame_functions(const struct wp_profile *p, const struct wp_frame *f,
					size_t *nr)
{
	*nr = 1;
	return p->other ? &f->function : wp_profstacks_frame_functions(p->stacks, f, nr);
}

/**
 * wp_profile_stack_functions() - the functions of a stack
 * @p: the recording
 * @stack: its number, or 0
 * @nr: set to their number
 *
 * Return: their numbers, the innermost first, valid until the next call; NULL if there is
 * none or, after a message, no memory.
 */
const __u32 *wp_profile_stack_functions(struct wp_profile *p, __u32 stack, size_t *nr)
{
	return p->other ? wp_stackfile_functions(p->other, stack, nr) :
	       wp_profstacks_functions(p->stacks, stack, nr);
}

/**
 * wp_profile_function() - a function
 * @p: the recording
 * @function: its number
 *
 * Return: the function; its strings are valid until the recording is closed.
 */
const struct wp_function *wp_profile_function(const struct wp_profile *p, __u32 function)
{
	return p->other ? &p->other->function[function - 1] :
	       wp_profstacks_function(p->stacks, function);
}

/**
 * wp_profile_code() - iterate over the files that samples have frames in
 * @p: the recording, read
 * @at: position; 0 at first; advanced
 * @code: filled in
 *
 * Return: false if there are no more.
 */
bool wp_profile_code(const struct wp_profile *p, size_t *at, struct wp_profile_code *code)
{
	return !p->other && wp_profstacks_code(p->stacks, at, code);
}

/**
 * wp_profile_trouble() - iterate over the files without symbols
 * @p: the recording
 * @at: position; 0 at first; advanced
 * @path: set to the file's path, which may contain any byte but 0; NULL: the kernel
 *
 * Memory without a file, which rarely has symbols, is skipped.
 *
 * Return: the reason, as the end of a sentence; NULL if there are no more.
 */
const char *wp_profile_trouble(const struct wp_profile *p, size_t *at, const char **path)
{
	return p->other ? NULL : wp_profstacks_trouble(p->stacks, at, path);
}

/**
 * wp_profile_close() - close a recording
 * @p: the recording, or NULL
 */
void wp_profile_close(struct wp_profile *p)
{
	if (!p)
		return;
	wp_stackfile_close(p->other);
	if (p->stacks)
		wp_profstacks_free(p->stacks);
	wp_memmaps_free(p->maps);
	wp_comms_free(&p->comms);
	wp_intern_free(&p->threads);
	wp_intern_free(&p->causes);
	free(p->event);
	free(p->names.arch);
	if (p->records)
		wp_perfrecords_free(p->records);
	wp_perffile_close(&p->file);
	free(p);
}
