/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the record command share: its options, and what it counts.
 */
#ifndef WP_CMD_RECORD_H
#define WP_CMD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/comms.h"
#include "lib/cpumask.h"
#include "lib/device.h"
#include "lib/events.h"
#include "lib/hist.h"
#include "lib/keepfiles.h"
#include "lib/ledger.h"
#include "lib/objects.h"
#include "lib/publish.h"
#include "lib/target.h"
#include "lib/timeline.h"
#include "lib/waits.h"

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

/**
 * struct wp_record_tables - what is told with -v only
 * @ledger: accounts of all threads
 * @comms: names of the threads
 * @waits: off-CPU time by reason and by waker, with -v
 * @objects: what was waited for, with -v and --intervals; or NULL
 */
struct wp_record_tables {
	struct wp_ledger ledger;
	struct wp_comms comms;
	struct wp_waits waits;
	struct wp_objects *objects;
};

/**
 * struct wp_record_stats - what happened
 * @epochs: flips
 * @wakeups: times that poll returned
 * @samples: overflows of the counter in the file
 * @intervals: off-CPU intervals in the file
 * @offcpu_ns: their time
 * @runnable_ns: part of it in which the threads were runnable
 * @wakeups_ns: how long threads were blocked that others woke; with --wakers
 * @since_start: of @intervals: open when the recording began
 * @single: of @intervals: each a sample of its own
 * @open: of @intervals: open when it ended
 * @spilled: of @intervals: without state and stack
 * @records: sample records in the file
 * @stacks: distinct user stacks, by WALLPROF_AGGR_OFFCPU and _SAMPLE
 * @unknown: stack ids that stood for nothing
 * @filtered: intervals left out by --state and -C
 * @filtered_ns: their time
 * @out_of_range: intervals left out by --min and --max
 * @out_of_range_ns: their time
 * @waits_full: intervals that were summed for want of room
 * @lost: losses, by context and reason
 * @idle: intervals of which --no-idle left time out
 * @idle_ns: that time
 * @hist: with --hist: of intervals in the file that began and ended meanwhile
 * @hists_left_out: parts of it that stand in no account of --ledger
 * @sideband_lost: records that perf's rings lost
 * @sideband_bad: records of these that were damaged
 * @late: records that stand in the file behind later ones, too far for readers
 * @unwinds: walks of user stacks by the reason of their end
 * @walks_unknown: of them, of processes whose mappings were not known
 * @walks_mixed: by tables, and for some frames by frame pointer
 * @walks_slow: by tables, in their slow form
 * @walks_remembered: that found the stack unchanged
 * @walks_asleep: of sleeping threads, when more was known of their process
 * @walks_not_resident: of them, that ended at memory that was not resident
 * @unwound: off-CPU nanoseconds, and numbers of samples, by the reason why the
 *	walks of their stacks ended; by WALLPROF_AGGR_OFFCPU and _SAMPLE
 * @timeline: with --timeline: its events
 * @kept: copies of files to which no path of ours leads
 * @publisher: unwind tables and mappings, if the module was told of any
 * @busy: processes whose memory map was locked up to the end: they have no mappings
 * @status: the module's last word
 * @begun: when the command did
 * @start: when the recording began
 * @stop: when it ended
 * @memory: bytes that the module held
 * @bytes: size of the file
 */
struct wp_record_stats {
	__u64 epochs;
	__u64 wakeups;
	__u64 samples;
	__u64 intervals;
	__u64 offcpu_ns;
	__u64 runnable_ns;
	__u64 wakeups_ns;
	__u64 since_start;
	__u64 single;
	__u64 open;
	__u64 spilled;
	__u64 records;
	__u64 stacks[2];
	__u64 unknown;
	__u64 filtered;
	__u64 filtered_ns;
	__u64 out_of_range;
	__u64 out_of_range_ns;
	struct wallprof_lost waits_full;
	struct wallprof_lost lost[WP_CONTEXTS][WALLPROF_LOSS_MAX];
	__u64 idle;
	__u64 idle_ns;
	struct wp_hist hist;
	__u64 hists_left_out;
	__u64 sideband_lost;
	__u64 sideband_bad;
	__u64 late;
	__u64 unwinds[WALLPROF_UNWIND_MAX];
	__u64 walks_unknown;
	__u64 walks_mixed;
	__u64 walks_slow;
	__u64 walks_remembered;
	__u64 walks_asleep;
	__u64 walks_not_resident;
	__u64 unwound[2][WALLPROF_UNWIND_MAX];
	struct wp_timeline_stats timeline;
	struct wp_keepfiles_stats kept;
	struct wp_publisher_stats publisher;
	__u64 busy;
	struct wallprof_status status;
	__u64 begun;
	__u64 start;
	__u64 stop;
	__u64 memory;
	__u64 bytes;
};

int wp_record_options(struct wp_record_opts *o, int argc, char **argv);
void wp_record_options_free(struct wp_record_opts *o);
void wp_record_summary(const struct wp_record_opts *o, const struct wp_record_stats *s,
		       struct wp_record_tables *t);

int cmd_record(int argc, char **argv);

#endif /* WP_CMD_RECORD_H */
