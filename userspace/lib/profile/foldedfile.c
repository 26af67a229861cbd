// SPDX-License-Identifier: GPL-2.0
/*
 * Reads folded stacks, as of wallprof report --folded and many others: a line each, with
 * the thread's name, the functions, the outermost first, and a value behind a space.
 * Called by stackfile.c.
 *
 * Lines of wallprof end with their kind of time, [blocked] or [runnable], if there are
 * several; the values of all are ns then. Otherwise the unit is not known.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/profile/stackfile.h"

#define BLOCKED		"[blocked]"
#define RUNNABLE	"[runnable]"

/**
 * struct folded - a file that is being read
 * @s: what was read
 * @has_time: values are ns
 * @event: events, by enum wp_stackfile_kind
 * @line: number of the current line
 * @functions: functions of its stack
 */
struct folded {
	struct wp_stackfile *s;
	bool has_time;
	int event[WP_STACKFILE_OTHER + 1];
	size_t line;
	__u32 functions[WP_STACKFILE_FRAMES];
};

static int bad_line(const struct folded *f, const char *what)
{
	wp_err("%s, line %zu: %s; a line is 'name;function;function VALUE'", f->s->path, f->line,
	       what);
	return -EINVAL;
}

/* Whether a name has an ending, which is removed. */
static bool cut(char *name, const char *ending)
{
	size_t len = strlen(name), n = strlen(ending);

	if (len <= n || strcmp(name + len - n, ending))
		return false;
	name[len - n] = '\0';
	return true;
}

/* Parse the value at the end of a line, and cut it off. */
static int value_of(const struct folded *f, char *line, __u64 *value)
{
	char *at = strrchr(line, ' '), *end;

	if (!at || at == line || at[1] < '0' || at[1] > '9')
		return bad_line(f, "no value at its end");
	errno = 0;
	*value = strtoull(at + 1, &end, 10);
	if (*end)
		return bad_line(f, "the value is not a number");
	if (errno || *value > INT64_MAX)
		return bad_line(f, "the value is too large");
	*at = '\0';
	return 0;
}

/* Add the events: each kind of time, or values of an unknown unit. */
static int add_events(struct folded *f)
{
	unsigned int kind, last = f->has_time ? WP_STACKFILE_RUNNABLE : WP_STACKFILE_OTHER;

	for (kind = f->has_time ? WP_STACKFILE_CPU : last; kind <= last; kind++) {
		f->event[kind] = wp_stackfile_event(f->s, kind, "value");
		if (f->event[kind] < 0)
			return f->event[kind];
	}
	return 0;
}

static int add(struct folded *f, enum wp_stackfile_kind kind, struct wp_stackfile_sample *sample,
	       size_t nr)
{
	sample->event = f->event[kind];
	return wp_stackfile_add(f->s, sample, f->functions, nr);
}

/*
 * The thread of a line: its first name, if it can be one of a thread. In lines of wallprof
 * it is one also if no function follows: there is no stack.
 */
static __u32 thread_of(struct folded *f, char **rest)
{
	struct wp_profile_thread t = { .pid = -1, .tid = -1 };
	size_t len = strcspn(*rest, ";");

	if (((*rest)[len] == ';' || f->has_time) && len < sizeof(t.comm)) {
		memcpy(t.comm, *rest, len);
		*rest += len + ((*rest)[len] == ';');
	}
	return wp_intern(f->s->threads, &t, sizeof(t), NULL);
}

static int read_line(struct folded *f, char *line)
{
	struct wp_stackfile_sample sample = { .count = 1 };
	enum wp_stackfile_kind kind = f->has_time ? WP_STACKFILE_CPU : WP_STACKFILE_OTHER;
	char *name, *rest = line;
	size_t nr = WP_STACKFILE_FRAMES;
	int err = value_of(f, line, &sample.value);

	if (err)
		return err;
	if (cut(line, ";" BLOCKED))
		kind = WP_STACKFILE_OFFCPU;
	else if (cut(line, ";" RUNNABLE))
		kind = WP_STACKFILE_RUNNABLE;
	sample.thread = thread_of(f, &rest);
	if (!sample.thread)
		return wp_no_memory("the threads");
	/* The innermost function comes last, and is the first of a stack. */
	while ((name = strsep(&rest, ";"))) {
		bool inlined, kernel;

		if (!*name)
			continue;
		inlined = cut(name, "_[i]");
		kernel = cut(name, "_[k]");
		if (!nr)
			return bad_line(f, "too many functions");
		f->functions[--nr] = wp_stackfile_function(f->s, name, kernel ? "[kernel]" : "",
							   kernel, inlined);
		if (!f->functions[nr])
			return wp_no_memory("the functions");
	}
	memmove(f->functions, f->functions + nr,
		(WP_STACKFILE_FRAMES - nr) * sizeof(*f->functions));
	nr = WP_STACKFILE_FRAMES - nr;
	/* Runnable time is a part of the time off CPU. */
	if (kind == WP_STACKFILE_RUNNABLE)
		err = add(f, WP_STACKFILE_OFFCPU, &sample, nr);
	return err ? err : add(f, kind, &sample, nr);
}

/**
 * wp_foldedfile_read() - read folded stacks
 * @s: where to add them
 * @text: the text, with a terminating 0, changed
 * @size: its size
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_foldedfile_read(struct wp_stackfile *s, char *text, size_t size)
{
	struct folded *f = malloc(sizeof(*f));
	char *line, *rest = text;
	int err = 0;

	if (!f)
		return wp_no_memory("the file");
	*f = (struct folded){ .s = s };
	f->has_time = strstr(text, ";" BLOCKED " ") || strstr(text, ";" RUNNABLE " ");
	if (strlen(text) != size) {
		wp_err("%s has a byte 0: it is no text", s->path);
		err = -EINVAL;
	}
	if (!err)
		err = add_events(f);
	while (!err && (line = strsep(&rest, "\n"))) {
		f->line++;
		cut(line, "\r");
		if (*line)
			err = read_line(f, line);
	}
	free(f);
	return err;
}
