// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the message ExportMetricsServiceRequest: resources, which have metrics, which have
 * points. Sums and histograms are cumulative: they count from one start. Called by
 * agent/metrics.c.
 *
 * An allocation failure is noted; wp_otlpmetrics_pack() returns it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/text.h"
#include "lib/otlp/otlpmetrics.h"
#include "otlp-metrics.pb-c.h"

#define NSEC_PER_SEC	1000000000.0

/* Longer strings are cut. */
#define MAX_STRING	4096

#define CUMULATIVE	OTLP__AGGREGATION_TEMPORALITY__AGGREGATION_TEMPORALITY_CUMULATIVE

/**
 * struct wp_otlpmetrics - a message while it is made
 * @start: since when is counted, nanoseconds since 1970
 * @time: up to when
 * @request: the message
 * @metrics: the metrics of the last resource, or NULL
 * @metric: the last of them, or NULL
 * @seconds: its values are durations
 * @arena: all memory
 */
struct wp_otlpmetrics {
	__u64 start;
	__u64 time;
	Otlp__ExportMetricsServiceRequest request;
	Otlp__ScopeMetrics *metrics;
	Otlp__Metric *metric;
	bool seconds;
	struct wp_arena arena;
};

/* An empty message of a type; NULL: no memory. */
static void *make(struct wp_otlpmetrics *m, const ProtobufCMessageDescriptor *type)
{
	void *message = wp_arena_get(&m->arena, 0, type->sizeof_message);

	if (message)
		protobuf_c_message_init(type, message);
	return message;
}

/* Appends a message to a list of @nr pointers, which doubles when it is full. */
static void *append(struct wp_otlpmetrics *m, void *list, size_t *nr, void *message)
{
	void **old = list, **to = list;

	if (!message)
		return list;
	if (!(*nr & (*nr - 1))) {
		to = wp_arena_get(&m->arena, *nr ? 2 * *nr : 1, sizeof(*to));
		if (!to)
			return list;
		if (*nr)
			memcpy(to, old, *nr * sizeof(*to));
	}
	to[(*nr)++] = message;
	return to;
}

/* A copy of a string; the message must be UTF-8. */
static char *text(struct wp_otlpmetrics *m, const char *s)
{
	size_t len = strnlen(s, MAX_STRING);
	char *to = wp_arena_get(&m->arena, len, 1);

	if (to) {
		memcpy(to, s, len);
		wp_text_clean(to, false);
	}
	return to;
}

static Otlp__KeyValue *attribute(struct wp_otlpmetrics *m, const struct wp_otlp_label *label)
{
	Otlp__KeyValue *pair = make(m, &otlp__key_value__descriptor);
	Otlp__AnyValue *value = make(m, &otlp__any_value__descriptor);

	if (!pair || !value)
		return NULL;
	pair->key = text(m, label->key);
	pair->value = value;
	if (label->value) {
		value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
		value->string_value = text(m, label->value);
	} else {
		value->value_case = OTLP__ANY_VALUE__VALUE_BOOL_VALUE;
		value->bool_value = 1;
	}
	return pair;
}

static Otlp__KeyValue **attributes(struct wp_otlpmetrics *m, const struct wp_otlp_label *label,
				   unsigned int nr, size_t *out)
{
	Otlp__KeyValue **list = NULL;
	unsigned int i;

	*out = 0;
	for (i = 0; i < nr; i++)
		list = append(m, list, out, attribute(m, &label[i]));
	return list;
}

/**
 * wp_otlpmetrics_new() - begin a message
 * @out: set to it
 * @start: since when is counted, nanoseconds since 1970
 * @time: up to when; not before @start
 *
 * Return: 0 or -ENOMEM.
 */
int wp_otlpmetrics_new(struct wp_otlpmetrics **out, __u64 start, __u64 time)
{
	struct wp_otlpmetrics *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->start = start;
	m->time = time;
	otlp__export_metrics_service_request__init(&m->request);
	*out = m;
	return 0;
}

/**
 * wp_otlpmetrics_start() - set since when the points that follow count
 * @m: the metrics
 * @start: nanoseconds since 1970
 */
void wp_otlpmetrics_start(struct wp_otlpmetrics *m, __u64 start)
{
	m->start = start < m->time ? start : m->time;
}

/**
 * wp_otlpmetrics_resource() - what follows is of this resource
 * @m: the message
 * @label: its attributes; a value of NULL is true
 * @nr: their number
 */
void wp_otlpmetrics_resource(struct wp_otlpmetrics *m, const struct wp_otlp_label *label,
			     unsigned int nr)
{
	Otlp__ResourceMetrics *to = make(m, &otlp__resource_metrics__descriptor);
	Otlp__InstrumentationScope *scope = make(m, &otlp__instrumentation_scope__descriptor);

	m->metric = NULL;
	m->metrics = make(m, &otlp__scope_metrics__descriptor);
	if (!to || !scope || !m->metrics)
		return;
	to->resource = make(m, &otlp__resource__descriptor);
	if (to->resource)
		to->resource->attributes = attributes(m, label, nr, &to->resource->n_attributes);
	scope->name = "wallprof";
	scope->version = WP_VERSION;
	m->metrics->scope = scope;
	to->scope_metrics = append(m, NULL, &to->n_scope_metrics, m->metrics);
	m->request.resource_metrics = append(m, m->request.resource_metrics,
					     &m->request.n_resource_metrics, to);
}

static void set_type(struct wp_otlpmetrics *m, Otlp__Metric *to, enum wp_otlp_metric_type type)
{
	switch (type) {
	case WP_OTLP_SUM:
		to->data_case = OTLP__METRIC__DATA_SUM;
		to->sum = make(m, &otlp__sum__descriptor);
		if (to->sum) {
			to->sum->aggregation_temporality = CUMULATIVE;
			to->sum->is_monotonic = 1;
		}
		break;
	case WP_OTLP_GAUGE:
		to->data_case = OTLP__METRIC__DATA_GAUGE;
		to->gauge = make(m, &otlp__gauge__descriptor);
		break;
	case WP_OTLP_HISTOGRAM:
		to->data_case = OTLP__METRIC__DATA_HISTOGRAM;
		to->histogram = make(m, &otlp__histogram__descriptor);
		if (to->histogram)
			to->histogram->aggregation_temporality = CUMULATIVE;
		break;
	}
}

/**
 * wp_otlpmetrics_metric() - the points that follow are of this metric
 * @m: the message, with a resource, which has not had this metric
 * @metric: the metric
 */
void wp_otlpmetrics_metric(struct wp_otlpmetrics *m, const struct wp_otlp_metric *metric)
{
	Otlp__Metric *to = make(m, &otlp__metric__descriptor);

	m->metric = to;
	if (!to || !m->metrics)
		return;
	to->name = text(m, metric->name);
	to->unit = text(m, metric->unit);
	to->description = text(m, metric->description);
	m->seconds = !strcmp(metric->unit, WP_OTLP_SECONDS);
	set_type(m, to, metric->type);
	m->metrics->metrics = append(m, m->metrics->metrics, &m->metrics->n_metrics, to);
}

/**
 * wp_otlpmetrics_point() - add a point of a sum or a gauge
 * @m: the message, with such a metric
 * @label: its attributes; a value of NULL is true
 * @nr: their number
 * @value: its value; nanoseconds, if the metric's unit is WP_OTLP_SECONDS
 */
void wp_otlpmetrics_point(struct wp_otlpmetrics *m, const struct wp_otlp_label *label,
			  unsigned int nr, __u64 value)
{
	Otlp__NumberDataPoint *to = make(m, &otlp__number_data_point__descriptor);
	Otlp__Metric *metric = m->metric;

	if (!to || m->arena.failed)
		return;
	to->attributes = attributes(m, label, nr, &to->n_attributes);
	to->time_unix_nano = m->time;
	if (m->seconds) {
		to->value_case = OTLP__NUMBER_DATA_POINT__VALUE_AS_DOUBLE;
		to->as_double = value / NSEC_PER_SEC;
	} else {
		to->value_case = OTLP__NUMBER_DATA_POINT__VALUE_AS_INT;
		to->as_int = value;
	}
	if (metric->data_case == OTLP__METRIC__DATA_GAUGE) {
		metric->gauge->data_points = append(m, metric->gauge->data_points,
						    &metric->gauge->n_data_points, to);
	} else {
		to->start_time_unix_nano = m->start;
		metric->sum->data_points = append(m, metric->sum->data_points,
						  &metric->sum->n_data_points, to);
	}
}

/**
 * wp_otlpmetrics_histogram() - add a point of a histogram
 * @m: the message, with such a metric
 * @label: its attributes; a value of NULL is true
 * @nr: their number
 * @h: its value
 */
void wp_otlpmetrics_histogram(struct wp_otlpmetrics *m, const struct wp_otlp_label *label,
			      unsigned int nr, const struct wp_otlp_histogram *h)
{
	Otlp__HistogramDataPoint *to = make(m, &otlp__histogram_data_point__descriptor);
	uint64_t *count = wp_arena_get(&m->arena, h->nr, sizeof(*count));
	double *bound = wp_arena_get(&m->arena, h->nr, sizeof(*bound));
	Otlp__Metric *metric = m->metric;
	size_t i;

	if (m->arena.failed)
		return;
	to->attributes = attributes(m, label, nr, &to->n_attributes);
	to->start_time_unix_nano = m->start;
	to->time_unix_nano = m->time;
	to->sum = h->ns / NSEC_PER_SEC;
	to->n_explicit_bounds = h->nr;
	to->explicit_bounds = bound;
	to->n_bucket_counts = h->nr + 1;
	to->bucket_counts = count;
	if (h->nr)
		memcpy(bound, h->bound, h->nr * sizeof(*bound));
	for (i = 0; i <= h->nr; i++) {
		count[i] = h->count[i];
		to->count += count[i];
	}
	metric->histogram->data_points = append(m, metric->histogram->data_points,
						&metric->histogram->n_data_points, to);
}

/**
 * wp_otlpmetrics_pack() - make the message
 * @m: what it has
 * @to: it is appended
 *
 * Return: 0 or -ENOMEM.
 */
int wp_otlpmetrics_pack(struct wp_otlpmetrics *m, struct wp_buf *to)
{
	size_t size;

	if (m->arena.failed)
		return -ENOMEM;
	size = protobuf_c_message_get_packed_size(&m->request.base);
	wp_buf_add(to, NULL, size);
	if (to->failed)
		return -ENOMEM;
	protobuf_c_message_pack(&m->request.base, (uint8_t *)to->data + to->len - size);
	return 0;
}

/**
 * wp_otlpmetrics_free() - free a message
 * @m: from wp_otlpmetrics_new(), or NULL
 */
void wp_otlpmetrics_free(struct wp_otlpmetrics *m)
{
	if (!m)
		return;
	wp_arena_free(&m->arena);
	free(m);
}
