// SPDX-License-Identifier: GPL-2.0
/*
 * Which threads descend from the targets of a session that starts later.
 *
 * What a target forks is a target, with WALLPROF_INHERIT. After START the slots of the
 * task table show who is one; before it no thread has a slot. From WALLPROF_START_LATER
 * on this file keeps the set of the children, and START gives slots to them, too.
 *
 * As in the task table, the key is the address of the thread's task_struct. It is removed
 * when the thread exits, before its memory can be used again. The set is a hash with
 * linear probing, at most half full. Its callers are session.c (process context),
 * targets.c (RCU read side) and the probes of fork and exit (irqs off).
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "follow.h"
#include "state.h"

/* Where the search for a key begins. */
static u32 wp_follow_home(const struct wp_follow *follow, unsigned long key)
{
	return hash_long(key, 32) & follow->mask;
}

/* The place of a key, or the free one where it would be. Context: the lock held. */
static u32 wp_follow_place(const struct wp_follow *follow, unsigned long key)
{
	u32 at = wp_follow_home(follow, key);

	while (follow->keys[at] && follow->keys[at] != key)
		at = (at + 1) & follow->mask;
	return at;
}

/* Context: the lock held. */
static bool wp_follow_find(const struct wp_follow *follow, const struct task_struct *p)
{
	return follow->keys[wp_follow_place(follow, (unsigned long)p)];
}

/* Context: the lock held. */
static void wp_follow_add(struct wp_follow *follow, const struct task_struct *p)
{
	u32 at = wp_follow_place(follow, (unsigned long)p);

	if (follow->keys[at])
		return;
	if (follow->used > follow->mask / 2) {
		follow->full = true;
		return;
	}
	follow->keys[at] = (unsigned long)p;
	follow->used++;
}

/*
 * Removes a key. Those behind it that would not be found any more move up. Context: the
 * lock held.
 */
static void wp_follow_remove(struct wp_follow *follow, const struct task_struct *p)
{
	u32 hole = wp_follow_place(follow, (unsigned long)p), at = hole, home;

	if (!follow->keys[hole])
		return;
	follow->used--;
	for (;;) {
		at = (at + 1) & follow->mask;
		if (!follow->keys[at])
			break;
		home = wp_follow_home(follow, follow->keys[at]);
		/* Its search begins behind the hole. */
		if (((at - home) & follow->mask) < ((at - hole) & follow->mask))
			continue;
		follow->keys[hole] = follow->keys[at];
		hole = at;
	}
	follow->keys[hole] = 0;
}

/**
 * wp_follow_begin - have room for those who descend from the targets
 * @session: one that is to start later, without probes
 *
 * There is no set, and need not be, if children are no targets, or are recognized anyway.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int wp_follow_begin(struct wp_session *session)
{
	struct wp_follow *follow = &session->follow;
	u32 nr = 2 * session->config.nr_tasks;

	wp_follow_free(session);
	if (!(session->config.flags & WALLPROF_INHERIT))
		return 0;
	raw_spin_lock_init(&follow->lock);
	follow->keys = kvcalloc(nr, sizeof(*follow->keys), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!follow->keys)
		return -ENOMEM;
	follow->mask = nr - 1;
	return 0;
}

/**
 * wp_follow_settle - wait until all children that were forked before START are in the set
 * @session: its time of START has come
 *
 * Context: process.
 */
void wp_follow_settle(struct wp_session *session)
{
	/* Whoever takes the lock after this finds that it is later: see wp_follow_fork(). */
	raw_spin_lock_irq(&session->follow.lock);
	raw_spin_unlock_irq(&session->follow.lock);
}

/**
 * wp_follow_free - free the set
 * @session: its probes are gone
 *
 * Context: process.
 */
void wp_follow_free(struct wp_session *session)
{
	kvfree(session->follow.keys);
	memset(&session->follow, 0, sizeof(session->follow));
}

/**
 * wp_follow_has - check whether a thread descends from the targets
 * @session: the session
 * @p: current, or a thread under RCU
 *
 * The kernel creates threads of some processes without a fork that a probe sees: they
 * are found by the leader.
 *
 * Context: any but NMI.
 * Return: whether it was forked since WALLPROF_START_LATER by one that is a target.
 */
bool wp_follow_has(struct wp_session *session, struct task_struct *p)
{
	struct wp_follow *follow = &session->follow;
	unsigned long flags;
	bool has;

	if (!READ_ONCE(session->following))
		return false;
	raw_spin_lock_irqsave(&follow->lock, flags);
	has = wp_follow_find(follow, p) || wp_follow_find(follow, p->group_leader);
	raw_spin_unlock_irqrestore(&follow->lock, flags);
	return has;
}

/**
 * wp_follow_fork - current has forked a thread before START
 * @session: the session, which follows
 * @child: the thread
 * @target: current matches the target options, and @child does not
 * @now: set to the time
 *
 * Context: irqs off.
 * Return: false if START's time has come meanwhile: nothing was done.
 */
bool wp_follow_fork(struct wp_session *session, struct task_struct *child, bool target,
		    u64 *now)
{
	struct wp_follow *follow = &session->follow;
	bool early;

	raw_spin_lock(&follow->lock);
	*now = ktime_get_mono_fast_ns();
	early = *now < READ_ONCE(session->start);
	if (early && (target || wp_follow_find(follow, current) ||
		      wp_follow_find(follow, current->group_leader)))
		wp_follow_add(follow, child);
	raw_spin_unlock(&follow->lock);
	return early;
}

/**
 * wp_follow_exit - a thread exits
 * @session: the session, which follows
 * @p: the thread
 *
 * Context: irqs off.
 */
void wp_follow_exit(struct wp_session *session, struct task_struct *p)
{
	struct wp_follow *follow = &session->follow;

	raw_spin_lock(&follow->lock);
	wp_follow_remove(follow, p);
	raw_spin_unlock(&follow->lock);
}
