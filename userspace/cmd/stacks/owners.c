// SPDX-License-Identifier: GPL-2.0
/*
 * Who holds the locks that threads wait for, and which of them wait for each other.
 *
 * The lock's memory is read while the thread waits (wp_now_read_lock()), and interpreted
 * when its stack is known (wp_now_find_owner()). Called by stacks.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stacks/stacks.h"
#include "lib/base/clock.h"
#include "lib/base/since.h"
#include "lib/base/text.h"
#include "lib/device/device.h"
#include "lib/model/lockcycles.h"
#include "lib/model/objects.h"
#include "lib/model/stacks.h"
#include "lib/model/syscalls.h"
#include "lib/proc/procstack.h"
#include "lib/profile/waitwhere.h"
#include "lib/symbols/livenames.h"

/* Frames of a user stack that are looked at for the kind of lock. */
#define MAX_FRAMES	8
/* Locks of a chain that are printed. */
#define MAX_CHAIN	8

static bool in_futex(volatile const struct wallprof_task *task)
{
	return (task->phase == WALLPROF_TASK_OFF || task->phase == WALLPROF_TASK_UNSEEN) &&
	       task->reason == WALLPROF_REASON_SYSCALL &&
	       wp_syscall_arg(task->syscall, task->flags & WALLPROF_TASK_32BIT) == WP_ARG_FUTEX;
}

/**
 * wp_now_read_lock() - read the lock that a thread waits for
 * @dev: the session, running
 * @slot: the thread's slot
 * @before: @since is set; the lock is set if it can be read
 */
void wp_now_read_lock(const struct wp_device *dev, __u32 slot, struct wp_now_before *before)
{
	volatile const struct wallprof_task *task = wp_device_task(dev, slot);
	struct wallprof_read read = {
		.pid = task->tgid,
		.tid = task->tid,
		.since = before->since,
		.address = task->arg,
		.data = (uintptr_t)before->lock.word,
		.bytes = sizeof(before->lock.word),
	};
	__u64 time = wp_clock_now();

	if (!in_futex(task) || task->flags & WALLPROF_TASK_32BIT)
		return;
	/* Its wait may be another one than the slot had, but is one of the same interval. */
	if (wp_device_read(dev, &read) || read.arg != read.address ||
	    wp_syscall_arg(read.syscall, false) != WP_ARG_FUTEX) {
		before->lock = (struct wp_lockwait){ 0 };
		return;
	}
	before->lock.op = read.arg2;
	before->lock.value = read.arg3;
	before->lock.timed = read.arg4;
	before->lock_time = time;
}

/**
 * wp_now_wait_kind() - the kind of wait in a futex, by the stack
 * @all: all threads
 * @t: a thread
 * @kind: set as by wp_waitwhere_kind()
 * @local: set to whether the innermost function is one of glibc, without a name
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_wait_kind(const struct wp_now_threads *all, const struct wp_now_thread *t,
		     const char **kind, bool *local)
{
	unsigned int kernel = t->kernel ? t->kernel->nr : t->proc ? t->proc->nr : 0, i;
	const struct wp_function *stack[MAX_FRAMES];
	struct wp_function function[MAX_FRAMES];
	struct wp_livename name;
	bool found;
	int err;

	*local = false;
	for (i = 0; i < MAX_FRAMES; i++) {
		err = wp_now_frame(all, t, kernel + i, &name, &found);
		if (err)
			return err;
		if (!found)
			break;
		function[i] = (struct wp_function){ .name = name.name };
		stack[i] = &function[i];
		if (!i)
			*local = !name.name && name.file && wp_lockowner_is_libc(name.file);
	}
	*kind = wp_waitwhere_kind(stack, i);
	return 0;
}

/**
 * wp_now_find_owner() - find who holds the lock that a thread waits for
 * @all: all threads
 * @t: the thread, without @gil; @lock and @owner are set if the owner is known
 * @before: the lock, read in the same wait
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_find_owner(struct wp_now_threads *all, struct wp_now_thread *t,
		      const struct wp_now_before *before)
{
	const struct wp_lockwait *w = &before->lock;
	enum wallprof_lock lock;
	const char *kind;
	int shared;
	__u32 owner;
	bool local;
	int err;

	if (t->now != WP_NOW_BLOCKED || !before->lock_time || t->gil)
		return 0;
	lock = wallprof_lock_owner(w->op, w->value, w->word, &owner, &shared);
	if (!lock)
		return 0;
	err = wp_now_wait_kind(all, t, &kind, &local);
	if (!err)
		kind = wp_lockowner_kind(lock, kind, local);
	if (err || !kind)
		return err;
	t->owner = wp_nspids_find(&all->nspids, t->tgid, owner, shared);
	t->owner_time = before->lock_time;
	t->lock_timed = w->timed;
	t->lock = t->owner ? kind : NULL;
	/* A thread's directory has itself as a thread, too. */
	wp_now_read_comm(t->owner, t->owner, t->owner_comm);
	return 0;
}

static int by_tid(const void *pa, const void *pb)
{
	const struct wp_now_thread *a = *(struct wp_now_thread *const *)pa;
	const struct wp_now_thread *b = *(struct wp_now_thread *const *)pb;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* The owner of the lock that a thread waits for; NULL: none, or it is not among @all. */
static const struct wp_now_thread *owner_of(const struct wp_now_threads *all,
					    const struct wp_now_thread *t)
{
	const struct wp_now_thread want = { .tid = t->owner }, *key = &want;
	const struct wp_now_thread **found;

	if (!t->lock || !t->owner)
		return NULL;
	found = bsearch(&key, all->by_tid, all->nr, sizeof(*all->by_tid), by_tid);
	return found ? *found : NULL;
}

/*
 * Whether the owner of a thread's lock was blocked already when that was read. Then it
 * still holds the lock: it has not run since.
 */
static bool holds(const struct wp_now_threads *all, const struct wp_now_thread *t,
		  const struct wp_now_thread *owner)
{
	return owner && owner->now == WP_NOW_BLOCKED && all->time - owner->age <= t->owner_time;
}

/* The thread without which another one waits forever. */
static size_t next_of(const void *ctx, size_t i)
{
	const struct wp_now_threads *all = ctx;
	const struct wp_now_thread *t = &all->thread[i], *owner = owner_of(all, t);

	return holds(all, t, owner) && !t->lock_timed ? (size_t)(owner - all->thread) : all->nr;
}

/**
 * wp_now_link_owners() - find deadlocks; all threads are known, and stay where they are
 * @all: the threads
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_link_owners(struct wp_now_threads *all)
{
	bool *found = calloc(all->nr + 1, sizeof(*found));
	int err = -ENOMEM;
	size_t i;

	all->by_tid = calloc(all->nr + 1, sizeof(*all->by_tid));
	if (!found || !all->by_tid)
		goto out;
	for (i = 0; i < all->nr; i++)
		all->by_tid[i] = &all->thread[i];
	qsort(all->by_tid, all->nr, sizeof(*all->by_tid), by_tid);
	err = wp_lockcycles_find(all->nr, next_of, all, found);
	for (i = 0; i < all->nr && !err; i++) {
		all->thread[i].deadlock = found[i];
		all->deadlocks += found[i];
	}
out:
	free(found);
	return err;
}

static void append(char *text, size_t size, const char *more)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s", more);
}

/* What the last owner of a chain does. */
static void append_state(const struct wp_now_threads *all, const struct wp_now_thread *t,
			 char *text, size_t size)
{
	char buf[48], age[WP_SINCE_TEXT], more[WP_OBJECT_TEXT + 160];

	wp_since_age(t->age, age, sizeof(age));
	if (t->now == WP_NOW_ONCPU)
		snprintf(more, sizeof(more), ", on-CPU");
	else if (t->now == WP_NOW_RUNNABLE)
		snprintf(more, sizeof(more), ", runnable for %s", age);
	else
		snprintf(more, sizeof(more), ", blocked for %s in %s%s%s", age,
			 wp_cause_name(&t->cause, buf, sizeof(buf)), t->object ? " " : "",
			 t->object ? wp_objects_text(all->objects, t->object) : "");
	append(text, size, more);
}

/* The lock, and who holds it: "mutex held by 12 main in nap app.py:5". */
static void append_owner(const struct wp_now_thread *t, const struct wp_now_thread *owner,
			 char *text, size_t size)
{
	char comm[WP_TEXT_GROWS * WALLPROF_COMM_LEN], number[32], function[512], more[768];
	struct wp_livename name;

	append(text, size, t->lock);
	if (!t->owner) {
		append(text, size, ", whose holder is not known");
		return;
	}
	if (t->owner == t->tid) {
		append(text, size, " that it holds itself");
		return;
	}
	wp_text_show(comm, sizeof(comm), t->owner_comm, false);
	snprintf(number, sizeof(number), " held by %u", t->owner);
	append(text, size, number);
	append(text, size, *comm ? " " : "");
	append(text, size, comm);
	if (!owner || !wp_now_python_innermost(owner, &name))
		return;
	wp_now_frame_text(&name, function, sizeof(function));
	wp_text_show(more, sizeof(more), function, false);
	append(text, size, " in ");
	append(text, size, more);
}

static bool is_among(const struct wp_now_thread *t, const struct wp_now_thread *const *seen,
		     unsigned int nr)
{
	while (nr) {
		if (seen[--nr] == t)
			return true;
	}
	return false;
}

/**
 * wp_now_owner_text() - describe who holds the lock that a thread waits for
 * @all: all threads
 * @t: a thread with @lock
 * @text: set to the description, sanitized: "mutex held by 12 main, blocked for ...";
 *	if the owner executes Python, with its function
 * @size: its size
 */
void wp_now_owner_text(const struct wp_now_threads *all, const struct wp_now_thread *t,
		       char *text, size_t size)
{
	const struct wp_now_thread *at = t, *owner, *seen[MAX_CHAIN + 1];
	bool timed = false;
	unsigned int i;

	snprintf(text, size, "%s", "");
	for (i = 0; at->lock; i++, at = owner) {
		owner = owner_of(all, at);
		append(text, size, !i ? "" : at->gil ? ", which waits for the " :
		       ", which waits for a ");
		append_owner(at, owner, text, size);
		if (!owner)
			return;
		if (owner->deadlock && !t->deadlock) {
			append(text, size, ", which is in a deadlock");
			return;
		}
		/* It may not hold this lock any more, while it waits for the next one. */
		if (!holds(all, at, owner)) {
			at = owner;
			break;
		}
		timed |= at->lock_timed;
		seen[i] = at;
		if (i == MAX_CHAIN || is_among(owner, seen, i + 1)) {
			append(text, size, t->deadlock ? ": a deadlock" :
			       timed ? ", until a time limit" : ", ...");
			return;
		}
	}
	append_state(all, at, text, size);
}
