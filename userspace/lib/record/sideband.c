// SPDX-License-Identifier: GPL-2.0
/*
 * Follows processes by perf's dummy events: their records, of all CPUs, sorted by time.
 * Called by the record command, from one thread. Its parts are siderings.c, the events and
 * their rings; siderecords.c, the records; sidefilter.c, which of them are wanted; and
 * sidefollow.c, a second reader of the same rings.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/perfdata/mmaprecord.h"
#include "lib/perfdata/attrsize.h"
#include "lib/perfdata/perfdata.h"
#include "lib/proc/kthreads.h"
#include "lib/record/inlineids.h"
#include "lib/record/sideband.h"
#include "lib/record/sidefilter.h"
#include "lib/record/sidefollow.h"
#include "lib/record/siderecords.h"
#include "lib/record/siderings.h"

/*
 * Who waits for each mapping is woken by each: a record of one has 112 bytes or more, and
 * the kernel wakes once these have been written. A birth or an end of a thread has 64: every
 * other one does not wake, and waits for the next record, or for a read at another time.
 */
#define EAGER_BYTES	111

/**
 * wp_sideband_want() - follow a process and what it forks from now on
 * @sb: the sideband, opened with a filter
 * @pid: process
 *
 * Return: 0, or -EINVAL if @pid is no pid.
 */
int wp_sideband_want(struct wp_sideband *sb, __u32 pid)
{
	sb->want_time = wp_clock_now();
	return wp_sidefilter_want(sb, pid);
}

/**
 * wp_sideband_is_wanted() - check whether a process is followed
 * @sb: the sideband
 * @pid: process
 *
 * Return: true without a filter, or if the process or an ancestor was wanted.
 */
bool wp_sideband_is_wanted(const struct wp_sideband *sb, __u32 pid)
{
	return wp_sidefilter_is_wanted(sb, pid);
}

/**
 * wp_sideband_new() - allocate a sideband without rings
 * @opt: as for wp_sideband_open()
 *
 * For tests, with wp_siderecords_feed().
 *
 * Return: the sideband, or NULL after a message.
 */
struct wp_sideband *wp_sideband_new(const struct wp_sideband_options *opt)
{
	unsigned int pages = opt->pages ? opt->pages : WP_SIDEBAND_PAGES;
	struct wp_sideband *sb;
	struct utsname uts;

	if (pages & (pages - 1) || pages > 1 << 20) {
		wp_err("-m %u: the number of pages must be a power of two, at most %u", pages,
		       1 << 20);
		return NULL;
	}
	sb = calloc(1, sizeof(*sb));
	if (!sb)
		goto nomem;
	sb->opt = *opt;
	sb->full_fd = -1;
	pthread_mutex_init(&sb->lock, NULL);
	sb->proc = opt->proc;
	if (!sb->proc && !opt->eager && !uname(&uts) && wp_kthreads_born_named(uts.release))
		sb->proc = "/proc";
	sb->data_size = (size_t)pages * sysconf(_SC_PAGESIZE);
	sb->failed = calloc(WP_SIDE_MAX_CPUS, 1);
	if (!sb->failed)
		goto nomem;
	if (opt->filter) {
		sb->wanted = calloc(WP_SIDE_MAX_PID / 8, 1);
		if (!sb->wanted)
			goto nomem;
	}
	return sb;
nomem:
	wp_err("out of memory for following processes");
	wp_sideband_close(sb);
	return NULL;
}

/**
 * wp_sideband_open() - start to follow all processes
 * @out: the sideband
 * @opt: what to collect
 *
 * From its return on all events are recorded; what already runs can then be synthesized
 * without a gap.
 *
 * Return: 0 or a negative errno.
 */
int wp_sideband_open(struct wp_sideband **out, const struct wp_sideband_options *opt)
{
	struct wp_sideband *sb = wp_sideband_new(opt);
	int ret;

	*out = NULL;
	if (!sb)
		return -EINVAL;
	/*
	 * Of the file's sample_type only the parts that sample_id_all appends: the
	 * records are the same, and the kernel allocates no callchain buffers.
	 */
	sb->attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = WP_ATTRSIZE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | WP_READ_LOST,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = !opt->eager,
		.comm_exec = !opt->eager,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = opt->eager || opt->followed ? EAGER_BYTES : sb->data_size / 4,
	};
	sb->inline_ids = opt->ids && wp_inlineids_work();
#ifndef NO_BUILD_ID_BIT
	sb->attr.build_id = sb->inline_ids;
#endif
	ret = wp_siderings_open(sb);
	if (ret) {
		wp_sideband_close(sb);
		return ret;
	}
	sb->last_check = wp_clock_now();
	*out = sb;
	return 0;
}

/**
 * wp_sideband_follow() - read the rings of another sideband
 * @out: the follower: for wp_sideband_drain(), _pollfds(), _want() and _close(), by one
 *	thread, not that of @leader
 * @leader: opened with @followed, without a follower; closed after it
 * @opt: as for wp_sideband_open()
 *
 * All that happens from now on is delivered.
 *
 * Return: 0 or a negative errno after a message.
 */
int wp_sideband_follow(struct wp_sideband **out, struct wp_sideband *leader,
		       const struct wp_sideband_options *opt)
{
	struct wp_sideband *sb = wp_sideband_new(opt);
	int ret;

	*out = NULL;
	if (!sb)
		return -EINVAL;
	ret = wp_sidefollow_begin(sb, leader);
	if (ret) {
		wp_sideband_close(sb);
		return ret;
	}
	*out = sb;
	return 0;
}

/**
 * wp_sideband_drain() - deliver the records of all rings
 * @sb: the sideband
 * @upto: set to the time up to which everything was delivered: samples of this time and
 *	before can be written now. May be NULL
 * @final: the last drain: deliver everything
 * @fn: takes the records, in order of time
 * @ctx: passed to @fn
 *
 * Also checks for CPUs that came or went.
 *
 * Return: 0, a negative errno, or what @fn returned.
 */
int wp_sideband_drain(struct wp_sideband *sb, __u64 *upto, bool final, wp_record_fn fn,
		      void *ctx)
{
	__u64 limit = final || sb->opt.eager ? ~0ULL : wp_clock_now() - WP_SIDEBAND_SETTLE_NS;
	unsigned int i;
	int ret;

	/* The clock is read before the heads, which is the safe order. */
	if (upto)
		*upto = limit;
	if (sb->opt.followed)
		wp_sidefollow_before_drain(sb, final);
	if (sb->leader) {
		ret = wp_sidefollow_drain(sb);
		if (ret)
			return ret;
	}
	if (sb->nr_rings) {
		ret = wp_siderings_follow_hotplug(sb);
		if (ret)
			return ret;
	}
	for (i = 0; i < sb->nr_rings; i++) {
		ret = wp_siderings_drain(sb, &sb->ring[i]);
		if (!ret && final)
			ret = wp_siderings_write_last_losses(sb, &sb->ring[i]);
		if (ret)
			return ret;
	}
	sb->fn = fn;
	sb->fn_ctx = ctx;
	return wp_sorter_flush(&sb->sorter, limit, wp_siderecords_deliver, sb);
}

/**
 * wp_sideband_pollfds() - descriptors to poll
 * @sb: the sideband
 * @fds: filled in, for POLLIN: a ring is a quarter full; with @eager, or with @followed and
 *	no follower, a mapping is to be read
 * @max: size of @fds
 *
 * The descriptors change when CPUs come and go: call this again after each drain.
 *
 * Return: how many were filled in.
 */
unsigned int wp_sideband_pollfds(struct wp_sideband *sb, struct pollfd *fds,
				 unsigned int max)
{
	unsigned int i;

	if (sb->leader || sb->opt.followed)
		return wp_sidefollow_pollfds(sb, fds, max);
	for (i = 0; i < sb->nr_rings && i < max; i++)
		fds[i] = (struct pollfd){ .fd = sb->ring[i].fd, .events = POLLIN };
	return i;
}

/**
 * wp_sideband_stats() - read the statistics
 * @sb: the sideband
 * @st: filled in
 */
void wp_sideband_stats(const struct wp_sideband *sb, struct wp_sideband_stats *st)
{
	*st = sb->stats;
	st->cpus = sb->nr_rings;
}

/**
 * wp_sideband_close() - stop following and free everything
 * @sb: the sideband, or NULL
 */
void wp_sideband_close(struct wp_sideband *sb)
{
	if (!sb)
		return;
	wp_sidefollow_end(sb);
	while (sb->nr_rings)
		wp_siderings_close(&sb->ring[--sb->nr_rings]);
	wp_sorter_free(&sb->sorter);
	free(sb->ring);
	free(sb->wanted);
	free(sb->failed);
	pthread_mutex_destroy(&sb->lock);
	free(sb);
}
