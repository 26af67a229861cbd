// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the records of a ring and sorts them by time; completes them when they are
 * delivered. Called by sideband.c and siderings.c.
 *
 * Only the kernel writes to a ring; still its contents are checked before use, as a
 * damaged record must not become a damaged file.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/perfdata/mmaprecord.h"
#include "lib/perfdata/perfdata.h"
#include "lib/proc/kthreads.h"
#include "lib/record/sidefilter.h"
#include "lib/record/siderecords.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/mappedfile.h"

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[];
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
 *
 * If no build-id was asked for, there is none, and a mark is another event's: see
 * inlineids.c.
 */
static void unpack_buildid(struct wp_sideband *sb, struct wp_mmap2_record *m, __u64 time)
{
	bool inlined = sb->inline_ids && m->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
	struct wp_buildid id = { 0 };
	struct wp_dso *dso;

	if (inlined && wp_mmap2_is_id(&m->build_id_size)) {
		id.size = m->build_id_size;
		memcpy(id.data, m->build_id, id.size);
	}
	dso = note_file(sb, m, time, &id, inlined);
	m->header.misc &= ~PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (inlined) {
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

/**
 * wp_siderecords_deliver() - pass a record to the caller of wp_sideband_drain()
 * @ctx: the sideband
 * @rec: the record, which is completed
 * @time: its time
 *
 * Return: 0, or what the caller's function returned.
 */
int wp_siderecords_deliver(void *ctx, struct perf_event_header *rec, __u64 time)
{
	struct wp_sideband *sb = ctx;

	if (!wp_sidefilter_passes(sb, rec, time)) {
		sb->stats.filtered++;
		return 0;
	}
	if (rec->type == PERF_RECORD_MMAP2)
		unpack_buildid(sb, (void *)rec, time);
	if (time < sb->delivered)
		sb->stats.late++;
	else
		sb->delivered = time;
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
		return rec->size == sizeof(struct wp_side_task) + id;
	case PERF_RECORD_LOST:
		return rec->size == sizeof(struct wp_side_lost) + id;
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
static int name_kthread(struct wp_sideband *sb, const struct wp_side_task *fork,
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

/**
 * wp_siderecords_take() - check a record, and add it to those that are sorted
 * @sb: the sideband
 * @cpu: CPU of its ring
 * @rec: the record, which is changed
 *
 * Return: 0 or a negative errno.
 */
int wp_siderecords_take(struct wp_sideband *sb, int cpu, struct perf_event_header *rec)
{
	struct wp_sample_id *id = trailer(rec);
	const struct wp_side_task *task = (const void *)rec;
	int err;

	if (!is_asked_for(rec->type)) {
		sb->stats.unknown++;
		return 0;
	}
	if (!is_whole(rec)) {
		sb->stats.bad++;
		return 0;
	}
	if (sb->opt.skip && sb->opt.skip(sb->opt.ctx, rec))
		return 0;
	if (sb->opt.file_id)
		id->id = sb->opt.file_id(sb->opt.ctx, cpu);
	if (rec->type == PERF_RECORD_LOST) {
		struct wp_side_lost *lost = (void *)rec;

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
 * wp_siderecords_take_loss() - the same of a record of a loss
 * @sb: the sideband
 * @cpu: CPU of the ring
 * @lost: number of records
 *
 * Return: 0 or a negative errno.
 */
int wp_siderecords_take_loss(struct wp_sideband *sb, int cpu, __u64 lost)
{
	struct {
		struct wp_side_lost r;
		struct wp_sample_id sid;
	} rec = {
		.r.header.type = PERF_RECORD_LOST,
		.r.header.size = sizeof(rec),
		.r.lost = lost,
		.sid.time = wp_clock_now(),
		.sid.cpu = cpu,
	};

	return wp_siderecords_take(sb, cpu, &rec.r.header);
}

/**
 * wp_siderecords_feed() - process the records of a ring
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
int wp_siderecords_feed(struct wp_sideband *sb, int cpu, const void *data, size_t size,
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
		/* Hardly any is in two pieces. */
		if (first < rec->size)
			memcpy((char *)rec + first, base, rec->size - first);
		pos += rec->size;
		ret = wp_siderecords_take(sb, cpu, rec);
	}
	return ret;
}
