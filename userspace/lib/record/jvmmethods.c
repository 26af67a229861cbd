// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of the methods that JVMs interpret: a stack has the address of each, and the
 * name is read from the process. Called by interprows.c for recordings, and by commands for
 * live views.
 *
 * When a class is unloaded, or redefined by an agent, its methods are freed, and others come to be
 * at their addresses. HotSpot counts these classes before it frees anything, or before the memory
 * has another method (jvmunloads.c). A name counts for a stack only if the number was the same
 * from before the stack was recorded until after the name was read: so it is read before each
 * flip, and after names were read. Of a process that has ended, the file that it had in that
 * memory has the last one.
 *
 * A process can have as many methods as it likes: each user may have so many read, and only so
 * many are kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/interp/jvmname.h"
#include "lib/record/execlog.h"
#include "lib/record/jvmbudget.h"
#include "lib/record/jvmmethods.h"
#include "lib/record/jvmprocess.h"
#include "lib/record/methodtable.h"
#include "lib/symbols/livejvm.h"

#define BUCKETS		256

/* Processes with a JVM, and methods of each; more have no names. */
#define MAX_PROCESSES	4096
#define MAX_METHODS	32768

/* Files of processes that are open; of more, the last epoch has no names. */
#define MAX_FILES	128

/* All numbers of unloaded classes are read before a flip only if that takes less. */
#define BEFORE_NS	5000000ULL

/* What could not be read is tried again after so many epochs. */
#define RETRY		16

/* What was not looked up for more turns is dropped, in live views. */
#define TURNS		8

/* PERF_RECORD_COMM, _FORK and _EXIT. */
struct task_record {
	struct perf_event_header header;
	__u32 pid, ppid, tid;
};

/**
 * struct process - a process, with its methods
 * @next: in its bucket
 * @jvm: its JVM
 * @mapped: when the file of names is mapped, in the output, or 0
 * @user: its user's number
 * @methods: its methods
 * @unused: turns since one of its stacks was looked up
 */
struct process {
	struct process *next;
	struct wp_jvmprocess jvm;
	__u64 mapped;
	unsigned int user;
	struct wp_methodtable methods;
	unsigned int unused;
};

/**
 * struct wp_jvmmethods - the methods
 * @jvms: the JVMs of processes
 * @reader: reads their memory; NULL: there was none yet
 * @reading: the process that it has open; NULL: none
 * @memory: the memory of that
 * @bucket: processes by pid
 * @nr: their number
 * @execs: those that executed a program lately, with methods or without
 * @next: the bucket whose numbers are read next
 * @nr_files: number of files that are open
 * @any_ended: one of them has @ended set
 * @begin: when the epoch whose samples are written began
 * @end: when it ended
 * @upto: what happened until then is written
 * @epoch: its number, from 1 on
 * @turn: number of turns of a live view, from 1 on
 * @budget: what may be read, and kept, of the processes of each user
 * @stats: statistics, without the memory
 */
struct wp_jvmmethods {
	struct wp_jvms *jvms;
	struct wp_livejvms *reader;
	struct process *reading;
	struct wp_pymemory *memory;
	struct process *bucket[BUCKETS];
	size_t nr;
	struct wp_execlog execs;
	unsigned int next;
	unsigned int nr_files;
	bool any_ended;
	__u64 begin;
	__u64 end;
	__u64 upto;
	__u64 epoch;
	__u64 turn;
	struct wp_jvmbudget budget;
	struct wp_jvmmethods_stats stats;
};

/**
 * wp_jvmmethods_new() - allocate an empty table
 * @jvms: the JVMs of processes
 * @max_bytes: limit of its memory; more have no names
 *
 * Return: the table, or NULL: there is no memory.
 */
struct wp_jvmmethods *wp_jvmmethods_new(struct wp_jvms *jvms, size_t max_bytes)
{
	struct wp_jvmmethods *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->jvms = jvms;
	m->budget.max_bytes = max_bytes;
	m->epoch = 1;
	m->turn = 1;
	wp_jvmbudget_renew(&m->budget);
	return m;
}

static void free_process(struct wp_jvmmethods *m, struct process *p)
{
	wp_jvmbudget_keep(&m->budget, p->user, -wp_methodtable_bytes(&p->methods));
	wp_methodtable_free(&p->methods);
	if (p->jvm.file >= 0) {
		close(p->jvm.file);
		m->nr_files--;
	}
	free(p);
	m->nr--;
}

/**
 * wp_jvmmethods_free() - free a table
 * @m: the table, or NULL
 */
void wp_jvmmethods_free(struct wp_jvmmethods *m)
{
	struct process *p;
	unsigned int i;

	if (!m)
		return;
	for (i = 0; i < BUCKETS; i++) {
		while ((p = m->bucket[i])) {
			m->bucket[i] = p->next;
			free_process(m, p);
		}
	}
	wp_execlog_drop(&m->execs, ~0ULL);
	wp_livejvm_free(m->reader);
	free(m);
}

/**
 * wp_jvmmethods_any() - whether any stack may have a method
 * @m: the methods, or NULL
 *
 * Return: true if so.
 */
bool wp_jvmmethods_any(const struct wp_jvmmethods *m)
{
	return m && (m->nr || wp_jvms_any(m->jvms));
}

static struct process *find_process(const struct wp_jvmmethods *m, __u32 pid)
{
	struct process *p = m->bucket[pid % BUCKETS];

	while (p && p->jvm.pid != pid)
		p = p->next;
	return p;
}

/* NULL: there are too many, or there is no memory. */
static struct process *find_or_add(struct wp_jvmmethods *m, __u32 pid)
{
	struct process *p = find_process(m, pid);

	if (p || m->nr == MAX_PROCESSES)
		return p;
	if (!m->reader)
		m->reader = wp_livejvm_new();
	p = m->reader ? calloc(1, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	p->jvm.pid = pid;
	p->user = wp_interpusers_find(&m->budget.users, pid);
	p->jvm.file = -1;
	p->jvm.ended = wp_execlog_find(&m->execs, pid);
	p->jvm.execs = p->jvm.ended;
	m->any_ended |= p->jvm.execs;
	p->next = m->bucket[pid % BUCKETS];
	m->bucket[pid % BUCKETS] = p;
	m->nr++;
	return p;
}

/* NULL: there are too many, or there is no memory. */
static struct wp_method *find_or_add_method(struct wp_jvmmethods *m, struct process *p,
					    __u64 address)
{
	struct wp_method *method = wp_methodtable_find(&p->methods, address);
	size_t room = p->methods.room;

	if (method)
		return method;
	if (p->methods.nr >= MAX_METHODS || !wp_jvmbudget_has_room(&m->budget, p->user))
		return NULL;
	method = wp_methodtable_add(&p->methods, address);
	wp_jvmbudget_keep(&m->budget, p->user, (p->methods.room - room) * sizeof(*method));
	if (method)
		method->reason = WP_JVMMETHODS_LIMIT;
	return method;
}

static ssize_t bytes_of(const struct wp_method *method)
{
	return method->name ? strlen(method->name) + 1 : 0;
}

static enum wp_jvmmethods_reason reason_of(int err)
{
	switch (err) {
	case -ESRCH:
		return WP_JVMMETHODS_ENDED;
	case -ENOENT:
		return WP_JVMMETHODS_UNCOUNTED;
	case -ESTALE:
		return WP_JVMMETHODS_UNLOADED;
	case -ENODATA:
		return WP_JVMMETHODS_ABSENT;
	case -EPERM:
	case -EACCES:
		return WP_JVMMETHODS_DENIED;
	case -ETIMEDOUT:
		return WP_JVMMETHODS_BLOCKED;
	case -EDQUOT:
	case -ENOMEM:
		return WP_JVMMETHODS_LIMIT;
	}
	return WP_JVMMETHODS_BAD;
}

static void close_reader(struct wp_jvmmethods *m)
{
	if (!m->reading)
		return;
	wp_jvmbudget_has_read(&m->budget, m->reading->user, wp_livejvm_close(m->reader));
	m->reading = NULL;
}

/*
 * Have its memory read, as it is after the last flip or later. Returns false if nothing more
 * may be read.
 */
static bool open_reader(struct wp_jvmmethods *m, struct process *p)
{
	if (m->reading == p)
		return m->budget.stacks[p->user];
	close_reader(m);
	if (!wp_jvmbudget_may_read(&m->budget, p->user))
		return false;
	m->memory = wp_livejvm_open(m->reader, p->jvm.pid, &m->budget.read[p->user],
				    m->budget.windows[p->user]);
	m->reading = p;
	return true;
}

/* Once for the samples of an epoch, after its end. */
static void check(struct wp_jvmmethods *m, struct process *p)
{
	const int file = p->jvm.file;

	wp_jvmprocess_check(&p->jvm, m->jvms, m->reader, m->epoch, m->nr_files < MAX_FILES);
	m->nr_files += file < 0 && p->jvm.file >= 0;
	m->any_ended |= p->jvm.ended != 0;
}

/* Whether it has the name that it had in this epoch, if no class was unloaded since. */
static bool has_name(const struct process *p, const struct wp_method *method)
{
	return method->name && method->unloads == p->jvm.unloads.nr;
}

static void set_name(struct wp_jvmmethods *m, struct process *p, struct wp_method *method,
		     const char *name)
{
	char *copy = strdup(name);

	wp_jvmbudget_keep(&m->budget, p->user, -bytes_of(method));
	if (method->name && strcmp(method->name, name))
		method->doubt = m->turn;
	free(method->name);
	method->name = copy;
	method->unloads = p->jvm.unloads.nr;
	method->reason = WP_JVMMETHODS_LIMIT;
	wp_jvmbudget_keep(&m->budget, p->user, bytes_of(method));
	m->stats.methods += !!copy;
}

/* Returns whether a name was read, which counts if no class was unloaded until now. */
static bool read_method(struct wp_jvmmethods *m, struct process *p, struct wp_method *method)
{
	char name[WP_JVMNAME_MAX];
	int err = -EDQUOT;

	if (method->tried && m->epoch < method->tried + RETRY)
		return false;
	if (wp_jvmprocess_stalled(&p->jvm, m->epoch)) {
		method->reason = WP_JVMMETHODS_BLOCKED;
		return false;
	}
	if (open_reader(m, p))
		err = wp_jvmname_read(m->memory, &p->jvm.facts.layout, method->address, name);
	wp_jvmprocess_note(&p->jvm, m->epoch, err);
	if (!err) {
		method->tried = 0;
		set_name(m, p, method, name);
		return true;
	}
	method->reason = reason_of(err);
	/* In the next epoch there is more. */
	if (method->reason != WP_JVMMETHODS_LIMIT &&
	    (method->reason != WP_JVMMETHODS_BLOCKED || wp_jvmprocess_given_up(&p->jvm)))
		method->tried = m->epoch;
	return false;
}

/**
 * wp_jvmmethods_look() - read the methods of a stack
 * @m: the methods
 * @pid: the process
 * @ips: the user stack as the module has it
 * @nr: number of its words
 */
void wp_jvmmethods_look(struct wp_jvmmethods *m, __u32 pid, const __u64 *ips, unsigned int nr)
{
	struct process *p = NULL;
	struct wp_method *method;
	bool same = false, read = false;
	unsigned int i;

	for (i = 1; i < nr; i++) {
		if (!WALLPROF_INTERP_IS_WORD(ips[i]) || !WALLPROF_INTERP_CODE_ADDRESS(ips[i]))
			continue;
		if (!p) {
			p = find_or_add(m, pid);
			if (!p)
				return;
			p->unused = 0;
			check(m, p);
			same = wp_jvmprocess_same(&p->jvm, m->begin);
		}
		method = find_or_add_method(m, p, WALLPROF_INTERP_CODE_ADDRESS(ips[i]));
		if (!method)
			continue;
		method->unused = 0;
		if (same && !p->jvm.over && !has_name(p, method))
			read |= read_method(m, p, method);
		if (!same || !has_name(p, method))
			method->doubt = m->turn;
	}
	if (!read)
		return;
	m->budget.stacks[p->user]--;
	p->jvm.err = wp_jvmprocess_count(&p->jvm, m->reader, m->epoch);
	for (i = 1; i < nr && !wp_jvmprocess_same(&p->jvm, m->begin); i++) {
		if (!WALLPROF_INTERP_IS_WORD(ips[i]))
			continue;
		method = wp_methodtable_find(&p->methods, WALLPROF_INTERP_CODE_ADDRESS(ips[i]));
		if (!method)
			continue;
		/* It may have been read from another program. */
		method->unloads = ~0ULL;
		method->doubt = m->turn;
	}
}

/**
 * wp_jvmmethods_name() - the name of a method in the stack of a sample
 * @m: the methods; those of the stack were looked at in this epoch
 * @pid: the process
 * @word: the word of the stack that has the method
 * @time: of the sample
 *
 * Return: the name, valid until the next look; NULL: it was not read, which is counted.
 */
const char *wp_jvmmethods_name(struct wp_jvmmethods *m, __u32 pid, __u64 word, __u64 time)
{
	const __u64 address = WALLPROF_INTERP_CODE_ADDRESS(word);
	const struct process *p = find_process(m, pid);
	const struct wp_method *method = p ? wp_methodtable_find(&p->methods, address) : NULL;
	enum wp_jvmmethods_reason reason = WP_JVMMETHODS_LIMIT;

	m->stats.frames++;
	if (!address)
		reason = WP_JVMMETHODS_NONE;
	/* Threads can end later than the first one, of which the record is. */
	else if (p && p->jvm.execs && time > p->jvm.ended)
		reason = WP_JVMMETHODS_ENDED;
	else if (p && p->jvm.err)
		reason = reason_of(p->jvm.err);
	else if (p && !wp_jvmprocess_same(&p->jvm, time < m->begin ? time : m->begin))
		reason = p->jvm.unloads.may_redefine ? WP_JVMMETHODS_REDEFINED :
			 WP_JVMMETHODS_UNLOADED;
	else if (method && has_name(p, method))
		return method->name;
	else if (p && p->jvm.over)
		reason = WP_JVMMETHODS_ENDED;
	else if (method)
		reason = method->reason;
	m->stats.unread[reason]++;
	return NULL;
}

/**
 * wp_jvmmethods_livename() - the name of a method in a stack of a live view
 * @m: the methods; those of the stack were looked at when it was read from the module
 * @pid: the process
 * @word: the word of the stack that has the method
 * @name: set to its name, valid until the next look; a method that is not known for sure has no
 *	file
 */
void wp_jvmmethods_livename(const struct wp_jvmmethods *m, __u32 pid, __u64 word,
			    struct wp_livename *name)
{
	const struct process *p = find_process(m, pid);
	const struct wp_method *method;

	method = p ? wp_methodtable_find(&p->methods, WALLPROF_INTERP_CODE_ADDRESS(word)) : NULL;
	*name = (struct wp_livename){ .name = WP_JVMMETHODS_UNREAD, .java = true };
	if (!method || !method->name || p->jvm.execs)
		return;
	/* What is shown is of this turn or the one before. */
	if (method->doubt && method->doubt + 1 >= m->turn)
		return;
	name->name = method->name;
	name->file = WP_JVMMETHODS_FILE;
	name->path = WP_JVMMETHODS_FILE;
	name->memory = true;
}

/**
 * wp_jvmmethods_no_room() - count a method whose name found no room
 * @m: the methods
 */
void wp_jvmmethods_no_room(struct wp_jvmmethods *m)
{
	m->stats.unread[WP_JVMMETHODS_LIMIT]++;
}

/**
 * wp_jvmmethods_before() - note how many classes were unloaded, before a flip
 * @m: the methods
 *
 * For stacks that are recorded from now on, until the flip after this one.
 */
void wp_jvmmethods_before(struct wp_jvmmethods *m)
{
	const __u64 until = wp_clock_now() + BEFORE_NS;
	struct process *p;
	unsigned int i;

	for (i = 0; i < BUCKETS && wp_clock_now() < until; i++) {
		for (p = m->bucket[m->next]; p; p = p->next) {
			if (p->jvm.known && !p->jvm.ended && !p->jvm.err)
				wp_jvmprocess_count(&p->jvm, m->reader, m->epoch);
		}
		m->next = (m->next + 1) % BUCKETS;
	}
}

/**
 * wp_jvmmethods_flipped() - note that an epoch has ended, whose samples are written now
 * @m: the methods
 * @time: when it ended
 */
void wp_jvmmethods_flipped(struct wp_jvmmethods *m, __u64 time)
{
	close_reader(m);
	wp_jvmbudget_renew(&m->budget);
	m->begin = m->end;
	m->end = time;
	m->epoch++;
}

/**
 * wp_jvmmethods_record() - take a record of processes
 * @m: the methods
 * @rec: the record
 * @time: its time
 */
void wp_jvmmethods_record(struct wp_jvmmethods *m, const struct perf_event_header *rec,
			  __u64 time)
{
	const struct task_record *task = (const void *)rec;
	bool execs = rec->type == PERF_RECORD_COMM && rec->misc & PERF_RECORD_MISC_COMM_EXEC;
	bool exits = rec->type == PERF_RECORD_EXIT && task->pid == task->tid;
	bool forks = rec->type == PERF_RECORD_FORK && task->pid != task->ppid;
	struct process *p;

	if (!time || !m->nr || (!execs && !exits && !forks))
		return;
	if (execs)
		wp_execlog_add(&m->execs, task->pid, time);
	p = find_process(m, task->pid);
	/* What follows another program is none of this one's. */
	if (!p || p->jvm.execs)
		return;
	p->jvm.ended = time;
	p->jvm.execs = !exits;
	m->any_ended = true;
}

/**
 * wp_jvmmethods_map() - whether a process needs the file of names mapped, in the output
 * @m: the methods
 * @pid: the process, which has had a stack with methods
 * @time: time of its sample
 * @at: set to the earliest time at which it may be mapped; if it has executed its program
 *	since, it is mapped just before @time, too
 *
 * Return: false if it has it.
 */
bool wp_jvmmethods_map(struct wp_jvmmethods *m, __u32 pid, __u64 time, __u64 *at)
{
	struct process *p = find_process(m, pid);

	if (!p)
		return false;
	if (p->mapped &&
	    !(p->jvm.ended && p->mapped < p->jvm.ended && p->jvm.ended < time))
		return false;
	p->mapped = time - 1;
	*at = m->upto + 1 < time - 1 ? m->upto + 1 : time - 1;
	return true;
}

/**
 * wp_jvmmethods_unmap() - note that another file begins
 * @m: the methods
 */
void wp_jvmmethods_unmap(struct wp_jvmmethods *m)
{
	struct process *p;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (p = m->bucket[i]; p; p = p->next)
			p->mapped = 0;
	}
}

/* Whether a process is dropped. */
static bool is_over(struct wp_jvmmethods *m, const struct process *p)
{
	if (p->jvm.ended && p->jvm.ended <= m->upto)
		return true;
	m->any_ended |= p->jvm.ended != 0;
	return p->unused > TURNS;
}

static void drop_processes(struct wp_jvmmethods *m)
{
	struct process **at, *p;
	unsigned int i;

	m->any_ended = false;
	for (i = 0; i < BUCKETS; i++) {
		for (at = &m->bucket[i]; (p = *at);) {
			if (!is_over(m, p)) {
				at = &p->next;
				continue;
			}
			*at = p->next;
			free_process(m, p);
		}
	}
}

/**
 * wp_jvmmethods_end_epoch() - note that the samples of an epoch are written
 * @m: the methods
 * @upto: everything up to this time is
 */
void wp_jvmmethods_end_epoch(struct wp_jvmmethods *m, __u64 upto)
{
	close_reader(m);
	m->upto = upto;
	wp_execlog_drop(&m->execs, upto);
	if (m->any_ended)
		drop_processes(m);
}

/**
 * wp_jvmmethods_turn() - note that an interval of a live view has ended, and is shown
 * @m: the methods
 *
 * What nobody looked up for some of these is dropped, as such sessions go on for ever.
 */
void wp_jvmmethods_turn(struct wp_jvmmethods *m)
{
	struct process *p;
	unsigned int i;

	m->turn++;
	for (i = 0; i < BUCKETS; i++) {
		for (p = m->bucket[i]; p; p = p->next) {
			wp_jvmbudget_keep(&m->budget, p->user, -wp_methodtable_bytes(&p->methods));
			wp_methodtable_sweep(&p->methods, TURNS);
			wp_jvmbudget_keep(&m->budget, p->user, wp_methodtable_bytes(&p->methods));
			m->any_ended |= p->unused++ >= TURNS;
		}
	}
}

/**
 * wp_jvmmethods_reason() - name of a reason
 * @reason: enum wp_jvmmethods_reason
 *
 * Return: the name.
 */
const char *wp_jvmmethods_reason(unsigned int reason)
{
	static const char *const text[WP_JVMMETHODS_REASONS] = {
		[WP_JVMMETHODS_ENDED] = "process ended",
		[WP_JVMMETHODS_UNLOADED] = "classes unloaded meanwhile",
		[WP_JVMMETHODS_REDEFINED] = "classes loaded meanwhile, maybe redefined",
		[WP_JVMMETHODS_UNCOUNTED] = "no performance data",
		[WP_JVMMETHODS_NONE] = "no method in the frame",
		[WP_JVMMETHODS_ABSENT] = "memory not present",
		[WP_JVMMETHODS_DENIED] = "not permitted",
		[WP_JVMMETHODS_BLOCKED] = "memory does not come",
		[WP_JVMMETHODS_BAD] = "bad method",
		[WP_JVMMETHODS_LIMIT] = "too many",
	};

	return text[reason];
}

/**
 * wp_jvmmethods_stats() - read the statistics
 * @m: the methods
 * @stats: set to them
 */
void wp_jvmmethods_stats(const struct wp_jvmmethods *m, struct wp_jvmmethods_stats *stats)
{
	*stats = m->stats;
	stats->bytes = m->budget.all_bytes;
}
