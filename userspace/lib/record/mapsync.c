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
 * published it: about a millisecond for known files, and up to GATHER_MORE_NS more for a
 * library where threads come and go. Unknown files are published without a table first, and
 * again when the table is ready.
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
#include "lib/base/progress.h"
#include "lib/record/execwatch.h"
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
 * is read without delay. The longer one is for bursts of threads that come and go, which
 * change nothing here. A program that starts meanwhile would be published late, so it
 * needs a wakeup by execwatch.c. What it does next comes within RECENT_NS.
 */
#define GATHER_NS	200000
#define GATHER_MORE_NS	1600000
#define RECENT_NS	(20 * NSEC_PER_MSEC)

/* Beyond so many files those that are not used are dropped: some MB. */
#define MAX_FILES	4096

/* Interval of the progress of a wait. */
#define STEP_MS	100

static __u64 gather_ns(const struct wp_mapsync *sync)
{
	return !sync->execs || wp_clock_now() - sync->news < RECENT_NS ? GATHER_NS :
									 GATHER_MORE_NS;
}

static void take_exec(struct wp_mapsync *sync)
{
	wp_execwatch_take(sync->execs);
	sync->news = wp_clock_now();
}

/* Wait for work, or until the time @until. @rings: also for perf's records. */
static int wait_for(struct wp_mapsync *sync, __u64 until, bool rings)
{
	__u64 now = wp_clock_now(), count;
	struct timespec timeout = { .tv_sec = 1 };
	unsigned int nr;

	/* Drain now and then in any case: CPUs come and go. */
	if (until <= now)
		timeout.tv_sec = 0;
	else if (until - now < 1000 * NSEC_PER_MSEC)
		timeout = (struct timespec){ .tv_nsec = until - now };
	sync->fds[0] = (struct pollfd){ .fd = sync->kick, .events = POLLIN };
	sync->fds[1] = (struct pollfd){ .fd = wp_codefiles_fd(sync->files), .events = POLLIN };
	sync->fds[2] = (struct pollfd){ .fd = wp_execwatch_fd(sync->execs), .events = POLLIN };
	nr = 3;
	if (rings)
		nr += wp_sideband_pollfds(sync->sideband, sync->fds + 3, sync->max_fds - 3);
	if (ppoll(sync->fds, nr, &timeout, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	if (sync->fds[0].revents & POLLIN &&
	    read(sync->fds[0].fd, &count, sizeof(count)) == sizeof(count) &&
	    __atomic_load_n(&sync->started, __ATOMIC_ACQUIRE) && !sync->republished)
		wp_mapprocs_touch_known(sync);
	if (sync->fds[1].revents & POLLIN &&
	    read(sync->fds[1].fd, &count, sizeof(count)) == sizeof(count))
		wp_mapprocs_touch_unsettled(sync);
	if (sync->fds[2].revents)
		take_exec(sync);
	return 0;
}

/* Wait for more records, since @since. Returns whether it had to. */
static bool gather(struct wp_mapsync *sync, __u64 since)
{
	struct pollfd exec = { .fd = wp_execwatch_fd(sync->execs), .events = POLLIN };
	__u64 past = wp_clock_now() - since, gap = gather_ns(sync);
	struct timespec rest = { .tv_nsec = past < gap ? gap - past : 0 };

	if (rest.tv_nsec && ppoll(&exec, 1, &rest, NULL) == 1)
		take_exec(sync);
	return rest.tv_nsec;
}

static void signal_fd(int fd)
{
	__u64 one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		wp_debug("eventfd: %s", strerror(errno));
}

/* Whoever keeps files can only do so while a process has them mapped: see record.c. */
static void look_for_files(struct wp_mapsync *sync)
{
	struct wp_codefiles_stats stats;

	wp_codefiles_stats(sync->files, &stats);
	if (sync->republished && stats.files > sync->nr_files)
		signal_fd(sync->files_fd);
	sync->nr_files = stats.files;
}

static void *follow(void *arg)
{
	struct wp_mapsync *sync = arg;
	__u64 when, ask, drained = 0, records, taken;
	bool all, done = false, burst = false;
	int err = 0;

	if (sync->snap && !sync->opt.pids)
		wp_mapsnapshot_publish(sync);
	else
		wp_mapprocs_touch_targets(sync);
	wp_snapshot_put(sync->snap);
	sync->snap = NULL;
	while (!err) {
		wp_mapprocs_forget_ended(sync);
		wp_codefiles_sweep(sync->files, wp_clock_now(), MAX_FILES);
		ask = wp_maprecords_ask_for_missed(sync);
		when = wp_mappublish_dirty(sync, &all);
		/* It stays readable. */
		if (all && !done) {
			done = true;
			signal_fd(sync->done_fd);
		}
		look_for_files(sync);
		if (sync->republished && !sync->due && !sync->walked) {
			sync->walked = true;
			signal_fd(sync->walked_fd);
		}
		/* In a burst there will be more: there is no need to ask all rings. */
		if (burst)
			when = drained + gather_ns(sync);
		err = wait_for(sync, when < ask ? when : ask, !burst);
		if (wp_mapstate_stops(sync))
			break;
		burst |= gather(sync, drained);
		records = sync->records;
		taken = sync->taken;
		drained = wp_clock_now();
		if (!err)
			err = wp_maprecords_drain(sync);
		burst &= sync->records != records;
		if (sync->taken != taken)
			sync->news = drained;
		wp_execwatch_look(sync->execs, drained);
	}
	if (err)
		wp_warn("processes that start from now on are unwound by frame pointers: %s",
			strerror(-err));
	if (sync->opt.jvms)
		wp_jvms_look_last(sync->opt.jvms);
	/* There is nothing to wait for any more. */
	signal_fd(sync->walked_fd);
	return NULL;
}

/**
 * wp_mapsync_open() - start to follow processes
 * @out: set to the state
 * @opt: callbacks and processes
 *
 * Nothing that happens from now on is missed.
 *
 * Return: 0 or a negative errno after a message.
 */
int wp_mapsync_open(struct wp_mapsync **out, const struct wp_mapsync_options *opt)
{
	struct wp_sideband_options side = {
		.pages = SIDEBAND_PAGES, .filter = opt->pids, .eager = true,
		.skip = wp_maprecords_skips,
	};
	struct wp_codefiles_options files = { .push = opt->push, .ctx = opt->ctx };
	struct wp_mapsync *sync = calloc(1, sizeof(*sync));
	size_t i;
	int err;

	*out = NULL;
	if (!sync)
		goto no_memory;
	side.ctx = sync;
	sync->opt = *opt;
	if (opt->jvms)
		wp_jvms_drop_tables(opt->jvms);
	sync->pending = true;
	sync->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sync->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sync->walked_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sync->files_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sync->max_fds = 3 + sysconf(_SC_NPROCESSORS_CONF);
	sync->fds = calloc(sync->max_fds, sizeof(*sync->fds));
	sync->cache_err = wp_tablecache_open(&sync->cache, NULL);
	files.cache = sync->cache;
	sync->files = wp_codefiles_new(&files);
	if (sync->kick < 0 || sync->done_fd < 0 || sync->walked_fd < 0 || sync->files_fd < 0 ||
	    !sync->fds || !sync->files)
		goto no_memory;
	err = opt->sideband ? wp_sideband_follow(&sync->sideband, opt->sideband, &side) :
			      wp_sideband_open(&sync->sideband, &side);
	if (!err && wp_execwatch_open(&sync->execs))
		wp_debug("programs that start beside many threads are found by polling");
	for (i = 0; i < opt->nr_pids && !err; i++)
		err = wp_sideband_want(sync->sideband, opt->pids[i]);
	if (err) {
		wp_mapsync_end(sync, NULL);
		return err;
	}
	*out = sync;
	return 0;
no_memory:
	wp_err("out of memory for unwind tables");
	wp_mapsync_end(sync, NULL);
	return -ENOMEM;
}

/**
 * wp_mapsync_begin() - publish the processes that run, then follow them
 * @sync: the state of mapsync.c
 * @snap: snapshot taken after wp_mapsync_open(), or NULL: read /proc
 *
 * Return: 0 or a negative errno after a message.
 */
int wp_mapsync_begin(struct wp_mapsync *sync, struct wp_snapshot *snap)
{
	sigset_t all, old;
	int err;

	sync->snap = wp_snapshot_get(snap);
	/* Signals are handled by the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = -pthread_create(&sync->thread, NULL, follow, sync);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sync->has_thread = !err;
	if (err)
		wp_err("cannot follow processes to unwind them: %s", strerror(-err));
	return err;
}

/*
 * Wait until a descriptor is readable, with a line of progress. Steps are counted, not the
 * clock: while the machine itself stands still, as a guest can, nothing can become ready.
 * Returns 1, 0 after @wait_ms, or a negative errno.
 */
static int wait_with_progress(struct wp_mapsync *sync, int fd, unsigned int wait_ms,
			      struct wp_progress *progress)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct wp_codefiles_stats stats;
	unsigned int step;
	int nr;

	for (;; wait_ms -= step) {
		step = wait_ms < STEP_MS ? wait_ms : STEP_MS;
		nr = poll(&ready, 1, step);
		if (nr || step == wait_ms)
			break;
		if (progress->all) {
			wp_codefiles_stats(sync->files, &stats);
			progress->all = stats.files ? : 1;
		}
		wp_progress_step(progress, progress->all ? wp_mapsync_finished(sync) : 0);
	}
	if (nr < 0)
		nr = -errno;
	wp_progress_end(progress);
	return nr;
}

/**
 * wp_mapsync_wait_tables() - wait until what runs is published, with its tables
 * @sync: the state of mapsync.c, after wp_mapsync_begin()
 * @wait_ms: maximum wait
 *
 * The rest is published later: on a busy host, building all tables takes a while.
 *
 * Return: 1 if it is published, 0 after @wait_ms, or -EINTR at a signal, whose sender
 * wants the recording to stop.
 */
int wp_mapsync_wait_tables(struct wp_mapsync *sync, unsigned int wait_ms)
{
	struct wp_progress progress;

	wp_progress_begin(&progress, "building unwind tables", 1);
	return wait_with_progress(sync, sync->done_fd, wait_ms, &progress);
}

/**
 * wp_mapsync_finished() - progress of wp_mapsync_wait_tables()
 * @sync: the state of mapsync.c
 *
 * Return: number of files that have a table, or will have none.
 */
__u64 wp_mapsync_finished(struct wp_mapsync *sync)
{
	struct wp_codefiles_stats stats;

	wp_codefiles_stats(sync->files, &stats);
	return stats.did.tables + stats.did.no_table + stats.did.refused;
}

/**
 * wp_mapsync_started() - note that the session is started
 * @sync: the state of mapsync.c, or NULL
 *
 * From now on the module copies the parents' mappings to forked children. What was
 * published before is published again, for threads that have been blocked since before.
 */
void wp_mapsync_started(struct wp_mapsync *sync)
{
	if (!sync)
		return;
	__atomic_store_n(&sync->started, true, __ATOMIC_RELEASE);
	signal_fd(sync->kick);
}

/**
 * wp_mapsync_files_fd() - descriptor for noticing files that are mapped for the first time
 * @sync: the state of mapsync.c, or NULL
 *
 * Return: an eventfd that is readable when there are some that no process had mapped
 * before, a millisecond or so later; valid until wp_mapsync_end(). -1 without @sync.
 */
int wp_mapsync_files_fd(const struct wp_mapsync *sync)
{
	return sync ? sync->files_fd : -1;
}

/**
 * wp_mapsync_wait_walked() - wait for the stacks of threads that are blocked since before
 * @sync: the state of mapsync.c, after wp_mapsync_started(); or NULL
 * @wait_ms: maximum wait
 *
 * The module walks them when the mappings of their process are published again.
 *
 * Return: whether all of them were walked.
 */
bool wp_mapsync_wait_walked(struct wp_mapsync *sync, unsigned int wait_ms)
{
	struct wp_progress progress;

	if (!sync)
		return true;
	wp_progress_begin(&progress, "reading the stacks of blocked threads", 0);
	return wait_with_progress(sync, sync->walked_fd, wait_ms, &progress) == 1;
}

/**
 * wp_mapsync_denied() - describe processes without unwind tables for lack of privilege
 * @stats: the statistics
 * @text: set to a sentence
 * @size: size of @text
 *
 * Return: whether there are any.
 */
bool wp_mapsync_denied(const struct wp_mapsync_stats *stats, char *text, size_t size)
{
	if (!stats->denied)
		return false;
	snprintf(text, size,
		 "%llu process%s of others unwound by frame pointer only: unwind tables for them need CAP_SYS_PTRACE. See RIGHTS in 'man wallprof'",
		 (unsigned long long)stats->denied, stats->denied == 1 ? "" : "es");
	return true;
}

/* Why built tables are not on disk now, and what to do about it. */
static void note_unkept(const struct wp_mapsync *sync, struct wp_mapsync_stats *stats)
{
	int err = sync->cache ? wp_tablecache_error(sync->cache) : sync->cache_err;
	char dir[4096];

	if (!err || stats->files.did.tables == stats->files.did.cached)
		return;
	stats->unkept = true;
	if (!wp_tablecache_dir(dir, sizeof(dir)))
		wp_warn("each recording builds unwind tables again, as they have no directory: set HOME or XDG_CACHE_HOME");
	else if (err == -EPERM)
		wp_warn("each recording builds unwind tables again, as %s is not used: it must be a directory of user %u, and writable by no one else",
			dir, (unsigned int)geteuid());
	else
		wp_warn("each recording builds unwind tables again, as they could not be kept in %s: %s. %s",
			dir, strerror(-err), err == -ENOSPC || err == -EDQUOT ?
			"Free some space there" : "Make it writable");
}

/**
 * wp_mapsync_end() - stop following and free everything
 * @sync: the state of mapsync.c, or NULL
 * @stats: filled in, or NULL
 */
void wp_mapsync_end(struct wp_mapsync *sync, struct wp_mapsync_stats *stats)
{
	__u64 one = 1;
	unsigned int i;

	if (!sync)
		return;
	__atomic_store_n(&sync->stop, true, __ATOMIC_RELEASE);
	if (sync->has_thread && write(sync->kick, &one, sizeof(one)) == sizeof(one))
		pthread_join(sync->thread, NULL);
	if (stats) {
		*stats = sync->stats;
		wp_codefiles_stats(sync->files, &stats->files);
		note_unkept(sync, stats);
	}
	/* The last samples need them. */
	sync->opt.interps = NULL;
	sync->opt.jvms = NULL;
	wp_snapshot_put(sync->snap);
	wp_codefiles_free(sync->files);
	wp_tablecache_close(sync->cache);
	wp_sideband_close(sync->sideband);
	wp_execwatch_close(sync->execs);
	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		while (sync->bucket[i])
			wp_mapprocs_forget(sync, sync->bucket[i]->pid);
	}
	wp_procmaps_free(&sync->text);
	free(sync->seen);
	free(sync->seen_file);
	free(sync->map);
	free(sync->fds);
	if (sync->kick >= 0)
		close(sync->kick);
	if (sync->done_fd >= 0)
		close(sync->done_fd);
	if (sync->walked_fd >= 0)
		close(sync->walked_fd);
	if (sync->files_fd >= 0)
		close(sync->files_fd);
	free(sync);
}
