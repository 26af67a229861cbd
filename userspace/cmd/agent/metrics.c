// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics of the agent by OTLP (--metrics): after each window a message that has all sums
 * since the start. The next one makes up for one that is lost.
 *
 * Each service is a resource, as in the profiles, and the agent's own numbers are those of
 * the service wallprof. Names are chosen so that Prometheus makes of them those of
 * --textfile.
 */
#include <errno.h>
#include <string.h>

#include "cmd/agent/agent.h"
#include "lib/base/err.h"
#include "lib/device/device.h"
#include "lib/otlp/otlpmetrics.h"

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/* Labels of the resource of a service; NULL: of those beyond the limit. */
static void add_resource(struct wp_otlpmetrics *m, const struct wp_agent *a, const char *name,
			 const char *container)
{
	struct wp_otlp_label label[WP_OTLP_LABELS];
	char instance[sizeof(a->host) + WP_SERVICE_CONTAINER + 1];
	unsigned int nr;

	nr = wp_agent_resource(a, name ? name : "", container, label);
	/* A receiver may keep no other label: one service of two hosts has two series. */
	snprintf(instance, sizeof(instance), "%s%s%s", a->host, *container ? "/" : "", container);
	label[nr++] = (struct wp_otlp_label){ "service.instance.id", instance };
	wp_otlpmetrics_resource(m, name ? label : label + 1, name ? nr : nr - 1);
}

/* Labels of each point of a service; returns their number, two at most. */
static unsigned int add_labels(const struct wp_agent_sum *sum, const char *group,
			       struct wp_otlp_label *label)
{
	unsigned int nr = 0;

	if (*group)
		label[nr++] = (struct wp_otlp_label){ "cgroup", group };
	if (sum->overflow)
		label[nr++] = (struct wp_otlp_label){ "otel.metric.overflow", NULL };
	return nr;
}

static void add_threads(struct wp_otlpmetrics *m, const struct wp_agent_sum *sum,
			const char *group)
{
	static const struct wp_otlp_metric metric = {
		"wallprof.thread", WP_OTLP_SECONDS,
		"Time of all threads of a service, by what they did.", WP_OTLP_SUM,
	};
	struct wp_otlp_label label[3];
	unsigned int i, nr = add_labels(sum, group, label);

	wp_otlpmetrics_metric(m, &metric);
	for (i = 0; i < WP_AGENT_STATES; i++) {
		label[nr] = (struct wp_otlp_label){ "state", wp_agent_states[i].name };
		wp_otlpmetrics_point(m, label, nr + 1, sum->ns[wp_agent_states[i].kind]);
	}
}

static void add_histogram(struct wp_otlpmetrics *m, const struct wp_otlp_metric *metric,
			  const __u64 *count, __u64 ns, const struct wp_otlp_label *label,
			  unsigned int nr)
{
	double bound[WALLPROF_HIST_BUCKETS - 1];
	const struct wp_otlp_histogram h = { bound, NR(bound), count, ns };
	unsigned int i;

	if (!ns)
		return;
	for (i = 0; i < NR(bound); i++)
		bound[i] = wp_hist_from(i + 1) / 1e6;
	wp_otlpmetrics_metric(m, metric);
	wp_otlpmetrics_histogram(m, label, nr, &h);
}

/* A wait counts as soon as it has ended. */
static void add_histograms(struct wp_otlpmetrics *m, const struct wp_agent_sum *sum,
			   const char *group)
{
	static const struct wp_otlp_metric blocked = {
		"wallprof.blocked.duration", WP_OTLP_SECONDS,
		"Lengths of waits of threads for something else than a CPU.", WP_OTLP_HISTOGRAM,
	}, runnable = {
		"wallprof.runnable.duration", WP_OTLP_SECONDS,
		"Lengths of waits of threads for a CPU.", WP_OTLP_HISTOGRAM,
	};

	struct wp_otlp_label label[2];
	unsigned int nr = add_labels(sum, group, label);

	add_histogram(m, &blocked, sum->hist.blocked, sum->hist_ns[WP_OTLP_BLOCKED], label, nr);
	add_histogram(m, &runnable, sum->hist.runnable, sum->hist_ns[WP_OTLP_RUNNABLE], label, nr);
}

static void add_delivery(struct wp_otlpmetrics *m, const struct wp_outbox *b)
{
	static const struct wp_otlp_metric metric[] = {
		{ "wallprof.windows", "{window}",
		  "Windows of time, by what became of their profiles.", WP_OTLP_SUM },
		{ "wallprof.windows.seconds", WP_OTLP_SECONDS,
		  "Time of threads in these windows.", WP_OTLP_SUM },
		{ "wallprof.metrics", "{message}",
		  "Messages of metrics, by what became of them.", WP_OTLP_SUM },
	};
	unsigned int i, outcome;

	for (i = 0; i < NR(metric); i++) {
		wp_otlpmetrics_metric(m, &metric[i]);
		for (outcome = 0; outcome < WP_OUTBOX_OUTCOMES; outcome++) {
			const struct wp_otlp_label label = {
				"outcome", wp_outbox_outcome_name(outcome),
			};
			const __u64 value[] = {
				b->all[outcome].windows, b->all[outcome].ns, b->metrics[outcome],
			};

			/* Not an end: these are counted again. */
			if (outcome != WP_OUTBOX_SPOOLED)
				wp_otlpmetrics_point(m, &label, 1, value[i]);
		}
	}
}

static void add_losses(struct wp_otlpmetrics *m, const struct wp_live *live)
{
	static const struct wp_otlp_metric metric = {
		"wallprof.lost", "{loss}", "What the module could not record.", WP_OTLP_SUM,
	};
	unsigned int i;

	wp_otlpmetrics_metric(m, &metric);
	for (i = 0; i < WALLPROF_LOSS_MAX; i++) {
		const struct wp_otlp_label label = { "reason", wp_loss_name(i) };

		wp_otlpmetrics_point(m, &label, 1, live->lost[i] + live->status.lost[i].count);
	}
}

static void add_overflowed(struct wp_otlpmetrics *m, const struct wp_live *live)
{
	static const struct wp_otlp_metric metric = {
		"wallprof.attributes.overflowed", "{sum}",
		"Sums of waits whose attribute is [other], as there are too many names.",
		WP_OTLP_SUM,
	};
	unsigned int i;

	wp_otlpmetrics_metric(m, &metric);
	for (i = 0; i < WP_LIVECAUSES; i++) {
		const struct wp_otlp_label label = { "attribute", wp_agent_named[i].label };

		wp_otlpmetrics_point(m, &label, 1, wp_livecauses_overflowed(&live->causes, i));
	}
}

/* Numbers without labels. */
static void add_rest(struct wp_otlpmetrics *m, const struct wp_agent *a)
{
	const struct {
		struct wp_otlp_metric metric;
		__u64 value;
	} rest[] = {
		{ { "wallprof.idle", WP_OTLP_SECONDS,
		    "Time of threads that waited for work, and that was left out.", WP_OTLP_SUM },
		  a->idle_ns },
		{ { "wallprof.paused", WP_OTLP_SECONDS,
		    "Time that was not recorded, as memory of the host was short.", WP_OTLP_SUM },
		  a->pressure.paused_ns },
		{ { "wallprof.lost.records", "{record}",
		    "Records of names, forks and mappings that were lost.", WP_OTLP_SUM },
		  a->live.records_lost },
		{ { "wallprof.overflowed", "{process}",
		    "Processes of windows, of services that are one without a name.", WP_OTLP_SUM },
		  a->sums.overflowed },
		{ { "wallprof.saturated", "{count}",
		    "Counts of histograms that may stand for more.", WP_OTLP_SUM },
		  a->sums.saturated },
		{ { "wallprof.tables", "By", "Memory of the module's tables.", WP_OTLP_GAUGE },
		  a->live.status.tables_bytes },
	};
	unsigned int i;

	for (i = 0; i < NR(rest); i++) {
		wp_otlpmetrics_metric(m, &rest[i].metric);
		wp_otlpmetrics_point(m, NULL, 0, rest[i].value);
	}
}

static void add_all(struct wp_otlpmetrics *m, const struct wp_agent *a)
{
	const char *name, *container, *group;
	size_t i;

	for (i = 0; i < a->sums.services.nr; i++) {
		name = wp_agent_sums_name(&a->sums, i, &container);
		add_resource(m, a, name, container);
		wp_otlpmetrics_start(m, a->sums.sum[i].start);
		group = wp_agent_sums_group(&a->sums, i);
		add_threads(m, &a->sums.sum[i], group);
		add_histograms(m, &a->sums.sum[i], group);
	}
	add_resource(m, a, "wallprof", "");
	wp_otlpmetrics_start(m, a->sums.start);
	add_delivery(m, &a->outbox);
	add_losses(m, &a->live);
	add_overflowed(m, &a->live);
	add_rest(m, a);
}

/**
 * wp_agent_metrics_post() - send metrics after a window
 * @a: the agent; if it sends none, nothing happens
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_agent_metrics_post(struct wp_agent *a)
{
	__u64 time = wp_agent_since_1970(a->live.table.time);
	struct wp_buf message = { 0 };
	struct wp_otlpmetrics *m;
	int err;

	if (!a->metrics)
		return 0;
	/* The clock may have been set to before the start. */
	if (time < a->sums.start)
		time = a->sums.start;
	err = wp_otlpmetrics_new(&m, a->sums.start, time);
	if (!err) {
		add_all(m, a);
		err = wp_otlpmetrics_pack(m, &message);
		wp_otlpmetrics_free(m);
	}
	if (!err)
		wp_outbox_post(&a->outbox, WP_SPOOL_METRICS, message.data, message.len, 0);
	wp_buf_free(&message);
	return err ? wp_no_memory("the metrics") : 0;
}
