// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof stacks: what threads wait for right now, and since when.
 *
 * This is a recording of some milliseconds without a file. START examines every thread
 * that is already blocked, and finds its stack and the start of its wait, without
 * stopping it; the switches that follow show the others. After STOP the task table has
 * the state of each. The session is set up as in the record command.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/option-values.h"
#include "cmd/common/options.h"
#include "cmd/common/target-options.h"
#include "cmd/stacks/stacks.h"
#include "lib/base/duration.h"
#include "lib/base/err.h"
#include "lib/base/since.h"
#include "lib/model/kidle.h"
#include "lib/proc/procstack.h"
#include "lib/record/buffersize.h"
#include "lib/record/session.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/swapped.h"
#include "lib/sandbox/worker.h"
#include "lib/sandbox/zygote.h"
#include "lib/symbols/livenames.h"

/* Memory of methods that JVMs interpret. */
#define METHODS_BYTES	((size_t)64 << 20)

#define DEFAULT_LOOK_NS	(50 * WP_NSEC_PER_MSEC)
#define MAX_LOOK_NS	(60000 * WP_NSEC_PER_MSEC)
/* The session is short: tables and stacks that come later are useless. */
#define TABLES_MS	5000
/* Estimated size of a thread's stacks: half of the buffer is for stacks, in two halves. */
#define BYTES_PER_THREAD	4096ULL
#define MAX_BUFFER	(64ULL << 20)
/* Frames of a kernel stack for the idle check: it looks at the innermost ones. */
#define MAX_IDLE_FRAMES	16
/* Shorter times since when something waits, or of suspend, are not shown. */
#define SHOWN_NS	(1000 * WP_NSEC_PER_MSEC)

enum {
	OPT_KERNEL_CALLCHAINS = 256,
	OPT_NO_IDLE,
	OPT_IDLE,
	OPT_MIN,
	OPT_LOOK,
	OPT_JSON,
};

static const char *const usage[] = {
	"[<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ 'a', "all-cpus", NULL, "the whole host (default)" },
	{ 'p', "pid", "pid,...", "these processes, all their threads" },
	{ 't', "tid", "tid,...", "these threads" },
	{ 'u', "uid", "user,...", "all threads of these users, names or numbers" },
	{ WP_TARGET_OPTION_COMM, "comm", "name,...", "all threads of these names" },
	{ 'G', "cgroup", "path,...", "all threads in these control groups (version 2)\n"
	  "and in the groups below" },
	{ 'H', "threads", NULL, "a line for each thread" },
	{ 'g', "stacks", NULL, "full stacks, once for threads that wait alike" },
	{ OPT_KERNEL_CALLCHAINS, "kernel-callchains", NULL, "kernel stacks too" },
	{ OPT_IDLE, "idle", NULL, "idle kernel threads and loops that wait for\n"
	  "their next work, too\n"
	  "(default, except for whole host)" },
	{ OPT_NO_IDLE, "no-idle", NULL, "leave out these, as in accept and epoll_wait\n"
	  "(default for the whole host, except with --json)" },
	{ OPT_MIN, "min", "time", "minimum length of a wait, as 10ms" },
	{ OPT_LOOK, "look", "time", "time to record (default 50ms)" },
	{ OPT_JSON, "json", NULL, "as JSON" },
	{ 'm', "mmap-pages", "pages|size", "tables of one CPU, in pages of 4 KiB or with\n"
	  "unit B, K, M or G" },
	{ 'v', "verbose", NULL, "print what is done" },
	{ 0, NULL, NULL, NULL },
};

/* Options other than those of the recording. */
struct opts {
	struct wp_record_opts *record;
	struct wp_target_options targets;
	bool stacks;
	bool threads;
	bool json;
	bool idle_given;
	__u64 min_ns;
	__u64 look_ns;
};

static int parse_time(const char *option, const char *arg, __u64 max, __u64 *ns)
{
	int err = wp_duration_parse(arg, WP_NSEC_PER_MSEC, ns);

	if (!err && *ns <= max)
		return 0;
	wp_err("%s: '%s' is not a time as 250us, in ns, us, ms or s%s", option, arg,
	       max == MAX_LOOK_NS ? ", up to 60s" : "");
	return -EINVAL;
}

static int set(void *ctx, int id, const char *arg)
{
	struct opts *o = ctx;

	switch (id) {
	case 'H':
		o->threads = true;
		return 0;
	case 'g':
		o->stacks = true;
		return 0;
	case OPT_KERNEL_CALLCHAINS:
		o->record->kernel = true;
		return 0;
	case OPT_NO_IDLE:
	case OPT_IDLE:
		o->idle_given = true;
		o->record->no_idle = id == OPT_NO_IDLE;
		return 0;
	case OPT_MIN:
		return parse_time("--min", arg, ~0ULL, &o->min_ns);
	case OPT_LOOK:
		return parse_time("--look", arg, MAX_LOOK_NS, &o->look_ns);
	case OPT_JSON:
		o->json = true;
		return 0;
	case 'm':
		return wp_value_buffer("-m", arg, &o->record->buffer);
	case 'v':
		wp_set_verbosity(WP_VERBOSE);
		return 0;
	}
	return wp_target_options_set(&o->targets, id, arg);
}

/* Set the options of an equivalent record command. */
static int read_options(struct opts *o, int argc, char **argv)
{
	const struct wp_options options = {
		.command = "wallprof stacks",
		.usage = usage,
		.table = table,
		.set = set,
	};
	struct wp_record_opts *r = o->record;
	int err, rest;

	r->events.none = true;
	r->offcpu = true;
	r->raw = true;
	r->max_stack = WALLPROF_MAX_STACK;
	r->tables_ms = TABLES_MS;
	o->look_ns = DEFAULT_LOOK_NS;
	err = wp_parse_options(&options, argc, argv, o, &rest);
	if (err)
		return err;
	if (rest < argc) {
		wp_err("unexpected argument '%s'; use -p PID", argv[rest]);
		return -EINVAL;
	}
	err = wp_target_options_resolve(&o->targets, &r->target);
	/* Consumers of JSON filter on their own. */
	if (!o->idle_given)
		r->no_idle = r->target.kind == WALLPROF_TARGET_ALL && !o->json;
	return err ? err : wp_target_resolve(&r->target);
}

/* All threads may be blocked, each with its own stack, and one CPU captures all of them. */
static void size_buffer(struct wp_record_opts *o, __u32 nr_cpus)
{
	__u64 bytes = wp_count_threads() * BYTES_PER_THREAD, least;

	least = wp_buffersize(2ULL << 20, nr_cpus);
	if (!o->buffer)
		o->buffer = bytes < least ? least : bytes > MAX_BUFFER ? MAX_BUFFER : bytes;
}

static void pass(__u64 ns)
{
	struct timespec rest = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

/* Read since when a thread is on its CPU; an impossible number of intervals if it switched. */
static void read_since(struct wp_now_before *before, volatile const struct wallprof_task *task)
{
	before->since = task->since;
	before->nr_off = task->nr_off;
	if (task->since != before->since)
		before->nr_off = ~0ULL;
}

/*
 * Read what STOP discards, and what only /proc has: the kernel stacks of threads that
 * were blocked before the session. A thread with an unchanged state after STOP did not
 * run meanwhile. Threads that run are read last, as they switch soon.
 */
static int read_before(const struct wp_recording *r, struct wp_now_threads *all)
{
	__u32 i, nr = all->nr_before;

	/* Before locks are read: of their owners it has to be known what they did since then. */
	wp_now_note_futexes(&r->dev, all, 1);
	for (i = 0; i < nr; i++) {
		volatile const struct wallprof_task *task = wp_device_task(&r->dev, i);
		struct wp_now_before *before = &all->before[i];

		read_since(before, task);
		before->running = task->phase == WALLPROF_TASK_RUNNING;
		if (task->phase == WALLPROF_TASK_UNSEEN &&
		    (r->o.kernel || wp_kidle_is_kthread(task->tgid, task->tid, task->reason)))
			before->proc = wp_procstack_read(task->tgid, task->tid);
		wp_now_read_lock(&r->dev, i, before);
	}
	/* That takes longer, in all. */
	for (i = 0; i < nr; i++) {
		if (wp_now_read_python(&r->dev, all, i, &all->before[i])) {
			wp_err("out of memory");
			return -ENOMEM;
		}
	}
	/* The latest, as the holders run. */
	wp_now_read_gils(&r->dev, all);
	for (i = 0; i < nr; i++) {
		if (all->before[i].running)
			read_since(&all->before[i], wp_device_task(&r->dev, i));
	}
	return 0;
}

/* Without memory, they have no names. */
static void look_at_methods(struct wp_recording *r, struct wp_now_threads *all)
{
	if (r->jvms)
		r->methods = wp_jvmmethods_new(r->jvms, METHODS_BYTES);
	all->methods = r->methods;
}

/* From START to STOP, and all stacks. */
static int look(struct wp_recording *r, struct wp_now_threads *all, __u64 ns)
{
	char denied[256];
	__u64 time;
	__u32 epoch;
	int err;

	size_buffer(&r->o, r->dev.info.nr_online);
	err = wp_recording_configure(r);
	if (!err)
		err = wp_recording_open_mapsync(r, NULL, NULL);
	look_at_methods(r, all);
	if (!err)
		err = wp_device_start(&r->dev, &r->s.start);
	if (err)
		return err;
	if (r->s.tables_late)
		wp_warn("unwind tables were not ready within %u s: some stacks are cut or missing; try again",
			TABLES_MS / 1000);
	wp_mapsync_started(r->mapsync);
	if (!wp_mapsync_wait_walked(r->mapsync, TABLES_MS))
		wp_warn("some threads have no stack: there was no CPU to walk them within %u s; try again",
			TABLES_MS / 1000);
	all->before = calloc(r->dev.conf.nr_tasks, sizeof(*all->before));
	if (!all->before) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	all->nr_before = r->dev.conf.nr_tasks;
	wp_now_note_futexes(&r->dev, all, 0);
	pass(ns);
	err = read_before(r, all);
	if (!err)
		err = wp_device_stop(&r->dev, &r->s.stop);
	wp_mapsync_end(r->mapsync, &r->s.mapsync);
	r->mapsync = NULL;
	if (wp_mapsync_denied(&r->s.mapsync, denied, sizeof(denied)))
		wp_warn("%s", denied);
	if (!err)
		err = wp_device_flip(&r->dev, &epoch, &time);
	return err ? err : wp_recording_add_stacks(r, epoch);
}

/**
 * wp_now_read_comm() - read the name of a thread
 * @tgid: its process
 * @tid: the thread
 * @comm: set to its name; "" if it has ended
 */
void wp_now_read_comm(__u32 tgid, __u32 tid, char comm[WALLPROF_COMM_LEN])
{
	char path[64], *end;
	ssize_t len = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", tgid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, comm, WALLPROF_COMM_LEN - 1);
		close(fd);
	}
	comm[len > 0 ? len : 0] = '\0';
	end = strrchr(comm, '\n');
	if (end)
		*end = '\0';
}

/*
 * State of a thread when the session stopped, and its duration. A runnable thread has
 * been so all the time, or since its wakeup.
 */
static void read_phase(struct wp_now_thread *t, const struct wallprof_task *task,
		       const struct wp_now_before *before, __u64 stop)
{
	__u64 since = stop - task->open_ns;

	t->at_least = task->flags & WALLPROF_TASK_SINCE_START;
	if (task->flags & WALLPROF_TASK_OPEN) {
		t->state = task->state;
		t->iowait = task->flags & WALLPROF_TASK_IOWAIT;
		t->lost = task->flags & WALLPROF_TASK_NO_STACK;
		t->now = task->open_runnable_ns ? WP_NOW_RUNNABLE : WP_NOW_BLOCKED;
		wp_cause_open(&t->cause, task);
	} else if (before->nr_off == task->nr_off) {
		t->now = WP_NOW_ONCPU;
		since = before->since;
	}
	if (t->now == WP_NOW_RUNNABLE && task->open_runnable_ns < task->open_ns) {
		since = stop - task->open_runnable_ns;
		t->at_least = false;
	} else if (t->at_least && t->now != WP_NOW_ONCPU && task->asleep_since) {
		since = task->asleep_since;
		t->at_least = false;
	}
	t->age = since < stop ? stop - since : 0;
}

static int add_thread(struct wp_now_threads *all, const struct wp_now_thread *t)
{
	if (all->nr == all->room) {
		size_t room = all->room ? all->room * 2 : 256;
		struct wp_now_thread *more = reallocarray(all->thread, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		all->thread = more;
		all->room = room;
	}
	all->thread[all->nr++] = *t;
	return 0;
}

/* Whether an off-CPU thread waits for work. */
static int find_idle(const struct wp_now_threads *all, struct wp_now_thread *t)
{
	const char *frames[MAX_IDLE_FRAMES];
	struct wp_kidle_wait wait = {
		.comm = t->comm, .state = t->state, .reason = t->cause.reason,
		.iowait = t->iowait, .frames = frames,
	};
	struct wp_livename name;
	bool found;
	int err;

	t->kthread = wp_kidle_is_kthread(t->tgid, t->tid, t->cause.reason);
	if (t->now != WP_NOW_BLOCKED)
		return 0;
	if (!t->kthread) {
		t->idle = wp_cause_idle(&t->cause, t->state);
		return 0;
	}
	while (wait.nr_frames < MAX_IDLE_FRAMES) {
		err = wp_now_frame(all, t, wait.nr_frames, &name, &found);
		if (err)
			return err;
		if (!found)
			break;
		frames[wait.nr_frames++] = name.name;
	}
	t->idle = wp_kidle_wait(&wait);
	return 0;
}

/* Whether a thread is left out, and counted as such. */
static bool is_hidden(const struct opts *o, struct wp_now_threads *all,
		      const struct wp_now_thread *t, __u64 ns)
{
	if (t->age < o->min_ns) {
		all->left_out++;
		return true;
	}
	if (!o->record->no_idle || !t->idle)
		return false;
	if (t->kthread) {
		all->kthreads++;
		all->kthreads_ns += ns;
	} else {
		all->loops++;
		all->loops_ns += ns;
	}
	return true;
}

static int read_task(struct wp_recording *r, const struct opts *o, struct wp_now_threads *all,
		     __u32 slot)
{
	const struct wallprof_task *task = wp_device_task(&r->dev, slot);
	struct wp_now_thread t = { .tid = task->tid, .tgid = task->tgid, .cause = wp_cause_none };
	const struct wp_now_before *before = &all->before[slot];
	__u64 since = all->time - task->open_ns;
	struct wp_cause cause;
	int err;

	if (!task->tid || !task->tgid) {
		all->invisible++;
		return 0;
	}
	read_phase(&t, task, before, all->time);
	wp_now_read_comm(t.tgid, t.tid, t.comm);
	if (t.now != WP_NOW_ONCPU) {
		wp_stacks_find(&r->stacks, task->user_stack, &t.user);
		if (t.user && r->methods)
			wp_jvmmethods_look(r->methods, t.tgid, t.user->ips, t.user->nr);
		wp_stacks_find(&r->stacks, task->kernel_stack, &t.kernel);
		if (task->flags & WALLPROF_TASK_SINCE_START)
			t.proc = before->proc;
		err = find_idle(all, &t);
		if (!err)
			err = wp_now_find_gil(&r->dev, all, &t, before);
		if (err)
			return err;
	}
	if (is_hidden(o, all, &t, task->off_ns))
		return 0;
	if (t.now != WP_NOW_ONCPU) {
		/* The GIL's words are one object. */
		cause = t.cause;
		if (t.gil)
			cause.arg = t.gil->address;
		err = wp_objects_find(all->objects, t.tid, t.tgid, task->exec_id, &cause,
				      &t.object);
		/* If it has been in this wait all the time. */
		if (!err && since == before->since)
			err = wp_now_find_owner(all, &t, before);
		if (!err)
			err = wp_now_match_python(all, &t, &all->before[slot],
						  since == before->python_since || t.gil_since);
		if (err)
			return err;
	}
	return add_thread(all, &t);
}

/* All threads but our own, and those of our helpers. */
static int read_tasks(struct wp_recording *r, const struct opts *o, struct wp_now_threads *all)
{
	__u32 i, self = getpid();
	int err = 0;

	all->time = r->s.stop;
	wp_objects_begin_round(all->objects, all->time);
	for (i = 0; i < r->dev.conf.nr_tasks && !err; i++) {
		const struct wallprof_task *task = wp_device_task(&r->dev, i);

		if (task->phase == WALLPROF_TASK_FREE || task->phase == WALLPROF_TASK_EXITED ||
		    task->flags & WALLPROF_TASK_ARMED || task->tgid == self ||
		    wp_zygote_is_ours(task->tgid) || wp_opener_is_ours(task->tgid))
			continue;
		err = read_task(r, o, all, i);
	}
	wp_objects_end_round(all->objects);
	return err;
}

static int by_age(const void *pa, const void *pb)
{
	const struct wp_now_thread *a = pa, *b = pb;

	if (a->age != b->age)
		return a->age > b->age ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Times of day are computed from ages. */
static void warn_of_suspend(const struct wp_now_threads *all)
{
	__u64 suspended = wp_since_suspended(), oldest = all->nr ? all->thread[0].age : 0;
	char text[WP_SINCE_TEXT];

	if (suspended >= SHOWN_NS && oldest >= SHOWN_NS)
		wp_warn("the host was suspended for %s since its boot: ages are without that time, so waits that began before it began earlier than shown",
			wp_since_age(suspended, text, sizeof(text)));
}

static int print(const struct opts *o, struct wp_now_threads *all)
{
	size_t i;
	__u64 lost = 0;

	if (all->nr)
		qsort(all->thread, all->nr, sizeof(*all->thread), by_age);
	if (wp_now_link_owners(all))
		return -ENOMEM;
	for (i = 0; i < all->nr; i++)
		lost += all->thread[i].lost;
	if (lost)
		wp_warn("no room for the stacks of %llu threads; use a larger -m",
			(unsigned long long)lost);
	if (o->json)
		return wp_now_print_json(all);
	warn_of_suspend(all);
	if (o->stacks)
		return wp_now_print_stacks(all);
	return o->threads ? wp_now_print_lines(all) : wp_now_print_groups(all);
}

static int run(struct wp_recording *r, const struct opts *o, struct wp_now_threads *all)
{
	int err;

	err = wp_stacks_init(&r->stacks);
	if (!err)
		err = wp_livenames_new(&all->names, NULL);
	all->objects = wp_objects_new(NULL);
	if (err || !all->objects) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	wp_objects_name_locks(all->objects, all->names);
	wp_swapped_leave();
	err = wp_device_open(&r->dev);
	if (!err)
		err = look(r, all, o->look_ns);
	if (err)
		return err;
	err = read_tasks(r, o, all);
	if (!err)
		err = print(o, all);
	if (err == -ENOMEM)
		wp_err("out of memory");
	return err ? err : wp_end_output(stdout);
}

/**
 * cmd_stacks() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "stacks"
 *
 * Return: its exit status.
 */
int cmd_stacks(int argc, char **argv)
{
	struct wp_recording r = { .dev.fd = -1 };
	struct wp_now_threads all = { 0 };
	struct opts o = { .record = &r.o };
	int err;

	err = read_options(&o, argc, argv);
	if (err) {
		wp_target_free(&r.o.target);
		return err == WP_OPTIONS_DONE ? 0 : err == -EINVAL ? WP_EXIT_USAGE : WP_EXIT_ERROR;
	}
	wp_worker_prepare();
	wp_opener_recording();
	err = run(&r, &o, &all);
	wp_mapsync_end(r.mapsync, NULL);
	wp_jvmmethods_free(r.methods);
	wp_jvms_free(r.jvms);
	free(r.s.events);
	wp_device_close(&r.dev);
	wp_stacks_free(&r.stacks);
	wp_objects_free(all.objects);
	wp_livenames_free(all.names);
	wp_nspids_free(&all.nspids);
	wp_now_python_free(&all);
	free(all.by_tid);
	free(all.thread);
	while (all.nr_before)
		wp_procstack_free(all.before[--all.nr_before].proc);
	free(all.before);
	wp_target_free(&r.o.target);
	return err ? WP_EXIT_ERROR : 0;
}
