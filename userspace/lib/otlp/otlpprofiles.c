// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the profiles of a window of time while they are collected: strings, frames, stacks
 * and attributes, each once, and the samples, each with the sum of its time. otlppack.c
 * makes a message of them. Called by agent/window.c.
 *
 * Numbers of strings, functions, … are those of the message's tables: 0 is the empty one.
 * An allocation failure is noted; wp_otlp_pack() returns it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/otlp/otlpprofiles.h"
#include "lib/otlp/otlptables.h"

/* Longer strings are cut. */
#define MAX_STRING	4096

/**
 * wp_otlp_new() - begin the profiles of a window of time
 * @out: set to the profiles
 * @window: its time
 *
 * Return: 0 or -ENOMEM.
 */
int wp_otlp_new(struct wp_otlp **out, const struct wp_otlp_window *window)
{
	struct wp_otlp *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->window = *window;
	*out = o;
	return 0;
}

/**
 * wp_otlp_free() - free profiles
 * @o: from wp_otlp_new(), or NULL
 */
void wp_otlp_free(struct wp_otlp *o)
{
	unsigned int i;

	if (!o)
		return;
	for (i = 0; i < WP_OTLP_TABLES; i++)
		wp_intern_free(&o->table[i]);
	free(o->ns);
	free(o);
}

static __u32 number_of(struct wp_otlp *o, enum wp_otlp_table table, const void *key, size_t size)
{
	__u32 nr = wp_intern(&o->table[table], key, size, NULL);

	if (!nr)
		o->failed = true;
	return nr;
}

/* Copies a string; the message must be UTF-8. Returns its length. */
static size_t clean(char to[MAX_STRING + 1], const char *s)
{
	size_t len = s ? strnlen(s, MAX_STRING) : 0;

	if (len)
		memcpy(to, s, len);
	to[len] = 0;
	wp_text_clean(to, false);
	return len;
}

/* Number of a string; that of "" is 0. */
static __u32 text_of(struct wp_otlp *o, enum wp_otlp_table table, const char *s)
{
	char text[MAX_STRING + 1];
	size_t len = clean(text, s);

	return len ? number_of(o, table, text, len) : 0;
}

static __u32 string_of(struct wp_otlp *o, const char *s)
{
	return text_of(o, WP_OTLP_STRINGS, s);
}

/**
 * wp_otlp_string() - number of an attribute whose value is text
 * @o: the profiles
 * @key: its name
 * @value: its value
 */
__u32 wp_otlp_string(struct wp_otlp *o, const char *key, const char *value)
{
	struct wp_otlp_attribute a = {
		.key = string_of(o, key), .text = text_of(o, WP_OTLP_TEXTS, value),
		.is_text = 1,
	};

	return number_of(o, WP_OTLP_ATTRS, &a, sizeof(a));
}

/**
 * wp_otlp_number() - number of an attribute whose value is a number
 * @o: the profiles
 * @key: its name
 * @value: its value
 */
__u32 wp_otlp_number(struct wp_otlp *o, const char *key, __s64 value)
{
	struct wp_otlp_attribute a = { .key = string_of(o, key), .number = value };

	return number_of(o, WP_OTLP_ATTRS, &a, sizeof(a));
}

/**
 * wp_otlp_resource() - number of a resource: what the samples are of
 * @o: the profiles
 * @label: its attributes; of their keys and values 4096 bytes each count
 * @nr: their number, at most WP_OTLP_LABELS
 */
__u32 wp_otlp_resource(struct wp_otlp *o, const struct wp_otlp_label *label, unsigned int nr)
{
	char text[MAX_STRING + 1];
	struct wp_buf all = { 0 };
	unsigned int i;
	__u32 number;

	for (i = 0; i < nr; i++) {
		wp_buf_add(&all, text, clean(text, label[i].key) + 1);
		wp_buf_add(&all, text, clean(text, label[i].value) + 1);
	}
	o->failed |= all.failed;
	number = number_of(o, WP_OTLP_RESOURCES, all.data, all.len);
	wp_buf_free(&all);
	return number;
}

/**
 * wp_otlp_location() - number of a frame
 * @o: the profiles
 * @frame: the frame
 */
__u32 wp_otlp_location(struct wp_otlp *o, const struct wp_otlp_frame *frame)
{
	struct wp_otlp_mapping m = { .file = string_of(o, frame->file) };
	struct wp_otlp_function f = {
		.name = string_of(o, frame->function), .source = string_of(o, frame->source),
	};
	struct wp_otlp_place l = { .address = frame->address, .line = frame->line };

	if (frame->build_id)
		m.build_id = wp_otlp_string(o, "process.executable.build_id.gnu",
					    frame->build_id);
	if (m.file || m.build_id)
		l.mapping = number_of(o, WP_OTLP_MAPPINGS, &m, sizeof(m));
	if (f.name || f.source)
		l.function = number_of(o, WP_OTLP_FUNCTIONS, &f, sizeof(f));
	if (frame->type)
		l.type = wp_otlp_string(o, "profile.frame.type", frame->type);
	return number_of(o, WP_OTLP_LOCATIONS, &l, sizeof(l));
}

/**
 * wp_otlp_stack() - number of a stack
 * @o: the profiles
 * @location: its frames, the innermost first
 * @nr: their number, at most WP_OTLP_FRAMES
 */
__u32 wp_otlp_stack(struct wp_otlp *o, const __u32 *location, unsigned int nr)
{
	return nr ? number_of(o, WP_OTLP_STACKS, location, nr * sizeof(*location)) : 0;
}

/* Number of a sample. */
static __u32 sample_of(struct wp_otlp *o, const struct wp_otlp_sample *s)
{
	struct wp_otlp_key key = {
		.resource = s->resource, .kind = s->kind, .stack = s->stack, .nr = s->nr,
	};
	size_t size = offsetof(struct wp_otlp_key, attribute[s->nr]);
	__u32 nr;

	memcpy(key.attribute, s->attribute, s->nr * sizeof(*s->attribute));
	nr = wp_intern_find(&o->table[WP_OTLP_SAMPLES], &key, size);
	if (nr || o->table[WP_OTLP_SAMPLES].nr < o->window.max_samples)
		return nr ? nr : number_of(o, WP_OTLP_SAMPLES, &key, size);
	o->overflowed++;
	key.stack = 0;
	key.nr = 1;
	key.attribute[0] = wp_otlp_string(o, "wallprof.overflow", "samples");
	return number_of(o, WP_OTLP_SAMPLES, &key, offsetof(struct wp_otlp_key, attribute[1]));
}

/**
 * wp_otlp_add() - add time
 * @o: the profiles
 * @sample: the time; that of equal samples is summed
 */
void wp_otlp_add(struct wp_otlp *o, const struct wp_otlp_sample *sample)
{
	__u32 nr = sample_of(o, sample);

	if (!nr)
		return;
	if (nr > o->room) {
		size_t room = o->room ? 2 * o->room : 256;
		__u64 *more = reallocarray(o->ns, room, sizeof(*more));

		if (!more) {
			o->failed = true;
			return;
		}
		memset(more + o->room, 0, (room - o->room) * sizeof(*more));
		o->ns = more;
		o->room = room;
	}
	o->ns[nr - 1] += sample->ns;
	o->sum[sample->kind] += sample->ns;
}

/**
 * wp_otlp_stats() - get what profiles have
 * @o: the profiles
 * @stats: set to it
 */
void wp_otlp_stats(const struct wp_otlp *o, struct wp_otlp_stats *stats)
{
	stats->samples = o->table[WP_OTLP_SAMPLES].nr;
	stats->resources = o->table[WP_OTLP_RESOURCES].nr;
	stats->overflowed = o->overflowed;
	memcpy(stats->ns, o->sum, sizeof(stats->ns));
}
