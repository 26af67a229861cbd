// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the message of profiles for an engine that takes those of pprof: a series of each
 * resource and kind. Called by agent/window.c.
 *
 * A profile larger than what an engine takes by default is cut into parts, each a series
 * of its own: two of the same labels and time could be taken for one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/base/arena.h"
#include "lib/base/gzip.h"
#include "lib/base/json.h"
#include "lib/otlp/otlporder.h"
#include "lib/otlp/pbmessages.h"
#include "lib/otlp/pprofpack.h"
#include "lib/otlp/pprofpush.h"
#include "pyroscope-push.pb-c.h"

/* Besides the labels of a resource there are the name and the part. */
#define LABELS	(WP_OTLP_LABELS + 2)

#define UUID_TEXT	37

/* The label of a series that has the name of its profiles. */
#define NAME	"__name__"

/* Names of profiles: these of Pyroscope, which knows the first and the third. */
static const char *const names[WP_OTLP_KINDS] = {
	[WP_OTLP_BLOCKED] = "off_cpu",
	[WP_OTLP_RUNNABLE] = "runnable",
	[WP_OTLP_CPU] = "process_cpu",
	[WP_OTLP_LOST] = "lost",
};

/**
 * struct pusher - a message while it is made
 * @o: the profiles
 * @order: the samples in the order of the message
 * @pack: what makes profiles
 * @form: the form of the message
 * @to: the message of Pyroscope
 * @json: that of Parca
 * @arena: memory of a series
 * @label: labels of a series
 * @nr_labels: their number
 * @part: parts of the current profile so far
 */
struct pusher {
	const struct wp_otlp *o;
	struct wp_otlp_order order;
	struct wp_pprofpack *pack;
	enum wp_pprofpush_form form;
	struct wp_buf *to;
	struct wp_json json;
	struct wp_arena arena;
	struct wp_otlp_label label[LABELS];
	unsigned int nr_labels;
	unsigned int part;
};

/* Of two labels of one name, which engines refuse, the first is kept; and none without value. */
static void add_label(struct pusher *p, const char *key, const char *value)
{
	char *name = wp_arena_get(&p->arena, strlen(key), 1);
	unsigned int i;

	if (!name || !*key || !*value || p->nr_labels == LABELS)
		return;
	memcpy(name, key, strlen(key));
	wp_pprofpack_label(name);
	for (i = 0; i < p->nr_labels; i++) {
		if (!strcmp(p->label[i].key, name))
			return;
	}
	p->label[p->nr_labels++] = (struct wp_otlp_label){ name, value };
}

static void add_labels(struct pusher *p, const struct wp_otlp_key *key)
{
	size_t len;
	const char *at = wp_intern_bytes(&p->o->table[WP_OTLP_RESOURCES], key->resource, &len);
	const char *end = at + len, *value;
	char *part = wp_arena_get(&p->arena, 16, 1);

	p->nr_labels = 0;
	add_label(p, NAME, names[key->kind]);
	if (part && p->part) {
		snprintf(part, 16, "%u", p->part);
		add_label(p, "wallprof_part", part);
	}
	for (; at < end; at = value + strlen(value) + 1) {
		value = at + strlen(at) + 1;
		add_label(p, at, value);
	}
}

/* A random one, which is the same if the message is sent again. */
static int make_uuid(char to[UUID_TEXT])
{
	unsigned char id[16];

	if (getrandom(id, sizeof(id), 0) != sizeof(id))
		return -ENOMEM;
	id[6] = (id[6] & 0x0f) | 0x40;
	id[8] = (id[8] & 0x3f) | 0x80;
	snprintf(to, UUID_TEXT,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10],
		 id[11], id[12], id[13], id[14], id[15]);
	return 0;
}

/* Not compressed: the message is, as a whole, with what its profiles share. */
static int put_pyroscope(struct pusher *p, const struct wp_buf *profile)
{
	Push__PushRequest request = PUSH__PUSH_REQUEST__INIT;
	Push__RawProfileSeries series = PUSH__RAW_PROFILE_SERIES__INIT, *all = &series;
	Push__RawSample sample = PUSH__RAW_SAMPLE__INIT, *samples = &sample;
	char id[UUID_TEXT];
	unsigned int i;
	size_t size;

	series.labels = wp_pbmessages(&p->arena, &push__label_pair__descriptor, p->nr_labels);
	if (!series.labels || make_uuid(id))
		return -ENOMEM;
	for (i = 0; i < p->nr_labels; i++) {
		series.labels[i]->name = (char *)p->label[i].key;
		series.labels[i]->value = (char *)p->label[i].value;
	}
	series.n_labels = p->nr_labels;
	sample.raw_profile.data = (uint8_t *)profile->data;
	sample.raw_profile.len = profile->len;
	sample.id = id;
	series.n_samples = 1;
	series.samples = &samples;
	request.n_series = 1;
	request.series = &all;
	/* Messages one after the other are one with the series of all. */
	size = push__push_request__get_packed_size(&request);
	wp_buf_add(p->to, NULL, size);
	if (p->to->failed)
		return -ENOMEM;
	push__push_request__pack(&request, (uint8_t *)p->to->data + p->to->len - size);
	return 0;
}

static char *base64(struct wp_arena *arena, const struct wp_buf *from)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = wp_arena_get(arena, (from->len + 2) / 3 * 4, 1), *to = text;
	const unsigned char *data = (const unsigned char *)from->data;
	size_t i, k;

	for (i = 0; text && i < from->len; i += 3) {
		size_t have = from->len - i < 3 ? from->len - i : 3;
		__u32 bits = 0;

		for (k = 0; k < 3; k++)
			bits = bits << 8 | (k < have ? data[i + k] : 0);
		for (k = 0; k < 4; k++)
			*to++ = k > have ? '=' : digits[bits >> (18 - 6 * k) & 63];
	}
	return text;
}

/* Compressed here: the gateway does not take a compressed message. */
static int put_parca(struct pusher *p, const struct wp_buf *profile)
{
	struct wp_json *j = &p->json;
	struct wp_buf small = { 0 };
	int err = wp_gzip(profile->data, profile->len, &small);
	const char *text = err ? NULL : base64(&p->arena, &small);
	unsigned int i;

	wp_buf_free(&small);
	if (!text)
		return -ENOMEM;
	wp_json_open(j, NULL, '{');
	wp_json_open(j, "labels", '{');
	wp_json_open(j, "labels", '[');
	for (i = 0; i < p->nr_labels; i++) {
		wp_json_open(j, NULL, '{');
		wp_json_string(j, "name", p->label[i].key);
		wp_json_string(j, "value", p->label[i].value);
		wp_json_close(j, '}');
	}
	wp_json_close(j, ']');
	wp_json_close(j, '}');
	wp_json_open(j, "samples", '[');
	wp_json_open(j, NULL, '{');
	wp_json_string(j, "rawProfile", text);
	wp_json_close(j, '}');
	wp_json_close(j, ']');
	wp_json_close(j, '}');
	return 0;
}

static int put_series(struct pusher *p, const struct wp_otlp_key *key, const struct wp_buf *profile)
{
	int err;

	add_labels(p, key);
	p->part++;
	err = p->form == WP_PPROFPUSH_PARCA ? put_parca(p, profile) : put_pyroscope(p, profile);
	if (p->arena.failed)
		err = -ENOMEM;
	wp_arena_free(&p->arena);
	return err;
}

/* The samples from @first on, which are of one resource and one kind, in as few parts as fit. */
static int push(struct pusher *p, size_t first, size_t nr)
{
	struct wp_buf profile = { 0 };
	struct wp_otlp_key key;
	bool fits = nr <= WP_PPROFPUSH_SAMPLES;
	int err = fits ? wp_pprofpack_run(p->pack, first, nr, &profile) : 0;

	if (profile.len > WP_PPROFPUSH_BYTES && nr > 1)
		fits = false;
	if (!err && fits) {
		wp_otlp_order_key(&p->order, first, &key);
		err = put_series(p, &key, &profile);
	}
	wp_buf_free(&profile);
	if (err || fits)
		return err;
	err = push(p, first, nr / 2);
	return err ? err : push(p, first + nr / 2, nr - nr / 2);
}

static int push_all(struct pusher *p)
{
	size_t at, run;
	int err = 0;

	for (at = 0; at < p->order.nr && !err; at += run) {
		run = wp_otlp_order_run(&p->order, at, true);
		p->part = 0;
		err = push(p, at, run);
	}
	return err;
}

/* The same with what is around the series of Parca. */
static int push_json(struct pusher *p, struct wp_buf *to)
{
	char *text = NULL;
	size_t len = 0;
	int err;

	p->json.f = open_memstream(&text, &len);
	if (!p->json.f)
		return -ENOMEM;
	wp_json_open(&p->json, NULL, '{');
	/* Addresses are offsets in files already. */
	wp_json_bool(&p->json, "normalized", true);
	wp_json_open(&p->json, "series", '[');
	err = push_all(p);
	wp_json_close(&p->json, ']');
	wp_json_close(&p->json, '}');
	if (ferror(p->json.f))
		err = -ENOMEM;
	if (fclose(p->json.f))
		err = -ENOMEM;
	if (!err)
		wp_buf_add(to, text, len);
	free(text);
	return err || to->failed ? -ENOMEM : 0;
}

/**
 * wp_pprofpush_pack() - make the message of profiles
 * @o: the profiles
 * @form: its form
 * @to: the message is appended; nothing, if there are no samples: engines refuse an empty one
 *
 * Return: 0 or -ENOMEM.
 */
int wp_pprofpush_pack(struct wp_otlp *o, enum wp_pprofpush_form form, struct wp_buf *to)
{
	struct pusher p = { .o = o, .form = form, .to = to };
	int err = o->failed ? -ENOMEM : wp_otlp_order_init(&p.order, o);

	if (!err)
		err = wp_pprofpack_new(&p.pack, &p.order);
	if (!err && p.order.nr)
		err = form == WP_PPROFPUSH_PARCA ? push_json(&p, to) : push_all(&p);
	wp_pprofpack_free(p.pack);
	wp_otlp_order_free(&p.order);
	return err ? -ENOMEM : 0;
}
