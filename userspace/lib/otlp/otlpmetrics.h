/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics for an OpenTelemetry receiver (OTLP). See otlpmetrics.c.
 *
 *	ret = wp_otlpmetrics_new(&m, start, time);
 *	wp_otlpmetrics_resource(m, labels, nr);		each service once
 *	wp_otlpmetrics_metric(m, &metric);		each of its metrics
 *	wp_otlpmetrics_point(m, labels, nr, value);	each of its points
 *	ret = wp_otlpmetrics_pack(m, &buf);
 *	wp_otlpmetrics_free(m);
 */
#ifndef WP_LIB_OTLP_OTLPMETRICS_H
#define WP_LIB_OTLP_OTLPMETRICS_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/base/buf.h"
#include "lib/otlp/otlpprofiles.h"

/* The unit of durations: their values are nanoseconds here, and seconds in the message. */
#define WP_OTLP_SECONDS	"s"

/**
 * enum wp_otlp_metric_type - what points of a metric are
 * @WP_OTLP_SUM: a sum since the start, which never becomes less
 * @WP_OTLP_GAUGE: the value at the time of the message
 * @WP_OTLP_HISTOGRAM: numbers of durations since the start, by length
 */
enum wp_otlp_metric_type {
	WP_OTLP_SUM,
	WP_OTLP_GAUGE,
	WP_OTLP_HISTOGRAM,
};

/**
 * struct wp_otlp_metric - a metric
 * @name: its name
 * @unit: its unit, by UCUM
 * @description: a sentence
 * @type: what its points are
 */
struct wp_otlp_metric {
	const char *name;
	const char *unit;
	const char *description;
	enum wp_otlp_metric_type type;
};

/**
 * struct wp_otlp_histogram - a point of a histogram
 * @bound: upper bounds of buckets, seconds, rising
 * @nr: their number; there is one bucket more
 * @count: numbers of durations in the buckets
 * @ns: their sum, nanoseconds
 */
struct wp_otlp_histogram {
	const double *bound;
	size_t nr;
	const __u64 *count;
	__u64 ns;
};

struct wp_otlpmetrics;

int wp_otlpmetrics_new(struct wp_otlpmetrics **out, __u64 start, __u64 time);
void wp_otlpmetrics_start(struct wp_otlpmetrics *m, __u64 start);
void wp_otlpmetrics_resource(struct wp_otlpmetrics *m, const struct wp_otlp_label *label,
			     unsigned int nr);
void wp_otlpmetrics_metric(struct wp_otlpmetrics *m, const struct wp_otlp_metric *metric);
void wp_otlpmetrics_point(struct wp_otlpmetrics *m, const struct wp_otlp_label *label,
			  unsigned int nr, __u64 value);
void wp_otlpmetrics_histogram(struct wp_otlpmetrics *m, const struct wp_otlp_label *label,
			      unsigned int nr, const struct wp_otlp_histogram *h);
int wp_otlpmetrics_pack(struct wp_otlpmetrics *m, struct wp_buf *to);
void wp_otlpmetrics_free(struct wp_otlpmetrics *m);

#endif /* WP_LIB_OTLP_OTLPMETRICS_H */
