// SPDX-License-Identifier: GPL-2.0
/*
 * Sums the totals of threads by process: a hash table by process id, which is turned into
 * a sorted list at the end. Successive processes with the same id count as one here.
 * Called by the report command.
 *
 * Pure: no I/O, no clock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/processes.h"

#define MIN_ROOM	1024

/* The entry of a process, or the free slot for it, without threads. */
static struct wp_process *slot(struct wp_process *entry, size_t room, __u32 tgid)
{
	size_t i = tgid * 0x9e3779b1U & (room - 1);

	while (entry[i].threads && entry[i].tgid != tgid)
		i = (i + 1) & (room - 1);
	return &entry[i];
}

static int grow(struct wp_processes *p)
{
	size_t room = p->room ? p->room * 2 : MIN_ROOM, i;
	struct wp_process *entry = calloc(room, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	for (i = 0; i < p->room; i++) {
		if (p->entry[i].threads)
			*slot(entry, room, p->entry[i].tgid) = p->entry[i];
	}
	free(p->entry);
	p->entry = entry;
	p->room = room;
	return 0;
}

/**
 * wp_processes_add() - add a thread to its process
 * @p: all processes, not sorted yet
 * @a: the thread's totals
 *
 * Return: 0 or -ENOMEM.
 */
int wp_processes_add(struct wp_processes *p, const struct wp_totals *a)
{
	struct wp_process *process;

	if (p->nr + 1 > p->room / 2) {
		int err = grow(p);

		if (err)
			return err;
	}
	process = slot(p->entry, p->room, a->tgid);
	if (!process->threads) {
		p->nr++;
		process->tgid = a->tgid;
	}
	if (!*process->comm || (a->tid == a->tgid && *a->comm))
		memcpy(process->comm, a->comm, sizeof(process->comm));
	process->threads++;
	process->wall_ns += wp_totals_wall(a);
	process->run_ns += a->run_ns;
	process->off_ns += a->off_ns;
	process->runnable_ns += a->runnable_ns;
	process->unknown_ns += a->unknown_ns;
	return 0;
}

/* Sort by demand for CPUs, whether it was met or not. */
static int by_wanted(const void *pa, const void *pb)
{
	const struct wp_process *a = pa, *b = pb;
	__u64 wanted_a = a->run_ns + a->runnable_ns, wanted_b = b->run_ns + b->runnable_ns;

	if (wanted_a != wanted_b)
		return wanted_a > wanted_b ? -1 : 1;
	if (a->off_ns != b->off_ns)
		return a->off_ns > b->off_ns ? -1 : 1;
	return a->tgid < b->tgid ? -1 : a->tgid > b->tgid;
}

/**
 * wp_processes_sort() - sort by time on a CPU plus time runnable, longest first
 * @p: all processes; none can be added afterwards
 */
void wp_processes_sort(struct wp_processes *p)
{
	size_t i, nr = 0;

	for (i = 0; i < p->room; i++) {
		if (p->entry[i].threads)
			p->entry[nr++] = p->entry[i];
	}
	if (nr)
		qsort(p->entry, nr, sizeof(*p->entry), by_wanted);
}

/**
 * wp_processes_free() - free the table
 * @p: all processes
 */
void wp_processes_free(struct wp_processes *p)
{
	free(p->entry);
	memset(p, 0, sizeof(*p));
}
