// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the reading of /proc/PID: stat, task/TID/comm and maps. Called from
 * cmd/record.c at the start of a session. All files are opened relative to
 * their process's directory, so that a number that is used again cannot mix two
 * processes, and whatever is gone meanwhile is skipped and counted.
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

#include "lib/err.h"
#include "lib/perfdata.h"
#include "lib/proc.h"

#define COMM_SIZE	16	/* TASK_COMM_LEN; workqueues show longer names */
#define MAPS_CHUNK	(1 << 16)
#define MAPS_MAX	(1 << 28)

struct scratch {
	char *text;	/* of one file, grows */
	size_t room;
};

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

struct map_line {
	__u64 start, end, pgoff, ino;
	__u32 maj, min, prot, flags;
	char *name;
};

static struct wp_sample_id sample_id(const struct wp_synth *s, __u32 pid, __u32 tid)
{
	return (struct wp_sample_id){ .pid = pid, .tid = tid, .time = s->time, .id = s->id };
}

/* The first bytes of a file; -1 if it is gone. */
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
 * "PID (NAME) STATE PPID ...": the name can hold anything, parentheses and
 * newlines included, so it ends at the last parenthesis.
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
		/* So readers do not copy the parent's mappings. */
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

	/* All 16 bytes are written, as zeros after the end do no harm. */
	strncpy(r.comm, comm, sizeof(r.comm) - 1);
	return s->fn(s->ctx, &r.header, s->time);
}

static int emit_map(struct wp_synth *s, __u32 pid, const struct map_line *m)
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

static bool get_hex(char **p, __u64 *v, char end)
{
	char *from = *p;

	for (*v = 0; isxdigit((unsigned char)**p); (*p)++) {
		unsigned char c = **p;

		*v = *v << 4 | (isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	if (*p == from || *p - from > 16 || **p != end)
		return false;
	(*p)++;
	return true;
}

/* start-end rwxp pgoff maj:min ino    name */
static bool parse_map(char *line, struct map_line *m)
{
	__u64 maj, min;
	char *p = line;

	if (!get_hex(&p, &m->start, '-') || !get_hex(&p, &m->end, ' ') || m->end <= m->start)
		return false;
	if (strnlen(p, 5) < 5 || p[4] != ' ')
		return false;
	m->prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) |
		  (p[2] == 'x' ? PROT_EXEC : 0);
	m->flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	p += 5;
	if (!get_hex(&p, &m->pgoff, ' ') || !get_hex(&p, &maj, ':') || !get_hex(&p, &min, ' '))
		return false;
	m->maj = maj;
	m->min = min;
	if (!isdigit((unsigned char)*p))
		return false;
	m->ino = strtoull(p, &p, 10);
	if (*p && *p != ' ')
		return false;
	while (*p == ' ')
		p++;
	m->name = p;
	return true;
}

/*
 * A newline in a file name is shown as \012, and a name that holds these four
 * characters looks the same. The inode tells which it is; if neither name
 * leads to it, the newline is taken for more likely.
 */
static void unescape(int dir, struct map_line *m)
{
	char path[PATH_MAX + 8], *from, *to;
	struct stat st;

	if (!strstr(m->name, "\\012"))
		return;
	snprintf(path, sizeof(path), "root%s", m->name);
	if (!fstatat(dir, path, &st, 0) && st.st_ino == m->ino)
		return;
	for (from = to = m->name; *from; ) {
		if (!strncmp(from, "\\012", 4)) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* The file behind a name that is gone can be read through its mapping, now. */
static void note_buildid(struct wp_synth *s, int dir, __u32 pid, const struct map_line *m)
{
	static const char gone[] = " (deleted)";
	size_t len = strlen(m->name);
	struct wp_buildid id;
	struct wp_dso *dso;
	char path[64];
	int fd;

	if (!s->ids || !wp_buildid_wants_path(m->name))
		return;
	dso = wp_buildids_add(s->ids, m->name, pid, false, NULL);
	if (!dso)
		return;
	if (!dso->ino) {
		dso->maj = m->maj;
		dso->min = m->min;
		dso->ino = m->ino;
	}
	if (dso->id.size || len < sizeof(gone) ||
	    strcmp(m->name + len - (sizeof(gone) - 1), gone))
		return;
	snprintf(path, sizeof(path), "map_files/%llx-%llx", (unsigned long long)m->start,
		 (unsigned long long)m->end);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	if (!wp_buildid_from_fd(fd, &id))
		dso->id = id;
	close(fd);
}

/* The whole file, as a process's mappings may change between two reads. */
static ssize_t read_maps(struct scratch *t, int dir)
{
	size_t len = 0;
	ssize_t n;
	int fd;

	fd = openat(dir, "maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	for (;;) {
		if (len + MAPS_CHUNK + 1 > t->room) {
			size_t room = 2 * t->room + MAPS_CHUNK + 1;
			char *p = room <= MAPS_MAX ? realloc(t->text, room) : NULL;

			if (!p)
				break;
			t->text = p;
			t->room = room;
		}
		n = read(fd, t->text + len, MAPS_CHUNK);
		if (n <= 0)
			break;
		len += n;
	}
	close(fd);
	if (t->text)
		t->text[len] = '\0';
	return len;
}

static int synthesize_maps(struct wp_synth *s, struct scratch *t, int dir, __u32 pid)
{
	ssize_t len = read_maps(t, dir);
	char *line = t->text, *end;
	int ret = 0;

	if (len < 0) {
		s->nr_vanished++;
		return 0;
	}
	for (; len > 0 && *line && !ret; line = end) {
		struct map_line m;

		end = strchr(line, '\n');
		if (!end)
			break;
		*end++ = '\0';
		if (!parse_map(line, &m) || !(m.prot & PROT_EXEC))
			continue;
		if (!*m.name)
			m.name = "//anon";
		else
			unescape(dir, &m);
		note_buildid(s, dir, pid, &m);
		ret = emit_map(s, pid, &m);
	}
	return ret;
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
	int fd, ret = 0;
	__u32 tid;
	DIR *d;

	fd = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d) {
		if (fd >= 0)
			close(fd);
		s->nr_vanished++;
		return 0;
	}
	while (!ret && (e = readdir(d))) {
		ssize_t n;

		/* The first thread has been told already. */
		if (!parse_id(e->d_name, &tid) || tid == pid)
			continue;
		snprintf(path, sizeof(path), "%u/comm", tid);
		n = read_at(fd, path, comm, sizeof(comm));
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

static int synthesize_process(struct wp_synth *s, struct scratch *t, int dir, __u32 pid)
{
	char stat[1024], *comm;
	__u32 ppid;
	int ret;

	if (read_at(dir, "stat", stat, sizeof(stat)) < 0 || !parse_stat(stat, &comm, &ppid)) {
		s->nr_vanished++;
		return 0;
	}
	ret = emit_fork(s, pid, pid, ppid);
	if (!ret)
		ret = emit_comm(s, pid, pid, comm);
	if (!ret)
		ret = synthesize_maps(s, t, dir, pid);
	if (!ret)
		ret = synthesize_threads(s, dir, pid);
	s->nr_processes++;
	s->nr_threads++;
	return ret;
}

/**
 * wp_proc_synthesize_all() - tell about all processes
 * @s: where to
 *
 * Return: 0, a negative errno, or what the callback returned.
 */
int wp_proc_synthesize_all(struct wp_synth *s)
{
	const char *root = s->root ? s->root : "/proc";
	struct scratch t = { 0 };
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

		if (!parse_id(e->d_name, &pid))
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
	free(t.text);
	return ret;
}

/**
 * wp_proc_synthesize_pid() - tell about one process
 * @s: where to
 * @pid: process
 *
 * Return: 0, -ESRCH if there is none, or what the callback returned.
 */
int wp_proc_synthesize_pid(struct wp_synth *s, __u32 pid)
{
	struct scratch t = { 0 };
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
	free(t.text);
	return ret;
}
