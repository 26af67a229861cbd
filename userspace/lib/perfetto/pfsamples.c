// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the samples of a Perfetto trace: a packet sequence for each event, which begins
 * with the event's name and unit, and in which each mapping, frame and stack is written
 * once and interned (see pfinterned.c). Function names come from wp_profstacks. Called by
 * the export command.
 *
 * A sample's weight is written as the counter's value, which Perfetto expects to be
 * cumulative: the sum of the weights of the event's samples on that CPU so far.
 *
 * When the interned data gets too large, it is dropped here and invalidated in the trace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/perfetto/pfinterned.h"
#include "lib/perfetto/pfpacket.h"
#include "lib/perfetto/pfsamples.h"
#include "lib/perfetto/pftimebase.h"

/*
 * Path of the kernel: Perfetto recognizes it by this path, without an address or a
 * build-id.
 */
#define KERNEL_PATH	"kernel"
#define UNKNOWN_PATH	"[unknown]"

/**
 * struct stream - an event's samples
 * @begun: the first packet has been written
 * @dict: interned data
 * @count: the counter's value, by CPU; NULL while there is no sample
 */
struct stream {
	bool begun;
	struct wp_pfinterned dict;
	__u64 *count;
};

/**
 * struct place - an address of a stack
 * @address: the address; of a caller, the byte before its return address
 * @space: the PERF_CONTEXT_ that it is in
 * @frame: its frame in wp_profstacks
 */
struct place {
	__u64 address;
	__u64 space;
	__u32 frame;
};

/**
 * struct wp_pfsamples - the samples
 * @trace: the output
 * @maps: the mappings
 * @functions: the names of functions
 * @events: the events of the recording
 * @stream: one for each event
 * @place: addresses of the current stack, the innermost first
 * @place_room: allocated entries of @place
 * @news: new data of the current packet
 * @stack: numbers of its frames, the innermost first, then reversed
 * @stats: statistics
 */
struct wp_pfsamples {
	struct wp_pftrace *trace;
	const struct wp_memmaps *maps;
	struct wp_profstacks *functions;
	const struct wp_perfevents *events;
	struct stream *stream;
	struct place *place;
	size_t place_room;
	struct wp_pfnews news;
	__u32 *stack;
	struct wp_pfsamples_stats stats;
};

/**
 * wp_pfsamples_new() - allocate the samples of a trace
 * @out: set to the samples, to be freed with wp_pfsamples_free()
 * @trace: the trace
 * @maps: the mappings, kept up to date by the caller
 * @functions: function names, based on @maps
 * @events: the events of the recording
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfsamples_new(struct wp_pfsamples **out, struct wp_pftrace *trace,
		     const struct wp_memmaps *maps, struct wp_profstacks *functions,
		     const struct wp_perfevents *events)
{
	struct wp_pfsamples *s = calloc(1, sizeof(*s));

	if (!s)
		return wp_no_memory("the stacks of samples");
	s->trace = trace;
	s->maps = maps;
	s->functions = functions;
	s->events = events;
	s->stream = calloc(events->nr, sizeof(*s->stream));
	if (!s->stream) {
		free(s);
		return wp_no_memory("the stacks of samples");
	}
	*out = s;
	return 0;
}

/* Make room for @nr frames. */
static int more_room(struct wp_pfsamples *s, size_t nr)
{
	size_t room = nr > 127 ? nr : 127;

	if (nr <= s->news.room)
		return 0;
	wp_pfinterned_free_news(&s->news);
	free(s->stack);
	s->stack = calloc(room, sizeof(*s->stack));
	if (!s->stack || wp_pfinterned_alloc_news(&s->news, room))
		return wp_no_memory("the stacks of samples");
	return 0;
}

/* Intern a frame; returns its number, 0 if there is no memory. @name is NULL if unknown. */
static __u32 frame_of(struct wp_pfsamples *s, struct wp_pfinterned *dict,
		      struct wp_pfitem *item, __s32 pid, const struct place *at,
		      const char *name)
{
	const struct wp_memmap *map = at->space == PERF_CONTEXT_USER ?
		wp_memmaps_find(s->maps, pid, at->address) : NULL;
	const char *path = map ? wp_memmaps_path(s->maps, map->path) :
		at->space == PERF_CONTEXT_KERNEL ? KERNEL_PATH : UNKNOWN_PATH;

	return wp_pfinterned_frame(dict, &s->news, item, map, path, at->address, name);
}

static __u64 space_of(const struct wp_perfrecord *rec)
{
	switch (rec->header->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return PERF_CONTEXT_KERNEL;
	case PERF_RECORD_MISC_USER:
		return PERF_CONTEXT_USER;
	}
	return PERF_CONTEXT_GUEST;
}

static bool more_places(struct wp_pfsamples *s, __u64 words)
{
	struct place *more;

	if (words <= s->place_room)
		return true;
	more = reallocarray(s->place, words, sizeof(*more));
	if (!more)
		return false;
	s->place = more;
	s->place_room = words;
	return true;
}

static bool is_wait(const struct wp_perfevent *event)
{
	static const char *const names[] = { "offcpu-time", "runnable-time" };
	size_t i, len;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		len = strlen(names[i]);
		if (!strncmp(event->name, names[i], len) &&
		    (!event->name[len] || event->name[len] == ':'))
			return true;
	}
	return false;
}

/*
 * The addresses of a sample, the innermost first. A caller's return address is after its
 * call, and can belong to another line or function: the byte before belongs to the call.
 */
static int places_of(struct wp_pfsamples *s, const struct wp_perfrecord *rec, size_t *nr)
{
	bool has_chain = rec->sample_type & PERF_SAMPLE_CALLCHAIN && rec->nr_chain;
	const __u64 *chain = has_chain ? rec->chain : &rec->ip;
	__u64 i, words = has_chain ? rec->nr_chain : !!rec->ip;
	__u64 space = space_of(rec);
	__u64 time = wp_profstacks_time(rec, is_wait(&s->events->event[rec->event]));
	bool is_caller = false;

	*nr = 0;
	if (!more_places(s, words))
		return wp_no_memory("the stacks of samples");
	for (i = 0; i < words; i++) {
		struct place *p = &s->place[*nr];

		if (chain[i] >= PERF_CONTEXT_MAX) {
			space = chain[i];
			is_caller = false;
			continue;
		}
		is_caller = is_caller && chain[i];
		p->space = space;
		p->address = chain[i] - is_caller;
		p->frame = wp_profstacks_place(s->functions, rec->pid, space, p->address,
					       is_caller, time);
		if (!p->frame)
			return wp_no_memory("the stacks of samples");
		is_caller = true;
		++*nr;
	}
	return 0;
}

/* The functions at an address; NULL if there is no memory, after a message. */
static const __u32 *functions_at(struct wp_pfsamples *s, const struct place *p, size_t *nr)
{
	const struct wp_frame *frame = wp_profstacks_frame(s->functions, p->frame);

	return frame ? wp_profstacks_frame_functions(s->functions, frame, nr) : NULL;
}

/* The name of an inlined function is marked, as there is no separate field for it. */
static const char *name_at(const struct wp_pfsamples *s, __u32 function)
{
	return wp_profstacks_function(s->functions, function)->label;
}

/* Make room for the frames of @places addresses. */
static int room_for(struct wp_pfsamples *s, size_t places)
{
	size_t i, nr, all = 0;

	for (i = 0; i < places; i++) {
		if (!functions_at(s, &s->place[i], &nr))
			return -ENOMEM;
		all += nr;
	}
	return more_room(s, all);
}

/* The frames of a sample, one for each function, the innermost first. */
static int frames_of(struct wp_pfsamples *s, struct wp_pfinterned *dict,
		     const struct wp_perfrecord *rec, size_t *nr)
{
	size_t places, i, k, nr_functions;
	int err;

	*nr = 0;
	err = places_of(s, rec, &places);
	if (!err)
		err = room_for(s, places);
	if (err)
		return err;
	wp_pfinterned_begin_news(&s->news);
	for (i = 0; i < places; i++) {
		const __u32 *functions = functions_at(s, &s->place[i], &nr_functions);

		for (k = 0; functions && k < nr_functions; k++, ++*nr) {
			s->stack[*nr] = frame_of(s, dict, &s->news.item[*nr], rec->pid,
						 &s->place[i], name_at(s, functions[k]));
			if (!s->stack[*nr])
				return wp_no_memory("the stacks of samples");
		}
	}
	return 0;
}

/*
 * Intern the stack; returns its number: 0 if there is none, or, with @err set, no memory.
 */
static __u32 stack_of(struct wp_pfsamples *s, struct wp_pfinterned *dict,
		      const struct wp_perfrecord *rec, int *err)
{
	struct wp_pfnews *n = &s->news;
	size_t nr, i;
	bool is_new;
	__u32 iid;

	*err = frames_of(s, dict, rec, &nr);
	if (*err || !nr)
		return 0;
	for (i = 0; i < nr / 2; i++) {
		__u32 inner = s->stack[i];

		s->stack[i] = s->stack[nr - 1 - i];
		s->stack[nr - 1 - i] = inner;
	}
	iid = wp_intern(&dict->stacks, s->stack, nr * sizeof(*s->stack), &is_new);
	if (!iid)
		*err = wp_no_memory("the stacks of samples");
	if (!iid || !is_new)
		return iid;
	for (i = 0; i < nr; i++)
		n->frame_ids[i] = s->stack[i];
	pf__callstack__init(&n->stack);
	n->stack.has_iid = true;
	n->stack.iid = iid;
	n->stack.n_frame_ids = nr;
	n->stack.frame_ids = n->frame_ids;
	n->stacks[0] = &n->stack;
	n->data.n_callstacks = 1;
	return iid;
}

/* Write the packet that begins a sequence, also after its data was dropped. */
static int begin_stream(struct wp_pfsamples *s, unsigned int nr, __u64 time)
{
	const struct wp_perfevent *event = &s->events->event[nr];
	Pf__TracePacketDefaults defaults = PF__TRACE_PACKET_DEFAULTS__INIT;
	Pf__PerfSampleDefaults sample = PF__PERF_SAMPLE_DEFAULTS__INIT;
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	struct stream *stream = &s->stream[nr];
	struct wp_pftimebase timebase;
	char name[256];

	if (!stream->count)
		stream->count = calloc(WP_PF_CPUS, sizeof(*stream->count));
	if (!stream->count)
		return wp_no_memory("the stacks of samples");
	wp_pfinterned_forget(&stream->dict);
	snprintf(name, sizeof(name), "%s", event->name);
	wp_text_clean(name, false);
	wp_pftimebase_init(&timebase, event, name);
	sample.timebase = &timebase.base;
	defaults.perf_sample_defaults = &sample;
	packet.trace_packet_defaults = &defaults;
	packet.has_sequence_flags = true;
	packet.sequence_flags = PF__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
	stream->begun = true;
	return wp_pftrace_packet(s->trace, &packet, WP_PF_SAMPLES_SEQUENCE + nr, time);
}

static int write_sample(struct wp_pfsamples *s, const struct wp_perfrecord *rec,
			Pf__PerfSample *sample)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	const Pf__InternedData *data = &s->news.data;

	if (sample->has_callstack_iid && (data->n_callstacks || data->n_frames))
		packet.interned_data = &s->news.data;
	packet.data_case = PF__TRACE_PACKET__DATA_PERF_SAMPLE;
	packet.perf_sample = sample;
	packet.has_sequence_flags = true;
	packet.sequence_flags = PF__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
	return wp_pftrace_packet(s->trace, &packet, WP_PF_SAMPLES_SEQUENCE + rec->event,
				 rec->time);
}

static int prepare(struct wp_pfsamples *s, const struct wp_perfrecord *rec)
{
	const struct stream *stream = &s->stream[rec->event];
	int err = wp_pftrace_begin(s->trace, rec->time);

	if (!err && (!stream->begun || wp_pfinterned_too_much(&stream->dict)))
		err = begin_stream(s, rec->event, rec->time);
	return err;
}

/**
 * wp_pfsamples_add() - add a sample
 * @s: the samples
 * @rec: its record
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfsamples_add(struct wp_pfsamples *s, const struct wp_perfrecord *rec)
{
	Pf__PerfSample sample = PF__PERF_SAMPLE__INIT;
	struct stream *stream = &s->stream[rec->event];
	__u32 cpu = rec->sample_type & PERF_SAMPLE_CPU ? rec->cpu : 0;
	int err;

	if (cpu >= WP_PF_CPUS) {
		s->stats.left_out++;
		return 0;
	}
	err = prepare(s, rec);
	if (err)
		return err;
	stream->count[cpu] += rec->sample_type & PERF_SAMPLE_PERIOD ? rec->period : 1;
	sample.has_cpu = !!(rec->sample_type & PERF_SAMPLE_CPU);
	sample.cpu = cpu;
	sample.has_pid = true;
	sample.pid = rec->pid;
	sample.has_tid = true;
	sample.tid = rec->tid;
	sample.has_timebase_count = true;
	sample.timebase_count = stream->count[cpu];
	sample.cpu_mode = rec->header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	sample.has_cpu_mode = sample.cpu_mode &&
		sample.cpu_mode <= PF__PROFILING__CPU_MODE__MODE_GUEST_USER;
	sample.callstack_iid = stack_of(s, &stream->dict, rec, &err);
	sample.has_callstack_iid = !!sample.callstack_iid;
	s->stats.samples++;
	return err ? err : write_sample(s, rec, &sample);
}

/**
 * wp_pfsamples_lost() - add a record of missing samples
 * @s: the samples
 * @rec: the record
 * @lost: number of missing samples
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfsamples_lost(struct wp_pfsamples *s, const struct wp_perfrecord *rec, __u64 lost)
{
	Pf__PerfSample sample = PF__PERF_SAMPLE__INIT;
	int err = lost ? prepare(s, rec) : 0;

	if (err || !lost)
		return err;
	s->stats.lost += lost;
	sample.has_cpu = true;
	sample.cpu = rec->cpu < WP_PF_CPUS ? rec->cpu : 0;
	sample.has_kernel_records_lost = true;
	sample.kernel_records_lost = lost;
	return write_sample(s, rec, &sample);
}

/**
 * wp_pfsamples_stats() - read the statistics
 * @s: the samples
 * @stats: filled in
 */
void wp_pfsamples_stats(const struct wp_pfsamples *s, struct wp_pfsamples_stats *stats)
{
	*stats = s->stats;
}

/**
 * wp_pfsamples_free() - free the samples
 * @s: the samples, or NULL
 */
void wp_pfsamples_free(struct wp_pfsamples *s)
{
	unsigned int i;

	if (!s)
		return;
	for (i = 0; i < s->events->nr; i++) {
		wp_pfinterned_forget(&s->stream[i].dict);
		free(s->stream[i].count);
	}
	free(s->stream);
	wp_pfinterned_free_news(&s->news);
	free(s->place);
	free(s->stack);
	free(s);
}
