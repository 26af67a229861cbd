// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the thread that keeps the module's view of processes up to date. Its parts are
 * mapprocs.c, the processes; maprecords.c, perf's records of them; mappublish.c, reading
 * and publishing one; and mapsnapshot.c, what runs at the start.
 *
 * The module itself reports what runs at the start (snapshot.h). After that, perf's
 * records of mappings and forks only mark a process as dirty: its current /proc/PID/maps
 * is what gets published. So neither the order nor the loss of records does harm, and
 * removed mappings go away. The time for one process is limited to a tenth, as a process
 * with a JIT compiler maps code all the time.
 *
 * Code that a process has just mapped is unknown to the module until this thread has
 * published it: about a millisecond for known files. Unknown files are published without
 * a table first, and again when the table is ready.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/record/mapprocs.h"
#include "lib/record/mappublish.h"
#include "lib/record/maprecords.h"
#include "lib/record/mapsnapshot.h"
#include "lib/record/mapsync.h"
#include "lib/record/sideband.h"
#include "lib/record/snapshot.h"

#define SIDEBAND_PAGES	16
#define NSEC_PER_MSEC	1000000ULL

/*
 * Interval between reads of perf's records, as these come in bursts. The first of a burst
 * is read without delay. A longer interval where reads find nothing to do, as where
 * threads come and go, would lose stacks: a program that starts then is published late.
 */
#define GATHER_NS	200000

/* Wait for work, or until the time @until. */
static int wait_for(struct wp_publisher *pub, __u64 until)
{
	__u64 now = wp_clock_now(), count;
	struct timespec timeout = { .tv_sec = 1 };
	unsigned int nr;

	/* Drain now and then in any case: CPUs come and go. */
	if (until <= now)
		timeout.tv_sec = 0;
	else if (until - now < 1000 * NSEC_PER_MSEC)
		timeout = (struct timespec){ .tv_nsec = until - now };
	pub->fds[0] = (struct pollfd){ .fd = pub->kick, .events = POLLIN };
	pub->fds[1] = (struct pollfd){ .fd = wp_codefiles_fd(pub->files), .events = POLLIN };
	nr = 2 + wp_sideband_pollfds(pub->sideband, pub->fds + 2, pub->max_fds - 2);
	if (ppoll(pub->fds, nr, &timeout, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	if (pub->fds[0].revents & POLLIN &&
	    read(pub->fds[0].fd, &count, sizeof(count)) == sizeof(count) &&
	    __atomic_load_n(&pub->started, __ATOMIC_ACQUIRE) && !pub->retold)
		wp_mapprocs_touch_known(pub);
	if (pub->fds[1].revents & POLLIN &&
	    read(pub->fds[1].fd, &count, sizeof(count)) == sizeof(count))
		wp_mapprocs_touch_unsettled(pub);
	return 0;
}

/* Wait until GATHER_NS after @since. */
static void gather(__u64 since)
{
	__u64 past = wp_clock_now() - since;
	struct timespec rest = { .tv_nsec = past < GATHER_NS ? GATHER_NS - past : 0 };

	if (rest.tv_nsec)
		nanosleep(&rest, NULL);
}

static void *follow(void *arg)
{
	struct wp_publisher *pub = arg;
	__u64 when, ask, drained = 0, one = 1;
	bool all;
	int err = 0;

	if (pub->live && !pub->opt.pids)
		wp_mapsnapshot_publish(pub);
	else
		wp_mapprocs_touch_targets(pub);
	wp_live_put(pub->live);
	pub->live = NULL;
	while (!err) {
		wp_mapprocs_forget_ended(pub);
		ask = wp_maprecords_ask_for_missed(pub);
		when = wp_mappublish_dirty(pub, &all);
		if (all && write(pub->told, &one, sizeof(one)) < 0)
			wp_debug("eventfd: %s", strerror(errno));
		err = wait_for(pub, when < ask ? when : ask);
		if (wp_mapstate_stops(pub))
			break;
		gather(drained);
		drained = wp_clock_now();
		if (!err)
			err = wp_maprecords_drain(pub);
	}
	if (err)
		wp_warn("processes that start from now on are unwound by frame pointers: %s",
			strerror(-err));
	return NULL;
}

/**
 * wp_publisher_open() - start to follow processes
 * @out: set to the publisher
 * @opt: callbacks and processes
 *
 * Nothing that happens from now on is missed.
 *
 * Return: 0 or a negative errno after a message.
 */
int wp_publisher_open(struct wp_publisher **out, const struct wp_publisher_options *opt)
{
	struct wp_sideband_options side = {
		.pages = SIDEBAND_PAGES, .filter = opt->pids, .eager = true,
	};
	struct wp_codefiles_options files = { .push = opt->push, .ctx = opt->ctx };
	struct wp_publisher *pub = calloc(1, sizeof(*pub));
	size_t i;
	int err;

	*out = NULL;
	if (!pub)
		goto no_memory;
	pub->opt = *opt;
	pub->pending = true;
	pub->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pub->told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pub->max_fds = 2 + sysconf(_SC_NPROCESSORS_CONF);
	pub->fds = calloc(pub->max_fds, sizeof(*pub->fds));
	pub->cache = wp_tablecache_open(NULL);
	files.cache = pub->cache;
	pub->files = wp_codefiles_new(&files);
	if (pub->kick < 0 || pub->told < 0 || !pub->fds || !pub->files)
		goto no_memory;
	err = wp_sideband_open(&pub->sideband, &side);
	for (i = 0; i < opt->nr_pids && !err; i++)
		err = wp_sideband_want(pub->sideband, opt->pids[i]);
	if (err) {
		wp_publisher_end(pub, NULL);
		return err;
	}
	*out = pub;
	return 0;
no_memory:
	wp_err("out of memory for unwind tables");
	wp_publisher_end(pub, NULL);
	return -ENOMEM;
}

/**
 * wp_publisher_begin() - publish the processes that run, then follow them
 * @pub: the publisher
 * @live: snapshot taken after wp_publisher_open(), or NULL: read /proc
 * @wait_ms: maximum wait for the publication to complete
 *
 * The rest is published later: on a busy host, building all tables takes a while.
 *
 * Return: 0 or a negative errno after a message.
 */
int wp_publisher_begin(struct wp_publisher *pub, struct wp_live *live, unsigned int wait_ms)
{
	struct pollfd told = { .fd = pub->told, .events = POLLIN };
	sigset_t all, old;
	int err;

	pub->live = wp_live_get(live);
	/* Signals are handled by the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = -pthread_create(&pub->thread, NULL, follow, pub);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pub->has_thread = !err;
	if (err) {
		wp_err("cannot follow processes to unwind them: %s", strerror(-err));
		return err;
	}
	/* A signal ends the wait: its sender wants the recording to stop. */
	if (poll(&told, 1, wait_ms) < 0)
		wp_debug("poll: %s", strerror(errno));
	return 0;
}

/**
 * wp_publisher_started() - note that the session is started
 * @pub: the publisher, or NULL
 *
 * From now on the module copies the parents' mappings to forked children. What was
 * published before is published again, for threads that have been blocked since before.
 */
void wp_publisher_started(struct wp_publisher *pub)
{
	__u64 one = 1;

	if (!pub)
		return;
	__atomic_store_n(&pub->started, true, __ATOMIC_RELEASE);
	if (write(pub->kick, &one, sizeof(one)) < 0)
		wp_debug("eventfd: %s", strerror(errno));
}

/**
 * wp_publisher_denied() - describe processes without unwind tables for lack of privilege
 * @stats: the statistics
 * @text: set to a sentence
 * @size: size of @text
 *
 * Return: whether there are any.
 */
bool wp_publisher_denied(const struct wp_publisher_stats *stats, char *text, size_t size)
{
	if (!stats->denied)
		return false;
	snprintf(text, size,
		 "%llu process%s of others unwound by frame pointer only: unwind tables for them need CAP_SYS_PTRACE. See RIGHTS in 'man wallprof'",
		 (unsigned long long)stats->denied, stats->denied == 1 ? "" : "es");
	return true;
}

/**
 * wp_publisher_end() - stop following and free everything
 * @pub: the publisher, or NULL
 * @stats: filled in, or NULL
 */
void wp_publisher_end(struct wp_publisher *pub, struct wp_publisher_stats *stats)
{
	__u64 one = 1;
	unsigned int i;

	if (!pub)
		return;
	__atomic_store_n(&pub->stop, true, __ATOMIC_RELEASE);
	if (pub->has_thread && write(pub->kick, &one, sizeof(one)) == sizeof(one))
		pthread_join(pub->thread, NULL);
	if (stats) {
		*stats = pub->stats;
		wp_codefiles_stats(pub->files, &stats->files);
		if (!wp_tablecache_keeps(pub->cache) &&
		    stats->files.did.tables > stats->files.did.cached)
			wp_warn("unwind tables could not be kept on disk: each recording makes them anew (-v shows why)");
	}
	wp_live_put(pub->live);
	wp_codefiles_free(pub->files);
	wp_tablecache_close(pub->cache);
	wp_sideband_close(pub->sideband);
	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		while (pub->bucket[i])
			wp_mapprocs_forget(pub, pub->bucket[i]->pid);
	}
	wp_procmaps_free(&pub->text);
	free(pub->seen);
	free(pub->seen_file);
	free(pub->map);
	free(pub->fds);
	if (pub->kick >= 0)
		close(pub->kick);
	if (pub->told >= 0)
		close(pub->told);
	free(pub);
}
