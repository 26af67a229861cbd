// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof agent: profiles of a host, always on, for an OpenTelemetry receiver. The
 * session is that of a live view, without a file. Each window of time ends with a flip;
 * its times become one message, which another process sends (outbox.c). Its options are in
 * options.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "cmd/common/options.h"
#include "cmd/common/signals.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/sandbox/worker.h"

/* What names the host in every window. */
static void find_host(struct wp_agent *a)
{
	FILE *f = fopen("/etc/machine-id", "re");

	if (gethostname(a->host, sizeof(a->host) - 1))
		strcpy(a->host, "localhost");
	if (f && fgets(a->host_id, sizeof(a->host_id), f))
		a->host_id[strcspn(a->host_id, "\n")] = 0;
	/* Before the first boot has ended it is "uninitialized". */
	if (strspn(a->host_id, "0123456789abcdef") != 32)
		*a->host_id = 0;
	if (f)
		fclose(f);
}

static void print_window(const struct wp_agent *a, const struct wp_otlp_stats *stats, size_t size)
{
	unsigned int i;

	wp_debug("window %lu: %zu samples of %zu services, on-CPU %.3f s, runnable %.3f s, blocked %.3f s; %zu kB",
		 a->nr_windows, stats->samples, stats->resources, stats->ns[WP_OTLP_CPU] / 1e9,
		 stats->ns[WP_OTLP_RUNNABLE] / 1e9, stats->ns[WP_OTLP_BLOCKED] / 1e9,
		 (size + 999) / 1000);
	if (stats->overflowed)
		wp_warn("window %lu: %llu samples more than the %zu of a window are summed by service",
			a->nr_windows, (unsigned long long)stats->overflowed, a->max_samples);
	for (i = 0; i < WP_LIVECAUSES; i++) {
		if (wp_livecauses_overflowed(&a->live.causes, i))
			wp_debug("%llu sums of waits so far have %s [other]: there were more than %u names",
				 (unsigned long long)wp_livecauses_overflowed(&a->live.causes, i),
				 wp_agent_named[i].attribute, WP_TOPNAMES);
	}
}

/* The line that a service manager shows. A mistake is there until it is repaired. */
static void notify_status(const struct wp_agent *a)
{
	const char *refused = a->reload.refused ? "; a new configuration was refused" : "";
	const struct wp_outbox *b = &a->outbox;
	const char *state = *b->refused[b->o.profiles] ? ", which refuses them" :
			    b->waits[b->o.profiles] ? ", which does not answer" : "";

	wp_notify(&a->notify, "STATUS=%lu windows, %llu sent to %s%s%s", a->nr_windows,
		  (unsigned long long)b->all[WP_OUTBOX_SENT].windows, b->o.shown, state, refused);
}

/* Ends a window, and sends it. */
static int turn(struct wp_agent *a)
{
	struct wp_otlp_stats stats;
	struct wp_buf message = { 0 };
	__u64 ns = 0;
	unsigned int i;
	int err;

	err = wp_live_turn(&a->live, true);
	/* What happened to those before, for this one to have it. */
	if (!err)
		wp_outbox_take(&a->outbox);
	if (!err)
		err = wp_agent_window(a, a->live.table.time, &message, &stats);
	if (!err) {
		a->nr_windows++;
		for (i = 0; i < WP_OTLP_KINDS; i++)
			ns += stats.ns[i];
		print_window(a, &stats, message.len);
		/* Before the profiles: of what waits, the oldest is dropped. */
		err = wp_agent_metrics_post(a);
		/*
		 * Without samples some formats have no message. If the process has just died, the
		 * next turn starts it again.
		 */
		if (message.len)
			wp_outbox_post(&a->outbox, a->outbox.o.profiles, message.data, message.len,
				       ns);
		notify_status(a);
		wp_agent_textfile_write(a);
	}
	wp_buf_free(&message);
	return err;
}

/* Whether a new configuration is there, and valid. */
static bool is_new_configuration(struct wp_agent *a)
{
	enum wp_agent_reload_state state = wp_agent_reload_step(&a->reload);

	if (state == WP_AGENT_RELOAD_REFUSED)
		notify_status(a);
	return state == WP_AGENT_RELOAD_READY;
}

/* Ends the last window of this configuration, unless it is paused, and keeps what comes next. */
static int end_for_reload(struct wp_agent *a, bool paused)
{
	struct wp_outbox_left left;
	int err;

	wp_notify(&a->notify, "RELOADING=1\nMONOTONIC_USEC=%llu",
		  (unsigned long long)wp_clock_now() / 1000);
	err = paused ? 0 : turn(a);
	if (err)
		return err;
	wp_outbox_leave(&a->outbox, &left);
	a->carry = wp_agent_carry_write(a, &left);
	if (left.fd >= 0)
		close(left.fd);
	return a->carry < 0 ? a->carry : 0;
}

static bool is_last(const struct wp_agent *a)
{
	return wp_signals_stop() || (a->count && a->nr_windows >= a->count);
}

/* Until there is memory again. If a window has not just ended, it does now. */
static int wait_for_memory(struct wp_agent *a, bool turned)
{
	bool reload = false;
	int err = turned ? 0 : turn(a);

	if (err || is_last(a))
		return err;
	err = wp_agent_pause(a, &reload);
	return !err && reload ? end_for_reload(a, true) : err;
}

static __u64 earliest(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/* When to wake, if nothing else happens. */
static __u64 wake_at(const struct wp_agent *a, __u64 next)
{
	next = earliest(next, wp_live_look_at(&a->live));
	next = earliest(next, wp_agent_pressure_look_at(a));
	return wp_notify_until(&a->notify, next);
}

/* From START on, until the end is requested, no target is left, or there is a new program. */
static int loop(struct wp_agent *a, bool *gone)
{
	__u64 next = a->live.r.s.start + a->window;
	int err = 0, wake;
	bool turned;

	a->pressure.looked = a->live.r.s.start;
	while (!err && !*gone && !is_last(a)) {
		wp_notify_alive(&a->notify);
		wake = wp_signals_wait(&a->live.r.dev, a->live.r.sideband, wake_at(a, next));
		if (wake < 0)
			return wake;
		*gone = wake == WP_WAKE_GONE;
		if (!*gone && !wp_signals_stop() && is_new_configuration(a))
			return end_for_reload(a, false);
		turned = *gone || wp_signals_stop() || wp_clock_now() >= next;
		if (turned) {
			err = turn(a);
			next += a->window;
			/* Skip windows that were missed. */
			if (next < wp_clock_now())
				next = wp_clock_now() + a->window;
		} else if (wake == WP_WAKE_FULL) {
			err = wp_live_drain(&a->live);
		} else if (wp_clock_now() >= wp_live_look_at(&a->live)) {
			err = wp_live_look(&a->live);
		}
		if (err || *gone || is_last(a) ||
		    (!turned && wp_clock_now() < wp_agent_pressure_look_at(a)) ||
		    !wp_agent_pressed(a))
			continue;
		err = wait_for_memory(a, turned);
		if (a->carry >= 0)
			return err;
		next = a->begun + a->window;
	}
	return err;
}

static void print_end(const struct wp_agent *a)
{
	const struct wp_outbox_loss *sent = &a->outbox.all[WP_OUTBOX_SENT];

	wp_debug("%lu windows: on-CPU %llu ns, runnable %llu ns, blocked %llu ns; idle %llu ns left out",
		 a->nr_windows, (unsigned long long)a->sum[WP_OTLP_CPU],
		 (unsigned long long)a->sum[WP_OTLP_RUNNABLE],
		 (unsigned long long)a->sum[WP_OTLP_BLOCKED], (unsigned long long)a->idle_ns);
	fprintf(stderr, "[ wallprof agent: Sent %llu window%s with %.3f s of time to %s (%.3f MB) ]\n",
		(unsigned long long)sent->windows, wp_plural(sent->windows), sent->ns / 1e9,
		a->outbox.o.shown, a->outbox.bytes / 1e6);
}

/* Of listed processes there is no snapshot: they may have ended when the first window does. */
static void read_targets(struct wp_agent *a)
{
	const struct wp_target *t = &a->live.r.o.target;
	__u32 i;

	for (i = 0; t->tgids && i < t->nr; i++)
		wp_agent_label(&a->labels, t->tgids[i], "");
}

/* Goes on with what an earlier program of this process kept. */
static int start(struct wp_agent *a, const struct wp_agent_options *o, struct wp_agent_carry *carry)
{
	__u64 ended;
	int err = wp_agent_carry_read(carry, a);

	if (err)
		return err;
	ended = a->begun;
	err = wp_live_begin(&a->live);
	if (err)
		return err;
	read_targets(a);
	a->begun = a->live.r.s.start;
	if (!a->sums.start)
		a->sums.start = wp_agent_since_1970(a->begun);
	if (ended && !o->quiet)
		fprintf(stderr, "[ wallprof agent: Read %s again: %.3f s were not recorded ]\n",
			o->config, (a->begun - ended) / 1e9);
	return 0;
}

static int run(struct wp_agent *a, const struct wp_agent_options *o, struct wp_agent_carry *carry)
{
	bool gone = false;
	int err, late;

	find_host(a);
	/* Without a file there is nothing to read: it ends, as without a terminal. */
	if (o->config)
		wp_signals_want_reload();
	else
		wp_agent_reload_free(&a->reload);
	err = wp_signals_catch();
	if (!err)
		err = wp_agent_labels_init(&a->labels, WP_OPENFILE_HERE);
	/* Before the session: it has nothing of it. */
	if (!err)
		err = wp_outbox_open(&a->outbox);
	if (!err && o->textfile)
		err = wp_agent_textfile_open(&a->textfile, o->textfile);
	a->live.forget = wp_agent_labels_forget;
	a->live.forget_ctx = &a->labels;
	a->sums.wanted = a->metrics || a->textfile;
	if (a->sums.wanted) {
		a->live.r.o.hist = true;
		a->live.hist = wp_agent_hists_add;
		a->live.hist_ctx = a;
	}
	if (!err)
		err = start(a, o, carry);
	if (err)
		return err;
	wp_livenames_want_ids(a->live.names);
	wp_notify(&a->notify, "READY=1\nSTATUS=recording");
	err = loop(a, &gone);
	if (a->carry >= 0)
		return err;
	wp_notify(&a->notify, "STOPPING=1");
	late = wp_outbox_close(&a->outbox);
	if (!err)
		wp_agent_textfile_write(a);
	if (!o->quiet)
		print_end(a);
	if (gone && !err)
		wp_warn("no target is left");
	/* What ends it by a signal is not interested in the rest. */
	return err || wp_signals_stop() ? err : late;
}

/* Nothing of the session is left: processes, descriptors. Returns if it fails. */
static int execute(struct wp_agent *a)
{
	struct wp_agent_carry lost;
	int err;

	wp_filereader_end();
	wp_worker_end();
	err = wp_agent_reload_exec(&a->reload, WP_AGENT_CARRY, a->carry);
	wp_agent_carry_find(&lost);
	wp_agent_carry_drop(&lost);
	return err;
}

/**
 * cmd_agent() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "agent"
 *
 * Return: its exit status.
 */
int cmd_agent(int argc, char **argv)
{
	struct wp_agent a = {
		.live.r.dev.fd = -1,
		.carry = -1,
		.outbox.sock = -1,
		.notify.sock = -1,
	};
	struct wp_agent_options o = { .a = &a };
	struct wp_agent_carry carry;
	int err;

	wp_agent_carry_find(&carry);
	err = wp_agent_reload_init(&a.reload, argc, argv);
	if (!err)
		err = wp_agent_options_read(&o, argc, argv);
	if (!err) {
		wp_worker_prepare();
		wp_notify_open(&a.notify);
		err = run(&a, &o, &carry);
		wp_agent_carry_drop(&carry);
		wp_notify_close(&a.notify);
		wp_outbox_close(&a.outbox);
		wp_live_end(&a.live);
		wp_agent_labels_free(&a.labels);
		wp_agent_textfile_free(a.textfile);
		wp_agent_sums_free(&a.sums);
		wp_agent_hists_free(&a.hists);
		if (a.carry >= 0)
			err = execute(&a);
		err = wp_signals_exit_status(err == -EINVAL ? -EIO : err, 0);
	} else {
		wp_agent_carry_drop(&carry);
		wp_target_free(&a.live.r.o.target);
		wp_event_list_free(&a.live.r.o.events);
		err = err == WP_OPTIONS_DONE ? 0 : err == -EINVAL ? WP_EXIT_USAGE : WP_EXIT_ERROR;
	}
	wp_agent_reload_free(&a.reload);
	wp_agent_options_free(&o);
	return err;
}
