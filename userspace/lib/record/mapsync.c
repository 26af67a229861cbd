// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the thread that keeps the module's view of processes up to date.
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
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/procdir.h"
#include "lib/record/mapsync.h"
#include "lib/record/sideband.h"
#include "lib/record/snapshot.h"

#define NR_BUCKETS	4096
#define SIDEBAND_PAGES	16
#define NSEC_PER_MSEC	1000000ULL

/*
 * Interval between reads of perf's records, as these come in bursts. The first of a burst
 * is read without delay. A longer interval where reads find nothing to do, as where
 * threads come and go, would lose stacks: a program that starts then is published late.
 */
#define GATHER_NS	200000

/* A process may use one part in SHARE of the time, */
#define SHARE		10

/* plus this much at once. */
#define BURST_NS	(20 * NSEC_PER_MSEC)

/*
 * The burst is granted while all processes together use less than one part in ALL_SHARE
 * of the time, plus ALL_BURST_NS at once.
 */
#define ALL_SHARE	4
#define ALL_BURST_NS	(100 * NSEC_PER_MSEC)

/* Interval between queries for children that did not inherit their parents' tables. */
#define ASK_NS		(100 * NSEC_PER_MSEC)

/* Interval between sweeps for processes whose exit record was lost. */
#define SWEEP_NS	(10000 * NSEC_PER_MSEC)

/*
 * Maximum wait for the tables of what runs at the start; then it is published without
 * them. Tables that are on disk are loaded by then.
 */
#define TABLES_NS	(400 * NSEC_PER_MSEC)

/* Delay before a busy process is tried again. */
#define BUSY_NS		(200 * NSEC_PER_MSEC)

/* End of user addresses; the vsyscall page is beyond. */
#define USER_END	(1ULL << 56)

struct process {
	struct process *next;		/* in its bucket */
	__u32 pid;
	bool dirty;			/* needs to be read again */
	bool busy;			/* its memory map was locked at the last read */
	bool unsettled;			/* some of its files have no table yet */
	bool again;			/* @map needs to be published again */
	bool denied;			/* no right to have its memory read */
	bool threaded;			/* it has, or had, more than one thread */
	__u64 start_stack;		/* with @map */
	struct wallprof_map *map;	/* published before the session began, or NULL */
	__u32 nr_maps;
	__u64 rest_until;		/* not read before */
	__u64 paid_until;		/* its share of the time is used up until then */
	__u64 told;			/* time of the last publication, or 0 */
	__u64 forked;			/* fork time; 0: nothing depends on its parent */
};

struct wp_publisher {
	struct wp_publisher_options opt;
	struct wp_codefiles *files;
	struct wp_tablecache *cache;
	struct wp_sideband *sideband;
	struct wp_live *live;		/* what runs at the start, until published */
	struct process *bucket[NR_BUCKETS];
	bool pending;			/* some process may be dirty, or has @again set */
	bool settled;			/* nothing was unsettled in the last pass */
	__u64 paid_until;		/* the share of all is used up until then */
	struct wp_procmaps text;
	struct wp_procmap *seen;	/* mappings of the current process from /proc, */
	struct wp_codefile **seen_file;	/* and their files */
	size_t nr_seen, room_seen;
	struct wallprof_map *map;	/* mappings of the current process */
	size_t nr_maps, room;
	bool unsettled;
	bool started;			/* the module sees forks; set by another thread */
	bool retold;			/* all was published again since */
	bool lost;
	__u64 mapped_late;		/* time of the earliest late map, or 0 */
	__u64 forked;			/* time of the last fork relying on its parent */
	__u64 asked;			/* time of the last query of @missed */
	__u64 missed;			/* its result */
	__u64 missed_by;		/* time of the last increase of @missed; or 0 */
	__u64 swept;			/* time of the last sweep for ended processes */
	struct pollfd *fds;
	unsigned int max_fds;
	int kick;			/* eventfd: @started or @stop is set */
	int told;			/* eventfd: what ran at the start is published */
	bool stop;			/* set by another thread */
	pthread_t thread;
	bool has_thread;
	struct wp_publisher_stats stats;
};

/* Mappings of a process, and the directory in which their files are looked up. */
struct seen_in {
	struct wp_publisher *pub;
	int dir;			/* -1: there are none yet */
};

/* Fixed part of the records that are parsed. */
struct task_record {
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
};

static struct process **bucket_of(struct wp_publisher *pub, __u32 pid)
{
	return &pub->bucket[pid % NR_BUCKETS];
}

static struct process *find(struct wp_publisher *pub, __u32 pid)
{
	struct process *p;

	for (p = *bucket_of(pub, pid); p && p->pid != pid; p = p->next)
		;
	return p;
}

static void forget(struct wp_publisher *pub, __u32 pid)
{
	struct process **at, *p;

	for (at = bucket_of(pub, pid); *at; at = &(*at)->next) {
		if ((*at)->pid == pid) {
			p = *at;
			*at = p->next;
			/* All others may be settled. */
			pub->pending |= p->unsettled;
			free(p->map);
			free(p);
			return;
		}
	}
}

static struct process *find_or_add(struct wp_publisher *pub, __u32 pid)
{
	struct process *p = find(pub, pid);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	p->next = *bucket_of(pub, pid);
	*bucket_of(pub, pid) = p;
	return p;
}

static void set_dirty(struct wp_publisher *pub, struct process *p)
{
	p->dirty = true;
	pub->pending = true;
}

/* Mark a process as dirty. If memory runs out, its walks use the fallback. */
static void touch(struct wp_publisher *pub, __u32 pid)
{
	bool is_new = !find(pub, pid);
	struct process *p = find_or_add(pub, pid);

	if (!p)
		return;
	/* A process whose fork was not seen may have more threads. */
	p->threaded |= is_new;
	set_dirty(pub, p);
}

/*
 * Field 28 of /proc/PID/stat; 0 if it may not be read. @has_ended: set if the process has
 * ended.
 */
static __u64 read_start_stack(int dir, bool *has_ended)
{
	char text[2048], *p;
	int fd, field;
	ssize_t n;

	*has_ended = false;
	fd = openat(dir, "stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	*has_ended = wp_procdir_has_ended(text);
	/* The name, field 2, can contain anything. */
	p = strrchr(text, ')');
	for (field = 2; p && field < 28; field++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p, NULL, 10) : 0;
}

/* Add a mapping of the current process, and its file. */
static int add_map_of(struct wp_publisher *pub, struct wp_codefile *file,
		      const struct wp_procmap *m)
{
	struct wallprof_map *map;

	if (pub->nr_maps == pub->room) {
		size_t room = 2 * pub->room + 64;

		map = realloc(pub->map, room * sizeof(*map));
		if (!map)
			return -ENOMEM;
		pub->map = map;
		pub->room = room;
	}
	map = &pub->map[pub->nr_maps++];
	if (!wp_codefile_map(pub->files, file, m, map))
		pub->unsettled = true;
	return 0;
}

/* Whether a mapping is published. */
static bool is_told(const struct wp_publisher *pub, const struct wp_procmap *m)
{
	return m->end <= USER_END && pub->nr_maps < WALLPROF_MAX_MAPS;
}

/*
 * Files are looked up in one batch at the end: see wp_codefiles_find(). @dir may change
 * until then.
 */
static int see_map(void *ctx, int dir, const struct wp_procmap *m)
{
	struct seen_in *in = ctx;
	struct wp_publisher *pub = in->pub;

	if (m->end > USER_END || pub->nr_seen == WALLPROF_MAX_MAPS)
		return 0;
	if (in->dir < 0)
		in->dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	if (pub->nr_seen == pub->room_seen) {
		size_t room = 2 * pub->room_seen + 64;
		struct wp_procmap *seen = reallocarray(pub->seen, room, sizeof(*seen));
		struct wp_codefile **file;

		pub->seen = seen ? seen : pub->seen;
		file = reallocarray(pub->seen_file, room, sizeof(*file));
		pub->seen_file = file ? file : pub->seen_file;
		if (!seen || !file)
			return -ENOMEM;
		pub->room_seen = room;
	}
	pub->seen[pub->nr_seen++] = *m;
	return 0;
}

/* Read a process's mappings, and look up their files. */
static int add_maps(struct wp_publisher *pub, int dir)
{
	struct seen_in in = { pub, -1 };
	size_t i;
	int err;

	pub->nr_seen = 0;
	err = wp_procmaps_each(&pub->text, dir, PROT_EXEC, see_map, &in);
	/* The maps may be hidden from us although the process exists. */
	if (err == -ESRCH && (errno == EACCES || errno == EPERM))
		err = -errno;
	if (!err && pub->nr_seen)
		err = wp_codefiles_find(pub->files, in.dir, pub->seen, pub->nr_seen,
					pub->seen_file);
	if (in.dir >= 0)
		close(in.dir);
	for (i = 0; i < pub->nr_seen && !err; i++)
		err = add_map_of(pub, pub->seen_file[i], &pub->seen[i]);
	return err;
}

/*
 * Earliest time at which a process may be read. Where many processes start all the time,
 * their burst allowances would add up to all of the time.
 */
static __u64 not_before(const struct wp_publisher *pub, const struct process *p)
{
	__u64 burst = SHARE * BURST_NS;

	if (pub->paid_until > wp_clock_now() + ALL_SHARE * ALL_BURST_NS)
		burst = 0;
	return p->paid_until > p->rest_until + burst ? p->paid_until - burst : p->rest_until;
}

static void pay_share(__u64 *paid_until, __u64 now, __u64 ns)
{
	if (*paid_until < now)
		*paid_until = now;
	*paid_until += ns;
}

/*
 * Account for a read from @begun to @now. The process then rests as long as the read
 * took, so that one that loads many libraries, where each read takes longer than the
 * last, is not read after each.
 */
static void pay(struct wp_publisher *pub, struct process *p, __u64 begun, __u64 now)
{
	p->rest_until = now + (now - begun);
	pay_share(&p->paid_until, now, SHARE * (now - begun));
	pay_share(&pub->paid_until, now, ALL_SHARE * (now - begun));
	/*
	 * The cost of a read of the whole host must not be charged to processes that
	 * start long after.
	 */
	if (pub->paid_until > now + 2 * ALL_SHARE * ALL_BURST_NS)
		pub->paid_until = now + 2 * ALL_SHARE * ALL_BURST_NS;
}

/* Keep the published mappings of a process, to publish them again. */
static void keep_maps(struct wp_publisher *pub, struct process *p, __u64 start_stack)
{
	free(p->map);
	p->map = malloc(pub->nr_maps * sizeof(*p->map));
	if (!p->map)
		return;
	memcpy(p->map, pub->map, pub->nr_maps * sizeof(*p->map));
	p->nr_maps = pub->nr_maps;
	p->start_stack = start_stack;
}

/*
 * Publish again what was published before the session began; returns whether there was
 * anything. The process has mapped nothing since, or it would be dirty.
 */
static bool tell_again(struct wp_publisher *pub, struct process *p)
{
	int err = 1;

	if (p->map && !p->dirty)
		err = pub->opt.maps(pub->opt.ctx, p->pid, p->start_stack, p->map, p->nr_maps);
	free(p->map);
	p->map = NULL;
	p->again = false;
	if (!err) {
		pub->stats.published++;
		p->told = wp_clock_now();
	}
	return !err;
}

/* A lock of the process is contended: try it later, without holding up others. */
static void note_busy(struct wp_publisher *pub, struct process *p)
{
	set_dirty(pub, p);
	p->busy = true;
	p->rest_until = wp_clock_now() + BUSY_NS;
}

/* Note that a process was published; returns whether it still exists. */
static bool note_told(struct wp_publisher *pub, struct process *p, __u64 start_stack, int err)
{
	p->unsettled = pub->unsettled;
	if (!err && !pub->retold)
		keep_maps(pub, p, start_stack);
	if (err == -ESRCH)
		return false;
	if (err == -ENOENT)
		wp_codefiles_forget(pub->files);
	if (err == -ESTALE || err == -ENOENT) {
		set_dirty(pub, p);
	} else if (err == -EPERM || err == -EACCES) {
		pub->stats.denied += !p->denied;
		p->denied = true;
		/* More tables would not help. */
		p->unsettled = false;
	} else if (err) {
		pub->stats.refused++;
		pub->stats.error = err;
	} else {
		pub->stats.published++;
		p->denied = false;
		p->told = wp_clock_now();
	}
	return true;
}

/*
 * Open a process's directory, or that of a live thread if the first one has ended.
 * Returns a descriptor, or -1.
 */
static int open_process(__u32 pid, __u64 *start_stack)
{
	bool has_ended;
	char path[32];
	int dir, other;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	*start_stack = read_start_stack(dir, &has_ended);
	other = has_ended ? wp_procdir_living(dir) : -1;
	if (other < 0)
		return dir;
	*start_stack = read_start_stack(other, &has_ended);
	close(dir);
	return other;
}

/* Publish a process; returns whether it still exists. */
static bool publish(struct wp_publisher *pub, struct process *p)
{
	__u64 begun = wp_clock_now(), ended, start_stack = 0;
	bool there;
	int dir, err;

	dir = open_process(p->pid, &start_stack);
	if (dir < 0)
		return false;
	p->dirty = false;
	p->busy = false;
	pub->nr_maps = 0;
	pub->unsettled = false;
	err = add_maps(pub, dir);
	close(dir);
	if (err == -EBUSY) {
		note_busy(pub, p);
		return true;
	}
	/* A kernel thread, or a zombie. */
	if (!err && !pub->nr_maps)
		return false;
	if (!err)
		err = pub->opt.maps(pub->opt.ctx, p->pid, start_stack, pub->map,
				    pub->nr_maps);
	there = note_told(pub, p, start_stack, err);
	ended = wp_clock_now();
	pay(pub, p, begun, ended);
	pub->stats.ns += ended - begun;
	return there;
}

static bool is_to_stop(struct wp_publisher *pub)
{
	return __atomic_load_n(&pub->stop, __ATOMIC_ACQUIRE);
}

/*
 * Read and publish the dirty processes. Returns when the next one is due, or ~0: none.
 * @all: set to whether everything has been published.
 */
static __u64 publish_dirty(struct wp_publisher *pub, bool *all)
{
	struct process *p, *next;
	__u64 when = ~0ULL;
	unsigned int i;

	*all = pub->settled;
	if (!pub->pending)
		return when;
	pub->pending = false;
	*all = true;
	for (i = 0; i < NR_BUCKETS; i++) {
		for (p = pub->bucket[i]; p && !is_to_stop(pub); p = next) {
			next = p->next;
			if (p->again && !tell_again(pub, p))
				p->dirty = true;
			if (p->dirty && not_before(pub, p) <= wp_clock_now() && !publish(pub, p)) {
				forget(pub, p->pid);
				continue;
			}
			if (p->dirty && not_before(pub, p) < when)
				when = not_before(pub, p);
			if ((p->dirty && !p->busy) || p->unsettled)
				*all = false;
			pub->pending |= p->dirty;
		}
	}
	pub->settled = *all;
	return when;
}

/* A file's table is ready: publish it for the processes that have the file mapped. */
static void touch_unsettled(struct wp_publisher *pub)
{
	struct process *p;
	unsigned int i;

	for (i = 0; i < NR_BUCKETS; i++) {
		for (p = pub->bucket[i]; p; p = p->next)
			p->dirty |= p->unsettled;
	}
	pub->pending = true;
}

/* The session has started: threads that are already blocked can now be walked. */
static void touch_known(struct wp_publisher *pub)
{
	struct process *p;
	unsigned int i;

	for (i = 0; i < NR_BUCKETS; i++) {
		for (p = pub->bucket[i]; p; p = p->next)
			p->again = true;
	}
	pub->pending = true;
	pub->retold = true;
}

static void touch_all(struct wp_publisher *pub)
{
	struct dirent *e;
	DIR *d;

	d = opendir("/proc");
	while (d && (e = readdir(d))) {
		__u32 pid = isdigit((unsigned char)*e->d_name) ? strtoul(e->d_name, NULL, 10) : 0;

		if (pid && wp_sideband_is_wanted(pub->sideband, pid))
			touch(pub, pid);
	}
	if (d)
		closedir(d);
}

/*
 * An exit record can be lost, or be read before the fork record if that is in another
 * CPU's ring: then nothing else removes a process that is not dirty.
 */
static void forget_ended(struct wp_publisher *pub)
{
	struct process *p, *next;
	unsigned int i;

	if (wp_clock_now() - pub->swept < SWEEP_NS)
		return;
	for (i = 0; i < NR_BUCKETS; i++) {
		for (p = pub->bucket[i]; p; p = next) {
			next = p->next;
			if (kill(p->pid, 0) && errno == ESRCH)
				forget(pub, p->pid);
		}
	}
	pub->swept = wp_clock_now();
}

/*
 * A process was forked at @time. The module copies to a child what it knows of the parent
 * at that moment, not what it learns later, and nothing if it has no room, which it may
 * have reported before this record was read. For a child of a followed target, a record
 * may have come before this one.
 */
static void take_fork(struct wp_publisher *pub, __u32 ppid, __u32 pid, __u64 time)
{
	const struct process *parent = find(pub, ppid);
	struct process *p = find_or_add(pub, pid);

	if (!p)
		return;
	if (!__atomic_load_n(&pub->started, __ATOMIC_RELAXED) || pub->opt.pids ||
	    !parent || parent->dirty || parent->unsettled || time <= parent->told ||
	    time <= pub->missed_by) {
		set_dirty(pub, p);
		return;
	}
	p->forked = time;
	if (time > pub->forked)
		pub->forked = time;
}

/*
 * Mark as dirty the processes that were forked at @since or later and have not been
 * published since.
 */
static void touch_forked(struct wp_publisher *pub, __u64 since)
{
	struct process *p;
	unsigned int i;

	for (i = 0; i < NR_BUCKETS; i++) {
		for (p = pub->bucket[i]; p; p = p->next)
			p->dirty |= p->forked >= since && p->forked > p->told;
	}
	pub->pending = true;
}

/*
 * A process has mapped something at @time. A fork by this process at a later time can be
 * known already, if it happened on another CPU, whose ring was read later. The child and
 * its descendants then lack the mapping.
 */
static void take_map(struct wp_publisher *pub, __u32 pid, __u64 time)
{
	touch(pub, pid);
	if (time <= pub->forked && (!pub->mapped_late || time < pub->mapped_late))
		pub->mapped_late = time;
}

/* Once for all late maps, as it goes through all processes. */
static void take_late_maps(struct wp_publisher *pub)
{
	if (pub->mapped_late)
		touch_forked(pub, pub->mapped_late);
	pub->mapped_late = 0;
}

static void note_thread(struct wp_publisher *pub, __u32 pid)
{
	struct process *p = find(pub, pid);

	if (p)
		p->threaded = true;
}

/*
 * The first thread of a process has ended. If there were others, mark the process as
 * dirty: it lives as long as one of them does, and may still wait for tables.
 */
static void take_end(struct wp_publisher *pub, __u32 pid)
{
	struct process *p = find(pub, pid);

	if (p && p->threaded)
		set_dirty(pub, p);
	else
		forget(pub, pid);
}

static int take_record(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	const struct task_record *task = (const void *)rec;
	struct wp_publisher *pub = ctx;

	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_map(pub, task->pid, time);
		break;
	case PERF_RECORD_FORK:
		if (task->pid != task->ppid)
			take_fork(pub, task->ppid, task->pid, time);
		else
			note_thread(pub, task->pid);
		break;
	case PERF_RECORD_EXIT:
		if (task->pid == task->tid)
			take_end(pub, task->pid);
		break;
	case PERF_RECORD_LOST:
		pub->lost = true;
		break;
	}
	return 0;
}

static int drain(struct wp_publisher *pub)
{
	int err;

	pub->lost = false;
	err = wp_sideband_drain(pub->sideband, NULL, false, take_record, pub);
	take_late_maps(pub);
	if (pub->lost) {
		pub->stats.rescans++;
		touch_all(pub);
	}
	return err;
}

/*
 * If anything depends on it, ask the module whether it had room for forked children; a
 * fork's record comes before the module sees the fork. Returns when the next query is
 * due, or ~0.
 */
static __u64 ask_for_missed(struct wp_publisher *pub)
{
	__u64 now = wp_clock_now(), asked = pub->asked, missed;

	if (asked > pub->forked + ASK_NS)
		return ~0ULL;
	if (now < asked + ASK_NS)
		return asked + ASK_NS;
	missed = pub->opt.missed(pub->opt.ctx);
	pub->asked = now;
	if (missed > pub->missed) {
		pub->missed = missed;
		pub->missed_by = wp_clock_now();
		touch_forked(pub, asked > ASK_NS ? asked - ASK_NS : 0);
	}
	return now > pub->forked + ASK_NS ? ~0ULL : now + ASK_NS;
}

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
		touch_known(pub);
	if (pub->fds[1].revents & POLLIN &&
	    read(pub->fds[1].fd, &count, sizeof(count)) == sizeof(count))
		touch_unsettled(pub);
	return 0;
}

static void touch_targets(struct wp_publisher *pub)
{
	size_t i;

	for (i = 0; i < pub->opt.nr_pids; i++)
		touch(pub, pub->opt.pids[i]);
	if (!pub->opt.pids)
		touch_all(pub);
}

/*
 * Cache of lookups. Mappings that exist at the same time are of the same file if their
 * inode numbers are equal and their names are, too, as some file systems assign numbers
 * twice. A lookup per mapping would cost more than everything else here.
 */
struct found {
	const struct wallprof_live_map *map;
	struct wp_codefile *file;
};

#define FOUND_BITS	12

static struct found *found_at(struct found *found, const struct wallprof_live_map *map)
{
	__u64 hash = (map->ino ^ (__u64)map->major << 52 ^ (__u64)map->minor << 32) *
		     0x9e3779b97f4a7c15ULL;

	return &found[hash >> (64 - FOUND_BITS)];
}

static bool is_same_file(const struct wallprof_live_map *a, const struct wallprof_live_map *b)
{
	return a->ino == b->ino && a->major == b->major && a->minor == b->minor &&
	       !strcmp(a->name, b->name);
}

/*
 * Look up the file of a mapping that the module reported. @dir: descriptor of the
 * process's directory, -1 until opened.
 */
static int find_live(struct wp_publisher *pub, struct found *found, __u32 pid, int *dir,
		     const struct wallprof_live_map *map, struct wp_codefile **file)
{
	struct wp_procmap m = wp_live_procmap(map);
	struct found *at = found_at(found, map);
	int err;

	*file = at->file;
	if (at->file && is_same_file(at->map, map))
		return 0;
	*file = NULL;
	if (*dir < 0)
		*dir = wp_procdir_open(pid);
	if (*dir < 0)
		return 0;
	err = wp_codefiles_find(pub->files, *dir, &m, 1, file);
	if (!err)
		*at = (struct found){ map, *file };
	return err;
}

/* Go through a process's mappings: look up their files or, with @p, publish them, too. */
static void look_at_live(struct wp_publisher *pub, struct found *found,
			 const struct wallprof_live_thread *t, size_t *at, struct process *p)
{
	const struct wallprof_live_map *map;
	int dir = -1, err = t->flags & WALLPROF_LIVE_NO_MAPS ? -EBUSY : 0;

	pub->nr_maps = 0;
	pub->unsettled = false;
	while (!err && (map = wp_live_map(pub->live, at))) {
		struct wp_procmap m = wp_live_procmap(map);
		struct wp_codefile *file;

		if (!is_told(pub, &m))
			continue;
		err = find_live(pub, found, t->pid, &dir, map, &file);
		if (!err && p)
			err = add_map_of(pub, file, &m);
	}
	if (dir >= 0)
		close(dir);
	if (!p)
		return;
	if (err == -EBUSY) {
		set_dirty(pub, p);
		return;
	}
	if (!err && pub->nr_maps)
		err = pub->opt.maps(pub->opt.ctx, p->pid, t->start_stack, pub->map, pub->nr_maps);
	if (!pub->nr_maps || !note_told(pub, p, t->start_stack, err))
		forget(pub, p->pid);
}

/* Tables on disk are loaded soon; @kick ends the wait earlier. */
static void wait_for_tables(struct wp_publisher *pub)
{
	__u64 until = wp_clock_now() + TABLES_NS, now, count;
	struct pollfd fds[] = {
		{ .fd = wp_codefiles_fd(pub->files), .events = POLLIN },
		{ .fd = pub->kick, .events = POLLIN },
	};

	while (wp_codefiles_busy(pub->files) && !fds[1].revents) {
		struct timespec timeout = { 0 };

		now = wp_clock_now();
		if (now >= until)
			break;
		timeout.tv_nsec = until - now;
		if (ppoll(fds, 2, &timeout, NULL) < 0)
			break;
		if (fds[0].revents && read(fds[0].fd, &count, sizeof(count)) != sizeof(count))
			break;
	}
}

/*
 * Publish what the module reported, once the tables are ready: a process that is
 * published without tables is read again.
 */
static void tell_live(struct wp_publisher *pub)
{
	struct found *found = calloc(1 << FOUND_BITS, sizeof(*found));
	const struct wallprof_live_thread *t;
	__u64 begun = wp_clock_now();
	size_t at;

	for (at = 0; found && (t = wp_live_thread(pub->live, &at)) && !is_to_stop(pub);)
		look_at_live(pub, found, t, &at, NULL);
	wait_for_tables(pub);
	for (at = 0; found && (t = wp_live_thread(pub->live, &at)) && !is_to_stop(pub);) {
		/* Kernel threads have no memory, and others no mappings here. */
		struct process *p = t->start_stack ? find_or_add(pub, t->pid) : NULL;

		if (p)
			look_at_live(pub, found, t, &at, p);
	}
	for (at = 0; found && (t = wp_live_thread(pub->live, &at));) {
		if (t->tid != t->pid)
			note_thread(pub, t->pid);
	}
	pub->pending = true;
	pub->stats.ns += wp_clock_now() - begun;
	if (!found)
		touch_all(pub);
	free(found);
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
		tell_live(pub);
	else
		touch_targets(pub);
	wp_live_put(pub->live);
	pub->live = NULL;
	while (!err) {
		forget_ended(pub);
		ask = ask_for_missed(pub);
		when = publish_dirty(pub, &all);
		if (all && write(pub->told, &one, sizeof(one)) < 0)
			wp_debug("eventfd: %s", strerror(errno));
		err = wait_for(pub, when < ask ? when : ask);
		if (is_to_stop(pub))
			break;
		gather(drained);
		drained = wp_clock_now();
		if (!err)
			err = drain(pub);
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
	for (i = 0; i < NR_BUCKETS; i++) {
		while (pub->bucket[i])
			forget(pub, pub->bucket[i]->pid);
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
