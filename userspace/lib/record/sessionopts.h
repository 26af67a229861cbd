/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session with the module records.
 */
#ifndef WP_LIB_RECORD_SESSIONOPTS_H
#define WP_LIB_RECORD_SESSIONOPTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/base/cpumask.h"
#include "lib/perfdata/callgraph.h"
#include "lib/perfdata/eventlist.h"
#include "lib/record/target.h"

/**
 * struct wp_switching - when a recording goes on in a new file
 * @on: it does
 * @on_signal: at SIGUSR2
 * @bytes: when the file's data has so many; 0: no matter how many
 * @ns: each time so long has passed; 0: never
 * @max_files: how many files are kept, 0: all
 * @has_names: complete files are named after the time, too
 */
struct wp_switching {
	bool on;
	bool on_signal;
	__u64 bytes;
	__u64 ns;
	int max_files;
	bool has_names;
};

/* 64 ranges. */
#define WP_MAX_TURNS	128

/**
 * struct wp_delay - when a recording is enabled and disabled by itself
 * @at: ns after the command has begun: enabled at the first, disabled at the second, and so
 *	on; in order
 * @nr: how many; if the last one disables it, the recording ends there
 */
struct wp_delay {
	__u64 at[WP_MAX_TURNS];
	unsigned int nr;
};

/**
 * struct wp_record_opts - the options, checked
 * @target: the threads to record
 * @cpus: the CPUs to record on
 * @has_cpus: @cpus was given; else all CPUs
 * @command: the command to run, its arguments, NULL; or NULL
 * @own: the command is the target
 * @later: recording begins after the command: by @delay, or when it is asked to
 * @delay: when it begins, pauses and ends
 * @inherit: record children of targets, too
 * @events: the events that are sampled
 * @freq: samples per second of events that do not ask for another number; 0: @period counts
 * @period: events per sample, if @freq is 0
 * @call_graph: method of user stack walks
 * @kernel: record kernel stacks
 * @max_stack: maximum number of frames
 * @offcpu: record off-CPU time
 * @states: mask of the states to record, 0 for all
 * @reasons: add the reason and the lock to samples of off-CPU time; not with @raw
 * @raw: add all that is known to them
 * @hist: histograms of interval lengths
 * @no_idle: leave out the time in which event loops waited for work
 * @wakers: record the stacks of wakers
 * @waker_ids: record who woke threads, without stacks of wakers
 * @lock_owner: record who holds the locks
 * @python: record the functions of Python
 * @timeline: record every switch and wakeup, too
 * @level: zstd's level to compress the file with, 0 for none
 * @min_ns: the shortest off-CPU interval to record
 * @max_ns: the longest, 0 for any
 * @wait_ns: minimum length of an interval with a sample of its own, 0: none
 * @output: the output file
 * @max_bytes: of the file's data, at which the recording ends; 0: no limit
 * @switching: when it goes on in another file
 * @buildids: read build-ids of mapped files
 * @keep: copy files that no path of ours leads to
 * @verbose: how often -v was given
 * @quiet: -q was given
 * @buffer: bytes per CPU and context, 0: not given
 * @grow_bytes: that tables may grow by, if no size of theirs is given; set by
 *	wp_recording_configure()
 * @aggrs: entries of one half of an aggregate table, 0: not given
 * @stack_words: the same for stacks
 * @exits: the same for ended threads
 * @waits: the same for single intervals
 * @tasks: entries of the task table, 0: not given
 * @ring: records of a CPU's ring of the timeline, 0: not given
 * @interval_ms: the length of an epoch
 * @tables_ms: maximum wait for the unwind tables of what runs, 0: default
 * @realtime: realtime priority of the reader, 0: none
 * @ledger: file for the ledger, or NULL
 * @intervals: file for the intervals, or NULL
 */
struct wp_record_opts {
	struct wp_target target;
	struct wp_cpumask cpus;
	bool has_cpus;
	char **command;
	bool own;
	bool later;
	struct wp_delay delay;
	bool inherit;
	struct wp_event_list events;
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
	bool waker_ids;
	bool lock_owner;
	bool python;
	bool timeline;
	int level;
	__u64 min_ns;
	__u64 max_ns;
	__u64 wait_ns;
	const char *output;
	__u64 max_bytes;
	struct wp_switching switching;
	bool buildids;
	bool keep;
	int verbose;
	bool quiet;
	__u64 buffer;
	__u64 grow_bytes;
	__u32 aggrs;
	__u32 stack_words;
	__u32 exits;
	__u32 waits;
	__u32 tasks;
	__u32 ring;
	unsigned int interval_ms;
	unsigned int tables_ms;
	int realtime;
	const char *ledger;
	const char *intervals;
};

#endif /* WP_LIB_RECORD_SESSIONOPTS_H */
