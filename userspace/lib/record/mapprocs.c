// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the processes that the publisher knows, and which of them are dirty: they have to be
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

static struct wp_mapproc **bucket_of(struct wp_publisher *pub, __u32 pid)
{
	return &pub->bucket[pid % WP_MAPPROC_BUCKETS];
}

/**
 * wp_mapprocs_find() - find a process
 * @pub: the publisher
 * @pid: its pid
 *
 * Return: the process, or NULL.
 */
struct wp_mapproc *wp_mapprocs_find(struct wp_publisher *pub, __u32 pid)
{
	struct wp_mapproc *p;

	for (p = *bucket_of(pub, pid); p && p->pid != pid; p = p->next)
		;
	return p;
}

/**
 * wp_mapprocs_forget() - remove a process
 * @pub: the publisher
 * @pid: its pid, known or not
 */
void wp_mapprocs_forget(struct wp_publisher *pub, __u32 pid)
{
	struct wp_mapproc **at, *p;

	for (at = bucket_of(pub, pid); *at; at = &(*at)->next) {
		if ((*at)->pid == pid) {
			p = *at;
			*at = p->next;
			/* All others may be settled. */
			pub->pending |= p->unsettled;
			free(p->map);
			free(p);
			return;
		}
	}
}

/**
 * wp_mapprocs_find_or_add() - find a process, or add it
 * @pub: the publisher
 * @pid: its pid
 *
 * Return: the process, or NULL without memory.
 */
struct wp_mapproc *wp_mapprocs_find_or_add(struct wp_publisher *pub, __u32 pid)
{
	struct wp_mapproc *p = wp_mapprocs_find(pub, pid);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	p->next = *bucket_of(pub, pid);
	*bucket_of(pub, pid) = p;
	return p;
}

/**
 * wp_mapprocs_set_dirty() - mark a process as dirty
 * @pub: the publisher
 * @p: the process
 */
void wp_mapprocs_set_dirty(struct wp_publisher *pub, struct wp_mapproc *p)
{
	p->dirty = true;
	pub->pending = true;
}

/**
 * wp_mapprocs_touch() - mark a process as dirty that may be unknown
 * @pub: the publisher
 * @pid: its pid
 *
 * If memory runs out, its walks use the fallback.
 */
void wp_mapprocs_touch(struct wp_publisher *pub, __u32 pid)
{
	bool is_new = !wp_mapprocs_find(pub, pid);
	struct wp_mapproc *p = wp_mapprocs_find_or_add(pub, pid);

	if (!p)
		return;
	/* A process whose fork was not seen may have more threads. */
	p->threaded |= is_new;
	wp_mapprocs_set_dirty(pub, p);
}

/**
 * wp_mapprocs_touch_unsettled() - mark the processes as dirty that wait for tables
 * @pub: the publisher
 *
 * A file's table is ready: publish it for the processes that have the file mapped.
 */
void wp_mapprocs_touch_unsettled(struct wp_publisher *pub)
{
	struct wp_mapproc *p;
	unsigned int i;

	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		for (p = pub->bucket[i]; p; p = p->next)
			p->dirty |= p->unsettled;
	}
	pub->pending = true;
}

/**
 * wp_mapprocs_touch_known() - publish all known processes again
 * @pub: the publisher
 *
 * The session has started: threads that are already blocked can now be walked.
 */
void wp_mapprocs_touch_known(struct wp_publisher *pub)
{
	struct wp_mapproc *p;
	unsigned int i;

	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		for (p = pub->bucket[i]; p; p = p->next)
			p->again = true;
	}
	pub->pending = true;
	pub->retold = true;
}

/**
 * wp_mapprocs_touch_all() - mark all processes of the host that are followed as dirty
 * @pub: the publisher
 */
void wp_mapprocs_touch_all(struct wp_publisher *pub)
{
	struct dirent *e;
	DIR *d;

	d = opendir("/proc");
	while (d && (e = readdir(d))) {
		__u32 pid = isdigit((unsigned char)*e->d_name) ? strtoul(e->d_name, NULL, 10) : 0;

		if (pid && wp_sideband_is_wanted(pub->sideband, pid))
			wp_mapprocs_touch(pub, pid);
	}
	if (d)
		closedir(d);
}

/**
 * wp_mapprocs_touch_targets() - mark the processes as dirty that run at the start
 * @pub: the publisher
 */
void wp_mapprocs_touch_targets(struct wp_publisher *pub)
{
	size_t i;

	for (i = 0; i < pub->opt.nr_pids; i++)
		wp_mapprocs_touch(pub, pub->opt.pids[i]);
	if (!pub->opt.pids)
		wp_mapprocs_touch_all(pub);
}

/**
 * wp_mapprocs_touch_forked() - mark children as dirty
 * @pub: the publisher
 * @since: a time
 *
 * Those that were forked at @since or later and have not been published since.
 */
void wp_mapprocs_touch_forked(struct wp_publisher *pub, __u64 since)
{
	struct wp_mapproc *p;
	unsigned int i;

	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		for (p = pub->bucket[i]; p; p = p->next)
			p->dirty |= p->forked >= since && p->forked > p->told;
	}
	pub->pending = true;
}

/**
 * wp_mapprocs_note_thread() - note that a process has more than one thread
 * @pub: the publisher
 * @pid: its pid, known or not
 */
void wp_mapprocs_note_thread(struct wp_publisher *pub, __u32 pid)
{
	struct wp_mapproc *p = wp_mapprocs_find(pub, pid);

	if (p)
		p->threaded = true;
}

/**
 * wp_mapprocs_forget_ended() - now and then, remove processes that have ended
 * @pub: the publisher
 *
 * An exit record can be lost, or be read before the fork record if that is in another
 * CPU's ring: then nothing else removes a process that is not dirty.
 */
void wp_mapprocs_forget_ended(struct wp_publisher *pub)
{
	struct wp_mapproc *p, *next;
	unsigned int i;

	if (wp_clock_now() - pub->swept < SWEEP_NS)
		return;
	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		for (p = pub->bucket[i]; p; p = next) {
			next = p->next;
			if (kill(p->pid, 0) && errno == ESRCH)
				wp_mapprocs_forget(pub, p->pid);
		}
	}
	pub->swept = wp_clock_now();
}
