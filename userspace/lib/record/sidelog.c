// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the thread names of a flight recorder. As that may run for days, records older
 * than the contents of the rings are not kept but folded into a table of names, which has
 * the threads that are alive and those that died a moment ago. Called by the sched record
 * command, from one thread.
 *
 * Mappings are not recorded: the rings have no addresses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/sidelog.h"

#define MIN_ROOM	(64 << 10)

/* A thread's last switch comes after its exit record. */
#define SWEEP_NS	1000000000ULL

struct entry {
	__u64 time;
	struct perf_event_header rec;
};

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[WP_COMM_LEN];
	struct wp_sample_id id;
};

struct exit_record {
	struct perf_event_header header;
	__u32 pid, ppid;
	__u32 tid, ptid;
	__u64 time;
	struct wp_sample_id id;
};

/**
 * wp_sidelog_open() - set up an empty log
 * @log: the log
 * @max: maximum number of bytes of records
 */
void wp_sidelog_open(struct wp_sidelog *log, size_t max)
{
	*log = (struct wp_sidelog){ .max = max };
}

static const struct entry *entry_at(const struct wp_sidelog *log, size_t pos)
{
	return (const struct entry *)(log->data + pos);
}

static size_t entry_bytes(const struct perf_event_header *rec)
{
	return sizeof(__u64) + rec->size;
}

/* Fold the oldest record into the table. */
static int fold_one(struct wp_sidelog *log)
{
	const struct entry *e = entry_at(log, log->at);

	log->at += entry_bytes(&e->rec);
	return wp_comms_record(&log->base, &e->rec);
}

static void sweep(struct wp_comms *comms, __u64 *swept, __u64 time)
{
	if (time < *swept + SWEEP_NS)
		return;
	*swept = time;
	wp_comms_sweep(comms);
}

/**
 * wp_sidelog_fold() - fold what is older than the rings
 * @log: the log
 * @upto: no event from before this time will be looked up again
 *
 * Return: 0 or a negative errno.
 */
int wp_sidelog_fold(struct wp_sidelog *log, __u64 upto)
{
	int err = 0;

	while (!err && log->at < log->len && entry_at(log, log->at)->time < upto)
		err = fold_one(log);
	sweep(&log->base, &log->swept, upto);
	sweep(&log->now, &log->swept_now, log->latest);
	return err;
}

/* Make room for @bytes after the last record, within the limit. */
static int make_room(struct wp_sidelog *log, size_t bytes)
{
	size_t room = log->room ? 2 * log->room : MIN_ROOM;
	bool largest = log->room >= 2 * log->max;
	int err = 0;
	char *data;

	while (!err && log->at < log->len && log->len - log->at + bytes > log->max) {
		log->cut = entry_at(log, log->at)->time;
		err = fold_one(log);
		sweep(&log->base, &log->swept, log->cut);
	}
	if (err || log->len + bytes <= log->room)
		return err;
	if ((largest || log->at >= log->room / 2) && log->len - log->at + bytes <= log->room) {
		memmove(log->data, log->data + log->at, log->len - log->at);
		log->len -= log->at;
		log->at = 0;
		return 0;
	}
	data = realloc(log->data, room);
	if (!data) {
		wp_err("out of memory for process events");
		return -ENOMEM;
	}
	log->data = data;
	log->room = room;
	return 0;
}

static bool changes_names(__u32 type)
{
	return type == PERF_RECORD_COMM || type == PERF_RECORD_FORK ||
	       type == PERF_RECORD_EXIT || type == PERF_RECORD_LOST;
}

/**
 * wp_sidelog_add() - add a record of the sideband
 * @ctx: the log
 * @rec: the record, complete
 * @time: its time; 0 for the initial state
 *
 * A wp_record_fn.
 *
 * Return: 0 or a negative errno.
 */
int wp_sidelog_add(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	struct wp_sidelog *log = ctx;
	int err;

	if (!changes_names(rec->type))
		return 0;
	err = wp_comms_record(&log->now, rec);
	if (!err && !time)
		err = wp_comms_record(&log->base, rec);
	if (err || !time)
		return err;
	log->latest = time;
	err = make_room(log, entry_bytes(rec));
	if (err)
		return err;
	memcpy(log->data + log->len, &time, sizeof(time));
	memcpy(log->data + log->len + sizeof(time), rec, rec->size);
	log->len += entry_bytes(rec);
	return 0;
}

/**
 * wp_sidelog_reap() - remove threads whose exit record was lost
 * @log: the log
 * @is_alive: returns whether a thread is alive
 * @time: the time
 *
 * Called after records were lost: else their names would stay for ever.
 *
 * Return: 0 or a negative errno.
 */
int wp_sidelog_reap(struct wp_sidelog *log, bool (*is_alive)(__u32 tid), __u64 time)
{
	size_t i;

	for (i = 0; i < log->now.room; i++) {
		const struct wp_comm *c = &log->now.entry[i];
		const struct exit_record rec = {
			.header.type = PERF_RECORD_EXIT,
			.header.size = sizeof(rec),
			.pid = c->pid, .ppid = c->pid, .tid = c->tid, .ptid = c->pid,
			.time = time,
			.id = { .pid = c->pid, .tid = c->tid, .time = time },
		};
		int err;

		if (!c->tid || c->ended || is_alive(c->tid))
			continue;
		/* The name stays in the table until the next sweep. */
		err = wp_sidelog_add(log, &rec.header, time);
		if (err)
			return err;
	}
	return 0;
}

/**
 * wp_sidelog_names() - emit the names as they were when the log begins
 * @log: the log
 * @fn: takes a record of each name, with time 0
 * @ctx: passed to @fn
 *
 * Return: 0, or what @fn returned.
 */
int wp_sidelog_names(const struct wp_sidelog *log, wp_record_fn fn, void *ctx)
{
	size_t i;
	int err = 0;

	for (i = 0; i < log->base.room && !err; i++) {
		const struct wp_comm *c = &log->base.entry[i];
		struct comm_record rec = {
			.header.type = PERF_RECORD_COMM,
			.header.misc = PERF_RECORD_MISC_USER,
			.header.size = sizeof(rec),
			.pid = c->pid, .tid = c->tid,
			.id = { .pid = c->pid, .tid = c->tid },
		};

		if (!c->tid)
			continue;
		memcpy(rec.comm, c->name, sizeof(rec.comm));
		err = fn(ctx, &rec.header, 0);
	}
	return err;
}

/**
 * wp_sidelog_feed() - emit the records of the log
 * @log: the log
 * @pos: read position; 0 at the beginning; advanced
 * @upto: records up to and including this time
 * @fn: takes each of them
 * @ctx: passed to @fn
 *
 * Return: 0, or what @fn returned.
 */
int wp_sidelog_feed(const struct wp_sidelog *log, size_t *pos, __u64 upto, wp_record_fn fn,
		    void *ctx)
{
	int err = 0;

	if (*pos < log->at)
		*pos = log->at;
	while (!err && *pos < log->len) {
		const struct entry *e = entry_at(log, *pos);

		if (e->time > upto)
			break;
		err = fn(ctx, &e->rec, e->time);
		*pos += entry_bytes(&e->rec);
	}
	return err;
}

/**
 * wp_sidelog_close() - free the log
 * @log: the log, or all zero
 */
void wp_sidelog_close(struct wp_sidelog *log)
{
	wp_comms_free(&log->base);
	wp_comms_free(&log->now);
	free(log->data);
	*log = (struct wp_sidelog){ 0 };
}
