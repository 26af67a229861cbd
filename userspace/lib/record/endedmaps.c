// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the executable mappings of processes that were forked, or executed a program, since
 * the last clear, from records of the sideband. Called by live views: what is in /proc is
 * better, but a process may be gone when its stacks are looked at.
 *
 * A process that was forked and executed nothing has the mappings of its parent.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/perfdata/mmaprecord.h"
#include "lib/record/endedmaps.h"

/* Mappings at most; of further ones there are no names. */
#define MAX_MAPS	65536

/* No mapping: an end of a list. */
#define NONE		(~(__u32)0)

/**
 * struct wp_endedmap - a mapping
 * @map: what it is; its name is allocated
 * @next: number of the one before it of the same process, or NONE
 */
struct wp_endedmap {
	struct wp_procmap map;
	__u32 next;
};

/**
 * struct wp_endedprocess - a process
 * @parent: its parent, if it was forked and has executed no program since; or 0
 * @whole: it was forked, or executed a program, since the last clear
 * @last: number of its newest mapping, or NONE
 */
struct wp_endedprocess {
	__u32 parent;
	bool whole;
	__u32 last;
};

/* Common part of records of a fork, a name and a mapping. */
struct task_record {
	struct perf_event_header header;
	__u32 pid, other;
};

static struct wp_endedprocess *add_process(struct wp_endedmaps *e, __u32 pid)
{
	__u32 nr;
	int ret = wp_idmap_add(&e->pids, pid, &nr);

	if (ret < 0)
		return NULL;
	if (nr >= e->room) {
		size_t room = e->room ? 2 * e->room : 64;
		struct wp_endedprocess *more = reallocarray(e->process, room, sizeof(*more));

		if (!more)
			return NULL;
		e->process = more;
		e->room = room;
	}
	if (ret)
		e->process[nr] = (struct wp_endedprocess){ .last = NONE };
	return &e->process[nr];
}

static int add_map(struct wp_endedmaps *e, const struct wp_mmap2_record *rec)
{
	const size_t size = rec->header.size;
	struct wp_endedprocess *process;
	struct wp_endedmap *more;
	char *name;

	/* A build-id stands where the file's numbers are, without which it is not found. */
	if (size <= sizeof(*rec) || !(rec->prot & PROT_EXEC) || e->nr == MAX_MAPS ||
	    rec->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		return 0;
	process = add_process(e, rec->pid);
	name = process ? strndup(rec->filename, size - sizeof(*rec)) : NULL;
	if (!name)
		return -ENOMEM;
	if (e->nr == e->map_room) {
		size_t room = e->map_room ? 2 * e->map_room : 256;

		more = reallocarray(e->map, room, sizeof(*more));
		if (!more) {
			free(name);
			return -ENOMEM;
		}
		e->map = more;
		e->map_room = room;
	}
	e->map[e->nr] = (struct wp_endedmap){
		.map = {
			.start = rec->start, .end = rec->start + rec->len, .pgoff = rec->pgoff,
			.ino = rec->ino, .maj = rec->maj, .min = rec->min, .prot = rec->prot,
			.flags = rec->flags, .name = name,
		},
		.next = process->last,
	};
	process->last = e->nr++;
	return 0;
}

/**
 * wp_endedmaps_record() - take over what a record says
 * @e: the mappings
 * @rec: any record of the sideband; only its size has been checked
 *
 * Return: 0 or -ENOMEM.
 */
int wp_endedmaps_record(struct wp_endedmaps *e, const struct perf_event_header *rec)
{
	const struct task_record *task = (const void *)rec;
	bool execs = rec->type == PERF_RECORD_COMM && rec->misc & PERF_RECORD_MISC_COMM_EXEC;
	struct wp_endedprocess *process;

	if (rec->size < sizeof(*task))
		return 0;
	if (rec->type == PERF_RECORD_MMAP2)
		return add_map(e, (const void *)rec);
	if (!execs && (rec->type != PERF_RECORD_FORK || task->pid == task->other))
		return 0;
	process = add_process(e, task->pid);
	if (!process)
		return -ENOMEM;
	process->parent = execs ? 0 : task->other;
	process->whole = true;
	process->last = NONE;
	return 0;
}

/**
 * wp_endedmaps_each() - the mappings of a process
 * @e: the mappings
 * @pid: the process
 * @fn: called for each, with no directory (-1), the newest first; returns 0 or a negative
 *	errno, which ends it
 * @ctx: passed to it
 * @parent: set to the process that has the others; 0: there are no others, or those of before
 *	the last clear
 * @whole: set to whether it has none of before the last clear
 *
 * Return: 0, or what @fn returned.
 */
int wp_endedmaps_each(const struct wp_endedmaps *e, __u32 pid, wp_procmap_fn fn, void *ctx,
		      __u32 *parent, bool *whole)
{
	__u32 nr = wp_idmap_find(&e->pids, pid), at;
	int err = 0;

	*parent = 0;
	*whole = false;
	if (nr == WP_IDMAP_NONE)
		return 0;
	*parent = e->process[nr].parent;
	*whole = e->process[nr].whole;
	for (at = e->process[nr].last; at != NONE && !err; at = e->map[at].next)
		err = fn(ctx, -1, &e->map[at].map);
	return err;
}

/**
 * wp_endedmaps_clear() - forget all
 * @e: the mappings
 */
void wp_endedmaps_clear(struct wp_endedmaps *e)
{
	while (e->nr)
		free(e->map[--e->nr].map.name);
	wp_idmap_free(&e->pids);
}

/**
 * wp_endedmaps_free() - forget all, and free the memory
 * @e: the mappings
 */
void wp_endedmaps_free(struct wp_endedmaps *e)
{
	wp_endedmaps_clear(e);
	free(e->map);
	free(e->process);
	memset(e, 0, sizeof(*e));
}
