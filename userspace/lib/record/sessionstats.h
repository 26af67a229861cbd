/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of a session.
 */
#ifndef WP_LIB_RECORD_SESSIONSTATS_H
#define WP_LIB_RECORD_SESSIONSTATS_H

#include <linux/types.h>
#include <linux/wallprof.h>
#include <linux/wallprof_interp.h>

#include "lib/device/device.h"
#include "lib/model/comms.h"
#include "lib/model/hist.h"
#include "lib/model/ledger.h"
#include "lib/model/objects.h"
#include "lib/model/waits.h"
#include "lib/record/interpcodes.h"
#include "lib/record/jvmmethods.h"
#include "lib/record/mapsync.h"
#include "lib/record/timeline.h"
#include "lib/symbols/keepfiles.h"

/**
 * struct wp_record_tables - tables that are shown with -v only
 * @ledger: per-thread totals
 * @comms: names of the threads
 * @waits: off-CPU time by reason and by waker, with -v
 * @objects: objects of waits, with -v and --intervals; or NULL
 */
struct wp_record_tables {
	struct wp_ledger ledger;
	struct wp_comms comms;
	struct wp_waits waits;
	struct wp_objects *objects;
};

/**
 * struct wp_event_stats - what is known of an event that was sampled
 * @samples: its samples in the file
 * @cut: of these, those whose records were longer than the module keeps
 * @count: what its counters counted
 */
struct wp_event_stats {
	__u64 samples;
	__u64 cut;
	struct wallprof_count count;
};

/**
 * struct wp_record_stats - statistics
 * @epochs: number of flips
 * @wakeups: number of returns from poll
 * @samples: counter overflows in the file
 * @events: by number of the event
 * @intervals: off-CPU intervals in the file
 * @offcpu_ns: their time
 * @runnable_ns: part of it in which threads were runnable
 * @wakeups_ns: blocked time that ended with a wakeup by another thread; with --wakers
 * @since_start: of @intervals: open when the recording began
 * @single: of @intervals: with a sample of their own
 * @open: of @intervals: open when it ended
 * @spilled: of @intervals: without state and stack
 * @records: sample records in the file
 * @stacks: distinct user stacks, by WALLPROF_AGGR_OFFCPU and _SAMPLE
 * @unknown: stack ids without a stack
 * @filtered: intervals left out by --state and -C
 * @filtered_ns: their time
 * @out_of_range: intervals left out by --min and --max
 * @out_of_range_ns: their time
 * @waits_full: intervals that were aggregated for want of room
 * @lost: losses, by context and reason
 * @idle: intervals that --no-idle shortened
 * @idle_ns: time that it left out
 * @hist: with --hist: of intervals in the file that began and ended during the recording
 * @hists_left_out: parts of it that are in no thread's line of --ledger
 * @sideband_lost: records that perf's rings lost
 * @sideband_bad: records of these that were damaged
 * @late: records that follow later ones in the file, too late for readers to sort
 * @unwinds: walks of user stacks by stop reason
 * @walks_unknown: of them, of processes whose mappings were not known
 * @walks_mixed: by tables, with some frames by frame pointer
 * @walks_slow: by tables, through the slow path
 * @walks_remembered: that found an unchanged stack in the stack cache
 * @walks_asleep: of blocked threads, after more of their process was published
 * @walks_not_resident: of them, that ended at memory that was not resident
 * @switches: switches by how they were recorded, enum wallprof_switch
 * @interps: walks that came to an interpreter, by enum wallprof_interp_reason
 * @rows: names of functions of Python
 * @methods: names of interpreted methods of Java
 * @unwound: off-CPU nanoseconds, and numbers of samples, by the stop reason of their
 *	stack walks; by WALLPROF_AGGR_OFFCPU and _SAMPLE
 * @timeline: with --timeline: statistics of its events
 * @kept: copies of files that no path of ours leads to
 * @mapsync: unwind tables and mappings, if any were published
 * @tables_late: the tables of what ran at the start were not ready in time
 * @busy: processes whose memory map was locked to the end: their mappings are missing
 * @status: the module's final status; after pauses, with the counts of earlier sessions
 * @begun: when the command began
 * @first: when the recording began
 * @start: when it began the last time; 0: it has not
 * @stop: when it ended
 * @recorded_ns: how long it was not disabled
 * @pauses: how often it was disabled before its end
 * @memory: bytes of memory that the module held
 * @bytes: size of the files
 * @files: files that were completed, and named after the time
 */
struct wp_record_stats {
	__u64 epochs;
	__u64 wakeups;
	__u64 samples;
	struct wp_event_stats *events;
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
	__u64 switches[WALLPROF_SWITCH_MAX];
	__u64 interps[WALLPROF_INTERP_MAX];
	struct wp_interpcodes_stats rows;
	struct wp_jvmmethods_stats methods;
	__u64 unwound[2][WALLPROF_UNWIND_MAX];
	struct wp_timeline_stats timeline;
	struct wp_keepfiles_stats kept;
	struct wp_mapsync_stats mapsync;
	bool tables_late;
	__u64 busy;
	struct wallprof_status status;
	__u64 begun;
	__u64 first;
	__u64 start;
	__u64 stop;
	__u64 recorded_ns;
	__u64 pauses;
	__u64 memory;
	__u64 bytes;
	__u64 files;
};

#endif /* WP_LIB_RECORD_SESSIONSTATS_H */
