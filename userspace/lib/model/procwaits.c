// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the sums of waits by process, reason and system call, for the ledger of a
 * recording. Called by ledgerspool.c, which writes them, and by their readers: a file is
 * not trusted, so the keys are interned.
 *
 * Pure: no I/O, no clock.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/cause.h"
#include "lib/model/procwaits.h"
#include "lib/model/syscalls.h"

#define FIRST_ROOM	256
#define KEY_SIZE	offsetof(struct wp_procwait, count)

_Static_assert(KEY_SIZE == 8, "the key has no holes");

/**
 * wp_procwaits_add() - add waits to the equal entry
 * @p: the sums, not sorted yet
 * @wait: the waits
 *
 * Return: 0 or -ENOMEM.
 */
int wp_procwaits_add(struct wp_procwaits *p, const struct wp_procwait *wait)
{
	struct wp_procwait *entry;
	__u32 nr;

	if (p->nr == p->room) {
		size_t room = p->room ? p->room * 2 : FIRST_ROOM;

		entry = reallocarray(p->entry, room, sizeof(*entry));
		if (!entry)
			return -ENOMEM;
		p->entry = entry;
		p->room = room;
	}
	/* Threads of a process wait for the same reason, one after the other. */
	nr = p->last;
	if (!nr || memcmp(&p->entry[nr - 1], wait, KEY_SIZE))
		nr = wp_intern(&p->keys, wait, KEY_SIZE, NULL);
	if (!nr)
		return -ENOMEM;
	p->last = nr;
	entry = &p->entry[nr - 1];
	if (nr > p->nr) {
		*entry = *wait;
		p->nr = nr;
		return 0;
	}
	entry->count += wait->count;
	entry->blocked_ns += wait->blocked_ns;
	return 0;
}

/**
 * wp_procwaits_add_wait() - add equal intervals
 * @p: the sums, not sorted yet
 * @wait: the intervals; those without blocked time are left out
 *
 * Return: 0 or -ENOMEM.
 */
int wp_procwaits_add_wait(struct wp_procwaits *p, const struct wp_wait *wait)
{
	const struct wp_cause *c = &wait->cause;
	const struct wp_procwait entry = {
		.tgid = wait->tgid,
		.syscall = c->syscall,
		.reason = c->reason,
		.flags = c->compat && c->syscall != WALLPROF_SYSCALL_NONE ? WP_PROCWAIT_32BIT : 0,
		.count = wait->count,
		.blocked_ns = wait->total - wait->runnable,
	};

	return entry.blocked_ns ? wp_procwaits_add(p, &entry) : 0;
}

/* By process; within one, longest time first. */
static int by_process(const void *pa, const void *pb)
{
	const struct wp_procwait *a = pa, *b = pb;

	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	if (a->blocked_ns != b->blocked_ns)
		return a->blocked_ns > b->blocked_ns ? -1 : 1;
	return memcmp(a, b, KEY_SIZE);
}

/**
 * wp_procwaits_sort() - sort the sums
 * @p: the sums; nothing can be added afterwards
 */
void wp_procwaits_sort(struct wp_procwaits *p)
{
	if (p->nr)
		qsort(p->entry, p->nr, sizeof(*p->entry), by_process);
}

/**
 * wp_procwaits_of() - the waits of a process
 * @p: the sums, sorted
 * @tgid: the process
 * @nr: set to their number
 *
 * Return: the first of them, the one with the longest time.
 */
const struct wp_procwait *wp_procwaits_of(const struct wp_procwaits *p, __u32 tgid, size_t *nr)
{
	size_t from = 0, to = p->nr;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (p->entry[mid].tgid < tgid)
			from = mid + 1;
		else
			to = mid;
	}
	while (to < p->nr && p->entry[to].tgid == tgid)
		to++;
	*nr = to - from;
	return &p->entry[from];
}

/**
 * wp_procwaits_free() - free the sums
 * @p: the sums; empty afterwards
 */
void wp_procwaits_free(struct wp_procwaits *p)
{
	wp_intern_free(&p->keys);
	free(p->entry);
	memset(p, 0, sizeof(*p));
}

/**
 * wp_procwait_name() - name of a wait's reason
 * @wait: the waits
 * @arch: the machine that they were recorded on; see wp_syscall_name_on()
 * @buf: room for it
 * @size: size of @buf; 48 is enough
 *
 * Return: the system call's name, or the reason; "?" if unknown.
 */
const char *wp_procwait_name(const struct wp_procwait *wait, const char *arch, char *buf,
			     size_t size)
{
	bool compat = wait->flags & WP_PROCWAIT_32BIT;
	char name[32];

	if (wait->reason != WALLPROF_REASON_SYSCALL || wait->syscall == WALLPROF_SYSCALL_NONE)
		return wp_reason_name(wait->reason);
	snprintf(buf, size, "%s%s",
		 wp_syscall_name_on(arch, wait->syscall, compat, name, sizeof(name)),
		 compat ? " (32-bit)" : "");
	return buf;
}
