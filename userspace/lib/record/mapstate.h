/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of mapsync.c, for it and its parts: mapprocs.c, mappublish.c,
 * maprecords.c and mapsnapshot.c. All but what the comments say belongs to its thread.
 */
#ifndef WP_LIB_RECORD_MAPSTATE_H
#define WP_LIB_RECORD_MAPSTATE_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/proc/procmaps.h"
#include "lib/record/codefiles.h"
#include "lib/record/mapopts.h"
#include "lib/record/sideband.h"
#include "lib/record/snapshot.h"
#include "lib/unwind/tablecache.h"

#define WP_MAPPROC_BUCKETS	4096

struct wp_mapproc {
	struct wp_mapproc *next;	/* in its bucket */
	__u32 pid;
	bool dirty;			/* needs to be read again */
	unsigned int busy;		/* last reads at which its memory map was locked */
	bool unsettled;			/* some of its files have no table yet */
	bool again;			/* @map needs to be published again */
	bool due;			/* it was known at the start, and not published since */
	bool denied;			/* no right to have its memory read */
	bool threaded;			/* it has, or had, more than one thread */
	__u64 start_stack;		/* with @map */
	struct wallprof_map *map;	/* published before the session began, or NULL */
	__u32 nr_maps;
	__u64 rest_until;		/* not read before */
	__u64 paid_until;		/* its share of the time is used up until then */
	__u64 published_at;		/* time of the last publication, or 0 */
	__u64 forked;			/* fork time; 0: nothing depends on its parent */
	struct wallprof_interp *interp;	/* its interpreter, or NULL */
	__u64 looked_in;		/* start of the stack when one was looked for */
	size_t looked_at;		/* mappings of files that may have one, then */
	unsigned int looks;		/* how often one that exists was not ready */
	__u64 look_at;			/* time of the next look at that one, or 0 */
	__u64 code_at;			/* time of the next look at the code of its JVM, or 0 */
	__u64 program;			/* start of the stack then */
};

struct wp_mapsync {
	struct wp_mapsync_options opt;
	struct wp_codefiles *files;
	struct wp_tablecache *cache;
	int cache_err;
	struct wp_sideband *sideband;
	struct wp_snapshot *snap;	/* what runs at the start, until published */
	struct wp_mapproc *bucket[WP_MAPPROC_BUCKETS];
	__u64 work[WP_MAPPROC_BUCKETS / 64];	/* bits of buckets: see wp_mapprocs_mark() */
	bool pending;			/* some process may be dirty, or has @again set */
	__u64 next_read;		/* when the first dirty process may be read; ~0: none is */
	bool settled;			/* nothing was unsettled in the last pass */
	__u64 paid_until;		/* the share of all is used up until then */
	struct wp_procmaps text;
	struct wp_procmap *seen;	/* mappings of the current process from /proc, */
	struct wp_codefile **seen_file;	/* and their files */
	size_t nr_seen, room_seen;
	struct wallprof_map *map;	/* mappings of the current process */
	size_t nr_maps, room;
	bool unsettled;
	__u64 looked_ns;		/* time of the search for its interpreter */
	size_t nr_interps;		/* mappings of the current process that may have one */
	size_t nr_jvms;			/* mappings of it that may have a JVM */
	bool started;			/* the module sees forks; set by another thread */
	bool republished;		/* all is to be published again since */
	bool due;			/* a process is, but not yet */
	bool walked;			/* none is any more */
	__u64 records;			/* number of perf's records that were read */
	__u64 taken;			/* of these, that change something */
	struct wp_execwatch *execs;	/* wakes at programs that are executed, or NULL */
	__u64 news;			/* time of the last of these */
	bool lost;
	__u64 mapped_late;		/* time of the earliest late map, or 0 */
	__u64 forked;			/* time of the last fork relying on its parent */
	__u64 asked;			/* time of the last query of @missed */
	__u64 missed;			/* its result */
	__u64 missed_by;		/* time of the last increase of @missed; or 0 */
	__u64 swept;			/* time of the last sweep for ended processes */
	struct pollfd *fds;
	unsigned int max_fds;
	int kick;			/* eventfd: @started or @stop is set */
	int done_fd;			/* eventfd: what ran at the start is published */
	int walked_fd;			/* eventfd: @walked is set */
	int files_fd;			/* eventfd: @nr_files has increased */
	__u64 nr_files;			/* files seen, since the session began */
	bool stop;			/* set by another thread */
	pthread_t thread;
	bool has_thread;
	struct wp_mapsync_stats stats;
};

/* Whether the thread must end. */
static inline bool wp_mapstate_stops(struct wp_mapsync *sync)
{
	return __atomic_load_n(&sync->stop, __ATOMIC_ACQUIRE);
}

#endif /* WP_LIB_RECORD_MAPSTATE_H */
