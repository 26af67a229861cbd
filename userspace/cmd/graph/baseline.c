// SPDX-License-Identifier: GPL-2.0
/*
 * Adds the frames and lines of another recording, the baseline, to a flame graph, so that
 * a page shows the difference: equal names are equal frames. Called by flame.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/graph/graph.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"

/**
 * struct adding - adding of a baseline
 * @g: the graph
 * @from: the baseline
 * @key: buffer for a name with its type and file
 * @keys: those of the functions of @g
 * @function: their numbers in the graph's items, by the numbers of @keys, less 1
 * @item: numbers of the items in @g, by those in @from
 * @node: the same for frames
 * @event: the same for events; ~0: @g does not have it
 */
struct adding {
	struct wp_flame_graph *g;
	const struct wp_flame_graph *from;
	struct wp_buf key;
	struct wp_intern keys;
	__u32 *function;
	__u32 *item;
	__u32 *node;
	__u32 *event;
};

static int make_key(struct adding *a, const struct wp_flame_graph *g,
		    const struct wp_flame_item *item)
{
	const char *dso, *name = wp_flame_name(g, item, &dso);

	a->key.len = 0;
	wp_buf_u32(&a->key, item->type);
	wp_buf_add(&a->key, name, strlen(name) + 1);
	wp_buf_add(&a->key, dso, strlen(dso) + 1);
	return a->key.failed;
}

/* Names of the graph's own functions. Of several with one name, the first one counts. */
static int list_functions(struct adding *a)
{
	bool is_new;
	__u32 i;

	for (i = 1; i <= a->g->items.nr; i++) {
		const struct wp_flame_item *item = wp_flame_item(a->g, i);
		__u32 nr;

		if (item->type >= WP_FLAME_THREAD)
			continue;
		if (make_key(a, a->g, item))
			return -ENOMEM;
		nr = wp_intern(&a->keys, a->key.data, a->key.len, &is_new);
		if (!nr)
			return -ENOMEM;
		if (is_new)
			a->function[nr - 1] = i;
	}
	return 0;
}

/* The item of the graph with the name of the baseline's; 0: no memory. */
static __u32 item_of(struct adding *a, const struct wp_flame_item *was)
{
	struct wp_flame_item item = { .type = was->type };
	const char *dso, *name = wp_flame_name(a->from, was, &dso);
	__u32 known;

	if (item.type >= WP_FLAME_THREAD) {
		item.nr = wp_intern(&a->g->names, name, strlen(name) + 1, NULL);
		return item.nr ? wp_intern(&a->g->items, &item, sizeof(item), NULL) : 0;
	}
	if (make_key(a, a->from, was))
		return 0;
	known = wp_intern_find(&a->keys, a->key.data, a->key.len);
	if (known)
		return a->function[known - 1];
	/* Without the type: the item has that. */
	item.nr = wp_intern(&a->g->others, a->key.data + sizeof(__u32),
			    a->key.len - sizeof(__u32), NULL);
	if (!item.nr || item.nr & WP_FLAME_OTHER)
		return 0;
	item.nr |= WP_FLAME_OTHER;
	return wp_intern(&a->g->items, &item, sizeof(item), NULL);
}

static int add_frames(struct adding *a)
{
	__u32 i;

	for (i = 1; i <= a->from->items.nr; i++) {
		a->item[i] = item_of(a, wp_flame_item(a->from, i));
		if (!a->item[i])
			return -ENOMEM;
	}
	/* Outer frames have lower numbers. */
	for (i = 1; i <= a->from->nodes.nr; i++) {
		const struct wp_flame_node *was = wp_flame_node(a->from, i);
		struct wp_flame_node node = {
			.parent = a->node[was->parent], .item = a->item[was->item],
		};

		a->node[i] = wp_intern(&a->g->nodes, &node, sizeof(node), NULL);
		if (!a->node[i])
			return -ENOMEM;
	}
	return 0;
}

/* Match events by name and unit; on-CPU time of any clock is the same. */
static void match_events(struct adding *a)
{
	__u32 i, k;

	for (i = 0; i < a->from->nr_events; i++) {
		const struct wp_flame_event *was = &a->from->event[i];
		bool is_time = !strcmp(was->unit, "ns");

		a->event[i] = ~0U;
		for (k = 0; k < a->g->nr_events && a->event[i] == ~0U; k++) {
			const struct wp_flame_event *event = &a->g->event[k];

			if (is_time ? !strcmp(event->unit, "ns") :
			    !strcmp(event->name, was->name))
				a->event[i] = k;
		}
		if (a->event[i] == ~0U)
			wp_warn("%s has no samples of %s: they are left out",
				a->g->samples->o->input, was->name);
	}
}

static int add_lines(struct adding *a)
{
	size_t i, nr = a->g->nr + a->from->nr;
	void *more = reallocarray(a->g->line, nr + 1, sizeof(*a->g->line));

	if (!more)
		return -ENOMEM;
	a->g->line = more;
	for (i = 0; i < a->from->nr; i++) {
		struct wp_flame_line line = a->from->line[i];

		if (line.kind == WP_FLAME_CPU) {
			line.event = a->event[line.event];
			if (line.event == ~0U)
				continue;
		}
		line.baseline = true;
		line.node = a->node[line.node];
		line.thread += wp_profile_threads(a->g->samples->profile);
		line.detail = 0;
		a->g->line[a->g->nr++] = line;
	}
	return 0;
}

/**
 * wp_flame_add_baseline() - add another recording, to show the difference
 * @g: the graph; lines of the baseline are marked, their threads are behind its own
 * @baseline: the other one, which must stay valid as long as the graph
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_flame_add_baseline(struct wp_flame_graph *g, const struct wp_flame_graph *baseline)
{
	struct adding a = {
		.g = g, .from = baseline,
		.function = calloc(g->items.nr + 1, sizeof(*a.function)),
		.item = calloc(baseline->items.nr + 1, sizeof(*a.item)),
		.node = calloc(baseline->nodes.nr + 1, sizeof(*a.node)),
		.event = calloc(baseline->nr_events + 1, sizeof(*a.event)),
	};
	int err = a.function && a.item && a.node && a.event ? 0 : -ENOMEM;

	if (!err)
		err = list_functions(&a);
	if (!err)
		err = add_frames(&a);
	if (!err) {
		match_events(&a);
		err = add_lines(&a);
	}
	g->baseline = baseline;
	g->host |= baseline->host;
	free(a.function);
	free(a.item);
	free(a.node);
	free(a.event);
	wp_buf_free(&a.key);
	wp_intern_free(&a.keys);
	return err ? wp_no_memory("the flame graph") : 0;
}
