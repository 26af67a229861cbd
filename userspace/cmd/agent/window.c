// SPDX-License-Identifier: GPL-2.0
/*
 * The profiles of a window of time: of each service the time in which its threads were
 * blocked, runnable, or on a CPU, by stack and cause.
 *
 * They are exact: what the profiles of a process sum up to is what its threads spent, to
 * the nanosecond, except idle waits, where these are left out. Time that has no stack, as
 * that between two samples of a thread that was hardly sampled, stands in a frame that
 * says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/agent/agent.h"
#include "cmd/common/liveframes.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/otlp/pprofpush.h"

/* Beyond so many files the names of functions are read anew: it is their memory. */
#define MAX_FILES	2048

/**
 * struct window - profiles that are being made
 * @a: the agent
 * @otlp: them
 * @stacks: numbers of the stacks that are known, by process and addresses
 * @stack: their numbers in @otlp
 * @room: allocated entries of @stack
 * @failed: no memory
 */
struct window {
	struct wp_agent *a;
	struct wp_otlp *otlp;
	struct wp_intern stacks;
	__u32 *stack;
	size_t room;
	bool failed;
};

/* Identity of a stack. The pointers are to tables that do not change meanwhile. */
struct stack_key {
	const struct wp_stack *user;
	const struct wp_stack *kernel;
	__u64 tgid;
};

static __u32 location_of(struct window *w, const struct wp_livename *name)
{
	const struct wp_otlp_frame frame = {
		.file = name->python || name->java ? NULL : name->path,
		.build_id = name->id,
		.address = name->offset,
		.function = name->name,
		.source = name->python ? name->file : NULL,
		.line = name->line,
		.type = name->python ? "cpython" : name->java ? "jvm" : NULL,
	};

	return wp_otlp_location(w->otlp, &frame);
}

/* A stack of one frame, which has no address. */
static __u32 stack_of_text(struct window *w, const char *text)
{
	const struct wp_otlp_frame frame = { .function = text };
	__u32 location = wp_otlp_location(w->otlp, &frame);

	return wp_otlp_stack(w->otlp, &location, 1);
}

/* The frames of a share, those of the kernel first. */
static __u32 find_frames(struct window *w, const struct wp_topkey *key)
{
	__u32 location[WP_OTLP_FRAMES];
	struct wp_liveframes frames;
	struct wp_livename name;
	unsigned int nr = 0;
	bool found = true;

	wp_liveframes_init(&frames, &w->a->live, key);
	while (found && !w->failed && nr < WP_OTLP_FRAMES) {
		w->failed |= wp_liveframes_next(&frames, &name, &found);
		if (found && !w->failed)
			location[nr++] = location_of(w, &name);
	}
	if (!nr)
		return stack_of_text(w, key->lost ? "[no room for the stack]" : "[no stack]");
	return wp_otlp_stack(w->otlp, location, nr);
}

static __u32 stack_of(struct window *w, const struct wp_topkey *key)
{
	const struct stack_key k = { key->user, key->kernel, key->tgid };
	__u32 *more, nr;
	bool is_new;

	if (!key->user && !key->kernel)
		return find_frames(w, key);
	nr = wp_intern(&w->stacks, &k, sizeof(k), &is_new);
	if (nr > w->room) {
		more = reallocarray(w->stack, 2 * nr, sizeof(*more));
		if (!more)
			nr = 0;
		w->stack = more ? more : w->stack;
		w->room = more ? 2 * nr : w->room;
	}
	if (!nr) {
		w->failed = true;
		return 0;
	}
	if (is_new)
		w->stack[nr - 1] = find_frames(w, key);
	return w->stack[nr - 1];
}

static __u32 resource_of(struct window *w, const struct wp_service *service)
{
	struct wp_otlp_label label[WP_OTLP_LABELS];
	unsigned int nr = wp_agent_resource(w->a, service->name, service->container, label);

	return wp_otlp_resource(w->otlp, label, nr);
}

/* What all samples of a process have. */
struct process {
	const struct wp_toprow *row;
	__u32 resource;
	__u32 attribute[2];
};

static enum wp_otlp_kind kind_of(unsigned int time)
{
	return time == WP_TOP_RUN ? WP_OTLP_CPU :
	       time == WP_TOP_RUNNABLE ? WP_OTLP_RUNNABLE : WP_OTLP_BLOCKED;
}

static void add_share(struct window *w, const struct process *p, const struct wp_topkey *key,
		      unsigned int time, __u64 ns)
{
	const char *comm = wp_comms_find(&w->a->live.r.t.comms, key->tid);
	__u32 attribute[WP_OTLP_ATTRIBUTES];
	unsigned int nr = sizeof(p->attribute) / sizeof(p->attribute[0]);
	struct wp_otlp_sample sample = {
		.resource = p->resource, .kind = kind_of(time), .attribute = attribute,
		.stack = stack_of(w, key), .ns = ns,
	};

	memcpy(attribute, p->attribute, sizeof(p->attribute));
	attribute[nr++] = wp_otlp_string(w->otlp, "thread.name", comm ? comm : p->row->comm);
	if (wp_agent_cause(w->a, w->otlp, key, time, attribute, &nr))
		w->failed = true;
	sample.nr = nr;
	wp_otlp_add(w->otlp, &sample);
}

/* Time of a process that no share has. */
static void add_rest(struct window *w, const struct process *p, unsigned int time, __u64 ns)
{
	const struct wp_otlp_sample sample = {
		.resource = p->resource, .kind = kind_of(time), .attribute = p->attribute,
		.nr = sizeof(p->attribute) / sizeof(p->attribute[0]), .ns = ns,
		.stack = stack_of_text(w, time == WP_TOP_RUN ? "[not sampled]" : "[no stack]"),
	};

	wp_otlp_add(w->otlp, &sample);
}

/*
 * One kind of a process's time. The shares may be more than it, by intervals that were
 * closed between the reads of the two: the sum is what the row has.
 */
static void add_time(struct window *w, const struct process *p, unsigned int time, __u64 whole)
{
	const struct wp_topshares *shares = &w->a->live.shares;
	__u64 left = whole;
	size_t i;

	for (i = p->row->first; i < p->row->first + p->row->nr && left; i++) {
		const struct wp_topshare *share = &shares->shown[i];
		__u64 ns = share->ns[time];

		if (!ns || (time == WP_TOP_RUN && share->key.event))
			continue;
		if (w->a->no_idle && time == WP_TOP_BLOCKED &&
		    wp_topkey_idle(&share->key, p->row->comm))
			continue;
		ns = ns < left ? ns : left;
		add_share(w, p, &share->key, time, ns);
		left -= ns;
	}
	if (left)
		add_rest(w, p, time, left);
}

/* All threads of the kernel: each name is another one, and no service. */
const struct wp_service wp_agent_kernel = { .name = "kernel", .executable = "[kernel]" };

static void add_process(struct window *w, const struct wp_toprow *row)
{
	const struct wp_service *service;
	__u64 blocked = row->ns[WP_TOP_BLOCKED];
	__u64 ns[WP_OTLP_KINDS] = { 0 };
	struct process p = { .row = row };

	if (w->a->no_idle) {
		w->a->idle_ns += row->idle;
		blocked -= row->idle;
	}
	if (!blocked && !row->ns[WP_TOP_RUN] && !row->ns[WP_TOP_RUNNABLE])
		return;
	service = row->kthread ? &wp_agent_kernel :
		  wp_agent_label(&w->a->labels, row->tgid, row->comm);
	if (!service) {
		w->failed = true;
		return;
	}
	ns[WP_OTLP_CPU] = row->ns[WP_TOP_RUN];
	ns[WP_OTLP_RUNNABLE] = row->ns[WP_TOP_RUNNABLE];
	ns[WP_OTLP_BLOCKED] = blocked;
	if (wp_agent_sums_add(&w->a->sums, service, ns))
		w->failed = true;
	p.resource = resource_of(w, service);
	p.attribute[0] = wp_otlp_number(w->otlp, "process.pid", row->tgid);
	p.attribute[1] = wp_otlp_string(w->otlp, "process.executable.name",
					*service->executable ? service->executable : row->comm);
	add_time(w, &p, WP_TOP_RUN, row->ns[WP_TOP_RUN]);
	add_time(w, &p, WP_TOP_RUNNABLE, row->ns[WP_TOP_RUNNABLE]);
	add_time(w, &p, WP_TOP_BLOCKED, blocked);
}

/* Time that was recorded before, and that no receiver has got. */
static void add_lost(struct window *w)
{
	struct wp_service self = { .name = "wallprof", .executable = "wallprof" };
	struct wp_outbox_loss *loss = w->a->outbox.loss;
	unsigned int i;

	for (i = 0; i < WP_OUTBOX_OUTCOMES; i++) {
		__u32 attribute;
		struct wp_otlp_sample sample = {
			.kind = WP_OTLP_LOST, .attribute = &attribute, .nr = 1, .ns = loss[i].ns,
		};

		if (!loss[i].windows)
			continue;
		attribute = wp_otlp_string(w->otlp, "wallprof.reason", wp_outbox_outcome_name(i));
		sample.resource = resource_of(w, &self);
		sample.stack = stack_of_text(w, "[not sent]");
		wp_otlp_add(w->otlp, &sample);
	}
}

/* Names of functions, with a limit of their memory. */
static int renew_names(struct wp_agent *a)
{
	int err;

	if (wp_livenames_files(a->live.names) < MAX_FILES)
		return 0;
	err = wp_live_new_names(&a->live);
	if (err)
		return err;
	wp_livenames_want_ids(a->live.names);
	return 0;
}

/**
 * wp_agent_since_1970() - a time by the clock of today
 * @time: nanoseconds of CLOCK_MONOTONIC
 *
 * Return: nanoseconds since 1970.
 */
__u64 wp_agent_since_1970(__u64 time)
{
	__u64 at = 0, day = 0;

	wp_clock_pair(CLOCK_MONOTONIC, &at, &day);
	return day + time - at;
}

/* Without samples some forms have no message. */
static int pack(const struct window *w, struct wp_buf *message)
{
	switch (w->a->outbox.o.profiles) {
	case WP_SPOOL_PYROSCOPE:
		return wp_pprofpush_pack(w->otlp, WP_PPROFPUSH_PYROSCOPE, message);
	case WP_SPOOL_PARCA:
		return wp_pprofpush_pack(w->otlp, WP_PPROFPUSH_PARCA, message);
	default:
		return wp_otlp_pack(w->otlp, message);
	}
}

/**
 * wp_agent_window() - the profiles of the window that wp_live_turn() ended
 * @a: the agent
 * @end: its end, nanoseconds of CLOCK_MONOTONIC
 * @message: set to the message that has them
 * @stats: set to what it has
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_agent_window(struct wp_agent *a, __u64 end, struct wp_buf *message,
		    struct wp_otlp_stats *stats)
{
	const struct wp_event_list *events = &a->live.r.o.events;
	struct wp_otlp_window window = {
		.begin = wp_agent_since_1970(a->begun), .ns = end - a->begun,
		.max_samples = a->max_samples,
	};
	struct window w = { .a = a };
	int err;
	size_t i;

	if (events->nr && events->event[0].freq)
		window.cpu_period = 1000000000ULL / events->event[0].freq;
	a->sums.now = end;
	err = wp_otlp_new(&w.otlp, &window);
	for (i = 0; i < a->live.table.processes.nr && !err; i++)
		add_process(&w, &a->live.table.processes.row[i]);
	if (!err) {
		add_lost(&w);
		err = w.failed ? -ENOMEM : pack(&w, message);
		wp_otlp_stats(w.otlp, stats);
	}
	if (!err)
		err = wp_agent_hists_turn(a);
	if (!err)
		err = renew_names(a);
	for (i = 0; i < WP_OTLP_KINDS && !err; i++)
		a->sum[i] += stats->ns[i];
	wp_agent_sums_sweep(&a->sums, window.begin + window.ns);
	wp_agent_labels_sweep(&a->labels);
	wp_intern_free(&w.stacks);
	free(w.stack);
	wp_otlp_free(w.otlp);
	a->begun = end;
	return err ? wp_no_memory("the profiles of a window") : 0;
}
