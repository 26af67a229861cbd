// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the threads of a Perfetto trace: their names and processes, from the events and
 * records of a recording. What is known when the trace begins is written first, later
 * changes when the thread is next seen. Called by pfsched.c.
 *
 * Perfetto prefers names from the process tree over those of scheduler events, so each
 * change of a name is written to the tree.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/perfetto/pfpacket.h"
#include "lib/perfetto/pfthreads.h"

#define FIRST_ROOM	256
#define PER_PACKET	64

static size_t place_of(const struct wp_pfthreads *t, __s32 tid)
{
	size_t i = (__u32)tid * 2654435761U & (t->room - 1);

	while (t->entry[i].used && t->entry[i].tid != tid)
		i = (i + 1) & (t->room - 1);
	return i;
}

static int grow(struct wp_pfthreads *t)
{
	struct wp_pfthreads more = { .room = t->room ? t->room * 2 : FIRST_ROOM, .nr = t->nr };
	size_t i;

	if (t->nr < t->room / 2)
		return 0;
	more.entry = calloc(more.room, sizeof(*more.entry));
	if (!more.entry)
		return wp_no_memory("the names of threads");
	for (i = 0; i < t->room; i++) {
		if (t->entry[i].used)
			more.entry[place_of(&more, t->entry[i].tid)] = t->entry[i];
	}
	free(t->entry);
	*t = more;
	return 0;
}

/**
 * wp_pfthreads_find() - look up a thread
 * @t: the threads
 * @tid: its id
 *
 * Return: the thread, valid until the next one is added; NULL if it is unknown.
 */
struct wp_pfthread *wp_pfthreads_find(const struct wp_pfthreads *t, __s32 tid)
{
	struct wp_pfthread *e = t->room ? &t->entry[place_of(t, tid)] : NULL;

	return e && e->used ? e : NULL;
}

/* Look up or add a thread; NULL if there is no memory. */
static struct wp_pfthread *get(struct wp_pfthreads *t, __s32 tid)
{
	struct wp_pfthread *e = wp_pfthreads_find(t, tid);

	if (e)
		return e;
	if (grow(t))
		return NULL;
	e = &t->entry[place_of(t, tid)];
	e->used = true;
	e->tid = tid;
	e->pid = WP_SCHED_NO_PID;
	t->nr++;
	return e;
}

/* Set the process of a thread, and count the thread there. */
static int set_process(struct wp_pfthreads *t, __s32 tid, __s32 pid)
{
	struct wp_pfthread *leader;

	if (tid != pid) {
		leader = get(t, pid);
		if (!leader)
			return -ENOMEM;
		leader->others++;
	}
	/* Not before: get() moves entries. */
	wp_pfthreads_find(t, tid)->pid = pid;
	return 0;
}

/**
 * wp_pfthreads_learn() - update a thread from an event
 * @t: the threads
 * @who: the thread; fields that it leaves open keep their values
 * @time: time of the event
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfthreads_learn(struct wp_pfthreads *t, const struct wp_schedthread *who, __u64 time)
{
	char comm[WP_SCHED_COMM];
	struct wp_pfthread *e;

	/* The idle threads share an id. */
	if (who->tid <= 0)
		return 0;
	e = get(t, who->tid);
	if (!e)
		return -ENOMEM;
	if (who->pid >= 0 && e->pid == WP_SCHED_NO_PID) {
		if (set_process(t, who->tid, who->pid))
			return -ENOMEM;
		e = wp_pfthreads_find(t, who->tid);
		e->unwritten = true;
		e->since = time;
	}
	memcpy(comm, who->comm, sizeof(comm));
	comm[sizeof(comm) - 1] = 0;
	wp_text_clean(comm, false);
	if (*comm && strcmp(comm, e->comm)) {
		memcpy(e->comm, comm, sizeof(comm));
		e->unwritten = true;
		e->since = time;
	}
	return 0;
}

/**
 * wp_pfthreads_fork() - add a new thread
 * @t: the threads
 * @ev: WP_SCHED_FORK; an earlier thread with the same id is dropped
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfthreads_fork(struct wp_pfthreads *t, const struct wp_schedevent *ev)
{
	const struct wp_pfthread *parent = wp_pfthreads_find(t, ev->other.tid);
	struct wp_schedthread who = ev->who;
	struct wp_pfthread *e;

	if (who.tid <= 0)
		return 0;
	if (!*who.comm && parent)
		memcpy(who.comm, parent->comm, sizeof(who.comm));
	wp_pfthreads_end(t, who.tid);
	e = get(t, who.tid);
	if (!e)
		return -ENOMEM;
	e->pid = WP_SCHED_NO_PID;
	e->ppid = who.tid == who.pid && ev->other.pid > 0 ? ev->other.pid : 0;
	e->comm[0] = 0;
	e->born = false;
	e->exits = false;
	e->ended = false;
	e->others = 0;
	return wp_pfthreads_learn(t, &who, ev->time);
}

/* A packet of the process tree. */
struct tree {
	size_t nr_threads;
	size_t nr_processes;
	char *name[PER_PACKET];
	Pf__ProcessTree__Thread thread[PER_PACKET], *threads[PER_PACKET];
	Pf__ProcessTree__Process process[PER_PACKET], *processes[PER_PACKET];
};

static int write_tree(struct tree *tree, struct wp_pftrace *trace, __u64 time)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__ProcessTree base = PF__PROCESS_TREE__INIT;

	if (!tree->nr_threads)
		return 0;
	while (base.n_threads < tree->nr_threads) {
		tree->threads[base.n_threads] = &tree->thread[base.n_threads];
		base.n_threads++;
	}
	while (base.n_processes < tree->nr_processes) {
		tree->processes[base.n_processes] = &tree->process[base.n_processes];
		base.n_processes++;
	}
	base.threads = tree->threads;
	base.processes = tree->processes;
	packet.data_case = PF__TRACE_PACKET__DATA_PROCESS_TREE;
	packet.process_tree = &base;
	tree->nr_threads = 0;
	tree->nr_processes = 0;
	return wp_pftrace_packet(trace, &packet, WP_PF_SEQUENCE, time);
}

static void add_process(struct tree *tree, struct wp_pfthread *e)
{
	size_t i = tree->nr_processes++;
	Pf__ProcessTree__Process *p = &tree->process[i];

	pf__process_tree__process__init(p);
	p->has_pid = true;
	p->pid = e->pid;
	p->has_ppid = true;
	p->ppid = e->ppid;
	tree->name[i] = e->comm;
	p->n_cmdline = 1;
	p->cmdline = &tree->name[i];
}

/* Without a process there is nothing to write: the thread's name is in the events. */
static void add_thread(struct tree *tree, struct wp_pfthread *e)
{
	Pf__ProcessTree__Thread *thread = &tree->thread[tree->nr_threads];

	e->unwritten = false;
	if (e->pid < 0)
		return;
	pf__process_tree__thread__init(thread);
	thread->has_tid = true;
	thread->tid = e->tid;
	thread->has_tgid = true;
	thread->tgid = e->pid;
	thread->name = *e->comm ? e->comm : NULL;
	tree->nr_threads++;
	if (e->tid == e->pid && *e->comm)
		add_process(tree, e);
}

/**
 * wp_pfthreads_write() - write what is new about a thread
 * @t: the threads
 * @trace: the trace, which has begun
 * @tid: the thread
 * @time: the current time
 *
 * Not called at the time of the fork, whose order with this packet would be undefined.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfthreads_write(struct wp_pfthreads *t, struct wp_pftrace *trace, __s32 tid, __u64 time)
{
	struct wp_pfthread *e = wp_pfthreads_find(t, tid);
	struct tree tree;

	if (!e || !e->unwritten || e->ended || (e->born && e->since >= time))
		return 0;
	tree.nr_threads = 0;
	tree.nr_processes = 0;
	add_thread(&tree, e);
	return write_tree(&tree, trace, time);
}

/**
 * wp_pfthreads_write_all() - write all known threads
 * @t: the threads
 * @trace: the trace, which has begun
 * @time: the current time
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfthreads_write_all(struct wp_pfthreads *t, struct wp_pftrace *trace, __u64 time)
{
	struct tree tree;
	int err = 0;
	size_t i;

	tree.nr_threads = 0;
	tree.nr_processes = 0;
	for (i = 0; i < t->room && !err; i++) {
		if (!t->entry[i].used || !t->entry[i].unwritten || t->entry[i].ended)
			continue;
		add_thread(&tree, &t->entry[i]);
		if (tree.nr_threads == PER_PACKET)
			err = write_tree(&tree, trace, time);
	}
	return err ? err : write_tree(&tree, trace, time);
}

/**
 * wp_pfthreads_end() - note that a thread is gone
 * @t: the threads
 * @tid: the thread
 *
 * Return: the thread whose end is to be written: a process's first thread stays until the
 * others are gone. 0 if there is none.
 */
__s32 wp_pfthreads_end(struct wp_pfthreads *t, __s32 tid)
{
	struct wp_pfthread *e = wp_pfthreads_find(t, tid), *leader;

	if (!e || e->ended)
		return 0;
	e->ended = true;
	if (e->pid < 0 || e->pid == e->tid)
		return e->others ? 0 : tid;
	leader = wp_pfthreads_find(t, e->pid);
	if (leader && leader->others)
		leader->others--;
	return tid;
}

/**
 * wp_pfthreads_free() - free the threads
 * @t: the threads
 */
void wp_pfthreads_free(struct wp_pfthreads *t)
{
	free(t->entry);
	memset(t, 0, sizeof(*t));
}
