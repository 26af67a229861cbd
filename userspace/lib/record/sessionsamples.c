// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the merged samples of an epoch to the file, and as the text of --intervals. Called
 * by sessiondrain.c.
 */
#include "lib/perfdata/offcpuraw.h"
#include "lib/perfdata/rawsample.h"
#include "lib/record/dump.h"
#include "lib/record/session.h"

/* Whether an event asks for no more than a part of a stack. */
static bool is_cut_short(const struct wp_record_opts *o, const struct wp_sample *sample)
{
	const struct wp_event *ev = &o->events.event[sample->event];

	return sample->kind == WALLPROF_AGGR_SAMPLE &&
	       (ev->max_stack || (ev->has_call_graph && ev->call_graph == WP_CALL_GRAPH_NONE));
}

static void count_sample(const struct wp_record_opts *o, struct wp_record_stats *s,
			 const struct wp_sample *sample)
{
	struct wp_stack *user;

	s->records++;
	/* The merge only reads the stacks; this file may change them. */
	user = (struct wp_stack *)sample->user;
	if (user && !(user->kinds & 1 << sample->kind)) {
		user->kinds |= 1 << sample->kind;
		s->stacks[sample->kind]++;
	}
	if (user && user->unwind < WALLPROF_UNWIND_MAX && !is_cut_short(o, sample))
		s->unwound[sample->kind][user->unwind] +=
			sample->kind == WALLPROF_AGGR_SAMPLE ? sample->count : sample->total;
	if (sample->kind == WALLPROF_AGGR_SAMPLE) {
		s->samples += sample->count;
		s->events[sample->event].samples += sample->count;
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

/* Set what the merge does not know. */
static void set_blocked_since(struct wp_recording *r, struct wp_sample *s)
{
	if (s->flags & WALLPROF_AGGR_SINCE_START)
		s->asleep_since = wp_blocked_since(&r->blocked, s->tid, s->start_time);
}

/* --intervals */
static int dump_intervals(struct wp_recording *r)
{
	size_t i;
	int err = 0;

	wp_merge_sort(&r->causes);
	for (i = 0; i < r->causes.nr && !err; i++) {
		struct wp_sample *s = &r->causes.samples[i];
		__u32 object;

		if (r->o.no_idle && wp_cause_idle(&s->cause, s->state))
			s->flags |= WP_SAMPLE_IDLE;
		set_blocked_since(r, s);
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
 * The time for which a waker was responsible is written as a sample of its own, after the
 * blocked thread's, with the same time. There is none for an interrupt: it has no thread
 * to blame.
 */
static int add_wakeup(struct wp_recording *r, const struct wp_sample *s, __u64 upto)
{
	__u64 blocked = s->total - s->runnable;
	struct wp_perfdata_sample sample = {
		.event = r->wakeup,
		.tid = s->cause.waker_tid ? s->cause.waker_tid : r->id_zero,
		.cpu = s->cpu,
		.time = s->last,
		.period = blocked,
	};
	__u64 ips[WALLPROF_MAX_STACK];
	struct wp_waker waker;
	int err;

	if (s->cause.waker != WALLPROF_WAKER_TASK || !blocked)
		return 0;
	wp_stack_waker(s->waker, &waker);
	/* If the wakeup record was lost, perf may know the thread's process. */
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
	err = wp_recording_interpret(r, &sample, ips);
	if (err)
		return err;
	return wp_batch_write_sample(r->batch, &sample, upto);
}

/* -R */
static int add_raw(struct wp_recording *r, const struct wp_sample *s, void *buf,
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

/* Without -R. */
static int add_reason(struct wp_recording *r, const struct wp_sample *s,
		      struct wp_offcpu_raw *raw, struct wp_perfdata_sample *sample)
{
	__u8 memory;
	int err;

	err = wp_objects_memory(r->locks, s->tgid, s->exec_id, &s->cause, &memory);
	if (err)
		return err;
	sample->nr_raw = wp_offcpu_raw_make(raw, s, memory);
	sample->raw = raw;
	return 0;
}

/**
 * wp_recording_write_samples() - write the merged samples to the file
 * @r: the recording
 * @upto: time up to which all other records are in the batch; later samples wait there, too
 *
 * With --intervals as text, too.
 *
 * Return: 0 or a negative errno.
 */
int wp_recording_write_samples(struct wp_recording *r, __u64 upto)
{
	char raw[WP_RAW_MAX], record[WP_TRACEPOINT_MAX];
	__u64 ips[WALLPROF_MAX_STACK];
	struct wp_offcpu_raw cause;
	size_t i;
	int err = 0;

	wp_merge_sort(&r->merge);
	for (i = 0; i < r->merge.nr; i++) {
		struct wp_sample *s = &r->merge.samples[i];
		bool oncpu = s->kind == WALLPROF_AGGR_SAMPLE;
		struct wp_perfdata_sample sample = {
			.event = oncpu ? r->oncpu + s->event : r->offcpu,
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
		set_blocked_since(r, s);
		err = wp_recording_interpret(r, &sample, ips);
		if (!err && r->o.raw && !oncpu)
			err = add_raw(r, s, raw, &sample);
		if (!err && oncpu && wp_tracerecords_encode(&r->records, s, record, &sample))
			r->s.events[s->event].cut += s->count;
		if (!err && r->o.reasons && !oncpu)
			err = add_reason(r, s, &cause, &sample);
		if (!err)
			err = wp_batch_write_sample(r->batch, &sample, upto);
		if (!err && s->runnable) {
			sample.event = r->runnable;
			sample.period = s->runnable;
			err = wp_batch_write_again(r->batch, &sample, upto);
			r->s.records++;
		}
		if (!err && r->o.wakers)
			err = add_wakeup(r, s, upto);
		if (err)
			return err;
		count_sample(&r->o, &r->s, s);
	}
	wp_merge_reset(&r->merge);
	return r->intervals_file ? dump_intervals(r) : 0;
}
