// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the messages of OTLP: profiles and metrics, as they are unpacked again, by the
 * messages of userspace/proto, which tests/host/otlp compares with the published ones.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/otlp/otlpmetrics.h"
#include "lib/otlp/otlpprofiles.h"
#include "otlp-metrics.pb-c.h"
#include "tap.h"

#define START	1700000000000000000ULL
#define END	1700000010000000123ULL

static const double bounds[] = { 0.000001, 0.000002, 0.000004 };

static const struct wp_otlp_label services[] = {
	{ "service.name", "a\xff\nb \"q\"" }, { "host.name", "h" },
};

static bool is_label(const Otlp__KeyValue *pair, const char *key, const char *value)
{
	return !strcmp(pair->key, key) &&
	       (value ? pair->value->value_case == OTLP__ANY_VALUE__VALUE_STRING_VALUE &&
			!strcmp(pair->value->string_value, value) :
			pair->value->value_case == OTLP__ANY_VALUE__VALUE_BOOL_VALUE &&
			pair->value->bool_value);
}

static Otlp__ExportMetricsServiceRequest *pack(struct wp_otlpmetrics *m)
{
	Otlp__ExportMetricsServiceRequest *r;
	struct wp_buf b = { 0 };

	/* What is in the buffer stays. */
	wp_buf_add(&b, "xyz", 3);
	if (wp_otlpmetrics_pack(m, &b) || memcmp(b.data, "xyz", 3))
		return NULL;
	r = otlp__export_metrics_service_request__unpack(NULL, b.len - 3, (void *)(b.data + 3));
	wp_buf_free(&b);
	return r;
}

static void add_metrics(struct wp_otlpmetrics *m)
{
	static const struct wp_otlp_metric time = {
		"x.time", WP_OTLP_SECONDS, "Time.", WP_OTLP_SUM,
	}, number = {
		"x.number", "{x}", "Number.", WP_OTLP_SUM,
	}, size = {
		"x.size", "By", "Size.", WP_OTLP_GAUGE,
	}, lengths = {
		"x.lengths", WP_OTLP_SECONDS, "Lengths.", WP_OTLP_HISTOGRAM,
	};
	const struct wp_otlp_label label[] = { { "state", "on" }, { "rest", NULL } };
	const __u64 count[] = { 1, 0, 5000000000, 7 };
	const struct wp_otlp_histogram h = { bounds, 3, count, 1500000000 };

	wp_otlpmetrics_resource(m, services, 2);
	wp_otlpmetrics_metric(m, &time);
	wp_otlpmetrics_point(m, label, 1, 9007199254740991);
	wp_otlpmetrics_point(m, label, 2, 1);
	wp_otlpmetrics_point(m, NULL, 0, 0);
	wp_otlpmetrics_metric(m, &lengths);
	wp_otlpmetrics_histogram(m, label, 1, &h);
	wp_otlpmetrics_resource(m, services + 1, 1);
	wp_otlpmetrics_metric(m, &number);
	wp_otlpmetrics_point(m, NULL, 0, 9007199254740993);
	wp_otlpmetrics_metric(m, &size);
	wp_otlpmetrics_point(m, NULL, 0, 4096);
}

static bool has_time(const Otlp__Metric *metric)
{
	const Otlp__Sum *sum = metric->data_case == OTLP__METRIC__DATA_SUM ? metric->sum : NULL;
	unsigned int i;

	if (!sum || !sum->is_monotonic || sum->aggregation_temporality != 2 ||
	    sum->n_data_points != 3 || strcmp(metric->name, "x.time") ||
	    strcmp(metric->unit, "s") || strcmp(metric->description, "Time."))
		return false;
	for (i = 0; i < 3; i++) {
		const Otlp__NumberDataPoint *p = sum->data_points[i];
		static const __u64 ns[] = { 9007199254740991, 1, 0 };

		if (p->start_time_unix_nano != START || p->time_unix_nano != END ||
		    p->value_case != OTLP__NUMBER_DATA_POINT__VALUE_AS_DOUBLE ||
		    (__u64)llround(p->as_double * 1e9) != ns[i] || p->n_attributes != (i + 1) % 3)
			return false;
	}
	return is_label(sum->data_points[0]->attributes[0], "state", "on") &&
	       is_label(sum->data_points[1]->attributes[1], "rest", NULL);
}

static bool has_lengths(const Otlp__Metric *metric)
{
	const Otlp__HistogramDataPoint *p;

	if (metric->data_case != OTLP__METRIC__DATA_HISTOGRAM ||
	    metric->histogram->aggregation_temporality != 2 ||
	    metric->histogram->n_data_points != 1)
		return false;
	p = metric->histogram->data_points[0];
	return p->start_time_unix_nano == START && p->time_unix_nano == END &&
	       p->count == 5000000008 && p->sum == 1.5 && p->n_bucket_counts == 4 &&
	       p->bucket_counts[0] == 1 && p->bucket_counts[2] == 5000000000 &&
	       p->bucket_counts[3] == 7 && p->n_explicit_bounds == 3 &&
	       !memcmp(p->explicit_bounds, bounds, sizeof(bounds)) && p->n_attributes == 1 &&
	       is_label(p->attributes[0], "state", "on");
}

static void test_metrics(void)
{
	Otlp__ExportMetricsServiceRequest *r = NULL;
	struct wp_otlpmetrics *m = NULL;
	Otlp__ScopeMetrics *scope;
	Otlp__Resource *of;

	if (!wp_otlpmetrics_new(&m, START, END)) {
		add_metrics(m);
		r = pack(m);
	}
	wp_otlpmetrics_free(m);
	if (!r || r->n_resource_metrics != 2 || r->resource_metrics[0]->n_scope_metrics != 1 ||
	    r->resource_metrics[0]->scope_metrics[0]->n_metrics != 2 ||
	    r->resource_metrics[1]->scope_metrics[0]->n_metrics != 2) {
		ok(0, "a message has two resources of two metrics");
		return;
	}
	of = r->resource_metrics[0]->resource;
	ok(of->n_attributes == 2 && is_label(of->attributes[0], "service.name", "a??b \"q\"") &&
	   is_label(of->attributes[1], "host.name", "h"),
	   "labels are UTF-8 of one line, whatever they were");
	scope = r->resource_metrics[0]->scope_metrics[0];
	ok(!strcmp(scope->scope->name, "wallprof") && *scope->scope->version,
	   "the scope has the version");
	ok(has_time(scope->metrics[0]), "durations are seconds, to the nanosecond");
	ok(has_lengths(scope->metrics[1]), "a histogram has all counts, and their sum");
	scope = r->resource_metrics[1]->scope_metrics[0];
	ok(scope->metrics[0]->data_case == OTLP__METRIC__DATA_SUM &&
	   scope->metrics[0]->sum->data_points[0]->value_case ==
	   OTLP__NUMBER_DATA_POINT__VALUE_AS_INT &&
	   scope->metrics[0]->sum->data_points[0]->as_int == 9007199254740993,
	   "other numbers are whole ones");
	ok(scope->metrics[1]->data_case == OTLP__METRIC__DATA_GAUGE &&
	   scope->metrics[1]->gauge->data_points[0]->as_int == 4096 &&
	   !scope->metrics[1]->gauge->data_points[0]->start_time_unix_nano,
	   "a gauge has no start");
	otlp__export_metrics_service_request__free_unpacked(r, NULL);
}

/* More than any list has room for at first. */
static void test_many(void)
{
	static const struct wp_otlp_metric metric = { "x", "1", "X.", WP_OTLP_SUM };
	Otlp__ExportMetricsServiceRequest *r = NULL;
	struct wp_otlpmetrics *m = NULL;
	unsigned int i, good = 0;

	if (!wp_otlpmetrics_new(&m, START, END)) {
		for (i = 0; i < 1000; i++) {
			wp_otlpmetrics_resource(m, services, 2);
			wp_otlpmetrics_metric(m, &metric);
			wp_otlpmetrics_point(m, NULL, 0, i);
		}
		for (i = 0; i < 999; i++)
			wp_otlpmetrics_point(m, NULL, 0, i);
		r = pack(m);
	}
	wp_otlpmetrics_free(m);
	for (i = 0; r && i < r->n_resource_metrics; i++) {
		const Otlp__Sum *sum = r->resource_metrics[i]->scope_metrics[0]->metrics[0]->sum;

		good += sum->data_points[0]->as_int == i;
	}
	ok(good == 1000, "a thousand resources");
	ok(r && r->resource_metrics[999]->scope_metrics[0]->metrics[0]->sum->n_data_points == 1000,
	   "... and as many points of one metric");
	if (r)
		otlp__export_metrics_service_request__free_unpacked(r, NULL);
}

/* Profiles of two stacks, of which the second is beyond the limit. */
static Otlp__ExportProfilesServiceRequest *make_profiles(struct wp_otlp_stats *stats)
{
	const struct wp_otlp_window window = { .begin = START, .ns = 1000, .max_samples = 1 };
	struct wp_otlp_frame frame = { .file = "/bin/a", .build_id = "ab", .function = "f\x80" };
	struct wp_otlp_sample sample = { .kind = WP_OTLP_BLOCKED, .nr = 1, .ns = 5 };
	Otlp__ExportProfilesServiceRequest *r = NULL;
	struct wp_buf b = { 0 };
	__u32 attribute, location;
	struct wp_otlp *o;

	if (wp_otlp_new(&o, &window))
		return NULL;
	sample.resource = wp_otlp_resource(o, services, 2);
	attribute = wp_otlp_string(o, "thread.name", "t");
	sample.attribute = &attribute;
	location = wp_otlp_location(o, &frame);
	sample.stack = wp_otlp_stack(o, &location, 1);
	wp_otlp_add(o, &sample);
	wp_otlp_add(o, &sample);
	frame.function = "g";
	location = wp_otlp_location(o, &frame);
	sample.stack = wp_otlp_stack(o, &location, 1);
	wp_otlp_add(o, &sample);
	wp_otlp_stats(o, stats);
	if (!wp_otlp_pack(o, &b))
		r = otlp__export_profiles_service_request__unpack(NULL, b.len, (void *)b.data);
	wp_otlp_free(o);
	wp_buf_free(&b);
	return r;
}

static void test_profiles(void)
{
	struct wp_otlp_stats stats;
	Otlp__ExportProfilesServiceRequest *r = make_profiles(&stats);
	const Otlp__ProfilesDictionary *d;
	const Otlp__Profile *p;
	const Otlp__Sample *s;

	if (!r || r->n_resource_profiles != 1 ||
	    r->resource_profiles[0]->scope_profiles[0]->n_profiles != 1 ||
	    r->resource_profiles[0]->scope_profiles[0]->profiles[0]->n_samples != 2) {
		ok(0, "a message has one profile of two samples");
		return;
	}
	d = r->dictionary;
	p = r->resource_profiles[0]->scope_profiles[0]->profiles[0];
	ok(is_label(r->resource_profiles[0]->resource->attributes[0], "service.name",
		    "a??b \"q\""), "a profile has the same labels");
	ok(!strcmp(d->string_table[p->sample_type->type_strindex], "off_cpu") &&
	   p->time_unix_nano == START && p->duration_nano == 1000, "... type and time");
	s = p->samples[0];
	ok(s->values[0] == 10 && s->n_values == 1, "equal samples are one");
	ok(d->stack_table[s->stack_index]->n_location_indices == 1 &&
	   !strcmp(d->string_table[d->function_table[d->location_table[
		   d->stack_table[s->stack_index]->location_indices[0]]->lines[0]
		   ->function_index]->name_strindex], "f?"), "... with their stack");
	s = p->samples[1];
	ok(s->values[0] == 5 && !s->stack_index && stats.overflowed == 1 &&
	   !strcmp(d->string_table[d->attribute_table[s->attribute_indices[0]]->key_strindex],
		   "wallprof.overflow") && stats.ns[WP_OTLP_BLOCKED] == 15,
	   "time beyond the limit of samples is kept, without a stack");
	otlp__export_profiles_service_request__free_unpacked(r, NULL);
}

int main(void)
{
	test_metrics();
	test_many();
	test_profiles();
	return done();
}
