// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the processes that mapsync.c knows, and which of them are dirty: they have to be
 * read and published again. Called by the other parts of mapsync.c, in its thread.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/record/mapprocs.h"

#define NSEC_PER_MSEC	1000000ULL

/* Interval between sweeps for processes whose exit record was lost. */
#define SWEEP_NS	(10000 * NSEC_PER_MSEC)

static struct wp_mapproc **bucket_of(struct wp_mapsync *sync, __u32 pid)
{
	return &sync->bucket[pid % WP_MAPPROC_BUCKETS];
}

/**
 * wp_mapprocs_find() - find a process
 * @sync: the state of mapsync.c
 * @pid: its pid
 *
 * Return: the process, or NULL.
 */
struct wp_mapproc *wp_mapprocs_find(struct wp_mapsync *sync, __u32 pid)
{
	struct wp_mapproc *p;

	for (p = *bucket_of(sync, pid); p && p->pid != pid; p = p->next)
		;
	return p;
}

/**
 * wp_mapprocs_forget() - remove a process
 * @sync: the state of mapsync.c
 * @pid: its pid, known or not
 */
void wp_mapprocs_forget(struct wp_mapsync *sync, __u32 pid)
{
	struct wp_mapproc **at, *p;

	for (at = bucket_of(sync, pid); *at; at = &(*at)->next) {
		if ((*at)->pid == pid) {
			p = *at;
			*at = p->next;
			/* All others may be settled. */
			sync->pending |= p->unsettled || p->dirty;
			if (sync->opt.interps)
				wp_interps_forget(sync->opt.interps, pid);
			if (sync->opt.jvms)
				wp_jvms_forget(sync->opt.jvms, pid);
			free(p->interp);
			free(p->map);
			free(p);
			return;
		}
	}
}

/**
 * wp_mapprocs_find_or_add() - find a process, or add it
 * @sync: the state of mapsync.c
 * @pid: its pid
 *
 * Return: the process, or NULL without memory.
 */
struct wp_mapproc *wp_mapprocs_find_or_add(struct wp_mapsync *sync, __u32 pid)
{
	struct wp_mapproc *p = wp_mapprocs_find(sync, pid);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	p->next = *bucket_of(sync, pid);
	*bucket_of(sync, pid) = p;
	return p;
}

/**
 * wp_mapprocs_mark() - have a process looked at in the next pass
 * @sync: the state of mapsync.c
 * @p: the process, which is dirty, unsettled, has to be published again, or has @look_at or
 *	@code_at set
 *
 * A pass looks at nothing else: with each program that starts there are several, and thousands
 * of processes that do nothing.
 */
void wp_mapprocs_mark(struct wp_mapsync *sync, const struct wp_mapproc *p)
{
	unsigned int i = p->pid % WP_MAPPROC_BUCKETS;

	sync->work[i / 64] |= 1ULL << i % 64;
}

/**
 * wp_mapprocs_next() - the next bucket with processes that were marked, in a pass
 * @sync: the state of mapsync.c
 * @i: the first bucket that may be it
 *
 * Its mark is removed.
 *
 * Return: the bucket, or WP_MAPPROC_BUCKETS: there is none.
 */
unsigned int wp_mapprocs_next(struct wp_mapsync *sync, unsigned int i)
{
	for (; i < WP_MAPPROC_BUCKETS; i = (i / 64 + 1) * 64) {
		__u64 rest = sync->work[i / 64] >> i % 64;

		if (!rest)
			continue;
		i += __builtin_ctzll(rest);
		sync->work[i / 64] &= ~(1ULL << i % 64);
		break;
	}
	return i;
}

/**
 * wp_mapprocs_set_dirty() - mark a process as dirty
 * @sync: the state of mapsync.c
 * @p: the process
 */
void wp_mapprocs_set_dirty(struct wp_mapsync *sync, struct wp_mapproc *p)
{
	p->dirty = true;
	wp_mapprocs_mark(sync, p);
	sync->pending = true;
}

/**
 * wp_mapprocs_touch() - mark a process as dirty that may be unknown
 * @sync: the state of mapsync.c
 * @pid: its pid
 *
 * If memory runs out, its walks use the fallback.
 */
void wp_mapprocs_touch(struct wp_mapsync *sync, __u32 pid)
{
	bool is_new = !wp_mapprocs_find(sync, pid);
	struct wp_mapproc *p = wp_mapprocs_find_or_add(sync, pid);

	if (!p)
		return;
	/* A process whose fork was not seen may have more threads. */
	p->threaded |= is_new;
	wp_mapprocs_set_dirty(sync, p);
}

/**
 * wp_mapprocs_touch_unsettled() - mark the processes as dirty that wait for tables
 * @sync: the state of mapsync.c
 *
 * A file's table is ready: publish it for the processes that have the file mapped.
 */
void wp_mapprocs_touch_unsettled(struct wp_mapsync *sync)
{
	struct wp_mapproc *p;
	unsigned int i;

	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		for (p = sync->bucket[i]; p; p = p->next) {
			if (p->unsettled)
				wp_mapprocs_set_dirty(sync, p);
		}
	}
	sync->pending = true;
}

/**
 * wp_mapprocs_touch_known() - publish all known processes again
 * @sync: the state of mapsync.c
 *
 * The session has started: threads that are already blocked can now be walked.
 */
void wp_mapprocs_touch_known(struct wp_mapsync *sync)
{
	struct wp_mapproc *p;
	unsigned int i;

	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		for (p = sync->bucket[i]; p; p = p->next) {
			p->again = true;
			wp_mapprocs_mark(sync, p);
		}
	}
	sync->pending = true;
	sync->republished = true;
}

/**
 * wp_mapprocs_touch_all() - mark all processes of the host that are followed as dirty
 * @sync: the state of mapsync.c
 */
void wp_mapprocs_touch_all(struct wp_mapsync *sync)
{
	struct dirent *e;
	DIR *d;

	d = opendir("/proc");
	while (d && (e = readdir(d))) {
		__u32 pid = isdigit((unsigned char)*e->d_name) ? strtoul(e->d_name, NULL, 10) : 0;

		if (pid && wp_sideband_is_wanted(sync->sideband, pid))
			wp_mapprocs_touch(sync, pid);
	}
	if (d)
		closedir(d);
}

/**
 * wp_mapprocs_touch_targets() - mark the processes as dirty that run at the start
 * @sync: the state of mapsync.c
 */
void wp_mapprocs_touch_targets(struct wp_mapsync *sync)
{
	size_t i;

	for (i = 0; i < sync->opt.nr_pids; i++)
		wp_mapprocs_touch(sync, sync->opt.pids[i]);
	if (!sync->opt.pids)
		wp_mapprocs_touch_all(sync);
}

/**
 * wp_mapprocs_touch_forked() - mark children as dirty
 * @sync: the state of mapsync.c
 * @since: a time
 *
 * Those that were forked at @since or later and have not been published since.
 */
void wp_mapprocs_touch_forked(struct wp_mapsync *sync, __u64 since)
{
	struct wp_mapproc *p;
	unsigned int i;

	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		for (p = sync->bucket[i]; p; p = p->next) {
			if (p->forked >= since && p->forked > p->published_at)
				wp_mapprocs_set_dirty(sync, p);
		}
	}
	sync->pending = true;
}

/**
 * wp_mapprocs_note_thread() - note that a process has more than one thread
 * @sync: the state of mapsync.c
 * @pid: its pid, known or not
 */
void wp_mapprocs_note_thread(struct wp_mapsync *sync, __u32 pid)
{
	struct wp_mapproc *p = wp_mapprocs_find(sync, pid);

	if (p)
		p->threaded = true;
}

/**
 * wp_mapprocs_forget_ended() - now and then, remove processes that have ended
 * @sync: the state of mapsync.c
 *
 * An exit record can be lost, or be read before the fork record if that is in another
 * CPU's ring: then nothing else removes a process that is not dirty.
 */
void wp_mapprocs_forget_ended(struct wp_mapsync *sync)
{
	struct wp_mapproc *p, *next;
	unsigned int i;

	if (wp_clock_now() - sync->swept < SWEEP_NS)
		return;
	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		for (p = sync->bucket[i]; p; p = next) {
			next = p->next;
			if (kill(p->pid, 0) && errno == ESRCH)
				wp_mapprocs_forget(sync, p->pid);
		}
	}
	sync->swept = wp_clock_now();
}
