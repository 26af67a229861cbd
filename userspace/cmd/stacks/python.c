// SPDX-License-Identifier: GPL-2.0
/*
 * Python functions of blocked threads.
 *
 * An interpreter's frames are read while its thread is blocked (wp_now_read_python()), and
 * take the places of the native functions that execute them when the stack is known
 * (wp_now_match_python()). Called by stacks.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/wallprof_interp.h>

#include "cmd/stacks/stacks.h"
#include "lib/base/procfile.h"
#include "lib/device/device.h"
#include "lib/interp/pygil.h"
#include "lib/model/kidle.h"
#include "lib/model/stacks.h"
#include "lib/symbols/livenames.h"
#include "lib/symbols/livepython.h"

/* What may be read of all processes of a user: some thousand threads. */
#define MAX_BLOCKS	131072
#define MAX_BYTES	(64 << 20)

/* Reads of a block by a thread that may wait for the GIL, and the time between these. */
#define FUTEX_TRIES	50
#define FUTEX_REST_NS	50000

/* The place of a Python function, not of a native one. */
#define PLACE_PYTHON	(1U << 31)

/**
 * struct wp_now_python - Python functions of a thread
 * @stack: they
 * @place: functions of the whole stack, from wp_now_match_python() on: numbers of native
 *	frames or, with PLACE_PYTHON, of @stack's
 * @nr: their number
 */
struct wp_now_python {
	struct wp_pystack stack;
	__u32 *place;
	size_t nr;
};

/* A process: its interpreter, or why there is none; its threads and, with @gil, its GILs. */
struct process {
	__u32 pid;
	enum wp_pytrouble trouble;
	struct wp_pyruntime py;
	struct wp_pyrange range[WP_LIVEPYTHON_RANGES];
	unsigned int nr_ranges;
	struct wp_pythreads threads;
	bool listed;
	struct wp_pygils gils;
	struct wp_now_gil *gil;
	size_t user;
};

struct user {
	uid_t uid;
	struct wp_pybudget budget;
};

/* A read of a blocked thread's process. */
struct reading {
	const struct wp_device *dev;
	__u32 pid;
	__u32 tid;
	__u64 since;
};

/**
 * struct wp_now_pythons - processes that were looked at
 * @process: the processes, by number
 * @nr: their number
 * @symbols: those of Python, in files of the processes
 * @user: their users
 * @nr_users: their number
 * @memory: memory of the one that is read
 * @reading: how
 */
struct wp_now_pythons {
	struct process *process;
	size_t nr;
	struct wp_livenames *symbols;
	struct user *user;
	size_t nr_users;
	struct wp_pymemory memory;
	struct reading reading;
};

/*
 * A thread that waits for the GIL does so anew every 5 ms: see gil.c. It may be between two of
 * these waits.
 */
static int read_block(void *ctx, __u64 address, void *to)
{
	const struct timespec rest = { .tv_nsec = FUTEX_REST_NS };
	const struct reading *r = ctx;
	struct wallprof_read read = {
		.pid = r->pid,
		.tid = r->tid,
		.since = r->since,
		.address = address,
		.data = (uintptr_t)to,
		.bytes = WP_PYMEMORY_BLOCK,
	};
	unsigned int try;
	int err;

	err = wp_device_read(r->dev, &read);
	for (try = 1; err == -ESTALE && !r->since && try < FUTEX_TRIES; try++) {
		nanosleep(&rest, NULL);
		read.since = 0;
		err = wp_device_read(r->dev, &read);
	}
	return err;
}

/* The index of a process's user. */
static int find_user(struct wp_now_pythons *p, __u32 pid, size_t *user)
{
	struct user *more;
	char path[32];
	uid_t uid;
	int dir;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uid = dir < 0 ? (uid_t)-1 : wp_procfile_user(dir);
	if (dir >= 0)
		close(dir);
	for (*user = 0; *user < p->nr_users; ++*user) {
		if (p->user[*user].uid == uid)
			return 0;
	}
	more = reallocarray(p->user, p->nr_users + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->user = more;
	more[p->nr_users++] = (struct user){ .uid = uid, .budget = { MAX_BLOCKS, MAX_BYTES } };
	return 0;
}

/* Position of a process in the table, or of its insertion. */
static size_t place_of(const struct wp_now_pythons *p, __u32 pid)
{
	size_t low = 0, high = p->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->process[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Find the interpreter of a process. */
static void identify(struct wp_now_pythons *p, struct process *process)
{
	int err;

	p->memory.budget = &p->user[process->user].budget;
	err = wp_livepython_find(p->symbols, process->pid, &p->memory, &process->py);
	process->trouble = wp_pystack_trouble(err);
}

/* A process; NULL: out of memory. */
static struct process *find_process(struct wp_now_threads *all, __u32 pid)
{
	struct wp_now_pythons *p = all->pythons;
	size_t at = place_of(p, pid), user;
	struct process *more;

	if (at < p->nr && p->process[at].pid == pid) {
		/* By another thread. */
		if (p->process[at].trouble == WP_PYTROUBLE_RAN)
			identify(p, &p->process[at]);
		return &p->process[at];
	}
	if (!p->symbols && wp_livenames_new(&p->symbols, wp_livepython_symbols))
		return NULL;
	if (find_user(p, pid, &user))
		return NULL;
	more = reallocarray(p->process, p->nr + 1, sizeof(*more));
	if (!more)
		return NULL;
	p->process = more;
	memmove(&more[at + 1], &more[at], (p->nr - at) * sizeof(*more));
	p->nr++;
	more[at] = (struct process){ .pid = pid, .user = user };
	identify(p, &more[at]);
	/* Also of a version that is not known: its stacks are counted. */
	more[at].nr_ranges = wp_livepython_ranges(p->symbols, pid, more[at].range);
	return &more[at];
}

/* List the threads of a process, and its GILs. */
static int list(struct wp_pymemory *m, struct process *process)
{
	int err = wp_pystack_threads(m, &process->py, &process->threads);

	if (err || process->gil)
		return err;
	err = wp_pygil_list(m, &process->py, &process->gils);
	if (err || !process->gils.nr)
		return err;
	process->gil = calloc(process->gils.nr, sizeof(*process->gil));
	return process->gil ? 0 : -ENOMEM;
}

/* Read the functions; lists the process's threads again if this one began since. */
static int read_stack(struct wp_pymemory *m, struct process *process, __u32 tid,
		      struct wp_pystack *stack)
{
	bool listed = process->listed;
	int err = 0;

	if (!listed)
		err = list(m, process);
	if (err)
		return err;
	process->listed = true;
	err = wp_pystack_read(m, &process->py, &process->threads, tid, stack);
	if (err != -ESRCH || !listed)
		return err;
	wp_pystack_free(stack);
	err = wp_pystack_threads(m, &process->py, &process->threads);
	return err ? err : wp_pystack_read(m, &process->py, &process->threads, tid, stack);
}

/* Have memory read by a thread, while it is blocked in an interval; @since is 0: in any. */
static struct wp_pymemory *by_thread(const struct wp_device *dev, struct wp_now_pythons *p,
				     __u32 slot, __u64 since)
{
	volatile const struct wallprof_task *task = wp_device_task(dev, slot);

	p->reading = (struct reading){
		.dev = dev, .pid = task->tgid, .tid = task->tid, .since = since,
	};
	p->memory.read = read_block;
	p->memory.ctx = &p->reading;
	wp_pymemory_forget(&p->memory);
	return &p->memory;
}

/**
 * wp_now_gil_of() - find the GIL that a thread waits for
 * @all: all threads
 * @tgid: the thread's process
 * @futex: address of the futex in which it waits
 *
 * Return: the GIL or NULL.
 */
struct wp_now_gil *wp_now_gil_of(const struct wp_now_threads *all, __u32 tgid, __u64 futex)
{
	const struct wp_now_pythons *p = all->pythons;
	size_t at = p ? place_of(p, tgid) : 0, i;
	__u64 address;

	if (!p || at == p->nr || p->process[at].pid != tgid || !p->process[at].gil)
		return NULL;
	address = wp_pygil_of(&p->process[at].gils, futex);
	for (i = 0; address && i < p->process[at].gils.nr; i++) {
		p->process[at].gil[i].address = p->process[at].gils.address[i];
		if (p->process[at].gil[i].address == address)
			return &p->process[at].gil[i];
	}
	return NULL;
}

/**
 * wp_now_read_holder() - read who holds a GIL
 * @dev: the session, running
 * @all: all threads
 * @slot: slot of a thread that waits for it
 * @gil: its address, from wp_now_gil_of()
 * @tid: set to the holder; 0: there is none
 *
 * Return: 0 or a negative errno.
 */
int wp_now_read_holder(const struct wp_device *dev, struct wp_now_threads *all, __u32 slot,
		       __u64 gil, __u32 *tid)
{
	struct wp_pymemory *m = by_thread(dev, all->pythons, slot, 0);
	struct process *process = find_process(all, all->pythons->reading.pid);
	__u32 own;
	int err;

	*tid = 0;
	if (!process)
		return -ENOMEM;
	m->budget = &all->pythons->user[process->user].budget;
	err = wp_pygil_holder(m, &process->py, &process->threads, gil, &own);
	if (err == -ESRCH) {
		err = wp_pystack_threads(m, &process->py, &process->threads);
		if (!err)
			err = wp_pygil_holder(m, &process->py, &process->threads, gil, &own);
	}
	if (!err && own)
		*tid = wp_nspids_find(&all->nspids, process->pid, own, false);
	return err;
}

/* A futex in which a thread waited, and may wait again; 0: none. */
static __u64 futex_of(const struct wp_now_before *before)
{
	unsigned int i;

	for (i = WP_NOW_NOTES; i; i--) {
		if (before->note[i - 1].futex)
			return before->note[i - 1].futex;
	}
	return 0;
}

/**
 * wp_now_read_python() - read the Python functions of a thread
 * @dev: the session, running
 * @all: all threads; processes are added
 * @slot: the thread's slot
 * @before: has notes; @python, @python_since and @trouble are set
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_read_python(const struct wp_device *dev, struct wp_now_threads *all, __u32 slot,
		       struct wp_now_before *before)
{
	volatile const struct wallprof_task *task = wp_device_task(dev, slot);
	__u64 futex = futex_of(before);
	struct process *process;
	struct wp_pymemory *m;
	int err;

	before->trouble = WP_PYTROUBLE_RAN;
	if (!task->tgid || !task->tid ||
	    wp_kidle_is_kthread(task->tgid, task->tid, task->reason) ||
	    (!futex && task->phase != WALLPROF_TASK_OFF && task->phase != WALLPROF_TASK_UNSEEN))
		return 0;
	if (!all->pythons)
		all->pythons = calloc(1, sizeof(*all->pythons));
	if (!all->pythons)
		return -ENOMEM;
	before->python_since = task->since;
	m = by_thread(dev, all->pythons, slot, futex ? 0 : before->python_since);
	process = find_process(all, all->pythons->reading.pid);
	if (!process)
		return -ENOMEM;
	/* One that waits for the GIL is in several intervals, which is known in the end. */
	if (process->listed && !wp_now_gil_of(all, process->pid, futex))
		all->pythons->reading.since = before->python_since;
	before->trouble = process->trouble;
	if (process->trouble)
		return 0;
	before->python = calloc(1, sizeof(*before->python));
	if (!before->python)
		return -ENOMEM;
	m->budget = &all->pythons->user[process->user].budget;
	err = read_stack(m, process, wp_nspid_own(process->pid, all->pythons->reading.tid),
			 &before->python->stack);
	before->trouble = wp_pystack_trouble(err);
	return err == -ENOMEM ? err : 0;
}

/* Whether a frame of a thread executes Python functions. */
static bool is_native(const struct wp_now_threads *all, const struct wp_now_thread *t,
		      unsigned int i)
{
	const struct wp_now_pythons *p = all->pythons;
	size_t at = place_of(p, t->tgid);
	__u64 ip = t->user->ips[i] - !!i;
	unsigned int k;

	if (at == p->nr || p->process[at].pid != t->tgid)
		return false;
	for (k = 0; k < p->process[at].nr_ranges; k++) {
		if (ip >= p->process[at].range[k].start && ip < p->process[at].range[k].end)
			return true;
	}
	return false;
}

/*
 * Let the frames of run @run, which begin at @from, take the place of a native one. A run
 * without frames leaves it.
 */
static size_t place_run(struct wp_now_python *p, size_t from, unsigned int run, __u32 native)
{
	size_t i = from;

	for (; i < p->stack.nr && p->stack.frame[i].run == run; i++)
		p->place[p->nr++] = PLACE_PYTHON | i;
	if (i == from)
		p->place[p->nr++] = native;
	return i;
}

/**
 * wp_now_match_python() - let Python functions stand in a thread's stack
 * @all: all threads; the result is counted
 * @t: the thread; @python is set if each native function that executes Python functions has
 *	these. Beyond the end of a native stack that is cut, Python functions go on alone
 * @before: what was read
 * @same: it was read in the same wait
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_match_python(struct wp_now_threads *all, struct wp_now_thread *t,
			struct wp_now_before *before, bool same)
{
	enum wp_pytrouble trouble = same ? before->trouble : WP_PYTROUBLE_RAN;
	struct wp_now_python *p = before->python;
	unsigned int nr = t->user ? t->user->nr : 0, runs = 0, i;
	size_t frame = 0;

	for (i = 0; i < nr && all->pythons; i++)
		runs += is_native(all, t, i);
	if (!runs)
		return 0;
	/* One that is cut at its outer end has the inner ones of the runs. */
	if (!trouble && runs != p->stack.runs &&
	    (nr < WALLPROF_MAX_STACK || runs > p->stack.runs))
		trouble = WP_PYTROUBLE_NATIVE;
	if (trouble) {
		all->python_unread[trouble]++;
		return 0;
	}
	p->place = calloc(nr + p->stack.nr, sizeof(*p->place));
	if (!p->place)
		return -ENOMEM;
	for (i = 0, runs = 0; i < nr; i++) {
		/* A word of a frame is none. */
		if (i && WALLPROF_INTERP_IS_WORD(t->user->ips[i]))
			continue;
		if (is_native(all, t, i))
			frame = place_run(p, frame, runs++, i);
		else
			p->place[p->nr++] = i;
	}
	while (frame < p->stack.nr)
		p->place[p->nr++] = PLACE_PYTHON | frame++;
	t->python = p;
	all->python_stacks++;
	return 0;
}

/**
 * wp_now_python_frame() - get a frame of a user stack with Python functions
 * @all: all threads
 * @t: the thread, with @python
 * @i: its number, the innermost is 0
 * @name: set to its name
 * @found: set to whether there is one
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_python_frame(const struct wp_now_threads *all, const struct wp_now_thread *t,
			unsigned int i, struct wp_livename *name, bool *found)
{
	const struct wp_now_python *p = t->python;
	const struct wp_pyframe *frame;
	__u32 place;

	*found = i < p->nr;
	if (!*found)
		return 0;
	place = p->place[i];
	if (!(place & PLACE_PYTHON))
		return wp_livenames_user(all->names, t->tgid, t->user->ips[place], place, name);
	frame = &p->stack.frame[place & ~PLACE_PYTHON];
	*name = (struct wp_livename){
		.name = frame->function, .file = frame->file, .python = true,
		.line = frame->line,
	};
	return 0;
}

/**
 * wp_now_python_innermost() - the innermost Python function of a thread
 * @t: the thread
 * @name: set to its name
 *
 * Return: false if it has none.
 */
bool wp_now_python_innermost(const struct wp_now_thread *t, struct wp_livename *name)
{
	const struct wp_pyframe *frame;

	if (!t->python || !t->python->stack.nr)
		return false;
	frame = &t->python->stack.frame[0];
	*name = (struct wp_livename){
		.name = frame->function, .file = frame->file, .python = true,
		.line = frame->line,
	};
	return true;
}

/**
 * wp_now_python_compare() - compare the Python functions of threads with the same stack
 * @a: a thread
 * @b: another one
 *
 * Return: < 0, 0 or > 0, as memcmp().
 */
int wp_now_python_compare(const struct wp_now_thread *a, const struct wp_now_thread *b)
{
	return wp_pystack_compare(a->python ? &a->python->stack : NULL,
				  b->python ? &b->python->stack : NULL);
}

/**
 * wp_now_python_text() - describe how many stacks have Python functions
 * @all: all threads
 * @text: set to the description; "" if no thread executes any
 * @size: its size
 */
void wp_now_python_text(const struct wp_now_threads *all, char *text, size_t size)
{
	__u64 unread = 0;
	unsigned int i;
	size_t len;

	*text = 0;
	for (i = 0; i < WP_PYTROUBLE_MAX; i++)
		unread += all->python_unread[i];
	if (!unread && !all->python_stacks)
		return;
	snprintf(text, size, "%llu stack%s with Python functions",
		 (unsigned long long)all->python_stacks, all->python_stacks == 1 ? "" : "s");
	len = strlen(text);
	if (unread)
		snprintf(text + len, size - len, ", %llu without",
			 (unsigned long long)unread);
	for (i = 0; i < WP_PYTROUBLE_MAX; i++) {
		len = strlen(text);
		if (!all->python_unread[i])
			continue;
		snprintf(text + len, size - len, "%s %s: %llu",
			 strstr(text, ": ") ? "," : " because of", wp_pystack_trouble_text(i),
			 (unsigned long long)all->python_unread[i]);
	}
}

/**
 * wp_now_python_free() - free what was read
 * @all: all threads
 */
void wp_now_python_free(struct wp_now_threads *all)
{
	struct wp_now_pythons *p = all->pythons;
	__u32 i;

	for (i = 0; i < all->nr_before; i++) {
		if (!all->before[i].python)
			continue;
		wp_pystack_free(&all->before[i].python->stack);
		free(all->before[i].python->place);
		free(all->before[i].python);
	}
	while (p && p->nr) {
		free(p->process[--p->nr].threads.thread);
		free(p->process[p->nr].gil);
	}
	if (p) {
		wp_livenames_free(p->symbols);
		free(p->process);
		free(p->user);
	}
	free(p);
}
