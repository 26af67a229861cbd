// SPDX-License-Identifier: GPL-2.0
/*
 * Reads profiles of pprof: of wallprof export --pprof, and of others. Called by
 * stackfile.c.
 *
 * The fields of the outer message are parsed here, one by one, and those within by
 * protobuf-c: a message of a few bytes takes a hundred in memory, so that a whole file
 * would take too much. Functions, locations and samples may come in any order: the file is
 * walked once for each.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/base/err.h"
#include "lib/profile/stackfile.h"
#include "pprof.pb-c.h"

/* Limit of a message within the file. */
#define MAX_MESSAGE	(1U << 20)

/* What wallprof export writes in place of a stack that was not recorded. */
#define NO_STACK	"[no stack]"

/* Limit of a name; longer ones are cut. */
#define MAX_NAME	4096

/* Fields of the message Profile. */
enum { TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, DURATION = 10 };

/**
 * struct value_type - a kind of values
 * @kind: what they are
 * @ns: what they are multiplied by; 0: not a time
 * @counts: they are the number of samples, not an event
 * @event: the event, if it is one
 * @type: name, as a number of a string
 */
struct value_type {
	enum wp_stackfile_kind kind;
	__u64 ns;
	bool counts;
	int event;
	__u64 type;
};

/**
 * struct string - a string of the file
 * @at: its first byte
 * @len: its length
 */
struct string {
	const __u8 *at;
	size_t len;
};

/**
 * struct function - a function of the file
 * @name: its name, as a number of a string
 * @file: its file, the same
 */
struct function {
	__u64 name;
	__u64 file;
};

/**
 * struct location - a location: a function and those inlined in it
 * @first: index of the innermost one in @frames
 * @nr: their number
 */
struct location {
	size_t first;
	size_t nr;
};

/**
 * struct array - a growing array
 * @data: its entries
 * @nr: their number
 * @room: allocated entries
 */
struct array {
	void *data;
	size_t nr;
	size_t room;
};

/**
 * struct pprof - a file that is being read
 * @s: what was read
 * @strings: struct string
 * @functions: struct function
 * @mappings: numbers of strings, __u64
 * @locations: struct location
 * @frames: numbers of functions, __u32
 * @function_ids: ids of functions; their numbers are those of @functions, plus 1
 * @mapping_ids: the same for @mappings
 * @location_ids: the same for @locations
 * @type: the kinds of values
 * @nr_types: their number
 * @no_stack: number of the function NO_STACK, or 0
 * @stack: the current stack
 * @name: buffer for a name
 * @file: the same
 */
struct pprof {
	struct wp_stackfile *s;
	struct array strings;
	struct array functions;
	struct array mappings;
	struct array locations;
	struct array frames;
	struct wp_intern function_ids;
	struct wp_intern mapping_ids;
	struct wp_intern location_ids;
	struct value_type type[WP_STACKFILE_EVENTS];
	unsigned int nr_types;
	__u32 no_stack;
	__u32 stack[WP_STACKFILE_FRAMES];
	char name[MAX_NAME];
	char file[MAX_NAME];
};

typedef int (*field_fn)(struct pprof *p, unsigned int field, const __u8 *data, size_t len,
			__u64 value);

static int invalid(const struct pprof *p, const char *what)
{
	wp_err("%s is no profile of pprof, or is damaged: %s", p->s->path, what);
	return -EINVAL;
}

/* Call a function for each field of the outer message. */
static int walk(struct pprof *p, const __u8 *data, size_t size, field_fn fn)
{
	struct wp_bytes b = { .p = data, .end = data + size };
	int err = 0;

	while (!err && wp_bytes_left(&b)) {
		__u64 tag = wp_bytes_uleb(&b), value = 0, len = 0;
		const __u8 *at = NULL;

		switch (tag & 7) {
		case 0:
			value = wp_bytes_uleb(&b);
			break;
		case 1:
		case 5:
			wp_bytes_take(&b, (tag & 7) == 1 ? 8 : 4);
			break;
		case 2:
			len = wp_bytes_uleb(&b);
			at = wp_bytes_take(&b, len);
			break;
		default:
			wp_bytes_fail(&b);
		}
		if (b.bad || !(tag >> 3) || tag >> 3 > INT32_MAX)
			return invalid(p, "a field cannot be read");
		if (at && tag >> 3 != STRING && len > MAX_MESSAGE)
			return invalid(p, "a message is too large");
		err = fn(p, tag >> 3, at, len, value);
	}
	return err;
}

/* Append an entry; NULL after a message. */
static void *append(struct pprof *p, struct array *a, size_t size)
{
	if (a->nr == a->room) {
		size_t room = a->room ? 2 * a->room : 256;
		void *more = room > WP_STACKFILE_ENTRIES ? NULL :
			     reallocarray(a->data, room, size);

		if (!more) {
			if (room > WP_STACKFILE_ENTRIES)
				wp_err("%s has more than %lu functions, locations or strings",
				       p->s->path, WP_STACKFILE_ENTRIES);
			else
				wp_no_memory("the profile");
			return NULL;
		}
		a->data = more;
		a->room = room;
	}
	return (char *)a->data + size * a->nr++;
}

/* Add an id, which is not used twice. */
static int add_id(struct pprof *p, struct wp_intern *ids, __u64 id)
{
	bool is_new;

	if (!wp_intern(ids, &id, sizeof(id), &is_new))
		return wp_no_memory("the profile");
	return is_new ? 0 : invalid(p, "an id is used twice");
}

/* Copy a string of the file; an unknown one is empty. */
static const char *string_of(const struct pprof *p, __u64 nr, char to[MAX_NAME])
{
	const struct string *all = p->strings.data;
	size_t len = nr < p->strings.nr ? all[nr].len : 0;

	if (len >= MAX_NAME)
		len = MAX_NAME - 1;
	if (len)
		memcpy(to, all[nr].at, len);
	to[len] = '\0';
	return to;
}

static int add_type(struct pprof *p, const Pprof__ValueType *type)
{
	if (p->nr_types == WP_STACKFILE_EVENTS)
		return invalid(p, "too many kinds of values");
	/* The strings may come later: set_types() reads them. */
	p->type[p->nr_types++] = (struct value_type){
		.type = type->type, .ns = type->unit,
	};
	return 0;
}

static int add_function(struct pprof *p, const Pprof__Function *f)
{
	struct function *to = append(p, &p->functions, sizeof(*to));

	if (!to)
		return -ENOMEM;
	*to = (struct function){ .name = f->name ? f->name : f->system_name, .file = f->filename };
	return add_id(p, &p->function_ids, f->id);
}

static int add_mapping(struct pprof *p, const Pprof__Mapping *m)
{
	__u64 *to = append(p, &p->mappings, sizeof(*to));

	if (!to)
		return -ENOMEM;
	*to = m->filename;
	return add_id(p, &p->mapping_ids, m->id);
}

static int add_string(struct pprof *p, const __u8 *data, size_t len)
{
	struct string *to = append(p, &p->strings, sizeof(*to));

	if (!to)
		return -ENOMEM;
	*to = (struct string){ .at = data, .len = len };
	return 0;
}

static int unreadable(const struct pprof *p)
{
	return invalid(p, "a message cannot be read");
}

static int unpack_type(struct pprof *p, const __u8 *data, size_t len)
{
	Pprof__ValueType *m = pprof__value_type__unpack(NULL, len, data);
	int err = m ? add_type(p, m) : unreadable(p);

	if (m)
		pprof__value_type__free_unpacked(m, NULL);
	return err;
}

static int unpack_function(struct pprof *p, const __u8 *data, size_t len)
{
	Pprof__Function *m = pprof__function__unpack(NULL, len, data);
	int err = m ? add_function(p, m) : unreadable(p);

	if (m)
		pprof__function__free_unpacked(m, NULL);
	return err;
}

static int unpack_mapping(struct pprof *p, const __u8 *data, size_t len)
{
	Pprof__Mapping *m = pprof__mapping__unpack(NULL, len, data);
	int err = m ? add_mapping(p, m) : unreadable(p);

	if (m)
		pprof__mapping__free_unpacked(m, NULL);
	return err;
}

/* What locations refer to. */
static int read_names(struct pprof *p, unsigned int field, const __u8 *data, size_t len,
		      __u64 value)
{
	if (field == DURATION && !data && value <= INT64_MAX)
		p->s->duration = value;
	if (!data)
		return 0;
	switch (field) {
	case TYPE:
		return unpack_type(p, data, len);
	case FUNCTION:
		return unpack_function(p, data, len);
	case MAPPING:
		return unpack_mapping(p, data, len);
	case STRING:
		return add_string(p, data, len);
	}
	return 0;
}

/* What the kinds of values are, by their names and units: all of them were recorded. */
static int set_types(struct pprof *p)
{
	static const char *const names[] = {
		[WP_STACKFILE_CPU] = "cpu", [WP_STACKFILE_OFFCPU] = "off-cpu",
		[WP_STACKFILE_RUNNABLE] = "runnable", [WP_STACKFILE_WAKER] = "wakeup",
	};
	unsigned int i, k;

	for (i = 0; i < p->nr_types; i++) {
		struct value_type *t = &p->type[i];
		const char *unit = string_of(p, t->ns, p->file);
		const char *name = string_of(p, t->type, p->name);

		t->ns = wp_stackfile_unit_ns(unit);
		t->kind = WP_STACKFILE_OTHER;
		for (k = 0; k < WP_STACKFILE_OTHER && t->ns; k++) {
			if (!strcmp(name, names[k]))
				t->kind = k;
		}
		t->counts = p->nr_types > 1 && !strcmp(name, "samples") && !strcmp(unit, "count");
		t->event = t->counts ? 0 : wp_stackfile_event(p->s, t->kind, name);
		if (t->event < 0)
			return t->event;
	}
	return 0;
}

/* The file of a location: that of its mapping, or of its function. */
static const char *file_of(struct pprof *p, const Pprof__Location *l, const struct function *f)
{
	__u64 id = l->mapping_id, *mappings = p->mappings.data;
	__u32 nr = id ? wp_intern_find(&p->mapping_ids, &id, sizeof(id)) : 0;

	if (nr && *string_of(p, mappings[nr - 1], p->file))
		return p->file;
	return string_of(p, f ? f->file : 0, p->file);
}

static int add_frame(struct pprof *p, const char *name, const char *file, bool inlined)
{
	__u32 *to = append(p, &p->frames, sizeof(*to));
	bool kernel = !strncmp(file, "[kernel", strlen("[kernel"));

	if (!to)
		return -ENOMEM;
	*to = wp_stackfile_function(p->s, name, file, kernel, inlined);
	if (!*file && !inlined && !strcmp(name, NO_STACK))
		p->no_stack = *to;
	return *to ? 0 : wp_no_memory("the functions");
}

static int add_location(struct pprof *p, const Pprof__Location *l)
{
	struct location *to = append(p, &p->locations, sizeof(*to));
	const struct function *functions = p->functions.data;
	size_t i, first = p->frames.nr;
	int err = 0;

	if (!to)
		return -ENOMEM;
	for (i = 0; i < l->n_line && !err; i++) {
		__u64 id = l->line[i]->function_id;
		__u32 nr = wp_intern_find(&p->function_ids, &id, sizeof(id));

		if (!nr)
			return invalid(p, "a location has an unknown function");
		file_of(p, l, &functions[nr - 1]);
		string_of(p, functions[nr - 1].name, p->name);
		err = add_frame(p, *p->name ? p->name : "[unknown]", p->file, i + 1 < l->n_line);
	}
	/* Without a name there is its address. */
	if (!l->n_line) {
		file_of(p, l, NULL);
		snprintf(p->name, sizeof(p->name), "0x%" PRIx64, l->address);
		err = add_frame(p, p->name, p->file, false);
	}
	*to = (struct location){ .first = first, .nr = p->frames.nr - first };
	return err ? err : add_id(p, &p->location_ids, l->id);
}

static int read_locations(struct pprof *p, unsigned int field, const __u8 *data, size_t len,
			  __u64 value)
{
	Pprof__Location *m;
	int err;

	(void)value;
	if (!data || field != LOCATION)
		return 0;
	m = pprof__location__unpack(NULL, len, data);
	err = m ? add_location(p, m) : unreadable(p);
	if (m)
		pprof__location__free_unpacked(m, NULL);
	return err;
}

/* The functions of a sample, the innermost first; -1 after a message. */
static ssize_t stack_of(struct pprof *p, const Pprof__Sample *sample)
{
	const struct location *locations = p->locations.data;
	const __u32 *frames = p->frames.data;
	size_t i, k, nr = 0;

	for (i = 0; i < sample->n_location_id; i++) {
		__u64 id = sample->location_id[i];
		__u32 at = wp_intern_find(&p->location_ids, &id, sizeof(id));

		if (!at) {
			invalid(p, "a sample has an unknown location");
			return -1;
		}
		for (k = 0; k < locations[at - 1].nr; k++) {
			if (nr == WP_STACKFILE_FRAMES) {
				invalid(p, "a stack has too many functions");
				return -1;
			}
			p->stack[nr++] = frames[locations[at - 1].first + k];
		}
	}
	return nr;
}

/* The thread and the cause, from the labels that wallprof export writes. */
static int read_labels(struct pprof *p, const Pprof__Sample *sample,
		       struct wp_stackfile_sample *to)
{
	struct wp_profile_thread t = { .pid = -1, .tid = -1 };
	struct wp_profile_cause c;
	size_t i;

	memset(&c, 0, sizeof(c));
	for (i = 0; i < sample->n_label; i++) {
		const Pprof__Label *l = sample->label[i];
		const char *key = string_of(p, l->key, p->name);
		const char *value = string_of(p, l->str, p->file);

		if (!strcmp(key, "tid"))
			t.tid = l->num;
		else if (!strcmp(key, "pid"))
			t.pid = l->num;
		else if (!strcmp(key, "thread"))
			snprintf(t.comm, sizeof(t.comm), "%.15s", value);
		else if (!strcmp(key, "state"))
			snprintf(c.state, sizeof(c.state), "%.7s", value);
		else if (!strcmp(key, "reason"))
			snprintf(c.reason, sizeof(c.reason), "%.23s", value);
		else if (!strcmp(key, "syscall"))
			snprintf(c.syscall, sizeof(c.syscall), "%.31s", value);
		else if (!strcmp(key, "object"))
			snprintf(c.object, sizeof(c.object), "%.127s", value);
	}
	/* What follows the ends is part of what is compared. */
	to->thread = wp_intern(p->s->threads, &t, sizeof(t), NULL);
	if (c.state[0] || c.reason[0] || c.syscall[0] || c.object[0])
		to->cause = wp_intern(p->s->causes, &c, sizeof(c), NULL);
	return to->thread ? 0 : wp_no_memory("the threads");
}

static int add_value(struct pprof *p, const struct value_type *t, __s64 value,
		     struct wp_stackfile_sample *sample, size_t nr)
{
	__u64 ns = t->ns && t->kind != WP_STACKFILE_OTHER ? t->ns : 1;

	/* Negative values are of differences, which have no time. */
	if (value < 0 || (__u64)value > INT64_MAX / ns)
		return invalid(p, value < 0 ? "a value is negative" : "a value is too large");
	sample->event = t->event;
	sample->value = value * ns;
	return wp_stackfile_add(p->s, sample, p->stack, nr);
}

static int add_sample(struct pprof *p, const Pprof__Sample *sample)
{
	struct wp_stackfile_sample to = { .count = 1 };
	ssize_t nr = stack_of(p, sample);
	unsigned int i;
	int err;

	if (nr < 0)
		return -EINVAL;
	if (sample->n_value != p->nr_types)
		return invalid(p, "a sample has another number of values than the file");
	if (nr == 1 && p->stack[0] == p->no_stack)
		nr = 0;
	err = read_labels(p, sample, &to);
	for (i = 0; i < p->nr_types; i++) {
		if (p->type[i].counts)
			to.count = sample->value[i] > 0 ? sample->value[i] : 0;
	}
	for (i = 0; i < p->nr_types && !err; i++) {
		if (!p->type[i].counts && sample->value[i])
			err = add_value(p, &p->type[i], sample->value[i], &to, nr);
	}
	return err;
}

static int read_samples(struct pprof *p, unsigned int field, const __u8 *data, size_t len,
			__u64 value)
{
	Pprof__Sample *m;
	int err;

	(void)value;
	if (!data || field != SAMPLE)
		return 0;
	m = pprof__sample__unpack(NULL, len, data);
	err = m ? add_sample(p, m) : unreadable(p);
	if (m)
		pprof__sample__free_unpacked(m, NULL);
	return err;
}

/**
 * wp_pproffile_read() - read a profile
 * @s: where to add it
 * @data: the file, uncompressed
 * @size: its size
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pproffile_read(struct wp_stackfile *s, const __u8 *data, size_t size)
{
	struct pprof *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return wp_no_memory("the profile");
	p->s = s;
	err = walk(p, data, size, read_names);
	if (!err && !p->nr_types)
		err = invalid(p, "it has no kind of values");
	if (!err)
		err = set_types(p);
	if (!err)
		err = walk(p, data, size, read_locations);
	if (!err)
		err = walk(p, data, size, read_samples);
	free(p->strings.data);
	free(p->functions.data);
	free(p->mappings.data);
	free(p->locations.data);
	free(p->frames.data);
	wp_intern_free(&p->function_ids);
	wp_intern_free(&p->mapping_ids);
	wp_intern_free(&p->location_ids);
	free(p);
	return err;
}
