// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names that a live view gives to the object, the waker and the lock owner of a wait,
 * if these are wanted. The module records ids, of which there are many; a share has names,
 * of which there are few: sums that differ only by ids are one share. Called by live.c.
 *
 * A descriptor is looked up in /proc once in an interval, at its end or earlier, and only so
 * many of them: see lib/model/objects.c.
 */
#include <errno.h>
#include <string.h>

#include "cmd/common/livecauses.h"
#include "lib/model/objects.h"
#include "lib/model/syscalls.h"
#include "lib/model/waitobject.h"
#include "lib/record/sessionopts.h"

/* Kernel threads that differ by their CPU or pool. */
static const char *const pools[] = { "kworker", "ksoftirqd", "migration" };

/**
 * wp_livecauses_begin() - have the module record what is wanted
 * @c: the names
 * @o: options of the session, which is not configured yet
 *
 * Return: 0 or -ENOMEM.
 */
int wp_livecauses_begin(struct wp_livecauses *c, struct wp_record_opts *o)
{
	o->waker_ids = c->wanted[WP_LIVECAUSE_WAKER];
	o->lock_owner = c->wanted[WP_LIVECAUSE_OWNER];
	/* The first argument, by which a descriptor or a lock is known. */
	o->reasons = c->wanted[WP_LIVECAUSE_OBJECT] || c->wanted[WP_LIVECAUSE_OWNER];
	if (!c->wanted[WP_LIVECAUSE_OBJECT])
		return 0;
	c->objects = wp_objects_new(NULL);
	return c->objects ? 0 : -ENOMEM;
}

/**
 * wp_livecauses_record() - learn from a record that a process id was reused
 * @c: the names
 * @rec: any record, complete
 */
void wp_livecauses_record(struct wp_livecauses *c, const struct perf_event_header *rec)
{
	if (c->objects)
		wp_objects_record(c->objects, rec);
}

static int name_object(struct wp_livecauses *c, __u32 tid, __u32 tgid, __u32 exec_id,
		       const struct wp_cause *cause, __u8 *nr)
{
	char class[WP_TOPNAME];
	__u32 object;
	int err;

	/* Locks have names only together with their memory, which would be read for each. */
	if (!c->objects || cause->reason != WALLPROF_REASON_SYSCALL ||
	    wp_syscall_arg(cause->syscall, cause->compat) != WP_ARG_FD)
		return 0;
	err = wp_objects_find(c->objects, tid, tgid, exec_id, cause, &object);
	if (err || !object)
		return err;
	wp_waitobject_class(wp_objects_text(c->objects, object), class, sizeof(class));
	*nr = wp_topnames_number(&c->names[WP_LIVECAUSE_OBJECT], class);
	return 0;
}

static __u8 number_of_thread(struct wp_livecauses *c, enum wp_livecause which, __u32 tid)
{
	struct wp_topnames *names = &c->names[which];
	const char *comm = tid ? c->comm(c->comm_ctx, tid) : NULL;
	unsigned int i;

	if (!comm)
		return wp_topnames_number(names, "[unknown]");
	for (i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
		if (!strncmp(comm, pools[i], strlen(pools[i])) && comm[strlen(pools[i])] == '/')
			comm = pools[i];
	}
	return wp_topnames_number(names, comm);
}

static __u8 number_of_waker(struct wp_livecauses *c, __u8 waker, __u32 tid)
{
	struct wp_topnames *names = &c->names[WP_LIVECAUSE_WAKER];

	switch (waker) {
	case WALLPROF_WAKER_TASK:
		return number_of_thread(c, WP_LIVECAUSE_WAKER, tid);
	case WALLPROF_WAKER_SOFTIRQ:
		return wp_topnames_number(names, "[softirq]");
	case WALLPROF_WAKER_HARDIRQ:
		return wp_topnames_number(names, "[hardirq]");
	default:
		return 0;
	}
}

static void name_owner(struct wp_livecauses *c, __u64 lock_owner, struct wp_topkey *key)
{
	if (!c->wanted[WP_LIVECAUSE_OWNER] || !lock_owner)
		return;
	key->lock = WALLPROF_LOCK_OWNER_LOCK(lock_owner);
	key->owner = number_of_thread(c, WP_LIVECAUSE_OWNER,
				      WALLPROF_LOCK_OWNER_TID(lock_owner));
}

/**
 * wp_livecauses_closed() - the names of waits that have ended
 * @c: the names
 * @aggr: their sum
 * @key: its key, which gets them
 *
 * Return: 0 or -ENOMEM.
 */
int wp_livecauses_closed(struct wp_livecauses *c, const struct wallprof_aggr *aggr,
			 struct wp_topkey *key)
{
	struct wp_cause cause;

	wp_cause_aggr(&cause, aggr);
	if (c->wanted[WP_LIVECAUSE_WAKER])
		key->waker = number_of_waker(c, aggr->waker, aggr->waker_tid);
	name_owner(c, aggr->lock_owner, key);
	return name_object(c, aggr->tid, aggr->tgid, aggr->exec_id, &cause, &key->object);
}

/**
 * wp_livecauses_open() - the names of a wait that goes on
 * @c: the names
 * @task: its thread
 * @runnable: for how long it has been runnable
 * @key: its key, which gets them
 *
 * Return: 0 or -ENOMEM.
 */
int wp_livecauses_open(struct wp_livecauses *c, const struct wallprof_task *task, __u64 runnable,
		       struct wp_topkey *key)
{
	struct wp_cause cause;

	wp_cause_open(&cause, task);
	/* Until it is woken there may be that of an earlier wait. */
	if (c->wanted[WP_LIVECAUSE_WAKER] && runnable && task->woken > task->since)
		key->waker = number_of_waker(c, task->waker, task->waker_tid);
	name_owner(c, task->lock_owner, key);
	return name_object(c, task->tid, task->tgid, task->exec_id, &cause, &key->object);
}

/* Its texts are kept for good, and an agent's recording has no end. */
static int renew_objects(struct wp_livecauses *c)
{
	struct wp_objects *more;

	if (!c->objects)
		return 0;
	wp_objects_end_round(c->objects);
	if (!wp_objects_full(c->objects))
		return 0;
	more = wp_objects_new(NULL);
	if (!more)
		return -ENOMEM;
	wp_objects_free(c->objects);
	c->objects = more;
	return 0;
}

/**
 * wp_livecauses_turn() - an interval has ended
 * @c: the names
 *
 * Return: 0 or -ENOMEM.
 */
int wp_livecauses_turn(struct wp_livecauses *c)
{
	unsigned int i;

	for (i = 0; i < WP_LIVECAUSES; i++) {
		if (c->wanted[i])
			wp_topnames_turn(&c->names[i]);
	}
	return renew_objects(c);
}

/**
 * wp_livecauses_end() - free all that was allocated
 * @c: the names, in any state
 */
void wp_livecauses_end(struct wp_livecauses *c)
{
	wp_objects_free(c->objects);
	c->objects = NULL;
}
