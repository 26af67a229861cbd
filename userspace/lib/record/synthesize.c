// SPDX-License-Identifier: GPL-2.0
/*
 * Synthesizes records of what already runs, from /proc/PID/stat, task/TID/comm and maps.
 * Called by the record command at the start of a session. All files are opened relative
 * to their process's directory, so that a reused pid cannot mix two processes; what has
 * ended meanwhile is skipped and counted.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/dir.h"
#include "lib/base/err.h"
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/perfdata/perfdata.h"
#include "lib/proc/procmaps.h"
#include "lib/record/snapshot.h"
#include "lib/record/synthesize.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"

#define COMM_SIZE	16	/* TASK_COMM_LEN; workqueues show longer names */

struct fork_record {
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
	__u64 time;
	struct wp_sample_id sid;
};

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[COMM_SIZE];
	struct wp_sample_id sid;
};

struct mmap2_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 start, len, pgoff;
	__u32 maj, min;
	__u64 ino, ino_generation;
	__u32 prot, flags;
	/* The name, padded to 8 bytes, and the sample id follow. */
	char name_and_id[PATH_MAX + 8 + sizeof(struct wp_sample_id)];
};

static struct wp_sample_id sample_id(const struct wp_synth *s, __u32 pid, __u32 tid)
{
	return (struct wp_sample_id){ .pid = pid, .tid = tid, .time = s->time, .id = s->id };
}

/* Read the first bytes of a file; -1 if it is gone. */
static ssize_t read_at(int dir, const char *name, char *buf, size_t size)
{
	ssize_t n;
	int fd;

	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? n : -1;
}

/*
 * "PID (NAME) STATE PPID ...": the name can contain anything, parentheses and newlines
 * included, so it ends at the last parenthesis.
 */
static bool parse_stat(char *stat, char **comm, __u32 *ppid)
{
	char *open = strchr(stat, '('), *close = strrchr(stat, ')');
	unsigned int v;
	char state;

	if (!open || !close || close < open)
		return false;
	if (sscanf(close + 1, " %c %u", &state, &v) != 2)
		return false;
	*close = '\0';
	*comm = open + 1;
	*ppid = v;
	return true;
}

static int emit_fork(struct wp_synth *s, __u32 pid, __u32 tid, __u32 ppid)
{
	struct fork_record r = {
		.header.type = PERF_RECORD_FORK,
		/* This keeps readers from copying the parent's mappings. */
		.header.misc = PERF_RECORD_MISC_FORK_EXEC,
		.header.size = sizeof(r),
		.pid = pid,
		.tid = tid,
		/* As perf: all threads of a process descend from the first. */
		.ppid = tid == pid ? ppid : pid,
		.ptid = tid == pid ? ppid : pid,
		.time = s->time,
		.sid = sample_id(s, pid, tid),
	};

	return s->fn(s->ctx, &r.header, s->time);
}

static int emit_comm(struct wp_synth *s, __u32 pid, __u32 tid, const char *comm)
{
	struct comm_record r = {
		.header.type = PERF_RECORD_COMM,
		.header.size = sizeof(r),
		.pid = pid,
		.tid = tid,
		.sid = sample_id(s, pid, tid),
	};

	/* All 16 bytes are written; zeros after the end are allowed. */
	strncpy(r.comm, comm, sizeof(r.comm) - 1);
	return s->fn(s->ctx, &r.header, s->time);
}

static int emit_map(struct wp_synth *s, __u32 pid, const struct wp_procmap *m)
{
	struct wp_sample_id sid = sample_id(s, pid, pid);
	size_t len = strlen(m->name), padded;
	struct mmap2_record r = {
		.header.type = PERF_RECORD_MMAP2,
		.header.misc = PERF_RECORD_MISC_USER,
		.pid = pid,
		.tid = pid,
		.start = m->start,
		.len = m->end - m->start,
		.pgoff = m->pgoff,
		.maj = m->maj,
		.min = m->min,
		.ino = m->ino,
		.prot = m->prot,
		.flags = m->flags,
	};

	if (len > PATH_MAX - 1)
		len = PATH_MAX - 1;
	padded = (len + 1 + 7) & ~(size_t)7;
	memcpy(r.name_and_id, m->name, len);
	memcpy(r.name_and_id + padded, &sid, sizeof(sid));
	r.header.size = offsetof(struct mmap2_record, name_and_id) + padded + sizeof(sid);
	return s->fn(s->ctx, &r.header, s->time);
}

/*
 * A deleted file can be read through its mapping, but only now. @dir: the process's
 * directory, or -1: opened here.
 */
static void read_deleted(const struct wp_synth *s, int dir, __u32 pid,
			 const struct wp_procmap *m, struct wp_buildid *id)
{
	struct stat st;
	char path[80];
	int own = -1, place, fd;

	if (dir < 0) {
		snprintf(path, sizeof(path), "%s/%u", s->root ? s->root : "/proc", pid);
		own = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		dir = own;
	}
	place = wp_procdir_mapping(dir, m->start, m->end);
	fd = place < 0 ? -1 : wp_openfile_found(place, &st);
	if (fd >= 0) {
		wp_filereader_loaded_id(fd, id);
		close(fd);
	}
	if (place >= 0)
		close(place);
	if (own >= 0)
		close(own);
}

static void note_buildid(struct wp_synth *s, int dir, __u32 pid, struct wp_procmap *m)
{
	static const char gone[] = " (deleted)";
	const struct wp_mapped map = {
		.file = { m->maj, m->min, m->ino }, .pid = pid, .start = m->start, .end = m->end,
	};
	size_t len = strlen(m->name);
	struct wp_buildid id = { 0 };
	struct wp_dso *dso;

	if (s->ids && !wp_buildid_wants_path(m->name))
		wp_buildids_code(s->ids, m->name, pid);
	if (!s->ids || !wp_buildid_wants_path(m->name))
		return;
	dso = wp_buildids_map(s->ids, m->name, &map, NULL);
	if (!dso)
		return;
	m->maj = dso->last.file.maj;
	m->min = dso->last.file.min;
	m->ino = dso->last.file.ino;
	if (dso->id.size || dso->tried || len < sizeof(gone) ||
	    strcmp(m->name + len - (sizeof(gone) - 1), gone))
		return;
	read_deleted(s, dir, pid, m, &id);
	if (id.size)
		dso->id = id;
}

static int write_map(struct wp_synth *s, int dir, __u32 pid, struct wp_procmap m)
{
	if (!*m.name)
		m.name = "//anon";
	note_buildid(s, dir, pid, &m);
	return emit_map(s, pid, &m);
}

struct maps_of {
	struct wp_synth *s;
	__u32 pid;
};

static int synthesize_map(void *ctx, int dir, const struct wp_procmap *m)
{
	struct maps_of *of = ctx;

	return write_map(of->s, dir, of->pid, *m);
}

/* If memory runs out, only the process's mappings are missing. */
static void note_busy(struct wp_busy *busy, __u32 pid)
{
	__u32 *more;

	if (busy->nr == busy->room) {
		size_t room = 2 * busy->room + 16;

		more = reallocarray(busy->pid, room, sizeof(*more));
		if (!more)
			return;
		busy->pid = more;
		busy->room = room;
	}
	busy->pid[busy->nr++] = pid;
}

static int synthesize_maps(struct wp_synth *s, struct wp_procmaps *t, int dir, __u32 pid)
{
	struct maps_of of = { s, pid };
	int ret;

	if (s->no_maps)
		return 0;
	ret = wp_procmaps_each(t, dir, PROT_EXEC, synthesize_map, &of);
	if (ret == -EBUSY) {
		s->nr_busy++;
		if (s->busy)
			note_busy(s->busy, pid);
		return 0;
	}
	if (ret != -ESRCH)
		return ret;
	s->nr_vanished++;
	return 0;
}

static bool parse_id(const char *s, __u32 *id)
{
	unsigned long v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	v = strtoul(s, &end, 10);
	*id = v;
	return !*end && !errno && v && v <= INT_MAX;
}

static int synthesize_threads(struct wp_synth *s, int dir, __u32 pid)
{
	char path[64], comm[128];
	struct dirent *e;
	__u32 tid;
	int ret = 0;
	DIR *d;

	d = wp_opendirat(dir, "task");
	if (!d) {
		s->nr_vanished++;
		return 0;
	}
	while (!ret && (e = readdir(d))) {
		ssize_t n;

		/* The first thread has been emitted already. */
		if (!parse_id(e->d_name, &tid) || tid == pid)
			continue;
		snprintf(path, sizeof(path), "%u/comm", tid);
		n = read_at(dirfd(d), path, comm, sizeof(comm));
		if (n < 0) {
			s->nr_vanished++;
			continue;
		}
		/* Only the last newline is not part of the name. */
		if (comm[n - 1] == '\n')
			comm[n - 1] = '\0';
		ret = emit_fork(s, pid, tid, pid);
		if (!ret)
			ret = emit_comm(s, pid, tid, comm);
		s->nr_threads++;
	}
	closedir(d);
	return ret;
}

/* What parse_stat() has of a busy process. */
static bool read_unlocked(int dir, char *name, size_t size, __u32 *ppid)
{
	char status[1024], *parent;
	ssize_t n = read_at(dir, "comm", name, size);

	if (n < 0 || read_at(dir, "status", status, sizeof(status)) < 0)
		return false;
	if (name[n - 1] == '\n')
		name[n - 1] = '\0';
	parent = strstr(status, "\nPPid:\t");
	*ppid = parent ? strtoul(parent + 7, NULL, 10) : 0;
	return true;
}

static int synthesize_process(struct wp_synth *s, struct wp_procmaps *t, int dir, __u32 pid)
{
	struct wp_procfile_text stat = { 0 };
	char name[128], *comm;
	__u32 ppid;
	ssize_t n;
	int ret;

	n = wp_procfile_read_at(dir, "stat", 0, WP_PROCFILE_STAT, &stat);
	if (n == -EBUSY ? !read_unlocked(dir, name, sizeof(name), &ppid) :
	    n <= 0 || !parse_stat(stat.text, &comm, &ppid)) {
		free(stat.text);
		s->nr_vanished++;
		return 0;
	}
	snprintf(name, n > 0 ? sizeof(name) : 0, "%s", n > 0 ? comm : "");
	free(stat.text);
	ret = emit_fork(s, pid, pid, ppid);
	if (!ret)
		ret = emit_comm(s, pid, pid, name);
	if (!ret)
		ret = synthesize_maps(s, t, dir, pid);
	if (!ret)
		ret = synthesize_threads(s, dir, pid);
	s->nr_processes++;
	s->nr_threads++;
	return ret;
}

static bool is_followed(const struct wp_synth *s, __u32 pid)
{
	return !s->followed || wp_sideband_is_wanted(s->followed, pid);
}

/**
 * wp_proc_synthesize_all() - emit records of all processes
 * @s: destination
 *
 * Return: 0, a negative errno, or what the callback returned.
 */
int wp_proc_synthesize_all(struct wp_synth *s)
{
	const char *root = s->root ? s->root : "/proc";
	struct wp_procmaps t = { 0 };
	struct dirent *e;
	int ret = 0;
	__u32 pid;
	DIR *d;

	d = opendir(root);
	if (!d) {
		ret = -errno;
		wp_err("cannot read %s: %s", root, strerror(-ret));
		return ret;
	}
	while (!ret && (e = readdir(d))) {
		int dir;

		if (!parse_id(e->d_name, &pid) || !is_followed(s, pid))
			continue;
		dir = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0) {
			s->nr_vanished++;
			continue;
		}
		ret = synthesize_process(s, &t, dir, pid);
		close(dir);
	}
	closedir(d);
	wp_procmaps_free(&t);
	return ret;
}

/**
 * wp_proc_synthesize_pid() - emit records of one process
 * @s: destination
 * @pid: process
 *
 * Return: 0, -ESRCH if there is none, or what the callback returned.
 */
int wp_proc_synthesize_pid(struct wp_synth *s, __u32 pid)
{
	struct wp_procmaps t = { 0 };
	char path[PATH_MAX];
	int dir, ret;

	snprintf(path, sizeof(path), "%s/%u", s->root ? s->root : "/proc", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		wp_err("no process has the pid %u", pid);
		return -ESRCH;
	}
	ret = synthesize_process(s, &t, dir, pid);
	close(dir);
	wp_procmaps_free(&t);
	return ret;
}

/**
 * wp_proc_synthesize_busy() - emit the mappings of processes that were busy before
 * @s: destination; its @busy holds the processes, and afterwards those that are still
 *	busy
 *
 * Return: 0 or what the callback returned.
 */
int wp_proc_synthesize_busy(struct wp_synth *s)
{
	struct wp_busy now = *s->busy;
	struct wp_procmaps t = { 0 };
	char path[PATH_MAX];
	int dir, ret = 0;
	size_t i;

	*s->busy = (struct wp_busy){ 0 };
	for (i = 0; i < now.nr && !ret; i++) {
		snprintf(path, sizeof(path), "%s/%u", s->root ? s->root : "/proc", now.pid[i]);
		dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			continue;
		ret = synthesize_maps(s, &t, dir, now.pid[i]);
		close(dir);
	}
	wp_procmaps_free(&t);
	wp_busy_free(&now);
	return ret;
}

/**
 * wp_busy_free() - free the list
 * @busy: the list
 */
void wp_busy_free(struct wp_busy *busy)
{
	free(busy->pid);
	*busy = (struct wp_busy){ 0 };
}

/* The page of system calls that the kernel shows after all mappings. */
struct gate {
	struct wp_procmap map;
	char name[32];
};

static int take_gate(void *ctx, int dir, const struct wp_procmap *m)
{
	struct gate *gate = ctx;

	(void)dir;
	if (!strcmp(m->name, "[vsyscall]")) {
		gate->map = *m;
		gate->map.name = strcpy(gate->name, m->name);
	}
	return 0;
}

/* All 64-bit programs have it where this one has it. */
static void find_gate(struct gate *gate)
{
	struct wp_procmaps t = { 0 };
	int dir = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	memset(gate, 0, sizeof(*gate));
	if (dir < 0)
		return;
	wp_procmaps_each(&t, dir, PROT_EXEC, take_gate, gate);
	wp_procmaps_free(&t);
	close(dir);
}

static int write_thread(struct wp_synth *s, const struct wallprof_live_thread *t)
{
	char comm[WALLPROF_COMM_LEN + 1] = "";
	int ret;

	memcpy(comm, t->comm, sizeof(t->comm));
	ret = emit_fork(s, t->pid, t->tid, t->ppid);
	s->nr_threads++;
	return ret ? ret : emit_comm(s, t->pid, t->tid, comm);
}

static int write_process(struct wp_synth *s, const struct wp_snapshot *snap, size_t *at,
			 const struct wallprof_live_thread *t, const struct gate *gate)
{
	const struct wallprof_live_map *map;
	bool wide = false;
	int ret = 0;

	if (!is_followed(s, t->pid)) {
		while (wp_snapshot_map(snap, at))
			;
		return 0;
	}
	ret = write_thread(s, t);
	while (!ret && (map = wp_snapshot_map(snap, at))) {
		/* 32-bit programs and their vdso are below. */
		wide |= map->end > 1ULL << 32;
		ret = write_map(s, -1, t->pid, wp_snapshot_procmap(map));
	}
	if (!ret && wide && gate->map.name)
		ret = emit_map(s, t->pid, &gate->map);
	if (t->flags & WALLPROF_LIVE_NO_MAPS) {
		s->nr_busy++;
		if (s->busy)
			note_busy(s->busy, t->pid);
	}
	s->nr_processes++;
	return ret;
}

/**
 * wp_proc_synthesize_snapshot() - emit records of all processes, from the module's snapshot
 * @s: destination
 * @snap: the snapshot
 *
 * Return: 0, a negative errno, or what the callback returned.
 */
int wp_proc_synthesize_snapshot(struct wp_synth *s, const struct wp_snapshot *snap)
{
	const struct wallprof_live_thread *t;
	struct gate gate;
	size_t at = 0;
	int ret = 0;

	find_gate(&gate);
	while (!ret && (t = wp_snapshot_thread(snap, &at))) {
		if (t->tid == t->pid)
			ret = write_process(s, snap, &at, t, &gate);
	}
	/* Readers look up a thread's process, which may have a higher number. */
	for (at = 0; !ret && (t = wp_snapshot_thread(snap, &at));) {
		if (t->tid != t->pid && is_followed(s, t->pid))
			ret = write_thread(s, t);
	}
	return ret;
}
