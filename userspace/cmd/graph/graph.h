/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording as a flame graph: frames of merged stacks, and the time spent there, by
 * thread and time slot. See graph/graph.c.
 */
#ifndef WP_CMD_GRAPH_GRAPH_H
#define WP_CMD_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "cmd/common/samples.h"
#include "lib/base/intern.h"
#include "lib/model/procwaits.h"
#include "lib/perfdata/eventlist.h"

struct wp_flame_chains;

/**
 * enum wp_flame_type - type of a frame
 * @WP_FLAME_USER: a function of a program
 * @WP_FLAME_KERNEL: a function of the kernel
 * @WP_FLAME_THREAD: the name of a thread, the outermost frame
 * @WP_FLAME_NOTE: the cause of off-CPU time, the innermost frame, if it is recorded
 */
enum wp_flame_type {
	WP_FLAME_USER,
	WP_FLAME_KERNEL,
	WP_FLAME_THREAD,
	WP_FLAME_NOTE,
};

/**
 * enum wp_flame_kind - kinds of time
 * @WP_FLAME_CPU: on a CPU
 * @WP_FLAME_OFF: off CPU
 * @WP_FLAME_WAKE: of a waker: blocked time of the threads that it woke
 * @WP_FLAME_CHAIN: blocked, with the waker's stack on top, upside down
 */
enum wp_flame_kind {
	WP_FLAME_CPU,
	WP_FLAME_OFF,
	WP_FLAME_WAKE,
	WP_FLAME_CHAIN,
	WP_FLAME_KINDS,
};

/**
 * enum wp_flame_idle - kind of idle time of a line
 * @WP_FLAME_BUSY: not idle
 * @WP_FLAME_IDLE_KERNEL: a kernel thread waits for work
 * @WP_FLAME_IDLE_LOOP: a program's event loop waits for any event
 * @WP_FLAME_IDLE_CPU: a CPU has no thread to run
 * @WP_FLAME_IDLE_OWN: wallprof waits
 */
enum wp_flame_idle {
	WP_FLAME_BUSY,
	WP_FLAME_IDLE_KERNEL,
	WP_FLAME_IDLE_LOOP,
	WP_FLAME_IDLE_CPU,
	WP_FLAME_IDLE_OWN,
};

/**
 * struct wp_flame_item - contents of a frame
 * @type: enum wp_flame_type
 * @nr: number of the function, or of the string in @names; or WP_FLAME_OTHER and the
 *	number of a function that only the baseline has
 */
struct wp_flame_item {
	__u32 type;
	__u32 nr;
};

#define WP_FLAME_OTHER	(1U << 31)

/**
 * struct wp_flame_node - a frame: a position in merged stacks
 * @parent: number of the outer one; 0: there is none
 * @item: number of its item
 */
struct wp_flame_node {
	__u32 parent;
	__u32 item;
};

/**
 * struct wp_flame_event - an event that was counted on CPUs
 * @event: its number in the recording
 * @name: its name
 * @unit: unit of its values: "ns", @field, or its name
 * @field: the field that they are sums of
 */
struct wp_flame_event {
	__u32 event;
	const char *name;
	const char *unit;
	char field[WP_EVENT_FIELD];
};

/**
 * struct wp_flame_line - time or events in a frame
 * @kind: enum wp_flame_kind
 * @event: for CPU: number in @event of the graph
 * @node: the innermost frame; 0: without a stack
 * @thread: number of wp_profile_thread(), less 1
 * @slot: time slot in which it ended
 * @begin: slot in which it began, or may have: for a sum the time is between the two
 * @value: ns, or events if its event is not time
 * @runnable: for OFF: the runnable part
 * @count: number of samples, or of intervals
 * @detail: for OFF its wp_profile_cause(), or 0; for CHAIN the waker: index in @wakers
 * @baseline: it is of the baseline
 * @idle: kind of idle time: for OFF of the part that is not runnable
 */
struct wp_flame_line {
	enum wp_flame_kind kind;
	enum wp_flame_idle idle;
	bool baseline;
	__u32 event;
	__u32 node;
	__u32 thread;
	__u32 slot;
	__u32 begin;
	__u32 detail;
	__u64 value;
	__u64 runnable;
	__u64 count;
};

/**
 * struct wp_flame_graph - the graph
 * @samples: the recording
 * @items: struct wp_flame_item, by their numbers
 * @nodes: struct wp_flame_node; an outer one has a lower number
 * @names: names of threads and of reasons
 * @wakers: names of wakers
 * @others: names and files of functions that only the baseline has
 * @baseline: the graph of another recording whose lines were added, or NULL
 * @line: the lines
 * @nr: number of lines
 * @event: the events that have samples
 * @nr_events: their number
 * @chosen: the event that is shown, or shown first
 * @unit: unit of its values, as its event has it
 * @waits: waits in the ledger
 * @host: there are lines of kernel threads that were not selected explicitly: it is a
 *	recording of a whole host
 */
struct wp_flame_graph {
	struct wp_samples *samples;
	struct wp_intern items;
	struct wp_intern nodes;
	struct wp_intern names;
	struct wp_intern wakers;
	struct wp_intern others;
	const struct wp_flame_graph *baseline;
	struct wp_flame_line *line;
	size_t nr;
	struct wp_flame_event *event;
	__u32 nr_events;
	__u32 chosen;
	const char *unit;
	struct wp_procwaits waits;
	bool host;
};

/* Whether a line belongs to another event. */
static inline bool wp_flame_is_other(const struct wp_flame_graph *g,
				     const struct wp_flame_line *l)
{
	return l->kind == WP_FLAME_CPU && l->event != g->chosen;
}

int wp_flame_graph(struct wp_flame_graph *g, struct wp_samples *samples, const char *event,
		   const struct wp_flame_chains *chains);
int wp_flame_add_baseline(struct wp_flame_graph *g, const struct wp_flame_graph *baseline);
int wp_flame_spread(struct wp_flame_graph *g);
bool wp_flame_has_mode(const struct wp_flame_graph *g, const char *mode);
const struct wp_flame_item *wp_flame_item(const struct wp_flame_graph *g, __u32 item);
const struct wp_flame_node *wp_flame_node(const struct wp_flame_graph *g, __u32 node);
const char *wp_flame_name(const struct wp_flame_graph *g, const struct wp_flame_item *item,
			  const char **dso);
int wp_flame_idle_begin(struct wp_flame_graph *g);
enum wp_flame_idle wp_flame_idle_of(const struct wp_flame_graph *g, const struct wp_profline *l,
				    const __u32 *functions, size_t nr, bool *kthread);
void wp_flame_graph_free(struct wp_flame_graph *g);

#endif /* WP_CMD_GRAPH_GRAPH_H */
