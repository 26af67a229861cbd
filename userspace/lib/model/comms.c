// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of threads, read from COMM and FORK records on their way into the file.
 * A name outlives its thread, as the ledger needs it then: until the second sweep after
 * the exit, or until the next thread with that id overwrites it. Called by the record
 * command, from timeline.c and from sidelog.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/comms.h"

#define MIN_ROOM	1024

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[];
};

struct fork_record {
	struct perf_event_header header;
	__u32 pid, ppid;
	__u32 tid, ptid;
};

static struct wp_comm *slot(struct wp_comm *entry, size_t room, __u32 tid)
{
	size_t i = tid * 0x9e3779b1U & (room - 1);

	while (entry[i].tid && entry[i].tid != tid)
		i = (i + 1) & (room - 1);
	return &entry[i];
}

static int grow(struct wp_comms *c)
{
	size_t room = c->room ? c->room * 2 : MIN_ROOM, i;
	struct wp_comm *entry = calloc(room, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	for (i = 0; i < c->room; i++) {
		if (c->entry[i].tid)
			*slot(entry, room, c->entry[i].tid) = c->entry[i];
	}
	free(c->entry);
	c->entry = entry;
	c->room = room;
	return 0;
}

static int set(struct wp_comms *c, __u32 pid, __u32 tid, const char *name, size_t len)
{
	char copy[WP_COMM_LEN] = "";
	struct wp_comm *entry;

	if (!tid)
		return 0;
	memcpy(copy, name, len < sizeof(copy) ? len : sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = 0;
	if (c->nr + 1 > c->room / 2) {
		int err = grow(c);

		if (err)
			return err;
	}
	entry = slot(c->entry, c->room, tid);
	if (!entry->tid)
		c->nr++;
	entry->tid = tid;
	entry->pid = pid;
	entry->ended = false;
	memcpy(entry->name, copy, sizeof(copy));
	return 0;
}

/* Note that a thread has ended, unless its id is reused by the next sweep. */
static int end(struct wp_comms *c, __u32 tid)
{
	struct wp_comm *entry;

	if (!c->room || !tid)
		return 0;
	entry = slot(c->entry, c->room, tid);
	if (!entry->tid)
		return 0;
	if (c->nr_ended == c->ended_room) {
		size_t room = c->ended_room ? c->ended_room * 2 : MIN_ROOM;
		__u32 *ended = reallocarray(c->ended, room, sizeof(*ended));

		if (!ended)
			return -ENOMEM;
		c->ended = ended;
		c->ended_room = room;
	}
	entry->ended = true;
	c->ended[c->nr_ended++] = tid;
	return 0;
}

/**
 * wp_comms_record() - update the names from a record
 * @c: the names
 * @rec: any record, complete
 *
 * Return: 0 or -ENOMEM.
 */
int wp_comms_record(struct wp_comms *c, const struct perf_event_header *rec)
{
	if (rec->type == PERF_RECORD_COMM && rec->size > sizeof(struct comm_record)) {
		const struct comm_record *r = (const void *)rec;
		size_t room = rec->size - sizeof(*r);

		return set(c, r->pid, r->tid, r->comm, strnlen(r->comm, room));
	}
	if (rec->type == PERF_RECORD_FORK && rec->size >= sizeof(struct fork_record)) {
		const struct fork_record *r = (const void *)rec;
		const char *name = wp_comms_find(c, r->ptid);

		return name ? set(c, r->pid, r->tid, name, strlen(name)) : 0;
	}
	if (rec->type == PERF_RECORD_EXIT && rec->size >= sizeof(struct fork_record))
		return end(c, ((const struct fork_record *)rec)->tid);
	return 0;
}

/**
 * wp_comms_find() - a thread's name
 * @c: the names
 * @tid: the thread
 *
 * Return: the name, or NULL.
 */
const char *wp_comms_find(const struct wp_comms *c, __u32 tid)
{
	const struct wp_comm *entry;

	if (!c->room || !tid)
		return NULL;
	entry = slot(c->entry, c->room, tid);
	return entry->tid ? entry->name : NULL;
}

static void forget(struct wp_comms *c, struct wp_comm *entry)
{
	size_t mask = c->room - 1, hole, i;

	c->nr--;
	/* Move entries that collided with the removed one closer to their own slots. */
	for (hole = i = entry - c->entry;;) {
		size_t home;

		i = (i + 1) & mask;
		if (!c->entry[i].tid)
			break;
		home = c->entry[i].tid * 0x9e3779b1U & mask;
		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		c->entry[hole] = c->entry[i];
		hole = i;
	}
	c->entry[hole].tid = 0;
}

/**
 * wp_comms_sweep() - drop the threads that ended before the last sweep
 * @c: the names
 *
 * A thread's final totals come with its exit record, or in the next round.
 */
void wp_comms_sweep(struct wp_comms *c)
{
	size_t i;

	for (i = 0; i < c->nr_old; i++) {
		struct wp_comm *entry = slot(c->entry, c->room, c->ended[i]);

		if (entry->tid && entry->ended)
			forget(c, entry);
	}
	c->nr_ended -= c->nr_old;
	if (c->nr_ended)
		memmove(c->ended, c->ended + c->nr_old,
			c->nr_ended * sizeof(*c->ended));
	c->nr_old = c->nr_ended;
}

/**
 * wp_comms_free() - free all names
 * @c: the names
 */
void wp_comms_free(struct wp_comms *c)
{
	free(c->entry);
	free(c->ended);
	memset(c, 0, sizeof(*c));
}
