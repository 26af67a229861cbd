// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of the interpreted functions of a recording. A stack has a code object and
 * an instruction; the object is read from the process, once. Each function with file and
 * line is a row, and has an address of its own, in a file of names that all processes have
 * mapped (nameself.c).
 *
 * A process can make as many functions as it likes: each user may have so many read, and
 * there are only so many rows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "lib/base/intern.h"
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/base/text.h"
#include "lib/elf/nameself.h"
#include "lib/interp/pycode.h"
#include "lib/proc/procmemory.h"
#include "lib/record/interprows.h"

#define BUCKETS		4096
#define FIRST_CODES	64

/* Processes with or without an interpreter. */
#define MAX_PROCESSES	262144

/* Code objects of a process. */
#define MAX_CODES	32768

/* Bytes of names and tables of lines. */
#define MAX_BYTES	((size_t)256 << 20)

/* What may be read of the processes of a user in an epoch. */
#define EPOCH_BLOCKS	16384
#define EPOCH_BYTES	(64 << 20)
#define MAX_USERS	64

/* Parents that may have read what a child executes. */
#define MAX_PARENTS	16

/*
 * A process whose memory did not come may just have had no CPU. Each try that fails costs a
 * thread of procmemory.c.
 */
#define MAX_STALLS	2

/* Bytes of a name, and of all. */
#define MAX_NAME	1024
#define MAX_NAMES	((size_t)64 << 20)

/* PERF_RECORD_COMM, _FORK and _EXIT. */
struct task_record {
	struct perf_event_header header;
	__u32 pid, ppid, tid;
};

/* A code object, by its address and its hash; @address is 0 in a free slot. */
struct code {
	__u64 address;
	__u32 hash;
	bool bad;
	enum wp_interprows_reason reason;
	struct wp_pycode code;
};

/**
 * struct process - a process
 * @next: in its bucket
 * @pid: its number
 * @ppid: its parent; 0: unknown, or it has executed another program since
 * @since: when it was forked, or executed its program
 * @mapped: it has the file of names mapped, in the output
 * @ended: when it ended, or executed another program, or 0: what was read is kept for
 *	samples until then
 * @stalls: how often its memory did not come: it is not read again in that epoch, and after
 *	MAX_STALLS of these not at all
 * @stalled: the epoch of the last one
 * @known: @interp is set
 * @interp: its interpreter
 * @user: its user's number
 * @code: hash table of its code objects
 * @room: size of @code, a power of two, or 0
 * @nr: used slots of @code
 */
struct process {
	struct process *next;
	__u32 pid;
	__u32 ppid;
	__u64 since;
	bool mapped;
	__u64 ended;
	unsigned int stalls;
	__u64 stalled;
	bool known;
	struct wp_interp interp;
	unsigned int user;
	struct code *code;
	size_t room;
	size_t nr;
};

struct user {
	uid_t uid;
	struct wp_pybudget budget;
};

/**
 * struct wp_interprows - the rows
 * @interps: interpreters of processes
 * @procs: reads memory
 * @pid: of this process
 * @memory: what was read
 * @names: names of the rows, with a terminating 0
 * @bucket: processes by pid
 * @nr: their number
 * @any_ended: one of them has @ended set
 * @upto: what happened until then is written
 * @epoch: number of epochs whose samples are written
 * @bytes: memory of the code objects
 * @user: users
 * @nr_users: their number
 * @stats: statistics
 */
struct wp_interprows {
	struct wp_interps *interps;
	struct wp_procmemory *procs;
	__u32 pid;
	struct wp_pymemory memory;
	struct wp_intern names;
	struct process *bucket[BUCKETS];
	size_t nr;
	bool any_ended;
	__u64 upto;
	__u64 epoch;
	size_t bytes;
	struct user user[MAX_USERS];
	unsigned int nr_users;
	struct wp_interprows_stats stats;
};

/**
 * wp_interprows_new() - allocate an empty table
 * @interps: interpreters of processes
 *
 * Return: the table, or NULL: there is no memory.
 */
struct wp_interprows *wp_interprows_new(struct wp_interps *interps)
{
	struct wp_interprows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->interps = interps;
	rows->procs = wp_procmemory_new();
	if (!rows->procs ||
	    !wp_intern(&rows->names, WP_INTERPROWS_UNREAD, sizeof(WP_INTERPROWS_UNREAD), NULL)) {
		wp_interprows_free(rows);
		return NULL;
	}
	return rows;
}

static void free_codes(struct process *p)
{
	size_t i;

	for (i = 0; i < p->room; i++) {
		if (p->code[i].address)
			wp_pycode_free(&p->code[i].code);
	}
	free(p->code);
	p->code = NULL;
	p->room = 0;
	p->nr = 0;
}

/**
 * wp_interprows_free() - free a table
 * @rows: the table, or NULL
 */
void wp_interprows_free(struct wp_interprows *rows)
{
	struct process *p;
	unsigned int i;

	if (!rows)
		return;
	for (i = 0; i < BUCKETS; i++) {
		while ((p = rows->bucket[i])) {
			rows->bucket[i] = p->next;
			free_codes(p);
			free(p);
		}
	}
	wp_intern_free(&rows->names);
	wp_procmemory_free(rows->procs);
	free(rows);
}

static struct process *find_process(const struct wp_interprows *rows, __u32 pid)
{
	struct process *p = rows->bucket[pid % BUCKETS];

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

/* NULL: there are too many, or there is no memory. */
static struct process *find_or_add(struct wp_interprows *rows, __u32 pid)
{
	struct process *p = find_process(rows, pid);

	if (p || rows->nr == MAX_PROCESSES)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	p->user = MAX_USERS;
	p->next = rows->bucket[pid % BUCKETS];
	rows->bucket[pid % BUCKETS] = p;
	rows->nr++;
	return p;
}

/* The number of a process's user; those that find no room share the last one. */
static unsigned int find_user(struct wp_interprows *rows, __u32 pid)
{
	int dir = wp_procdir_open(pid);
	uid_t uid = dir < 0 ? (uid_t)-1 : wp_procfile_user(dir);
	unsigned int i;

	if (dir >= 0)
		close(dir);
	for (i = 0; i < rows->nr_users && rows->user[i].uid != uid; i++)
		;
	if (i == MAX_USERS)
		return MAX_USERS - 1;
	if (i == rows->nr_users)
		rows->user[rows->nr_users++] = (struct user){
			.uid = uid, .budget = { EPOCH_BLOCKS, EPOCH_BYTES },
		};
	return i;
}

static size_t slot_of(const struct process *p, __u64 address, __u32 hash)
{
	size_t i = ((address >> 4 ^ hash) * 0x9e3779b97f4a7c15ULL >> 32) & (p->room - 1);

	while (p->code[i].address && (p->code[i].address != address || p->code[i].hash != hash))
		i = (i + 1) & (p->room - 1);
	return i;
}

static const struct code *find_code(const struct process *p, __u64 address, __u32 hash)
{
	const struct code *code = p->room ? &p->code[slot_of(p, address, hash)] : NULL;

	return code && code->address ? code : NULL;
}

static int grow(struct process *p)
{
	struct process more = *p;
	size_t i;

	if (p->nr < p->room / 2)
		return 0;
	more.room = p->room ? 2 * p->room : FIRST_CODES;
	more.code = calloc(more.room, sizeof(*more.code));
	if (!more.code)
		return -ENOMEM;
	for (i = 0; i < p->room; i++) {
		if (p->code[i].address)
			more.code[slot_of(&more, p->code[i].address, p->code[i].hash)] =
				p->code[i];
	}
	free(p->code);
	*p = more;
	return 0;
}

static enum wp_interprows_reason reason_of(int err)
{
	switch (err) {
	case -ESRCH:
		return WP_INTERPROWS_ENDED;
	case -ESTALE:
		return WP_INTERPROWS_CHANGED;
	case -ENODATA:
		return WP_INTERPROWS_ABSENT;
	case -EPERM:
	case -EACCES:
		return WP_INTERPROWS_DENIED;
	case -ETIMEDOUT:
		return WP_INTERPROWS_BLOCKED;
	case -EDQUOT:
	case -ENOMEM:
		return WP_INTERPROWS_LIMIT;
	}
	return WP_INTERPROWS_BAD;
}

static int read_block(void *ctx, __u64 address, void *to)
{
	struct wp_interprows *rows = ctx;

	return wp_procmemory_read(rows->procs, rows->pid, address, to);
}

/* Read a code object from the process. */
static int read_code(struct wp_interprows *rows, struct process *p, __u64 address, __u32 hash,
		     struct wp_pycode *code)
{
	int err;

	if (p->stalls == MAX_STALLS || (p->stalls && p->stalled == rows->epoch))
		return -ETIMEDOUT;
	if (!p->known && !wp_interps_find(rows->interps, p->pid, &p->interp))
		return -ESRCH;
	p->known = true;
	if (p->user == MAX_USERS)
		p->user = find_user(rows, p->pid);
	rows->pid = p->pid;
	rows->memory.read = read_block;
	rows->memory.ctx = rows;
	rows->memory.budget = &rows->user[p->user].budget;
	err = wp_pycode_read(&rows->memory, &p->interp.py, &p->interp.interp, address, hash,
			     code);
	if (err == -ETIMEDOUT) {
		p->stalls++;
		p->stalled = rows->epoch;
	}
	return err;
}

/* A parent has it, if the process was forked since. */
static const struct code *find_inherited(const struct wp_interprows *rows, struct process *p,
					 __u64 address, __u32 hash)
{
	const struct code *code = NULL;
	const struct process *parent = p;
	unsigned int i;

	for (i = 0; i < MAX_PARENTS && parent && !code && parent->ppid; i++) {
		parent = find_process(rows, parent->ppid);
		code = parent ? find_code(parent, address, hash) : NULL;
		code = code && !code->bad ? code : NULL;
	}
	if (code && !p->known) {
		p->interp = parent->interp;
		p->known = true;
	}
	return code;
}

/* Look up a code object, or read it. NULL: @reason is set. */
static const struct code *get_code(struct wp_interprows *rows, struct process *p,
				   __u64 address, __u32 hash, enum wp_interprows_reason *reason)
{
	const struct code *known = find_code(p, address, hash);
	struct code code = { .address = address, .hash = hash };
	int err;

	if (known) {
		*reason = known->reason;
		return known->bad ? NULL : known;
	}
	*reason = WP_INTERPROWS_LIMIT;
	if (p->nr >= MAX_CODES || rows->bytes >= MAX_BYTES || grow(p))
		return NULL;
	err = read_code(rows, p, address, hash, &code.code);
	if (err) {
		wp_pycode_free(&code.code);
		known = find_inherited(rows, p, address, hash);
		if (known)
			return known;
		code.bad = true;
		code.reason = reason_of(err);
		*reason = code.reason;
		/* In the next epoch there is more. */
		if (code.reason == WP_INTERPROWS_LIMIT ||
		    (code.reason == WP_INTERPROWS_BLOCKED && p->stalls < MAX_STALLS))
			return NULL;
	} else {
		rows->bytes += strlen(code.code.function) + strlen(code.code.file) +
			code.code.table.nr;
		rows->stats.codes++;
	}
	p->nr++;
	known = &p->code[slot_of(p, address, hash)];
	*(struct code *)known = code;
	return code.bad ? NULL : known;
}

/* The row of a function; 0: there is no memory. */
static __u32 add_row(struct wp_interprows *rows, const struct wp_pycode *code, __u32 line)
{
	char name[MAX_NAME], *at;
	__u32 row;

	wp_text_show(name, MAX_NAME / 2, code->function, false);
	at = name + strlen(name);
	*at++ = ' ';
	at += wp_text_show(at, name + MAX_NAME - 16 - at, code->file, false);
	if (line)
		at += sprintf(at, ":%u", line);
	row = wp_intern_find(&rows->names, name, at + 1 - name);
	if (row || rows->names.nr >= WP_INTERPROWS_MAX || rows->names.len >= MAX_NAMES)
		return row;
	return wp_intern(&rows->names, name, at + 1 - name, NULL);
}

/* The row of a function in a stack; 0: Python does not show it. */
static __u32 get_row(struct wp_interprows *rows, struct process *p, __u64 address, __u64 word)
{
	enum wp_interprows_reason reason;
	const struct code *code;
	__u32 line, row = 0;
	int err;

	rows->stats.frames++;
	code = get_code(rows, p, address, WALLPROF_INTERP_AT_HASH(word), &reason);
	if (code) {
		err = wp_pycode_line(&p->interp.py, &code->code, WALLPROF_INTERP_AT_PLACE(word),
				     &line);
		if (err == -ENOENT)
			return 0;
		reason = err ? WP_INTERPROWS_BAD : WP_INTERPROWS_LIMIT;
		row = err ? 0 : add_row(rows, &code->code, line);
	}
	if (row)
		return row;
	rows->stats.unread[reason]++;
	return 1;
}

/**
 * wp_interprows_stack() - let interpreted functions stand in a stack
 * @rows: the rows
 * @pid: the process
 * @ips: the user stack as the module has it
 * @nr: number of its words
 * @to: set to the addresses, at most @nr
 * @nr_to: set to their number
 * @has: set to whether there are such functions
 *
 * They take the place of the native function that executes them; where Python shows none,
 * that one is left.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_interprows_stack(struct wp_interprows *rows, __u32 pid, const __u64 *ips,
			unsigned int nr, __u64 *to, unsigned int *nr_to, bool *has)
{
	struct process *p = NULL;
	unsigned int i = 0, n = 0;

	*has = false;
	while (i < nr) {
		__u64 native = ips[i++];
		unsigned int from = n;

		/* Half of a function. */
		if (i > 1 && (WALLPROF_INTERP_IS_CODE(native) || WALLPROF_INTERP_IS_AT(native)))
			continue;
		for (; i + 1 < nr && WALLPROF_INTERP_IS_CODE(ips[i]) &&
		     WALLPROF_INTERP_IS_AT(ips[i + 1]); i += 2) {
			__u32 row;

			p = p ? p : find_or_add(rows, pid);
			if (!p)
				return -ENOMEM;
			row = get_row(rows, p, WALLPROF_INTERP_CODE_ADDRESS(ips[i]), ips[i + 1]);
			if (!row)
				continue;
			/* In the middle, as readers subtract something from return addresses. */
			to[n++] = WP_INTERPROWS_BASE + (row - 1) * WP_NAMESELF_BYTES +
				WP_NAMESELF_BYTES / 2;
			*has = true;
		}
		if (n == from)
			to[n++] = native;
	}
	*nr_to = n;
	return 0;
}

/**
 * wp_interprows_look() - read the functions of a stack that may be in a sample later
 * @rows: the rows
 * @pid: the process
 * @ips: the user stack as the module has it
 * @nr: number of its words
 *
 * When the sample is written, the process may have ended.
 */
void wp_interprows_look(struct wp_interprows *rows, __u32 pid, const __u64 *ips,
			unsigned int nr)
{
	enum wp_interprows_reason reason;
	struct process *p = NULL;
	unsigned int i;

	for (i = 1; i + 1 < nr; i++) {
		if (!WALLPROF_INTERP_IS_CODE(ips[i]) || !WALLPROF_INTERP_IS_AT(ips[i + 1]))
			continue;
		p = p ? p : find_or_add(rows, pid);
		if (!p)
			return;
		get_code(rows, p, WALLPROF_INTERP_CODE_ADDRESS(ips[i]),
			 WALLPROF_INTERP_AT_HASH(ips[i + 1]), &reason);
	}
}

/**
 * wp_interprows_record() - take a record of processes
 * @rows: the rows
 * @rec: the record
 * @time: its time
 *
 * Return: 0 or -ENOMEM.
 */
int wp_interprows_record(struct wp_interprows *rows, const struct perf_event_header *rec,
			 __u64 time)
{
	const struct task_record *task = (const void *)rec;
	bool forks = rec->type == PERF_RECORD_FORK && task->pid != task->ppid;
	bool execs = rec->type == PERF_RECORD_COMM && rec->misc & PERF_RECORD_MISC_COMM_EXEC;
	struct process *p;

	if (rec->type == PERF_RECORD_EXIT && task->pid == task->tid) {
		p = find_process(rows, task->pid);
		if (p)
			p->ended = time;
		rows->any_ended |= !!p;
	}
	if (!time || (!forks && !execs))
		return 0;
	p = find_or_add(rows, task->pid);
	if (!p)
		return 0;
	p->since = time;
	p->mapped = false;
	if (forks) {
		p->ppid = task->ppid;
		p->ended = 0;
	} else {
		p->ended = time;
		p->known = false;
		rows->any_ended = true;
	}
	return 0;
}

/**
 * wp_interprows_map() - whether a process needs the file of names mapped, in the output
 * @rows: the rows
 * @pid: the process, which has had a stack with interpreted functions
 * @time: time of its sample
 * @at: set to the time at which it is mapped
 *
 * Return: false if it has it.
 */
bool wp_interprows_map(struct wp_interprows *rows, __u32 pid, __u64 time, __u64 *at)
{
	struct process *p = find_process(rows, pid);

	if (!p || p->mapped)
		return false;
	*at = (p->since > rows->upto ? p->since : rows->upto) + 1;
	p->mapped = *at < time;
	/* It is of the program before. */
	if (!p->mapped)
		*at = time - 1;
	return true;
}

/* Samples of others come later. */
static void drop_ended(struct wp_interprows *rows)
{
	struct process **at, *p;
	unsigned int i;

	rows->any_ended = false;
	for (i = 0; i < BUCKETS; i++) {
		for (at = &rows->bucket[i]; (p = *at);) {
			if (!p->ended || p->ended > rows->upto) {
				rows->any_ended |= p->ended;
				at = &p->next;
				continue;
			}
			*at = p->next;
			rows->nr--;
			free_codes(p);
			free(p);
		}
	}
}

/**
 * wp_interprows_end_epoch() - note that the samples of an epoch are written
 * @rows: the rows
 * @upto: everything up to this time is
 */
void wp_interprows_end_epoch(struct wp_interprows *rows, __u64 upto)
{
	unsigned int i;

	rows->upto = upto;
	rows->epoch++;
	if (rows->any_ended)
		drop_ended(rows);
	for (i = 0; i < rows->nr_users; i++)
		rows->user[i].budget = (struct wp_pybudget){ EPOCH_BLOCKS, EPOCH_BYTES };
}

/**
 * wp_interprows_unmap() - note that another file begins
 * @rows: the rows
 */
void wp_interprows_unmap(struct wp_interprows *rows)
{
	struct process *p;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (p = rows->bucket[i]; p; p = p->next)
			p->mapped = false;
	}
}

/**
 * wp_interprows_nr() - number of rows
 * @rows: the rows
 *
 * Return: their number; 1: no stack had an interpreted function that was read.
 */
size_t wp_interprows_nr(const struct wp_interprows *rows)
{
	return rows->names.nr;
}

/**
 * wp_interprows_name() - name of a row
 * @rows: the rows
 * @i: its number, from 0
 *
 * Return: the name, valid until the next stack.
 */
const char *wp_interprows_name(void *rows, size_t i)
{
	return wp_intern_bytes(&((struct wp_interprows *)rows)->names, i + 1, NULL);
}

/**
 * wp_interprows_reason() - name of a reason
 * @reason: enum wp_interprows_reason
 *
 * Return: the name.
 */
const char *wp_interprows_reason(unsigned int reason)
{
	static const char *const text[WP_INTERPROWS_REASONS] = {
		[WP_INTERPROWS_ENDED] = "process ended",
		[WP_INTERPROWS_CHANGED] = "function freed",
		[WP_INTERPROWS_ABSENT] = "memory not present",
		[WP_INTERPROWS_DENIED] = "not permitted",
		[WP_INTERPROWS_BLOCKED] = "memory does not come",
		[WP_INTERPROWS_BAD] = "bad function",
		[WP_INTERPROWS_LIMIT] = "too many",
	};

	return text[reason];
}

/**
 * wp_interprows_stats() - read the statistics
 * @rows: the rows
 * @stats: set to them
 */
void wp_interprows_stats(const struct wp_interprows *rows, struct wp_interprows_stats *stats)
{
	*stats = rows->stats;
}
