/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Synthesizes perf records of what already runs when a session begins: for each thread
 * FORK and COMM, for each process its executable mappings as MMAP2, in perf's own order.
 * Used by the record command after wp_sideband_open(), so that there is no gap;
 * duplicates are harmless.
 */
#ifndef WP_LIB_RECORD_SYNTHESIZE_H
#define WP_LIB_RECORD_SYNTHESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/record/sideband.h"
#include "lib/record/snapshot.h"
#include "lib/symbols/buildids.h"

/**
 * struct wp_busy - processes whose mappings could not be read yet
 * @pid: their ids
 * @nr: number of @pid
 * @room: allocated entries
 */
struct wp_busy {
	__u32 *pid;
	size_t nr;
	size_t room;
};

/**
 * struct wp_synth - destination and contents of synthesized records
 * @fn: takes each record
 * @ctx: passed to @fn
 * @id: id of the sideband event on any CPU; 0 works, too
 * @time: time of the records. 0 as perf does: readers process them at once, wherever they
 *	are in the file
 * @ids: table that gets each executable mapping; NULL: none
 * @busy: gets the processes that wp_proc_synthesize_busy() tries again; NULL: none
 * @followed: processes that its filter leaves out are left out; NULL: none
 * @root: instead of /proc, for tests; NULL: /proc
 * @no_maps: leave the mappings out
 * @nr_processes: number of processes, added to
 * @nr_threads: number of threads, added to
 * @nr_vanished: number of threads and processes that ended while being read, added to
 * @nr_busy: number of processes whose memory map was locked, added to
 */
struct wp_synth {
	wp_record_fn fn;
	void *ctx;
	__u64 id;
	__u64 time;
	struct wp_buildids *ids;
	struct wp_busy *busy;
	const struct wp_sideband *followed;
	const char *root;
	bool no_maps;
	unsigned long nr_processes;
	unsigned long nr_threads;
	unsigned long nr_vanished;
	unsigned long nr_busy;
};

int wp_proc_synthesize_all(struct wp_synth *s);
int wp_proc_synthesize_snapshot(struct wp_synth *s, const struct wp_snapshot *snap);
int wp_proc_synthesize_pid(struct wp_synth *s, __u32 pid);
int wp_proc_synthesize_busy(struct wp_synth *s);
void wp_busy_free(struct wp_busy *busy);

#endif /* WP_LIB_RECORD_SYNTHESIZE_H */
