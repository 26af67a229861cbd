// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof record: one recording from its first check to its last line.
 *
 * The order at the start leaves no gap: the command is forked and waits; the
 * module is configured; perf's sideband events are opened; what runs already
 * is told from /proc, to the file and, as far as unwinding needs it, to the
 * module; that starts; the command is released. Then, once
 * an epoch, or when a table or ring fills up: flip, merge what was retired,
 * fetch the sideband, write both in order of time.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/dump.h"
#include "cmd/options.h"
#include "cmd/record.h"
#include "cmd/workload.h"
#include "lib/batch.h"
#include "lib/err.h"
#include "lib/ksyms.h"
#include "lib/merge.h"
#include "lib/perfdata.h"
#include "lib/proc.h"
#include "lib/rawsample.h"
#include "lib/sideband.h"

#define NSEC_PER_MSEC	1000000ULL
#define TOP_THREADS	20

/* What a kill -9 can cost at most. */
#define FLUSH_NS	1000000000ULL

/*
 * How long the tables of what runs already are waited for: those that were kept
 * on disk are there by then.
 */
#define TABLES_WAIT_MS	500

/* Defaults of the tables; see size_tables(). */
#define DEFAULT_BUFFER	(2ULL << 20)
#define MIN_BUFFER	(128ULL << 10)
#define MAX_TOTAL	(512ULL << 20)
#define MIN_TASKS	16384

/**
 * struct record - a recording
 * @o: its options
 * @argc: the whole command line, for the file's header
 * @argv: the same
 * @s: what happened
 * @dev: session with the module
 * @workload: the command, if there is one
 * @pd: the file
 * @batch: what is to be written to it
 * @sideband: what processes do
 * @publisher: tells the module how to unwind them, or NULL
 * @ids: build-ids of what they map
 * @stacks: all stacks
 * @merge: samples of the epoch
 * @causes: the same in more detail, for --intervals
 * @t: accounts, names, and what was waited for
 * @thread_hists: with --hist and --ledger, of the threads that live
 * @want_comms: somebody wants to see names
 * @flushed: when the file was complete last
 * @id_zero: what a thread of id 0 is called in the file
 * @oncpu: index of the on-CPU event in the file
 * @offcpu: of the off-CPU event
 * @runnable: of the part of it in which threads were runnable
 * @wakeup: of the part of it that other threads ended, with --wakers
 * @side: of the sideband event
 * @ledger_file: --ledger, or NULL
 * @intervals_file: --intervals, or NULL
 */
struct record {
	struct wp_record_opts o;
	int argc;
	char **argv;
	struct wp_record_stats s;
	struct wp_device dev;
	struct wp_workload workload;
	struct wp_perfdata *pd;
	struct wp_batch *batch;
	struct wp_sideband *sideband;
	struct wp_publisher *publisher;
	struct wp_buildids *ids;
	struct wp_stacks stacks;
	struct wp_merge merge;
	struct wp_merge causes;
	struct wp_record_tables t;
	struct wp_hist_table thread_hists;
	bool want_comms;
	__u64 flushed;
	__u32 id_zero;
	unsigned int oncpu;
	unsigned int offcpu;
	unsigned int runnable;
	unsigned int wakeup;
	unsigned int side;
	FILE *ledger_file;
	FILE *intervals_file;
};

/* What the signal handler knows. */
static volatile sig_atomic_t stop_signal;
static struct wp_perfdata *volatile open_file;
static volatile pid_t command_pid;
static int wake_fd = -1;

static void on_signal(int sig)
{
	__u64 one = 1;
	int err = errno;

	if (sig != SIGCHLD) {
		if (stop_signal) {
			/* The second one: at once. */
			wp_perfdata_abort(open_file);
			if (command_pid)
				kill(command_pid, SIGTERM);
			signal(sig, SIG_DFL);
			raise(sig);
			return;
		}
		stop_signal = sig;
	}
	if (write(wake_fd, &one, sizeof(one)) < 0)
		err = err ? err : 0;
	errno = err;
}

static int catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	unsigned int i;

	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wake_fd < 0) {
		wp_err("eventfd: %s", strerror(errno));
		return -errno;
	}
	/* Of INT and TERM each can interrupt the other's handler. */
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction old;

		/* What nohup has ignored stays ignored. */
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_IGN &&
		    signals[i] == SIGHUP)
			continue;
		sigaction(signals[i], &sa, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static __u32 clamp(__u64 n, __u32 min, __u32 max)
{
	return n < min ? min : n > max ? max : n;
}

static __u32 power_of_two(__u32 n)
{
	__u32 power = 1;

	while (power < n)
		power *= 2;
	return power;
}

/*
 * Share a buffer among the tables of a half: 35 % for aggregates, with their
 * histograms, 10 of them for single intervals, if there are any; half of it for
 * stacks, 15 % for threads that end. Unless the user said otherwise, all CPUs together
 * get no more than MAX_TOTAL or a sixteenth of the memory.
 */
static void size_tables(struct wp_record_opts *o, const struct wallprof_info *info)
{
	size_t aggr = sizeof(struct wallprof_aggr) + (o->hist ? sizeof(struct wallprof_hist) : 0);
	unsigned int single = o->wait_ns ? 10 : 0;
	__u64 buffer = o->buffer, half;
	__u32 threads = wp_count_threads();

	if (!buffer) {
		unsigned int contexts = !o->event.none + 1;
		__u64 memory = (__u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 16;
		__u64 total = memory < MAX_TOTAL ? memory : MAX_TOTAL;

		buffer = DEFAULT_BUFFER;
		while (buffer > MIN_BUFFER && buffer * contexts * info->nr_cpus > total)
			buffer /= 2;
	}
	half = buffer / 2;
	if (!o->aggrs)
		o->aggrs = clamp(half * (35 - single) / 100 / aggr, WALLPROF_MIN_AGGRS,
				 WALLPROF_MAX_AGGRS);
	if (!o->stack_words)
		o->stack_words = clamp(half * 50 / 100 / sizeof(__u64),
				       WALLPROF_MIN_STACK_WORDS, WALLPROF_MAX_STACK_WORDS);
	if (!o->exits)
		o->exits = clamp(half * 15 / 100 / sizeof(struct wallprof_task),
				 WALLPROF_MIN_EXITS, WALLPROF_MAX_EXITS);
	if (!o->wait_ns)
		o->waits = 0;
	else if (!o->waits)
		o->waits = clamp(half * single / 100 / sizeof(struct wallprof_wait),
				 WALLPROF_MIN_WAITS, WALLPROF_MAX_WAITS);
	if (!o->tasks)
		o->tasks = power_of_two(clamp(threads * 2ULL + MIN_TASKS / 2, MIN_TASKS,
					      WALLPROF_MAX_TASKS));
}

static void set_event(struct wallprof_configure *c, const struct wp_record_opts *o)
{
	const struct wp_event *ev = &o->event;

	c->attr_flags = (o->freq ? WALLPROF_ATTR_FREQ : 0) |
			(ev->exclude_user ? WALLPROF_ATTR_EXCLUDE_USER : 0) |
			(ev->exclude_kernel ? WALLPROF_ATTR_EXCLUDE_KERNEL : 0) |
			(ev->exclude_hv ? WALLPROF_ATTR_EXCLUDE_HV : 0);
	c->attr_type = ev->type;
	c->attr_precise = ev->precise_ip;
	c->attr_config = ev->config;
	c->attr_config1 = ev->config1;
	c->attr_config2 = ev->config2;
	c->attr_period = o->freq ? o->freq : o->period;
}

static bool is_cycles(const struct wp_event *ev)
{
	return ev->type == PERF_TYPE_HARDWARE && ev->config == PERF_COUNT_HW_CPU_CYCLES;
}

/* As perf: cycles, where there are none, become cpu-clock. */
static int use_cpu_clock(struct wp_record_opts *o)
{
	struct wp_event old = o->event;
	int err;

	wp_warn("the cycles event is not supported here, falling back to cpu-clock");
	err = wp_event_parse(&o->event, old.exclude_user ? "cpu-clock:k" :
					old.exclude_kernel ? "cpu-clock:u" : "cpu-clock");
	return err;
}

static int configure_failed(const struct wp_record_opts *o, const struct wp_device *dev, int err)
{
	switch (-err) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		if (o->event.none)
			wp_err("this kernel has not the tracepoints that are needed: %s",
			       strerror(-err));
		else
			wp_err("the %s event is not supported here: %s", o->event.name,
			       strerror(-err));
		break;
	case ESRCH:
		wp_err("Couldn't create thread/CPU maps: No such process");
		break;
	case ENOMEM:
		wp_err("no memory for the tables of %u CPUs: try a smaller -m", dev->info.nr_cpus);
		break;
	case EACCES:
	case EPERM:
		wp_err("the kernel does not allow this: %s. Recording needs CAP_PERFMON or root",
		       strerror(-err));
		break;
	case EINVAL:
		if (!o->event.none) {
			wp_err("the %s event cannot be recorded like this: %s", o->event.name,
			       strerror(-err));
			break;
		}
		/* fallthrough */
	default:
		wp_err("could not set the session up: %s", strerror(-err));
	}
	return err;
}

static __u32 stack_flags(const struct wp_record_opts *o)
{
	__u32 flags = o->kernel ? WALLPROF_STACK_KERNEL : 0;

	if (o->call_graph == WP_CALL_GRAPH_AUTO || o->call_graph == WP_CALL_GRAPH_CFI)
		flags |= WALLPROF_STACK_TABLES;
	if (o->call_graph != WP_CALL_GRAPH_CFI)
		flags |= WALLPROF_STACK_USER;
	return flags;
}

/* Somebody will see why threads waited, and who woke them. */
static bool wants_causes(const struct wp_record_opts *o)
{
	return o->offcpu && (o->verbose || o->intervals || o->raw);
}

/* What targets fork is asked for of its own: a name or a group has it, or has not. */
static bool has_children(const struct wp_target *t)
{
	return t->kind == WALLPROF_TARGET_PID || t->kind == WALLPROF_TARGET_TID ||
	       t->kind == WALLPROF_TARGET_UID;
}

static int configure(struct record *r)
{
	struct wp_record_opts *o = &r->o;
	struct wallprof_configure c = {
		.flags = (o->offcpu ? WALLPROF_OFFCPU | WALLPROF_WAKEUPS : 0) |
			 /* They make more sums. */
			 (wants_causes(o) ? WALLPROF_WAKERS | WALLPROF_REASONS : 0) |
			 (o->offcpu && o->no_idle ? WALLPROF_REASONS : 0) |
			 (o->wakers ? WALLPROF_WAKERS | WALLPROF_WAKER_STACKS : 0) |
			 (o->wakers && o->intervals ? WALLPROF_WAKER_CHAINS : 0) |
			 (o->hist ? WALLPROF_HISTOGRAMS : 0) |
			 (o->event.none ? 0 : WALLPROF_SAMPLER) |
			 (o->inherit && has_children(&o->target) ? WALLPROF_INHERIT : 0) |
			 (o->own ? WALLPROF_ENABLE_ON_EXEC : 0),
		.stack_flags = stack_flags(o),
		.max_stack = o->max_stack,
		.states = o->states,
		.min_ns = o->offcpu ? o->min_ns : 0,
		.max_ns = o->offcpu ? o->max_ns : 0,
		.wait_ns = o->wait_ns,
		.target = o->target.kind,
		.nr_targets = o->target.nr,
		.targets = wp_target_list(&o->target),
	};
	int err;

	size_tables(o, &r->dev.info);
	c.nr_aggrs = o->aggrs;
	c.stack_words = o->stack_words;
	c.nr_exits = o->exits;
	c.nr_waits = o->waits;
	c.nr_tasks = o->tasks;
	if (o->has_cpus) {
		if (wp_cpumask_end(&o->cpus) > r->dev.info.nr_cpus) {
			wp_err("-C: there is no CPU %u", wp_cpumask_end(&o->cpus) - 1);
			return -ERANGE;
		}
		c.cpus = (__u64)(uintptr_t)o->cpus.bits;
		c.cpus_bytes = (r->dev.info.nr_cpus + 63) / 64 * 8;
	}
	if (o->states & ~r->dev.info.states)
		wp_warn("--state: this kernel cannot tell all of these states");
	if (!o->event.none)
		set_event(&c, o);

	err = wp_device_configure(&r->dev, &c);
	if ((err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV) && !o->event.none &&
	    is_cycles(&o->event)) {
		err = use_cpu_clock(o);
		if (err)
			return err;
		set_event(&c, o);
		err = wp_device_configure(&r->dev, &c);
	}
	if (err)
		return configure_failed(o, &r->dev, err);
	r->s.memory = r->dev.conf.memory_bytes;
	wp_debug("tables: %u aggregates, %u stack words, %u ended threads, %u single intervals, twice per CPU; %u threads; %llu bytes in all",
		 o->aggrs, o->stack_words, o->exits, o->waits, o->tasks,
		 (unsigned long long)r->s.memory);
	return wp_device_map(&r->dev);
}

static int open_output(struct record *r)
{
	struct wp_perfdata_event events[5];
	struct wp_perfdata_options opt = {
		.path = r->o.output,
		.events = events,
		.argc = r->argc,
		.argv = r->argv,
	};
	unsigned int nr = 0;
	int err;

	if (!r->o.event.none) {
		r->oncpu = nr;
		wp_perfdata_event_oncpu(&events[nr++], &r->o.event, r->o.freq,
					r->o.freq ? r->o.freq : r->o.period);
	}
	if (r->o.offcpu) {
		r->offcpu = nr;
		wp_perfdata_event_offcpu(&events[nr++]);
		r->runnable = nr;
		wp_perfdata_event_runnable(&events[nr++]);
		if (r->o.raw) {
			wp_perfdata_event_raw(&events[r->offcpu], r->o.hist);
			wp_perfdata_event_raw(&events[r->runnable], r->o.hist);
		}
	}
	if (r->o.wakers) {
		r->wakeup = nr;
		wp_perfdata_event_wakeup(&events[nr++]);
	}
	r->side = nr;
	wp_perfdata_event_sideband(&events[nr++]);
	opt.nr_events = nr;
	err = wp_perfdata_open(&r->pd, &opt);
	if (err)
		return err;
	open_file = r->pd;
	r->batch = wp_batch_new(r->pd, true);
	return r->batch ? 0 : -ENOMEM;
}

static __u64 side_id(void *ctx, int cpu)
{
	struct record *r = ctx;

	return wp_perfdata_id(r->pd, r->side, cpu);
}

static int add_record(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	struct record *r = ctx;
	int err = 0;

	if (r->want_comms)
		err = wp_comms_record(&r->t.comms, rec);
	if (r->t.objects)
		wp_objects_record(r->t.objects, rec);
	return err ? err : wp_batch_add_record(r->batch, rec, time);
}

/*
 * Whether just the targets and what they fork is followed. A process that becomes
 * a user's by setuid was another's when it was first seen, so for -u everything
 * is, and for --comm and -G. And a waker is anybody: one that ends right after could
 * not be asked any more for its name and its code.
 */
static bool follows_targets(const struct wp_record_opts *o)
{
	return (o->target.kind == WALLPROF_TARGET_PID ||
		o->target.kind == WALLPROF_TARGET_TID) && !o->wakers;
}

/* Follow all processes, or the targets and what they fork. */
static int open_sideband(struct record *r)
{
	const struct wp_target *t = &r->o.target;
	bool filter = follows_targets(&r->o);
	struct wp_sideband_options opt = {
		.ids = r->ids,
		.file_id = side_id,
		.ctx = r,
		.filter = filter,
	};
	struct wp_synth synth = {
		.fn = add_record,
		.ctx = r,
		.id = wp_perfdata_id(r->pd, r->side, 0),
		.ids = r->ids,
	};
	__u32 i;
	int err;

	err = wp_sideband_open(&r->sideband, &opt);
	if (err)
		return err;
	for (i = 0; filter && i < t->nr; i++) {
		err = wp_sideband_want(r->sideband, t->tgids ? t->tgids[i] : t->ids[i]);
		if (err)
			return err;
	}
	err = wp_ksyms_synthesize(&synth, NULL);
	if (err)
		return err;
	if (!filter)
		return wp_proc_synthesize_all(&synth);
	for (i = 0; i < t->nr; i++) {
		err = wp_proc_synthesize_pid(&synth, t->tgids ? t->tgids[i] : t->ids[i]);
		if (err && err != -ESRCH && err != -ENOENT)
			return err;
	}
	return 0;
}

static int push_table(void *ctx, const void *table, size_t size, __u32 *id)
{
	return wp_device_push(ctx, table, size, id);
}

static int tell_maps(void *ctx, __u32 pid, __u64 start_stack, const struct wallprof_map *maps,
		     __u32 nr)
{
	return wp_device_maps(ctx, pid, start_stack, maps, nr);
}

static __u64 forks_missed(void *ctx)
{
	struct wallprof_status status;

	return wp_device_status(ctx, &status) ? 0 : status.forks_missed;
}

/* Tell the module how to unwind the targets and what they fork, or all. */
static int open_publisher(struct record *r)
{
	const struct wp_target *t = &r->o.target;
	bool filter = follows_targets(&r->o);
	struct wp_publisher_options opt = {
		.push = push_table,
		.maps = tell_maps,
		.missed = forks_missed,
		.ctx = &r->dev,
		.pids = filter ? t->tgids ? t->tgids : t->ids : NULL,
		.nr_pids = filter ? t->nr : 0,
	};
	int err;

	if (!(stack_flags(&r->o) & WALLPROF_STACK_TABLES))
		return 0;
	err = wp_publisher_open(&r->publisher, &opt);
	return err ? err : wp_publisher_begin(r->publisher, TABLES_WAIT_MS);
}

static void count_half(struct record *r, const struct wp_half *half, __u64 *lost)
{
	const struct wallprof_half *head = half->head;
	struct wallprof_lost *sum = r->s.lost[half->context];
	unsigned int i;

	for (i = 0; i < WALLPROF_LOSS_MAX; i++) {
		sum[i].count += head->lost[i].count;
		sum[i].ns += head->lost[i].ns;
	}
	for (i = 0; i < WALLPROF_UNWIND_MAX; i++)
		r->s.unwinds[i] += head->unwinds[i];
	r->s.walks_unknown += head->walks_unknown;
	r->s.walks_mixed += head->walks_mixed;
	r->s.walks_slow += head->walks_slow;
	r->s.walks_remembered += head->walks_remembered;
	r->s.walks_asleep += head->walks_asleep;
	r->s.filtered += head->filtered;
	r->s.filtered_ns += head->filtered_ns;
	r->s.out_of_range += head->out_of_range;
	r->s.out_of_range_ns += head->out_of_range_ns;
	r->s.waits_full.count += head->waits_full.count;
	r->s.waits_full.ns += head->waits_full.ns;

	*lost = head->lost[WALLPROF_LOSS_NESTED].count;
	if (half->context == WP_CONTEXT_SAMPLER)
		*lost += head->lost[WALLPROF_LOSS_AGGR_FULL].count;
	else
		*lost += head->lost[WALLPROF_LOSS_EXIT_FULL].count +
			 head->lost[WALLPROF_LOSS_NO_TASK].count;
}

static unsigned int event_of(const struct record *r, __u32 context)
{
	if (context == WP_CONTEXT_SAMPLER)
		return r->oncpu;
	return r->o.offcpu ? r->offcpu : r->oncpu;
}

static int add_account(struct record *r, const struct wallprof_task *task)
{
	struct wp_account a;
	struct wp_hist hist;
	bool known;

	if (!wp_ledger_read(task, r->s.stop, wp_comms_find(&r->t.comms, task->tid), &a))
		return 0;
	if (r->ledger_file) {
		known = wp_hist_table_take(&r->thread_hists, task->tid, task->start_time, &hist);
		wp_dump_account(r->ledger_file, &a, known ? &hist : NULL);
	}
	return wp_ledger_add(&r->t.ledger, &a, task->nr_spilled);
}

/* What an interval was spent on, if somebody wants to know. */
static int find_object(struct record *r, const struct wallprof_aggr *aggr, __u32 *object)
{
	struct wp_cause cause;

	*object = 0;
	if (!r->t.objects || aggr->kind != WALLPROF_AGGR_OFFCPU)
		return 0;
	wp_cause_aggr(&cause, aggr);
	return wp_objects_find(r->t.objects, aggr->tid, aggr->tgid, aggr->exec_id, &cause, object);
}

static int find_single_object(struct record *r, const struct wallprof_wait *wait,
			      __u32 *object)
{
	struct wp_cause cause;

	*object = 0;
	if (!r->t.objects)
		return 0;
	wp_cause_wait(&cause, wait);
	return wp_objects_find(r->t.objects, wait->tid, wait->tgid, wait->exec_id, &cause, object);
}

static int find_open_object(struct record *r, const struct wallprof_task *task, __u32 *object)
{
	struct wp_cause cause;

	*object = 0;
	if (!r->t.objects || !(task->flags & WALLPROF_TASK_OPEN))
		return 0;
	wp_cause_open(&cause, task);
	return wp_objects_find(r->t.objects, task->tid, task->tgid, task->exec_id, &cause, object);
}

/* Look at what threads wait for right now: it may be another when they are told of. */
static int expect_objects(struct record *r)
{
	int err = 0;
	__u32 i;

	for (i = 0; r->t.objects && i < r->dev.conf.nr_tasks && !err; i++) {
		const struct wallprof_task *task = wp_device_task(&r->dev, i);
		struct wp_cause cause;

		if (task->phase != WALLPROF_TASK_OFF || task->reason != WALLPROF_REASON_SYSCALL)
			continue;
		/* If the slot changes meanwhile, something is looked at in vain. */
		wp_cause_open(&cause, task);
		err = wp_objects_expect(r->t.objects, task->tid, task->tgid, task->exec_id,
					&cause, task->since);
	}
	return err;
}

/*
 * How long the intervals of an aggregate were. What was open at the start was longer
 * than is known. Returns whether there is a histogram.
 */
static bool read_hist(const struct wp_half *half, __u32 i, struct wp_hist *hist)
{
	const struct wallprof_aggr *aggr = wp_half_aggr(half, i);

	if (!half->hists || aggr->kind != WALLPROF_AGGR_OFFCPU ||
	    aggr->flags & WALLPROF_AGGR_SINCE_START)
		return false;
	wp_hist_read(hist, wp_half_hist(half, i));
	return true;
}

/* The same of an interval that is told by itself. */
static bool read_single_hist(const struct record *r, const struct wallprof_wait *wait,
			     struct wp_hist *hist)
{
	if (!r->o.hist || wait->flags & WALLPROF_AGGR_SINCE_START)
		return false;
	wp_hist_one(hist, wait->end - wait->begin, wait->runnable);
	return true;
}

/* To what is told at the end, and of the thread. */
static int add_hist(struct record *r, __u32 tid, __u64 start_time, const struct wp_cause *cause,
		    unsigned int state, const struct wp_hist *hist)
{
	struct wp_hist told = *hist;

	if (r->o.no_idle && wp_cause_idle(cause, state))
		memset(told.blocked, 0, sizeof(told.blocked));
	wp_hist_add(&r->s.hist, &told);
	if (!r->ledger_file)
		return 0;
	return wp_hist_table_add(&r->thread_hists, tid, start_time, hist);
}

/* Before the accounts of those that ended: they may have been on several CPUs. */
static int add_hists(struct record *r, const struct wp_half *half, __u64 time)
{
	struct wp_cause cause;
	struct wp_hist hist;
	int err = 0;
	__u32 i;

	(void)time;
	for (i = 0; i < half->nr_aggrs && !err; i++) {
		const struct wallprof_aggr *aggr = wp_half_aggr(half, i);

		if (!read_hist(half, i, &hist))
			continue;
		wp_cause_aggr(&cause, aggr);
		err = add_hist(r, aggr->tid, aggr->start_time, &cause, aggr->state, &hist);
	}
	for (i = 0; i < half->nr_waits && !err; i++) {
		const struct wallprof_wait *wait = wp_half_wait(half, i);

		if (!read_single_hist(r, wait, &hist))
			continue;
		wp_cause_wait(&cause, wait);
		err = add_hist(r, wait->tid, wait->start_time, &cause, wait->state, &hist);
	}
	return err;
}

/* Off-CPU time goes to the samples; as --intervals, and with -v, in detail, too. */
static int add_aggr(struct record *r, const struct wp_half *half, __u32 i)
{
	const struct wallprof_aggr *aggr = wp_half_aggr(half, i);
	__u64 id = wp_half_aggr_id(half, i);
	struct wp_hist hist;
	bool has_hist = read_hist(half, i, &hist);
	int err = wp_merge_aggr(&r->merge, &r->stacks, aggr, half->cpu, id);
	__u32 object;

	if (!err && has_hist && r->o.raw)
		err = wp_merge_hist(&r->merge, &hist);
	if (!err && r->intervals_file && aggr->kind == WALLPROF_AGGR_OFFCPU) {
		err = wp_merge_aggr(&r->causes, &r->stacks, aggr, half->cpu, id);
		if (!err && has_hist)
			err = wp_merge_hist(&r->causes, &hist);
	}
	if (!err)
		err = find_object(r, aggr, &object);
	if (!err && r->o.verbose)
		err = wp_waits_aggr(&r->t.waits, aggr, object);
	return err;
}

/* The same of an interval that is told by itself. */
static int add_wait(struct record *r, const struct wallprof_wait *wait, __u32 cpu)
{
	struct wp_hist hist;
	bool has_hist = read_single_hist(r, wait, &hist);
	int err = wp_merge_wait(&r->merge, &r->stacks, wait, cpu);
	__u32 object;

	if (!err && has_hist && r->o.raw)
		err = wp_merge_hist(&r->merge, &hist);
	if (!err && r->intervals_file) {
		err = wp_merge_wait(&r->causes, &r->stacks, wait, cpu);
		if (!err && has_hist)
			err = wp_merge_hist(&r->causes, &hist);
	}
	if (!err)
		err = find_single_object(r, wait, &object);
	if (!err && r->o.verbose)
		err = wp_waits_single(&r->t.waits, wait, object);
	return err;
}

static int add_spill(struct record *r, const struct wallprof_task *task, __u64 time)
{
	int err = wp_merge_spill(&r->merge, task, time);

	if (!err && r->intervals_file)
		err = wp_merge_spill(&r->causes, task, time);
	if (!err && r->o.verbose)
		err = wp_waits_spill(&r->t.waits, task);
	return err;
}

static int add_open(struct record *r, const struct wallprof_task *task)
{
	int err = wp_merge_open(&r->merge, &r->stacks, task, r->s.stop);
	__u32 object;

	if (!err && r->intervals_file)
		err = wp_merge_open(&r->causes, &r->stacks, task, r->s.stop);
	if (!err)
		err = find_open_object(r, task, &object);
	if (!err && r->o.verbose)
		err = wp_waits_open(&r->t.waits, task, object);
	return err;
}

/* Everything of one half but its stacks. */
static int merge_half(struct record *r, const struct wp_half *half, __u64 time)
{
	__u64 lost;
	__u32 i;
	int err;

	for (i = 0; i < half->nr_aggrs; i++) {
		err = add_aggr(r, half, i);
		if (err)
			return err;
	}
	for (i = 0; i < half->nr_waits; i++) {
		err = add_wait(r, wp_half_wait(half, i), half->cpu);
		if (err)
			return err;
	}
	for (i = 0; i < half->nr_exits; i++) {
		const struct wallprof_task *task = wp_half_exit(half, i);

		if (r->o.offcpu) {
			err = add_spill(r, task, task->since);
			if (err)
				return err;
		}
		err = add_account(r, task);
		if (err)
			return err;
	}
	count_half(r, half, &lost);
	if (!lost)
		return 0;
	return wp_perfdata_write_lost(r->pd, event_of(r, half->context), half->cpu, time, lost);
}

/* An open interval that is not to be recorded, for its state or for its length. */
static void count_left_out(struct wp_record_stats *s, const struct wallprof_task *task)
{
	if (!(task->flags & WALLPROF_TASK_OPEN))
		return;
	if (task->flags & WALLPROF_TASK_FILTERED) {
		s->filtered++;
		s->filtered_ns += task->open_ns;
	} else if (task->flags & WALLPROF_TASK_OUT_OF_RANGE) {
		s->out_of_range++;
		s->out_of_range_ns += task->open_ns;
	}
}

/* After STOP: what was open, what found no room, and all accounts. */
static int merge_tasks(struct record *r)
{
	int err = 0;
	__u32 i;

	for (i = 0; i < r->dev.conf.nr_tasks && !err; i++) {
		const struct wallprof_task *task = wp_device_task(&r->dev, i);

		if (task->phase == WALLPROF_TASK_FREE || task->flags & WALLPROF_TASK_ARMED)
			continue;
		count_left_out(&r->s, task);
		if (r->o.offcpu) {
			err = add_spill(r, task, r->s.stop);
			if (!err)
				err = add_open(r, task);
		}
		if (!err)
			err = add_account(r, task);
	}
	return err;
}

static void count_sample(struct wp_record_stats *s, const struct wp_sample *sample)
{
	struct wp_stack *user;

	s->records++;
	/* The merge only reads the stacks; they are this command's. */
	user = (struct wp_stack *)sample->user;
	if (user && !(user->kinds & 1 << sample->kind)) {
		user->kinds |= 1 << sample->kind;
		s->stacks[sample->kind]++;
	}
	if (user && user->unwind < WALLPROF_UNWIND_MAX)
		s->unwound[sample->kind][user->unwind] +=
			sample->kind == WALLPROF_AGGR_SAMPLE ? sample->count : sample->total;
	if (sample->kind == WALLPROF_AGGR_SAMPLE) {
		s->samples += sample->count;
		return;
	}
	s->intervals += sample->count;
	s->offcpu_ns += sample->total;
	s->runnable_ns += sample->runnable;
	if (sample->flags & WALLPROF_AGGR_SINCE_START)
		s->since_start += sample->count;
	if (sample->flags & WP_SAMPLE_SINGLE)
		s->single += sample->count;
	if (sample->flags & WP_SAMPLE_OPEN)
		s->open += sample->count;
	if (sample->flags & WP_SAMPLE_SPILL)
		s->spilled += sample->count;
}

/*
 * What stands for id 0. In the first pid namespace it is the idle thread; in
 * others mostly a thread that is not visible there, which perf shows as -1.
 */
static __u32 id_zero(void)
{
	static const ino_t first_pid_ns = 0xeffffffc;
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino != first_pid_ns ? -1U : 0;
}

/* --intervals */
static int dump_intervals(struct record *r)
{
	size_t i;
	int err = 0;

	wp_merge_sort(&r->causes);
	for (i = 0; i < r->causes.nr && !err; i++) {
		struct wp_sample *s = &r->causes.samples[i];
		__u32 object;

		if (r->o.no_idle && wp_cause_idle(&s->cause, s->state))
			s->flags |= WP_SAMPLE_IDLE;
		err = wp_objects_find(r->t.objects, s->tid, s->tgid, s->exec_id, &s->cause,
				      &object);
		if (!err)
			wp_dump_interval(r->intervals_file, s, wp_merge_hist_of(&r->causes, s),
					 wp_objects_text(r->t.objects, object));
	}
	wp_merge_reset(&r->causes);
	return err;
}

/*
 * What a waker ended goes to the file as its own sample, behind the sleeper's, with
 * the same time. Of an interrupt there is none: nobody is to be asked why it came.
 */
static int add_wakeup(struct record *r, const struct wp_sample *s)
{
	__u64 blocked = s->total - s->runnable;
	struct wp_perfdata_sample sample = {
		.event = r->wakeup,
		.tid = s->cause.waker_tid ? s->cause.waker_tid : r->id_zero,
		.cpu = s->cpu,
		.time = s->last,
		.period = blocked,
	};
	struct wp_waker waker;

	if (s->cause.waker != WALLPROF_WAKER_TASK || !blocked)
		return 0;
	wp_stack_waker(s->waker, &waker);
	/* If its record was lost, perf may know the process of the thread. */
	sample.pid = waker.tgid ? waker.tgid : sample.tid;
	sample.kernel_mode = waker.kernel;
	if (waker.kernel) {
		sample.nr_kernel = waker.kernel->nr;
		sample.kernel_ips = waker.kernel->ips;
	}
	if (waker.user) {
		sample.nr_user = waker.user->nr;
		sample.user_ips = waker.user->ips;
	}
	r->s.wakeups_ns += blocked;
	r->s.records++;
	return wp_batch_add_sample(r->batch, &sample);
}

/* -R */
static int add_raw(struct record *r, const struct wp_sample *s, void *buf,
		   struct wp_perfdata_sample *sample)
{
	__u32 object;
	int err;

	err = wp_objects_find(r->t.objects, s->tid, s->tgid, s->exec_id, &s->cause, &object);
	if (err)
		return err;
	sample->nr_raw = wp_raw_encode(s, wp_objects_text(r->t.objects, object),
				       wp_merge_hist_of(&r->merge, s), buf, WP_RAW_MAX);
	sample->raw = buf;
	return 0;
}

/* The merged samples go to the file, and with --intervals as text. */
static int add_samples(struct record *r)
{
	char raw[WP_RAW_MAX];
	size_t i;
	int err = 0;

	wp_merge_sort(&r->merge);
	for (i = 0; i < r->merge.nr; i++) {
		const struct wp_sample *s = &r->merge.samples[i];
		bool oncpu = s->kind == WALLPROF_AGGR_SAMPLE;
		struct wp_perfdata_sample sample = {
			.event = oncpu ? r->oncpu : r->offcpu,
			.pid = s->tgid ? s->tgid : r->id_zero,
			.tid = s->tid ? s->tid : r->id_zero,
			.cpu = s->cpu,
			.time = s->last,
			.period = s->total,
			.kernel_mode = s->kernel || (oncpu && !s->user &&
						     !(s->flags & WALLPROF_AGGR_USER_MODE)),
		};

		if (s->kernel) {
			sample.nr_kernel = s->kernel->nr;
			sample.kernel_ips = s->kernel->ips;
		}
		if (s->user) {
			sample.nr_user = s->user->nr;
			sample.user_ips = s->user->ips;
		}
		if (r->o.raw && !oncpu)
			err = add_raw(r, s, raw, &sample);
		if (!err)
			err = wp_batch_add_sample(r->batch, &sample);
		if (!err && s->runnable) {
			sample.event = r->runnable;
			sample.period = s->runnable;
			err = wp_batch_add_sample(r->batch, &sample);
			r->s.records++;
		}
		if (!err && r->o.wakers)
			err = add_wakeup(r, s);
		if (err)
			return err;
		count_sample(&r->s, s);
	}
	wp_merge_reset(&r->merge);
	return r->intervals_file ? dump_intervals(r) : 0;
}

static int each_half(struct record *r, __u32 epoch, __u64 time,
		     int (*fn)(struct record *r, const struct wp_half *half, __u64 time))
{
	__u32 cpu, context;
	int err;

	for (cpu = 0; cpu < r->dev.info.nr_cpus; cpu++) {
		for (context = 0; context < WP_CONTEXTS; context++) {
			struct wp_half half;

			if (!wp_device_half(&r->dev, cpu, context, epoch, &half))
				continue;
			err = fn(r, &half, time);
			if (err)
				return err;
		}
	}
	return 0;
}

static int add_stacks(struct record *r, const struct wp_half *half, __u64 time)
{
	const struct wallprof_stack *stack;
	__u32 pos = 0;
	__u64 id;
	int err;

	(void)time;
	while ((stack = wp_half_stack(half, &pos, &id))) {
		err = wp_stacks_add(&r->stacks, id, stack);
		if (err)
			return err;
	}
	return 0;
}

/* Forget stacks that no thread waits in any more; see stacks.c. */
static int prune_stacks(struct record *r)
{
	__u32 i;

	if (r->stacks.doomed)
		return wp_stacks_sweep(&r->stacks);
	if (!wp_stacks_want_doom(&r->stacks))
		return 0;
	wp_stacks_doom(&r->stacks);
	for (i = 0; i < r->dev.conf.nr_tasks; i++) {
		volatile const struct wallprof_task *task = wp_device_task(&r->dev, i);

		wp_stacks_keep(&r->stacks, task->user_stack);
		wp_stacks_keep(&r->stacks, task->kernel_stack);
		wp_stacks_keep(&r->stacks, task->waker_stack);
	}
	return 0;
}

/* Retire an epoch and write it. The last one comes with what was open. */
static int drain(struct record *r, bool last)
{
	__u64 time, upto;
	__u32 epoch;
	int err;

	/* Before: one that is over when all is drained cannot be looked at any more. */
	err = last ? 0 : expect_objects(r);
	if (!err)
		err = wp_device_flip(&r->dev, &epoch, &time);
	if (err)
		return err;
	r->s.epochs++;
	if (r->t.objects)
		wp_objects_begin_round(r->t.objects, time);
	/* First, as it knows the names of the threads that ended. */
	err = wp_sideband_drain(r->sideband, &upto, last, add_record, r);
	if (err)
		return err;
	err = each_half(r, epoch, time, add_stacks);
	if (!err && r->o.hist)
		err = each_half(r, epoch, time, add_hists);
	if (!err)
		err = each_half(r, epoch, time, merge_half);
	if (!err && last)
		err = merge_tasks(r);
	if (!err)
		err = add_samples(r);
	if (!err)
		err = wp_batch_flush(r->batch, last ? ~0ULL : upto < time ? upto : time);
	if (!err && now() - r->flushed >= FLUSH_NS) {
		err = wp_perfdata_flush(r->pd);
		r->flushed = now();
	}
	if (!err)
		err = prune_stacks(r);
	if (r->t.objects)
		wp_objects_end_round(r->t.objects);
	if (err == -ENOMEM)
		wp_err("out of memory");
	return err;
}

/* How many milliseconds until @time, for poll. */
static int msecs_until(__u64 time)
{
	__u64 t = now();

	return time > t ? (time - t) / NSEC_PER_MSEC + 1 : 0;
}

static int loop(struct record *r)
{
	__u64 interval = r->o.interval_ms * NSEC_PER_MSEC;
	__u64 next = r->s.start + interval;
	unsigned int max = r->dev.info.nr_cpus + 2;
	struct pollfd *fds = calloc(max, sizeof(*fds));
	bool gone = false;
	int err = 0;

	if (!fds) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	while (!err && !gone && !stop_signal && !wp_workload_ended(&r->workload)) {
		unsigned int nr, i;
		bool full = false;
		__u64 count;
		int n;

		fds[0] = (struct pollfd){ .fd = wake_fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = r->dev.fd, .events = POLLIN };
		nr = 2 + wp_sideband_pollfds(r->sideband, fds + 2, max - 2);
		n = poll(fds, nr, msecs_until(next));
		if (n < 0 && errno != EINTR) {
			wp_err("poll: %s", strerror(errno));
			err = -errno;
			break;
		}
		r->s.wakeups++;
		if (n > 0) {
			if (fds[0].revents && read(wake_fd, &count, sizeof(count)) < 0)
				continue;
			full = fds[1].revents & POLLIN;
			gone = fds[1].revents & (POLLHUP | POLLERR | POLLNVAL);
			for (i = 2; i < nr; i++)
				full |= fds[i].revents;
		}
		if (gone)
			break;
		if (full || now() >= next) {
			err = drain(r, false);
			next = now() + interval;
		}
	}
	free(fds);
	return err;
}

/* Losses of no CPU's tables. */
static int add_status(struct record *r)
{
	const struct wallprof_lost *lost = r->s.status.lost;
	unsigned int i;
	__u64 n;

	for (i = 0; i < WALLPROF_LOSS_MAX; i++) {
		__u32 context = i == WALLPROF_LOSS_THROTTLED ? WP_CONTEXT_SAMPLER :
							       WP_CONTEXT_SCHED;

		r->s.lost[context][i].count += lost[i].count;
		r->s.lost[context][i].ns += lost[i].ns;
	}
	n = lost[WALLPROF_LOSS_EXIT_FULL].count + lost[WALLPROF_LOSS_NO_TASK].count +
	    lost[WALLPROF_LOSS_NESTED].count;
	if (!n)
		return 0;
	return wp_perfdata_write_lost(r->pd, event_of(r, WP_CONTEXT_SCHED), 0, r->s.stop, n);
}

static int finish(struct record *r)
{
	struct wp_sideband_stats side;
	int err;

	err = wp_device_stop(&r->dev, &r->s.stop);
	wp_publisher_end(r->publisher, &r->s.publisher);
	r->publisher = NULL;
	if (err)
		return err;
	err = drain(r, true);
	if (err)
		return err;
	err = wp_device_status(&r->dev, &r->s.status);
	if (err)
		return err;
	wp_sideband_stats(r->sideband, &side);
	r->s.sideband_lost = side.lost;
	r->s.unknown = r->merge.unknown;
	r->s.hists_left_out = r->thread_hists.left_out;
	r->s.idle = r->merge.idle;
	r->s.idle_ns = r->merge.idle_ns;
	return add_status(r);
}

static int prepare(struct record *r)
{
	unsigned int by = r->o.wakers ? WP_MERGE_WAKERS : 0;
	int err;

	err = wp_stacks_init(&r->stacks);
	if (!err)
		err = wp_merge_init(&r->merge, by | (r->o.raw ? WP_MERGE_CAUSES : 0));
	if (!err && r->o.intervals)
		err = wp_merge_init(&r->causes, by | WP_MERGE_CAUSES |
				    (by ? WP_MERGE_CHAINS : 0));
	r->ids = r->o.buildids ? wp_buildids_new() : NULL;
	r->merge.no_idle = r->o.no_idle;
	r->t.waits.no_idle = r->o.no_idle;
	if (wants_causes(&r->o))
		r->t.objects = wp_objects_new(NULL);
	if (err || (r->o.buildids && !r->ids) || (wants_causes(&r->o) && !r->t.objects)) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	wp_ledger_init(&r->t.ledger, r->o.verbose > 1 ? SIZE_MAX :
				   r->o.verbose ? TOP_THREADS : 0);
	r->want_comms = r->o.verbose || r->o.ledger;
	r->id_zero = id_zero();
	err = wp_device_open(&r->dev);
	if (err)
		return err;
	if (r->o.command) {
		err = wp_workload_fork(&r->workload, r->o.command);
		if (err)
			return err;
		command_pid = r->workload.pid;
	}
	if (r->o.own) {
		err = wp_target_set(&r->o.target, r->workload.pid);
		if (err)
			return err;
	}
	err = catch_signals();
	if (err)
		return err;
	err = configure(r);
	if (err)
		return err;
	/* All that live have a slot; some may have ended since the last epoch. */
	wp_hist_table_init(&r->thread_hists, 2ULL * r->o.tasks);
	if (r->o.ledger) {
		r->ledger_file = wp_dump_ledger_open(r->o.ledger);
		if (!r->ledger_file)
			return -EIO;
	}
	if (r->o.intervals) {
		r->intervals_file = wp_dump_intervals_open(r->o.intervals);
		if (!r->intervals_file)
			return -EIO;
	}
	err = open_output(r);
	if (err)
		return err;
	err = open_sideband(r);
	if (err)
		return err;
	err = open_publisher(r);
	if (err)
		return err;
	/* From here on whatever happens leaves a file that can be read. */
	err = wp_batch_flush(r->batch, 0);
	return err ? err : wp_perfdata_flush(r->pd);
}

/* A name that is mistyped waits for ever. A command's threads come later. */
static void warn_of_nobody(struct record *r)
{
	const char *whom = wp_target_to_come(&r->o.target);
	struct wallprof_status status;

	if (whom && !r->o.command && !wp_device_status(&r->dev, &status) &&
	    !status.nr_live_targets)
		wp_warn("no thread %s is there yet: waiting for one", whom);
}

/* From START to STOP. What was recorded before an error is kept. */
static int run(struct record *r)
{
	int err, last;

	err = wp_device_start(&r->dev, &r->s.start);
	if (err)
		return err;
	wp_debug("recording");
	wp_publisher_started(r->publisher);
	warn_of_nobody(r);
	if (r->o.command)
		err = wp_workload_release(&r->workload);
	if (!err)
		err = loop(r);
	/* It was waited for: its number may be another's. */
	if (r->workload.ended)
		command_pid = 0;
	last = finish(r);
	return err ? err : last;
}

static void close_output(struct record *r, int *err)
{
	struct stat st;
	int ret;

	if (!r->pd)
		return;
	/* From here on a second Ctrl-C leaves the file as it is. */
	ret = wp_perfdata_flush(r->pd);
	open_file = NULL;
	if (!*err)
		*err = ret;
	ret = wp_perfdata_close(r->pd, r->ids);
	if (!*err)
		*err = ret;
	if (!stat(r->o.output, &st))
		r->s.bytes = st.st_size;
}

/* perf's rule: the command's exit status, or its signal, or the one we got. */
static int exit_status(int err, int status)
{
	int sig = stop_signal;

	if (err)
		return err == -EINVAL ? WP_EXIT_USAGE : WP_EXIT_ERROR;
	if (WIFSIGNALED(status))
		sig = WTERMSIG(status);
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return WEXITSTATUS(status);
}

/**
 * cmd_record() - the command
 * @argc: arguments
 * @argv: the same; the first one is "record"
 *
 * Return: its exit status.
 */
int cmd_record(int argc, char **argv)
{
	struct record r = { .dev.fd = -1, .argc = argc + 1, .argv = argv - 1 };
	bool started = false;
	int err, status, ret;

	err = wp_record_options(&r.o, argc, argv);
	if (err) {
		wp_record_options_free(&r.o);
		return err == WP_OPTIONS_DONE ? 0 : err == -EINVAL ? WP_EXIT_USAGE : WP_EXIT_ERROR;
	}
	err = prepare(&r);
	if (!err && !stop_signal) {
		err = run(&r);
		started = r.s.stop;
	}
	wp_publisher_end(r.publisher, NULL);
	wp_sideband_close(r.sideband);
	close_output(&r, &err);
	ret = wp_dump_close(r.ledger_file, r.o.ledger);
	err = err ? err : ret;
	ret = wp_dump_close(r.intervals_file, r.o.intervals);
	err = err ? err : ret;
	command_pid = 0;
	status = wp_workload_finish(&r.workload);
	wp_device_close(&r.dev);
	if (!started && !err)
		wp_err("interrupted before the recording began: %s holds nothing", r.o.output);
	if (started && !err)
		wp_record_summary(&r.o, &r.s, &r.t);

	wp_batch_free(r.batch);
	wp_merge_free(&r.merge);
	wp_merge_free(&r.causes);
	wp_stacks_free(&r.stacks);
	wp_ledger_free(&r.t.ledger);
	wp_hist_table_free(&r.thread_hists);
	wp_comms_free(&r.t.comms);
	wp_waits_free(&r.t.waits);
	wp_objects_free(r.t.objects);
	wp_buildids_free(r.ids);
	wp_record_options_free(&r.o);
	return exit_status(err == -EINVAL ? -EIO : err, status);
}
