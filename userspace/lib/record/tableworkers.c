// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the workers: gives them the files of their groups, takes their answers, and ends
 * those that do not answer. Called by tablequeue.c, in its thread.
 */
#include <errno.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/record/tablegroups.h"
#include "lib/record/tableresults.h"
#include "lib/record/tableworkers.h"
#include "lib/unwind/tablecache.h"

#define NSEC_PER_MSEC	1000000ULL

/*
 * After a bad file its user pauses for so many times of its cost, and at least for
 * REST_MIN_NS.
 */
#define REST_TIMES	8
#define REST_MIN_NS	(10 * NSEC_PER_MSEC)

/* Cost of a file that cannot be opened. */
#define OPEN_NS		(10 * NSEC_PER_MSEC)

/* Queue the jobs of a worker again. */
static void requeue(struct wp_tablequeue *q, struct wp_tableslot *s)
{
	struct wp_tablegroup *g = s->group;

	pthread_mutex_lock(&q->lock);
	for (; s->nr; s->nr--) {
		wp_tablegroups_push_job(s->making ? &g->unmade : &g->unnamed, s->job[s->first]);
		s->first = (s->first + 1) % WP_WORKER_DEPTH;
	}
	pthread_mutex_unlock(&q->lock);
	s->making = false;
}

static struct wp_tablejob *take_oldest(struct wp_tableslot *s)
{
	struct wp_tablejob *job = s->job[s->first];

	s->first = (s->first + 1) % WP_WORKER_DEPTH;
	s->nr--;
	return job;
}

static void add_cost(struct wp_tablequeue *q, struct wp_tablegroup *g, __u64 ns)
{
	g->user->spent += ns;
	pthread_mutex_lock(&q->lock);
	q->stats.ns += ns;
	pthread_mutex_unlock(&q->lock);
}

static void end_worker(struct wp_tableslot *s)
{
	wp_worker_free(s->w);
	s->w = NULL;
	s->served = 0;
}

/*
 * A worker has ended, or must be ended: its oldest file is the cause, the others are not.
 */
static void lose_worker(struct wp_tablequeue *q, struct wp_tableslot *s, int err)
{
	const struct wp_worker_limits *limits = q->opt.limits ? q->opt.limits : &wp_worker_usual;
	struct wp_tablejob *job = s->nr ? take_oldest(s) : NULL;
	__u64 cost = wp_worker_spent(s->w), rest;
	struct wp_tablegroup *g = s->group;

	/* This file kept a worker from others. */
	if (err == -ETIMEDOUT)
		cost += limits->stuck_ns;
	end_worker(s);
	requeue(q, s);
	if (!job)
		return;
	add_cost(q, g, cost);
	rest = REST_TIMES * cost > REST_MIN_NS ? REST_TIMES * cost : REST_MIN_NS;
	g->user->rest_until = wp_clock_now() + rest;
	wp_tableresults_give_up(q, g, job, err);
}

/* Take an answer for the oldest job; returns whether it is valid. */
static bool take_answer(struct wp_tablequeue *q, struct wp_tableslot *s, struct wp_tablejob *job,
			const struct wp_answer *answer)
{
	bool making = s->making;

	if (!answer->err)
		return making ? wp_tableresults_take_table(q, s->group, job, answer) :
				wp_tableresults_take_name(q, s->group, job, answer);
	if (answer->err != -ENOMEM) {
		wp_tableresults_give_none(q, s->group, job, answer->err);
		return true;
	}
	/* The files before may be the cause. */
	if (s->served > 1 && !job->tries++) {
		pthread_mutex_lock(&q->lock);
		wp_tablegroups_push_job(making ? &s->group->unmade : &s->group->unnamed, job);
		pthread_mutex_unlock(&q->lock);
		requeue(q, s);
		end_worker(s);
		return true;
	}
	return false;
}

/**
 * wp_tableworkers_take_answers() - take what a worker has answered
 * @q: the queue
 * @s: the worker's slot
 */
void wp_tableworkers_take_answers(struct wp_tablequeue *q, struct wp_tableslot *s)
{
	struct wp_answer answer;
	struct wp_tablejob *job;
	int ret = 0;

	while (s->w && s->nr && (ret = wp_worker_take(s->w, &answer)) > 0) {
		job = s->job[s->first];
		s->served++;
		add_cost(q, s->group, answer.cpu_ns);
		take_oldest(s);
		if (!take_answer(q, s, job, &answer)) {
			/* It is still the cause. */
			s->first = (s->first + WP_WORKER_DEPTH - 1) % WP_WORKER_DEPTH;
			s->nr++;
			ret = answer.err ? answer.err : -EPROTO;
			break;
		}
		s->making = s->making && s->nr;
	}
	if (s->w && ret >= 0)
		ret = wp_worker_check(s->w);
	if (s->w && ret < 0)
		lose_worker(q, s, ret);
}

/*
 * The next file of a slot's group that can be passed to its worker now. Caller holds the
 * lock.
 */
static struct wp_tablejob *next_job(struct wp_tablequeue *q, struct wp_tableslot *s)
{
	struct wp_tablegroup *g = s->group, *other;
	struct wp_tablejob *job;
	__u64 when;

	if (s->making || s->nr == WP_WORKER_DEPTH || g->user->rest_until > wp_clock_now())
		return NULL;
	other = wp_tablegroups_next(q, &when);
	if (other && wp_tablegroups_goes_before(other->user, g->user) &&
	    other->user->spent + WP_TABLE_QUANTUM_NS < g->user->spent)
		return NULL;
	while ((job = g->unnamed)) {
		g->unnamed = job->next;
		if (q->opt.cache && job->keep)
			return job;
		wp_tablegroups_push_job(&g->unmade, job);
	}
	if (s->nr)
		return NULL;
	job = wp_tablegroups_take_smallest(&g->unmade);
	s->making = job;
	return job;
}

/* Without a worker there are no tables. */
static void without_worker(struct wp_tablequeue *q, struct wp_tableslot *s, struct wp_tablejob *job)
{
	struct wp_tablequeue_stats did = { .no_table = 1, .error = -EAGAIN };

	wp_debug("no process to read ...%s in", job->label);
	s->making = s->making && s->nr;
	wp_tableresults_settle(q, s->group, job, &did);
}

/* The file was to be opened on the way: charge the time to its group. */
static void not_opened(struct wp_tablequeue *q, struct wp_tableslot *s,
		       struct wp_tablejob *job, int err)
{
	s->making = s->making && s->nr;
	add_cost(q, s->group, OPEN_NS);
	wp_tableresults_give_up(q, s->group, job, err);
}

/* Whether a file is finished without reading it. */
static bool is_known(struct wp_tablequeue *q, struct wp_tableslot *s, struct wp_tablejob *job)
{
	return !s->making && !job->looked && wp_tableresults_take_known(q, s->group, job);
}

/* Pass a file to a slot's worker; returns whether the worker can take more. */
static bool give(struct wp_tablequeue *q, struct wp_tableslot *s, struct wp_tablejob *job)
{
	struct wp_job what = {
		.head.kind = s->making ? WP_JOB_TABLE : WP_JOB_NAME,
		.fds[0] = job->fd, .nr_fds = 1,
	};
	int err = -EPIPE;

	if (!s->making)
		wp_tablecache_key(q->opt.cache, job->owner, what.head.key);
	if (s->w)
		err = wp_worker_ask(s->w, &what);
	if (err && err != -EPIPE) {
		not_opened(q, s, job, err);
		return true;
	}
	if (err && s->nr) {
		/* The worker has ended: its answers come first. */
		pthread_mutex_lock(&q->lock);
		wp_tablegroups_push_job(&s->group->unnamed, job);
		pthread_mutex_unlock(&q->lock);
		return false;
	}
	/* An idle worker may have been killed for want of memory. */
	if (err) {
		end_worker(s);
		s->w = wp_worker_new(q->opt.limits);
	}
	if (!s->w) {
		without_worker(q, s, job);
		return true;
	}
	if (err)
		err = wp_worker_ask(s->w, &what);
	if (err && err != -EPIPE) {
		not_opened(q, s, job, err);
		return true;
	}
	s->job[(s->first + s->nr++) % WP_WORKER_DEPTH] = job;
	if (err)
		lose_worker(q, s, err);
	return !err;
}

/* Whether a slot is available to another group. Caller holds the lock. */
static bool is_free(const struct wp_tableslot *s, const struct wp_tablegroup *other)
{
	const struct wp_tablegroup *g = s->group;

	if (s->nr)
		return false;
	return !g || !wp_tablegroups_has_work(g) || g->user->rest_until > wp_clock_now() ||
	       other->user->spent + WP_TABLE_QUANTUM_NS < g->user->spent;
}

static void bind_slot(struct wp_tablequeue *q, struct wp_tableslot *s, struct wp_tablegroup *g)
{
	if (s->group == g)
		return;
	if (s->group)
		s->group->has_worker = false;
	s->group = g;
	g->has_worker = true;
	pthread_mutex_unlock(&q->lock);
	/* It has read files of others. */
	end_worker(s);
	pthread_mutex_lock(&q->lock);
}

/*
 * Assign workers to groups that have none. Returns when the next assignment is due.
 * Caller holds the lock.
 */
static __u64 bind_slots(struct wp_tablequeue *q)
{
	struct wp_tablegroup *g;
	__u64 when;
	int i;

	for (;;) {
		struct wp_tableslot *free_one = NULL;

		g = wp_tablegroups_next(q, &when);
		for (i = 0; g && i < WP_TABLESLOT_MAX; i++) {
			struct wp_tableslot *s = &q->slot[i];

			if (is_free(s, g) && (!free_one || (free_one->w && !s->w)))
				free_one = s;
		}
		if (!free_one)
			return when;
		bind_slot(q, free_one, g);
	}
}

/**
 * wp_tableworkers_give_all() - pass jobs to all workers
 * @q: the queue
 *
 * Return: when this is due again.
 */
__u64 wp_tableworkers_give_all(struct wp_tablequeue *q)
{
	struct wp_tablejob *job;
	__u64 when;
	int i;

	pthread_mutex_lock(&q->lock);
	job = q->vdso;
	q->vdso = NULL;
	wp_tablegroups_sweep(q);
	when = bind_slots(q);
	pthread_mutex_unlock(&q->lock);
	if (job)
		wp_tableresults_make_vdso(q, job);
	for (i = 0; i < WP_TABLESLOT_MAX; i++) {
		struct wp_tableslot *s = &q->slot[i];

		do {
			pthread_mutex_lock(&q->lock);
			job = s->group && !q->stop ? next_job(q, s) : NULL;
			/*
			 * A group that pauses continues then, unless another takes its
			 * place.
			 */
			if (s->group && !job && !s->nr && wp_tablegroups_has_work(s->group) &&
			    s->group->user->rest_until < when)
				when = s->group->user->rest_until;
			pthread_mutex_unlock(&q->lock);
		} while (job && (is_known(q, s, job) || give(q, s, job)));
	}
	return when;
}
