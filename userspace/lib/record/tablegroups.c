// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the groups of files that wait for their tables, and their order: see tablequeue.c.
 * Called by the other parts of the queue.
 */
#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/record/tablegroups.h"

/* The shares of one user, and of root in one file system, of all queued open files. */
#define USER_SHARE	4
#define ROOT_SHARE	2

static struct wp_tablegroup **bucket_of(struct wp_tablequeue *q, uid_t owner, dev_t dev)
{
	__u64 hash = (owner ^ (__u64)dev << 32) * 0x9e3779b97f4a7c15ULL;

	return &q->bucket[hash >> 58];
}

/**
 * wp_tablegroups_user() - find a user
 * @q: the queue; the caller holds its lock
 * @owner: owner of the user's files
 * @dev: file system
 * @add: add the user if there is none yet
 *
 * Return: the user, or NULL.
 */
struct wp_tableuser *wp_tablegroups_user(struct wp_tablequeue *q, uid_t owner, dev_t dev,
					 bool add)
{
	struct wp_tableuser *u;

	if (owner)
		dev = 0;
	for (u = q->users; u; u = u->next) {
		if (u->owner == owner && u->dev == dev)
			return u;
	}
	u = add ? calloc(1, sizeof(*u)) : NULL;
	if (!u)
		return NULL;
	u->owner = owner;
	u->dev = dev;
	u->next = q->users;
	q->users = u;
	return u;
}

/**
 * wp_tablegroups_group() - find a group, or add it
 * @q: the queue; the caller holds its lock
 * @owner: owner of its files
 * @dev: their file system
 *
 * Return: the group, or NULL without memory.
 */
struct wp_tablegroup *wp_tablegroups_group(struct wp_tablequeue *q, uid_t owner, dev_t dev)
{
	struct wp_tablegroup **bucket = bucket_of(q, owner, dev), *g;
	struct wp_tableuser *u;

	for (g = *bucket; g; g = g->next) {
		if (g->owner == owner && g->dev == dev)
			return g;
	}
	u = wp_tablegroups_user(q, owner, dev, true);
	g = u ? calloc(1, sizeof(*g)) : NULL;
	if (!g)
		return NULL;
	g->user = u;
	g->owner = owner;
	g->dev = dev;
	g->next = *bucket;
	*bucket = g;
	g->next_group = q->groups;
	q->groups = g;
	u->nr_groups++;
	q->nr_groups++;
	return g;
}

static void free_group(struct wp_tablequeue *q, struct wp_tablegroup **at)
{
	struct wp_tablegroup *g = *at, **in = bucket_of(q, g->owner, g->dev);

	while (*in != g)
		in = &(*in)->next;
	*in = g->next;
	*at = g->next_group;
	g->user->nr_groups--;
	q->nr_groups--;
	free(g);
}

/*
 * Whether a user is forgotten. One whose tables use some of a limit is not: it would have all
 * of it again. Root has a limit for each file system anyway.
 */
static bool is_forgotten(const struct wp_tableuser *u, __u64 now)
{
	return !u->nr_groups && u->rest_until <= now && (!u->owner || !u->bytes);
}

/**
 * wp_tablegroups_sweep() - forget groups and users without files, if there are many
 * @q: the queue; the caller holds its lock
 *
 * In the thread only, while it holds no group. Each container and each mount is another file
 * system, so there is no end of them on a host that runs for long.
 */
void wp_tablegroups_sweep(struct wp_tablequeue *q)
{
	struct wp_tablegroup **g = &q->groups;
	struct wp_tableuser **at = &q->users, *u;
	__u64 now = wp_clock_now();

	if (q->nr_groups <= q->sweep_at)
		return;
	while (*g) {
		if ((*g)->has_worker || wp_tablegroups_has_work(*g))
			g = &(*g)->next_group;
		else
			free_group(q, g);
	}
	while ((u = *at)) {
		if (!is_forgotten(u, now)) {
			at = &u->next;
			continue;
		}
		*at = u->next;
		free(u);
	}
	q->sweep_at = q->nr_groups * 2 > WP_TABLEGROUPS_KEPT ? q->nr_groups * 2 :
							       WP_TABLEGROUPS_KEPT;
}

/**
 * wp_tablegroups_push_job() - add a file to a group
 * @list: the group's list
 * @job: the file
 */
void wp_tablegroups_push_job(struct wp_tablejob **list, struct wp_tablejob *job)
{
	job->next = *list;
	*list = job;
}

/**
 * wp_tablegroups_take_smallest() - take the smallest file of a group
 * @list: the group's list
 *
 * Return: the file, or NULL.
 */
struct wp_tablejob *wp_tablegroups_take_smallest(struct wp_tablejob **list)
{
	struct wp_tablejob **at, **smallest = list, *job;

	for (at = list; *at; at = &(*at)->next) {
		if ((*at)->size < (*smallest)->size)
			smallest = at;
	}
	job = *smallest;
	if (job)
		*smallest = job->next;
	return job;
}

/**
 * wp_tablegroups_has_work() - check whether a group has files
 * @g: the group
 */
bool wp_tablegroups_has_work(const struct wp_tablegroup *g)
{
	return g->unnamed || g->unmade;
}

/**
 * wp_tablegroups_goes_before() - compare two users
 * @a: a user
 * @b: another one
 *
 * Return: whether @a goes first; if both have used as much, root does.
 */
bool wp_tablegroups_goes_before(const struct wp_tableuser *a, const struct wp_tableuser *b)
{
	__u64 spent_a = a->spent / WP_TABLE_QUANTUM_NS, spent_b = b->spent / WP_TABLE_QUANTUM_NS;

	if (spent_a != spent_b)
		return spent_a < spent_b;
	return !a->owner && b->owner;
}

/* Whether a worker of the user's is busy. Caller holds the lock. */
static bool is_at_work(const struct wp_tablequeue *q, const struct wp_tableuser *u)
{
	int i;

	for (i = 0; i < WP_TABLESLOT_MAX; i++) {
		const struct wp_tableslot *s = &q->slot[i];

		if (s->group && s->group->user == u && (s->nr || wp_tablegroups_has_work(s->group)))
			return true;
	}
	return false;
}

/**
 * wp_tablegroups_next() - find the group that gets a worker next
 * @q: the queue; the caller holds its lock
 * @when: set to the time at which the first pause ends, or ~0
 *
 * Return: the group, or NULL if none does.
 */
struct wp_tablegroup *wp_tablegroups_next(struct wp_tablequeue *q, __u64 *when)
{
	struct wp_tablegroup *g, *first = NULL;
	__u64 now = wp_clock_now();

	*when = ~0ULL;
	for (g = q->groups; g; g = g->next_group) {
		if (g->has_worker || !wp_tablegroups_has_work(g) || is_at_work(q, g->user))
			continue;
		if (g->user->rest_until > now)
			*when = g->user->rest_until < *when ? g->user->rest_until : *when;
		else if (!first || wp_tablegroups_goes_before(g->user, first->user))
			first = g;
	}
	return first;
}

/**
 * wp_tablegroups_has_room() - check whether a user's file can be added now
 * @q: the queue; the caller holds its lock
 * @u: the user, or NULL: one without files
 */
bool wp_tablegroups_has_room(const struct wp_tablequeue *q, const struct wp_tableuser *u)
{
	if (q->nr_open >= q->max_open)
		return false;
	return !u || u->open < q->max_open / (u->owner ? USER_SHARE : ROOT_SHARE);
}
