// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the interpreters of the processes whose mappings are published: CPython's. mapsync.c's
 * thread looks for them, by the symbols of mapped files and in the memory of the process, and
 * publishes their description; the thread that writes samples takes what it needs to read
 * names.
 *
 * A process decides what its memory has. So the search is limited, and a wrong description
 * harms its own stacks only.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "lib/interp/pyinterp.h"
#include "lib/interp/pymemory.h"
#include "lib/interp/pystack.h"
#include "lib/proc/procmemory.h"
#include "lib/record/interps.h"
#include "lib/symbols/livenames.h"
#include "lib/symbols/livepython.h"

#define BUCKETS		1024

/* What may be read of a process at each look. */
#define MAX_BLOCKS	4096
#define MAX_BYTES	(2 << 20)

/* Beyond so many files their symbols are read anew: it is their memory. */
#define MAX_FILES	2048

/* More processes have none. */
#define MAX_PROCESSES	65536

struct process {
	struct process *next;
	__u32 pid;
	struct wp_interp interp;
};

/**
 * struct wp_interps - the interpreters
 * @lock: protects @bucket and @nr; all that follows belongs to mapsync.c's thread
 * @bucket: processes by pid
 * @nr: their number
 * @names: symbols of files, of each those of Python, read once
 * @procs: reads memory
 * @pid: of this process
 * @memory: what was read
 */
struct wp_interps {
	pthread_mutex_t lock;
	struct process *bucket[BUCKETS];
	unsigned int nr;
	struct wp_livenames *names;
	struct wp_procmemory *procs;
	__u32 pid;
	struct wp_pymemory memory;
};

/**
 * wp_interps_new() - allocate an empty table
 *
 * Return: the table, or NULL: there is no memory.
 */
struct wp_interps *wp_interps_new(void)
{
	struct wp_interps *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	pthread_mutex_init(&all->lock, NULL);
	all->procs = wp_procmemory_new();
	if (!all->procs || wp_livenames_new(&all->names, wp_livepython_symbols)) {
		wp_interps_free(all);
		return NULL;
	}
	return all;
}

/**
 * wp_interps_free() - free a table
 * @all: the table, or NULL; mapsync.c has ended
 */
void wp_interps_free(struct wp_interps *all)
{
	struct process *p;
	unsigned int i;

	if (!all)
		return;
	for (i = 0; i < BUCKETS; i++) {
		while ((p = all->bucket[i])) {
			all->bucket[i] = p->next;
			free(p);
		}
	}
	wp_livenames_free(all->names);
	wp_procmemory_free(all->procs);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

/* The place of a process, or the end of its list. Caller holds the lock. */
static struct process **place_of(struct wp_interps *all, __u32 pid)
{
	struct process **at = &all->bucket[pid % BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

/* Without memory, its functions have no names. */
static void set(struct wp_interps *all, __u32 pid, const struct wp_interp *interp)
{
	struct process **at;

	pthread_mutex_lock(&all->lock);
	at = place_of(all, pid);
	if (!*at && all->nr < MAX_PROCESSES) {
		*at = calloc(1, sizeof(**at));
		all->nr += !!*at;
	}
	if (*at) {
		(*at)->pid = pid;
		(*at)->interp = *interp;
	}
	pthread_mutex_unlock(&all->lock);
}

static int read_block(void *ctx, __u64 address, void *to)
{
	struct wp_interps *all = ctx;

	return wp_procmemory_read(all->procs, all->pid, address, to);
}

/* Describe the interpreter; its threads decide where they have their states. */
static int describe(struct wp_interps *all, struct wp_interp *found)
{
	struct wp_pyrange range[WP_LIVEPYTHON_RANGES];
	struct wp_pythreads threads = { 0 };
	unsigned int nr;
	__s32 slot;
	int err;

	err = wp_livepython_find(all->names, all->pid, &all->memory, &found->py);
	if (err)
		return err;
	nr = wp_livepython_ranges(all->names, all->pid, range);
	if (!nr)
		return -ENOTSUP;
	err = wp_pystack_threads(&all->memory, &found->py, &threads);
	if (!err)
		err = wp_pyinterp_slot(&all->memory, &found->py, &threads, &slot);
	free(threads.thread);
	return err ? err : wp_pyinterp_describe(&found->py, range, nr, slot, &found->interp);
}

/* A session may go on for ever. Without memory the old ones are kept. */
static void renew_names(struct wp_interps *all)
{
	struct wp_livenames *names;

	if (wp_livenames_files(all->names) < MAX_FILES ||
	    wp_livenames_new(&names, wp_livepython_symbols))
		return;
	wp_livenames_free(all->names);
	all->names = names;
}

/* Whether the process has one that is known: see wp_interps_look(). */
static int look(struct wp_interps *all, __u32 pid, struct wp_interp *found)
{
	struct wp_pybudget budget = { MAX_BLOCKS, MAX_BYTES };
	int err;

	renew_names(all);
	all->pid = pid;
	all->memory.read = read_block;
	all->memory.ctx = all;
	all->memory.budget = &budget;
	wp_pymemory_forget(&all->memory);
	err = describe(all, found);
	/* Before it is set up, it points to nowhere, and has no version. */
	if (err == -ENODATA || (err == -ENOTSUP && found->py.layout.debug_offsets))
		return -EAGAIN;
	/* Its mappings are not needed any more. */
	wp_livenames_forget(all->names, pid);
	return err;
}

/**
 * wp_interps_again() - look again for an interpreter that was not ready
 * @all: the table
 * @pid: the process, which has mapped nothing since wp_interps_look()
 *
 * Return: as that function.
 */
int wp_interps_again(struct wp_interps *all, __u32 pid)
{
	struct wp_interp found = { 0 };

	return look(all, pid, &found);
}

/**
 * wp_interps_look() - look for a process's interpreter
 * @all: the table
 * @pid: the process
 * @interp: set to its description
 *
 * Return: 0; -EAGAIN: it is not ready yet; another negative errno: there is none that is
 * known, or its memory may not be read.
 */
int wp_interps_look(struct wp_interps *all, __u32 pid, struct wallprof_interp *interp)
{
	struct wp_interp found = { 0 };
	int err;

	/* Its mappings have changed. */
	wp_livenames_forget(all->names, pid);
	err = look(all, pid, &found);
	if (err)
		return err;
	set(all, pid, &found);
	*interp = found.interp;
	return 0;
}

/**
 * wp_interps_fork() - note that a child has its parent's interpreter
 * @all: the table
 * @ppid: the parent, known or not
 * @pid: the child
 */
void wp_interps_fork(struct wp_interps *all, __u32 ppid, __u32 pid)
{
	struct wp_interp interp;

	if (wp_interps_find(all, ppid, &interp))
		set(all, pid, &interp);
	else
		wp_interps_forget(all, pid);
}

/**
 * wp_interps_forget() - forget a process's interpreter
 * @all: the table
 * @pid: the process, known or not
 */
void wp_interps_forget(struct wp_interps *all, __u32 pid)
{
	struct process **at, *p;

	pthread_mutex_lock(&all->lock);
	at = place_of(all, pid);
	p = *at;
	if (p) {
		*at = p->next;
		all->nr--;
	}
	pthread_mutex_unlock(&all->lock);
	free(p);
}

/**
 * wp_interps_any() - whether any process has an interpreter
 * @all: the table
 *
 * May be called from any thread.
 *
 * Return: true if so.
 */
bool wp_interps_any(struct wp_interps *all)
{
	bool any;

	pthread_mutex_lock(&all->lock);
	any = all->nr;
	pthread_mutex_unlock(&all->lock);
	return any;
}

/**
 * wp_interps_find() - find a process's interpreter
 * @all: the table
 * @pid: the process
 * @interp: set to it
 *
 * May be called from any thread.
 *
 * Return: false if it has none.
 */
bool wp_interps_find(struct wp_interps *all, __u32 pid, struct wp_interp *interp)
{
	struct process *p;

	pthread_mutex_lock(&all->lock);
	p = *place_of(all, pid);
	if (p)
		*interp = p->interp;
	pthread_mutex_unlock(&all->lock);
	return p;
}
