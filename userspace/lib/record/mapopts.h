/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What mapsync.c is called with, and its statistics.
 */
#ifndef WP_LIB_RECORD_MAPOPTS_H
#define WP_LIB_RECORD_MAPOPTS_H

#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/record/codefiles.h"
#include "lib/record/interps.h"
#include "lib/record/jvms.h"

/**
 * struct wp_mapsync_options - callbacks and processes
 * @push: takes a table: struct wp_codefiles_options
 * @push_code: the same, of a table of generated code, which nobody needs when it has changed
 * @maps: takes a process's mappings, and its interpreter or NULL; returns 0 or a negative
 *	errno
 * @missed: returns the number of children that did not inherit their parents' mappings
 *	because the module had no room. All four are called from other threads
 * @ctx: passed to them
 * @pids: the processes, followed with what they fork; NULL: all of the host
 * @nr_pids: number of @pids
 * @interps: interpreters that are looked for; NULL: none
 * @jvms: JVMs that are looked for; NULL: none
 * @sideband: opened with @followed, and closed after mapsync.c ends: its rings are read, too.
 *	NULL: others, which cost each thread that is born or ends as much again
 */
struct wp_mapsync_options {
	int (*push)(void *ctx, const void *table, size_t size, __u32 *id);
	int (*push_code)(void *ctx, const void *table, size_t size, __u32 *id);
	int (*maps)(void *ctx, __u32 pid, __u64 start_stack,
		    const struct wallprof_map *maps, __u32 nr,
		    const struct wallprof_interp *interp);
	__u64 (*missed)(void *ctx);
	void *ctx;
	const __u32 *pids;
	size_t nr_pids;
	struct wp_interps *interps;
	struct wp_jvms *jvms;
	struct wp_sideband *sideband;
};

/**
 * struct wp_mapsync_stats - statistics
 * @files: statistics of files and tables
 * @published: number of publications of a process's mappings
 * @denied: processes whose mappings we may not read or publish: not ours, and
 *	CAP_SYS_PTRACE is missing
 * @refused: number of refusals by the module for other reasons
 * @error: errno of the last refusal
 * @rescans: number of scans of all processes after perf's records were lost
 * @ns: time that it took, without that of @files
 * @unkept: tables were built, and could not be kept on disk; a warning was printed
 */
struct wp_mapsync_stats {
	struct wp_codefiles_stats files;
	__u64 published;
	__u64 denied;
	__u64 refused;
	int error;
	__u64 rescans;
	__u64 ns;
	bool unkept;
};

#endif /* WP_LIB_RECORD_MAPOPTS_H */
