/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session with the module is to record.
 */
#ifndef WP_LIB_RECORD_SESSIONOPTS_H
#define WP_LIB_RECORD_SESSIONOPTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/base/cpumask.h"
#include "lib/perfdata/events.h"
#include "lib/record/target.h"

/**
 * enum wp_call_graph - how user stacks are found
 * @WP_CALL_GRAPH_AUTO: by unwind tables; where there are none, by frame pointer
 * @WP_CALL_GRAPH_CFI: by unwind tables
 * @WP_CALL_GRAPH_FP: by frame pointer
 * @WP_CALL_GRAPH_NONE: not at all: just the innermost address
 */
enum wp_call_graph {
	WP_CALL_GRAPH_AUTO,
	WP_CALL_GRAPH_CFI,
	WP_CALL_GRAPH_FP,
	WP_CALL_GRAPH_NONE,
};

/**
 * struct wp_record_opts - the options, checked
 * @target: whom to record
 * @cpus: on which CPUs
 * @has_cpus: @cpus was given; if not, all
 * @command: the command to run, its arguments, NULL; or NULL
 * @own: the command is the target
 * @inherit: what targets fork is recorded too
 * @event: of the on-CPU samples
 * @event_given: it is not the default
 * @freq: samples per second, 0: @period counts
 * @period: events per sample, if @freq is 0
 * @call_graph: how user stacks are found
 * @kernel: record kernel stacks
 * @max_stack: frames of each
 * @offcpu: record off-CPU time
 * @states: mask of the states to record, 0 for all
 * @reasons: give samples of off-CPU time what they were at, and locks; not with @raw
 * @raw: give them all that is known
 * @hist: count intervals by their lengths
 * @no_idle: leave out the time in which loops waited for their next work
 * @wakers: record where wakers were
 * @timeline: record every switch and wakeup, too
 * @level: zstd's level to compress the file with, 0 for none
 * @min_ns: the shortest off-CPU interval to record
 * @max_ns: the longest, 0 for any
 * @wait_ns: from which length on each is a sample of its own, 0: none is
 * @output: the file
 * @buildids: look for build-ids in the files that were mapped
 * @keep: copy files to which no path of ours leads
 * @verbose: how often -v was given
 * @quiet: -q was given
 * @buffer: bytes per CPU and context, 0: not given
 * @aggrs: entries of one half of an aggregate table, 0: not given
 * @stack_words: the same of stacks
 * @exits: the same of ended threads
 * @waits: the same of single intervals
 * @tasks: entries of the task table, 0: not given
 * @ring: records of a CPU's ring of the timeline, 0: not given
 * @interval_ms: the length of an epoch
 * @tables_ms: how long the unwind tables of what runs are waited for, 0: as usual
 * @ledger: file for the ledger, or NULL
 * @intervals: file for the intervals, or NULL
 */
struct wp_record_opts {
	struct wp_target target;
	struct wp_cpumask cpus;
	bool has_cpus;
	char **command;
	bool own;
	bool inherit;
	struct wp_event event;
	bool event_given;
	__u64 freq;
	__u64 period;
	enum wp_call_graph call_graph;
	bool kernel;
	unsigned int max_stack;
	bool offcpu;
	__u32 states;
	bool reasons;
	bool raw;
	bool hist;
	bool no_idle;
	bool wakers;
	bool timeline;
	int level;
	__u64 min_ns;
	__u64 max_ns;
	__u64 wait_ns;
	const char *output;
	bool buildids;
	bool keep;
	int verbose;
	bool quiet;
	__u64 buffer;
	__u32 aggrs;
	__u32 stack_words;
	__u32 exits;
	__u32 waits;
	__u32 tasks;
	__u32 ring;
	unsigned int interval_ms;
	unsigned int tables_ms;
	const char *ledger;
	const char *intervals;
};

#endif /* WP_LIB_RECORD_SESSIONOPTS_H */
