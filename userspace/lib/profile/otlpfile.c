// SPDX-License-Identifier: GPL-2.0
/*
 * Reads profiles of OTLP: the messages that wallprof agent and others send to a receiver,
 * one, or a file of the OpenTelemetry Collector with many, each behind its length. Called
 * by stackfile.c.
 *
 * A message is walked for its tables first, and then for its profiles, which refer to
 * them but come first.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/base/err.h"
#include "lib/profile/otlpdict.h"
#include "lib/profile/stackfile.h"

/* Fields of the outer messages. */
enum { REQUEST_RESOURCE = 1, REQUEST_DICTIONARY };
enum { RESOURCE_SCOPE = 2 };
enum { SCOPE_PROFILE = 2 };
enum {
	PROFILE_TYPE = 1, PROFILE_SAMPLE, PROFILE_TIME, PROFILE_DURATION, PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
};

/**
 * struct otlp - a file that is being read
 * @d: tables of the current message
 * @s: what was read
 * @kind_event: event of each kind of times, plus 1; 0: none yet
 * @units: types and units of other values
 * @unit_event: their events
 * @begin: earliest time of a profile, or 0
 * @end: latest
 */
struct otlp {
	struct wp_otlpdict d;
	struct wp_stackfile *s;
	unsigned int kind_event[WP_STACKFILE_OTHER];
	struct wp_intern units;
	unsigned int unit_event[WP_STACKFILE_EVENTS];
	__u64 begin;
	__u64 end;
};

/**
 * struct profile - a profile of the message
 * @type: its type, as a number of a string
 * @unit: its unit, likewise
 * @period_type: what a period is of
 * @period_unit: its unit
 * @period: the period
 * @time: its start, ns since 1970
 * @ns: its length
 * @scope_has_cpu: the same samples are also there as times
 * @kind: what its values are
 * @each: what a value is multiplied by
 * @counts: values are numbers of samples
 * @event: their event
 */
struct profile {
	__s32 type;
	__s32 unit;
	__s32 period_type;
	__s32 period_unit;
	__s64 period;
	__u64 time;
	__u64 ns;
	bool scope_has_cpu;
	enum wp_stackfile_kind kind;
	__u64 each;
	bool counts;
	int event;
};

/* The thread and the cause, from the attributes that wallprof agent and others write. */
static int read_attributes(struct otlp *p, const Otlp__Sample *m, struct wp_stackfile_sample *to)
{
	struct wp_profile_thread t = { .pid = -1, .tid = -1 };
	char program[sizeof(t.comm)] = "";
	struct wp_profile_cause c;
	size_t i;

	memset(&c, 0, sizeof(c));
	for (i = 0; i < m->n_attribute_indices; i++) {
		const char *key = p->d.name, *value = p->d.file;
		__s64 number;

		if (wp_otlpdict_attribute(&p->d, m->attribute_indices[i], &number))
			return -EINVAL;
		if (!strcmp(key, "process.pid"))
			t.pid = number;
		else if (!strcmp(key, "thread.id"))
			t.tid = number;
		else if (!strcmp(key, "thread.name"))
			snprintf(t.comm, sizeof(t.comm), "%.15s", value);
		else if (!strcmp(key, "process.executable.name"))
			snprintf(program, sizeof(program), "%.15s", value);
		else if (!strcmp(key, "wallprof.state"))
			snprintf(c.state, sizeof(c.state), "%.7s",
				 !strcmp(value, "runnable") ? "R" : !strcmp(value, "iowait") ?
				 "D" : !strcmp(value, "on-cpu") ? "" : value);
		else if (!strcmp(key, "wallprof.reason"))
			snprintf(c.reason, sizeof(c.reason), "%.23s", value);
	}
	if (!*t.comm)
		memcpy(t.comm, program, sizeof(t.comm));
	/* What follows the ends is part of what is compared. */
	to->thread = wp_intern(p->s->threads, &t, sizeof(t), NULL);
	if (c.state[0] || c.reason[0])
		to->cause = wp_intern(p->s->causes, &c, sizeof(c), NULL);
	return to->thread ? 0 : wp_no_memory("the threads");
}

/* The event of times of a kind; negative after a message. */
static int kind_event(struct otlp *p, enum wp_stackfile_kind kind)
{
	int event;

	if (p->kind_event[kind])
		return p->kind_event[kind] - 1;
	event = wp_stackfile_event(p->s, kind, NULL);
	if (event >= 0)
		p->kind_event[kind] = event + 1;
	return event;
}

/* The event of other values, by their type and unit; negative after a message. */
static int unit_event(struct otlp *p, const char *type, const char *unit)
{
	struct wp_buf key = { 0 };
	bool is_new = false;
	__u32 nr = 0;
	int event;

	wp_buf_add(&key, type, strlen(type) + 1);
	wp_buf_add(&key, unit, strlen(unit));
	if (!key.failed)
		nr = wp_intern(&p->units, key.data, key.len, &is_new);
	wp_buf_free(&key);
	if (!nr)
		return wp_no_memory("the file");
	if (!is_new)
		return p->unit_event[nr - 1];
	event = wp_stackfile_event(p->s, WP_STACKFILE_OTHER, *type ? type : "[unknown]");
	if (event >= 0)
		p->unit_event[nr - 1] = event;
	return event;
}

/* Set the names of a type and of its unit, in @name and @file of the tables. */
static int read_names(struct otlp *p, __s32 type, __s32 unit)
{
	if (!wp_otlpdict_string(&p->d, type, p->d.name) ||
	    !wp_otlpdict_string(&p->d, unit, p->d.file))
		return -EINVAL;
	return 0;
}

/* Set what the values of a profile are. */
static int set_type(struct otlp *p, struct profile *f)
{
	static const struct {
		const char *name;
		enum wp_stackfile_kind kind;
	} names[] = {
		{ "cpu", WP_STACKFILE_CPU }, { "off_cpu", WP_STACKFILE_OFFCPU },
		{ "off-cpu", WP_STACKFILE_OFFCPU }, { "runnable", WP_STACKFILE_RUNNABLE },
	};
	bool samples;
	unsigned int i;

	f->kind = WP_STACKFILE_OTHER;
	f->each = 1;
	if (read_names(p, f->period_type, f->period_unit))
		return -EINVAL;
	/* Samples at a period of time on a CPU. */
	samples = !strcmp(p->d.name, "cpu") && wp_stackfile_unit_ns(p->d.file) && f->period > 0;
	if (samples && (__u64)f->period > INT64_MAX / wp_stackfile_unit_ns(p->d.file))
		return wp_otlpdict_invalid(&p->d, "a period is too large");
	f->ns = f->ns <= INT64_MAX && f->time <= INT64_MAX ? f->ns : 0;
	if (samples)
		f->each = f->period * wp_stackfile_unit_ns(p->d.file);
	if (read_names(p, f->type, f->unit))
		return -EINVAL;
	f->counts = !strcmp(p->d.file, "count");
	samples = samples && !strcmp(p->d.name, "samples") && f->counts;
	if (!samples)
		f->each = 1;
	if (samples)
		f->kind = WP_STACKFILE_CPU;
	for (i = 0; i < sizeof(names) / sizeof(names[0]) && wp_stackfile_unit_ns(p->d.file); i++) {
		if (!strcmp(p->d.name, names[i].name)) {
			f->kind = names[i].kind;
			f->each = wp_stackfile_unit_ns(p->d.file);
		}
	}
	/* The same samples twice are of one kind. */
	if (samples && f->scope_has_cpu) {
		f->kind = WP_STACKFILE_OTHER;
		f->each = 1;
	}
	return 0;
}

/* The tables are its first member. */
static struct otlp *owner(struct wp_otlpdict *d)
{
	return (struct otlp *)d;
}

static int read_value_type(struct wp_otlpdict *d, const struct wp_otlpfield *f, __s32 *type,
			   __s32 *unit)
{
	Otlp__ValueType *m = wp_otlpdict_unpack(d, &otlp__value_type__descriptor, f);

	if (!m)
		return -EINVAL;
	*type = m->type_strindex;
	*unit = m->unit_strindex;
	otlp__value_type__free_unpacked(m, NULL);
	return 0;
}

static int read_head(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx)
{
	struct profile *to = ctx;

	switch (f->nr) {
	case PROFILE_TYPE:
		return f->at ? read_value_type(d, f, &to->type, &to->unit) : 0;
	case PROFILE_PERIOD_TYPE:
		return f->at ? read_value_type(d, f, &to->period_type, &to->period_unit) : 0;
	case PROFILE_PERIOD:
		to->period = f->value;
		break;
	case PROFILE_TIME:
		to->time = f->value;
		break;
	case PROFILE_DURATION:
		to->ns = f->value;
		break;
	}
	return 0;
}

/* The sum of a sample's values; each time without a value is 1. */
static int sum_of(struct otlp *p, const struct profile *f, const Otlp__Sample *m,
		  struct wp_stackfile_sample *to)
{
	__u64 sum = m->n_values ? 0 : m->n_timestamps_unix_nano;
	size_t i;

	for (i = 0; i < m->n_values; i++) {
		if (m->values[i] < 0)
			return wp_otlpdict_invalid(&p->d, "a value is negative");
		sum += m->values[i];
		if (sum > INT64_MAX)
			return wp_otlpdict_invalid(&p->d, "a value is too large");
	}
	if (sum > INT64_MAX / f->each)
		return wp_otlpdict_invalid(&p->d, "a value is too large");
	to->count = m->n_timestamps_unix_nano ? m->n_timestamps_unix_nano : f->counts ? sum : 1;
	to->value = sum * f->each;
	return 0;
}

static int add_sample(struct otlp *p, const struct profile *f, const Otlp__Sample *m)
{
	struct wp_stackfile_sample to = { .event = f->event };
	ssize_t nr = wp_otlpdict_stack(&p->d, m->stack_index);
	int err = nr < 0 ? -EINVAL : sum_of(p, f, m, &to);

	if (err || !to.value)
		return err;
	err = read_attributes(p, m, &to);
	if (!err)
		err = wp_stackfile_add(p->s, &to, p->d.stack, nr);
	/* In a recording, the time off CPU has this part, too. */
	if (!err && f->kind == WP_STACKFILE_RUNNABLE) {
		int event = kind_event(p, WP_STACKFILE_OFFCPU);

		to.event = event;
		err = event < 0 ? event : wp_stackfile_add(p->s, &to, p->d.stack, nr);
	}
	return err;
}

static int read_sample(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx)
{
	Otlp__Sample *m;
	int err;

	if (f->nr != PROFILE_SAMPLE || !f->at)
		return 0;
	m = wp_otlpdict_unpack(d, &otlp__sample__descriptor, f);
	if (!m)
		return -EINVAL;
	err = add_sample(owner(d), ctx, m);
	otlp__sample__free_unpacked(m, NULL);
	return err;
}

/* Look for times on a CPU. */
static int find_cpu(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx)
{
	struct profile head = { 0 };
	int err;

	if (f->nr != SCOPE_PROFILE || !f->at)
		return 0;
	err = wp_otlpdict_walk(d, f->at, f->len, read_head, &head);
	err = err ? err : set_type(owner(d), &head);
	if (!err && head.kind == WP_STACKFILE_CPU && !head.counts)
		*(bool *)ctx = true;
	return err;
}

static int read_profile(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx)
{
	struct profile head = { .scope_has_cpu = *(bool *)ctx };
	struct otlp *p = owner(d);
	int err;

	if (f->nr != SCOPE_PROFILE || !f->at)
		return 0;
	err = wp_otlpdict_walk(d, f->at, f->len, read_head, &head);
	err = err ? err : set_type(p, &head);
	if (err)
		return err;
	head.event = head.kind == WP_STACKFILE_OTHER ? unit_event(p, d->name, d->file) :
		     kind_event(p, head.kind);
	if (head.event < 0)
		return head.event;
	if (head.ns && (!p->begin || head.time < p->begin))
		p->begin = head.time;
	if (head.ns && head.time + head.ns > p->end)
		p->end = head.time + head.ns;
	return wp_otlpdict_walk(d, f->at, f->len, read_sample, &head);
}

static int read_scope(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx)
{
	bool has_cpu = false;
	int err;

	(void)ctx;
	if (f->nr != RESOURCE_SCOPE || !f->at)
		return 0;
	err = wp_otlpdict_walk(d, f->at, f->len, find_cpu, &has_cpu);
	return err ? err : wp_otlpdict_walk(d, f->at, f->len, read_profile, &has_cpu);
}

static int read_resource(struct wp_otlpdict *d, const struct wp_otlpfield *f, void *ctx)
{
	if (f->nr != REQUEST_RESOURCE || !f->at)
		return 0;
	return wp_otlpdict_walk(d, f->at, f->len, read_scope, ctx);
}

/* Read a message. The tables of the one before are not its own. */
static int read_message(struct otlp *p, const __u8 *data, size_t size)
{
	int err = wp_otlpdict_read(&p->d, data, size);

	return err ? err : wp_otlpdict_walk(&p->d, data, size, read_resource, NULL);
}

/* Length of the message that a file of the Collector begins with. */
static size_t length_at(const __u8 *at)
{
	return (size_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static int read_messages(struct otlp *p, const __u8 *data, size_t size)
{
	int err = 0;

	while (size && !err) {
		size_t len = size < 4 ? 0 : length_at(data);

		if (size < 4 || len > size - 4)
			return wp_otlpdict_invalid(&p->d, "the last message is truncated");
		err = read_message(p, data + 4, len);
		data += 4 + len;
		size -= 4 + len;
	}
	return err;
}

/* Whether a message of profiles begins here: one field within another. */
static bool is_message(const __u8 *at, size_t len)
{
	struct wp_bytes b = { .p = at, .end = at + len };
	__u64 tag = wp_bytes_uint(&b, 1), inner;

	while (wp_bytes_uint(&b, 1) > 127)
		;
	inner = wp_bytes_uint(&b, 1);
	if (b.bad)
		return false;
	/* A kind of values of pprof begins with a number. */
	if (tag == (REQUEST_RESOURCE << 3 | 2))
		return inner == 0x0a || inner == 0x12 || inner == 0x1a;
	return tag == (REQUEST_DICTIONARY << 3 | 2) && (inner & 7) == 2 &&
	       inner >= 0x0a && inner <= 0x3a;
}

static bool is_framed(const __u8 *at, size_t len)
{
	return len > 4 && at[0] < 0x09 && is_message(at + 4, len - 4);
}

/**
 * wp_otlpfile_is() - whether a file has profiles of OTLP
 * @data: its first bytes
 * @size: the size of it
 */
bool wp_otlpfile_is(const __u8 *data, size_t size)
{
	return is_message(data, size) || is_framed(data, size);
}

/**
 * wp_otlpfile_read() - read profiles of OTLP
 * @s: where to add them
 * @data: the file, uncompressed
 * @size: its size
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_otlpfile_read(struct wp_stackfile *s, const __u8 *data, size_t size)
{
	struct otlp *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return wp_no_memory("the profile");
	p->s = s;
	p->d.s = s;
	err = is_framed(data, size) ? read_messages(p, data, size) : read_message(p, data, size);
	if (!err)
		s->duration = p->end - p->begin;
	wp_otlpdict_free(&p->d);
	wp_intern_free(&p->units);
	free(p);
	return err;
}
