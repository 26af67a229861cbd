// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the mappings of dirty processes and publishes them, within a limit for their time.
 * Called by mapsync.c and mapsnapshot.c, in mapsync.c's thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/record/mapprocs.h"
#include "lib/record/mappublish.h"
#include "lib/symbols/livejvm.h"
#include "lib/symbols/livepython.h"

#define NSEC_PER_MSEC	1000000ULL

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

/*
 * Delays before a process is published again whose interpreter was not ready: the first one,
 * doubled so often. It becomes ready soon after the program begins, or never.
 */
#define INTERP_NS	(5 * NSEC_PER_MSEC)
#define INTERP_DOUBLED	9
#define INTERP_LOOKS	60

/* A search for an interpreter counts as so many times as long. */
#define LOOK_SHARE	2

/* Delay before a busy process is tried again. */
#define BUSY_NS		(200 * NSEC_PER_MSEC)

/*
 * A busy target is waited for until so many reads have failed, a second at least: it holds the
 * lock itself, and may only lack a CPU. Of the whole host no busy process is waited for.
 */
#define BUSY_READS	5

/* End of user addresses; the vsyscall page is beyond. */
#define USER_END	(1ULL << 56)

/* Mappings of a process, and the directory in which their files are looked up. */
struct seen_in {
	struct wp_mapsync *sync;
	int dir;			/* -1: there are none yet */
};

/*
 * Field 28 of /proc/PID/stat; 0 if it may not be read, or the process is busy.
 * @has_ended: set if the process has ended.
 */
static __u64 read_start_stack(int dir, bool *has_ended)
{
	struct wp_procfile_text t = { 0 };
	__u64 start = 0;
	char *p;
	int field;

	*has_ended = false;
	if (wp_procfile_read_at(dir, "stat", 0, WP_PROCFILE_STAT, &t) > 0) {
		*has_ended = wp_procdir_has_ended(t.text);
		/* The name, field 2, can contain anything. */
		p = strrchr(t.text, ')');
		for (field = 2; p && field < 28; field++)
			p = strchr(p + 1, ' ');
		start = p ? strtoull(p, NULL, 10) : 0;
	}
	free(t.text);
	return start;
}

/**
 * wp_mappublish_add_map_of() - add a mapping of the current process, and its file
 * @sync: the state of mapsync.c
 * @file: the file
 * @m: the mapping
 *
 * Return: 0 or -ENOMEM.
 */
int wp_mappublish_add_map_of(struct wp_mapsync *sync, struct wp_codefile *file,
			     const struct wp_procmap *m)
{
	struct wallprof_map *map;

	sync->nr_interps += sync->opt.interps && wp_livepython_is(m->name);
	sync->nr_jvms += sync->opt.jvms && wp_livejvm_is(m->name);
	if (sync->nr_maps == sync->room) {
		size_t room = 2 * sync->room + 64;

		map = realloc(sync->map, room * sizeof(*map));
		if (!map)
			return -ENOMEM;
		sync->map = map;
		sync->room = room;
	}
	map = &sync->map[sync->nr_maps++];
	if (!wp_codefile_map(sync->files, file, m, map))
		sync->unsettled = true;
	return 0;
}

/**
 * wp_mappublish_is_published() - check whether a mapping is published
 * @sync: the state of mapsync.c
 * @m: the mapping
 *
 * Return: true if it is: at a user address, and one of those for which there is room.
 */
bool wp_mappublish_is_published(const struct wp_mapsync *sync, const struct wp_procmap *m)
{
	return m->end <= USER_END && sync->nr_maps < WALLPROF_MAX_MAPS;
}

/*
 * Files are looked up in one batch at the end: see wp_codefiles_find(). @dir may change
 * until then.
 */
static int see_map(void *ctx, int dir, const struct wp_procmap *m)
{
	struct seen_in *in = ctx;
	struct wp_mapsync *sync = in->sync;

	if (m->end > USER_END || sync->nr_seen == WALLPROF_MAX_MAPS)
		return 0;
	if (in->dir < 0)
		in->dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	if (sync->nr_seen == sync->room_seen) {
		size_t room = 2 * sync->room_seen + 64;
		struct wp_procmap *seen = reallocarray(sync->seen, room, sizeof(*seen));
		struct wp_codefile **file;

		sync->seen = seen ? seen : sync->seen;
		file = reallocarray(sync->seen_file, room, sizeof(*file));
		sync->seen_file = file ? file : sync->seen_file;
		if (!seen || !file)
			return -ENOMEM;
		sync->room_seen = room;
	}
	sync->seen[sync->nr_seen++] = *m;
	return 0;
}

/* Read a process's mappings, and look up their files. */
static int add_maps(struct wp_mapsync *sync, int dir)
{
	struct seen_in in = { sync, -1 };
	size_t i;
	int err;

	sync->nr_seen = 0;
	err = wp_procmaps_each(&sync->text, dir, PROT_EXEC, see_map, &in);
	/* The maps may be hidden from us although the process exists. */
	if (err == -ESRCH && (errno == EACCES || errno == EPERM))
		err = -errno;
	if (!err && sync->nr_seen)
		err = wp_codefiles_find(sync->files, in.dir, sync->seen, sync->nr_seen,
					sync->seen_file);
	if (in.dir >= 0)
		close(in.dir);
	for (i = 0; i < sync->nr_seen && !err; i++)
		err = wp_mappublish_add_map_of(sync, sync->seen_file[i], &sync->seen[i]);
	return err;
}

/*
 * Earliest time at which a process may be read. Where many processes start all the time,
 * their burst allowances would add up to all of the time.
 */
static __u64 not_before(const struct wp_mapsync *sync, const struct wp_mapproc *p)
{
	__u64 burst = SHARE * BURST_NS;

	if (sync->paid_until > wp_clock_now() + ALL_SHARE * ALL_BURST_NS)
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
 * last, is not read after each. The search for an interpreter is mostly for the symbols of its
 * file, once for all processes: it must not delay what the process maps next.
 */
static void pay(struct wp_mapsync *sync, struct wp_mapproc *p, __u64 begun, __u64 now)
{
	pay_share(&p->paid_until, begun, LOOK_SHARE * sync->looked_ns);
	begun += sync->looked_ns;
	sync->looked_ns = 0;
	p->rest_until = now + (now - begun);
	pay_share(&p->paid_until, now, SHARE * (now - begun));
	pay_share(&sync->paid_until, now, ALL_SHARE * (now - begun));
	/*
	 * The cost of a read of the whole host must not be charged to processes that
	 * start long after.
	 */
	if (sync->paid_until > now + 2 * ALL_SHARE * ALL_BURST_NS)
		sync->paid_until = now + 2 * ALL_SHARE * ALL_BURST_NS;
}

/*
 * Look for a process's interpreter, unless it has one, or had none when it mapped the same
 * files.
 */
static void look_for_interp(struct wp_mapsync *sync, struct wp_mapproc *p, __u64 start_stack)
{
	struct wallprof_interp interp;
	__u64 begun;
	int err;

	if (p->looked_in != start_stack || !sync->nr_interps) {
		free(p->interp);
		p->interp = NULL;
		p->looked_at = 0;
		p->looks = 0;
		wp_interps_forget(sync->opt.interps, p->pid);
	}
	p->looked_in = start_stack;
	/* Without tables no stack comes to it. It is published again when they are ready. */
	if (p->interp || sync->unsettled || (p->looked_at == sync->nr_interps && !p->looks))
		return;
	if (p->looked_at != sync->nr_interps)
		p->looks = 0;
	p->looked_at = sync->nr_interps;
	begun = wp_clock_now();
	err = wp_interps_look(sync->opt.interps, p->pid, &interp);
	sync->looked_ns += wp_clock_now() - begun;
	p->looks = err == -EAGAIN && p->looks < INTERP_LOOKS ? p->looks + 1 : 0;
	p->interp = err ? NULL : malloc(sizeof(interp));
	if (p->interp)
		*p->interp = interp;
	else
		wp_interps_forget(sync->opt.interps, p->pid);
}

/* Look at the code of a process's JVM, and give its mappings their tables. */
static void look_for_jvm(struct wp_mapsync *sync, struct wp_mapproc *p, __u64 start_stack)
{
	__u64 begun = wp_clock_now();

	p->code_at = 0;
	if (!sync->nr_jvms) {
		wp_jvms_forget(sync->opt.jvms, p->pid);
		return;
	}
	p->program = start_stack;
	wp_jvms_look(sync->opt.jvms, p->pid, start_stack);
	sync->looked_ns += wp_clock_now() - begun;
	wp_jvms_tables(sync->opt.jvms, p->pid, sync->map, sync->nr_maps, sync->opt.push_code,
		       sync->opt.ctx);
	p->code_at = wp_jvms_next(sync->opt.jvms, p->pid);
}

/**
 * wp_mappublish_maps() - publish the mappings of the current process, and its interpreter
 * @sync: the state of mapsync.c
 * @p: the process
 * @start_stack: start of its stack
 *
 * Return: what the module answered: 0 or a negative errno.
 */
int wp_mappublish_maps(struct wp_mapsync *sync, struct wp_mapproc *p, __u64 start_stack)
{
	if (sync->opt.interps)
		look_for_interp(sync, p, start_stack);
	if (sync->opt.jvms)
		look_for_jvm(sync, p, start_stack);
	return sync->opt.maps(sync->opt.ctx, p->pid, start_stack, sync->map, sync->nr_maps,
			      p->interp);
}

static void set_next_look(struct wp_mapproc *p)
{
	unsigned int doubled = p->looks < INTERP_DOUBLED ? p->looks : INTERP_DOUBLED;

	p->look_at = p->looks ? wp_clock_now() + (INTERP_NS << doubled) : 0;
}

/**
 * wp_mappublish_look_again() - have an interpreter looked at again that was not ready
 * @sync: the state of mapsync.c
 * @p: the process, published
 */
void wp_mappublish_look_again(struct wp_mapsync *sync, struct wp_mapproc *p)
{
	set_next_look(p);
	if (p->look_at || p->code_at) {
		wp_mapprocs_mark(sync, p);
		sync->pending = true;
	}
}

/*
 * Look at it, without reading the mappings again: many programs have Python's library, and
 * never use it. If it is ready now, the process is published with it.
 */
static void look_at_interp(struct wp_mapsync *sync, struct wp_mapproc *p)
{
	int err = wp_interps_again(sync->opt.interps, p->pid);

	p->look_at = 0;
	if (!err) {
		p->dirty = true;
		return;
	}
	p->looks = err == -EAGAIN && p->looks < INTERP_LOOKS ? p->looks + 1 : 0;
	set_next_look(p);
}

/* If its code has changed, the process is published with the tables of what is there now. */
static void look_at_code(struct wp_mapsync *sync, struct wp_mapproc *p)
{
	p->dirty |= wp_jvms_look(sync->opt.jvms, p->pid, p->program);
	p->code_at = wp_jvms_next(sync->opt.jvms, p->pid);
}

/* Keep the published mappings of a process, to publish them again. */
static void keep_maps(struct wp_mapsync *sync, struct wp_mapproc *p, __u64 start_stack)
{
	free(p->map);
	p->map = malloc(sync->nr_maps * sizeof(*p->map));
	if (!p->map)
		return;
	memcpy(p->map, sync->map, sync->nr_maps * sizeof(*p->map));
	p->nr_maps = sync->nr_maps;
	p->start_stack = start_stack;
}

/*
 * Publish again what was published before the session began; returns whether there was
 * anything. The process has mapped nothing since, or it would be dirty.
 */
static bool republish(struct wp_mapsync *sync, struct wp_mapproc *p)
{
	int err = 1;

	if (p->map && !p->dirty)
		err = sync->opt.maps(sync->opt.ctx, p->pid, p->start_stack, p->map, p->nr_maps,
				     p->interp);
	free(p->map);
	p->map = NULL;
	p->again = false;
	if (!err) {
		sync->stats.published++;
		p->published_at = wp_clock_now();
	}
	return !err;
}

/* A lock of the process is contended: try it later, without holding up others. */
static void note_busy(struct wp_mapsync *sync, struct wp_mapproc *p)
{
	wp_mapprocs_set_dirty(sync, p);
	p->busy++;
	p->rest_until = wp_clock_now() + BUSY_NS;
}

/**
 * wp_mappublish_note_published() - note that a process was published
 * @sync: the state of mapsync.c
 * @p: the process
 * @start_stack: start of its stack
 * @err: what the module answered: 0 or a negative errno
 *
 * Return: whether it still exists.
 */
bool wp_mappublish_note_published(struct wp_mapsync *sync, struct wp_mapproc *p,
				  __u64 start_stack, int err)
{
	p->unsettled = sync->unsettled;
	if (!err && !sync->republished)
		keep_maps(sync, p, start_stack);
	if (err == -ESRCH)
		return false;
	if (err == -ENOENT)
		wp_codefiles_forget(sync->files);
	if (err == -ENOENT && sync->opt.jvms)
		wp_jvms_drop_tables(sync->opt.jvms);
	if (err == -ESTALE || err == -ENOENT) {
		wp_mapprocs_set_dirty(sync, p);
	} else if (err == -EPERM || err == -EACCES) {
		sync->stats.denied += !p->denied;
		p->denied = true;
		/* More tables would not help. */
		p->unsettled = false;
	} else if (err) {
		sync->stats.refused++;
		sync->stats.error = err;
	} else {
		sync->stats.published++;
		p->denied = false;
		p->published_at = wp_clock_now();
	}
	if (p->unsettled)
		wp_mapprocs_mark(sync, p);
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
static bool publish(struct wp_mapsync *sync, struct wp_mapproc *p)
{
	__u64 begun = wp_clock_now(), ended, start_stack = 0;
	bool there;
	int dir, err;

	dir = open_process(p->pid, &start_stack);
	if (dir < 0)
		return false;
	p->dirty = false;
	p->due = false;
	sync->nr_maps = 0;
	sync->nr_interps = 0;
	sync->nr_jvms = 0;
	sync->looked_ns = 0;
	sync->unsettled = false;
	err = add_maps(sync, dir);
	close(dir);
	if (err == -EBUSY) {
		note_busy(sync, p);
		return true;
	}
	p->busy = 0;
	/* A kernel thread, or a zombie. */
	if (!err && !sync->nr_maps)
		return false;
	if (!err)
		err = wp_mappublish_maps(sync, p, start_stack);
	there = wp_mappublish_note_published(sync, p, start_stack, err);
	ended = wp_clock_now();
	pay(sync, p, begun, ended);
	if (there)
		set_next_look(p);
	sync->stats.ns += ended - begun;
	return there;
}

/**
 * wp_mappublish_dirty() - read and publish the dirty processes
 * @sync: the state of mapsync.c
 * @all: set to whether everything has been published
 *
 * Return: when the next one is due, or ~0: none.
 */
__u64 wp_mappublish_dirty(struct wp_mapsync *sync, bool *all)
{
	const unsigned int busy_reads = sync->opt.pids ? BUSY_READS : 1;
	struct wp_mapproc *p, *next;
	__u64 when = ~0ULL;
	unsigned int i;

	*all = sync->settled;
	if (!sync->pending && (sync->next_read == when || wp_clock_now() < sync->next_read))
		return sync->next_read;
	sync->pending = false;
	sync->due = false;
	*all = true;
	for (i = wp_mapprocs_next(sync, 0); i < WP_MAPPROC_BUCKETS;
	     i = wp_mapprocs_next(sync, i + 1)) {
		for (p = sync->bucket[i]; p && !wp_mapstate_stops(sync); p = next) {
			next = p->next;
			if (p->again && !republish(sync, p)) {
				p->dirty = true;
				p->due = true;
			}
			if (!p->dirty && p->look_at && p->look_at <= wp_clock_now())
				look_at_interp(sync, p);
			if (!p->dirty && p->code_at && p->code_at <= wp_clock_now())
				look_at_code(sync, p);
			if (p->dirty && not_before(sync, p) <= wp_clock_now() &&
			    !publish(sync, p)) {
				wp_mapprocs_forget(sync, p->pid);
				continue;
			}
			if (p->dirty && not_before(sync, p) < when)
				when = not_before(sync, p);
			if (!p->dirty && p->look_at && p->look_at < when)
				when = p->look_at;
			if (!p->dirty && p->code_at && p->code_at < when)
				when = p->code_at;
			if ((p->dirty && p->busy < busy_reads) || p->unsettled)
				*all = false;
			sync->due |= p->due;
			if (p->dirty || p->unsettled || p->look_at || p->code_at)
				wp_mapprocs_mark(sync, p);
		}
	}
	sync->next_read = when;
	sync->settled = *all;
	return when;
}
