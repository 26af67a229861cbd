// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the JVMs of the processes whose mappings are published: HotSpot's. mapsync.c's thread
 * looks at their code now and then, makes unwind tables of it, and notes which code was there
 * from when to when; the end of a recording takes that, in the form of a jitdump file.
 *
 * A process decides what its memory has. So looks are limited, and forged code harms its
 * own stacks and names only.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/interp/jvmlog.h"
#include "lib/interp/jvmtable.h"
#include "lib/record/jvms.h"
#include "lib/symbols/livejvm.h"

#define NSEC_PER_MSEC	1000000ULL
#define BUCKETS		256

/* More processes with a JVM have no names, and no tables. */
#define MAX_PROCESSES	4096

/* Time between two looks: the least, and the most while nothing changes. */
#define LEAST_NS	(250 * NSEC_PER_MSEC)
#define MOST_NS		(1000 * NSEC_PER_MSEC)

/* A look takes at most this part of the time. */
#define PART		10

/* All looks together take at most this part of the time, and this much at once. */
#define ALL_PART	4
#define ALL_BURST_NS	(1000 * NSEC_PER_MSEC)

/* No look at the end begins later. */
#define LAST_NS		(300 * NSEC_PER_MSEC)

/* A JVM that is not set up yet is looked at soon again, doubling, and so often. */
#define SOON_NS		(20 * NSEC_PER_MSEC)
#define MAX_TRIES	60

/* Memory of names: of a process, and of all. What is beyond has none. */
#define MAX_BYTES	((size_t)16 << 20)
#define MAX_ALL		((size_t)128 << 20)

/* Memory of what is known of code, and of names, of all. What is beyond has none. */
#define MAX_ALL_LIVE	((size_t)256 << 20)

/* Mappings of a process that have tables: a code cache has three heaps. */
#define MAX_TABLES	16

/*
 * Memory of tables: of a process, and of all. The module drops the others at the
 * next one (WALLPROF_PUSH_ONCE).
 */
#define MAX_TABLE_BYTES	((size_t)8 << 20)
#define MAX_ALL_TABLES	((size_t)128 << 20)

/* struct table - the table of a mapping; @id: 0: it has none */
struct table {
	__u64 start;
	__u64 end;
	__u32 id;
};

/*
 * struct jvm - a process
 * @program: identifies the program that it executes
 * @live: its code; of mapsync.c's thread, as all but @log and @facts
 * @live_bytes: the memory of that
 * @facts: what its methods are read by, at the last look
 * @has_facts: there was a look
 * @log: its names by time
 * @next_look: when it is looked at again; 0: never
 * @pause: time between two looks
 * @tries: how often it was not ready
 * @table: tables of its code, as it is now
 * @nr_tables: their number
 * @table_bytes: their memory
 * @ended: its memory is not known
 */
struct jvm {
	struct jvm *next;
	__u32 pid;
	__u64 program;
	struct wp_livejvm live;
	size_t live_bytes;
	struct wp_jvmfacts facts;
	bool has_facts;
	struct wp_jvmlog log;
	__u64 next_look;
	__u64 pause;
	unsigned int tries;
	struct table table[MAX_TABLES];
	unsigned int nr_tables;
	size_t table_bytes;
	bool ended;
};

/**
 * struct wp_jvms - the JVMs
 * @lock: protects @log and @facts of all, @bytes, and @bucket against changes
 * @bucket: processes by pid
 * @nr: their number
 * @bytes: memory of names by time
 * @live_bytes: memory of what is known of code now
 * @table_bytes: memory of the tables of all
 * @wants_names: names are wanted
 * @paid_until: the share of the time is used up until then
 * @reader: reads their memory; NULL: none was there yet
 */
struct wp_jvms {
	pthread_mutex_t lock;
	struct jvm *bucket[BUCKETS];
	unsigned int nr;
	size_t bytes;
	size_t live_bytes;
	size_t table_bytes;
	bool wants_names;
	__u64 paid_until;
	struct wp_livejvms *reader;
};

/**
 * wp_jvms_new() - allocate an empty table
 * @names: names are wanted, at the end
 *
 * Return: the table, or NULL: there is no memory.
 */
struct wp_jvms *wp_jvms_new(bool names)
{
	struct wp_jvms *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	pthread_mutex_init(&all->lock, NULL);
	all->wants_names = names;
	return all;
}

/**
 * wp_jvms_free() - free a table
 * @all: the table, or NULL; mapsync.c has ended
 */
void wp_jvms_free(struct wp_jvms *all)
{
	struct jvm *j;
	unsigned int i;

	if (!all)
		return;
	for (i = 0; i < BUCKETS; i++) {
		while ((j = all->bucket[i])) {
			all->bucket[i] = j->next;
			wp_livejvm_end(&j->live);
			wp_jitdump_free(&j->log.loads);
			free(j);
		}
	}
	wp_livejvm_free(all->reader);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

static struct jvm *find(const struct wp_jvms *all, __u32 pid)
{
	struct jvm *j = all->bucket[pid % BUCKETS];

	while (j && j->pid != pid)
		j = j->next;
	return j;
}

static struct jvm *find_or_add(struct wp_jvms *all, __u32 pid)
{
	struct jvm *j = find(all, pid);

	if (j || all->nr == MAX_PROCESSES)
		return j;
	if (!all->reader)
		all->reader = wp_livejvm_new();
	j = all->reader ? calloc(1, sizeof(*j)) : NULL;
	if (!j)
		return NULL;
	j->pid = pid;
	j->next_look = 1;
	pthread_mutex_lock(&all->lock);
	j->next = all->bucket[pid % BUCKETS];
	all->bucket[pid % BUCKETS] = j;
	all->nr++;
	pthread_mutex_unlock(&all->lock);
	return j;
}

/* Notes what a look has found. Returns whether anything has changed. */
static bool note_look(struct wp_jvms *all, struct jvm *j, const struct wp_jvmcodes *before,
		      __u64 then)
{
	size_t bytes = wp_jvmlog_bytes(&j->log);
	bool changed;

	pthread_mutex_lock(&all->lock);
	j->log.max = !all->wants_names ? 0 : all->bytes < MAX_ALL ? MAX_BYTES : 1;
	changed = wp_jvmlog_note(&j->log, before, then, &j->live.codes, j->live.began,
				 &j->live.names);
	all->bytes += wp_jvmlog_bytes(&j->log) - bytes;
	j->facts = (struct wp_jvmfacts){ j->live.layout, j->live.program, j->live.unloads };
	j->has_facts = true;
	pthread_mutex_unlock(&all->lock);
	return changed;
}

/* Returns whether there is memory for what is known of a process's code. */
static bool note_live(struct wp_jvms *all, struct jvm *j)
{
	all->live_bytes -= j->live_bytes;
	j->live_bytes = wp_livejvm_bytes(&j->live);
	all->live_bytes += j->live_bytes;
	return all->live_bytes <= MAX_ALL_LIVE;
}

/* They are made anew at the next publication. */
static void drop_tables(struct wp_jvms *all, struct jvm *j)
{
	all->table_bytes -= j->table_bytes;
	j->table_bytes = 0;
	j->nr_tables = 0;
}

/* It executes another program, or none. */
static void end_program(struct wp_jvms *all, struct jvm *j, bool sure)
{
	pthread_mutex_lock(&all->lock);
	wp_jvmlog_end(&j->log, &j->live.codes, j->live.began, sure);
	j->has_facts = false;
	pthread_mutex_unlock(&all->lock);
	wp_livejvm_end(&j->live);
	note_live(all, j);
	drop_tables(all, j);
	j->tries = 0;
	j->pause = 0;
}

/* When it is looked at again, after a look that took some time, with a result. */
static void plan(struct jvm *j, __u64 took, int err, bool changed)
{
	__u64 now = wp_clock_now();

	if (!err) {
		j->tries = 0;
		j->pause = changed || j->live.codes.unnamed ? LEAST_NS : 2 * j->pause;
		if (j->pause < LEAST_NS)
			j->pause = LEAST_NS;
	} else {
		j->pause = j->pause ? 2 * j->pause : SOON_NS;
	}
	if (j->pause > MOST_NS)
		j->pause = MOST_NS;
	j->next_look = now + j->pause + PART * took;
	/* It is no JVM, or none that can be read. */
	if (err && (err == -ENOTSUP || err == -EPERM || err == -EACCES || err == -ESRCH ||
		    ++j->tries == MAX_TRIES))
		j->next_look = 0;
}

/* Whether there is time for a look now; else there is at the time that is set. */
static bool may_look(const struct wp_jvms *all, struct jvm *j, __u64 now)
{
	if (!j->next_look || now < j->next_look)
		return false;
	if (all->paid_until <= now + ALL_PART * ALL_BURST_NS)
		return true;
	j->next_look = all->paid_until - ALL_PART * ALL_BURST_NS;
	return false;
}

static void pay(struct wp_jvms *all, __u64 begun, __u64 took)
{
	if (all->paid_until < begun)
		all->paid_until = begun;
	all->paid_until += ALL_PART * took;
}

/**
 * wp_jvms_look() - look at a process's code, if it is time for that
 * @all: the table
 * @pid: the process, which has mapped a JVM
 * @program: identifies the program that it executes
 *
 * Return: whether its tables have to be made anew.
 */
bool wp_jvms_look(struct wp_jvms *all, __u32 pid, __u64 program)
{
	struct jvm *j = find_or_add(all, pid);
	struct wp_jvmcodes before = { 0 };
	__u64 begun = wp_clock_now(), time, took;
	bool changed = false, first;
	int err;

	if (!j)
		return false;
	if (j->program != program || j->ended) {
		end_program(all, j, false);
		j->program = program;
		j->log.removes = false;
		j->ended = false;
		j->next_look = 1;
	}
	if (!may_look(all, j, begun))
		return false;
	first = !j->live.has_layout;
	time = j->live.began;
	err = wp_livejvm_look(all->reader, &j->live, pid, &before);
	if (!err)
		changed = note_look(all, j, &before, time);
	wp_jvmcode_free(&before);
	if (changed)
		drop_tables(all, j);
	took = wp_clock_now() - begun;
	pay(all, begun, took);
	/* The first one mostly reads the symbols of its file, once for all processes. */
	plan(j, first ? 0 : took, err, changed);
	if (note_live(all, j))
		return changed;
	end_program(all, j, false);
	j->next_look = 0;
	return true;
}

/**
 * wp_jvms_next() - when a process is to be looked at again
 * @all: the table
 * @pid: the process, known or not
 *
 * Return: the time, of CLOCK_MONOTONIC; 0: never.
 */
__u64 wp_jvms_next(struct wp_jvms *all, __u32 pid)
{
	const struct jvm *j = find(all, pid);

	return j && !j->ended ? j->next_look : 0;
}

static bool has_room(const struct wp_jvms *all, const struct jvm *j, size_t size)
{
	return size <= MAX_TABLE_BYTES - j->table_bytes &&
	       size <= MAX_ALL_TABLES - all->table_bytes;
}

/* The table of a mapping; 0: it has none. */
static __u32 table_of(struct wp_jvms *all, struct jvm *j, __u64 start, __u64 end,
		      wp_jvms_push_fn push, void *ctx)
{
	struct table *t = j->table;
	void *data = NULL;
	size_t size = 0;

	while (t < j->table + j->nr_tables && (t->start != start || t->end != end))
		t++;
	if (t < j->table + j->nr_tables)
		return t->id;
	if (j->nr_tables == MAX_TABLES)
		drop_tables(all, j);
	t = &j->table[j->nr_tables++];
	*t = (struct table){ start, end, 0 };
	if (!wp_jvmtable_make(&j->live.codes, start, end, &data, &size) &&
	    has_room(all, j, size) && !push(ctx, data, size, &t->id)) {
		j->table_bytes += size;
		all->table_bytes += size;
	} else {
		t->id = 0;
	}
	free(data);
	return t->id;
}

/* Whether there may be code in a mapping. */
static bool has_code(const struct wp_jvmcodes *codes, __u64 start, __u64 end)
{
	size_t low = 0, high = codes->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (codes->code[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < codes->nr && codes->code[low].end <= end;
}

/**
 * wp_jvms_tables() - give mappings with generated code their tables
 * @all: the table
 * @pid: the process
 * @map: its mappings, which are changed
 * @nr: their number
 * @push: takes tables
 * @ctx: its first argument
 */
void wp_jvms_tables(struct wp_jvms *all, __u32 pid, struct wallprof_map *map, size_t nr,
		    wp_jvms_push_fn push, void *ctx)
{
	struct jvm *j = find(all, pid);
	unsigned int nr_tables = 0;
	size_t i;

	for (i = 0; j && !j->ended && i < nr && nr_tables < MAX_TABLES; i++) {
		if (map[i].table || !has_code(&j->live.codes, map[i].start, map[i].end))
			continue;
		nr_tables++;
		map[i].table = table_of(all, j, map[i].start, map[i].end, push,
					ctx);
		map[i].bias = map[i].table ? map[i].start : 0;
	}
}

/**
 * wp_jvms_drop_tables() - note that the module may have dropped any table
 * @all: the table
 */
void wp_jvms_drop_tables(struct wp_jvms *all)
{
	struct jvm *j;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (j = all->bucket[i]; j; j = j->next)
			drop_tables(all, j);
	}
}

/**
 * wp_jvms_look_last() - look at all processes once more, at the end of a session
 * @all: the table
 *
 * What was compiled since the last look has names then.
 */
void wp_jvms_look_last(struct wp_jvms *all)
{
	__u64 until = wp_clock_now() + LAST_NS;
	struct jvm *j;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (j = all->bucket[i]; j; j = j->next) {
			if (j->ended || !j->next_look || wp_clock_now() > until)
				continue;
			j->next_look = 1;
			wp_jvms_look(all, j->pid, j->program);
		}
	}
}

/**
 * wp_jvms_any() - whether any process may have a JVM
 * @all: the table
 *
 * May be called from any thread.
 *
 * Return: true if so.
 */
bool wp_jvms_any(struct wp_jvms *all)
{
	bool any;

	pthread_mutex_lock(&all->lock);
	any = all->nr;
	pthread_mutex_unlock(&all->lock);
	return any;
}

/**
 * wp_jvms_find() - find what the names of a JVM's methods are read by
 * @all: the table
 * @pid: the process
 * @facts: set to it
 *
 * May be called from any thread.
 *
 * Return: false if there is no JVM, or none that was read.
 */
bool wp_jvms_find(struct wp_jvms *all, __u32 pid, struct wp_jvmfacts *facts)
{
	const struct jvm *j;
	bool found;

	pthread_mutex_lock(&all->lock);
	j = find(all, pid);
	found = j && j->has_facts;
	if (found)
		*facts = j->facts;
	pthread_mutex_unlock(&all->lock);
	return found;
}

/**
 * wp_jvms_forget() - note that a process has ended, or has no JVM any more
 * @all: the table
 * @pid: the process, known or not
 *
 * The names of its code stay.
 */
void wp_jvms_forget(struct wp_jvms *all, __u32 pid)
{
	struct jvm **at = &all->bucket[pid % BUCKETS], *j;

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	j = *at;
	if (!j || j->ended)
		return;
	end_program(all, j, true);
	j->ended = true;
	if (j->log.loads.nr)
		return;
	pthread_mutex_lock(&all->lock);
	*at = j->next;
	all->nr--;
	pthread_mutex_unlock(&all->lock);
	free(j);
}

/**
 * wp_jvms_each() - the names of all code by time
 * @all: the table, or NULL
 * @fn: called for each process that has any
 * @ctx: its first argument
 *
 * May be called from any thread.
 */
void wp_jvms_each(struct wp_jvms *all, wp_jvms_fn fn, void *ctx)
{
	struct jvm *j;
	unsigned int i;

	if (!all)
		return;
	pthread_mutex_lock(&all->lock);
	for (i = 0; i < BUCKETS; i++) {
		for (j = all->bucket[i]; j; j = j->next) {
			struct wp_jitloads before = j->log.loads;

			if (!before.nr)
				continue;
			/* It goes on if this is not the last output. */
			wp_jvmlog_end(&j->log, &j->live.codes, j->live.began, true);
			fn(ctx, j->pid, &j->log.loads);
			j->log.loads.nr = before.nr;
			j->log.loads.cut = before.cut;
		}
	}
	pthread_mutex_unlock(&all->lock);
}
