/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session of the reader with the module, for the commands record, top and stacks.
 * sessionsetup.c sets it up, sessiondrain.c reads the recorded data, sessionsamples.c
 * writes the samples, sessiontimeline.c the timeline; sessionswitch.c goes on in another
 * file, sessionpause.c after a pause.
 */
#ifndef WP_LIB_RECORD_SESSION_H
#define WP_LIB_RECORD_SESSION_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/base/outfile.h"
#include "lib/device/device.h"
#include "lib/model/hist.h"
#include "lib/model/merge.h"
#include "lib/model/stacks.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/batch.h"
#include "lib/record/blocked.h"
#include "lib/record/interprows.h"
#include "lib/record/ledgerspool.h"
#include "lib/record/sessionopts.h"
#include "lib/record/sessionstats.h"
#include "lib/record/sideband.h"
#include "lib/record/snapshot.h"
#include "lib/record/synthesize.h"
#include "lib/record/timeline.h"
#include "lib/record/tracerecords.h"
#include "lib/symbols/buildids.h"
#include "lib/symbols/keepfiles.h"

/**
 * struct wp_recording - a recording
 * @o: its options
 * @argc: the whole command line, for the file's header
 * @argv: the same
 * @s: statistics
 * @dev: session with the module
 * @pd: the output file
 * @batch: records that wait to be written to it
 * @next: while the file is switched, records of the next one; else NULL
 * @pausing: the session ends, and another one follows
 * @notes_forks: no session follows forks: sessionpause.c does
 * @forked: it found one of a target
 * @follows: since when a session follows them again
 * @sideband: perf's events of processes
 * @mapsync: publishes mappings and unwind tables to the module, or NULL
 * @snap: snapshot of what runs at the start, until it is in the file, or NULL
 * @busy: processes whose mappings could not be read yet
 * @ids: build-ids of mapped files
 * @keep: copies of files; or NULL
 * @begun: there is something to keep
 * @interps: interpreters of processes, or NULL
 * @codes: their functions, or NULL
 * @methods: interpreted methods of JVMs, or NULL
 * @rows: names of both in the file, or NULL
 * @names: the files that have them, once there are any
 * @names_id: their build-ids; empty: the output needs none so far
 * @stacks: all stacks
 * @merge: samples of the epoch
 * @causes: the same in more detail, for --intervals
 * @blocked: threads already blocked at the start, for -R and --intervals
 * @t: per-thread totals, names, and objects of waits
 * @locks: kinds of memory of locks, without -R; or NULL
 * @timeline: every switch and wakeup, with --timeline, or NULL
 * @thread_hists: with --hist and --ledger, of threads whose totals are not written yet
 * @flushed: time at which the file was last complete
 * @locks_looked: time of the last look at the locks that threads wait for
 * @id_zero: id in the file of the thread with id 0
 * @oncpu: index of the on-CPU event in the file
 * @offcpu: of the off-CPU event
 * @runnable: of the part of it in which threads were runnable
 * @wakeup: of the part of it that other threads ended, with --wakers
 * @switches: of the timeline's first event, with --timeline
 * @side: of the sideband event
 * @spool: ledger, for the end of the file
 * @ledger_file: --ledger, or NULL
 * @intervals_file: --intervals, or NULL
 * @ledger: the output of @ledger_file
 * @intervals: that of @intervals_file
 */
struct wp_recording {
	struct wp_record_opts o;
	int argc;
	char **argv;
	struct wp_record_stats s;
	struct wp_device dev;
	struct wp_perfdata *pd;
	struct wp_batch *batch;
	struct wp_batch *next;
	bool pausing;
	bool notes_forks;
	bool forked;
	__u64 follows;
	struct wp_sideband *sideband;
	struct wp_mapsync *mapsync;
	struct wp_snapshot *snap;
	struct wp_busy busy;
	struct wp_buildids *ids;
	struct wp_keepfiles *keep;
	struct wp_interps *interps;
	struct wp_jvms *jvms;
	struct wp_interpcodes *codes;
	struct wp_jvmmethods *methods;
	struct wp_interprows *rows;
	struct wp_dso *names[WP_INTERPROWS_KINDS];
	struct wp_buildid names_id[WP_INTERPROWS_KINDS];
	bool begun;
	struct wp_stacks stacks;
	struct wp_merge merge;
	struct wp_merge causes;
	struct wp_blocked blocked;
	struct wp_record_tables t;
	struct wp_objects *locks;
	struct wp_timeline *timeline;
	struct wp_tracerecords records;
	struct wp_hist_table thread_hists;
	__u64 flushed;
	__u64 locks_looked;
	__u32 id_zero;
	unsigned int oncpu;
	unsigned int offcpu;
	unsigned int runnable;
	unsigned int wakeup;
	unsigned int switches;
	unsigned int side;
	struct wp_ledgerspool spool;
	struct wp_outfile ledger;
	struct wp_outfile intervals;
	FILE *ledger_file;
	FILE *intervals_file;
};

/* Whether processes are followed for the sake of their unwind tables, too. */
static inline bool wp_recording_has_tables(const struct wp_recording *r)
{
	return r->o.call_graph == WP_CALL_GRAPH_AUTO || r->o.call_graph == WP_CALL_GRAPH_CFI;
}

bool wp_recording_wants_causes(const struct wp_record_opts *o);
bool wp_recording_chains(const struct wp_record_opts *o);
const char *wp_recording_one_part(const struct wp_record_opts *o);
int wp_recording_configure(struct wp_recording *r);
int wp_recording_open_output(struct wp_recording *r);
int wp_recording_open_file(struct wp_recording *r);
int wp_recording_open_sideband(struct wp_recording *r);
int wp_recording_look(struct wp_recording *r);
int wp_recording_open_mapsync(struct wp_recording *r, wp_snapshot_fn fn, void *ctx);
int wp_recording_write_snapshot(struct wp_recording *r);
int wp_recording_write_busy(struct wp_recording *r);

int wp_recording_open_timeline(struct wp_recording *r, struct wp_perfdata_event *events,
			       unsigned int first, unsigned int *nr);
int wp_recording_begin_timeline(struct wp_recording *r);
int wp_recording_drain_timeline(struct wp_recording *r, __u64 *upto, bool last);

int wp_recording_begin_switch(struct wp_recording *r);
int wp_recording_end_file(struct wp_recording *r);
int wp_recording_open_next(struct wp_recording *r);
int wp_recording_list_targets(struct wp_recording *r);
int wp_recording_note_fork(struct wp_recording *r, const struct perf_event_header *rec,
			   __u64 time);
int wp_recording_pause(struct wp_recording *r);
bool wp_recording_lost_targets(struct wp_recording *r);

int wp_recording_open_interps(struct wp_recording *r, bool file);
void wp_recording_close_interps(struct wp_recording *r);
int wp_recording_interpret(struct wp_recording *r, struct wp_perfdata_sample *sample,
			   __u64 ips[WALLPROF_MAX_STACK]);
void wp_recording_look_at_functions(struct wp_recording *r);
void wp_recording_interp_stats(struct wp_recording *r);
void wp_recording_keep_names(struct wp_recording *r);
void wp_recording_keep_code(struct wp_recording *r);

int wp_recording_add_record(void *ctx, const struct perf_event_header *rec, __u64 time);
int wp_recording_add_stacks(struct wp_recording *r, __u32 epoch);
int wp_recording_prune_stacks(struct wp_recording *r);
int wp_recording_write_samples(struct wp_recording *r, __u64 upto);
int wp_recording_drain_sideband(struct wp_recording *r);
int wp_recording_settle_sideband(struct wp_recording *r);
int wp_recording_drain_names(struct wp_recording *r, bool last);
int wp_recording_drain(struct wp_recording *r, bool last);
int wp_recording_add_status(struct wp_recording *r);

#endif /* WP_LIB_RECORD_SESSION_H */
