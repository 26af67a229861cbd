// SPDX-License-Identifier: GPL-2.0
/*
 * Pauses an agent while memory of its host is short: the session ends, with the tables of the
 * module, and all that it has read of files and processes; the process that sends goes on.
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "cmd/agent/agent.h"
#include "cmd/common/signals.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/proc/pressure.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"

#define NSEC_PER_SEC	1000000000ULL
/* The kernel averages over ten seconds, and computes the average each two. */
#define LOOK_NS		(10 * NSEC_PER_SEC)
#define PAUSED_LOOK_NS	(2 * NSEC_PER_SEC)
/* A pause that follows another one soon is twice as long, up to a limit. */
#define SOON_NS		(60 * NSEC_PER_SEC)
#define MIN_PAUSE	(10 * NSEC_PER_SEC)
#define MAX_PAUSE	(600 * NSEC_PER_SEC)

/* Threads of processes that the targets forked are not found again after a pause. */
static bool can_pause(const struct wp_agent *a)
{
	__u32 kind = a->live.r.o.target.kind;

	return a->pressure.limit && kind != WALLPROF_TARGET_PID && kind != WALLPROF_TARGET_TID;
}

/**
 * wp_agent_pressure_look_at() - when wp_agent_pressed() is to be called next
 * @a: the agent
 *
 * Return: a time of CLOCK_MONOTONIC; ~0: never.
 */
__u64 wp_agent_pressure_look_at(const struct wp_agent *a)
{
	return can_pause(a) ? a->pressure.looked + LOOK_NS : ~0ULL;
}

/**
 * wp_agent_pressed() - whether memory of the host is short, so that recording is to pause
 * @a: the agent
 *
 * Return: true if so.
 */
bool wp_agent_pressed(struct wp_agent *a)
{
	struct wp_agent_pressure *p = &a->pressure;

	p->looked = wp_clock_now();
	if (!can_pause(a))
		return false;
	p->now = wp_pressure_memory();
	if (p->now >= 0)
		return (unsigned int)p->now > p->limit * WP_PRESSURE_PERCENT;
	wp_debug("/proc/pressure/memory: %s: memory pressure does not pause the recording",
		 strerror(-p->now));
	p->limit = 0;
	return false;
}

static void print_percent(char *text, size_t size, int hundredths)
{
	snprintf(text, size, "%d.%02d %%", hundredths / WP_PRESSURE_PERCENT,
		 hundredths % WP_PRESSURE_PERCENT);
}

/* All that was read, but sums and what is to be sent. */
static int free_memory(struct wp_agent *a)
{
	wp_live_stop(&a->live);
	wp_filereader_end();
	wp_agent_labels_free(&a->labels);
	wp_agent_hists_free(&a->hists);
	malloc_trim(0);
	return wp_agent_labels_init(&a->labels, WP_OPENFILE_HERE);
}

static void set_paused(struct wp_agent *a, __u64 until)
{
	a->pressure.paused_ns += until - a->begun;
	a->begun = until;
}

/* What others see of it meanwhile, each window. */
static int report(struct wp_agent *a)
{
	wp_outbox_take(&a->outbox);
	a->live.table.time = a->begun;
	wp_agent_textfile_write(a);
	return wp_agent_metrics_post(a);
}

/* Whether it can end. What cannot be read any more does not pause. */
static bool is_over(struct wp_agent *a, __u64 since)
{
	a->pressure.now = wp_pressure_memory();
	return a->pressure.now < 0 ||
	       (wp_clock_now() - since >= a->pressure.length &&
		(unsigned int)a->pressure.now * 2 <= a->pressure.limit * WP_PRESSURE_PERCENT);
}

static int wait_for_memory(struct wp_agent *a, bool *reload)
{
	__u64 since = a->begun, next = since + a->window, until;
	int err = 0, wake;

	while (!err && !*reload && !wp_signals_stop() && !is_over(a, since)) {
		wp_notify_alive(&a->notify);
		until = wp_clock_now() + PAUSED_LOOK_NS;
		wake = wp_signals_wait(&a->live.r.dev, NULL, wp_notify_until(&a->notify, until));
		if (wake < 0)
			return wake;
		*reload = wp_agent_reload_step(&a->reload) == WP_AGENT_RELOAD_READY;
		set_paused(a, wp_clock_now());
		if (a->begun >= next) {
			err = report(a);
			next = a->begun + a->window;
		}
	}
	return err;
}

static void set_length(struct wp_agent_pressure *p, __u64 now)
{
	bool soon = p->ended && now - p->ended < SOON_NS;

	p->length = soon ? 2 * p->length : MIN_PAUSE;
	if (p->length > MAX_PAUSE)
		p->length = MAX_PAUSE;
}

/**
 * wp_agent_pause() - wait until memory of the host is not short any more
 * @a: the agent, at the end of a window
 * @reload: set to true: there is a new configuration
 *
 * A new session records after that, unless the end was requested, or @reload is set.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_agent_pause(struct wp_agent *a, bool *reload)
{
	__u64 since = a->begun;
	char percent[32];
	int err;

	print_percent(percent, sizeof(percent), a->pressure.now);
	wp_warn("memory pressure of %s, more than %u %%: recording pauses", percent,
		a->pressure.limit);
	wp_notify(&a->notify, "STATUS=paused: memory pressure of %s", percent);
	set_length(&a->pressure, since);
	err = free_memory(a);
	if (!err)
		err = report(a);
	if (!err)
		err = wait_for_memory(a, reload);
	if (!err && (*reload || wp_signals_stop()))
		wp_warn("the pause ends: %.3f s were not recorded", (a->begun - since) / 1e9);
	if (err || *reload || wp_signals_stop())
		return err;
	err = wp_live_begin(&a->live);
	if (err)
		return err;
	wp_livenames_want_ids(a->live.names);
	set_paused(a, a->live.r.s.start);
	a->pressure.ended = a->begun;
	a->pressure.looked = a->begun;
	print_percent(percent, sizeof(percent), a->pressure.now < 0 ? 0 : a->pressure.now);
	wp_warn("memory pressure of %s: recording goes on; %.3f s were not recorded", percent,
		(a->begun - since) / 1e9);
	wp_notify(&a->notify, "STATUS=recording");
	return 0;
}
