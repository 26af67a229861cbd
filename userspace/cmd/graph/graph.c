// SPDX-License-Identifier: GPL-2.0
/*
 * Owns a recording as a flame graph: merges stacks with common outer frames. Called by
 * flame.c, for flame/html.c and flame/svg.c, and by export/firefox.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/heldlock.h"
#include "cmd/graph/chains.h"
#include "cmd/graph/graph.h"
#include "lib/base/err.h"
#include "lib/perfdata/eventlist.h"

/* The frame of a function, a thread or a reason within another; 0: no memory. */
static __u32 frame(struct wp_flame_graph *g, __u32 parent, enum wp_flame_type type, __u32 nr)
{
	struct wp_flame_item item = { .type = type, .nr = nr };
	struct wp_flame_node node = { .parent = parent };

	node.item = nr ? wp_intern(&g->items, &item, sizeof(item), NULL) : 0;
	return node.item ? wp_intern(&g->nodes, &node, sizeof(node), NULL) : 0;
}

static __u32 named(struct wp_flame_graph *g, __u32 parent, enum wp_flame_type type,
		   const char *name)
{
	return frame(g, parent, type, wp_intern(&g->names, name, strlen(name) + 1, NULL));
}

/* Add the cause of an off-CPU interval as innermost frames. */
static __u32 noted(struct wp_flame_graph *g, __u32 node, const struct wp_profline *l)
{
	const struct wp_profile_cause *c = wp_profile_cause(g->samples->profile, l->cause);
	char name[sizeof(c->reason) + sizeof(c->syscall) + 8];
	char held[sizeof(c->owner_comm) + 32];
	const char *kind;

	if (!l->cause || !c->reason[0])
		return node;
	snprintf(name, sizeof(name), "(%s%s%s)", c->reason, c->syscall[0] ? " " : "",
		 c->syscall);
	node = named(g, node, WP_FLAME_NOTE, name);
	/* The object is a frame of its own, so that a search finds it. */
	if (node && c->object[0] && strcmp(c->object, "-"))
		node = named(g, node, WP_FLAME_NOTE, c->object);
	kind = node ? wp_heldlock(g->samples, l) : NULL;
	if (!kind)
		return node;
	/* Threads of one name are one frame, as they are at the stacks' outer ends. */
	snprintf(held, sizeof(held), "(%s held by %s)", kind,
		 c->owner_comm[0] ? c->owner_comm : "another thread");
	return named(g, node, WP_FLAME_NOTE, held);
}

/* The innermost frame of a line, and whether it is idle; 0: no memory. */
static __u32 frames_of(struct wp_flame_graph *g, const struct wp_profline *l,
		       enum wp_flame_idle *idle)
{
	__u32 node = named(g, 0, WP_FLAME_THREAD, wp_samples_comm(g->samples, l));
	size_t nr, i;
	const __u32 *functions = wp_samples_functions(g->samples, l, &nr);
	bool kthread;

	if (!functions)
		return 0;
	*idle = wp_flame_idle_of(g, l, functions, nr, &kthread);
	g->host |= kthread;
	for (i = 0; i < nr && node; i++) {
		bool kernel = wp_profile_function(g->samples->profile, functions[i])->kernel;

		node = frame(g, node, kernel ? WP_FLAME_KERNEL : WP_FLAME_USER, functions[i]);
	}
	return node && l->kind == WP_PROFILE_OFFCPU ? noted(g, node, l) : node;
}

static bool has_samples(const struct wp_flame_graph *g, __u32 event)
{
	const struct wp_profsum *sum = &g->samples->sum;
	size_t i;

	for (i = 0; i < sum->nr; i++) {
		if (sum->line[i].event == event && sum->line[i].kind != WP_PROFILE_OFFCPU)
			return true;
	}
	return false;
}

/* The events that have samples. */
static int find_events(struct wp_flame_graph *g)
{
	const struct wp_perfevents *events = wp_profile_events(g->samples->profile);
	unsigned int i;

	g->event = calloc(events->nr ? events->nr : 1, sizeof(*g->event));
	if (!g->event)
		return wp_no_memory("the flame graph");
	for (i = 0; i < events->nr; i++) {
		enum wp_profile_kind kind = wp_profile_kind(g->samples->profile, i);
		bool is_time = kind == WP_PROFILE_CPU &&
			       events->event[i].attr.type == PERF_TYPE_SOFTWARE;
		const char *name = events->event[i].name;
		struct wp_flame_event *event = &g->event[g->nr_events];

		if ((kind != WP_PROFILE_CPU && kind != WP_PROFILE_OTHER) || !has_samples(g, i))
			continue;
		event->event = i;
		event->name = name;
		event->unit = is_time ? "ns" : wp_event_field(name, event->field) ?
			      event->field : name;
		g->nr_events++;
	}
	return 0;
}

/* Choose the event of on-CPU time: by name, or the first that is time, or the first one. */
static int choose_event(struct wp_flame_graph *g, const char *name)
{
	__u32 i;

	for (i = 0; i < g->nr_events; i++) {
		if (name ? !strcmp(g->event[i].name, name) : !strcmp(g->event[i].unit, "ns"))
			break;
	}
	if (name && i == g->nr_events) {
		wp_err("%s has no on-CPU samples of the event '%s'; 'wallprof report' lists its events",
		       g->samples->o->input, name);
		return -ENOENT;
	}
	g->chosen = i < g->nr_events ? i : 0;
	if (g->nr_events)
		g->unit = g->event[g->chosen].unit;
	return 0;
}

static __u32 event_of(const struct wp_flame_graph *g, const struct wp_profline *l)
{
	__u32 i = 0;

	while (i < g->nr_events && g->event[i].event != l->event)
		i++;
	return i;
}

static int add_line(struct wp_flame_graph *g, const struct wp_profline *l)
{
	struct wp_flame_line line = {
		.thread = l->thread - 1,
		.slot = l->slot,
		.begin = l->slot,
		.detail = l->kind == WP_PROFILE_OFFCPU ? l->cause : 0,
		.value = l->ns,
		.runnable = l->runnable < l->ns ? l->runnable : l->ns,
		.count = l->count,
	};

	switch (l->kind) {
	case WP_PROFILE_OFFCPU:
		line.kind = WP_FLAME_OFF;
		break;
	case WP_PROFILE_WAKER:
		line.kind = WP_FLAME_WAKE;
		break;
	default:
		line.kind = WP_FLAME_CPU;
		line.event = event_of(g, l);
		if (line.event == g->nr_events)
			return 0;
		if (strcmp(g->event[line.event].unit, "ns"))
			line.value = l->weight;
	}
	if (!line.value)
		return 0;
	line.node = frames_of(g, l, &line.idle);
	if (!line.node)
		return wp_no_memory("the flame graph");
	g->line[g->nr++] = line;
	return 0;
}

/* A waker as a name with a number. */
static const char *waker_name(const struct wp_flame_graph *g, const struct wp_flame_chains *c,
			      const struct wp_flame_chain_key *key, char *buf, size_t size)
{
	const struct wp_profile_thread *t;

	if (!key->waker) {
		const char *kind = key->kind ? wp_intern_bytes(&c->kinds, key->kind, NULL) : NULL;

		snprintf(buf, size, "%s", !kind ? "(no waker was seen)" : !strcmp(kind, "task") ?
			 "(an idle CPU)" : !strcmp(kind, "softirq") ? "(a softirq)" :
			 !strcmp(kind, "hardirq") ? "(an interrupt)" : kind);
		return buf;
	}
	t = wp_profile_thread(g->samples->profile, key->waker);
	snprintf(buf, size, "%s (%d)", t->comm[0] ? t->comm : "?", t->tid);
	return buf;
}

/*
 * Put the waker's frames on those of the blocked thread: the innermost first, the name
 * last.
 */
static __u32 waker_frames(struct wp_flame_graph *g, __u32 node,
			  const struct wp_flame_chain_key *key)
{
	const struct wp_profline waker = { .thread = key->waker, .stack = key->waker_stack };
	const __u32 *functions;
	size_t nr;

	functions = wp_samples_functions(g->samples, &waker, &nr);
	if (!functions)
		return 0;
	while (nr-- && node) {
		bool kernel = wp_profile_function(g->samples->profile, functions[nr])->kernel;

		node = frame(g, node, kernel ? WP_FLAME_KERNEL : WP_FLAME_USER, functions[nr]);
	}
	return node ? named(g, node, WP_FLAME_THREAD, wp_samples_comm(g->samples, &waker)) : 0;
}

static int add_chain(struct wp_flame_graph *g, const struct wp_flame_chains *c, size_t i)
{
	const struct wp_flame_chain_key *key = wp_flame_chain_key(c, i);
	const struct wp_profline off = {
		.kind = WP_PROFILE_OFFCPU, .thread = key->thread, .stack = key->stack,
		.cause = key->cause,
	};
	struct wp_flame_line line = {
		.kind = WP_FLAME_CHAIN, .thread = key->thread - 1, .slot = key->slot,
		.begin = key->slot, .value = c->line[i].blocked, .count = c->line[i].count,
	};
	char name[64];

	waker_name(g, c, key, name, sizeof(name));
	line.detail = wp_intern(&g->wakers, name, strlen(name) + 1, NULL);
	line.node = frames_of(g, &off, &line.idle);
	if (line.node)
		line.node = named(g, line.node, WP_FLAME_NOTE, "-- woken by --");
	if (line.node && key->waker)
		line.node = waker_frames(g, line.node, key);
	else if (line.node)
		line.node = named(g, line.node, WP_FLAME_NOTE, name);
	if (!line.node || !line.detail)
		return wp_no_memory("the flame graph");
	line.detail--;
	g->line[g->nr++] = line;
	return 0;
}

static bool has_other_than_idle(const struct wp_flame_graph *g)
{
	size_t i;

	for (i = 0; i < g->nr; i++) {
		if (!g->line[i].idle)
			return true;
	}
	return false;
}

/**
 * wp_flame_graph() - build a flame graph
 * @g: filled in, to be freed with wp_flame_graph_free(), also after an error
 * @samples: the recording, which must stay valid as long as the graph
 * @event: name of the event to show; NULL: the first that is time, or the first
 * @chains: wakers; NULL: not wanted
 *
 * Return: 0, -ENOMEM, -ENOENT if there is no such event, or -ENODATA if there is nothing
 * to draw; a message was printed.
 */
int wp_flame_graph(struct wp_flame_graph *g, struct wp_samples *samples, const char *event,
		   const struct wp_flame_chains *chains)
{
	size_t nr_chains = chains && chains->known ? chains->nr : 0, i;
	int err;

	*g = (struct wp_flame_graph){ .samples = samples, .unit = "ns" };
	err = find_events(g);
	if (!err)
		err = choose_event(g, event);
	if (!err)
		err = wp_flame_idle_begin(g);
	if (err)
		return err;
	g->line = calloc(samples->sum.nr + nr_chains + 1, sizeof(*g->line));
	if (!g->line)
		return wp_no_memory("the flame graph");
	for (i = 0; i < samples->sum.nr && !err; i++)
		err = add_line(g, &samples->sum.line[i]);
	/* A selection by functions applies to lines, not to chains. */
	for (i = 0; i < nr_chains && !err && !samples->o->functions; i++)
		err = add_chain(g, chains, i);
	g->host = g->host && !samples->o->pids.nr && !samples->o->tids.nr && !samples->o->comm &&
		  has_other_than_idle(g);
	if (!err && !g->nr) {
		if (samples->o->chosen)
			wp_err("%s: no sample is left by --%s%s", samples->o->input,
			       samples->o->chosen, wp_samples_cause_hint(samples));
		else
			wp_err("%s has no samples: there is nothing to show", samples->o->input);
		err = -ENODATA;
	}
	return err;
}

/**
 * wp_flame_has_mode() - whether a mode is available
 * @g: the graph
 * @mode: as for --mode
 *
 * Return: true if it is; time and other events cannot be summed, so "wall" is not
 * available for the latter.
 */
bool wp_flame_has_mode(const struct wp_flame_graph *g, const char *mode)
{
	bool cpu = false, blocked = false, runnable = false, wake = false, chain = false;
	size_t i;

	for (i = 0; i < g->nr; i++) {
		const struct wp_flame_line *l = &g->line[i];

		if (wp_flame_is_other(g, l))
			continue;
		cpu |= l->kind == WP_FLAME_CPU;
		wake |= l->kind == WP_FLAME_WAKE;
		chain |= l->kind == WP_FLAME_CHAIN;
		runnable |= l->kind == WP_FLAME_OFF && l->runnable;
		blocked |= l->kind == WP_FLAME_OFF && l->value > l->runnable;
	}
	if (!strcmp(mode, "wall"))
		return cpu ? !strcmp(g->unit, "ns") : blocked || runnable;
	if (!strcmp(mode, "off"))
		return blocked || runnable;
	if (!strcmp(mode, "offwake"))
		return chain;
	return !strcmp(mode, "cpu") ? cpu : !strcmp(mode, "wake") ? wake :
	       !strcmp(mode, "runnable") ? runnable : blocked;
}

/**
 * wp_flame_item() - get an item
 * @g: the graph
 * @item: its number, from 1 on
 *
 * Return: the item.
 */
const struct wp_flame_item *wp_flame_item(const struct wp_flame_graph *g, __u32 item)
{
	return wp_intern_bytes(&g->items, item, NULL);
}

/**
 * wp_flame_node() - get a frame
 * @g: the graph
 * @node: its number, from 1 on
 *
 * Return: the frame.
 */
const struct wp_flame_node *wp_flame_node(const struct wp_flame_graph *g, __u32 node)
{
	return wp_intern_bytes(&g->nodes, node, NULL);
}

/**
 * wp_flame_name() - name of an item
 * @g: the graph
 * @item: the item
 * @dso: set to its file, or ""
 *
 * Return: the name, unsanitized.
 */
const char *wp_flame_name(const struct wp_flame_graph *g, const struct wp_flame_item *item,
			  const char **dso)
{
	const struct wp_function *f;
	const char *other;

	*dso = "";
	if (item->type >= WP_FLAME_THREAD)
		return wp_intern_bytes(&g->names, item->nr, NULL);
	if (item->nr & WP_FLAME_OTHER) {
		other = wp_intern_bytes(&g->others, item->nr & ~WP_FLAME_OTHER, NULL);
		*dso = other + strlen(other) + 1;
		return other;
	}
	f = wp_profile_function(g->samples->profile, item->nr);
	*dso = f->dso;
	return f->label;
}

/**
 * wp_flame_graph_free() - free a graph
 * @g: the graph
 */
void wp_flame_graph_free(struct wp_flame_graph *g)
{
	wp_intern_free(&g->items);
	wp_intern_free(&g->nodes);
	wp_intern_free(&g->names);
	wp_intern_free(&g->wakers);
	wp_intern_free(&g->others);
	free(g->line);
	free(g->event);
	wp_procwaits_free(&g->waits);
}
