// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the per-CPU dummy events and their rings. Called by the record command, from one
 * thread.
 *
 * Only the kernel writes to a ring; still its contents are checked before use, as a
 * damaged record must not become a damaged file.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/sorter.h"
#include "lib/device/rights.h"
#include "lib/perfdata/mmaprecord.h"
#include "lib/perfdata/perfdata.h"
#include "lib/proc/kthreads.h"
#include "lib/record/sideband.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/mappedfile.h"

#define MAX_CPUS	65536
#define MAX_PID		(1 << 22)	/* PID_MAX_LIMIT */
#define RECORD_ROOM	(1 << 16)

/*
 * A record gets its timestamp a moment before it becomes visible in the ring, with
 * preemption off in between. Records younger than this wait for the next drain, so that
 * no older record of another CPU comes after them.
 */
#define SETTLE_NS	2000000ULL

#define RECHECK_NS	1000000000ULL	/* interval between checks of each event */

struct ring {
	int cpu;
	int fd;
	struct perf_event_mmap_page *page;
	size_t map_size;
	__u64 enabled;		/* time_enabled at the last check */
	__u64 lost;		/* according to LOST records */
};

/* Layout of a read of the event's descriptor; @lost only from 6.0 on. */
struct counts {
	__u64 value, enabled, lost;
};

/* Newer headers have this as an enumerator, which #ifdef cannot test. */
#define READ_LOST	(1U << 4)	/* PERF_FORMAT_LOST */

struct wp_sideband {
	struct wp_sideband_options opt;
	size_t data_size;
	struct perf_event_attr attr;
	struct ring *ring;
	unsigned int nr_rings;
	char online[4096];	/* the list of CPUs at the last check */
	unsigned char *failed;	/* by CPU: failure has been reported */
	__u64 last_check;
	struct wp_sorter sorter;
	__u64 handed_out;	/* the latest time handed out */
	unsigned char *wanted;	/* bitmap by pid */
	__u64 want_time;	/* time of the last wp_sideband_want() */
	const char *proc;	/* directory for names of new kernel threads; or NULL */
	struct wp_sideband_stats stats;
	wp_record_fn fn;
	void *fn_ctx;
	char scratch[RECORD_ROOM] __attribute__((aligned(8)));
};

/* Fixed parts of the records that are parsed. */
struct task_record {
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
	__u64 time;
};

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[];
};

struct lost_record {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

struct mmap_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 start, len, pgoff;
	char filename[];
};

static struct wp_sample_id *trailer(struct perf_event_header *rec)
{
	return (void *)((char *)rec + rec->size - sizeof(struct wp_sample_id));
}

static int want(struct wp_sideband *sb, __u32 pid)
{
	if (pid >= MAX_PID || !sb->wanted)
		return -EINVAL;
	sb->wanted[pid / 8] |= 1 << pid % 8;
	return 0;
}

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
	return want(sb, pid);
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
	if (!sb->wanted)
		return true;
	return pid < MAX_PID && sb->wanted[pid / 8] >> pid % 8 & 1;
}

static bool ask_wanted(struct wp_sideband *sb, __u32 pid)
{
	if (wp_sideband_is_wanted(sb, pid))
		return true;
	if (!sb->opt.wanted || !sb->opt.wanted(sb->opt.ctx, pid))
		return false;
	return !want(sb, pid);
}

/* A fork or exit record also updates the set of wanted processes. */
static bool passes(struct wp_sideband *sb, const struct perf_event_header *rec, __u64 time)
{
	const struct task_record *task = (const void *)rec;

	if (!sb->wanted)
		return true;
	switch (rec->type) {
	case PERF_RECORD_FORK:
		if (task->pid == task->ppid)
			return ask_wanted(sb, task->pid);
		/*
		 * A reused pid says nothing about the new process, unless that was wanted
		 * in the meantime.
		 */
		if (task->pid < MAX_PID && time > sb->want_time)
			sb->wanted[task->pid / 8] &= ~(1 << task->pid % 8);
		if (ask_wanted(sb, task->ppid))
			return !want(sb, task->pid);
		return ask_wanted(sb, task->pid);
	case PERF_RECORD_EXIT:
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return ask_wanted(sb, task->pid);
	default:
		return true;
	}
}

/*
 * Identify the file of a mapping for which the kernel gives only the build-id. The path
 * may lead to another file by now, so the mapping itself is examined.
 */
static struct wp_fileid find_file(const struct wp_mmap2_record *m)
{
	int fd = m->filename[0] == '/' ?
		wp_mappedfile_place(m->pid, m->start, m->start + m->len) : -1;
	struct wp_fileid file = { 0 };
	struct stat st;

	if (fd < 0)
		return file;
	if (!wp_openfile_known(fd, &st))
		file = (struct wp_fileid){ major(st.st_dev), minor(st.st_dev), st.st_ino };
	close(fd);
	return file;
}

/* Record the file of a mapping, with its build-id if the record has one. */
static struct wp_dso *note_file(struct wp_sideband *sb, const struct wp_mmap2_record *m,
				__u64 time, const struct wp_buildid *id, bool inlined)
{
	struct wp_mapped map = {
		.pid = m->pid, .start = m->start, .end = m->start + m->len, .time = time,
	};
	struct wp_dso *dso = NULL;

	if (!sb->opt.ids || !(m->prot & PROT_EXEC))
		return NULL;
	if (!wp_buildid_wants_path(m->filename)) {
		wp_buildids_code(sb->opt.ids, m->filename, m->pid);
		return NULL;
	}
	if (!inlined) {
		map.file = (struct wp_fileid){ m->maj, m->min, m->ino };
	} else {
		dso = wp_buildids_find_id(sb->opt.ids, m->filename, id);
		map.file = dso ? dso->last.file : find_file(m);
	}
	return wp_buildids_map(sb->opt.ids, m->filename, &map, id);
}

/*
 * Perf 5.10 warns of inline build-ids, so the build-id goes into the table, and device
 * and inode take its place. Without a table they are zero, which readers take for
 * "unknown".
 */
static void unpack_buildid(struct wp_sideband *sb, struct wp_mmap2_record *m, __u64 time)
{
	bool inlined = m->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
	struct wp_buildid id = { 0 };
	struct wp_dso *dso;

	if (inlined && m->build_id_size <= WP_BUILDID_MAX) {
		id.size = m->build_id_size;
		memcpy(id.data, m->build_id, id.size);
	}
	dso = note_file(sb, m, time, &id, inlined);
	if (inlined) {
		m->header.misc &= ~PERF_RECORD_MISC_MMAP_BUILD_ID;
		m->maj = 0;
		m->min = 0;
		m->ino = 0;
		m->ino_generation = 0;
	}
	if (!dso || (!inlined && dso->last.file.ino == m->ino))
		return;
	m->maj = dso->last.file.maj;
	m->min = dso->last.file.min;
	m->ino = dso->last.file.ino;
}

static int hand_out(void *ctx, struct perf_event_header *rec, __u64 time)
{
	struct wp_sideband *sb = ctx;

	if (!passes(sb, rec, time)) {
		sb->stats.filtered++;
		return 0;
	}
	if (rec->type == PERF_RECORD_MMAP2)
		unpack_buildid(sb, (void *)rec, time);
	if (time < sb->handed_out)
		sb->stats.late++;
	else
		sb->handed_out = time;
	sb->stats.records++;
	return sb->fn(sb->fn_ctx, rec, time);
}

/* Whether a string ends within the record. */
static bool has_string(const struct perf_event_header *rec, size_t at)
{
	size_t end = rec->size - sizeof(struct wp_sample_id);

	return at < end && memchr((const char *)rec + at, 0, end - at);
}

/*
 * Whether a record's type is known and its contents complete. An unknown type is not bad,
 * only useless.
 */
static bool is_whole(const struct perf_event_header *rec)
{
	size_t id = sizeof(struct wp_sample_id);

	switch (rec->type) {
	case PERF_RECORD_MMAP:
		return has_string(rec, offsetof(struct mmap_record, filename));
	case PERF_RECORD_MMAP2:
		return has_string(rec, offsetof(struct wp_mmap2_record, filename));
	case PERF_RECORD_COMM:
		return has_string(rec, offsetof(struct comm_record, comm));
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return rec->size == sizeof(struct task_record) + id;
	case PERF_RECORD_LOST:
		return rec->size == sizeof(struct lost_record) + id;
	case PERF_RECORD_LOST_SAMPLES:
		return rec->size == sizeof(struct perf_event_header) + 8 + id;
	default:
		return true;
	}
}

static bool is_asked_for(__u32 type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return true;
	default:
		return false;
	}
}

/* Emit the name of a kernel thread that had none yet when it was forked. */
static int name_kthread(struct wp_sideband *sb, const struct task_record *fork,
			const struct wp_sample_id *id)
{
	struct {
		struct perf_event_header header;
		__u32 pid, tid;
		char comm[16];
		struct wp_sample_id id;
	} rec = {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(rec) },
		.pid = fork->pid,
		.tid = fork->tid,
		.id = *id,
	};

	if (!wp_kthreads_name(sb->proc, fork->tid, rec.comm, sizeof(rec.comm)))
		return 0;
	rec.id.pid = fork->pid;
	rec.id.tid = fork->tid;
	return wp_sorter_add(&sb->sorter, &rec.header, id->time);
}

static int take_record(struct wp_sideband *sb, int cpu, struct perf_event_header *rec)
{
	struct wp_sample_id *id = trailer(rec);
	const struct task_record *task = (const void *)rec;
	int err;

	if (!is_asked_for(rec->type)) {
		sb->stats.unknown++;
		return 0;
	}
	if (!is_whole(rec)) {
		sb->stats.bad++;
		return 0;
	}
	if (sb->opt.file_id)
		id->id = sb->opt.file_id(sb->opt.ctx, cpu);
	if (rec->type == PERF_RECORD_LOST) {
		struct lost_record *lost = (void *)rec;

		sb->stats.lost += lost->lost;
		lost->id = id->id;
	} else if (rec->type == PERF_RECORD_LOST_SAMPLES) {
		sb->stats.lost += *(__u64 *)(rec + 1);
	}
	err = wp_sorter_add(&sb->sorter, rec, id->time);
	if (!err && sb->proc && rec->type == PERF_RECORD_FORK && task->ppid == WP_KTHREADD)
		err = name_kthread(sb, task, id);
	return err;
}

/**
 * wp_sideband_feed() - process the records of a ring
 * @sb: the sideband
 * @cpu: CPU of the ring
 * @data: the ring's data
 * @size: its size, a power of two
 * @head: the kernel's write position
 * @tail: our read position; set to @head
 *
 * A record with an impossible size makes the rest of the ring unreadable: it is skipped,
 * and counted as one bad record.
 *
 * Return: 0 or a negative errno.
 */
int wp_sideband_feed(struct wp_sideband *sb, int cpu, const void *data, size_t size,
		     __u64 head, __u64 *tail)
{
	const char *base = data;
	__u64 pos = *tail;
	int ret = 0;

	*tail = head;
	if (head - pos > size) {
		sb->stats.bad++;
		return 0;
	}
	while (pos != head && !ret) {
		struct perf_event_header *rec = (void *)sb->scratch;
		size_t at = pos & (size - 1), first;

		/* Headers are 8-byte aligned, so they never wrap around. */
		if (head - pos < sizeof(*rec) || at % sizeof(*rec)) {
			sb->stats.bad++;
			break;
		}
		memcpy(rec, base + at, sizeof(*rec));
		if (rec->size < sizeof(*rec) + sizeof(struct wp_sample_id) ||
		    rec->size % sizeof(__u64) || rec->size > head - pos) {
			sb->stats.bad++;
			break;
		}
		first = rec->size < size - at ? rec->size : size - at;
		memcpy((char *)rec + sizeof(*rec), base + at + sizeof(*rec),
		       first - sizeof(*rec));
		memcpy((char *)rec + first, base, rec->size - first);
		pos += rec->size;
		ret = take_record(sb, cpu, rec);
	}
	return ret;
}

static int drain_ring(struct wp_sideband *sb, struct ring *r)
{
	__u64 head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = r->page->data_tail, lost = sb->stats.lost;
	int ret;

	if (head == tail)
		return 0;
	ret = wp_sideband_feed(sb, r->cpu, (char *)r->page + r->map_size - sb->data_size,
			       sb->data_size, head, &tail);
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
	r->lost += sb->stats.lost - lost;
	return ret;
}

/*
 * The kernel writes a LOST record before the next record for which there is room. If no
 * record follows, only the event itself has the count.
 */
static int tell_last_losses(struct wp_sideband *sb, struct ring *r)
{
	struct counts v = { 0 };
	struct {
		struct lost_record r;
		struct wp_sample_id sid;
	} rec = {
		.r.header.type = PERF_RECORD_LOST,
		.r.header.size = sizeof(rec),
		.sid.time = wp_clock_now(),
		.sid.cpu = r->cpu,
	};

	if (!(sb->attr.read_format & READ_LOST) || read(r->fd, &v, sizeof(v)) != sizeof(v) ||
	    v.lost <= r->lost)
		return 0;
	rec.r.lost = v.lost - r->lost;
	r->lost = v.lost;
	return take_record(sb, r->cpu, &rec.r.header);
}

static void close_ring(struct ring *r)
{
	munmap(r->page, r->map_size);
	close(r->fd);
}

/* Drop bits that older kernels refuse, newest first: 6.0, 5.12, 3.16. */
static bool drop_a_bit(struct perf_event_attr *attr)
{
	if (attr->read_format & READ_LOST) {
		attr->read_format &= ~READ_LOST;
		return true;
	}
#ifndef NO_BUILD_ID_BIT
	if (attr->build_id) {
		attr->build_id = 0;
		return true;
	}
#endif
	if (attr->comm_exec) {
		attr->comm_exec = 0;
		return true;
	}
	if (attr->mmap2) {
		attr->mmap2 = 0;
		return true;
	}
	return false;
}

static int open_event(struct wp_sideband *sb, int cpu)
{
	struct perf_event_attr full = sb->attr;
	struct rlimit lim;
	bool raised = false;
	int fd;

	for (;;) {
		fd = syscall(SYS_perf_event_open, &sb->attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			return fd;
		if (errno == EINVAL && drop_a_bit(&sb->attr))
			continue;
		/* The bits were not the cause. */
		if (errno == EINVAL)
			sb->attr = full;
		if (errno != EMFILE || raised || getrlimit(RLIMIT_NOFILE, &lim))
			return -errno;
		/* One descriptor per CPU: large machines need more than 1024. */
		raised = true;
		lim.rlim_cur = lim.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &lim))
			return -EMFILE;
	}
}

static int open_ring(struct wp_sideband *sb, int cpu)
{
	struct ring r = { .cpu = cpu }, *p;
	int ret;

	r.map_size = sb->data_size + sysconf(_SC_PAGESIZE);
	r.fd = open_event(sb, cpu);
	if (r.fd < 0)
		return r.fd;
	r.page = mmap(NULL, r.map_size, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
	if (r.page == MAP_FAILED) {
		ret = errno == EPERM ? -ENOBUFS : -errno;
		close(r.fd);
		return ret;
	}
	p = realloc(sb->ring, (sb->nr_rings + 1) * sizeof(*p));
	if (!p) {
		close_ring(&r);
		return -ENOMEM;
	}
	sb->ring = p;
	p[sb->nr_rings++] = r;
	return 0;
}

static void explain(const struct wp_sideband *sb, int cpu, int err)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		wp_rights_no_event(cpu, -err);
		break;
	case ENOBUFS:
		wp_rights_no_memory("the ring of CPU %d (%zu KiB beyond kernel.perf_event_mlock_kb)",
				    cpu, sb->data_size / 1024);
		break;
	case EMFILE:
		wp_err("too many open files at CPU %d: raise the limit (ulimit -n)", cpu);
		break;
	default:
		wp_err("cannot follow processes (perf_event_open on CPU %d): %s", cpu,
		       strerror(-err));
	}
}

static int find_ring(const struct wp_sideband *sb, int cpu)
{
	unsigned int i;

	for (i = 0; i < sb->nr_rings; i++) {
		if (sb->ring[i].cpu == cpu)
			return i;
	}
	return -1;
}

static int remove_ring(struct wp_sideband *sb, int i)
{
	int ret = drain_ring(sb, &sb->ring[i]);

	if (!ret)
		ret = tell_last_losses(sb, &sb->ring[i]);
	close_ring(&sb->ring[i]);
	sb->ring[i] = sb->ring[--sb->nr_rings];
	return ret;
}

/* Call @fn for each CPU of a list such as "0-3,8". */
static int each_cpu_of(const char *list, int (*fn)(struct wp_sideband *sb, int cpu),
		       struct wp_sideband *sb)
{
	char *end;
	int ret;

	while (isdigit((unsigned char)*list)) {
		long from = strtol(list, &end, 10), to = from;

		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		for (; from <= to && from < MAX_CPUS; from++) {
			ret = fn(sb, from);
			if (ret)
				return ret;
		}
		list = *end == ',' ? end + 1 : end;
	}
	return 0;
}

static int read_online(char *buf, size_t size)
{
	ssize_t n = 0;
	int fd;

	fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, buf, size - 1);
		close(fd);
	}
	if (n <= 0)
		n = snprintf(buf, size, "0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	buf[n] = '\0';
	return 0;
}

static int open_first(struct wp_sideband *sb, int cpu)
{
	int ret = open_ring(sb, cpu);

	/* The CPU went offline after the list was read. */
	if (ret == -ENODEV)
		return 0;
	if (ret)
		explain(sb, cpu, ret);
	return ret;
}

/* During the session, a CPU without a ring is no reason to give up the others. */
static int open_later(struct wp_sideband *sb, int cpu)
{
	int ret;

	if (find_ring(sb, cpu) >= 0)
		return 0;
	ret = open_ring(sb, cpu);
	if (ret && ret != -ENODEV && !sb->failed[cpu]) {
		sb->failed[cpu] = 1;
		sb->stats.cpus_failed++;
		wp_warn("CPU %d came online and cannot be followed (%s): names and symbols of what starts there are missing",
			cpu, strerror(-ret));
	}
	return 0;
}

static bool is_listed(const char *list, int cpu)
{
	char *end;

	while (isdigit((unsigned char)*list)) {
		long from = strtol(list, &end, 10), to = from;

		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		if (cpu >= from && cpu <= to)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

/*
 * Going offline disables a CPU's event for good, even if the CPU is back before this
 * check. The sign is that the event's time stands still.
 */
static bool is_dead(struct ring *r)
{
	struct counts v = { 0 };
	bool dead;

	if (read(r->fd, &v, sizeof(v)) < (ssize_t)offsetof(struct counts, lost))
		return true;
	dead = r->enabled && v.enabled == r->enabled;
	r->enabled = v.enabled;
	return dead;
}

static int follow_hotplug(struct wp_sideband *sb)
{
	char online[sizeof(sb->online)];
	__u64 now = wp_clock_now();
	bool changed, check;
	unsigned int i;
	int ret;

	check = now - sb->last_check >= RECHECK_NS;
	if (sb->opt.eager && !check)
		return 0;
	read_online(online, sizeof(online));
	changed = strcmp(online, sb->online);
	if (check)
		sb->last_check = now;
	for (i = sb->nr_rings; i-- && (changed || check);) {
		if (is_listed(online, sb->ring[i].cpu) && !(check && is_dead(&sb->ring[i])))
			continue;
		ret = remove_ring(sb, i);
		if (ret)
			return ret;
		changed = true;
	}
	if (!changed)
		return 0;
	strcpy(sb->online, online);
	return each_cpu_of(online, open_later, sb);
}

/**
 * wp_sideband_new() - allocate a sideband without rings
 * @opt: as for wp_sideband_open()
 *
 * For tests, with wp_sideband_feed().
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
	sb->proc = opt->proc;
	if (!sb->proc && !opt->eager && !uname(&uts) && wp_kthreads_born_named(uts.release))
		sb->proc = "/proc";
	sb->data_size = (size_t)pages * sysconf(_SC_PAGESIZE);
	sb->failed = calloc(MAX_CPUS, 1);
	if (!sb->failed)
		goto nomem;
	if (opt->filter) {
		sb->wanted = calloc(MAX_PID / 8, 1);
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
		.size = WP_PERFDATA_ATTR_SIZE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | READ_LOST,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = !opt->eager,
		.comm_exec = !opt->eager,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = opt->eager ? 1 : sb->data_size / 4,
#ifndef NO_BUILD_ID_BIT
		.build_id = 1,
#endif
	};
	read_online(sb->online, sizeof(sb->online));
	ret = each_cpu_of(sb->online, open_first, sb);
	if (!ret && !sb->nr_rings) {
		wp_err("no CPU is online in /sys/devices/system/cpu/online");
		ret = -ENODEV;
	}
	if (ret) {
		wp_sideband_close(sb);
		return ret;
	}
	sb->last_check = wp_clock_now();
	*out = sb;
	return 0;
}

/**
 * wp_sideband_drain() - hand out the records of all rings
 * @sb: the sideband
 * @upto: set to the time up to which everything was handed out: samples of this time and
 *	before can be written now. May be NULL
 * @final: the last drain: hand out everything
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
	__u64 limit = final || sb->opt.eager ? ~0ULL : wp_clock_now() - SETTLE_NS;
	unsigned int i;
	int ret;

	/* The clock is read before the heads, which is the safe order. */
	if (upto)
		*upto = limit;
	if (sb->nr_rings) {
		ret = follow_hotplug(sb);
		if (ret)
			return ret;
	}
	for (i = 0; i < sb->nr_rings; i++) {
		ret = drain_ring(sb, &sb->ring[i]);
		if (!ret && final)
			ret = tell_last_losses(sb, &sb->ring[i]);
		if (ret)
			return ret;
	}
	sb->fn = fn;
	sb->fn_ctx = ctx;
	return wp_sorter_flush(&sb->sorter, limit, hand_out, sb);
}

/**
 * wp_sideband_pollfds() - descriptors to poll
 * @sb: the sideband
 * @fds: filled in, for POLLIN: a ring is a quarter full
 * @max: size of @fds
 *
 * The descriptors change when CPUs come and go: call this again after each drain.
 *
 * Return: how many were filled in.
 */
unsigned int wp_sideband_pollfds(const struct wp_sideband *sb, struct pollfd *fds,
				 unsigned int max)
{
	unsigned int i;

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
	while (sb->nr_rings)
		close_ring(&sb->ring[--sb->nr_rings]);
	wp_sorter_free(&sb->sorter);
	free(sb->ring);
	free(sb->wanted);
	free(sb->failed);
	free(sb);
}
