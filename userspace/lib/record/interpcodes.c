// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the code objects of interpreted functions: a stack has the address of each, and an
 * instruction; the object is read from the process, once. Called by interprows.c for
 * recordings, and by commands for live views.
 *
 * A process can make as many functions as it likes: each user may have so many read, and
 * only so many are kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/keyhash.h"
#include "lib/interp/pycode.h"
#include "lib/proc/procmemory.h"
#include "lib/record/interpcodes.h"
#include "lib/record/interpusers.h"

#define BUCKETS		4096
#define FIRST_CODES	64

/* Processes with or without an interpreter. */
#define MAX_PROCESSES	262144

/* Code objects of a process. */
#define MAX_CODES	32768

/* What may be read of the processes of a user in an epoch. */
#define EPOCH_BLOCKS	16384
#define EPOCH_BYTES	(64 << 20)

/* Parents that may have read what a child executes. */
#define MAX_PARENTS	16

/*
 * A process whose memory did not come may just have had no CPU. Each try that fails costs a
 * thread of procmemory.c.
 */
#define MAX_STALLS	2

/* What was not looked up for more sweeps is dropped. */
#define SWEEPS		8

/* Places of a code object whose rows are kept, a power of two. */
#define ROWS		4

/* PERF_RECORD_COMM, _FORK and _EXIT. */
struct task_record {
	struct perf_event_header header;
	__u32 pid, ppid, tid;
};

/*
 * A code object, by its address and its hash; @address is 0 in a free slot. @unused: sweeps
 * since it was looked up. @rows: what callers know some of its places by.
 */
struct code {
	__u64 address;
	__u32 hash;
	unsigned int unused;
	bool bad;
	enum wp_interpcodes_reason reason;
	struct wp_pycode code;
	struct wp_interprow rows[ROWS];
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
 * @key: of its hash, as a process chooses where its code objects are
 * @unused: sweeps since one of its stacks was looked up
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
	struct wp_keyhash key;
	unsigned int unused;
};

/**
 * struct wp_interpcodes - the code objects
 * @interps: interpreters of processes
 * @procs: reads memory
 * @pid: of this process
 * @memory: what was read
 * @bucket: processes by pid
 * @nr: their number
 * @any_ended: one of them has @ended set
 * @upto: what happened until then is written
 * @epoch: number of epochs whose samples are written
 * @max_bytes: limit of the memory of code objects
 * @users: users
 * @budget: what may still be read of the processes of each
 * @stats: statistics
 */
struct wp_interpcodes {
	struct wp_interps *interps;
	struct wp_procmemory *procs;
	__u32 pid;
	struct wp_pymemory memory;
	struct process *bucket[BUCKETS];
	size_t nr;
	bool any_ended;
	__u64 upto;
	__u64 epoch;
	size_t max_bytes;
	struct wp_interpusers users;
	struct wp_pybudget budget[WP_INTERPUSERS_MAX];
	struct wp_interpcodes_stats stats;
};

static void renew_budgets(struct wp_interpcodes *codes)
{
	unsigned int i;

	for (i = 0; i < WP_INTERPUSERS_MAX; i++)
		codes->budget[i] = (struct wp_pybudget){ EPOCH_BLOCKS, EPOCH_BYTES };
}

/**
 * wp_interpcodes_new() - allocate an empty table
 * @interps: interpreters of processes
 * @max_bytes: limit of their memory; more have no names
 *
 * Return: the table, or NULL: there is no memory.
 */
struct wp_interpcodes *wp_interpcodes_new(struct wp_interps *interps, size_t max_bytes)
{
	struct wp_interpcodes *codes = calloc(1, sizeof(*codes));

	if (!codes)
		return NULL;
	codes->interps = interps;
	codes->max_bytes = max_bytes;
	renew_budgets(codes);
	codes->procs = wp_procmemory_new();
	if (!codes->procs) {
		wp_interpcodes_free(codes);
		return NULL;
	}
	return codes;
}

/* Memory of a code object, with its slots. */
static size_t bytes_of(const struct code *code)
{
	size_t bytes = 2 * sizeof(*code);

	return code->bad ? bytes : bytes + strlen(code->code.function) + strlen(code->code.file) +
				   code->code.table.nr;
}

static void free_code(struct wp_interpcodes *codes, struct code *code)
{
	codes->stats.bytes -= bytes_of(code);
	wp_pycode_free(&code->code);
}

static void free_codes(struct wp_interpcodes *codes, struct process *p)
{
	size_t i;

	for (i = 0; i < p->room; i++) {
		if (p->code[i].address)
			free_code(codes, &p->code[i]);
	}
	free(p->code);
	p->code = NULL;
	p->room = 0;
	p->nr = 0;
}

/**
 * wp_interpcodes_free() - free a table
 * @codes: the table, or NULL
 */
void wp_interpcodes_free(struct wp_interpcodes *codes)
{
	struct process *p;
	unsigned int i;

	if (!codes)
		return;
	for (i = 0; i < BUCKETS; i++) {
		while ((p = codes->bucket[i])) {
			codes->bucket[i] = p->next;
			free_codes(codes, p);
			free(p);
		}
	}
	wp_procmemory_free(codes->procs);
	free(codes);
}

static struct process *find_process(const struct wp_interpcodes *codes, __u32 pid)
{
	struct process *p = codes->bucket[pid % BUCKETS];

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

/* NULL: there are too many, or there is no memory. */
static struct process *find_or_add(struct wp_interpcodes *codes, __u32 pid)
{
	struct process *p = find_process(codes, pid);

	if (p)
		p->unused = 0;
	if (p || codes->nr == MAX_PROCESSES)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	p->user = WP_INTERPUSERS_MAX;
	p->next = codes->bucket[pid % BUCKETS];
	codes->bucket[pid % BUCKETS] = p;
	codes->nr++;
	return p;
}

static size_t slot_of(const struct process *p, __u64 address, __u32 hash)
{
	__u64 word = address ^ (__u64)wp_keyhash(&p->key, hash) << 32;
	size_t i = wp_keyhash(&p->key, word) & (p->room - 1);

	while (p->code[i].address && (p->code[i].address != address || p->code[i].hash != hash))
		i = (i + 1) & (p->room - 1);
	return i;
}

static struct code *find_code(const struct process *p, __u64 address, __u32 hash)
{
	struct code *code = p->room ? &p->code[slot_of(p, address, hash)] : NULL;

	if (!code || !code->address)
		return NULL;
	code->unused = 0;
	return code;
}

/* Move the code objects to a table of another size, which has room for them. */
static int move(struct process *p, size_t room)
{
	struct process more = *p;
	size_t i;

	more.room = room;
	more.code = calloc(room, sizeof(*more.code));
	if (!more.code)
		return -ENOMEM;
	if (!p->room)
		wp_keyhash_draw(&more.key);
	for (i = 0; i < p->room; i++) {
		if (p->code[i].address)
			more.code[slot_of(&more, p->code[i].address, p->code[i].hash)] =
				p->code[i];
	}
	free(p->code);
	*p = more;
	return 0;
}

static int grow(struct process *p)
{
	return p->nr < p->room / 2 ? 0 : move(p, p->room ? 2 * p->room : FIRST_CODES);
}

static enum wp_interpcodes_reason reason_of(int err)
{
	switch (err) {
	case -ESRCH:
		return WP_INTERPCODES_ENDED;
	case -ESTALE:
		return WP_INTERPCODES_CHANGED;
	case -ENODATA:
		return WP_INTERPCODES_ABSENT;
	case -EPERM:
	case -EACCES:
		return WP_INTERPCODES_DENIED;
	case -ETIMEDOUT:
		return WP_INTERPCODES_BLOCKED;
	case -EDQUOT:
	case -ENOMEM:
		return WP_INTERPCODES_LIMIT;
	}
	return WP_INTERPCODES_BAD;
}

static int read_block(void *ctx, __u64 address, void *to)
{
	struct wp_interpcodes *codes = ctx;

	return wp_procmemory_read(codes->procs, codes->pid, address, to);
}

/* Read a code object from the process. */
static int read_code(struct wp_interpcodes *codes, struct process *p, __u64 address, __u32 hash,
		     struct wp_pycode *code)
{
	int err;

	if (p->stalls == MAX_STALLS || (p->stalls && p->stalled == codes->epoch))
		return -ETIMEDOUT;
	if (!p->known && !wp_interps_find(codes->interps, p->pid, &p->interp))
		return -ESRCH;
	p->known = true;
	if (p->user == WP_INTERPUSERS_MAX)
		p->user = wp_interpusers_find(&codes->users, p->pid);
	codes->pid = p->pid;
	codes->memory.read = read_block;
	codes->memory.ctx = codes;
	codes->memory.budget = &codes->budget[p->user];
	err = wp_pycode_read(&codes->memory, &p->interp.py, &p->interp.interp, address, hash,
			     code);
	if (err == -ETIMEDOUT) {
		p->stalls++;
		p->stalled = codes->epoch;
	}
	return err;
}

/* A parent has it, if the process was forked since. */
static struct code *find_inherited(const struct wp_interpcodes *codes, struct process *p,
				   __u64 address, __u32 hash)
{
	struct code *code = NULL;
	const struct process *parent = p;
	unsigned int i;

	for (i = 0; i < MAX_PARENTS && parent && !code && parent->ppid; i++) {
		parent = find_process(codes, parent->ppid);
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
static struct code *get_code(struct wp_interpcodes *codes, struct process *p, __u64 address,
			     __u32 hash, enum wp_interpcodes_reason *reason)
{
	struct code *known = find_code(p, address, hash);
	struct code code = { .address = address, .hash = hash };
	struct code *inherited;
	int err;

	if (known) {
		*reason = known->reason;
		return known->bad ? NULL : known;
	}
	*reason = WP_INTERPCODES_LIMIT;
	if (p->nr >= MAX_CODES || codes->stats.bytes >= codes->max_bytes || grow(p))
		return NULL;
	err = read_code(codes, p, address, hash, &code.code);
	if (err) {
		wp_pycode_free(&code.code);
		inherited = find_inherited(codes, p, address, hash);
		if (inherited)
			return inherited;
		code.bad = true;
		code.reason = reason_of(err);
		*reason = code.reason;
		/* In the next epoch there is more. */
		if (code.reason == WP_INTERPCODES_LIMIT ||
		    (code.reason == WP_INTERPCODES_BLOCKED && p->stalls < MAX_STALLS))
			return NULL;
	} else {
		codes->stats.codes++;
	}
	p->nr++;
	known = &p->code[slot_of(p, address, hash)];
	*known = code;
	codes->stats.bytes += bytes_of(known);
	return code.bad ? NULL : known;
}

/**
 * wp_interpcodes_function() - the function in a stack
 * @codes: the code objects
 * @pid: the process
 * @address: the word of the stack that has its code object
 * @at: the next one, which has its instruction
 * @f: set to it
 *
 * Return: 0; -ENOENT: Python does not show it; -ENODATA: it was not read, which is counted;
 * -ENOMEM.
 */
int wp_interpcodes_function(struct wp_interpcodes *codes, __u32 pid, __u64 address, __u64 at,
			    struct wp_interpfunction *f)
{
	struct process *p = find_or_add(codes, pid);
	__u64 place = WALLPROF_INTERP_AT_PLACE(at);
	enum wp_interpcodes_reason reason;
	struct code *code;
	int err;

	if (!p)
		return -ENOMEM;
	codes->stats.frames++;
	code = get_code(codes, p, WALLPROF_INTERP_CODE_ADDRESS(address),
			WALLPROF_INTERP_AT_HASH(at), &reason);
	if (code) {
		f->row = &code->rows[place % ROWS];
		if (f->row->row && f->row->place == place)
			return 0;
		*f->row = (struct wp_interprow){ .place = place };
		err = wp_pycode_line(&p->interp.py, &code->code, place, &f->line);
		if (err == -ENOENT)
			return err;
		f->name = code->code.function;
		f->file = code->code.file;
		if (!err)
			return 0;
		reason = WP_INTERPCODES_BAD;
	}
	codes->stats.unread[reason]++;
	return -ENODATA;
}

/**
 * wp_interpcodes_no_room() - count a function whose name found no room
 * @codes: the code objects
 */
void wp_interpcodes_no_room(struct wp_interpcodes *codes)
{
	codes->stats.unread[WP_INTERPCODES_LIMIT]++;
}

/**
 * wp_interpcodes_look() - read the functions of a stack that may be in a sample later
 * @codes: the code objects
 * @pid: the process
 * @ips: the user stack as the module has it
 * @nr: number of its words
 *
 * When the sample is written, the process may have ended.
 */
void wp_interpcodes_look(struct wp_interpcodes *codes, __u32 pid, const __u64 *ips,
			 unsigned int nr)
{
	enum wp_interpcodes_reason reason;
	struct process *p = NULL;
	unsigned int i;

	for (i = 1; i + 1 < nr; i++) {
		if (!WALLPROF_INTERP_IS_CODE(ips[i]) || !WALLPROF_INTERP_IS_AT(ips[i + 1]))
			continue;
		p = p ? p : find_or_add(codes, pid);
		if (!p)
			return;
		get_code(codes, p, WALLPROF_INTERP_CODE_ADDRESS(ips[i]),
			 WALLPROF_INTERP_AT_HASH(ips[i + 1]), &reason);
	}
}

/**
 * wp_interpcodes_record() - take a record of processes
 * @codes: the code objects
 * @rec: the record
 * @time: its time
 *
 * Return: 0 or -ENOMEM.
 */
int wp_interpcodes_record(struct wp_interpcodes *codes, const struct perf_event_header *rec,
			  __u64 time)
{
	const struct task_record *task = (const void *)rec;
	bool forks = rec->type == PERF_RECORD_FORK && task->pid != task->ppid;
	bool execs = rec->type == PERF_RECORD_COMM && rec->misc & PERF_RECORD_MISC_COMM_EXEC;
	struct process *p;

	if (rec->type == PERF_RECORD_EXIT && task->pid == task->tid) {
		p = find_process(codes, task->pid);
		if (p)
			p->ended = time;
		codes->any_ended |= !!p;
	}
	if (!time || (!forks && !execs))
		return 0;
	p = find_or_add(codes, task->pid);
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
		codes->any_ended = true;
	}
	return 0;
}

/**
 * wp_interpcodes_map() - whether a process needs the file of names mapped, in the output
 * @codes: the code objects
 * @pid: the process, which has had a stack with interpreted functions
 * @time: time of its sample
 * @at: set to the time at which it is mapped
 *
 * Return: false if it has it.
 */
bool wp_interpcodes_map(struct wp_interpcodes *codes, __u32 pid, __u64 time, __u64 *at)
{
	struct process *p = find_process(codes, pid);

	if (!p || p->mapped)
		return false;
	*at = (p->since > codes->upto ? p->since : codes->upto) + 1;
	p->mapped = *at < time;
	/* It is of the program before. */
	if (!p->mapped)
		*at = time - 1;
	return true;
}

/* Samples of others come later. */
static void drop_ended(struct wp_interpcodes *codes)
{
	struct process **at, *p;
	unsigned int i;

	codes->any_ended = false;
	for (i = 0; i < BUCKETS; i++) {
		for (at = &codes->bucket[i]; (p = *at);) {
			if (!p->ended || p->ended > codes->upto) {
				codes->any_ended |= p->ended;
				at = &p->next;
				continue;
			}
			*at = p->next;
			codes->nr--;
			free_codes(codes, p);
			free(p);
		}
	}
}

/**
 * wp_interpcodes_end_epoch() - note that the samples of an epoch are written
 * @codes: the code objects
 * @upto: everything up to this time is
 */
void wp_interpcodes_end_epoch(struct wp_interpcodes *codes, __u64 upto)
{
	codes->upto = upto;
	codes->epoch++;
	if (codes->any_ended)
		drop_ended(codes);
	renew_budgets(codes);
}

/* Keep those that were looked up lately. Others may have been read too early. */
static void sweep_codes(struct wp_interpcodes *codes, struct process *p)
{
	size_t room = FIRST_CODES, nr = 0, i;

	for (i = 0; i < p->room; i++) {
		struct code *code = &p->code[i];

		if (!code->address || (code->unused++ < SWEEPS && !code->bad)) {
			nr += !!code->address;
			continue;
		}
		free_code(codes, code);
		*code = (struct code){ 0 };
	}
	if (nr == p->nr)
		return;
	p->nr = nr;
	while (nr >= room / 2)
		room *= 2;
	/* Without memory the old table cannot be searched, as its chains are broken. */
	if (!nr || move(p, room))
		free_codes(codes, p);
}

/**
 * wp_interpcodes_sweep() - drop what was not looked up for some sweeps
 * @codes: the code objects
 *
 * For sessions that go on for ever. What is needed again is read again, and so is what
 * could not be read.
 */
void wp_interpcodes_sweep(struct wp_interpcodes *codes)
{
	struct process **at, *p;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (at = &codes->bucket[i]; (p = *at);) {
			sweep_codes(codes, p);
			if (p->unused++ < SWEEPS) {
				at = &p->next;
				continue;
			}
			*at = p->next;
			codes->nr--;
			free_codes(codes, p);
			free(p);
		}
	}
}

/**
 * wp_interpcodes_unmap() - note that another file begins
 * @codes: the code objects
 */
void wp_interpcodes_unmap(struct wp_interpcodes *codes)
{
	struct process *p;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (p = codes->bucket[i]; p; p = p->next)
			p->mapped = false;
	}
}

/**
 * wp_interpcodes_reason() - name of a reason
 * @reason: enum wp_interpcodes_reason
 *
 * Return: the name.
 */
const char *wp_interpcodes_reason(unsigned int reason)
{
	static const char *const text[WP_INTERPCODES_REASONS] = {
		[WP_INTERPCODES_ENDED] = "process ended",
		[WP_INTERPCODES_CHANGED] = "function freed",
		[WP_INTERPCODES_ABSENT] = "memory not present",
		[WP_INTERPCODES_DENIED] = "not permitted",
		[WP_INTERPCODES_BLOCKED] = "memory does not come",
		[WP_INTERPCODES_BAD] = "bad function",
		[WP_INTERPCODES_LIMIT] = "too many",
	};

	return text[reason];
}

/**
 * wp_interpcodes_stats() - read the statistics
 * @codes: the code objects
 * @stats: set to them
 */
void wp_interpcodes_stats(const struct wp_interpcodes *codes, struct wp_interpcodes_stats *stats)
{
	*stats = codes->stats;
}
