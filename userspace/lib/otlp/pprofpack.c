// SPDX-License-Identifier: GPL-2.0
/*
 * Makes profiles of pprof, uncompressed, of samples of one resource and one kind. The tables
 * of a window are those of all its profiles; one of pprof has tables of its own, with what its
 * samples refer to, numbered anew. Called by pprofpush.c.
 *
 * Numbers of functions, locations and mappings are those of their places, from 1 on: Parca
 * refuses others.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/otlp/pbmessages.h"
#include "lib/otlp/pprofpack.h"
#include "pprof.pb-c.h"

#define UNIT	"nanoseconds"

/* Stands for a stack that was not kept: pprof drops samples without one, and their time. */
#define NO_STACK	"[no stack]"

/* The same function, and its location, in the tables of a window, whose numbers begin at 1. */
#define NONE	0

/**
 * struct ids - entries of a window's table that a profile has
 * @local: their numbers in the profile, by numbers in the window; 0: it has it not
 * @global: the reverse, by numbers in the profile less 1
 * @nr: their number
 */
struct ids {
	__u32 *local;
	__u32 *global;
	size_t nr;
};

/* Tables of which a profile has some entries. */
enum { ATTRS, MAPPINGS, FUNCTIONS, LOCATIONS, TABLES };

static const enum wp_otlp_table table_of[TABLES] = {
	[ATTRS] = WP_OTLP_ATTRS,
	[MAPPINGS] = WP_OTLP_MAPPINGS,
	[FUNCTIONS] = WP_OTLP_FUNCTIONS,
	[LOCATIONS] = WP_OTLP_LOCATIONS,
};

/**
 * struct wp_pprofpack - a profile while it is made
 * @order: the samples of the window
 * @ids: by table
 * @strings: the strings of the profile; their indices are their numbers less 1
 * @arena: memory of the profile
 * @failed: no memory
 */
struct wp_pprofpack {
	const struct wp_otlp_order *order;
	struct ids ids[TABLES];
	struct wp_intern strings;
	struct wp_arena arena;
	bool failed;
};

/**
 * wp_pprofpack_label() - make a name of a label, as Prometheus has them
 * @name: its name, whose other characters become "_"; in place
 */
void wp_pprofpack_label(char *name)
{
	size_t i;

	for (i = 0; name[i]; i++) {
		unsigned char c = name[i];

		if (c >= 0x80 || !(isalpha(c) || (i && isdigit(c))))
			name[i] = '_';
	}
}

static const void *entry(const struct wp_pprofpack *p, enum wp_otlp_table table, __u32 nr,
			 size_t *len)
{
	return wp_intern_bytes(&p->order->o->table[table], nr, len);
}

static __u32 local_of(struct wp_pprofpack *p, unsigned int table, __u32 global)
{
	struct ids *ids = &p->ids[table];

	if (!ids->local[global]) {
		ids->global[ids->nr++] = global;
		ids->local[global] = ids->nr;
	}
	return ids->local[global];
}

static int64_t string_of(struct wp_pprofpack *p, const char *s, size_t len)
{
	__u32 nr = wp_intern(&p->strings, s, len, NULL);

	p->failed |= !nr;
	return nr ? nr - 1 : 0;
}

static int64_t name_of(struct wp_pprofpack *p, const char *s)
{
	return string_of(p, s, strlen(s));
}

/* A string of a window's table; that of 0 is empty. */
static int64_t copy_of(struct wp_pprofpack *p, enum wp_otlp_table table, __u32 nr)
{
	size_t len = 0;
	const char *s = nr ? entry(p, table, nr, &len) : "";

	return string_of(p, s, len);
}

static int64_t key_of(struct wp_pprofpack *p, __u32 nr)
{
	size_t len = 0;
	const char *s = nr ? entry(p, WP_OTLP_STRINGS, nr, &len) : "";
	char *copy = strndup(s, len);
	int64_t index = 0;

	p->failed |= !copy;
	if (copy) {
		wp_pprofpack_label(copy);
		index = name_of(p, copy);
	}
	free(copy);
	return index;
}

static void *make(struct wp_pprofpack *p, size_t nr, const ProtobufCMessageDescriptor *type)
{
	return wp_pbmessages(&p->arena, type, nr);
}

/* NULL: an empty one. */
static Pprof__ValueType *value_type(struct wp_pprofpack *p, const char *type)
{
	Pprof__ValueType **to = make(p, 1, &pprof__value_type__descriptor);

	if (!to)
		return NULL;
	if (!type)
		return to[0];
	to[0]->has_type = true;
	to[0]->type = name_of(p, type);
	to[0]->has_unit = true;
	to[0]->unit = name_of(p, UNIT);
	return to[0];
}

static void add_types(struct wp_pprofpack *p, enum wp_otlp_kind kind, Pprof__Profile *to)
{
	const struct wp_otlp_window *w = &p->order->o->window;
	const struct wp_otlp_type *type = &wp_otlp_types[kind];

	to->sample_type = wp_arena_get(&p->arena, 1, sizeof(*to->sample_type));
	if (!to->sample_type)
		return;
	to->sample_type[0] = value_type(p, type->type);
	to->n_sample_type = 1;
	/* Pyroscope needs one if it leaves out a sample. */
	to->period_type = value_type(p, type->period_type);
	if (type->period_type) {
		to->has_period = true;
		to->period = wp_otlp_order_period(p->order, kind);
	}
	to->has_time_nanos = true;
	to->time_nanos = w->begin;
	to->has_duration_nanos = true;
	to->duration_nanos = w->ns;
}

/* The labels of all samples: those without a value are left out. */
static Pprof__Label **make_labels(struct wp_pprofpack *p)
{
	struct ids *ids = &p->ids[ATTRS];
	Pprof__Label **label = make(p, ids->nr, &pprof__label__descriptor);
	size_t i;

	for (i = 0; label && i < ids->nr; i++) {
		struct wp_otlp_attribute a;

		memcpy(&a, entry(p, WP_OTLP_ATTRS, ids->global[i], NULL), sizeof(a));
		label[i]->has_key = true;
		label[i]->key = key_of(p, a.key);
		label[i]->has_str = a.is_text;
		if (a.is_text)
			label[i]->str = copy_of(p, WP_OTLP_TEXTS, a.text);
		label[i]->has_num = !a.is_text;
		label[i]->num = a.number;
	}
	return label;
}

static void add_stack(struct wp_pprofpack *p, __u32 stack, Pprof__Sample *to)
{
	size_t len = 0, nr, i;
	const char *from = stack ? entry(p, WP_OTLP_STACKS, stack, &len) : NULL;

	nr = len / sizeof(__u32);
	to->location_id = wp_arena_get(&p->arena, nr, sizeof(*to->location_id));
	if (!to->location_id)
		return;
	for (i = 0; i < nr; i++) {
		__u32 global;

		memcpy(&global, from + i * sizeof(global), sizeof(global));
		to->location_id[i] = local_of(p, LOCATIONS, global);
	}
	if (!nr)
		to->location_id[nr++] = local_of(p, LOCATIONS, NONE);
	to->n_location_id = nr;
}

static void add_sample(struct wp_pprofpack *p, size_t at, Pprof__Sample *to)
{
	struct wp_otlp_key key;
	unsigned int i;

	wp_otlp_order_key(p->order, at, &key);
	add_stack(p, key.stack, to);
	to->value = wp_arena_get(&p->arena, 1, sizeof(*to->value));
	to->label = wp_arena_get(&p->arena, key.nr, sizeof(*to->label));
	if (!to->value || !to->label)
		return;
	to->value[to->n_value++] = wp_otlp_order_ns(p->order, at);
	for (i = 0; i < key.nr; i++)
		local_of(p, ATTRS, key.attribute[i]);
}

/* Labels of equal attributes are one message. */
static void add_labels(struct wp_pprofpack *p, Pprof__Label **label, size_t at, Pprof__Sample *to)
{
	struct wp_otlp_key key;
	unsigned int i;

	wp_otlp_order_key(p->order, at, &key);
	for (i = 0; i < key.nr; i++) {
		Pprof__Label *one = label[local_of(p, ATTRS, key.attribute[i]) - 1];

		if (one->str || one->num)
			to->label[to->n_label++] = one;
	}
}

static void add_samples(struct wp_pprofpack *p, size_t first, size_t nr, Pprof__Profile *to)
{
	Pprof__Label **label;
	size_t i;

	to->sample = make(p, nr, &pprof__sample__descriptor);
	for (i = 0; to->sample && i < nr; i++)
		add_sample(p, first + i, to->sample[i]);
	to->n_sample = nr;
	label = make_labels(p);
	for (i = 0; label && !p->arena.failed && i < nr; i++)
		add_labels(p, label, first + i, to->sample[i]);
}

static void add_location(struct wp_pprofpack *p, __u32 global, Pprof__Location *to)
{
	Pprof__Line **line = make(p, 1, &pprof__line__descriptor);
	struct wp_otlp_place l = { .mapping = 0 };

	if (!line)
		return;
	if (global != NONE)
		memcpy(&l, entry(p, WP_OTLP_LOCATIONS, global, NULL), sizeof(l));
	to->has_mapping_id = l.mapping;
	to->mapping_id = l.mapping ? local_of(p, MAPPINGS, l.mapping) : 0;
	to->has_address = true;
	to->address = l.address;
	if (!l.function && global != NONE)
		return;
	line[0]->has_function_id = true;
	line[0]->function_id = local_of(p, FUNCTIONS, l.function);
	line[0]->has_line = l.line;
	line[0]->line = l.line;
	to->n_line = 1;
	to->line = line;
}

static void add_locations(struct wp_pprofpack *p, Pprof__Profile *to)
{
	const struct ids *ids = &p->ids[LOCATIONS];
	size_t i;

	to->location = make(p, ids->nr, &pprof__location__descriptor);
	for (i = 0; to->location && i < ids->nr; i++) {
		to->location[i]->has_id = true;
		to->location[i]->id = i + 1;
		add_location(p, ids->global[i], to->location[i]);
	}
	to->n_location = ids->nr;
}

static void add_functions(struct wp_pprofpack *p, Pprof__Profile *to)
{
	const struct ids *ids = &p->ids[FUNCTIONS];
	size_t i;

	to->function = make(p, ids->nr, &pprof__function__descriptor);
	for (i = 0; to->function && i < ids->nr; i++) {
		Pprof__Function *f = to->function[i];
		struct wp_otlp_function from = { .name = 0 };

		if (ids->global[i] != NONE)
			memcpy(&from, entry(p, WP_OTLP_FUNCTIONS, ids->global[i], NULL),
			       sizeof(from));
		f->has_id = true;
		f->id = i + 1;
		f->has_name = true;
		f->name = ids->global[i] == NONE ? name_of(p, NO_STACK) :
			  copy_of(p, WP_OTLP_STRINGS, from.name);
		f->has_system_name = true;
		f->system_name = f->name;
		f->has_filename = from.source;
		f->filename = copy_of(p, WP_OTLP_STRINGS, from.source);
	}
	to->n_function = ids->nr;
}

/* Addresses are offsets in the files: each is mapped as a whole, from 0 on. */
static void add_mapping(struct wp_pprofpack *p, __u32 global, Pprof__Mapping *to)
{
	struct wp_otlp_attribute id;
	struct wp_otlp_mapping m;

	memcpy(&m, entry(p, WP_OTLP_MAPPINGS, global, NULL), sizeof(m));
	to->has_memory_limit = true;
	to->memory_limit = UINT64_MAX;
	to->has_filename = true;
	to->filename = copy_of(p, WP_OTLP_STRINGS, m.file);
	to->has_build_id = m.build_id;
	if (m.build_id) {
		memcpy(&id, entry(p, WP_OTLP_ATTRS, m.build_id, NULL), sizeof(id));
		to->build_id = copy_of(p, WP_OTLP_TEXTS, id.text);
	}
}

/* One has functions if all its locations have: an engine may look for those of others. */
static void add_mappings(struct wp_pprofpack *p, Pprof__Profile *to)
{
	const struct ids *ids = &p->ids[MAPPINGS];
	size_t i;

	to->mapping = make(p, ids->nr, &pprof__mapping__descriptor);
	for (i = 0; to->mapping && i < ids->nr; i++) {
		to->mapping[i]->has_id = true;
		to->mapping[i]->id = i + 1;
		add_mapping(p, ids->global[i], to->mapping[i]);
		to->mapping[i]->has_has_functions = true;
		to->mapping[i]->has_functions = true;
	}
	to->n_mapping = ids->nr;
	for (i = 0; to->mapping && i < to->n_location; i++) {
		const Pprof__Location *l = to->location[i];

		if (l->mapping_id && !l->n_line)
			to->mapping[l->mapping_id - 1]->has_functions = false;
	}
}

/* Last: the table does not move any more. */
static void add_strings(struct wp_pprofpack *p, Pprof__Profile *to)
{
	size_t nr = p->strings.nr, i;

	to->string_table = wp_arena_get(&p->arena, nr, sizeof(*to->string_table));
	for (i = 0; to->string_table && i < nr; i++) {
		size_t len;
		const void *from = wp_intern_bytes(&p->strings, i + 1, &len);

		to->string_table[i].data = (uint8_t *)from;
		to->string_table[i].len = len;
	}
	to->n_string_table = nr;
}

static void reset(struct wp_pprofpack *p)
{
	unsigned int i;

	for (i = 0; i < TABLES; i++) {
		struct ids *ids = &p->ids[i];

		while (ids->nr)
			ids->local[ids->global[--ids->nr]] = 0;
	}
	wp_intern_free(&p->strings);
	wp_arena_free(&p->arena);
	p->failed = false;
}

static void pack(const Pprof__Profile *from, struct wp_buf *to)
{
	size_t size = pprof__profile__get_packed_size(from);

	wp_buf_add(to, NULL, size);
	if (!to->failed)
		pprof__profile__pack(from, (uint8_t *)to->data + to->len - size);
}

/**
 * wp_pprofpack_run() - make a profile
 * @p: from wp_pprofpack_new()
 * @first: index of its first sample
 * @nr: number of its samples, all of one resource and one kind; not 0
 * @to: the profile is appended
 *
 * Return: 0 or -ENOMEM.
 */
int wp_pprofpack_run(struct wp_pprofpack *p, size_t first, size_t nr, struct wp_buf *to)
{
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	struct wp_otlp_key key;
	bool failed;

	wp_otlp_order_key(p->order, first, &key);
	/* The first string must be the empty one. */
	name_of(p, "");
	add_types(p, key.kind, &profile);
	add_samples(p, first, nr, &profile);
	add_locations(p, &profile);
	add_functions(p, &profile);
	add_mappings(p, &profile);
	add_strings(p, &profile);
	failed = p->failed || p->arena.failed;
	if (!failed)
		pack(&profile, to);
	reset(p);
	return failed || to->failed ? -ENOMEM : 0;
}

/**
 * wp_pprofpack_new() - prepare to make profiles
 * @out: set to what makes them
 * @order: the samples of the window, which stay valid
 *
 * Return: 0 or -ENOMEM.
 */
int wp_pprofpack_new(struct wp_pprofpack **out, const struct wp_otlp_order *order)
{
	struct wp_pprofpack *p = calloc(1, sizeof(*p));
	unsigned int i;

	if (!p)
		return -ENOMEM;
	p->order = order;
	for (i = 0; i < TABLES; i++) {
		size_t nr = order->o->table[table_of[i]].nr + 1;

		p->ids[i].local = calloc(nr, sizeof(*p->ids[i].local));
		p->ids[i].global = calloc(nr, sizeof(*p->ids[i].global));
		if (!p->ids[i].local || !p->ids[i].global) {
			wp_pprofpack_free(p);
			return -ENOMEM;
		}
	}
	*out = p;
	return 0;
}

/**
 * wp_pprofpack_free() - free what makes profiles
 * @p: from wp_pprofpack_new(), or NULL
 */
void wp_pprofpack_free(struct wp_pprofpack *p)
{
	unsigned int i;

	if (!p)
		return;
	reset(p);
	for (i = 0; i < TABLES; i++) {
		free(p->ids[i].local);
		free(p->ids[i].global);
	}
	free(p);
}
