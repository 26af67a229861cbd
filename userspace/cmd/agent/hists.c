// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the histograms of a window by process: lengths of its threads' closed waits, blocked
 * and runnable parts each. The module counts them by aggregate (WALLPROF_HISTOGRAMS). At the
 * end of the window each process has a service, whose sums they are added to.
 *
 * Waits that were open when the recording began were longer than is known: they are left
 * out. So is what was blocked for work, where idle time is.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/agent/agent.h"

/* Further processes of a window are counted as one, which has no service. */
#define MAX_PROCESSES	8192

/* The entry of @pid; pid 0: of those beyond the limit. NULL: no memory. */
static struct wp_agent_hist *find(struct wp_agent_hists *h, __u32 pid)
{
	__u32 nr = wp_idmap_find(&h->map, pid);
	struct wp_agent_hist *more;

	if (nr == WP_IDMAP_NONE && h->nr >= MAX_PROCESSES) {
		pid = 0;
		nr = wp_idmap_find(&h->map, 0);
	}
	if (nr != WP_IDMAP_NONE)
		return &h->hist[nr];
	if (h->nr == h->room) {
		size_t room = h->room ? 2 * h->room : 64;

		more = reallocarray(h->hist, room, sizeof(*more));
		if (!more)
			return NULL;
		h->hist = more;
		h->room = room;
	}
	if (wp_idmap_add(&h->map, pid, &nr) < 0)
		return NULL;
	memset(&h->hist[nr], 0, sizeof(*h->hist));
	h->hist[nr].pid = pid;
	h->nr++;
	return &h->hist[nr];
}

/* A count of the module that may stand for more. */
static __u64 count_full(const __u32 *buckets)
{
	__u64 full = 0;
	unsigned int i;

	for (i = 0; i < WALLPROF_HIST_BUCKETS; i++)
		full += buckets[i] == UINT32_MAX;
	return full;
}

/**
 * wp_agent_hists_add() - add the histogram of an aggregate; called by wp_live_drain()
 * @ctx: the agent
 * @key: what the aggregate is of
 * @comm: name of a kernel thread, or NULL
 * @aggr: the aggregate
 * @hist: its histogram
 *
 * Return: 0 or -ENOMEM.
 */
int wp_agent_hists_add(void *ctx, const struct wp_topkey *key, const char *comm,
		       const struct wallprof_aggr *aggr, const struct wallprof_hist *hist)
{
	struct wp_agent *a = ctx;
	struct wp_agent_hist *to = find(&a->hists, key->tgid);
	struct wp_hist more;

	if (!to)
		return -ENOMEM;
	to->kthread |= !!comm;
	wp_hist_read(&more, hist);
	if (a->no_idle && (key->tgid == a->live.table.self || wp_topkey_idle(key, comm)))
		memset(more.blocked, 0, sizeof(more.blocked));
	else
		to->ns[WP_OTLP_BLOCKED] += aggr->total - aggr->runnable;
	to->ns[WP_OTLP_RUNNABLE] += aggr->runnable;
	wp_hist_add(&to->hist, &more);
	a->sums.saturated += count_full(hist->blocked) + count_full(hist->runnable);
	return 0;
}

static int by_pid(const void *pa, const void *pb)
{
	const __u32 *pid = pa;
	const struct wp_toprow *row = pb;

	return *pid < row->tgid ? -1 : *pid > row->tgid;
}

/* The sums that a process counts for; NULL: no memory. */
static struct wp_agent_sum *sum_of(struct wp_agent *a, const struct wp_agent_hist *from)
{
	const struct wp_toprows *rows = &a->live.table.processes;
	const struct wp_service *service;
	const struct wp_toprow *row = NULL;
	const char *comm;

	if (!from->pid)
		return wp_agent_sum_of(&a->sums, NULL);
	if (rows->nr)
		row = bsearch(&from->pid, rows->row, rows->nr, sizeof(*row), by_pid);
	comm = row ? row->comm : wp_comms_find(&a->live.r.t.comms, from->pid);
	if (row ? row->kthread : from->kthread)
		service = &wp_agent_kernel;
	else
		service = wp_agent_label(&a->labels, from->pid, comm ? comm : "");
	return service ? wp_agent_sum_of(&a->sums, service) : NULL;
}

/**
 * wp_agent_hists_turn() - add a window's histograms to the sums of services
 * @a: the agent, before the sweep of its labels
 *
 * Return: 0 or -ENOMEM.
 */
int wp_agent_hists_turn(struct wp_agent *a)
{
	struct wp_agent_hists *h = &a->hists;
	size_t i;

	for (i = 0; i < h->nr; i++) {
		const struct wp_agent_hist *from = &h->hist[i];
		struct wp_agent_sum *to;

		if (!from->ns[WP_OTLP_BLOCKED] && !from->ns[WP_OTLP_RUNNABLE])
			continue;
		to = sum_of(a, from);
		if (!to)
			return -ENOMEM;
		wp_hist_add(&to->hist, &from->hist);
		to->hist_ns[WP_OTLP_BLOCKED] += from->ns[WP_OTLP_BLOCKED];
		to->hist_ns[WP_OTLP_RUNNABLE] += from->ns[WP_OTLP_RUNNABLE];
	}
	wp_idmap_free(&h->map);
	h->nr = 0;
	return 0;
}

/**
 * wp_agent_hists_free() - free histograms
 * @h: the histograms
 */
void wp_agent_hists_free(struct wp_agent_hists *h)
{
	wp_idmap_free(&h->map);
	free(h->hist);
	memset(h, 0, sizeof(*h));
}
