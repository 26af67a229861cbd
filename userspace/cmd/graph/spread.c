// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the distribution of a graph's lines over time slots. A recording has the end of an
 * interval and, for a sum of intervals, over up to a second, the end of the last one. A
 * thread is in one place at a time, so a line is put into its thread's free time before
 * its end: single intervals end up where they were, and sums where there was room for
 * them beside the samples on CPUs. Called by flame.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/graph/graph.h"
#include "lib/base/err.h"

/**
 * struct spread - free time of a thread
 * @g: the graph
 * @free: free ns of the thread in each slot
 * @slots: number of slots
 * @slot_ns: length of a slot
 */
struct spread {
	const struct wp_flame_graph *g;
	double *free;
	__u32 slots;
	double slot_ns;
};

/* Lines with the most certain position come first: single intervals, on-CPU time, sums. */
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

/* By thread and certainty of position; the latest first. */
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

/*
 * On-CPU time is where it was sampled. What exceeds the free time of its slots is
 * dropped.
 */
static void take(struct spread *s, const struct wp_flame_line *l)
{
	double left = s->free[l->slot] - l->value;

	s->free[l->slot] = left > 0 ? left : 0;
}

/**
 * wp_flame_spread() - compute where lines that are time began
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
	/* Without causes a sample does not have its number of intervals. */
	bool counted = wp_profile_has_causes(g->samples->profile);
	size_t nr = 0, i;

	if (!line || !s.free) {
		wp_err("no memory for the flame graph");
		free(line);
		free(s.free);
		return -ENOMEM;
	}
	for (i = 0; i < g->nr; i++) {
		/* Events that are not time take none. */
		if (g->line[i].kind != WP_FLAME_CPU ||
		    (g->line[i].event == g->chosen && !strcmp(g->unit, "ns")))
			line[nr++] = &g->line[i];
	}
	qsort_r(line, nr, sizeof(*line), by_thread, &counted);
	for (i = 0; i < nr; i++) {
		/* Samples of wakers represent the same time once more. */
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
