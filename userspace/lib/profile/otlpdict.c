// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the tables of a message of OTLP profiles, whose entries refer to each other by
 * index. Called by otlpfile.c.
 *
 * As for pprof, the outer messages are parsed here and only the small ones within by
 * protobuf-c, so that the memory is bounded.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/base/err.h"
#include "lib/profile/otlpdict.h"

/* Limit of a message that protobuf-c reads. */
#define MAX_MESSAGE	(1U << 20)

/* What wallprof agent writes in place of a stack that was not recorded. */
#define NO_STACK	"[no stack]"

/* Fields of the request and of the dictionary. */
enum { REQUEST_DICTIONARY = 2 };
enum { MAPPING = 1, LOCATION, FUNCTION, STRING = 5, ATTRIBUTE, STACK };

/**
 * struct string - a string of the message
 * @at: its first byte
 * @len: its length
 */
struct string {
	const __u8 *at;
	size_t len;
};

/**
 * struct function - a function of the message, by numbers of strings
 * @name: its name
 * @file: its file
 */
struct function {
	__s32 name;
	__s32 file;
};

/**
 * struct attribute - an attribute of the message
 * @key: its name, as a number of a string
 * @text: its value, as a number of @texts, or 0
 * @string: likewise as a number of a string, or 0
 * @number: its value, if it is a number
 */
struct attribute {
	__s32 key;
	__u32 text;
	__s32 string;
	__s64 number;
};

/**
 * struct run - entries of another array: a location's functions, a stack's locations
 * @first: index of the innermost one
 * @nr: their number
 */
struct run {
	size_t first;
	size_t nr;
};

/**
 * wp_otlpdict_invalid() - report a mistake of the file
 * @d: the tables
 * @what: what is wrong
 *
 * Return: -EINVAL.
 */
int wp_otlpdict_invalid(const struct wp_otlpdict *d, const char *what)
{
	wp_err("%s has no profiles of OTLP, or is damaged: %s", d->s->path, what);
	return -EINVAL;
}

/**
 * wp_otlpdict_walk() - call a function for each field of a message
 * @d: the tables
 * @data: the message
 * @size: its size
 * @fn: the function
 * @ctx: passed to it
 *
 * Return: 0, what @fn returned, or a negative errno; a message was printed.
 */
int wp_otlpdict_walk(struct wp_otlpdict *d, const __u8 *data, size_t size, wp_otlpfield_fn fn,
		     void *ctx)
{
	struct wp_bytes b = { .p = data, .end = data + size };
	int err = 0;

	while (!err && wp_bytes_left(&b)) {
		__u64 tag = wp_bytes_uleb(&b);
		struct wp_otlpfield f = { .nr = tag >> 3 };

		switch (tag & 7) {
		case 0:
			f.value = wp_bytes_uleb(&b);
			break;
		case 1:
		case 5:
			f.value = wp_bytes_uint(&b, (tag & 7) == 1 ? 8 : 4);
			break;
		case 2:
			f.len = wp_bytes_uleb(&b);
			f.at = wp_bytes_take(&b, f.len);
			break;
		default:
			wp_bytes_fail(&b);
		}
		if (b.bad || !(tag >> 3) || tag >> 3 > INT32_MAX)
			return wp_otlpdict_invalid(d, "a field cannot be read");
		err = fn(d, &f, ctx);
	}
	return err;
}

/* Append an entry; NULL after a message. */
static void *append(struct wp_otlpdict *d, struct wp_otlparray *a, size_t size)
{
	if (a->nr == a->room) {
		size_t room = a->room ? 2 * a->room : 256;
		void *more = room > WP_STACKFILE_ENTRIES ? NULL :
			     reallocarray(a->data, room, size);

		if (!more) {
			if (room > WP_STACKFILE_ENTRIES)
				wp_err("%s has more than %lu entries of a table", d->s->path,
				       WP_STACKFILE_ENTRIES);
			else
				wp_no_memory("the profile");
			return NULL;
		}
		a->data = more;
		a->room = room;
	}
	return (char *)a->data + size * a->nr++;
}

/* Whether a table has an entry; 0 stands for none where there is no table. */
static bool has(const struct wp_otlparray *a, __s32 nr)
{
	return nr >= 0 && ((size_t)nr < a->nr || !nr);
}

/**
 * wp_otlpdict_unpack() - read a small message
 * @d: the tables
 * @type: its type
 * @f: the field that has it
 *
 * Return: it, to be freed by protobuf-c; NULL: a message was printed.
 */
void *wp_otlpdict_unpack(struct wp_otlpdict *d, const ProtobufCMessageDescriptor *type,
			 const struct wp_otlpfield *f)
{
	void *m;

	if (f->len > MAX_MESSAGE) {
		wp_otlpdict_invalid(d, "a message is too large");
		return NULL;
	}
	m = protobuf_c_message_unpack(type, NULL, f->len, f->at);
	if (!m)
		wp_otlpdict_invalid(d, "a message cannot be read");
	return m;
}

static void done(void *m)
{
	protobuf_c_message_free_unpacked(m, NULL);
}

/**
 * wp_otlpdict_string() - copy a string
 * @d: the tables
 * @nr: its number
 * @to: set to it
 *
 * Return: @to; NULL: a message was printed.
 */
const char *wp_otlpdict_string(const struct wp_otlpdict *d, __s32 nr, char to[WP_OTLPDICT_NAME])
{
	const struct string *all = d->strings.data;
	size_t len;

	to[0] = '\0';
	if (!has(&d->strings, nr)) {
		wp_otlpdict_invalid(d, "an index is out of range");
		return NULL;
	}
	len = d->strings.nr ? all[nr].len : 0;
	if (len >= WP_OTLPDICT_NAME)
		len = WP_OTLPDICT_NAME - 1;
	if (len)
		memcpy(to, all[nr].at, len);
	to[len] = '\0';
	return to;
}

static int add_string(struct wp_otlpdict *d, const struct wp_otlpfield *f)
{
	struct string *to = append(d, &d->strings, sizeof(*to));

	if (!to)
		return -ENOMEM;
	*to = (struct string){ .at = f->at, .len = f->len };
	return 0;
}

static int add_function(struct wp_otlpdict *d, const struct wp_otlpfield *f)
{
	struct function *to = append(d, &d->functions, sizeof(*to));
	Otlp__Function *m = to ? wp_otlpdict_unpack(d, &otlp__function__descriptor, f) : NULL;

	if (!m)
		return -EINVAL;
	to->name = m->name_strindex ? m->name_strindex : m->system_name_strindex;
	to->file = m->filename_strindex;
	done(m);
	return 0;
}

static int add_mapping(struct wp_otlpdict *d, const struct wp_otlpfield *f)
{
	__s32 *to = append(d, &d->mappings, sizeof(*to));
	Otlp__Mapping *m = to ? wp_otlpdict_unpack(d, &otlp__mapping__descriptor, f) : NULL;

	if (!m)
		return -EINVAL;
	*to = m->filename_strindex;
	done(m);
	return 0;
}

static int add_attribute(struct wp_otlpdict *d, const struct wp_otlpfield *f)
{
	struct attribute *to = append(d, &d->attributes, sizeof(*to));
	Otlp__KeyValueAndUnit *m = to ? wp_otlpdict_unpack(d,
				&otlp__key_value_and_unit__descriptor, f) : NULL;
	const Otlp__AnyValue *value = m ? m->value : NULL;
	int err = 0;

	if (!m)
		return -EINVAL;
	*to = (struct attribute){ .key = m->key_strindex };
	if (value && value->value_case == OTLP__ANY_VALUE__VALUE_STRING_VALUE) {
		to->text = wp_intern(&d->texts, value->string_value,
				     strnlen(value->string_value, WP_OTLPDICT_NAME - 1), NULL);
		err = to->text ? 0 : wp_no_memory("the profile");
	} else if (value && value->value_case == OTLP__ANY_VALUE__VALUE_STRING_VALUE_STRINDEX) {
		to->string = value->string_value_strindex;
	} else if (value && value->value_case == OTLP__ANY_VALUE__VALUE_INT_VALUE) {
		to->number = value->int_value;
	}
	done(m);
	return err;
}

static int add_stack(struct wp_otlpdict *d, const struct wp_otlpfield *f)
{
	struct run *to = append(d, &d->stacks, sizeof(*to));
	Otlp__Stack *m = to ? wp_otlpdict_unpack(d, &otlp__stack__descriptor, f) : NULL;
	size_t i;

	if (!m)
		return -EINVAL;
	*to = (struct run){ .first = d->places.nr, .nr = m->n_location_indices };
	for (i = 0; i < to->nr; i++) {
		__s32 *place = append(d, &d->places, sizeof(*place));

		if (!place)
			break;
		*place = m->location_indices[i];
	}
	done(m);
	return i == to->nr ? 0 : -ENOMEM;
}

/* What locations refer to, and what refers to locations. */
static int read_tables(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx)
{
	(void)ctx;
	if (!f->at)
		return 0;
	switch (f->nr) {
	case MAPPING:
		return add_mapping(d, f);
	case FUNCTION:
		return add_function(d, f);
	case STRING:
		return add_string(d, f);
	case ATTRIBUTE:
		return add_attribute(d, f);
	case STACK:
		return add_stack(d, f);
	}
	return 0;
}

static int add_frame(struct wp_otlpdict *d, bool inlined)
{
	__u32 *to = append(d, &d->frames, sizeof(*to));
	bool kernel = !strncmp(d->file, "[kernel", strlen("[kernel"));

	if (!to)
		return -ENOMEM;
	*to = wp_stackfile_function(d->s, d->name, d->file, kernel, inlined);
	if (!*d->file && !inlined && !strcmp(d->name, NO_STACK))
		d->no_stack = *to;
	return *to ? 0 : wp_no_memory("the functions");
}

/* The file of a location: that of its mapping, or of its function. */
static int file_of(struct wp_otlpdict *d, __s32 mapping, const struct function *f)
{
	const __s32 *mappings = d->mappings.data;

	if (!has(&d->mappings, mapping))
		return wp_otlpdict_invalid(d, "an index is out of range");
	if (!wp_otlpdict_string(d, d->mappings.nr ? mappings[mapping] : 0, d->file))
		return -EINVAL;
	if (!*d->file && f && !wp_otlpdict_string(d, f->file, d->file))
		return -EINVAL;
	return 0;
}

static int add_line(struct wp_otlpdict *d, const Otlp__Location *l, size_t i)
{
	const struct function *functions = d->functions.data, none = { 0 }, *f = &none;
	__s32 nr = l->lines[i]->function_index;
	int err;

	if (!has(&d->functions, nr))
		return wp_otlpdict_invalid(d, "an index is out of range");
	if (d->functions.nr)
		f = &functions[nr];
	err = file_of(d, l->mapping_index, f);
	if (err || !wp_otlpdict_string(d, f->name, d->name))
		return -EINVAL;
	if (!*d->name)
		snprintf(d->name, sizeof(d->name), "[unknown]");
	return add_frame(d, i + 1 < l->n_lines);
}

static int read_locations(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx)
{
	Otlp__Location *m;
	struct run *to;
	size_t i, first = d->frames.nr;
	int err = 0;

	(void)ctx;
	if (!f->at || f->nr != LOCATION)
		return 0;
	to = append(d, &d->locations, sizeof(*to));
	m = to ? wp_otlpdict_unpack(d, &otlp__location__descriptor, f) : NULL;
	if (!m)
		return -EINVAL;
	for (i = 0; i < m->n_lines && !err; i++)
		err = add_line(d, m, i);
	/* Without a name there is its address. */
	if (!m->n_lines && d->locations.nr > 1) {
		err = file_of(d, m->mapping_index, NULL);
		snprintf(d->name, sizeof(d->name), "0x%" PRIx64, m->address);
		err = err ? err : add_frame(d, false);
	}
	to->first = first;
	to->nr = d->frames.nr - first;
	done(m);
	return err;
}

/**
 * wp_otlpdict_stack() - set @stack to the functions of a stack, the innermost first
 * @d: the tables
 * @nr: the stack's number
 *
 * Return: their number; -1: a message was printed.
 */
ssize_t wp_otlpdict_stack(struct wp_otlpdict *d, __s32 nr)
{
	const struct run *stacks = d->stacks.data, *locations = d->locations.data;
	const __s32 *places = d->places.data;
	const __u32 *frames = d->frames.data;
	size_t i, k, to = 0, last;

	if (!has(&d->stacks, nr)) {
		wp_otlpdict_invalid(d, "an index is out of range");
		return -1;
	}
	last = d->stacks.nr ? stacks[nr].nr : 0;
	for (i = 0; i < last; i++) {
		__s32 place = places[stacks[nr].first + i];

		if (!has(&d->locations, place)) {
			wp_otlpdict_invalid(d, "an index is out of range");
			return -1;
		}
		for (k = 0; d->locations.nr && k < locations[place].nr; k++) {
			if (to == WP_STACKFILE_FRAMES) {
				wp_otlpdict_invalid(d, "a stack has too many functions");
				return -1;
			}
			d->stack[to++] = frames[locations[place].first + k];
		}
	}
	return to == 1 && d->stack[0] == d->no_stack ? 0 : to;
}

/**
 * wp_otlpdict_attribute() - set @name and @file to the key and the text of an attribute
 * @d: the tables
 * @nr: its number
 * @number: set to its value, if it is a number
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_otlpdict_attribute(struct wp_otlpdict *d, __s32 nr, __s64 *number)
{
	const struct attribute *a = d->attributes.data;
	const char *from;
	size_t len;

	*number = 0;
	d->name[0] = '\0';
	d->file[0] = '\0';
	if (!has(&d->attributes, nr))
		return wp_otlpdict_invalid(d, "an index is out of range");
	if (!d->attributes.nr)
		return 0;
	a += nr;
	*number = a->number;
	if (!wp_otlpdict_string(d, a->key, d->name))
		return -EINVAL;
	if (!a->text)
		return wp_otlpdict_string(d, a->string, d->file) ? 0 : -EINVAL;
	from = wp_intern_bytes(&d->texts, a->text, &len);
	memcpy(d->file, from, len);
	d->file[len] = '\0';
	return 0;
}

/* @ctx: what the tables are read by. */
static int read_dictionary(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx)
{
	wp_otlpfield_fn *fn = ctx;

	if (f->nr != REQUEST_DICTIONARY || !f->at)
		return 0;
	return wp_otlpdict_walk(d, f->at, f->len, *fn, NULL);
}

/**
 * wp_otlpdict_read() - read the tables of a message, in place of those of another
 * @d: the tables
 * @data: the message
 * @size: its size
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_otlpdict_read(struct wp_otlpdict *d, const __u8 *data, size_t size)
{
	wp_otlpfield_fn tables = read_tables, locations = read_locations;
	int err;

	d->strings.nr = 0;
	d->functions.nr = 0;
	d->mappings.nr = 0;
	d->attributes.nr = 0;
	d->locations.nr = 0;
	d->frames.nr = 0;
	d->stacks.nr = 0;
	d->places.nr = 0;
	wp_intern_free(&d->texts);
	err = wp_otlpdict_walk(d, data, size, read_dictionary, &tables);
	return err ? err : wp_otlpdict_walk(d, data, size, read_dictionary, &locations);
}

/**
 * wp_otlpdict_free() - free the tables
 * @d: the tables
 */
void wp_otlpdict_free(struct wp_otlpdict *d)
{
	free(d->strings.data);
	free(d->functions.data);
	free(d->mappings.data);
	free(d->attributes.data);
	free(d->locations.data);
	free(d->frames.data);
	free(d->stacks.data);
	free(d->places.data);
	wp_intern_free(&d->texts);
}
