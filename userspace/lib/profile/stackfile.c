// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what was read of a file of stacks that is no perf.data: functions by their names,
 * stacks, and values. Finds out the format, and reads the file within bounds of memory.
 * Called by profile.c, and by foldedfile.c, pproffile.c and otlpfile.c for what they find.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/profile/stackfile.h"

/* Functions of all stacks. */
#define MAX_FRAMES	(64UL << 20)

enum format { FORMAT_NONE, FORMAT_FOLDED, FORMAT_PPROF, FORMAT_OTLP, FORMAT_GZIP };

/* What a file begins with is enough to know that it is none of the others. */
#define LOOK		512

/* Whether the first line of a file, or what is seen of it, is text. */
static bool is_text(const char *at, size_t len)
{
	size_t i;

	for (i = 0; i < len && at[i] != '\n'; i++) {
		if ((unsigned char)at[i] < ' ' && at[i] != '\t' && at[i] != '\r')
			return false;
	}
	/* A line that ends has a number behind a space. */
	if (i == len)
		return len == LOOK;
	while (i && at[i - 1] == '\r')
		i--;
	if (!i || at[i - 1] < '0' || at[i - 1] > '9')
		return false;
	while (i && at[i - 1] >= '0' && at[i - 1] <= '9')
		i--;
	return i > 1 && at[i - 1] == ' ';
}

static enum format format_of(int fd)
{
	char begin[LOOK];
	ssize_t len = pread(fd, begin, sizeof(begin), 0);

	if (len < 2 || !memcmp(begin, "PERFILE", len < 7 ? len : 7))
		return FORMAT_NONE;
	if (begin[0] == 0x1f && (unsigned char)begin[1] == 0x8b)
		return FORMAT_GZIP;
	if (wp_otlpfile_is((const __u8 *)begin, len))
		return FORMAT_OTLP;
	/* The first field of all writers: a type of values, or the empty string. */
	if (begin[0] == 0x0a || (begin[0] == 0x32 && !begin[1]))
		return FORMAT_PPROF;
	return is_text(begin, len) ? FORMAT_FOLDED : FORMAT_NONE;
}

static int too_large(const struct wp_stackfile *s)
{
	wp_err("%s is too large: at most %lu MB, uncompressed, are read", s->path,
	       WP_STACKFILE_BYTES >> 20);
	return -EFBIG;
}

/* Read a file, decompressed if it is gzip's, with a terminating 0. */
static int read_all(const struct wp_stackfile *s, int fd, char **data, size_t *size)
{
	size_t room = 1 << 16, len = 0;
	char *buf = malloc(room + 1), *more;
	gzFile gz;
	int own = dup(fd), got, err = 0;

	/* Files that are not compressed are read as they are. */
	gz = own < 0 || lseek(own, 0, SEEK_SET) ? NULL : gzdopen(own, "rb");
	if (!gz || !buf) {
		if (gz)
			gzclose(gz);
		else if (own >= 0)
			close(own);
		free(buf);
		return wp_no_memory("the file");
	}
	while ((got = gzread(gz, buf + len, room - len)) > 0) {
		len += got;
		if (len < room)
			continue;
		more = room < WP_STACKFILE_BYTES ? realloc(buf, 2 * room + 1) : NULL;
		if (!more) {
			err = room < WP_STACKFILE_BYTES ? wp_no_memory("the file") : too_large(s);
			break;
		}
		buf = more;
		room *= 2;
	}
	if (!err && got < 0) {
		wp_err("%s cannot be decompressed: it is damaged", s->path);
		err = -EINVAL;
	}
	/* A truncated file is reported at its end only. */
	if (gzclose_r(gz) != Z_OK && !err) {
		wp_err("%s is truncated: copy it again", s->path);
		err = -EINVAL;
	}
	if (err) {
		free(buf);
		return err;
	}
	buf[len] = '\0';
	*data = buf;
	*size = len;
	return 0;
}

/* Set the functions, once their names do not move any more. */
static int set_functions(struct wp_stackfile *s)
{
	size_t i;

	s->function = calloc(s->names.nr + 1, sizeof(*s->function));
	if (!s->function)
		return wp_no_memory("the functions");
	for (i = 0; i < s->names.nr; i++) {
		const char *key = wp_intern_bytes(&s->names, i + 1, NULL), *path, *file;
		struct wp_function *f = &s->function[i];

		f->kernel = key[0] & 1;
		f->inlined = key[0] & 2;
		f->label = key + 1;
		f->name = f->label;
		path = f->label + strlen(f->label) + 1;
		file = strrchr(path, '/');
		f->path = path;
		f->dso = file && file[1] ? file + 1 : path;
	}
	return 0;
}

/**
 * wp_stackfile_open() - read a file of stacks, if it is one
 * @out: set to what was read, to be freed with wp_stackfile_close(); NULL: it has
 *	another format
 * @fd: the file
 * @path: its name, for messages
 * @threads: where threads are added
 * @causes: where causes are added
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_stackfile_open(struct wp_stackfile **out, int fd, const char *path,
		      struct wp_intern *threads, struct wp_intern *causes)
{
	enum format format = format_of(fd);
	struct wp_stackfile *s;
	char *data = NULL;
	size_t size = 0;
	int err;

	*out = NULL;
	if (format == FORMAT_NONE)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return wp_no_memory("the file");
	s->path = path;
	s->threads = threads;
	s->causes = causes;
	err = read_all(s, fd, &data, &size);
	/* Compressed folded lines have no empty first line, which a profile begins with. */
	if (!err && format == FORMAT_GZIP && size && data[0] != 0x0a &&
	    is_text(data, size < LOOK ? size : LOOK))
		format = FORMAT_FOLDED;
	else if (!err && format == FORMAT_GZIP && wp_otlpfile_is((const __u8 *)data, size))
		format = FORMAT_OTLP;
	if (!err)
		err = format == FORMAT_FOLDED ? wp_foldedfile_read(s, data, size) :
		      format == FORMAT_OTLP ? wp_otlpfile_read(s, (const __u8 *)data, size) :
		      wp_pproffile_read(s, (const __u8 *)data, size);
	if (!err && !s->nr) {
		wp_err("%s has no values", path);
		err = -ENODATA;
	}
	if (!err)
		err = set_functions(s);
	free(data);
	if (err)
		wp_stackfile_close(s);
	else
		*out = s;
	return err;
}

/**
 * wp_stackfile_function() - look up or add a function
 * @s: the file
 * @name: its name
 * @path: its file, or ""
 * @kernel: it is the kernel's
 * @inlined: it is inlined here
 *
 * Return: its number; 0 if there is no memory, or there are too many.
 */
__u32 wp_stackfile_function(struct wp_stackfile *s, const char *name, const char *path,
			    bool kernel, bool inlined)
{
	const char flags = (kernel ? 1 : 0) | (inlined ? 2 : 0);
	struct wp_buf key = { 0 };
	__u32 nr = 0;

	wp_buf_add(&key, &flags, 1);
	wp_buf_add(&key, name, strlen(name) + 1);
	wp_buf_add(&key, path, strlen(path) + 1);
	if (!key.failed && s->names.nr < WP_STACKFILE_ENTRIES)
		nr = wp_intern(&s->names, key.data, key.len, NULL);
	wp_buf_free(&key);
	return nr;
}

/**
 * wp_stackfile_event() - add an event
 * @s: the file
 * @kind: what its values are
 * @name: its name, for WP_STACKFILE_OTHER
 *
 * Return: its number or a negative errno; a message was printed.
 */
int wp_stackfile_event(struct wp_stackfile *s, enum wp_stackfile_kind kind, const char *name)
{
	static const char *const names[] = {
		[WP_STACKFILE_CPU] = "cpu-clock", [WP_STACKFILE_OFFCPU] = "offcpu-time",
		[WP_STACKFILE_RUNNABLE] = "runnable-time", [WP_STACKFILE_WAKER] = "wakeup-time",
	};
	unsigned int nr = s->events.nr;
	struct wp_perfevent *more;

	if (nr == WP_STACKFILE_EVENTS) {
		wp_err("%s has more than %d kinds of values", s->path, WP_STACKFILE_EVENTS);
		return -E2BIG;
	}
	more = reallocarray(s->events.event, nr + 1, sizeof(*more));
	if (!more)
		return wp_no_memory("the file");
	s->events.event = more;
	more[nr] = (struct wp_perfevent){
		.name = strdup(kind == WP_STACKFILE_OTHER ? name : names[kind]),
		.attr = { .size = sizeof(more->attr), .type = PERF_TYPE_SOFTWARE,
			  .config = kind == WP_STACKFILE_CPU ? PERF_COUNT_SW_CPU_CLOCK :
				    PERF_COUNT_SW_DUMMY,
			  .sample_period = 1 },
	};
	if (!more[nr].name)
		return wp_no_memory("the file");
	s->events.nr++;
	return nr;
}

/**
 * wp_stackfile_unit_ns() - length of a unit of time
 * @unit: its name, as files have it
 *
 * Return: nanoseconds; 0: it is no unit of time.
 */
__u64 wp_stackfile_unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		__u64 ns;
	} units[] = {
		{ "nanoseconds", 1 }, { "ns", 1 }, { "microseconds", 1000 }, { "us", 1000 },
		{ "milliseconds", 1000000 }, { "ms", 1000000 }, { "seconds", 1000000000 },
		{ "s", 1000000000 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	}
	return 0;
}

/**
 * wp_stackfile_add() - add a sample
 * @s: the file
 * @sample: the sample, without its stack
 * @functions: numbers of the functions of its stack, the innermost first
 * @nr: their number
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_stackfile_add(struct wp_stackfile *s, const struct wp_stackfile_sample *sample,
		     const __u32 *functions, size_t nr)
{
	bool is_new = false;

	if (s->nr == s->room) {
		size_t room = s->room ? 2 * s->room : 1024;
		void *more = room > WP_STACKFILE_ENTRIES ? NULL :
			     reallocarray(s->sample, room, sizeof(*s->sample));

		if (!more && room > WP_STACKFILE_ENTRIES) {
			wp_err("%s has more than %lu samples", s->path, WP_STACKFILE_ENTRIES);
			return -E2BIG;
		}
		if (!more)
			return wp_no_memory("the samples");
		s->sample = more;
		s->room = room;
	}
	s->sample[s->nr] = *sample;
	s->sample[s->nr].stack = nr ? wp_intern(&s->stacks, functions, nr * sizeof(*functions),
						&is_new) : 0;
	if (nr && !s->sample[s->nr].stack)
		return wp_no_memory("the stacks");
	/* Tables of locations: a few bytes can stand for thousands of functions. */
	s->frames += is_new ? nr : 0;
	if (s->frames > MAX_FRAMES) {
		wp_err("%s has more than %lu functions in its stacks", s->path, MAX_FRAMES);
		return -E2BIG;
	}
	s->nr++;
	return 0;
}

/**
 * wp_stackfile_functions() - the functions of a stack
 * @s: the file
 * @stack: its number, or 0
 * @nr: set to their number
 *
 * Return: their numbers, the innermost first.
 */
const __u32 *wp_stackfile_functions(const struct wp_stackfile *s, __u32 stack, size_t *nr)
{
	const __u32 *functions;
	size_t len;

	*nr = 0;
	if (!stack)
		return NULL;
	functions = wp_intern_bytes(&s->stacks, stack, &len);
	*nr = len / sizeof(*functions);
	return functions;
}

/**
 * wp_stackfile_frame() - a function as a frame: its address is not known
 * @s: the file
 * @frame: number of the function
 *
 * Return: the frame, valid until the next call.
 */
const struct wp_frame *wp_stackfile_frame(struct wp_stackfile *s, __u32 frame)
{
	s->spare = (struct wp_frame){ .function = frame };
	return &s->spare;
}

/**
 * wp_stackfile_close() - free what was read
 * @s: the file, or NULL
 */
void wp_stackfile_close(struct wp_stackfile *s)
{
	if (!s)
		return;
	wp_intern_free(&s->names);
	wp_intern_free(&s->stacks);
	wp_perfevents_free(&s->events);
	free(s->function);
	free(s->sample);
	free(s);
}
