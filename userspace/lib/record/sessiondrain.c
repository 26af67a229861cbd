// SPDX-License-Identifier: GPL-2.0
/*
 * Writes an epoch at a time to the file: the module's tables, retired by a flip and
 * merged over all CPUs, and perf's sideband, sorted by time. Collects the per-thread
 * totals, the histograms and the objects of waits, and writes the file of --ledger.
 * sessionsamples.c writes the samples. Called by record.c.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/record/dump.h"
#include "lib/record/session.h"
#include "lib/symbols/jitmaps.h"

/* The most that a kill -9 can lose. */
#define FLUSH_NS	1000000000ULL

/* Minimum interval between looks at the locks of all waiting threads. */
#define LOCKS_NS	100000000ULL

/**
 * wp_recording_add_record() - add a sideband record to the file
 * @ctx: the recording
 * @rec: the record
 * @time: its time
 *
 * Return: 0 or a negative errno.
 */
int wp_recording_add_record(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	struct wp_recording *r = ctx;
	int err = 0;

	/* The ledger has names. */
	if (r->o.offcpu)
		err = wp_comms_record(&r->t.comms, rec);
	if (r->t.objects)
		wp_objects_record(r->t.objects, rec);
	if (r->locks)
		wp_objects_record(r->locks, rec);
	/* The timeline has names. */
	if (!err && r->timeline && (rec->type == PERF_RECORD_COMM ||
				    rec->type == PERF_RECORD_FORK ||
				    rec->type == PERF_RECORD_EXIT))
		err = wp_timeline_sideband(r->timeline, rec, time);
	if (!err && r->codes)
		err = wp_interpcodes_record(r->codes, rec, time);
	if (r->methods)
		wp_jvmmethods_record(r->methods, rec, time);
	if (!err && r->notes_forks)
		err = wp_recording_note_fork(r, rec, time);
	if (!err && r->next)
		err = wp_batch_add_record(r->next, rec, time);
	return err ? err : wp_batch_add_record(r->batch, rec, time);
}

static void count_half(struct wp_recording *r, const struct wp_half *half, __u64 *lost)
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
	for (i = 0; i < WALLPROF_SWITCH_MAX; i++)
		r->s.switches[i] += head->switches[i];
	for (i = 0; i < WALLPROF_INTERP_MAX; i++)
		r->s.interps[i] += head->interps[i];
	r->s.walks_unknown += head->walks_unknown;
	r->s.walks_mixed += head->walks_mixed;
	r->s.walks_slow += head->walks_slow;
	r->s.walks_remembered += head->walks_remembered;
	r->s.walks_asleep += head->walks_asleep;
	r->s.walks_not_resident += head->walks_not_resident;
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

static unsigned int event_of(const struct wp_recording *r, __u32 context)
{
	if (context == WP_CONTEXT_SAMPLER)
		return r->oncpu;
	return r->o.offcpu ? r->offcpu : r->oncpu;
}

static int add_totals(struct wp_recording *r, const struct wallprof_task *task)
{
	struct wp_totals a;
	struct wp_hist hist;
	bool known;

	if (!wp_ledger_read(task, r->s.stop, wp_comms_find(&r->t.comms, task->tid), &a))
		return 0;
	if (r->ledger_file) {
		const struct wp_hist_thread thread = {
			.tid = task->tid, .start_time = task->start_time,
			.exec_id = task->exec_id,
		};

		known = wp_hist_table_take(&r->thread_hists, &thread, &hist);
		wp_dump_totals(r->ledger_file, &a, known ? &hist : NULL);
	}
	wp_ledgerspool_totals(&r->spool, &a);
	return wp_ledger_add(&r->t.ledger, &a, task->nr_spilled);
}

/*
 * Record the cause of intervals: for the ledger, for -v and, as an object, where objects
 * are requested. Intervals of length 0 do not count.
 */
static int add_cause(struct wp_recording *r, struct wp_wait *wait, __u32 tid, __u32 exec_id)
{
	int err;

	if (!wait->count && !wait->total)
		return 0;
	err = wp_ledgerspool_wait(&r->spool, wait);
	if (!err && r->t.objects && wait->cause.reason != WALLPROF_REASON_UNKNOWN)
		err = wp_objects_find(r->t.objects, tid, wait->tgid, exec_id, &wait->cause,
				      &wait->object);
	if (!err && r->o.verbose)
		err = wp_waits_add(&r->t.waits, wait);
	return err;
}

/*
 * The slot, from @i on, of a thread that is off its CPU in a system call, or NULL. @i: set to
 * the next one. Most of the many slots are free.
 */
static const struct wallprof_task *next_in_call(const struct wp_device *dev, __u32 *i)
{
	const char *at = (const char *)wp_device_task(dev, *i);
	const __u32 nr = dev->conf.nr_tasks, bytes = dev->conf.task_bytes;
	const struct wallprof_task *task;
	__u32 n;

	for (n = *i; n < nr; n++, at += bytes) {
		task = (const struct wallprof_task *)at;
		if ((task->phase == WALLPROF_TASK_OFF || task->phase == WALLPROF_TASK_UNSEEN) &&
		    task->reason == WALLPROF_REASON_SYSCALL) {
			*i = n + 1;
			return task;
		}
	}
	return NULL;
}

/*
 * Resolve the objects that threads wait for now: they may differ when the intervals are
 * drained.
 */
static int expect_objects(struct wp_recording *r)
{
	const struct wallprof_task *task;
	struct wp_cause cause;
	__u32 i = 0;
	int err = 0;

	while (r->t.objects && !err && (task = next_in_call(&r->dev, &i))) {
		if (task->phase != WALLPROF_TASK_OFF)
			continue;
		/* If the slot is reused meanwhile, one lookup is wasted. */
		wp_cause_open(&cause, task);
		err = wp_objects_expect(r->t.objects, task->tid, task->tgid, task->exec_id,
					&cause, task->since);
	}
	return err;
}

/*
 * Look up the locks that threads wait for now, with what the samples of the epoch left of
 * the limit: when these waits are drained, the process may have ended. Those of threads
 * that were blocked at the start have been known since then. Where the tables fill many
 * times in a second, not each time, as it goes through all slots.
 */
static int look_at_locks(struct wp_recording *r)
{
	const struct wallprof_task *task;
	__u64 now = wp_clock_now();
	struct wp_cause cause;
	__u32 i = 0;
	__u8 memory;
	int err = 0;

	if (now - r->locks_looked < LOCKS_NS)
		return 0;
	r->locks_looked = now;
	while (r->locks && !err && (task = next_in_call(&r->dev, &i))) {
		wp_cause_open(&cause, task);
		err = wp_objects_memory(r->locks, task->tgid, task->exec_id, &cause, &memory);
	}
	return err;
}

/* Whether the start times of waits already open at the start are reported. */
static bool wants_start_of_waits(const struct wp_recording *r)
{
	return r->o.offcpu && (r->o.raw || r->intervals_file);
}

/*
 * Histogram of an aggregate's intervals. Intervals already open at the start were longer
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

/* The same for a single interval. */
static bool read_single_hist(const struct wp_recording *r, const struct wallprof_wait *wait,
			     struct wp_hist *hist)
{
	if (!r->o.hist || wait->flags & WALLPROF_AGGR_SINCE_START)
		return false;
	wp_hist_one(hist, wait->end - wait->begin, wait->runnable);
	return true;
}

/* Add to the histogram of the recording and to that of the thread. */
static int add_hist(struct wp_recording *r, const struct wp_hist_thread *thread,
		    const struct wp_cause *cause, unsigned int state,
		    const struct wp_hist *hist)
{
	struct wp_hist counted = *hist;

	if (r->o.no_idle && wp_cause_idle(cause, state))
		memset(counted.blocked, 0, sizeof(counted.blocked));
	wp_hist_add(&r->s.hist, &counted);
	if (!r->ledger_file)
		return 0;
	return wp_hist_table_add(&r->thread_hists, thread, hist);
}

/* Before the totals of ended threads: they may have run on several CPUs. */
static int add_hists(struct wp_recording *r, const struct wp_half *half, __u64 time)
{
	struct wp_cause cause;
	struct wp_hist hist;
	int err = 0;
	__u32 i;

	(void)time;
	for (i = 0; i < half->nr_aggrs && !err; i++) {
		const struct wallprof_aggr *aggr = wp_half_aggr(half, i);
		const struct wp_hist_thread thread = {
			.tid = aggr->tid, .start_time = aggr->start_time,
			.exec_id = aggr->exec_id,
		};

		if (!read_hist(half, i, &hist))
			continue;
		wp_cause_aggr(&cause, aggr);
		err = add_hist(r, &thread, &cause, aggr->state, &hist);
	}
	for (i = 0; i < half->nr_waits && !err; i++) {
		const struct wallprof_wait *wait = wp_half_wait(half, i);
		const struct wp_hist_thread thread = {
			.tid = wait->tid, .start_time = wait->start_time,
			.exec_id = wait->exec_id,
		};

		if (!read_single_hist(r, wait, &hist))
			continue;
		wp_cause_wait(&cause, wait);
		err = add_hist(r, &thread, &cause, wait->state, &hist);
	}
	return err;
}

/* Add off-CPU time to the samples and, for --intervals and -v, to the detailed causes. */
static int add_aggr(struct wp_recording *r, const struct wp_half *half, __u32 i)
{
	const struct wallprof_aggr *aggr = wp_half_aggr(half, i);
	__u64 id = wp_half_aggr_id(half, i);
	struct wp_hist hist;
	bool has_hist = read_hist(half, i, &hist);
	int err = wp_merge_aggr(&r->merge, &r->stacks, aggr, half->cpu, id);
	struct wp_wait wait;

	if (!err && has_hist && r->o.raw)
		err = wp_merge_hist(&r->merge, &hist);
	if (!err && r->intervals_file && aggr->kind == WALLPROF_AGGR_OFFCPU) {
		err = wp_merge_aggr(&r->causes, &r->stacks, aggr, half->cpu, id);
		if (!err && has_hist)
			err = wp_merge_hist(&r->causes, &hist);
	}
	wp_wait_aggr(&wait, aggr);
	return err ? err : add_cause(r, &wait, aggr->tid, aggr->exec_id);
}

/* The same for a single interval. */
static int add_wait(struct wp_recording *r, const struct wp_half *half, __u32 i)
{
	const struct wallprof_wait *single = wp_half_wait(half, i);
	__u64 id = wp_recording_chains(&r->o) ? wp_half_wait_id(half, i) : 0;
	struct wp_hist hist;
	bool has_hist = read_single_hist(r, single, &hist);
	int err = wp_merge_wait(&r->merge, &r->stacks, single, half->cpu, id);
	struct wp_wait wait;

	if (!err && has_hist && r->o.raw)
		err = wp_merge_hist(&r->merge, &hist);
	if (!err && r->intervals_file) {
		err = wp_merge_wait(&r->causes, &r->stacks, single, half->cpu, id);
		if (!err && has_hist)
			err = wp_merge_hist(&r->causes, &hist);
	}
	wp_wait_single(&wait, single);
	return err ? err : add_cause(r, &wait, single->tid, single->exec_id);
}

static int add_spill(struct wp_recording *r, const struct wallprof_task *task, __u64 time)
{
	int err = wp_merge_spill(&r->merge, task, time);
	struct wp_wait wait;

	if (!err && r->intervals_file)
		err = wp_merge_spill(&r->causes, task, time);
	wp_wait_spill(&wait, task);
	return err ? err : add_cause(r, &wait, task->tid, task->exec_id);
}

static int add_open(struct wp_recording *r, const struct wallprof_task *task)
{
	int err = wp_merge_open(&r->merge, &r->stacks, task, r->s.stop);
	struct wp_wait wait;

	if (!err && r->intervals_file)
		err = wp_merge_open(&r->causes, &r->stacks, task, r->s.stop);
	wp_wait_open(&wait, task);
	return err ? err : add_cause(r, &wait, task->tid, task->exec_id);
}

/* Everything in a half but its stacks. */
static int merge_half(struct wp_recording *r, const struct wp_half *half, __u64 time)
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
		err = add_wait(r, half, i);
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
		err = wants_start_of_waits(r) ? wp_blocked_add(&r->blocked, task) : 0;
		if (err)
			return err;
		err = add_totals(r, task);
		if (err)
			return err;
	}
	count_half(r, half, &lost);
	if (!lost)
		return 0;
	return wp_perfdata_write_lost(r->pd, event_of(r, half->context), half->cpu, time, lost);
}

/* Count an open interval that is not recorded because of its state or its length. */
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

/* After STOP: open intervals, spilled time and the totals of all threads. */
static int merge_tasks(struct wp_recording *r)
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
			err = add_totals(r, task);
	}
	return err;
}

static int each_half(struct wp_recording *r, __u32 epoch, __u64 time,
		     int (*fn)(struct wp_recording *r, const struct wp_half *half, __u64 time))
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

static int add_stacks(struct wp_recording *r, const struct wp_half *half, __u64 time)
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

/**
 * wp_recording_add_stacks() - read the stacks of a retired epoch
 * @r: the recording
 * @epoch: the epoch
 *
 * Return: 0 or -ENOMEM.
 */
int wp_recording_add_stacks(struct wp_recording *r, __u32 epoch)
{
	return each_half(r, epoch, 0, add_stacks);
}

/**
 * wp_recording_prune_stacks() - drop stacks that no waiting thread refers to
 * @r: the recording, after an epoch has been processed; see lib/model/stacks.c
 *
 * Return: 0 or -ENOMEM.
 */
int wp_recording_prune_stacks(struct wp_recording *r)
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

/**
 * wp_recording_drain_sideband() - read the records of processes, between two epochs
 * @r: the recording
 *
 * Files that they name are opened, and copied if need be, while a process has them.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_drain_sideband(struct wp_recording *r)
{
	__u64 upto;

	return wp_sideband_drain(r->sideband, &upto, false, wp_recording_add_record, r);
}

/**
 * wp_recording_settle_sideband() - the same, with all that happened before the call
 * @r: the recording
 *
 * Waits until the youngest records are visible.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_settle_sideband(struct wp_recording *r)
{
	const struct timespec settle = { .tv_nsec = 2 * WP_SIDEBAND_SETTLE_NS };

	nanosleep(&settle, NULL);
	return wp_recording_drain_sideband(r);
}

/**
 * wp_recording_drain_names() - write the records of processes, while nothing is recorded
 * @r: the recording, not started
 * @last: it will not be
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_drain_names(struct wp_recording *r, bool last)
{
	__u64 before = wp_clock_now(), upto;
	int err;

	err = wp_sideband_drain(r->sideband, &upto, last, wp_recording_add_record, r);
	if (!err)
		err = wp_recording_write_busy(r);
	if (!err)
		err = wp_batch_flush(r->batch, last ? ~0ULL : upto < before ? upto : before);
	if (!err && wp_clock_now() - r->flushed >= FLUSH_NS) {
		err = wp_perfdata_flush(r->pd);
		r->flushed = wp_clock_now();
	}
	if (err == -ENOMEM)
		wp_err("out of memory");
	return err;
}

/**
 * wp_recording_drain() - retire an epoch and write it
 * @r: the recording
 * @last: the session is stopped; open intervals are written, too
 *
 * Nothing is left to be written then, unless the recording goes on after a pause.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_drain(struct wp_recording *r, bool last)
{
	__u64 before = wp_clock_now(), time, upto, written;
	__u32 epoch;
	int err;

	/*
	 * Before the flip: the object of a wait that ends during the drain can no longer
	 * be resolved.
	 */
	err = last ? 0 : expect_objects(r);
	if (!err && wants_start_of_waits(r))
		err = wp_blocked_read(&r->blocked, &r->dev);
	if (r->methods)
		wp_jvmmethods_before(r->methods);
	if (!err)
		err = wp_device_flip(&r->dev, &epoch, &time);
	if (err)
		return err;
	r->s.epochs++;
	if (r->methods)
		wp_jvmmethods_flipped(r->methods, time);
	if (r->t.objects)
		wp_objects_begin_round(r->t.objects, time);
	/* What is open of processes is used by short epochs, too. */
	if (r->locks && before - r->locks_looked >= LOCKS_NS)
		wp_objects_end_round(r->locks);
	/* First, as it has the names of ended threads. */
	err = wp_sideband_drain(r->sideband, &upto, last && !r->pausing, wp_recording_add_record,
				r);
	if (!err)
		err = wp_recording_write_busy(r);
	if (err)
		return err;
	/* What happened before the flip is in the tables and rings; see there. */
	upto = upto < time ? upto : time;
	upto = upto < before ? upto : before;
	err = wp_recording_add_stacks(r, epoch);
	if (!err)
		err = wp_recording_drain_timeline(r, &upto, last);
	if (!err && r->o.hist)
		err = each_half(r, epoch, time, add_hists);
	if (!err)
		err = each_half(r, epoch, time, merge_half);
	if (!err && last)
		err = merge_tasks(r);
	written = last && !r->pausing ? ~0ULL : upto;
	if (!err)
		err = wp_recording_write_samples(r, written);
	if (!err && !last)
		err = look_at_locks(r);
	if (!last)
		wp_recording_look_at_functions(r);
	if (!err)
		err = wp_batch_flush(r->batch, written);
	if (r->codes)
		wp_interpcodes_end_epoch(r->codes, upto);
	if (r->methods)
		wp_jvmmethods_end_epoch(r->methods, upto);
	if (!err && wp_clock_now() - r->flushed >= FLUSH_NS) {
		err = wp_perfdata_flush(r->pd);
		r->flushed = wp_clock_now();
	}
	if (!err)
		err = wp_recording_prune_stacks(r);
	if (r->t.objects)
		wp_objects_end_round(r->t.objects);
	if (r->locks)
		wp_objects_end_short_round(r->locks);
	wp_comms_sweep(&r->t.comms);
	wp_jitmaps_look(wp_buildids_jit(r->ids));
	if (err == -ENOMEM)
		wp_err("out of memory");
	return err;
}

/**
 * wp_recording_add_status() - write losses that belong to no CPU's tables
 * @r: the recording, with the module's final status
 *
 * Return: 0 or a negative errno.
 */
int wp_recording_add_status(struct wp_recording *r)
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
	r->s.filtered += r->s.status.filtered.count;
	r->s.filtered_ns += r->s.status.filtered.ns;
	r->s.out_of_range += r->s.status.out_of_range.count;
	r->s.out_of_range_ns += r->s.status.out_of_range.ns;
	/* A thread whose intervals were not counted had at least one. */
	n = lost[WALLPROF_LOSS_EXIT_FULL].count + lost[WALLPROF_LOSS_NESTED].count +
	    (lost[WALLPROF_LOSS_NO_TASK].count ?: r->s.status.tasks_failed);
	if (!n)
		return 0;
	return wp_perfdata_write_lost(r->pd, event_of(r, WP_CONTEXT_SCHED), 0, r->s.stop, n);
}
