// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of windows for engines that take pprof: names of labels, attributes, functions and
 * files are any bytes, and samples any of them. The message can be read, has all of the
 * time, and labels that Prometheus takes, each once.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/otlp/pprofpush.h"
#include "pprof.pb-c.h"
#include "pyroscope-push.pb-c.h"

#define MAX_NAME	32

static const char *name_of(struct wp_bytes *b, char to[MAX_NAME])
{
	size_t len = wp_bytes_uint(b, 1) % MAX_NAME, i;

	for (i = 0; i < len && wp_bytes_left(b); i++)
		to[i] = wp_bytes_uint(b, 1);
	to[i] = 0;
	return to;
}

static __u32 resource_of(struct wp_otlp *o, struct wp_bytes *b)
{
	struct wp_otlp_label label[4];
	char text[8][MAX_NAME];
	unsigned int i;

	for (i = 0; i < 4; i++)
		label[i] = (struct wp_otlp_label){
			name_of(b, text[2 * i]), name_of(b, text[2 * i + 1]),
		};
	return wp_otlp_resource(o, label, wp_bytes_uint(b, 1) % 5);
}

static __u32 stack_of(struct wp_otlp *o, struct wp_bytes *b)
{
	__u32 location[4];
	unsigned int nr = wp_bytes_uint(b, 1) % 5, i;
	char function[MAX_NAME], file[MAX_NAME], id[MAX_NAME], source[MAX_NAME];

	for (i = 0; i < nr; i++) {
		const struct wp_otlp_frame frame = {
			.function = name_of(b, function), .file = name_of(b, file),
			.build_id = wp_bytes_uint(b, 1) & 1 ? name_of(b, id) : NULL,
			.source = name_of(b, source), .address = wp_bytes_uint(b, 8),
			.line = wp_bytes_uint(b, 4),
		};

		location[i] = wp_otlp_location(o, &frame);
	}
	return wp_otlp_stack(o, location, nr);
}

static __u64 add_sample(struct wp_otlp *o, struct wp_bytes *b)
{
	char key[MAX_NAME], value[MAX_NAME];
	struct wp_otlp_sample sample = {
		.resource = resource_of(o, b), .kind = wp_bytes_uint(b, 1) % WP_OTLP_KINDS,
		.stack = stack_of(o, b), .ns = wp_bytes_uint(b, 4),
	};
	__u32 attribute[2] = { wp_otlp_string(o, name_of(b, key), name_of(b, value)) };

	attribute[1] = wp_otlp_number(o, name_of(b, key), wp_bytes_uint(b, 8));
	sample.attribute = attribute;
	sample.nr = wp_bytes_uint(b, 1) % 3;
	wp_otlp_add(o, &sample);
	return sample.ns;
}

static void check_label(const Push__RawProfileSeries *s, size_t nr)
{
	const char *name = s->labels[nr]->name;
	size_t i;

	if (!*name || isdigit((unsigned char)*name) || !*s->labels[nr]->value)
		abort();
	for (i = 0; name[i]; i++) {
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			abort();
	}
	for (i = 0; i < nr; i++) {
		if (!strcmp(name, s->labels[i]->name))
			abort();
	}
}

static __u64 check_series(const Push__RawProfileSeries *s)
{
	const ProtobufCBinaryData *raw = &s->samples[0]->raw_profile;
	Pprof__Profile *p = pprof__profile__unpack(NULL, raw->len, raw->data);
	__u64 sum = 0;
	size_t i, k;

	if (!p || strcmp(s->labels[0]->name, "__name__") || p->string_table[0].len)
		abort();
	for (i = 0; i < s->n_labels; i++)
		check_label(s, i);
	for (i = 0; i < p->n_sample; i++) {
		if (!p->sample[i]->n_location_id || p->sample[i]->n_value != 1)
			abort();
		for (k = 0; k < p->sample[i]->n_location_id; k++) {
			if (p->sample[i]->location_id[k] - 1 >= p->n_location)
				abort();
		}
		sum += p->sample[i]->value[0];
	}
	pprof__profile__free_unpacked(p, NULL);
	return sum;
}

/* It is one line after the other, whatever names have. */
static void check_json(const struct wp_buf *b)
{
	size_t i;

	for (i = 0; i < b->len; i++) {
		if ((unsigned char)b->data[i] < 0x20 && b->data[i] != '\n')
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wp_otlp_window window = { .begin = 1, .ns = 2, .max_samples = 16 };
	struct wp_bytes b = { .p = data, .end = data + size };
	struct wp_buf message = { 0 }, json = { 0 };
	Push__PushRequest *r;
	struct wp_otlp *o;
	__u64 sum = 0;
	size_t i;

	if (wp_otlp_new(&o, &window))
		abort();
	while (wp_bytes_left(&b) && !b.bad)
		sum += add_sample(o, &b);
	if (wp_pprofpush_pack(o, WP_PPROFPUSH_PYROSCOPE, &message) ||
	    wp_pprofpush_pack(o, WP_PPROFPUSH_PARCA, &json))
		abort();
	r = push__push_request__unpack(NULL, message.len, (void *)message.data);
	if (!r)
		abort();
	for (i = 0; i < r->n_series; i++)
		sum -= check_series(r->series[i]);
	if (sum || !json.len != !message.len)
		abort();
	check_json(&json);
	push__push_request__free_unpacked(r, NULL);
	wp_buf_free(&message);
	wp_buf_free(&json);
	wp_otlp_free(o);
	return 0;
}
