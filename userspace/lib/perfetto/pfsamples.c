// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the samples of a Perfetto trace: a packet sequence for each event, which begins
 * with the event's name and unit, and in which each mapping, frame and stack is written
 * once and interned. Function names come from wp_profstacks. Called by the export
 * command.
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
#include "lib/base/intern.h"
#include "lib/base/text.h"
#include "lib/perfetto/pfpacket.h"
#include "lib/perfetto/pfsamples.h"

/* Limit for an event's interned data, in bytes. */
#define MAX_TOLD	(64 << 20)

/*
 * Path of the kernel: Perfetto recognizes it by this path, without an address or a
 * build-id.
 */
#define KERNEL_PATH	"kernel"
#define UNKNOWN_PATH	"[unknown]"

/* Identity of a mapping. */
struct mapping_key {
	__u64 start;
	__u64 end;
	__u64 offset;
	__u32 path;
	__u32 id;
};

struct frame_key {
	__u64 rel_pc;
	__u32 mapping;
	__u32 name;
};

/**
 * struct told - interned data of a sequence
 * @paths: names of files
 * @ids: build-ids
 * @names: names of functions
 * @mappings: struct mapping_key
 * @frames: struct frame_key
 * @stacks: numbers of frames, __u32, the outermost first
 */
struct told {
	struct wp_intern paths;
	struct wp_intern ids;
	struct wp_intern names;
	struct wp_intern mappings;
	struct wp_intern frames;
	struct wp_intern stacks;
};

/**
 * struct stream - an event's samples
 * @begun: the first packet has been written
 * @told: interned data
 * @count: the counter's value, by CPU; NULL while there is no sample
 */
struct stream {
	bool begun;
	struct told told;
	__u64 *count;
};

/* Interned messages that a new frame may need. */
struct item {
	Pf__InternedString path;
	Pf__InternedString id;
	Pf__InternedString name;
	Pf__Mapping mapping;
	Pf__Frame frame;
	uint64_t path_id;
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
 * struct news - interned data that is new in a packet
 * @data: the message, whose arrays are the following
 * @room: allocated frames
 * @item: the messages of the frames
 * @paths: mapping_paths
 * @ids: build_ids
 * @names: function_names
 * @mappings: mappings
 * @frames: frames
 * @frame_ids: the frames of @stack
 * @stack: the stack
 * @stacks: array of one, @stack
 */
struct news {
	Pf__InternedData data;
	size_t room;
	struct item *item;
	Pf__InternedString **paths;
	Pf__InternedString **ids;
	Pf__InternedString **names;
	Pf__Mapping **mappings;
	Pf__Frame **frames;
	uint64_t *frame_ids;
	Pf__Callstack stack;
	Pf__Callstack *stacks[1];
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
	struct news news;
	__u32 *stack;
	struct wp_pfsamples_stats stats;
};

static int no_memory(void)
{
	wp_err("no memory for the stacks of samples");
	return -ENOMEM;
}

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
		return no_memory();
	s->trace = trace;
	s->maps = maps;
	s->functions = functions;
	s->events = events;
	s->stream = calloc(events->nr, sizeof(*s->stream));
	if (!s->stream) {
		free(s);
		return no_memory();
	}
	*out = s;
	return 0;
}

static void free_news(struct news *n)
{
	free(n->item);
	free(n->paths);
	free(n->ids);
	free(n->names);
	free(n->mappings);
	free(n->frames);
	free(n->frame_ids);
	memset(n, 0, sizeof(*n));
}

/* Make room for @nr frames. */
static int more_room(struct wp_pfsamples *s, size_t nr)
{
	struct news *n = &s->news;
	size_t room = nr > 127 ? nr : 127;

	if (nr <= n->room)
		return 0;
	free_news(n);
	free(s->stack);
	s->stack = calloc(room, sizeof(*s->stack));
	n->item = calloc(room, sizeof(*n->item));
	n->paths = calloc(room, sizeof(*n->paths));
	n->ids = calloc(room, sizeof(*n->ids));
	n->names = calloc(room, sizeof(*n->names));
	n->mappings = calloc(room, sizeof(*n->mappings));
	n->frames = calloc(room, sizeof(*n->frames));
	n->frame_ids = calloc(room, sizeof(*n->frame_ids));
	if (!s->stack || !n->item || !n->paths || !n->ids || !n->names || !n->mappings ||
	    !n->frames || !n->frame_ids)
		return no_memory();
	n->room = room;
	return 0;
}

static void begin_news(struct news *n)
{
	pf__interned_data__init(&n->data);
	n->data.mapping_paths = n->paths;
	n->data.build_ids = n->ids;
	n->data.function_names = n->names;
	n->data.mappings = n->mappings;
	n->data.frames = n->frames;
	n->data.callstacks = n->stacks;
}

static void put_string(Pf__InternedString *to, __u32 iid, const void *data, size_t len)
{
	pf__interned_string__init(to);
	to->has_iid = true;
	to->iid = iid;
	to->has_str = true;
	to->str.data = (uint8_t *)data;
	to->str.len = len;
}

static __u32 path_of(struct told *told, struct news *n, struct item *item, const char *path)
{
	size_t len = strlen(path);
	bool is_new;
	__u32 nr = wp_intern(&told->paths, path, len, &is_new);

	if (nr && is_new) {
		put_string(&item->path, nr, path, len);
		n->paths[n->data.n_mapping_paths++] = &item->path;
	}
	return nr;
}

static __u32 id_of(struct told *told, struct news *n, struct item *item,
		   const struct wp_buildid *id)
{
	bool is_new;
	__u32 nr = wp_intern(&told->ids, id->data, id->size, &is_new);

	if (nr && is_new) {
		put_string(&item->id, nr, id->data, id->size);
		n->ids[n->data.n_build_ids++] = &item->id;
	}
	return nr;
}

/* Intern the name of a function; returns its number. */
static __u32 name_of(struct told *told, struct news *n, struct item *item, const char *name)
{
	size_t len = strlen(name);
	bool is_new;
	__u32 nr = wp_intern(&told->names, name, len, &is_new);

	if (nr && is_new) {
		put_string(&item->name, nr, name, len);
		n->names[n->data.n_function_names++] = &item->name;
	}
	return nr;
}

/*
 * Intern a mapping, or the placeholder for one; returns its number, 0 if there is no
 * memory.
 */
static __u32 mapping_of(struct told *told, struct news *n, struct item *item,
			const struct wp_memmap *map, const char *path)
{
	struct mapping_key key = { .path = path_of(told, n, item, path) };
	Pf__Mapping *to = &item->mapping;
	bool is_new;
	__u32 nr;

	if (map) {
		key.start = map->start;
		key.end = map->end;
		key.offset = map->offset;
		key.id = map->id.size ? id_of(told, n, item, &map->id) : 0;
	}
	if (!key.path || (map && map->id.size && !key.id))
		return 0;
	nr = wp_intern(&told->mappings, &key, sizeof(key), &is_new);
	if (!nr || !is_new)
		return nr;
	pf__mapping__init(to);
	to->has_iid = true;
	to->iid = nr;
	to->has_build_id = !!key.id;
	to->build_id = key.id;
	to->has_start = !!map;
	to->start = key.start;
	to->has_end = !!map;
	to->end = key.end;
	to->has_exact_offset = !!map;
	to->exact_offset = key.offset;
	item->path_id = key.path;
	to->n_path_string_ids = 1;
	to->path_string_ids = &item->path_id;
	n->mappings[n->data.n_mappings++] = to;
	return nr;
}

/* Intern a frame; returns its number, 0 if there is no memory. @name is NULL if unknown. */
static __u32 frame_of(struct wp_pfsamples *s, struct told *told, struct item *item, __s32 pid,
		      const struct place *at, const char *name)
{
	const struct wp_memmap *map = at->space == PERF_CONTEXT_USER ?
		wp_memmaps_find(s->maps, pid, at->address) : NULL;
	const char *path = map ? wp_memmaps_path(s->maps, map->path) :
		at->space == PERF_CONTEXT_KERNEL ? KERNEL_PATH : UNKNOWN_PATH;
	struct frame_key key = { .rel_pc = at->address };
	struct news *n = &s->news;
	bool is_new;
	__u32 nr;

	if (map)
		key.rel_pc = at->address - map->start + map->offset;
	if (name) {
		key.name = name_of(told, n, item, name);
		if (!key.name)
			return 0;
	}
	key.mapping = mapping_of(told, n, item, map, path);
	nr = key.mapping ? wp_intern(&told->frames, &key, sizeof(key), &is_new) : 0;
	if (!nr || !is_new)
		return nr;
	pf__frame__init(&item->frame);
	item->frame.has_iid = true;
	item->frame.iid = nr;
	item->frame.has_function_name_id = !!key.name;
	item->frame.function_name_id = key.name;
	item->frame.has_mapping_id = true;
	item->frame.mapping_id = key.mapping;
	item->frame.has_rel_pc = true;
	item->frame.rel_pc = key.rel_pc;
	n->frames[n->data.n_frames++] = &item->frame;
	return nr;
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
	bool is_caller = false;

	*nr = 0;
	if (!more_places(s, words))
		return no_memory();
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
					       is_caller);
		if (!p->frame)
			return no_memory();
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
static int frames_of(struct wp_pfsamples *s, struct told *told, const struct wp_perfrecord *rec,
		     size_t *nr)
{
	size_t places, i, k, nr_functions;
	int err;

	*nr = 0;
	err = places_of(s, rec, &places);
	if (!err)
		err = room_for(s, places);
	if (err)
		return err;
	begin_news(&s->news);
	for (i = 0; i < places; i++) {
		const __u32 *functions = functions_at(s, &s->place[i], &nr_functions);

		for (k = 0; functions && k < nr_functions; k++, ++*nr) {
			s->stack[*nr] = frame_of(s, told, &s->news.item[*nr], rec->pid,
						 &s->place[i], name_at(s, functions[k]));
			if (!s->stack[*nr])
				return no_memory();
		}
	}
	return 0;
}

/*
 * Intern the stack; returns its number: 0 if there is none, or, with @err set, no memory.
 */
static __u32 stack_of(struct wp_pfsamples *s, struct told *told,
		      const struct wp_perfrecord *rec, int *err)
{
	struct news *n = &s->news;
	size_t nr, i;
	bool is_new;
	__u32 iid;

	*err = frames_of(s, told, rec, &nr);
	if (*err || !nr)
		return 0;
	for (i = 0; i < nr / 2; i++) {
		__u32 inner = s->stack[i];

		s->stack[i] = s->stack[nr - 1 - i];
		s->stack[nr - 1 - i] = inner;
	}
	iid = wp_intern(&told->stacks, s->stack, nr * sizeof(*s->stack), &is_new);
	if (!iid)
		*err = no_memory();
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

static void forget(struct told *told)
{
	wp_intern_free(&told->paths);
	wp_intern_free(&told->ids);
	wp_intern_free(&told->names);
	wp_intern_free(&told->mappings);
	wp_intern_free(&told->frames);
	wp_intern_free(&told->stacks);
}

static bool too_much(const struct told *told)
{
	return wp_intern_memory(&told->paths) + wp_intern_memory(&told->ids) +
		wp_intern_memory(&told->names) + wp_intern_memory(&told->mappings) +
		wp_intern_memory(&told->frames) + wp_intern_memory(&told->stacks) > MAX_TOLD;
}

/* Convert the kernel's numbers of counters to Perfetto's. */
static Pf__PerfEvents__Counter counter_of(const struct perf_event_attr *attr)
{
	static const Pf__PerfEvents__Counter hardware[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = PF__PERF_EVENTS__COUNTER__HW_CPU_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = PF__PERF_EVENTS__COUNTER__HW_INSTRUCTIONS,
		[PERF_COUNT_HW_CACHE_REFERENCES] = PF__PERF_EVENTS__COUNTER__HW_CACHE_REFERENCES,
		[PERF_COUNT_HW_CACHE_MISSES] = PF__PERF_EVENTS__COUNTER__HW_CACHE_MISSES,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] =
			PF__PERF_EVENTS__COUNTER__HW_BRANCH_INSTRUCTIONS,
		[PERF_COUNT_HW_BRANCH_MISSES] = PF__PERF_EVENTS__COUNTER__HW_BRANCH_MISSES,
		[PERF_COUNT_HW_BUS_CYCLES] = PF__PERF_EVENTS__COUNTER__HW_BUS_CYCLES,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] =
			PF__PERF_EVENTS__COUNTER__HW_STALLED_CYCLES_FRONTEND,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] =
			PF__PERF_EVENTS__COUNTER__HW_STALLED_CYCLES_BACKEND,
		[PERF_COUNT_HW_REF_CPU_CYCLES] = PF__PERF_EVENTS__COUNTER__HW_REF_CPU_CYCLES,
	};
	static const Pf__PerfEvents__Counter software[] = {
		[PERF_COUNT_SW_CPU_CLOCK] = PF__PERF_EVENTS__COUNTER__SW_CPU_CLOCK,
		[PERF_COUNT_SW_TASK_CLOCK] = PF__PERF_EVENTS__COUNTER__SW_TASK_CLOCK,
		[PERF_COUNT_SW_PAGE_FAULTS] = PF__PERF_EVENTS__COUNTER__SW_PAGE_FAULTS,
		[PERF_COUNT_SW_CONTEXT_SWITCHES] = PF__PERF_EVENTS__COUNTER__SW_CONTEXT_SWITCHES,
		[PERF_COUNT_SW_CPU_MIGRATIONS] = PF__PERF_EVENTS__COUNTER__SW_CPU_MIGRATIONS,
		[PERF_COUNT_SW_PAGE_FAULTS_MIN] = PF__PERF_EVENTS__COUNTER__SW_PAGE_FAULTS_MIN,
		[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = PF__PERF_EVENTS__COUNTER__SW_PAGE_FAULTS_MAJ,
		[PERF_COUNT_SW_ALIGNMENT_FAULTS] = PF__PERF_EVENTS__COUNTER__SW_ALIGNMENT_FAULTS,
		[PERF_COUNT_SW_EMULATION_FAULTS] = PF__PERF_EVENTS__COUNTER__SW_EMULATION_FAULTS,
		[PERF_COUNT_SW_DUMMY] = PF__PERF_EVENTS__COUNTER__SW_DUMMY,
	};

	if (attr->type == PERF_TYPE_HARDWARE &&
	    attr->config < sizeof(hardware) / sizeof(*hardware))
		return hardware[attr->config];
	if (attr->type == PERF_TYPE_SOFTWARE &&
	    attr->config < sizeof(software) / sizeof(*software))
		return software[attr->config];
	return PF__PERF_EVENTS__COUNTER__UNKNOWN_COUNTER;
}

/* The name is the recording's; Perfetto derives the unit from the event. */
static void put_timebase(Pf__PerfEvents__Timebase *to, const struct wp_perfevent *event,
			 Pf__PerfEvents__Tracepoint *tracepoint, Pf__PerfEvents__RawEvent *raw)
{
	if (event->attr.freq) {
		to->interval_case = PF__PERF_EVENTS__TIMEBASE__INTERVAL_FREQUENCY;
		to->frequency = event->attr.sample_freq;
	} else {
		to->interval_case = PF__PERF_EVENTS__TIMEBASE__INTERVAL_PERIOD;
		to->period = event->attr.sample_period;
	}
	to->counter = counter_of(&event->attr);
	to->event_case = PF__PERF_EVENTS__TIMEBASE__EVENT_COUNTER;
	if (to->counter != PF__PERF_EVENTS__COUNTER__UNKNOWN_COUNTER)
		return;
	if (event->attr.type == PERF_TYPE_TRACEPOINT) {
		tracepoint->name = to->name;
		to->event_case = PF__PERF_EVENTS__TIMEBASE__EVENT_TRACEPOINT;
		to->tracepoint = tracepoint;
		return;
	}
	raw->has_type = true;
	raw->type = event->attr.type;
	raw->has_config = true;
	raw->config = event->attr.config;
	raw->has_config1 = !!event->attr.config1;
	raw->config1 = event->attr.config1;
	raw->has_config2 = !!event->attr.config2;
	raw->config2 = event->attr.config2;
	to->event_case = PF__PERF_EVENTS__TIMEBASE__EVENT_RAW_EVENT;
	to->raw_event = raw;
}

/* Write the packet that begins a sequence, also after its data was dropped. */
static int begin_stream(struct wp_pfsamples *s, unsigned int nr, __u64 time)
{
	const struct wp_perfevent *event = &s->events->event[nr];
	Pf__PerfEvents__Tracepoint tracepoint = PF__PERF_EVENTS__TRACEPOINT__INIT;
	Pf__TracePacketDefaults defaults = PF__TRACE_PACKET_DEFAULTS__INIT;
	Pf__PerfSampleDefaults sample = PF__PERF_SAMPLE_DEFAULTS__INIT;
	Pf__PerfEvents__Timebase timebase = PF__PERF_EVENTS__TIMEBASE__INIT;
	Pf__PerfEvents__RawEvent raw = PF__PERF_EVENTS__RAW_EVENT__INIT;
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	struct stream *stream = &s->stream[nr];
	char name[256];

	if (!stream->count)
		stream->count = calloc(WP_PF_CPUS, sizeof(*stream->count));
	if (!stream->count)
		return no_memory();
	forget(&stream->told);
	snprintf(name, sizeof(name), "%s", event->name);
	wp_text_clean(name, false);
	timebase.name = name;
	put_timebase(&timebase, event, &tracepoint, &raw);
	sample.timebase = &timebase;
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

	if (!err && (!stream->begun || too_much(&stream->told)))
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
	sample.callstack_iid = stack_of(s, &stream->told, rec, &err);
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
		forget(&s->stream[i].told);
		free(s->stream[i].count);
	}
	free(s->stream);
	free_news(&s->news);
	free(s->place);
	free(s->stack);
	free(s);
}
