/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of wallprof agent: options.c has its options, agent.c its main loop,
 * window.c the profiles of a window of time, cause.c why threads waited, labels.c what is
 * known of each process, containers.c of each container, outbox.c the process that sends, as
 * its parent sees it, sender.c what that does, http.c its requests, answer.c what is answered;
 * sums.c what metrics have, textfile.c metrics in a file, metrics.c those by OTLP, hists.c the
 * histograms of a window; pause.c waits while memory is short; reload.c reads the
 * configuration again, carry.c has what is kept then.
 */
#ifndef WP_CMD_AGENT_AGENT_H
#define WP_CMD_AGENT_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "cmd/agent/headers.h"
#include "cmd/agent/outbox.h"
#include "cmd/agent/reload.h"
#include "cmd/common/live.h"
#include "cmd/common/target-options.h"
#include "lib/base/idmap.h"
#include "lib/base/notify.h"
#include "lib/model/hist.h"
#include "lib/otlp/otlpprofiles.h"
#include "lib/proc/procmemory.h"
#include "lib/proc/service.h"
#include "lib/sandbox/containerfile.h"

struct wp_agent_containers;
struct wp_agent_label;
struct wp_agent_textfile;

/* The name in the environment of the descriptor of what is kept: carry.c. */
#define WP_AGENT_CARRY	"WALLPROF_AGENT_CARRY"

/* States of threads that metrics have. */
#define WP_AGENT_STATES	3

/**
 * struct wp_agent_labels - services of processes; all zero: none
 * @memory: reads their environments
 * @containers: names of their containers
 * @map: numbers by process
 * @label: by number
 * @nr: their number
 * @room: allocated labels
 */
struct wp_agent_labels {
	struct wp_procmemory *memory;
	struct wp_agent_containers *containers;
	struct wp_idmap map;
	struct wp_agent_label **label;
	size_t nr;
	size_t room;
};

/**
 * struct wp_agent_sum - sums of a service
 * @start: since when they count, nanoseconds since 1970
 * @used: end of the last window that added some, nanoseconds of CLOCK_MONOTONIC
 * @overflow: it is of those that have no place
 * @ns: its time, by enum wp_otlp_kind
 * @hist: its closed waits, by length
 * @hist_ns: time in them, blocked and runnable, by enum wp_otlp_kind
 */
struct wp_agent_sum {
	__u64 start;
	__u64 used;
	bool overflow;
	__u64 ns[WP_OTLP_KINDS];
	struct wp_hist hist;
	__u64 hist_ns[WP_OTLP_KINDS];
};

/**
 * struct wp_agent_sums - sums of all services
 * @wanted: somebody reads them
 * @start: when the agent started, nanoseconds since 1970
 * @now: end of this window, nanoseconds of CLOCK_MONOTONIC
 * @swept: when services that are not used were dropped
 * @restart: since when new services count, nanoseconds since 1970; 0: since @start
 * @services: names of services, their containers and control groups, as they are written
 * @sum: their sums
 * @room: allocated entries of @sum
 * @overflowed: processes in windows, of services beyond the limit
 * @saturated: counts of the module in histograms that may stand for more
 */
struct wp_agent_sums {
	bool wanted;
	__u64 start;
	__u64 now;
	__u64 swept;
	__u64 restart;
	struct wp_intern services;
	struct wp_agent_sum *sum;
	size_t room;
	__u64 overflowed;
	__u64 saturated;
};

/**
 * struct wp_agent_hist - closed waits of a process in a window
 * @pid: the process; 0: all those beyond the limit
 * @kthread: it is a kernel thread
 * @hist: its waits, by length
 * @ns: time in them, by enum wp_otlp_kind
 */
struct wp_agent_hist {
	__u32 pid;
	bool kthread;
	struct wp_hist hist;
	__u64 ns[WP_OTLP_KINDS];
};

/**
 * struct wp_agent_hists - closed waits of all processes in a window
 * @map: numbers by process
 * @hist: by number
 * @nr: their number
 * @room: allocated entries of @hist
 */
struct wp_agent_hists {
	struct wp_idmap map;
	struct wp_agent_hist *hist;
	size_t nr;
	size_t room;
};

/**
 * struct wp_agent_pressure - when memory of the host is short
 * @limit: percent of the time, beyond which recording pauses; 0: it does not
 * @looked: when it was looked at, nanoseconds of CLOCK_MONOTONIC
 * @now: what it was then, hundredths of a percent, or a negative errno
 * @length: nanoseconds of a pause, at least
 * @ended: when the last one ended; 0: there was none
 * @paused_ns: time in all of them
 */
struct wp_agent_pressure {
	unsigned int limit;
	__u64 looked;
	int now;
	__u64 length;
	__u64 ended;
	__u64 paused_ns;
};

/**
 * struct wp_agent - an agent
 * @live: its session
 * @labels: services of processes
 * @outbox: what sends
 * @notify: the service manager, if there is one
 * @reload: reading the configuration again
 * @pressure: pauses for want of memory
 * @carry: file of what the next program of this process gets; -1: there is none
 * @window: nanoseconds of a window
 * @count: number of windows, 0: until the end is requested
 * @max_samples: number of samples of a window, at most
 * @no_idle: leave out waits for work
 * @begun: start of the current window, nanoseconds of CLOCK_MONOTONIC
 * @host: the host's name
 * @host_id: its id, or ""
 * @nr_windows: number of windows so far
 * @sum: time in them, by enum wp_otlp_kind
 * @idle_ns: time that @no_idle left out
 * @sums: what metrics have
 * @hists: histograms of this window
 * @metrics: send metrics
 * @textfile: file of metrics, or NULL
 */
struct wp_agent {
	struct wp_live live;
	struct wp_agent_labels labels;
	struct wp_outbox outbox;
	struct wp_notify notify;
	struct wp_agent_reload reload;
	struct wp_agent_pressure pressure;
	int carry;
	__u64 window;
	unsigned long count;
	size_t max_samples;
	bool no_idle;
	__u64 begun;
	char host[256];
	char host_id[64];
	unsigned long nr_windows;
	__u64 sum[WP_OTLP_KINDS];
	__u64 idle_ns;
	struct wp_agent_sums sums;
	struct wp_agent_hists hists;
	bool metrics;
	struct wp_agent_textfile *textfile;
};

/**
 * struct wp_agent_carry - what an earlier program of this process kept
 * @fd: its file; -1: there was none
 * @data: the same, mapped; or NULL
 * @size: its size
 */
struct wp_agent_carry {
	int fd;
	const void *data;
	size_t size;
};

/**
 * enum wp_agent_place - options whose values are checked when all are known
 * @WP_AGENT_AT_TO: --to
 * @WP_AGENT_AT_EVENT: -e or -F, the later one
 * @WP_AGENT_AT_METRICS: --metrics
 * @WP_AGENT_AT_SPOOL: --spool
 * @WP_AGENT_AT_TEXTFILE: --textfile
 * @WP_AGENT_AT_TARGET: -p and the others that select targets
 * @WP_AGENT_PLACES: their number
 */
enum wp_agent_place {
	WP_AGENT_AT_TO,
	WP_AGENT_AT_EVENT,
	WP_AGENT_AT_METRICS,
	WP_AGENT_AT_SPOOL,
	WP_AGENT_AT_TEXTFILE,
	WP_AGENT_AT_TARGET,
	WP_AGENT_PLACES,
};

/**
 * struct wp_agent_options - what the command line and the file of options have
 * @a: the agent, for what is of it
 * @targets: what is recorded
 * @headers: headers of requests with profiles
 * @metrics_headers: headers of requests with metrics
 * @to: where profiles are sent; NULL: the environment or the default
 * @textfile: file of metrics, or NULL
 * @config: file of options, or NULL
 * @config_text: what is in it
 * @place: file and line of these options; NULL: of the command line
 * @idle_given: the agent's no_idle was given
 * @freq_given: a frequency was given
 * @quiet: only errors
 * @check: only check the options
 * @targets_given: the command line has targets
 * @headers_given: the command line has a file of headers
 */
struct wp_agent_options {
	struct wp_agent *a;
	struct wp_target_options targets;
	struct wp_agent_headers headers;
	struct wp_agent_headers metrics_headers;
	const char *to;
	const char *textfile;
	const char *config;
	char *config_text;
	char *place[WP_AGENT_PLACES];
	bool idle_given;
	bool freq_given;
	bool quiet;
	bool check;
	bool targets_given;
	bool headers_given;
};

/* options.c */
int wp_agent_options_read(struct wp_agent_options *o, int argc, char **argv);
void wp_agent_options_free(struct wp_agent_options *o);

/* containers.c */
struct wp_agent_containers *wp_agent_containers_new(int root);
const struct wp_container *wp_agent_container(struct wp_agent_containers *t, const char *id);
void wp_agent_containers_sweep(struct wp_agent_containers *t);
void wp_agent_containers_free(struct wp_agent_containers *t);

/* labels.c */
int wp_agent_labels_init(struct wp_agent_labels *l, int root);
const struct wp_service *wp_agent_label(struct wp_agent_labels *l, __u32 pid, const char *comm);
void wp_agent_labels_forget(void *ctx, __u32 pid, __u32 parent);
void wp_agent_labels_sweep(struct wp_agent_labels *l);
void wp_agent_labels_free(struct wp_agent_labels *l);
unsigned int wp_agent_resource(const struct wp_agent *a, const char *name, const char *container,
			       struct wp_otlp_label label[WP_OTLP_LABELS]);

/* window.c */
int wp_agent_window(struct wp_agent *a, __u64 end, struct wp_buf *message,
		    struct wp_otlp_stats *stats);

__u64 wp_agent_since_1970(__u64 time);
extern const struct wp_service wp_agent_kernel;

/* cause.c */
extern const struct wp_agent_named {
	const char *attribute;
	const char *label;
} wp_agent_named[WP_LIVECAUSES];

int wp_agent_cause(struct wp_agent *a, struct wp_otlp *otlp, const struct wp_topkey *key,
		   unsigned int time, __u32 *attribute, unsigned int *nr);

/* sums.c */
extern const struct wp_agent_state {
	enum wp_otlp_kind kind;
	const char *name;
} wp_agent_states[WP_AGENT_STATES];

struct wp_agent_sum *wp_agent_sum_of(struct wp_agent_sums *s, const struct wp_service *service);
int wp_agent_sums_add(struct wp_agent_sums *s, const struct wp_service *service, const __u64 *ns);
void wp_agent_sums_sweep(struct wp_agent_sums *s, __u64 since_1970);
const char *wp_agent_sums_group(const struct wp_agent_sums *s, size_t nr);
const char *wp_agent_sums_name(const struct wp_agent_sums *s, size_t nr, const char **container);
void wp_agent_sums_free(struct wp_agent_sums *s);

/* hists.c */
int wp_agent_hists_add(void *ctx, const struct wp_topkey *key, const char *comm,
		       const struct wallprof_aggr *aggr, const struct wallprof_hist *hist);
int wp_agent_hists_turn(struct wp_agent *a);
void wp_agent_hists_free(struct wp_agent_hists *h);

/* pause.c */
__u64 wp_agent_pressure_look_at(const struct wp_agent *a);
bool wp_agent_pressed(struct wp_agent *a);
int wp_agent_pause(struct wp_agent *a, bool *reload);

/* metrics.c */
int wp_agent_metrics_post(struct wp_agent *a);

/* textfile.c */
int wp_agent_textfile_check(const char *path);
int wp_agent_textfile_look(const char *path);
int wp_agent_textfile_open(struct wp_agent_textfile **out, const char *path);
void wp_agent_textfile_write(const struct wp_agent *a);
void wp_agent_textfile_free(struct wp_agent_textfile *t);

/* carry.c */
int wp_agent_carry_write(const struct wp_agent *a, const struct wp_outbox_left *left);
void wp_agent_carry_find(struct wp_agent_carry *c);
int wp_agent_carry_read(struct wp_agent_carry *c, struct wp_agent *a);
void wp_agent_carry_drop(struct wp_agent_carry *c);

int cmd_agent(int argc, char **argv);

#endif /* WP_CMD_AGENT_AGENT_H */
