// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the files that wait for their unwind tables, their order, and the workers that
 * read them. Its parts are tablegroups.c, the order; tableworkers.c, the workers; and
 * tableresults.c, what becomes of a file.
 *
 * Files of one owner in one file system are a group, and a worker reads files of one
 * group only. All groups of an owner belong to one user, however many file systems that
 * user has mounted. A user has at most one worker at a time, and the user whose files
 * have cost least so far goes first: so one user's files, whatever they contain, delay
 * those of others by their share only. Root counts as a separate user in each file
 * system, as containers have their own. Within a group the names of tables come first, as
 * these suffice for tables that are on disk; then the smallest file. A user whose file
 * had to be given up pauses for several times of what that cost.
 *
 * A thread of its own does all this. It waits for its sockets only, and only passes files
 * on, never reads them: no file can block it, and its end waits for no table.
 */
#include <errno.h>
#include <libelf.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/record/tablegroups.h"
#include "lib/record/tablequeue.h"
#include "lib/record/tableworkers.h"

#define NSEC_PER_MSEC	1000000ULL

/* Maximum number of queued open files. */
#define MAX_OPEN	512

/* Interval between checks of workers that do not answer. */
#define LOOK_MS		100

/* Wait for an answer, for a new file, or for the time @when. */
static void wait_for(struct wp_tablequeue *q, __u64 when)
{
	struct pollfd fds[1 + WP_TABLESLOT_MAX] = { { .fd = q->wake, .events = POLLIN } };
	struct wp_tableslot *of[WP_TABLESLOT_MAX];
	unsigned int nr = 0, i;
	__u64 now = wp_clock_now(), count;
	int timeout = -1;

	for (i = 0; i < WP_TABLESLOT_MAX; i++) {
		if (!q->slot[i].w || !q->slot[i].nr)
			continue;
		of[nr++] = &q->slot[i];
		fds[nr] = (struct pollfd){ .fd = wp_worker_fd(q->slot[i].w), .events = POLLIN };
	}
	if (nr)
		timeout = LOOK_MS;
	if (when <= now)
		timeout = 1;
	else if (when != ~0ULL && (when - now) / NSEC_PER_MSEC < LOOK_MS)
		timeout = (when - now) / NSEC_PER_MSEC + 1;
	else if (when != ~0ULL)
		timeout = LOOK_MS;
	poll(fds, 1 + nr, timeout);
	if (fds[0].revents && read(q->wake, &count, sizeof(count)) < 0)
		errno = 0;
	for (i = 0; i < nr; i++)
		wp_tableworkers_take_answers(q, of[i]);
}

static void *run(void *arg)
{
	struct wp_tablequeue *q = arg;
	bool stop = false;

	while (!stop) {
		wait_for(q, wp_tableworkers_give_all(q));
		pthread_mutex_lock(&q->lock);
		stop = q->stop;
		pthread_mutex_unlock(&q->lock);
	}
	return NULL;
}

/* Maximum number of queued descriptors: most are left for other uses. */
static unsigned int max_open(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur / 2 > MAX_OPEN)
		return MAX_OPEN;
	return lim.rlim_cur / 2;
}

/**
 * wp_tablequeue_new() - start a queue
 * @opt: where the tables go
 *
 * Return: the queue, or NULL without memory or threads.
 */
struct wp_tablequeue *wp_tablequeue_new(const struct wp_tablequeue_options *opt)
{
	struct wp_tablequeue *q = calloc(1, sizeof(*q));
	sigset_t all, old;
	struct stat st;

	if (!q)
		return NULL;
	elf_version(EV_CURRENT);
	q->opt = *opt;
	q->max_open = max_open();
	q->sweep_at = WP_TABLEGROUPS_KEPT;
	q->root = stat("/", &st) ? 0 : st.st_dev;
	pthread_mutex_init(&q->lock, NULL);
	q->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	q->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* While there are few threads, unless done before. */
	wp_worker_prepare();
	/* Signals are handled by the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	q->has_thread = q->wake >= 0 && q->ready >= 0 &&
			!pthread_create(&q->thread, NULL, run, q);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (q->has_thread)
		return q;
	wp_tablequeue_free(q);
	return NULL;
}

/**
 * wp_tablequeue_free() - stop, without waiting for any table
 * @q: the queue, or NULL. Waiting files belong to the caller again, with open descriptors
 */
void wp_tablequeue_free(struct wp_tablequeue *q)
{
	struct wp_tablegroup *g, *next;
	struct wp_tableuser *u;
	int i;

	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_mutex_unlock(&q->lock);
	if (q->has_thread) {
		wp_tablestate_raise(q->wake);
		pthread_join(q->thread, NULL);
	}
	for (i = 0; i < WP_TABLESLOT_MAX; i++)
		wp_worker_free(q->slot[i].w);
	for (g = q->groups; g; g = next) {
		next = g->next_group;
		free(g);
	}
	while ((u = q->users)) {
		q->users = u->next;
		free(u);
	}
	if (q->wake >= 0)
		close(q->wake);
	if (q->ready >= 0)
		close(q->ready);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/**
 * wp_tablequeue_has_room() - check whether a file can be added now
 * @q: the queue
 * @owner: the file's owner
 * @dev: its file system
 */
bool wp_tablequeue_has_room(struct wp_tablequeue *q, uid_t owner, dev_t dev)
{
	bool room;

	pthread_mutex_lock(&q->lock);
	room = wp_tablegroups_has_room(q, wp_tablegroups_user(q, owner, dev, false));
	pthread_mutex_unlock(&q->lock);
	return room;
}

/**
 * wp_tablequeue_add() - queue a file for its table
 * @q: the queue
 * @job: the file
 *
 * Return: 0, or a negative errno: @job still belongs to the caller, with its descriptor.
 */
int wp_tablequeue_add(struct wp_tablequeue *q, struct wp_tablejob *job)
{
	struct wp_tablegroup *g;
	int err = 0;

	pthread_mutex_lock(&q->lock);
	if (job->fd < 0) {
		q->vdso = job;
		q->nr_open++;
	} else {
		g = wp_tablegroups_group(q, job->owner, job->dev);
		if (!g)
			err = -ENOMEM;
		else if (!wp_tablegroups_has_room(q, g->user))
			err = -EAGAIN;
		if (!err) {
			wp_tablegroups_push_job(&g->unnamed, job);
			g->user->open++;
			q->nr_open++;
		}
	}
	pthread_mutex_unlock(&q->lock);
	if (!err)
		wp_tablestate_raise(q->wake);
	return err;
}

/**
 * wp_tablequeue_forget() - reset the byte counts, as evicted tables are pushed again
 * @q: the queue
 */
void wp_tablequeue_forget(struct wp_tablequeue *q)
{
	struct wp_tableuser *u;

	pthread_mutex_lock(&q->lock);
	for (u = q->users; u; u = u->next)
		u->bytes = 0;
	pthread_mutex_unlock(&q->lock);
}

/**
 * wp_tablequeue_fd() - descriptor to poll
 * @q: the queue
 *
 * Return: an eventfd that is written when a file is finished.
 */
int wp_tablequeue_fd(const struct wp_tablequeue *q)
{
	return q->ready;
}

/**
 * wp_tablequeue_busy() - check whether tables are being built
 * @q: the queue
 */
bool wp_tablequeue_busy(struct wp_tablequeue *q)
{
	bool busy;

	pthread_mutex_lock(&q->lock);
	busy = q->nr_open;
	pthread_mutex_unlock(&q->lock);
	return busy;
}

/**
 * wp_tablequeue_stats() - read the statistics
 * @q: the queue
 * @stats: filled in
 */
void wp_tablequeue_stats(struct wp_tablequeue *q, struct wp_tablequeue_stats *stats)
{
	pthread_mutex_lock(&q->lock);
	*stats = q->stats;
	pthread_mutex_unlock(&q->lock);
}
