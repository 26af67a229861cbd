// SPDX-License-Identifier: GPL-2.0
/*
 * Owns in which parts of the time a graph's lines lie. A recording has when an interval
 * ended, and of a sum of them, of up to a second, when the last one did. A thread is in one
 * place at a time, so a line is laid into what its thread has free before its end: single
 * intervals come to lie where they were, and sums where there was room for them beside
 * what was sampled on CPUs. Called by flame.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/graph/graph.h"
#include "lib/base/err.h"

/**
 * struct spread - what lines are laid into
 * @g: the graph
 * @free: ns that a thread has free in each part of the time
 * @slots: how many parts
 * @slot_ns: how long each is
 */
struct spread {
	const struct wp_flame_graph *g;
	double *free;
	__u32 slots;
	double slot_ns;
};

/* Whose place is known best comes first: single intervals, on-CPU time, sums. */
enum order {
	ORDER_SINGLE,
	ORDER_CPU,
	ORDER_SUM,
	ORDER_CHAIN_SINGLE,
	ORDER_CHAIN_SUM,
	ORDER_WAKE,
};

static enum order order_of(const struct wp_flame_line *l, bool counted)
{
	bool single = counted && l->count == 1;

	switch (l->kind) {
	case WP_FLAME_CPU:
		return ORDER_CPU;
	case WP_FLAME_OFF:
		return single ? ORDER_SINGLE : ORDER_SUM;
	case WP_FLAME_CHAIN:
		return single ? ORDER_CHAIN_SINGLE : ORDER_CHAIN_SUM;
	default:
		return ORDER_WAKE;
	}
}

/* By thread and how well its place is known; the latest first. */
static int by_thread(const void *pa, const void *pb, void *ctx)
{
	bool counted = *(bool *)ctx;
	const struct wp_flame_line *a = *(const struct wp_flame_line *const *)pa;
	const struct wp_flame_line *b = *(const struct wp_flame_line *const *)pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (order_of(a, counted) != order_of(b, counted))
		return order_of(a, counted) < order_of(b, counted) ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot > b->slot ? -1 : 1;
	/* Of those that end together, a longer one began earlier. */
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void all_free(struct spread *s)
{
	__u32 i;

	for (i = 0; i < s->slots; i++)
		s->free[i] = s->slot_ns;
}

static void lay(struct spread *s, struct wp_flame_line *l)
{
	double left = l->value;
	__u32 at = l->slot + 1;

	while (at-- && left > 0) {
		double part = s->free[at] < left ? s->free[at] : left;

		if (part <= 0)
			continue;
		s->free[at] -= part;
		left -= part;
		l->begin = at;
	}
}

/* On-CPU time is where it was sampled. What its parts of the time have no room for is lost. */
static void take(struct spread *s, const struct wp_flame_line *l)
{
	double left = s->free[l->slot] - l->value;

	s->free[l->slot] = left > 0 ? left : 0;
}

/**
 * wp_flame_spread() - find out where lines that took time began
 * @g: the graph
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_flame_spread(struct wp_flame_graph *g)
{
	const struct wp_profsum *sum = &g->samples->sum;
	struct wp_flame_line **line = malloc((g->nr + 1) * sizeof(*line)), *last = NULL;
	struct spread s = {
		.g = g, .slots = sum->slots, .free = calloc(sum->slots, sizeof(double)),
		.slot_ns = sum->to > sum->from ? (double)(sum->to - sum->from) / sum->slots : 0,
	};
	/* Without causes a sample does not have how many intervals it stands for. */
	bool counted = wp_profile_tells_causes(g->samples->profile);
	size_t nr = 0, i;

	if (!line || !s.free) {
		wp_err("no memory for the flame graph");
		free(line);
		free(s.free);
		return -ENOMEM;
	}
	for (i = 0; i < g->nr; i++) {
		/* Events that are no time take none. */
		if (g->line[i].kind != WP_FLAME_CPU ||
		    (g->line[i].event == g->chosen && !strcmp(g->unit, "ns")))
			line[nr++] = &g->line[i];
	}
	qsort_r(line, nr, sizeof(*line), by_thread, &counted);
	for (i = 0; i < nr; i++) {
		/* What was woken, and by whom, is the same time in other words. */
		if (!last || last->thread != line[i]->thread ||
		    (last->kind != line[i]->kind && line[i]->kind >= WP_FLAME_WAKE))
			all_free(&s);
		last = line[i];
		if (last->kind == WP_FLAME_CPU)
			take(&s, last);
		else if (last->kind != WP_FLAME_WAKE)
			lay(&s, last);
	}
	free(line);
	free(s.free);
	return 0;
}
