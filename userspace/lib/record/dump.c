// SPDX-License-Identifier: GPL-2.0
/*
 * The recording as tab-separated text with a header line, for scripts and tests:
 * per-thread totals (--ledger) and off-CPU intervals, in more detail than perf.data has
 * (--intervals). Both are written during the recording. wallprof-formats(5) documents the
 * columns. Called by sessiondrain.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <linux/wallprof_interp.h>

#include "lib/base/csv.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/model/cause.h"
#include "lib/model/syscalls.h"
#include "lib/record/dump.h"

static FILE *open_table(struct wp_outfile *out, const char *path, const char *headings)
{
	FILE *f = NULL;

	if (!wp_outfile_open(out, path, WP_OUTFILE_PARTIAL | WP_OUTFILE_LINES))
		f = wp_outfile_stream(out);
	if (f)
		fprintf(f, "%s\n", headings);
	return f;
}

/* Print flags as words, "-" for none. */
static void put_flags(FILE *f, unsigned int flags, const char *(*name)(unsigned int bit),
		      unsigned int nr)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!(flags & 1U << i) || !name(i))
			continue;
		fprintf(f, "%s%s", any ? "," : "", name(i));
		any = true;
	}
	fputs(any ? "\t" : "-\t", f);
}

#define TASK_FLAGS	9

static const char *task_flag_name(unsigned int bit)
{
	static const char *const names[TASK_FLAGS] = {
		"open", "since-start", "filtered", "no-stack", "armed", NULL, "iowait", "32bit",
		"out-of-range",
	};

	return names[bit];
}

/**
 * wp_dump_ledger_open() - open the file of per-thread totals
 * @out: the output file; to be committed
 * @path: its name
 *
 * Return: a stream of @out, or NULL; a message was printed.
 */
FILE *wp_dump_ledger_open(struct wp_outfile *out, const char *path)
{
	return open_table(out, path, "tid\ttgid\tcomm\tborn\tend\trun_ns\toff_ns\tnr_off\tspill_ns\t"
			  "flags\twall_ns\tdiff_ns\trunnable_ns\tblocked_ns\trunnable_max\t"
			  "blocked_max\tunknown_ns\tasleep_since\tblocked_hist\t"
			  "runnable_hist");
}

/* Print the last columns of a line. */
static void put_hist(FILE *f, const struct wp_hist *hist)
{
	char text[WP_HIST_TEXT_MAX];

	fprintf(f, "%s\t", hist ? wp_hist_text(hist->blocked, text) : "-");
	fprintf(f, "%s\n", hist ? wp_hist_text(hist->runnable, text) : "-");
}

/**
 * wp_dump_totals() - write the totals of a thread
 * @f: from wp_dump_ledger_open()
 * @a: the totals
 * @hist: histogram of its intervals, or NULL
 */
void wp_dump_totals(FILE *f, const struct wp_totals *a, const struct wp_hist *hist)
{
	fprintf(f, "%u\t%u\t", a->tid, a->tgid);
	wp_tsv_put(f, a->comm);
	fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t",
		(uint64_t)a->born, (uint64_t)a->end, (uint64_t)a->run_ns, (uint64_t)a->off_ns,
		(uint64_t)a->nr_off, (uint64_t)a->spill_ns);
	if (a->ended)
		fputs(a->flags ? "ended," : "ended", f);
	if (a->flags || !a->ended)
		put_flags(f, a->flags, task_flag_name, TASK_FLAGS);
	else
		fputc('\t', f);
	fprintf(f, "%" PRIu64 "\t%" PRId64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRIu64 "\t%" PRIu64 "\t",
		(uint64_t)wp_totals_wall(a), (int64_t)wp_totals_diff(a),
		(uint64_t)a->runnable_ns, (int64_t)wp_totals_blocked(a),
		(uint64_t)a->runnable_max, (uint64_t)a->blocked_max);
	fprintf(f, "%" PRIu64 "\t%" PRIu64 "\t", (uint64_t)a->unknown_ns,
		(uint64_t)a->asleep_since);
	put_hist(f, hist);
}

/**
 * wp_dump_intervals_open() - open the file of intervals
 * @out: the output file; to be committed
 * @path: its name
 *
 * Return: a stream of @out, or NULL; a message was printed.
 */
FILE *wp_dump_intervals_open(struct wp_outfile *out, const char *path)
{
	return open_table(out, path, "tid\ttgid\tstate\tflags\tcount\ttotal\tmin\tmax\tfirst\tlast\t"
			  "user-stack\tkernel-stack\trunnable\trunnable_max\tblocked_max\t"
			  "reason\tsyscall\targ\targ2\targ3\twaker\twaker-user-stack\t"
			  "waker-kernel-stack\tobject\tid\twaker-id\tasleep_since\t"
			  "blocked_hist\trunnable_hist");
}

static void put_stack(FILE *f, const struct wp_stack *stack, char end)
{
	unsigned int i;

	if (!stack)
		fputc('-', f);
	for (i = 0; stack && i < stack->nr; i++) {
		/* These are no addresses. */
		if (i && !(stack->flags & WALLPROF_STACK_IS_KERNEL) &&
		    (WALLPROF_INTERP_IS_CODE(stack->ips[i]) ||
		     WALLPROF_INTERP_IS_AT(stack->ips[i]) ||
		     WALLPROF_INTERP_IS_WORD(stack->ips[i])))
			continue;
		fprintf(f, "%s%" PRIx64, i ? ";" : "", (uint64_t)stack->ips[i]);
	}
	fputc(end, f);
}

static void put_id(FILE *f, __u64 id, char end)
{
	if (id)
		fprintf(f, "%" PRIx64 "%c", (uint64_t)id, end);
	else
		fprintf(f, "-%c", end);
}

static void put_cause(FILE *f, const struct wp_sample *s)
{
	const struct wp_cause *c = &s->cause;
	char name[32];

	fprintf(f, "%s\t%s\t", wp_reason_name(c->reason),
		wp_syscall_name(c->syscall, c->compat, name, sizeof(name)));
	if (c->syscall == WALLPROF_SYSCALL_NONE)
		fputs("-\t", f);
	else
		fprintf(f, "%" PRIx64 "\t", (uint64_t)c->arg);
	if (c->syscall == WALLPROF_SYSCALL_NONE || !(s->flags & WP_SAMPLE_SINGLE))
		fputs("-\t-\t", f);
	else
		fprintf(f, "%" PRIx64 "\t%" PRIx64 "\t", (uint64_t)c->arg2, (uint64_t)c->arg3);
	if (c->waker == WALLPROF_WAKER_TASK)
		fprintf(f, "%s:%u\t", wp_waker_name(c->waker), c->waker_tid);
	else
		fprintf(f, "%s\t", wp_waker_name(c->waker));
}

/**
 * wp_dump_interval() - write a sample of off-CPU time
 * @f: from wp_dump_intervals_open()
 * @s: the sample; samples of other kinds are skipped
 * @hist: histogram of its intervals, or NULL
 * @object: the object of the wait, escaped for terminals, or "-"
 */
void wp_dump_interval(FILE *f, const struct wp_sample *s, const struct wp_hist *hist,
		      const char *object)
{
	struct wp_waker waker;

	if (s->kind != WALLPROF_AGGR_OFFCPU)
		return;
	fprintf(f, "%u\t%u\t%s\t", s->tid, s->tgid, wp_state_name(s->state));
	put_flags(f, s->flags, wp_sample_flag_name, WP_SAMPLE_FLAGS);
	fprintf(f, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t",
		(uint64_t)s->count, (uint64_t)s->total, (uint64_t)s->min, (uint64_t)s->max,
		(uint64_t)s->first, (uint64_t)s->last);
	put_stack(f, s->user, '\t');
	put_stack(f, s->kernel, '\t');
	fprintf(f, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", (uint64_t)s->runnable,
		(uint64_t)s->runnable_max, (uint64_t)s->blocked_max);
	put_cause(f, s);
	wp_stack_waker(s->waker, &waker);
	put_stack(f, waker.user, '\t');
	put_stack(f, waker.kernel, '\t');
	wp_tsv_put(f, object);
	fputc('\t', f);
	put_id(f, s->id, '\t');
	put_id(f, s->waker_id, '\t');
	fprintf(f, "%" PRIu64 "\t", (uint64_t)s->asleep_since);
	put_hist(f, hist);
}
