// SPDX-License-Identifier: GPL-2.0
/*
 * Sets up a recording: the module's session with its table sizes, the file with its
 * events, perf's sideband events, and the mappings and unwind tables of what already
 * runs. Called by record.c, in this order; nothing is recorded before it is done. The
 * module's snapshot of what runs is written to the file after START: that takes longer
 * than taking the snapshot, and its contents do not change.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/device/rights.h"
#include "lib/perfdata/filter.h"
#include "lib/perfdata/rawsample.h"
#include "lib/record/buffersize.h"
#include "lib/record/ksyms.h"
#include "lib/record/session.h"
#include "lib/record/synthesize.h"
#include "lib/record/target.h"

/* Maximum wait for the tables of what already runs: tables on disk are loaded by then. */
#define TABLES_WAIT_MS	500
/* Those of a named target as long as files are finished: one is given up sooner than this. */
#define TABLES_STALL_MS	12000

/* Default table sizes; see size_tables(). */
#define MIN_TASKS	16384

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
 * Divide a buffer among the tables of a half: 35 % for aggregates, of which 10 points go
 * to single intervals, if there are any; half for stacks, 15 % for ended threads.
 * Histograms come on top: the sampler's tables have as many aggregates.
 */
static void size_tables(struct wp_record_opts *o, const struct wallprof_info *info)
{
	__u64 buffers = (!o->events.none + 1ULL) * info->nr_online;
	unsigned int single = o->wait_ns ? 10 : 0;
	__u64 buffer = o->buffer, half;
	__u32 threads = wp_count_threads();

	if (!buffer)
		buffer = wp_buffersize(WP_DEFAULT_BUFFER, buffers);
	/* Sizes that were given are kept; those of a session before were not given. */
	if (!(o->buffer || o->aggrs || o->stack_words || o->exits || o->waits))
		o->grow_bytes = wp_buffersize_growth(buffer * buffers);
	half = buffer / 2;
	if (!o->aggrs)
		o->aggrs = clamp(half * (35 - single) / 100 / sizeof(struct wallprof_aggr),
				 WALLPROF_MIN_AGGRS, WALLPROF_MAX_AGGRS);
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

static bool is_cycles(const struct wp_event *ev)
{
	return ev->type == PERF_TYPE_HARDWARE && ev->config == PERF_COUNT_HW_CPU_CYCLES;
}

/* As perf: where there are no cycles, use cpu-clock. */
static int use_cpu_clock(struct wp_event *ev)
{
	struct wp_event old = *ev;
	int err;

	wp_warn("the cycles event is not supported here, falling back to cpu-clock");
	err = wp_event_parse(ev, old.exclude_user ? "cpu-clock:k" :
				 old.exclude_kernel ? "cpu-clock:u" : "cpu-clock");
	/* By a term name=. */
	if (strncmp(old.name, "cycles", strlen("cycles")))
		memcpy(ev->name, old.name, sizeof(ev->name));
	ev->has_call_graph = old.has_call_graph;
	ev->call_graph = old.call_graph;
	ev->max_stack = old.max_stack;
	ev->freq = old.freq;
	ev->period = old.period;
	return err;
}

static bool is_unknown(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV;
}

static int event_failed(const struct wp_event *ev, int err)
{
	switch (-err) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		wp_err("the %s event is not supported here: %s", ev->name, strerror(-err));
		break;
	case EINVAL:
		wp_err("the %s event cannot be recorded like this: %s", ev->name, strerror(-err));
		break;
	case EBUSY:
		wp_err("the %s event: all counters are in use: %s", ev->name, strerror(-err));
		break;
	case EACCES:
	case EPERM:
		wp_err("the kernel does not allow the %s event: %s. Use sudo, or see RIGHTS in 'man wallprof'",
		       ev->name, strerror(-err));
		break;
	default:
		wp_err("could not create the counters of the %s event: %s", ev->name,
		       strerror(-err));
	}
	return err;
}

static int configure_failed(const struct wp_device *dev, int err)
{
	switch (-err) {
	case ENOENT:
		wp_err("kernel lacks required tracepoints: %s", strerror(-err));
		break;
	case ESRCH:
		wp_err("Couldn't create thread/CPU maps: No such process");
		break;
	case ENOMEM:
		wp_rights_no_memory("the tables of %u CPUs", dev->info.nr_online);
		break;
	case EACCES:
	case EPERM:
		wp_err("the kernel does not allow this: %s. Use sudo, or see RIGHTS in 'man wallprof'",
		       strerror(-err));
		break;
	default:
		wp_err("could not set the session up: %s", strerror(-err));
	}
	return err;
}

static __u32 walk_flags(enum wp_call_graph call_graph)
{
	__u32 flags = 0;

	if (call_graph == WP_CALL_GRAPH_AUTO || call_graph == WP_CALL_GRAPH_CFI)
		flags |= WALLPROF_STACK_TABLES;
	if (call_graph != WP_CALL_GRAPH_CFI)
		flags |= WALLPROF_STACK_USER;
	return flags;
}

static __u32 stack_flags(const struct wp_record_opts *o)
{
	return (o->kernel ? WALLPROF_STACK_KERNEL : 0) | walk_flags(o->call_graph);
}

static int add_event(const struct wp_recording *r, const struct wp_event *ev)
{
	const struct wp_record_opts *o = &r->o;
	enum wp_call_graph call_graph = ev->has_call_graph ? ev->call_graph : o->call_graph;
	bool none = ev->has_call_graph && call_graph == WP_CALL_GRAPH_NONE;
	struct wallprof_event event = {
		.attr_flags = (ev->freq ? WALLPROF_ATTR_FREQ : 0) |
			      (ev->exclude_user ? WALLPROF_ATTR_EXCLUDE_USER : 0) |
			      (ev->exclude_kernel ? WALLPROF_ATTR_EXCLUDE_KERNEL : 0) |
			      (ev->exclude_hv ? WALLPROF_ATTR_EXCLUDE_HV : 0),
		.attr_type = ev->type,
		.attr_precise = ev->precise_ip,
		.stack_flags = none ? 0 : walk_flags(call_graph) |
					  (o->kernel ? WALLPROF_STACK_KERNEL : 0),
		.max_stack = ev->max_stack ? ev->max_stack : o->max_stack,
		.attr_config = ev->config,
		.attr_config1 = ev->config1,
		.attr_config2 = ev->config2,
		.attr_period = ev->freq ? ev->freq : ev->period,
		.weight_offset = ev->weight_offset,
		.weight_size = ev->weight_size,
		.weight_sign = ev->weight_sign,
		.record_words = o->raw && ev->tracepoint[0] ? WALLPROF_MAX_STACK : 0,
		.by_offset = ev->by.offset,
		.by_size = ev->by.size,
		.by_sign = ev->by.has_sign,
	};

	if (ev->filter) {
		event.filter = (uintptr_t)ev->filter->tests;
		event.filter_text = (uintptr_t)ev->filter->text;
		event.nr_filter = ev->filter->nr;
		event.filter_text_bytes = ev->filter->text_bytes;
	}

	return wp_device_event(&r->dev, &event);
}

/*
 * Add the events. Of those that a glob names, the kernel may refuse some: they are left
 * out, unless that leaves none.
 */
static int add_events(struct wp_recording *r)
{
	struct wp_event_list *events = &r->o.events;
	unsigned int i = 0;
	int err;

	while (i < events->nr) {
		struct wp_event *ev = &events->event[i];

		err = add_event(r, ev);
		if (is_unknown(err) && is_cycles(ev)) {
			err = use_cpu_clock(ev);
			if (err)
				return err;
			err = add_event(r, ev);
		}
		if (!err) {
			i++;
			continue;
		}
		if (!ev->globbed || events->nr == 1 || err == -ENOMEM)
			return event_failed(ev, err);
		wp_warn("the %s event is left out: %s", ev->name, strerror(-err));
		wp_event_list_remove(events, i);
	}
	/* Those of an earlier session are added to. */
	if (r->s.events)
		return 0;
	r->s.events = calloc(events->nr ? events->nr : 1, sizeof(*r->s.events));
	return r->s.events ? 0 : wp_no_memory("the events");
}

/**
 * wp_recording_wants_causes() - whether the causes of waits are shown to the user
 * @o: the options
 *
 * System call numbers are recorded in any case, for the file's ledger.
 *
 * Return: whether to record system call arguments and wakers.
 */
bool wp_recording_wants_causes(const struct wp_record_opts *o)
{
	return o->offcpu && (o->verbose || o->intervals || o->raw);
}

/**
 * wp_recording_chains() - whether the waits of wakers are shown to the user
 * @o: the options
 *
 * In perf.data single intervals have names; those of sums are added up again.
 *
 * Return: whether intervals record the waits of their wakers.
 */
bool wp_recording_chains(const struct wp_record_opts *o)
{
	return o->wakers && (o->intervals || (o->raw && o->wait_ns));
}

/**
 * wp_recording_one_part() - why a recording that was disabled cannot be enabled again
 * @o: the options
 *
 * Return: the reason, or NULL if it can.
 */
const char *wp_recording_one_part(const struct wp_record_opts *o)
{
	if (o->timeline)
		return "a timeline has one part";
	/* Numbers of intervals are a session's. */
	return wp_recording_chains(o) ? "intervals with their wakers' have one part" : NULL;
}

/*
 * Whether there are events whose stacks repeat: clocks and what a PMU counts may interrupt
 * anywhere. The module has a cache for those that have the session's options for stacks.
 */
static bool has_repeated_stacks(const struct wp_record_opts *o)
{
	unsigned int nr;

	if (!walk_flags(o->call_graph))
		return false;
	for (nr = 0; nr < o->events.nr; nr++) {
		const struct wp_event *ev = &o->events.event[nr];

		if (ev->type == PERF_TYPE_TRACEPOINT ||
		    (ev->type == PERF_TYPE_SOFTWARE &&
		     ev->config != PERF_COUNT_SW_CPU_CLOCK &&
		     ev->config != PERF_COUNT_SW_TASK_CLOCK))
			return true;
	}
	return false;
}

/*
 * Whether following the targets' children is a separate request. Children of a user, name
 * or control group match, or do not, on their own.
 */
static bool has_children(const struct wp_target *t)
{
	return t->kind == WALLPROF_TARGET_PID || t->kind == WALLPROF_TARGET_TID;
}

/**
 * wp_recording_configure() - configure the module's session, and map its tables
 * @r: the recording; sizes that were not given are filled in
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_configure(struct wp_recording *r)
{
	struct wp_record_opts *o = &r->o;
	struct wallprof_configure c = {
		.flags = (o->offcpu ? WALLPROF_OFFCPU | WALLPROF_WAKEUPS | WALLPROF_REASONS : 0) |
			 /* These multiply the number of sums. */
			 (wp_recording_wants_causes(o) ? WALLPROF_WAKERS | WALLPROF_ARGS : 0) |
			 (o->reasons ? WALLPROF_ARGS : 0) |
			 (o->lock_owner ? WALLPROF_LOCK_OWNERS : 0) |
			 (o->waker_ids ? WALLPROF_WAKERS : 0) |
			 (o->wakers ? WALLPROF_WAKERS | WALLPROF_WAKER_STACKS : 0) |
			 (wp_recording_chains(o) ? WALLPROF_WAKER_CHAINS : 0) |
			 (o->hist ? WALLPROF_HISTOGRAMS : 0) |
			 (o->timeline ? WALLPROF_TIMELINE : 0) |
			 (o->timeline && o->offcpu ? WALLPROF_TIMELINE_STACKS : 0) |
			 (o->events.none ? 0 : WALLPROF_SAMPLER) |
			 (has_repeated_stacks(o) ? WALLPROF_SAMPLE_CACHE : 0) |
			 (o->inherit && has_children(&o->target) ? WALLPROF_INHERIT : 0) |
			 (o->own && !o->later ? WALLPROF_ENABLE_ON_EXEC : 0),
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
	c.grow_bytes = o->grow_bytes;
	if (o->timeline && !o->ring)
		o->ring = wp_buffersize_ring(0, r->dev.info.nr_online);
	c.nr_records = o->timeline ? o->ring : 0;
	err = o->has_cpus ? wp_target_set_cpus(&c, &r->dev, &o->cpus) : 0;
	if (err)
		return err;
	if (o->states & ~r->dev.info.states)
		wp_warn("--state: this kernel does not distinguish all of these states");
	err = wp_device_configure(&r->dev, &c);
	/* The targets may have ended since they were listed. */
	if (err == -ESRCH && r->pausing)
		return err;
	if (err)
		return configure_failed(&r->dev, err);
	err = add_events(r);
	if (err)
		return err;
	r->s.memory = r->dev.conf.memory_bytes;
	wp_debug("tables: %u aggregates, %u stack words, %u ended threads, %u single intervals, twice per CPU; %u threads; %llu bytes in all",
		 o->aggrs, o->stack_words, o->exits, o->waits, o->tasks,
		 (unsigned long long)r->s.memory);
	return wp_device_map(&r->dev);
}

/**
 * wp_recording_open_file() - create a file with the events of a recording
 * @r: the recording; its tracepoints have been read
 *
 * Return: 0 or a negative errno; a message was printed, unless memory ran out.
 */
int wp_recording_open_file(struct wp_recording *r)
{
	struct wp_perfdata_event *events = calloc(r->o.events.nr + 5 + WP_TIMELINE_EVENTS,
						  sizeof(*events));
	struct wp_perfdata_options opt = {
		.path = r->o.output,
		.events = events,
		.argc = r->argc,
		.argv = r->argv,
		.level = r->o.level,
	};
	unsigned int nr, more;
	int err;

	if (!events)
		return -ENOMEM;
	r->oncpu = 0;
	for (nr = 0; nr < r->o.events.nr; nr++) {
		wp_perfdata_event_oncpu(&events[nr], &r->o.events.event[nr]);
		wp_tracerecords_describe(&r->records, nr, &events[nr]);
	}
	if (r->o.offcpu) {
		r->offcpu = nr;
		wp_perfdata_event_offcpu(&events[nr++]);
		r->runnable = nr;
		wp_perfdata_event_runnable(&events[nr++]);
		if (r->o.reasons) {
			wp_perfdata_event_cause(&events[r->offcpu]);
			wp_perfdata_event_cause(&events[r->runnable]);
		}
		if (r->o.raw) {
			unsigned int shows = (r->o.hist ? WP_RAW_HIST : 0) |
					     (r->o.wait_ns ? WP_RAW_SINGLE : 0) |
					     (r->o.lock_owner ? WP_RAW_OWNERS : 0);

			if (r->o.wait_ns && wp_recording_chains(&r->o))
				shows |= WP_RAW_CHAINS;
			wp_perfdata_event_raw(&events[r->offcpu], shows);
			wp_perfdata_event_raw(&events[r->runnable], shows);
		}
	}
	if (r->o.wakers) {
		r->wakeup = nr;
		wp_perfdata_event_wakeup(&events[nr++]);
	}
	err = wp_recording_open_timeline(r, &events[nr], nr, &more);
	if (!err) {
		nr += more;
		r->side = nr;
		wp_perfdata_event_sideband(&events[nr++]);
		opt.nr_events = nr;
		err = wp_perfdata_open(&r->pd, &opt);
	}
	free(events);
	return err;
}

/**
 * wp_recording_open_output() - create the first file
 * @r: the recording
 *
 * Return: 0 or a negative errno; a message was printed, unless memory ran out.
 */
int wp_recording_open_output(struct wp_recording *r)
{
	int err = wp_tracerecords_read(&r->records, &r->o.events, r->o.raw);

	if (!err)
		err = wp_recording_open_file(r);
	if (err)
		return err;
	r->batch = wp_batch_new(r->pd, true);
	return r->batch ? 0 : -ENOMEM;
}

static __u64 side_id(void *ctx, int cpu)
{
	struct wp_recording *r = ctx;

	return wp_perfdata_id(r->pd, r->side, cpu);
}

/*
 * Whether only the targets and what they fork are followed. With -u, --comm and -G
 * everything is: a process that becomes a user's by setuid belonged to another one when
 * it was first seen. With wakers, too: any thread can be a waker, and one that ends right
 * after could not be asked for its name and code any more. The same holds for a thread
 * that runs before or after a target.
 */
static bool follows_targets(const struct wp_record_opts *o)
{
	return (o->target.kind == WALLPROF_TARGET_PID ||
		o->target.kind == WALLPROF_TARGET_TID) && !o->wakers && !o->timeline;
}

static struct wp_synth synth_of(struct wp_recording *r)
{
	return (struct wp_synth){
		.fn = wp_recording_add_record,
		.ctx = r,
		.id = wp_perfdata_id(r->pd, r->side, 0),
		.ids = r->ids,
		.busy = &r->busy,
	};
}

/**
 * wp_recording_open_sideband() - follow all processes, or the targets and what they fork
 * @r: the recording; records of targets that already run go to its file
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_open_sideband(struct wp_recording *r)
{
	const struct wp_target *t = &r->o.target;
	bool filter = follows_targets(&r->o);
	struct wp_sideband_options opt = {
		.ids = r->ids,
		.file_id = side_id,
		.ctx = r,
		.filter = filter,
		.followed = wp_recording_has_tables(r),
	};
	struct wp_synth synth = synth_of(r);
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
	for (i = 0; !err && filter && i < t->nr; i++) {
		err = wp_proc_synthesize_pid(&synth, t->tgids ? t->tgids[i] : t->ids[i]);
		if (err == -ESRCH || err == -ENOENT)
			err = 0;
	}
	return err;
}

static int push_table(void *ctx, const void *table, size_t size, __u32 *id)
{
	return wp_device_push(ctx, table, size, 0, id);
}

static int push_code(void *ctx, const void *table, size_t size, __u32 *id)
{
	return wp_device_push(ctx, table, size, WALLPROF_PUSH_ONCE, id);
}

static int send_maps(void *ctx, __u32 pid, __u64 start_stack, const struct wallprof_map *maps,
		     __u32 nr, const struct wallprof_interp *interp)
{
	return wp_device_maps(ctx, pid, start_stack, maps, nr, interp);
}

static __u64 forks_missed(void *ctx)
{
	struct wallprof_status status;

	return wp_device_status(ctx, &status) ? 0 : status.forks_missed;
}

static int open_mapsync(struct wp_recording *r)
{
	const struct wp_target *t = &r->o.target;
	bool filter = follows_targets(&r->o);
	struct wp_mapsync_options opt = {
		.push = push_table,
		.push_code = push_code,
		.maps = send_maps,
		.missed = forks_missed,
		.ctx = &r->dev,
		.pids = filter ? t->tgids ? t->tgids : t->ids : NULL,
		.nr_pids = filter ? t->nr : 0,
		.interps = r->interps,
		.jvms = r->jvms,
		.sideband = r->sideband,
	};

	return wp_mapsync_open(&r->mapsync, &opt);
}

/*
 * Before their tables are built, stacks are cut short. Who names a process or a command
 * waits for its tables, as long as there is progress: a command's child has its program
 * mapped. For the whole host that would be the tables of all programs. A session without a
 * file shows what it has.
 */
static void wait_for_tables(struct wp_recording *r)
{
	bool named = follows_targets(&r->o) && !r->o.tables_ms && r->batch;
	int ret = wp_mapsync_wait_tables(r->mapsync, r->o.tables_ms ? : TABLES_WAIT_MS);
	__u64 finished;

	r->s.tables_late = !ret;
	if (ret || !named)
		return;
	if (!r->o.quiet)
		fputs("[ wallprof: building unwind tables of the target before recording ]\n",
		      stderr);
	do {
		finished = wp_mapsync_finished(r->mapsync);
		ret = wp_mapsync_wait_tables(r->mapsync, TABLES_STALL_MS);
	} while (!ret && wp_mapsync_finished(r->mapsync) != finished);
	r->s.tables_late = !ret;
}

/**
 * wp_recording_look() - take a snapshot of what runs, and publish its unwind tables
 * @r: the recording; its sideband is open, so that no later change is missed
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_look(struct wp_recording *r)
{
	bool tables = wp_recording_has_tables(r);
	int err;

	/* Before the snapshot: mapsync.c follows processes, too. */
	err = tables ? open_mapsync(r) : 0;
	if (err)
		return err;
	if (!follows_targets(&r->o)) {
		r->snap = wp_snapshot_read(&r->dev);
		/* A session without a file does not need it any more. */
		if (!r->snap && r->batch) {
			struct wp_synth synth = synth_of(r);

			err = wp_proc_synthesize_all(&synth);
		}
	}
	if (err || !tables)
		return err;
	err = wp_mapsync_begin(r->mapsync, r->snap);
	if (!err)
		wait_for_tables(r);
	return err;
}

/**
 * wp_recording_open_mapsync() - the same for a session without a file
 * @r: the recording
 * @fn: called for each thread of the snapshot; or NULL
 * @ctx: passed to it
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_open_mapsync(struct wp_recording *r, wp_snapshot_fn fn, void *ctx)
{
	int err;

	if (!wp_recording_has_tables(r))
		return 0;
	/* Without memory, Java has no stacks. */
	if (!r->jvms)
		r->jvms = wp_jvms_new(false);
	err = wp_recording_look(r);
	if (fn)
		wp_snapshot_each(r->snap, fn, ctx);
	wp_snapshot_put(r->snap);
	r->snap = NULL;
	return err;
}

/**
 * wp_recording_write_snapshot() - write the snapshot of what ran at the start to the file
 * @r: the recording; nothing else is in its file yet
 *
 * Return: 0 or a negative errno.
 */
int wp_recording_write_snapshot(struct wp_recording *r)
{
	struct wp_synth synth = synth_of(r);
	int err;

	if (!r->snap)
		return 0;
	err = wp_proc_synthesize_snapshot(&synth, r->snap);
	wp_snapshot_put(r->snap);
	r->snap = NULL;
	if (!err)
		err = wp_batch_flush(r->batch, 0);
	return err ? err : wp_perfdata_flush(r->pd);
}

/**
 * wp_recording_write_busy() - write the mappings of processes that were busy before
 * @r: the recording
 *
 * Return: 0 or a negative errno.
 */
int wp_recording_write_busy(struct wp_recording *r)
{
	struct wp_synth synth = synth_of(r);

	return r->busy.nr ? wp_proc_synthesize_busy(&synth) : 0;
}
