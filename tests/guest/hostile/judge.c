// SPDX-License-Identifier: GPL-2.0
/*
 * What may come of a call. All of it is written from uapi/linux/wallprof.h and
 * Documentation/abi.rst, not from the module.
 */
#include <stdarg.h>

#include "fuzz.h"

unsigned int nr_cpus;

/* "Common errors" of the header; EBADF is the kernel's. */
const int errno_common[] = {
	ENOTTY, EINVAL, E2BIG, EFAULT, EBUSY, EINTR, ENOMEM, EBADF, 0
};

const int errno_configure[] = { ESRCH, ENOENT, EOPNOTSUPP, ENODEV, EACCES, 0 };
const int errno_start[] = { ESRCH, ENOSPC, 0 };
const int errno_flip[] = { ENODATA, EOVERFLOW, 0 };
const int errno_stop[] = { 0 };
const int errno_push[] = { EBADMSG, ENOSPC, 0 };
const int errno_maps[] = { ESRCH, ESTALE, ENOENT, EPERM, 0 };
const int errno_live[] = { ENOSPC, 0 };
const int errno_read[] = { ESRCH, EPERM, ESTALE, ENODATA, 0 };
const int errno_event[] = { ENOENT, EOPNOTSUPP, ENODEV, EACCES, ENOSPC, 0 };
const int errno_count[] = { ENOENT, 0 };

/* EINVAL and EACCES are the module's; the rest is what mmap has of its own. */
const int errno_mmap[] = {
	EINVAL, EACCES, ENOMEM, EBADF, EAGAIN, EOVERFLOW, EPERM, EOPNOTSUPP, EEXIST,
	ENODEV, 0
};

/* Say what is wrong, once, and end the worker. */
void wrong(struct thread *t, const char *format, ...)
{
	char *to = board->report, *end = to + sizeof(board->report);
	va_list args;

	if (!report_claim())
		_exit(3);
	if (t)
		to += snprintf(to, end - to,
			       "round %u worker %u thread %u, call %u (%s): ",
			       t->worker->round, t->worker->nr, t->nr,
			       t->call ? (unsigned int)(t->call - t->program->calls) : 0,
			       t->call ? ops[t->call->op].name : "none");
	va_start(args, format);
	vsnprintf(to, end - to, format, args);
	va_end(args);
	report_done();
	_exit(2);
}

bool judge_has(const int *list, int err)
{
	for (; *list; list++)
		if (*list == err)
			return true;
	return false;
}

void judge_errno(struct thread *t, const char *what, long ret, const int *allowed)
{
	if (ret < 0 && !judge_has(allowed, -ret))
		wrong(t, "%s: %s (%ld) is not documented", what, strerror(-ret), -ret);
}

static bool within(__u64 value, __u64 min, __u64 max)
{
	return value >= min && value <= max;
}

static bool sampler_valid(const struct wallprof_configure *c)
{
	if (!(c->flags & WALLPROF_SAMPLER) || !c->attr_period)
		return !(c->attr_flags | c->attr_type | c->attr_precise |
			 c->attr_config | c->attr_config1 | c->attr_config2 |
			 c->attr_period);
	if (c->attr_flags & ~WALLPROF_ATTR_FLAGS || c->attr_precise > 3)
		return false;
	if (c->attr_flags & WALLPROF_ATTR_FREQ)
		return c->attr_period <= WALLPROF_MAX_FREQ;
	return c->attr_period <= ~0ULL >> 1;
}

static bool targets_valid(const struct wallprof_configure *c)
{
	__u32 of_threads = WALLPROF_INHERIT | WALLPROF_ENABLE_ON_EXEC;

	switch (c->target) {
	case WALLPROF_TARGET_ALL:
		return !c->nr_targets && !c->targets && !(c->flags & of_threads);
	case WALLPROF_TARGET_UID:
		if (c->flags & WALLPROF_ENABLE_ON_EXEC)
			return false;
		break;
	case WALLPROF_TARGET_PID:
	case WALLPROF_TARGET_TID:
		break;
	case WALLPROF_TARGET_COMM:
	case WALLPROF_TARGET_CGROUP:
		if (c->flags & of_threads || !(c->flags & WALLPROF_OFFCPU))
			return false;
		break;
	default:
		return false;
	}
	return within(c->nr_targets, 1, WALLPROF_MAX_TARGETS);
}

static bool timeline_valid(const struct wallprof_configure *c)
{
	const __u32 stacks = WALLPROF_TIMELINE_STACKS;

	if (!(c->flags & WALLPROF_TIMELINE))
		return !c->nr_records && !(c->flags & (WALLPROF_OVERWRITE | stacks));
	if (c->flags & stacks && (!c->stack_flags || !(c->flags & WALLPROF_OFFCPU) ||
				  c->flags & WALLPROF_OVERWRITE))
		return false;
	return within(c->nr_records, WALLPROF_MIN_RECORDS, WALLPROF_MAX_RECORDS) &&
	       !(c->nr_records & (c->nr_records - 1));
}

enum verdict judge_config(const struct wallprof_configure *c)
{
	bool huge = c->nr_aggrs > 4096 || c->stack_words > 65536 || c->nr_exits > 4096 ||
		    c->nr_waits > 4096 || c->nr_records > 65536;

	if (c->flags & ~WALLPROF_CONFIGURE_FLAGS ||
	    !(c->flags & (WALLPROF_OFFCPU | WALLPROF_SAMPLER | WALLPROF_TIMELINE)) ||
	    !timeline_valid(c) ||
	    (c->flags & (WALLPROF_WAKEUPS | WALLPROF_REASONS | WALLPROF_HISTOGRAMS) &&
	     !(c->flags & WALLPROF_OFFCPU)) ||
	    (c->flags & WALLPROF_WAKERS && !(c->flags & WALLPROF_WAKEUPS)) ||
	    (c->flags & WALLPROF_ARGS && !(c->flags & WALLPROF_REASONS)) ||
	    (c->flags & WALLPROF_LOCK_OWNERS &&
	     (!(c->flags & WALLPROF_ARGS) || c->flags & WALLPROF_WAKER_STACKS)) ||
	    (c->flags & WALLPROF_WAKER_CHAINS && !(c->flags & WALLPROF_WAKERS)) ||
	    (c->flags & WALLPROF_SAMPLE_CACHE &&
	     (!(c->flags & WALLPROF_SAMPLER) ||
	      !(c->stack_flags & (WALLPROF_STACK_USER | WALLPROF_STACK_TABLES)))) ||
	    (c->flags & WALLPROF_WAKER_STACKS &&
	     (!(c->flags & WALLPROF_WAKERS) || !c->stack_flags)) ||
	    c->stack_flags & ~WALLPROF_STACK_FLAGS ||
	    !within(c->max_stack, 1, WALLPROF_MAX_STACK) ||
	    c->states >= 1U << WALLPROF_STATE_MAX ||
	    !targets_valid(c) || !sampler_valid(c) ||
	    !within(c->nr_aggrs, WALLPROF_MIN_AGGRS, WALLPROF_MAX_AGGRS) ||
	    !within(c->stack_words, WALLPROF_MIN_STACK_WORDS, WALLPROF_MAX_STACK_WORDS) ||
	    !within(c->nr_exits, WALLPROF_MIN_EXITS, WALLPROF_MAX_EXITS) ||
	    !within(c->nr_tasks, WALLPROF_MIN_TASKS, WALLPROF_MAX_TASKS) ||
	    c->nr_tasks & (c->nr_tasks - 1) || c->watermark > 100 || c->reserved ||
	    c->reserved2 ||
	    (c->max_ns && c->max_ns < c->min_ns) ||
	    (!(c->flags & WALLPROF_OFFCPU) && (c->min_ns | c->max_ns | c->wait_ns)) ||
	    (c->wait_ns ? !within(c->nr_waits, WALLPROF_MIN_WAITS, WALLPROF_MAX_WAITS) :
			  c->nr_waits))
		return INVALID;
	/* The lists are read before the mask of CPUs is looked at. */
	if (c->target == WALLPROF_TARGET_ALL &&
	    (c->cpus ? !c->cpus_bytes || c->cpus_bytes % 8 : c->cpus_bytes))
		return INVALID;
	/* WALLPROF_MAX_CPU_BYTES may be passed; what the kernel says of counters. */
	return huge || c->target != WALLPROF_TARGET_ALL || c->cpus ||
	       c->flags & WALLPROF_SAMPLER ? DUBIOUS : VALID;
}

#define FAIL_IF(condition) do { \
	if (condition) \
		wrong(t, "%s", #condition); \
} while (0)

/* CONFIGURE succeeded: are its answers of use? */
void judge_layout(struct thread *t, const struct wallprof_configure *asked,
		  const struct wallprof_configure *got)
{
	bool whole_struct = asked->size >= sizeof(*got);
	bool tables = got->flags & (WALLPROF_OFFCPU | WALLPROF_SAMPLER);
	__u64 whole = got->map_bytes | got->tasks_offset | got->cpus_offset |
		      got->cpu_stride | got->sampler_offset | got->half_stride |
		      got->sampler_half_stride | got->memory_bytes;
	__u64 nr_aggrs = (__u64)got->nr_aggrs << got->growth;
	__u64 nr_exits = (__u64)got->nr_exits << got->growth;
	__u64 nr_waits = (__u64)got->nr_waits << got->growth;
	struct wallprof_configure in = *got;

	in.states = asked->states;
	in.watermark = asked->watermark;
	FAIL_IF(memcmp(&in, asked, offsetof(struct wallprof_configure, map_bytes)));
	FAIL_IF(got->min_ns != asked->min_ns || got->max_ns != asked->max_ns ||
		got->wait_ns != asked->wait_ns || got->nr_waits != asked->nr_waits ||
		got->nr_records != asked->nr_records || got->grow_bytes != asked->grow_bytes);
	FAIL_IF(got->growth > WALLPROF_MAX_GROWTH || (got->growth && !got->grow_bytes));
	FAIL_IF(nr_aggrs > WALLPROF_MAX_AGGRS || nr_exits > WALLPROF_MAX_EXITS ||
		nr_waits > WALLPROF_MAX_WAITS ||
		(__u64)got->stack_words << got->growth > WALLPROF_MAX_STACK_WORDS);
	FAIL_IF(got->states != (asked->states ? asked->states :
				(1U << WALLPROF_STATE_MAX) - 1));
	FAIL_IF(got->watermark != (asked->watermark ? asked->watermark : 50));
	FAIL_IF(whole % PAGE);
	FAIL_IF(got->nr_tasks * sizeof(struct wallprof_task) > got->cpus_offset);
	FAIL_IF(got->cpus_offset + nr_cpus * got->cpu_stride > got->map_bytes);
	FAIL_IF(whole_struct && !got->growth && got->map_bytes > got->memory_bytes);
	FAIL_IF(2 * got->half_stride > got->sampler_offset);
	FAIL_IF(got->sampler_offset + 2 * got->sampler_half_stride > got->cpu_stride);
	FAIL_IF(got->aggr_bytes != sizeof(struct wallprof_aggr));
	FAIL_IF(got->task_bytes != sizeof(struct wallprof_task));
	FAIL_IF(tables && got->aggrs_offset < sizeof(struct wallprof_half));
	FAIL_IF(tables && got->aggrs_offset + nr_aggrs * sizeof(struct wallprof_aggr) >
		got->stacks_offset);
	FAIL_IF(!tables && got->cpu_stride);
	FAIL_IF(whole_struct && got->record_bytes != sizeof(struct wallprof_record));
	FAIL_IF(whole_struct && !(got->flags & WALLPROF_TIMELINE) &&
		(got->rings_offset | got->ring_stride | got->tails_offset));
	FAIL_IF(whole_struct && got->flags & WALLPROF_TIMELINE &&
		((got->rings_offset | got->ring_stride | got->tails_offset) % PAGE ||
		 got->rings_offset < got->cpus_offset + nr_cpus * got->cpu_stride ||
		 PAGE + got->nr_records * sizeof(struct wallprof_record) > got->ring_stride ||
		 got->tails_offset < got->rings_offset + nr_cpus * got->ring_stride ||
		 got->map_bytes < got->tails_offset +
				  nr_cpus * sizeof(struct wallprof_tail)));
	FAIL_IF(got->flags & WALLPROF_OFFCPU &&
		got->exits_offset + nr_exits * sizeof(struct wallprof_task) >
		got->half_stride);
	FAIL_IF(whole_struct && got->wait_bytes != sizeof(struct wallprof_wait));
	FAIL_IF(whole_struct && !got->waits_offset != !got->nr_waits);
	FAIL_IF(whole_struct && got->nr_waits &&
		(got->waits_offset <
		 got->exits_offset + nr_exits * sizeof(struct wallprof_task) ||
		 got->waits_offset + nr_waits * sizeof(struct wallprof_wait) >
		 got->half_stride));
	FAIL_IF(whole_struct && got->hist_bytes !=
		(got->flags & WALLPROF_HISTOGRAMS ? sizeof(struct wallprof_hist) : 0));
	FAIL_IF(whole_struct && !got->hists_offset != !got->hist_bytes);
	FAIL_IF(whole_struct && got->hist_bytes &&
		(got->hists_offset <
		 (got->nr_waits ? got->waits_offset +
				  nr_waits * sizeof(struct wallprof_wait) :
				  got->exits_offset +
				  nr_exits * sizeof(struct wallprof_task)) ||
		 got->hists_offset + nr_aggrs * sizeof(struct wallprof_hist) >
		 got->half_stride));
}

static __u64 lost_sum(const struct wallprof_status *s)
{
	__u64 sum = 0;

	for (int i = 0; i < WALLPROF_LOSS_MAX; i++)
		sum |= s->lost[i].count | s->lost[i].ns;
	return sum;
}

/* What STATUS reported; @m: of the session, if nobody else can reach it. */
void judge_status(struct thread *t, struct model *m, const struct wallprof_status *s)
{
	struct wallprof_status zero = { .size = s->size };
	const struct wallprof_lost *no_task = &s->lost[WALLPROF_LOSS_NO_TASK];
	__u64 now = now_ns();

	FAIL_IF(s->size != sizeof(*s));
	FAIL_IF(s->reserved);
	FAIL_IF(s->state > WALLPROF_SESSION_STOPPED);
	FAIL_IF(s->state == WALLPROF_SESSION_OPEN && memcmp(s, &zero, sizeof(zero)));
	FAIL_IF(s->state != WALLPROF_SESSION_OPEN && !s->epoch);
	FAIL_IF(s->counters > nr_cpus * WALLPROF_MAX_EVENTS);
	/* No CPU comes or goes here. */
	FAIL_IF(s->counters_failed || s->cpus_failed || s->cpus_bytes || s->records_lost);
	FAIL_IF(s->state != WALLPROF_SESSION_OPEN && s->cpus != nr_cpus);
	FAIL_IF(s->grow_failed > 1 || s->grown_bytes % PAGE || !s->grown_bytes != !s->halves_grown);
	FAIL_IF(s->state == WALLPROF_SESSION_STOPPED && s->counters);
	for (int i = 0; i < WALLPROF_LOSS_MAX; i++)
		FAIL_IF(i != WALLPROF_LOSS_NO_TASK && (s->lost[i].count | s->lost[i].ns));
	FAIL_IF(s->state == WALLPROF_SESSION_STOPPED && no_task->count > s->tasks_failed);
	if (s->state == WALLPROF_SESSION_CONFIGURED)
		FAIL_IF(s->nr_tasks || s->tasks_failed || s->nr_live_targets > 1 ||
			s->start || s->stop || lost_sum(s));
	if (s->state >= WALLPROF_SESSION_RUNNING)
		FAIL_IF(!s->start || s->start > now);
	FAIL_IF(s->state == WALLPROF_SESSION_RUNNING && s->stop);
	FAIL_IF(s->state == WALLPROF_SESSION_STOPPED && (s->stop <= s->start || s->stop > now));
	if (!m)
		return;
	FAIL_IF(s->state != m->state);
	FAIL_IF(m->last.state > s->state);
	FAIL_IF(m->last.epoch > s->epoch);
	if (s->state != WALLPROF_SESSION_OPEN) {
		bool all = m->c.target == WALLPROF_TARGET_ALL;

		FAIL_IF(s->nr_tasks > m->c.nr_tasks);
		FAIL_IF(all && s->nr_live_targets);
		FAIL_IF(s->state == WALLPROF_SESSION_CONFIGURED && !m->later &&
			s->nr_live_targets);
		FAIL_IF(!all && s->state == WALLPROF_SESSION_STOPPED &&
			s->nr_live_targets != s->nr_tasks);
		FAIL_IF(s->state < WALLPROF_SESSION_STOPPED &&
			!(m->c.flags & WALLPROF_SAMPLER && m->events) != !s->counters);
	}
	if (m->last.state == s->state) {
		FAIL_IF(m->last.tasks_failed > s->tasks_failed);
		FAIL_IF(m->last.start != s->start || m->last.stop != s->stop);
	}
	/* What is known of tables and mappings can change at any time. */
	if (m->last.state == WALLPROF_SESSION_STOPPED)
		FAIL_IF(memcmp(s, &m->last, offsetof(struct wallprof_status, tables)));
	FAIL_IF(s->tables != m->tables);
	m->last = *s;
}

/*
 * No mapping of the device is ever writable, but one of tails: no other part is as small
 * as they are, and they are the last one. That only a session's own tails can be mapped
 * so is for mmap to be judged by.
 */
void judge_maps(struct thread *t)
{
	unsigned long tails = (nr_cpus * sizeof(struct wallprof_tail) + PAGE - 1) & ~(PAGE - 1UL);
	char line[512], flags[8];
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;

	if (!f)
		wrong(t, "no /proc/self/maps");
	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, WALLPROF_DEVICE) ||
		    sscanf(line, "%lx-%lx %7s %lx", &start, &end, flags, &offset) != 4)
			continue;
		if (flags[2] != '-' || flags[3] != 's' ||
		    (flags[1] != '-' && (end - start > tails || !offset)))
			wrong(t, "a mapping of %lu bytes at %#lx with %s", end - start, offset, flags);
	}
	fclose(f);
}
