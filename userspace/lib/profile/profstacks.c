// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the stacks of a recording's samples: the frames of each, and the function at each
 * frame. Called by profile.c. Equal stacks, frames and functions are stored once.
 *
 * A frame is a file and an offset in it, so that processes share it. Its functions are
 * looked up on request: symbols are read only of files that are shown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/profile/proffiles.h"
#include "lib/profile/profstacks.h"
#include "lib/symbols/framename.h"

/* Limit for the stacks in bytes; further ones are dropped, and counted. */
#define MAX_STACKS	((size_t)1 << 30)

#define UNKNOWN_NAME	"[unknown]"

/* What is summed by is a frame, too, in this space: @offset is the number of its text, */
#define LABEL_SPACE	1

/* and the function is in this file. */
#define LABEL_PATH	"[field]"

/*
 * Identity of a frame; @file 0: it is in none; @caller: it is the byte before a return
 * address; @code: wp_symbols_code() of JIT code, as an address is used again.
 */
struct frame_key {
	__u64 offset;
	__u32 file;
	__u32 space;
	__u32 caller;
	__u32 code;
};

/* Identity of a function, followed by its name. */
struct function_key {
	__u32 path;
	__u16 known;
	__u16 inlined;
};

/**
 * struct wp_profstacks - all stacks
 * @files: their files
 * @frames: struct frame_key
 * @frame: the same; their functions are 0 until they are looked up
 * @frame_room: allocated frames
 * @functions: struct function_key and name
 * @function: the same
 * @function_room: the same
 * @inlined: numbers of functions, of frames that have several
 * @inlines: look up inlined functions
 * @stacks: numbers of frames, the innermost first
 * @labels: texts of frames that are no addresses
 * @label: the same, where they stay
 * @label_room: the same
 * @scratch: the current stack
 * @scratch_room: its allocated entries
 * @left_out: number of stacks that found no room
 */
struct wp_profstacks {
	struct wp_proffiles files;
	struct wp_intern frames;
	struct wp_frame *frame;
	size_t frame_room;
	struct wp_intern functions;
	struct wp_function *function;
	size_t function_room;
	struct wp_intern inlined;
	bool inlines;
	struct wp_intern stacks;
	struct wp_intern labels;
	char **label;
	size_t label_room;
	__u32 *scratch;
	size_t scratch_room;
	__u64 left_out;
};

/* Make room for one more element of @size bytes after @nr elements. */
static bool more(void *array, size_t *room, size_t nr, size_t size)
{
	size_t wanted = *room ? *room * 2 : 256;
	void *grown;

	if (nr < *room)
		return true;
	grown = reallocarray(*(void **)array, wanted, size);
	if (!grown)
		return false;
	*(void **)array = grown;
	*room = wanted;
	return true;
}

/**
 * wp_profstacks_new() - allocate an empty table
 * @out: set to the table, to be freed with wp_profstacks_free()
 * @maps: the mappings, kept up to date by the caller
 * @options: options for symbol lookups
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_profstacks_new(struct wp_profstacks **out, struct wp_memmaps *maps,
		      const struct wp_symbols_options *options)
{
	struct wp_profstacks *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return wp_no_memory("the stacks of the recording");
	s->files.maps = maps;
	s->inlines = options->inlines;
	err = wp_symbols_new(&s->files.symbols, options);
	if (err) {
		free(s);
		return err;
	}
	*out = s;
	return 0;
}

/* Look up or add a frame; returns its number, 0 if there is no memory. */
static __u32 frame_of(struct wp_profstacks *s, __s32 pid, __u64 space, __u64 address,
		      bool is_caller, __u64 time)
{
	const struct wp_memmap *map = space == PERF_CONTEXT_USER ?
		wp_memmaps_find(s->files.maps, pid, address) : NULL;
	struct frame_key key = { .offset = address, .space = space, .caller = is_caller };
	size_t nr_frames = s->frames.nr;
	struct wp_frame *f;
	bool is_new;
	__u32 nr;

	if (map) {
		const char *path = wp_memmaps_path(s->files.maps, map->path);
		enum wp_symbols_kind kind = wp_proffiles_kind(map, path);

		key.file = wp_proffiles_file(&s->files, kind, path, map, pid);
		if (kind != WP_SYMBOLS_JIT)
			key.offset = address - map->start + map->offset;
		else if (key.file)
			key.code = wp_symbols_code(s->files.symbols,
						   s->files.file[key.file - 1].symbols, address,
						   time);
	} else if (space == PERF_CONTEXT_KERNEL) {
		key.file = wp_proffiles_kernel(&s->files);
	}
	if (!key.file && (map || space == PERF_CONTEXT_KERNEL))
		return 0;
	nr = wp_intern(&s->frames, &key, sizeof(key), &is_new);
	if (!nr || !is_new)
		return nr;
	if (!more(&s->frame, &s->frame_room, nr_frames, sizeof(*s->frame)))
		return 0;
	f = &s->frame[nr - 1];
	memset(f, 0, sizeof(*f));
	f->address = address;
	f->offset = key.offset;
	if (map) {
		f->map_start = map->start;
		f->map_end = map->end;
		f->map_offset = map->offset;
	}
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

/**
 * wp_profstacks_place() - the frame at an address
 * @s: the stacks
 * @pid: the process
 * @space: PERF_CONTEXT_KERNEL, _USER or another one
 * @address: the address; of a caller, the byte before the return address
 * @is_caller: it is a caller
 * @time: when it was there, for JIT code
 *
 * Return: its number; 0 if there is no memory.
 */
__u32 wp_profstacks_place(struct wp_profstacks *s, __s32 pid, __u64 space, __u64 address,
			  bool is_caller, __u64 time)
{
	return frame_of(s, pid, space, address, is_caller, time);
}

/* Look up or add the frame of a text; returns its number, 0 if there is no memory. */
static __u32 frame_of_label(struct wp_profstacks *s, const char *text)
{
	size_t nr = s->labels.nr;
	bool is_new;
	__u32 label = wp_intern(&s->labels, text, strlen(text) + 1, &is_new);

	if (!label)
		return 0;
	if (is_new) {
		if (!more(&s->label, &s->label_room, nr, sizeof(*s->label)))
			return 0;
		s->label[nr] = strdup(text);
	}
	return s->label[label - 1] ? frame_of(s, -1, LABEL_SPACE, label, false, 0) : 0;
}

/**
 * wp_profstacks_time() - when the stack of a sample was there
 * @rec: the sample
 * @is_wait: it is of a thread off its CPU: its period is a time
 *
 * The stack of a wait is from its beginning. A sum of several waits began no later than
 * that before its end, as the waits of a thread do not overlap; so what was at an address
 * during all of them was there at this time, too.
 *
 * Return: the time.
 */
__u64 wp_profstacks_time(const struct wp_perfrecord *rec, bool is_wait)
{
	bool has_period = rec->sample_type & PERF_SAMPLE_PERIOD && rec->period < rec->time;

	return is_wait && has_period ? rec->time - rec->period : rec->time;
}

/**
 * wp_profstacks_add() - add the stack of a sample
 * @s: the stacks
 * @rec: the sample
 * @label: text of one more frame, the outermost one; NULL: none
 * @time: when the stack was there, for JIT code
 * @stack: set to its number; 0: it has none, or there are too many
 *
 * A caller's return address is after its call, and can belong to another function: the
 * byte before belongs to the call.
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_profstacks_add(struct wp_profstacks *s, const struct wp_perfrecord *rec, const char *label,
		      __u64 time, __u32 *stack)
{
	bool has_chain = rec->sample_type & PERF_SAMPLE_CALLCHAIN && rec->nr_chain;
	const __u64 *chain = has_chain ? rec->chain : &rec->ip;
	__u64 i, words = has_chain ? rec->nr_chain : !!rec->ip;
	__u64 space = space_of(rec);
	bool is_caller = false;
	size_t nr = 0;

	*stack = 0;
	for (i = 0; i < words; i++) {
		if (chain[i] >= PERF_CONTEXT_MAX) {
			space = chain[i];
			is_caller = false;
			continue;
		}
		if (!more(&s->scratch, &s->scratch_room, nr, sizeof(*s->scratch)))
			return wp_no_memory("the stacks of the recording");
		is_caller = is_caller && chain[i];
		s->scratch[nr] = frame_of(s, rec->pid, space, chain[i] - is_caller, is_caller,
					  time);
		if (!s->scratch[nr])
			return wp_no_memory("the stacks of the recording");
		is_caller = true;
		nr++;
	}
	if (label) {
		if (!more(&s->scratch, &s->scratch_room, nr, sizeof(*s->scratch)))
			return wp_no_memory("the stacks of the recording");
		s->scratch[nr] = frame_of_label(s, label);
		if (!s->scratch[nr++])
			return wp_no_memory("the stacks of the recording");
	}
	if (!nr)
		return 0;
	if (wp_intern_memory(&s->stacks) > MAX_STACKS) {
		s->left_out++;
		return 0;
	}
	*stack = wp_intern(&s->stacks, s->scratch, nr * sizeof(*s->scratch), NULL);
	return *stack ? 0 : wp_no_memory("the stacks of the recording");
}

/**
 * wp_profstacks_frames() - the frames of a stack
 * @s: the stacks
 * @stack: its number, or 0
 * @nr: set to their number
 *
 * Return: their numbers, the innermost first, valid until the next one is added.
 */
const __u32 *wp_profstacks_frames(const struct wp_profstacks *s, __u32 stack, size_t *nr)
{
	const __u32 *frames = NULL;

	*nr = 0;
	if (stack)
		frames = wp_intern_bytes(&s->stacks, stack, nr);
	*nr /= sizeof(*frames);
	return frames;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/**
 * wp_profstacks_variable() - name of the variable at an address
 * @s: the stacks
 * @pid: the process
 * @address: the address
 * @text: set to "NAME (FILE)", "NAME+0xN (FILE)" within a larger one
 * @size: size of @text
 *
 * Its file is the one with the nearest code mapping below it, as all linkers lay it out.
 *
 * Return: true if it is known.
 */
bool wp_profstacks_variable(struct wp_profstacks *s, __s32 pid, __u64 address, char *text,
			    size_t size)
{
	return wp_proffiles_variable(&s->files, pid, address, text, size);
}

/* A function owns its strings: names of inlined ones are not stored elsewhere. */
static bool name_function(struct wp_function *f, const char *name, const char *spare,
			  const char *path)
{
	char *label;

	f->name = name;
	f->label = name;
	f->path = strdup(path);
	if (!f->path)
		return false;
	f->dso = base_of(f->path);
	if (!name)
		f->label = strdup(spare);
	if (!f->inlined)
		return f->label;
	f->name = strdup(name);
	if (asprintf(&label, "%s (inlined)", name) < 0)
		label = NULL;
	f->label = label;
	return f->name && label;
}

/*
 * Look up or add a function; without @name it is called @spare. Returns its number, 0 if
 * there is no memory.
 */
static __u32 function_of(struct wp_profstacks *s, const char *path, const char *name,
			 const char *spare, bool kernel, bool inlined)
{
	const char *label = name ? name : spare;
	size_t nr_functions = s->functions.nr, len = strlen(label);
	struct function_key key = { .known = !!name, .inlined = inlined };
	struct wp_function *f;
	bool is_new;
	char *bytes;
	__u32 nr;

	key.path = wp_intern(&s->files.paths, path, strlen(path) + 1, NULL);
	bytes = key.path ? malloc(sizeof(key) + len) : NULL;
	if (!bytes)
		return 0;
	memcpy(bytes, &key, sizeof(key));
	memcpy(bytes + sizeof(key), label, len);
	nr = wp_intern(&s->functions, bytes, sizeof(key) + len, &is_new);
	free(bytes);
	if (!nr || !is_new)
		return nr;
	if (!more(&s->function, &s->function_room, nr_functions, sizeof(*f)))
		return 0;
	f = &s->function[nr - 1];
	*f = (struct wp_function){ .kernel = kernel, .inlined = inlined };
	return name_function(f, name, spare, path) ? nr : 0;
}

/*
 * For a caller the byte before the return address is looked up; an interrupted frame has
 * its exact address. A return address that is a function's first byte belongs to the call
 * before it in programs, after a call that does not return. It does not if signal
 * handlers return there. In the kernel there are gaps between functions, so there it is
 * never a return address. Returns the offset that was looked up.
 */
static __u64 find(struct wp_profstacks *s, const struct wp_proffile *file,
		  const struct frame_key *key, struct wp_symbol *symbol)
{
	struct wp_symbol next;

	if (wp_symbols_has_times(s->files.symbols, file->symbols)) {
		wp_symbols_load(s->files.symbols, file->symbols, key->code, symbol);
		return key->offset;
	}
	wp_symbols_find(s->files.symbols, file->symbols, key->offset, symbol);
	if (!key->caller ||
	    !wp_symbols_find(s->files.symbols, file->symbols, key->offset + 1, &next) ||
	    next.start != key->offset + 1)
		return key->offset;
	if (file->kind != WP_SYMBOLS_KERNEL && !strstr(next.name, "_rt_sigreturn") &&
	    strcmp(next.name, "__restore_rt"))
		return key->offset;
	*symbol = next;
	return key->offset + 1;
}

/* The functions inlined at a frame. */
static bool find_inlined(struct wp_profstacks *s, struct wp_frame *f,
			 const struct wp_proffile *file, __u64 at, const char *path)
{
	__u32 numbers[WP_SYMBOLS_INLINED + 1];
	char **names;
	size_t nr, i;

	if (!s->inlines || !file)
		return true;
	nr = wp_symbols_inlined(s->files.symbols, file->symbols, at, &names);
	for (i = 0; i < nr; i++) {
		numbers[i] = function_of(s, path, names[i], NULL, false, true);
		if (!numbers[i])
			return false;
	}
	if (!nr)
		return true;
	numbers[nr++] = f->function;
	f->inlined = wp_intern(&s->inlined, numbers, nr * sizeof(*numbers), NULL);
	return f->inlined;
}

/* Name for a frame's function without a symbol; NULL: no memory. */
static char *spare_name(struct wp_profstacks *s, const struct wp_proffile *file,
			const struct frame_key *key)
{
	struct wp_frameplace place = {
		.path = file ? wp_intern_bytes(&s->files.paths, file->path, NULL) : NULL,
		.file = file && file->kind != WP_SYMBOLS_JIT,
		.kernel = key->space == (__u32)PERF_CONTEXT_KERNEL,
		.user = key->space == (__u32)PERF_CONTEXT_USER,
		.offset = key->offset + key->caller,
	};

	if (place.kernel && !wp_memmaps_kernel(s->files.maps, &place.base))
		place.base = 0;
	return wp_framename(&place);
}

/* Look up the function of a frame. */
static int resolve(struct wp_profstacks *s, struct wp_frame *f, const struct frame_key *key)
{
	const struct wp_proffile *file = key->file ? &s->files.file[key->file - 1] : NULL;
	bool kernel = file && file->kind == WP_SYMBOLS_KERNEL;
	struct wp_symbol symbol = { 0 };
	char *path, *spare = NULL;
	__u64 at = 0;
	bool done;

	if (key->space == LABEL_SPACE) {
		f->function = function_of(s, LABEL_PATH, s->label[key->offset - 1], NULL, false,
					  false);
		return f->function ? 0 : wp_no_memory("the stacks of the recording");
	}
	if (file)
		at = find(s, file, key, &symbol);
	/* Paths can move when one is added. */
	path = strdup(symbol.module ? symbol.module :
		      file ? wp_intern_bytes(&s->files.paths, file->path, NULL) : UNKNOWN_NAME);
	if (!symbol.name)
		spare = spare_name(s, file, key);
	if (path && (symbol.name || spare))
		f->function = function_of(s, path, symbol.name, spare, kernel, false);
	if (f->function)
		s->function[f->function - 1].sched = symbol.sched;
	done = f->function && find_inlined(s, f, file, at, path);
	free(path);
	free(spare);
	return done ? 0 : wp_no_memory("the stacks of the recording");
}

/* A frame with its function; NULL if there is no memory. */
static struct wp_frame *resolved(struct wp_profstacks *s, __u32 nr)
{
	struct wp_frame *f = &s->frame[nr - 1];
	struct frame_key key;

	memcpy(&key, wp_intern_bytes(&s->frames, nr, NULL), sizeof(key));
	return f->function || !resolve(s, f, &key) ? f : NULL;
}

/**
 * wp_profstacks_frame() - a frame
 * @s: the stacks
 * @frame: its number
 *
 * Return: the frame, valid until the next sample is added; NULL if there is no memory.
 */
const struct wp_frame *wp_profstacks_frame(struct wp_profstacks *s, __u32 frame)
{
	return resolved(s, frame);
}

/**
 * wp_profstacks_frame_id() - build-id of a frame's file
 * @s: the stacks
 * @frame: its number
 *
 * Return: the build-id, valid until the next sample is added; empty if unknown.
 */
const struct wp_buildid *wp_profstacks_frame_id(const struct wp_profstacks *s, __u32 frame)
{
	static const struct wp_buildid none;
	struct frame_key key;

	memcpy(&key, wp_intern_bytes(&s->frames, frame, NULL), sizeof(key));
	return key.file ? &s->files.file[key.file - 1].id : &none;
}

/**
 * wp_profstacks_frame_functions() - the functions at a frame
 * @s: the stacks
 * @f: the frame
 * @nr: set to their number
 *
 * Return: their numbers, the innermost first, valid until the next frame is looked up.
 */
const __u32 *wp_profstacks_frame_functions(const struct wp_profstacks *s,
					   const struct wp_frame *f, size_t *nr)
{
	const __u32 *numbers;

	*nr = 1;
	if (!f->inlined)
		return &f->function;
	numbers = wp_intern_bytes(&s->inlined, f->inlined, nr);
	*nr /= sizeof(*numbers);
	return numbers;
}

/* Append a frame's functions to a stack's. */
static bool append(struct wp_profstacks *s, size_t *at, const struct wp_frame *f)
{
	size_t nr, i;
	const __u32 *numbers = wp_profstacks_frame_functions(s, f, &nr);

	for (i = 0; i < nr; i++) {
		if (!more(&s->scratch, &s->scratch_room, *at, sizeof(*s->scratch)))
			return false;
		s->scratch[(*at)++] = numbers[i];
	}
	return true;
}

/**
 * wp_profstacks_functions() - the functions of a stack
 * @s: the stacks
 * @stack: its number, or 0
 * @nr: set to their number
 *
 * Return: their numbers, the innermost first, valid until the next call; NULL if there is
 * none or, after a message, no memory.
 */
const __u32 *wp_profstacks_functions(struct wp_profstacks *s, __u32 stack, size_t *nr)
{
	size_t nr_frames, i;
	const __u32 *frames = wp_profstacks_frames(s, stack, &nr_frames);

	*nr = 0;
	for (i = 0; i < nr_frames; i++) {
		const struct wp_frame *f = resolved(s, frames[i]);

		if (!f || !append(s, nr, f)) {
			*nr = 0;
			return NULL;
		}
	}
	return *nr ? s->scratch : NULL;
}

/**
 * wp_profstacks_function() - a function
 * @s: the stacks
 * @function: its number
 *
 * Return: the function; its strings are valid until wp_profstacks_free().
 */
const struct wp_function *wp_profstacks_function(const struct wp_profstacks *s,
						 __u32 function)
{
	return &s->function[function - 1];
}

/**
 * wp_profstacks_left_out() - number of stacks that found no room
 * @s: the stacks
 *
 * Return: the number of samples that had one of these.
 */
__u64 wp_profstacks_left_out(const struct wp_profstacks *s)
{
	return s->left_out;
}

static void free_function(const struct wp_function *f)
{
	free((char *)f->path);
	if (f->inlined)
		free((char *)f->name);
	if (f->inlined || !f->name)
		free((char *)f->label);
}

/**
 * wp_profstacks_code() - see wp_profile_code()
 * @s: the stacks
 * @at: the same
 * @code: the same
 *
 * Return: the same.
 */
bool wp_profstacks_code(const struct wp_profstacks *s, size_t *at,
			struct wp_profile_code *code)
{
	return wp_proffiles_code(&s->files, at, code);
}

/**
 * wp_profstacks_trouble() - see wp_profile_trouble()
 * @s: the stacks
 * @at: the same
 * @path: the same
 *
 * Return: the same.
 */
const char *wp_profstacks_trouble(const struct wp_profstacks *s, size_t *at, const char **path)
{
	return wp_proffiles_trouble(&s->files, at, path);
}

/**
 * wp_profstacks_free() - free the table
 * @s: the stacks, or NULL
 */
void wp_profstacks_free(struct wp_profstacks *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->functions.nr && i < s->function_room; i++)
		free_function(&s->function[i]);
	wp_proffiles_free(&s->files);
	wp_intern_free(&s->frames);
	wp_intern_free(&s->functions);
	wp_intern_free(&s->inlined);
	wp_intern_free(&s->stacks);
	for (i = 0; i < s->labels.nr && i < s->label_room; i++)
		free(s->label[i]);
	wp_intern_free(&s->labels);
	free(s->label);
	free(s->frame);
	free(s->function);
	free(s->scratch);
	free(s);
}
