// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the message ExportProfilesServiceRequest of profiles. Their numbers are positions
 * in its tables, whose first entries are empty.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/base/arena.h"
#include "lib/otlp/otlporder.h"
#include "lib/otlp/otlpprofiles.h"
#include "lib/otlp/otlptables.h"
#include "lib/otlp/pbmessages.h"
#include "otlp-profiles.pb-c.h"

#define PROFILE_ID	16

#define UNIT	"nanoseconds"

/**
 * struct packer - a message while it is made
 * @o: the profiles
 * @arena: its memory
 * @order: the samples in the order of the message
 * @type: string of each kind of profile
 * @period_type: likewise, or 0
 * @unit: string of the unit
 * @failed: no memory
 */
struct packer {
	struct wp_otlp *o;
	struct wp_arena arena;
	struct wp_otlp_order order;
	__u32 type[WP_OTLP_KINDS];
	__u32 period_type[WP_OTLP_KINDS];
	__u32 unit;
	bool failed;
};

static void *get(struct packer *p, size_t nr, size_t size)
{
	return wp_arena_get(&p->arena, nr, size);
}

static size_t count(const struct packer *p, enum wp_otlp_table table)
{
	return p->o->table[table].nr;
}

static const void *entry(const struct packer *p, enum wp_otlp_table table, size_t nr, size_t *len)
{
	return wp_intern_bytes(&p->o->table[table], nr, len);
}

static void *make(struct packer *p, size_t nr, const ProtobufCMessageDescriptor *type)
{
	return wp_pbmessages(&p->arena, type, nr);
}

/* A copy of numbers, which are not aligned in their table. */
static int32_t *numbers(struct packer *p, const void *from, size_t nr)
{
	int32_t *to = get(p, nr, sizeof(*to));

	if (to)
		memcpy(to, from, nr * sizeof(*to));
	return to;
}

static char *text_of(struct packer *p, enum wp_otlp_table table, __u32 nr)
{
	const char *from;
	size_t len = 0;
	char *to;

	from = nr ? entry(p, table, nr, &len) : "";
	to = get(p, len, 1);
	if (to)
		memcpy(to, from, len);
	return to;
}

static Otlp__AnyValue *text_value(struct packer *p, char *text)
{
	Otlp__AnyValue *value = get(p, 1, sizeof(*value));

	if (!value)
		return NULL;
	otlp__any_value__init(value);
	value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value->string_value = text;
	return value;
}

static Otlp__AnyValue *value_of(struct packer *p, const struct wp_otlp_attribute *a)
{
	Otlp__AnyValue *value = text_value(p, NULL);

	if (!value)
		return NULL;
	if (a->is_text) {
		value->string_value = text_of(p, WP_OTLP_TEXTS, a->text);
	} else {
		value->value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
		value->int_value = a->number;
	}
	return value;
}

static void pack_strings(struct packer *p, Otlp__ProfilesDictionary *d)
{
	size_t nr = count(p, WP_OTLP_STRINGS) + 1, i;

	d->string_table = get(p, nr, sizeof(*d->string_table));
	for (i = 0; d->string_table && i < nr; i++)
		d->string_table[i] = text_of(p, WP_OTLP_STRINGS, i);
	d->n_string_table = nr;
}

static void pack_attributes(struct packer *p, Otlp__ProfilesDictionary *d)
{
	size_t nr = count(p, WP_OTLP_ATTRS) + 1, i;

	d->attribute_table = make(p, nr, &otlp__key_value_and_unit__descriptor);
	for (i = 1; d->attribute_table && i < nr; i++) {
		struct wp_otlp_attribute a;

		memcpy(&a, entry(p, WP_OTLP_ATTRS, i, NULL), sizeof(a));
		d->attribute_table[i]->key_strindex = a.key;
		d->attribute_table[i]->value = value_of(p, &a);
	}
	d->n_attribute_table = nr;
}

static void pack_mappings(struct packer *p, Otlp__ProfilesDictionary *d)
{
	size_t nr = count(p, WP_OTLP_MAPPINGS) + 1, i;

	d->mapping_table = make(p, nr, &otlp__mapping__descriptor);
	for (i = 1; d->mapping_table && i < nr; i++) {
		Otlp__Mapping *to = d->mapping_table[i];
		struct wp_otlp_mapping m;

		memcpy(&m, entry(p, WP_OTLP_MAPPINGS, i, NULL), sizeof(m));
		to->filename_strindex = m.file;
		to->n_attribute_indices = !!m.build_id;
		to->attribute_indices = numbers(p, &m.build_id, 1);
	}
	d->n_mapping_table = nr;
}

static void pack_functions(struct packer *p, Otlp__ProfilesDictionary *d)
{
	size_t nr = count(p, WP_OTLP_FUNCTIONS) + 1, i;

	d->function_table = make(p, nr, &otlp__function__descriptor);
	for (i = 1; d->function_table && i < nr; i++) {
		struct wp_otlp_function f;

		memcpy(&f, entry(p, WP_OTLP_FUNCTIONS, i, NULL), sizeof(f));
		d->function_table[i]->name_strindex = f.name;
		d->function_table[i]->system_name_strindex = f.name;
		d->function_table[i]->filename_strindex = f.source;
	}
	d->n_function_table = nr;
}

static void pack_locations(struct packer *p, Otlp__ProfilesDictionary *d)
{
	Otlp__Line **line = make(p, count(p, WP_OTLP_LOCATIONS) + 1, &otlp__line__descriptor);
	size_t nr = count(p, WP_OTLP_LOCATIONS) + 1, i;

	d->location_table = make(p, nr, &otlp__location__descriptor);
	for (i = 1; d->location_table && line && i < nr; i++) {
		Otlp__Location *to = d->location_table[i];
		struct wp_otlp_place l;

		memcpy(&l, entry(p, WP_OTLP_LOCATIONS, i, NULL), sizeof(l));
		to->mapping_index = l.mapping;
		to->address = l.address;
		line[i]->function_index = l.function;
		line[i]->line = l.line;
		to->n_lines = !!l.function;
		to->lines = &line[i];
		to->n_attribute_indices = !!l.type;
		to->attribute_indices = numbers(p, &l.type, 1);
	}
	d->n_location_table = nr;
}

static void pack_stacks(struct packer *p, Otlp__ProfilesDictionary *d)
{
	size_t nr = count(p, WP_OTLP_STACKS) + 1, i, len;

	d->stack_table = make(p, nr, &otlp__stack__descriptor);
	for (i = 1; d->stack_table && i < nr; i++) {
		const void *from = entry(p, WP_OTLP_STACKS, i, &len);

		d->stack_table[i]->n_location_indices = len / sizeof(int32_t);
		d->stack_table[i]->location_indices = numbers(p, from, len / sizeof(int32_t));
	}
	d->n_stack_table = nr;
	d->link_table = make(p, 1, &otlp__link__descriptor);
	d->n_link_table = 1;
}

/* A copy of a text of a resource, and the end of it. */
static char *next_text(struct packer *p, const char **from)
{
	size_t len = strlen(*from);
	char *to = get(p, len, 1);

	if (to)
		memcpy(to, *from, len);
	*from += len + 1;
	return to;
}

static void pack_resource(struct packer *p, __u32 nr, Otlp__ResourceProfiles *to)
{
	Otlp__KeyValue **pair = make(p, WP_OTLP_LABELS, &otlp__key_value__descriptor);
	size_t len, i;
	const char *from = entry(p, WP_OTLP_RESOURCES, nr, &len), *end = from + len;

	to->resource = get(p, 1, sizeof(*to->resource));
	if (!pair || !to->resource)
		return;
	otlp__resource__init(to->resource);
	for (i = 0; from < end && i < WP_OTLP_LABELS; i++) {
		pair[i]->key = next_text(p, &from);
		pair[i]->value = text_value(p, next_text(p, &from));
	}
	to->resource->attributes = pair;
	to->resource->n_attributes = i;
}

static void pack_sample(struct packer *p, size_t at, Otlp__Sample *to)
{
	struct wp_otlp_key key;

	wp_otlp_order_key(&p->order, at, &key);
	to->stack_index = key.stack;
	to->n_attribute_indices = key.nr;
	to->attribute_indices = numbers(p, key.attribute, key.nr);
	to->n_values = 1;
	to->values = get(p, 1, sizeof(*to->values));
	if (to->values)
		to->values[0] = wp_otlp_order_ns(&p->order, at);
}

static Otlp__ValueType *value_type(struct packer *p, __u32 type)
{
	Otlp__ValueType *to = get(p, 1, sizeof(*to));

	if (!to)
		return NULL;
	otlp__value_type__init(to);
	to->type_strindex = type;
	to->unit_strindex = p->unit;
	return to;
}

/* The samples from @first on, which are of one resource and one kind. */
static void pack_profile(struct packer *p, size_t first, size_t nr, Otlp__Profile *to)
{
	const struct wp_otlp_window *w = &p->o->window;
	struct wp_otlp_key key;
	size_t i;

	wp_otlp_order_key(&p->order, first, &key);
	to->sample_type = value_type(p, p->type[key.kind]);
	if (p->period_type[key.kind]) {
		to->period_type = value_type(p, p->period_type[key.kind]);
		to->period = wp_otlp_order_period(&p->order, key.kind);
	}
	to->time_unix_nano = w->begin;
	to->duration_nano = w->ns;
	to->profile_id.data = get(p, PROFILE_ID, 1);
	if (to->profile_id.data &&
	    getrandom(to->profile_id.data, PROFILE_ID, GRND_NONBLOCK) == PROFILE_ID)
		to->profile_id.len = PROFILE_ID;
	to->n_samples = nr;
	to->samples = make(p, nr, &otlp__sample__descriptor);
	for (i = 0; to->samples && i < nr; i++)
		pack_sample(p, first + i, to->samples[i]);
}

static Otlp__InstrumentationScope *scope_of(struct packer *p)
{
	Otlp__InstrumentationScope *scope = get(p, 1, sizeof(*scope));

	if (!scope)
		return NULL;
	otlp__instrumentation_scope__init(scope);
	scope->name = "wallprof";
	scope->version = WP_VERSION;
	return scope;
}

/* The @nr samples from @first on, which are of one resource. */
static void pack_profiles(struct packer *p, size_t first, size_t nr, Otlp__ResourceProfiles *to)
{
	Otlp__ScopeProfiles **scopes = make(p, 1, &otlp__scope_profiles__descriptor);
	struct wp_otlp_key key;
	size_t at, run;

	if (!scopes)
		return;
	to->n_scope_profiles = 1;
	to->scope_profiles = scopes;
	scopes[0]->scope = scope_of(p);
	scopes[0]->profiles = make(p, WP_OTLP_KINDS, &otlp__profile__descriptor);
	wp_otlp_order_key(&p->order, first, &key);
	pack_resource(p, key.resource, to);
	for (at = first; scopes[0]->profiles && at < first + nr; at += run) {
		run = wp_otlp_order_run(&p->order, at, true);
		pack_profile(p, at, run, scopes[0]->profiles[scopes[0]->n_profiles++]);
	}
}

static void pack_resources(struct packer *p, Otlp__ExportProfilesServiceRequest *request)
{
	size_t nr = count(p, WP_OTLP_SAMPLES), i, run;

	request->resource_profiles = make(p, count(p, WP_OTLP_RESOURCES),
					  &otlp__resource_profiles__descriptor);
	p->failed |= wp_otlp_order_init(&p->order, p->o);
	if (p->failed || !request->resource_profiles)
		return;
	for (i = 0; i < nr; i += run) {
		run = wp_otlp_order_run(&p->order, i, false);
		pack_profiles(p, i, run,
			      request->resource_profiles[request->n_resource_profiles++]);
	}
}

static __u32 name_of(struct packer *p, const char *name)
{
	__u32 nr = wp_intern(&p->o->table[WP_OTLP_STRINGS], name, strlen(name), NULL);

	p->failed |= !nr;
	return nr;
}

/* Strings that only the message has. */
static void name_types(struct packer *p)
{
	unsigned int i;

	p->unit = name_of(p, UNIT);
	for (i = 0; i < WP_OTLP_KINDS; i++) {
		if (!p->o->sum[i])
			continue;
		p->type[i] = name_of(p, wp_otlp_types[i].type);
		if (wp_otlp_types[i].period_type)
			p->period_type[i] = name_of(p, wp_otlp_types[i].period_type);
	}
}

/**
 * wp_otlp_pack() - make the message of profiles
 * @o: the profiles
 * @to: the message is appended
 *
 * Return: 0 or -ENOMEM.
 */
int wp_otlp_pack(struct wp_otlp *o, struct wp_buf *to)
{
	Otlp__ExportProfilesServiceRequest request = OTLP__EXPORT_PROFILES_SERVICE_REQUEST__INIT;
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;
	struct packer p = { .o = o };
	size_t size;

	name_types(&p);
	pack_strings(&p, &dictionary);
	pack_attributes(&p, &dictionary);
	pack_mappings(&p, &dictionary);
	pack_functions(&p, &dictionary);
	pack_locations(&p, &dictionary);
	pack_stacks(&p, &dictionary);
	pack_resources(&p, &request);
	request.dictionary = &dictionary;
	if (!o->failed && !p.failed && !p.arena.failed) {
		size = protobuf_c_message_get_packed_size(&request.base);
		wp_buf_add(to, NULL, size);
		if (!to->failed)
			protobuf_c_message_pack(&request.base,
						(uint8_t *)to->data + to->len - size);
	}
	p.failed |= p.arena.failed;
	wp_otlp_order_free(&p.order);
	wp_arena_free(&p.arena);
	return o->failed || p.failed || to->failed ? -ENOMEM : 0;
}
