/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tells in perf records what runs already when a session begins: for each
 * thread FORK and COMM, for each process its executable mappings as MMAP2, in
 * perf's own order. Used by the record command after wp_sideband_open(), so that
 * nothing falls in between; what both tell does no harm.
 */
#ifndef WP_LIB_PROC_H
#define WP_LIB_PROC_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/buildid.h"
#include "lib/live.h"
#include "lib/sideband.h"

/**
 * struct wp_synth - where synthesized records go, and what they carry
 * @fn: takes each record
 * @ctx: handed to @fn
 * @id: id of the sideband event on any CPU; 0 works, too
 * @time: time of the records. 0 as perf does: readers handle them at once,
 *	wherever they stand in the file
 * @ids: table that gets each executable mapping; NULL: none
 * @root: instead of /proc, for tests; NULL: /proc
 * @nr_processes: counts processes, added to
 * @nr_threads: counts threads, added to
 * @nr_vanished: counts what ended while it was looked at, added to
 */
struct wp_synth {
	wp_record_fn fn;
	void *ctx;
	__u64 id;
	__u64 time;
	struct wp_buildids *ids;
	const char *root;
	unsigned long nr_processes;
	unsigned long nr_threads;
	unsigned long nr_vanished;
};

int wp_proc_synthesize_all(struct wp_synth *s);
int wp_proc_synthesize_live(struct wp_synth *s, const struct wp_live *live);
int wp_proc_synthesize_pid(struct wp_synth *s, __u32 pid);

#endif /* WP_LIB_PROC_H */
