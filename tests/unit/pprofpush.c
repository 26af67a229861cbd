// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of windows as messages for Pyroscope and Parca: what they have is, to the nanosecond,
 * what was added; labels are as these engines take them, whatever names are; large profiles
 * are cut. tests/guest/agent/push.test reads messages by the schema that pprof publishes.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/otlp/pprofpush.h"
#include "pprof.pb-c.h"
#include "pyroscope-push.pb-c.h"
#include "tap.h"

#define BEGIN	1700000000000000000ULL
#define PERIOD	52631578

static struct wp_otlp *new_window(void)
{
	const struct wp_otlp_window window = {
		.begin = BEGIN, .ns = 10000000123, .cpu_period = PERIOD, .max_samples = 100000,
	};
	struct wp_otlp *o;

	return wp_otlp_new(&o, &window) ? NULL : o;
}

static __u32 stack_of(struct wp_otlp *o, const char *function, const char *file, const char *id)
{
	const struct wp_otlp_frame frame[] = {
		{ .file = file, .build_id = id, .address = 0x1234, .function = function },
		{ .file = file, .build_id = id, .address = 0x5678, .function = "main",
		  .source = "main.c", .line = 7 },
	};
	__u32 location[] = { wp_otlp_location(o, &frame[0]), wp_otlp_location(o, &frame[1]) };

	return wp_otlp_stack(o, location, 2);
}

static void add(struct wp_otlp *o, __u32 resource, enum wp_otlp_kind kind, __u32 stack,
		const char *thread, __u64 ns)
{
	__u32 attribute[] = {
		wp_otlp_number(o, "process.pid", 42), wp_otlp_string(o, "thread.name", thread),
	};
	const struct wp_otlp_sample sample = {
		.resource = resource, .kind = kind, .stack = stack, .attribute = attribute,
		.nr = 2, .ns = ns,
	};

	wp_otlp_add(o, &sample);
}

static __u32 service_of(struct wp_otlp *o, const char *name)
{
	const struct wp_otlp_label label[] = { { "service.name", name }, { "host.name", "h" } };

	return wp_otlp_resource(o, label, 2);
}

static Push__PushRequest *unpack(struct wp_otlp *o)
{
	Push__PushRequest *r = NULL;
	struct wp_buf b = { 0 };

	/* What is in the buffer stays. */
	wp_buf_add(&b, "xyz", 3);
	if (!wp_pprofpush_pack(o, WP_PPROFPUSH_PYROSCOPE, &b) && !memcmp(b.data, "xyz", 3))
		r = push__push_request__unpack(NULL, b.len - 3, (void *)(b.data + 3));
	wp_buf_free(&b);
	return r;
}

static const char *label_of(const Push__RawProfileSeries *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->n_labels; i++) {
		if (!strcmp(s->labels[i]->name, name))
			return s->labels[i]->value;
	}
	return "";
}

static Push__RawProfileSeries *series_of(const Push__PushRequest *r, const char *name,
					 const char *service)
{
	size_t i;

	for (i = 0; i < r->n_series; i++) {
		if (!strcmp(label_of(r->series[i], "__name__"), name) &&
		    !strcmp(label_of(r->series[i], "service_name"), service))
			return r->series[i];
	}
	return NULL;
}

static Pprof__Profile *profile_of(const Push__RawProfileSeries *s)
{
	return s && s->n_samples == 1 ? pprof__profile__unpack(NULL, s->samples[0]->raw_profile.len,
							       s->samples[0]->raw_profile.data) : NULL;
}

static bool is_text(const Pprof__Profile *p, int64_t nr, const char *text)
{
	return nr >= 0 && (size_t)nr < p->n_string_table &&
	       p->string_table[nr].len == strlen(text) &&
	       !memcmp(p->string_table[nr].data, text, strlen(text));
}

static bool has_text(const Pprof__Profile *p, const char *text)
{
	size_t i;

	for (i = 0; i < p->n_string_table; i++) {
		if (is_text(p, i, text))
			return true;
	}
	return false;
}

static __u64 sum_of(const Pprof__Profile *p)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < p->n_sample; i++)
		sum += p->sample[i]->n_value == 1 ? p->sample[i]->value[0] : 0;
	return sum;
}

/* As Parca has it: numbers are those of the places, from 1 on, and in range. */
static bool is_valid(const Pprof__Profile *p)
{
	size_t i, k;

	for (i = 0; i < p->n_mapping; i++) {
		if (p->mapping[i]->id != i + 1)
			return false;
	}
	for (i = 0; i < p->n_function; i++) {
		if (p->function[i]->id != i + 1)
			return false;
	}
	for (i = 0; i < p->n_location; i++) {
		if (p->location[i]->id != i + 1 || p->location[i]->mapping_id > p->n_mapping)
			return false;
		for (k = 0; k < p->location[i]->n_line; k++) {
			if (!p->location[i]->line[k]->function_id ||
			    p->location[i]->line[k]->function_id > p->n_function)
				return false;
		}
	}
	for (i = 0; i < p->n_sample; i++) {
		for (k = 0; k < p->sample[i]->n_location_id; k++) {
			if (!p->sample[i]->location_id[k] ||
			    p->sample[i]->location_id[k] > p->n_location)
				return false;
		}
		for (k = 0; k < p->sample[i]->n_label; k++) {
			if (!p->sample[i]->label[k]->key)
				return false;
		}
	}
	return p->n_string_table && !p->string_table[0].len;
}

static bool has_types(const Pprof__Profile *p, const char *type, const char *period, __s64 each)
{
	if (p->n_sample_type != 1 || !is_text(p, p->sample_type[0]->type, type) ||
	    !is_text(p, p->sample_type[0]->unit, "nanoseconds") || p->time_nanos != BEGIN ||
	    p->duration_nanos != 10000000123)
		return false;
	if (!period)
		return p->period_type && !p->period_type->type && !p->period_type->unit &&
		       !p->period;
	return p->period_type && is_text(p, p->period_type->type, period) &&
	       is_text(p, p->period_type->unit, "nanoseconds") && p->period == each;
}

static bool has_stack(const Pprof__Profile *p)
{
	const Pprof__Sample *s = p->n_sample ? p->sample[0] : NULL;
	const Pprof__Location *l;
	const Pprof__Function *f;
	const Pprof__Mapping *m;

	if (!s || s->n_location_id != 2)
		return false;
	l = p->location[s->location_id[0] - 1];
	if (l->address != 0x1234 || l->n_line != 1 || !l->mapping_id)
		return false;
	f = p->function[l->line[0]->function_id - 1];
	m = p->mapping[l->mapping_id - 1];
	if (!is_text(p, f->name, "wait") || !is_text(p, m->filename, "/bin/a") ||
	    !is_text(p, m->build_id, "c0ffee") || !m->has_functions || m->memory_start ||
	    m->file_offset || m->memory_limit < 0x5678)
		return false;
	l = p->location[s->location_id[1] - 1];
	f = p->function[l->line[0]->function_id - 1];
	return is_text(p, f->name, "main") && is_text(p, f->filename, "main.c") &&
	       l->line[0]->line == 7;
}

static bool has_labels(const Pprof__Profile *p)
{
	const Pprof__Sample *s = p->sample[0];

	return s->n_label == 2 && is_text(p, s->label[0]->key, "process_pid") &&
	       s->label[0]->num == 42 && !s->label[0]->str &&
	       is_text(p, s->label[1]->key, "thread_name") &&
	       is_text(p, s->label[1]->str, "worker") && !s->label[1]->num;
}

static void fill(struct wp_otlp *o)
{
	__u32 a = service_of(o, "a"), b = service_of(o, "b \"q\"\xff");
	__u32 wait = stack_of(o, "wait", "/bin/a", "c0ffee");

	add(o, a, WP_OTLP_BLOCKED, wait, "worker", 9007199254740993);
	add(o, b, WP_OTLP_CPU, stack_of(o, "spin", "/bin/b", NULL), "worker", 11);
	add(o, a, WP_OTLP_RUNNABLE, wait, "", 5);
	add(o, b, WP_OTLP_BLOCKED, 0, "worker", 7);
	add(o, a, WP_OTLP_BLOCKED, stack_of(o, NULL, "/bin/none", NULL), "other", 3);
	add(o, a, WP_OTLP_LOST, 0, "other", 1);
}

static void test_profiles(const Push__PushRequest *r)
{
	Pprof__Profile *off = profile_of(series_of(r, "off_cpu", "a"));
	Pprof__Profile *cpu = profile_of(series_of(r, "process_cpu", "b \"q\"?"));
	Pprof__Profile *run = profile_of(series_of(r, "runnable", "a"));
	Pprof__Profile *none = profile_of(series_of(r, "off_cpu", "b \"q\"?"));
	Pprof__Profile *lost = profile_of(series_of(r, "lost", "a"));

	ok(r->n_series == 5 && off && cpu && run && none && lost,
	   "a series of each service and kind");
	if (!off || !cpu || !run || !none || !lost)
		return;
	ok(!strcmp(label_of(r->series[0], "host_name"), "h") && r->series[0]->n_labels == 3,
	   "dots in names of labels become underscores");
	ok(strlen(r->series[0]->samples[0]->id) == 36 && r->series[0]->samples[0]->id[14] == '4' &&
	   strcmp(r->series[0]->samples[0]->id, r->series[1]->samples[0]->id),
	   "each profile has a UUID of its own");
	ok(is_valid(off) && is_valid(cpu) && is_valid(run) && is_valid(none) && is_valid(lost),
	   "numbers of functions, locations and mappings are their places");
	ok(sum_of(off) == 9007199254740996 && sum_of(cpu) == 11 && sum_of(run) == 5 &&
	   sum_of(none) == 7 && sum_of(lost) == 1, "sums are exact");
	ok(has_types(off, "off_cpu", NULL, 0) && has_types(cpu, "cpu", "cpu", PERIOD) &&
	   has_types(run, "runnable", "runnable", 1) && has_types(lost, "lost", "lost", 1),
	   "types, periods and times");
	ok(has_stack(off), "a stack has its functions, files and build-ids");
	ok(has_labels(off), "attributes are labels of samples");
	ok(run->n_sample == 1 && run->sample[0]->n_label == 1, "... except empty ones");
	ok(!has_text(off, "spin") && !has_text(off, "/bin/b") && has_text(cpu, "spin"),
	   "a profile has only what its samples refer to");
	ok(off->n_mapping == 2 && off->mapping[0]->has_functions &&
	   off->location[off->sample[1]->location_id[0] - 1]->n_line == 0 &&
	   !off->mapping[1]->has_functions, "a mapping with unknown functions is marked");
	ok(none->n_sample == 1 && none->sample[0]->n_location_id == 1 &&
	   has_text(none, "[no stack]"), "time without a stack has a frame that says so");
	pprof__profile__free_unpacked(off, NULL);
	pprof__profile__free_unpacked(cpu, NULL);
	pprof__profile__free_unpacked(run, NULL);
	pprof__profile__free_unpacked(none, NULL);
	pprof__profile__free_unpacked(lost, NULL);
}

static void test_hostile_labels(void)
{
	const struct wp_otlp_label label[] = {
		{ "service.name", "s" }, { "a.b", "first" }, { "a_b", "second" },
		{ "__name__", "forged" }, { "wallprof.part", "9" }, { "9\xc3\xa4-x", "digits" },
		{ "empty", "" }, { "", "no name" },
	};
	struct wp_otlp *o = new_window();
	Push__PushRequest *r;
	Push__RawProfileSeries *s;

	add(o, wp_otlp_resource(o, label, 8), WP_OTLP_CPU, 0, "t", 1);
	r = unpack(o);
	wp_otlp_free(o);
	s = r && r->n_series == 1 ? r->series[0] : NULL;
	ok(s && s->n_labels == 5 && !strcmp(label_of(s, "a_b"), "first") &&
	   !strcmp(label_of(s, "__name__"), "process_cpu") &&
	   !strcmp(label_of(s, "____x"), "digits"),
	   "no two labels have one name, and none an empty one or a value");
	if (r)
		push__push_request__free_unpacked(r, NULL);
}

/* Parts of a profile of many samples, or of large ones. */
static void test_parts(unsigned int nr, size_t length, unsigned int least, const char *text)
{
	struct wp_otlp *o = new_window();
	__u32 a = service_of(o, "a");
	Push__PushRequest *r;
	char name[4000], part[16];
	bool good = true;
	unsigned int i;
	__u64 sum = 0;

	for (i = 0; i < nr; i++) {
		memset(name, 'x', length);
		snprintf(name + length, 16, "%u", i);
		add(o, a, WP_OTLP_BLOCKED, stack_of(o, name, "/bin/a", NULL), "t", i + 1);
	}
	r = unpack(o);
	wp_otlp_free(o);
	for (i = 0; r && i < r->n_series; i++) {
		Pprof__Profile *p = profile_of(r->series[i]);

		snprintf(part, sizeof(part), "%u", i);
		good &= p && is_valid(p) && p->n_sample <= WP_PPROFPUSH_SAMPLES &&
			r->series[i]->samples[0]->raw_profile.len <= WP_PPROFPUSH_BYTES &&
			!strcmp(label_of(r->series[i], "wallprof_part"), i ? part : "");
		sum += p ? sum_of(p) : 0;
		if (p)
			pprof__profile__free_unpacked(p, NULL);
	}
	ok(r && good && r->n_series >= least && sum == nr * (nr + 1ULL) / 2, "%s", text);
	if (r)
		push__push_request__free_unpacked(r, NULL);
}

static size_t decode(const char *text, size_t len, unsigned char *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int bits = 0, have = 0;
	size_t nr = 0, i;

	for (i = 0; i < len && text[i] != '='; i++) {
		bits = bits << 6 | (unsigned int)(strchr(digits, text[i]) - digits);
		have += 6;
		if (have >= 8) {
			have -= 8;
			to[nr++] = bits >> have;
		}
	}
	return len % 4 ? 0 : nr;
}

/* A profile of Parca's message: in base64, of gzip. */
static bool is_profile(const char *text, const Push__RawSample *wanted)
{
	size_t len = strcspn(text, "\""), room = wanted->raw_profile.len;
	unsigned char *gz = malloc(len), *plain = malloc(room + 1);
	z_stream z = { .next_in = gz, .next_out = plain, .avail_out = room + 1 };
	bool good;

	z.avail_in = decode(text, len, gz);
	good = inflateInit2(&z, 31) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END &&
	       z.total_out == room && !memcmp(plain, wanted->raw_profile.data, room);
	inflateEnd(&z);
	free(gz);
	free(plain);
	return good;
}

static void test_parca(struct wp_otlp *o, const Push__PushRequest *r)
{
	static const char key[] = "\"rawProfile\": \"";
	struct wp_buf b = { 0 };
	bool good;
	char *at;
	size_t i;

	good = !wp_pprofpush_pack(o, WP_PPROFPUSH_PARCA, &b);
	wp_buf_add(&b, "", 1);
	at = b.data;
	ok(good && strlen(b.data) == b.len - 1 && strstr(b.data, "\"normalized\": true") &&
	   strstr(b.data, "{\"name\": \"service_name\", \"value\": \"b \\\"q\\\"?\"}"),
	   "Parca's message is JSON, with the same labels");
	for (i = 0; good && i < r->n_series; i++) {
		at = strstr(at, key);
		good = at && is_profile(at + strlen(key), r->series[i]->samples[0]);
		at += good ? strlen(key) : 0;
	}
	ok(good && at && !strstr(at, key), "... and the same profiles");
	wp_buf_free(&b);
}

static void test_nothing(void)
{
	struct wp_otlp *o = new_window();
	struct wp_buf b = { 0 };

	ok(!wp_pprofpush_pack(o, WP_PPROFPUSH_PYROSCOPE, &b) && !b.len &&
	   !wp_pprofpush_pack(o, WP_PPROFPUSH_PARCA, &b) && !b.len, "no samples are no message");
	wp_otlp_free(o);
	wp_buf_free(&b);
}

int main(void)
{
	struct wp_otlp *o = new_window();
	Push__PushRequest *r;

	fill(o);
	r = unpack(o);
	if (r) {
		test_profiles(r);
		test_parca(o, r);
		push__push_request__free_unpacked(r, NULL);
	} else {
		ok(0, "a message is made");
	}
	wp_otlp_free(o);
	test_hostile_labels();
	test_parts(WP_PPROFPUSH_SAMPLES, 1, 1, "a profile of as many samples as fit is one");
	test_parts(WP_PPROFPUSH_SAMPLES + 1, 1, 2, "one of more samples is cut, and its sum kept");
	test_parts(2500, 3900, 3, "one of too many bytes, too");
	test_nothing();
	return done();
}
