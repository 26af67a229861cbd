// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the selection of a recording's samples by options, and reads and sums them. Called
 * by the commands that show or convert stacks.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/missing-symbols.h"
#include "cmd/common/option-values.h"
#include "cmd/common/samples.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/model/ledgerfile.h"
#include "lib/perfdata/features.h"

/* Options without a letter, distinct from those of the commands. */
enum {
	OPT_COMM = 0x400,
	OPT_INLINE,
	OPT_KALLSYMS,
	OPT_NO_DEMANGLE,
	OPT_NO_SCALE,
	OPT_REASON,
	OPT_STATE,
	OPT_SYMFS,
	OPT_TIME,
};

const struct wp_option wp_samples_table[] = {
	{ 'i', "input", "file", "the recording (default perf.data)" },
	{ 'p', "pid", "pid", "samples of these processes only" },
	{ 't', "tid", "tid", "samples of these threads only" },
	{ OPT_COMM, "comm", "name", "samples of threads of this name only" },
	{ OPT_TIME, "time", "from,to", "samples of these seconds only: times as perf\n"
	  "script prints them; either may be left out" },
	{ OPT_REASON, "reason", "reasons", "time off-CPU for these reasons or in these\n"
	  "system calls only, separated by commas: fault,\n"
	  "preempted, kernel, read, futex, ..." },
	{ OPT_STATE, "state", "letters", "time off-CPU in these states only: S, D, R, ..." },
	{ 'S', "symbols", "names", "stacks with one of these functions only,\n"
	  "separated by commas" },
	{ OPT_KALLSYMS, "kallsyms", "file", "copy of the recorded kernel's /proc/kallsyms\n"
	  "(default: the running kernel's, if it is the\n"
	  "same)" },
	{ 'k', "vmlinux", "file", "the kernel's image, if there is no such copy" },
	{ OPT_INLINE, "inline", NULL, "show inlined functions, too, where there is\n"
	  "debug information" },
	{ OPT_SYMFS, "symfs", "directory", "directory of the files with symbols" },
	{ OPT_NO_SCALE, "no-scale", NULL, "do not scale samples of cpu-clock to the run\n"
	  "time of each thread" },
	{ OPT_NO_DEMANGLE, "no-demangle", NULL, "do not demangle names of C++ and Rust" },
	{ 0 }
};

static int set_choice(struct wp_samples_options *o, int id, const char *arg)
{
	switch (id) {
	case 'p':
		wp_target_free(&o->pids);
		return wp_target_parse(&o->pids, WALLPROF_TARGET_PID, arg);
	case 't':
		wp_target_free(&o->tids);
		return wp_target_parse(&o->tids, WALLPROF_TARGET_TID, arg);
	case 'S':
		o->functions = arg;
		return 0;
	case OPT_COMM:
		o->comm = arg;
		return 0;
	case OPT_REASON:
		o->reasons = arg;
		return 0;
	case OPT_STATE:
		o->states = arg;
		if (*arg && !arg[strspn(arg, "RSDTtXZPIN?+,")])
			return 0;
		wp_err("--state must be letters of states, as S, D, R, not '%s'", arg);
		return -EINVAL;
	}
	return wp_value_times(arg, &o->from, &o->to);
}

/* Set the name of an input file, if that is readable, as in perf. */
static int set_file(const char **to, const char *option, const char *name)
{
	int err = access(name, R_OK) ? -errno : 0;

	if (err)
		wp_err("--%s: cannot read '%s': %s", option, name, strerror(-err));
	else
		*to = name;
	return err;
}

/**
 * wp_samples_set() - set an option of wp_samples_table
 * @o: the options
 * @id: the option
 * @arg: its value
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_samples_set(struct wp_samples_options *o, int id, const char *arg)
{
	const struct wp_option *opt = wp_samples_table;

	switch (id) {
	case 'i':
		o->input = arg;
		return 0;
	case OPT_KALLSYMS:
		return set_file(&o->symbols.kallsyms, "kallsyms", arg);
	case OPT_INLINE:
		o->symbols.inlines = true;
		return 0;
	case 'k':
		return set_file(&o->symbols.vmlinux, "vmlinux", arg);
	case OPT_NO_DEMANGLE:
		o->symbols.raw = true;
		return 0;
	case OPT_NO_SCALE:
		o->no_scale = true;
		return 0;
	case OPT_SYMFS:
		return set_file(&o->symbols.symfs, "symfs", arg);
	}
	while (opt->id && opt->id != id)
		opt++;
	if (!opt->id)
		return -EINVAL;
	o->chosen = opt->name;
	return set_choice(o, id, arg);
}

/**
 * wp_samples_options_free() - free the options
 * @o: the options
 */
void wp_samples_options_free(struct wp_samples_options *o)
{
	wp_target_free(&o->pids);
	wp_target_free(&o->tids);
}

/* Whether a word is in a list. */
static bool listed(const char *list, const char *word)
{
	size_t len = strlen(word), n;

	for (;; list += n + 1) {
		n = strcspn(list, ",");
		if (n == len && !strncmp(list, word, n))
			return true;
		if (!list[n])
			return false;
	}
}

static bool is_in(const struct wp_target *t, __s32 id)
{
	__u32 i;

	for (i = 0; i < t->nr; i++) {
		if (t->ids[i] == (__u32)id)
			return true;
	}
	return !t->nr;
}

/**
 * wp_samples_of() - whether a thread is selected
 * @o: the options
 * @pid: its process
 * @tid: the thread
 * @comm: its name
 *
 * Return: true if it is.
 */
bool wp_samples_of(const struct wp_samples_options *o, __s32 pid, __s32 tid, const char *comm)
{
	return is_in(&o->pids, pid) && is_in(&o->tids, tid) &&
	       (!o->comm || !strcmp(o->comm, comm)) && (!o->comms || listed(o->comms, comm));
}

static bool cause_is_wanted(const struct wp_samples *s, const struct wp_profile_sample *sample)
{
	const struct wp_profile_cause *c = wp_profile_cause(s->profile, sample->cause);
	const struct wp_samples_options *o = s->o;

	if (o->reasons && !(c->reason[0] && listed(o->reasons, c->reason)) &&
	    !(c->syscall[0] && listed(o->reasons, c->syscall)))
		return false;
	return !o->states || (c->state[0] && strchr(o->states, c->state[0]));
}

/*
 * Whether an event's samples are scaled to the threads' run time. Not if only user or
 * kernel mode was sampled.
 */
static bool is_of_run_time(const struct wp_samples *s, unsigned int event)
{
	const struct perf_event_attr *attr = &wp_profile_events(s->profile)->event[event].attr;

	return wp_profile_kind(s->profile, event) == WP_PROFILE_CPU &&
	       attr->type == PERF_TYPE_SOFTWARE && !attr->exclude_user && !attr->exclude_kernel;
}

static int add_sample(void *ctx, const struct wp_profile_sample *sample)
{
	struct wp_samples *s = ctx;
	const struct wp_profile_thread *t = wp_profile_thread(s->profile, sample->thread);
	const struct wp_samples_options *o = s->o;
	bool wanted;
	int err = 0;

	if (s->oncpu.known && is_of_run_time(s, sample->event)) {
		/*
		 * An idle CPU, in recordings of older versions of the module: no thread
		 * ran.
		 */
		if (!t->tid)
			return 0;
		err = wp_oncpu_sample(&s->oncpu, t->pid, t->tid, sample->ns);
	}
	if (err)
		return err;
	wanted = wp_samples_of(o, t->pid, t->tid, t->comm) && sample->time >= o->from &&
		 sample->time <= o->to && cause_is_wanted(s, sample);
	if (o->each)
		err = o->each(o->ctx, s, sample, wanted);
	return err || !wanted ? err : wp_profsum_add(&s->sum, sample);
}

/* Whether a stack is selected by its functions, the innermost first. */
static bool stack_is_wanted(const struct wp_samples *s, const __u32 *functions, size_t nr)
{
	const struct wp_samples_options *o = s->o;
	const struct wp_function *f;
	size_t i;

	if (o->dsos) {
		f = nr ? wp_profile_function(s->profile, functions[0]) : NULL;
		if (!f || (!listed(o->dsos, f->dso) && !listed(o->dsos, f->path)))
			return false;
	}
	for (i = 0; o->functions && i < nr; i++) {
		const char *name;

		f = wp_profile_function(s->profile, functions[i]);
		name = f->name ? f->name : f->label;
		/* A C++ name may contain commas. */
		if (listed(o->functions, name) || !strcmp(o->functions, name))
			break;
	}
	return !o->functions || i < nr;
}

/* Keep the lines with one of the functions, or in one of the files. */
static int choose_functions(struct wp_samples *s)
{
	size_t i, nr, left = 0;

	for (i = 0; i < s->sum.nr; i++) {
		const struct wp_profline *l = &s->sum.line[i];
		const __u32 *functions = wp_profile_stack_functions(s->profile, l->stack, &nr);

		if (l->stack && !functions)
			return -ENOMEM;
		if (stack_is_wanted(s, functions, nr))
			s->sum.line[left++] = *l;
	}
	s->sum.nr = left;
	return 0;
}

static int note_time(void *ctx, const struct wp_profile_sample *sample)
{
	__u64 *time = ctx;

	if (sample->time < time[0])
		time[0] = sample->time;
	if (sample->time > time[1])
		time[1] = sample->time;
	return 0;
}

/* A recording begins before its first sample, whose time is the end of an interval. */
static void add_ledger_times(const struct wp_profile *p, __u64 *time)
{
	struct wp_ledgerfile_head head;
	__u64 offset;

	if (wp_ledgerfile_open(wp_profile_file(p)->fd, &head, &offset) ||
	    head.start > time[0] || head.stop < time[0])
		return;
	time[0] = head.start;
	if (head.stop > time[1])
		time[1] = head.stop;
}

/* Times of the first and the last sample, from the header, or from the samples. */
static int times_of(const struct wp_samples_options *o, struct wp_profile *p, __u64 *time)
{
	struct wp_buf b = { 0 };
	struct wp_profile *again;
	int err;

	if (wp_profile_length(p, &time[1])) {
		/* As long as anything else whose length is not known. */
		time[1] += !time[1];
		return 0;
	}
	err = wp_perffile_feature(wp_profile_file(p), WP_FEAT_SAMPLE_TIME, &b);
	if (!err && b.len >= 16)
		memcpy(time, b.data, 16);
	wp_buf_free(&b);
	if (!err && time[0] && time[0] < time[1])
		return 0;
	time[0] = ~0ULL;
	time[1] = 0;
	err = wp_profile_open(&again, o->input, &o->symbols);
	if (!err)
		err = wp_profile_read(again, note_time, time);
	wp_profile_close(again);
	return err;
}

/* A thread that ran without being sampled: its time has no stack. */
static int add_without(void *ctx, const struct wp_oncpu_thread *t)
{
	struct wp_samples *s = ctx;
	struct wp_profile_sample sample = {
		.kind = WP_PROFILE_CPU,
		.event = s->clock,
		.time = t->middle,
		.ns = t->run_ns,
	};

	if (!wp_samples_of(s->o, t->pid, t->tid, t->comm))
		return 0;
	sample.thread = wp_profile_add_thread(s->profile, t->pid, t->tid, t->comm);
	if (!sample.thread)
		return wp_no_memory("the threads of the recording");
	return wp_profsum_add(&s->sum, &sample);
}

/* Scale each thread's samples to its run time. */
static int scale(struct wp_samples *s)
{
	const struct wp_samples_options *o = s->o;
	size_t i;

	for (i = 0; i < s->sum.nr; i++) {
		struct wp_profline *l = &s->sum.line[i];
		const struct wp_profile_thread *t = wp_profile_thread(s->profile, l->thread);

		if (l->kind == WP_PROFILE_CPU && is_of_run_time(s, l->event))
			l->ns = wp_oncpu_scale(&s->oncpu, t->pid, t->tid, l->ns);
	}
	/* For such a thread neither the times nor the functions are known. */
	if (o->from || o->to != ~0ULL || o->reasons || o->states || o->functions ||
	    o->dsos)
		return 0;
	return wp_oncpu_without(&s->oncpu, add_without, s);
}

/* Find out whether samples can be scaled, of which event, and to what. */
static int begin_scale(struct wp_samples *s)
{
	const struct wp_perfevents *events = wp_profile_events(s->profile);
	unsigned int i;

	for (i = 0; i < events->nr && !is_of_run_time(s, i); i++)
		;
	if (s->o->no_scale || i == events->nr)
		return 0;
	s->clock = i;
	return wp_oncpu_read(&s->oncpu, wp_profile_file(s->profile)->fd);
}

/* The number of slots of whole seconds; @time is set to where the last but its rest ends. */
static __u32 whole_seconds(__u64 *time, __u32 slots)
{
	const __u64 second = 1000000000;
	__u64 seconds = time[1] > time[0] ? (time[1] - time[0]) / second : 0;
	__u64 each = (seconds + slots - 1) / slots, nr = each ? seconds / each : 0;

	if (!nr)
		return 1;
	time[1] = time[0] + nr * each * second;
	return nr;
}

/**
 * wp_samples_read() - read the selected samples of a recording
 * @s: filled in, to be freed with wp_samples_free(), also after an error
 * @o: the options
 * @slots: number of time slots, 1 or more; with @whole_seconds their maximum
 *
 * If there is a ledger, samples of a clock are scaled to each thread's run time, and
 * threads that ran without being sampled get a line without a stack: @ns of lines comes
 * from the ledger, @weight and @count from the samples.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_samples_read(struct wp_samples *s, const struct wp_samples_options *o, __u32 slots)
{
	__u64 time[2] = { 0 }, length;
	int err;

	*s = (struct wp_samples){ .o = o };
	err = wp_profile_open(&s->profile, o->input, &o->symbols);
	if (!err && slots > 1)
		err = times_of(o, s->profile, time);
	if (!err && slots > 1)
		add_ledger_times(s->profile, time);
	if (err)
		return err;
	if (time[0] < o->from)
		time[0] = o->from;
	if (time[1] > o->to)
		time[1] = o->to;
	s->end = time[1];
	/* All of it has one time then. */
	if (wp_profile_length(s->profile, &length))
		slots = 1;
	else if (o->whole_seconds && wp_profile_is_sums(s->profile))
		slots = whole_seconds(time, slots);
	wp_profsum_init(&s->sum, time[0], time[1], slots);
	err = begin_scale(s);
	if (!err)
		err = wp_profile_read(s->profile, add_sample, s);
	if (!err && o->each)
		err = o->each(o->ctx, s, NULL, false);
	if (!err)
		err = scale(s);
	if (!err && (o->functions || o->dsos))
		err = choose_functions(s);
	return err;
}

/**
 * wp_samples_scale() - scaling of the clock's samples
 * @s: the samples
 * @scale: filled in
 *
 * Return: true if they were scaled.
 */
bool wp_samples_scale(const struct wp_samples *s, struct wp_samples_scale *scale)
{
	size_t i;

	*scale = (struct wp_samples_scale){ 0 };
	for (i = 0; i < s->sum.nr && s->oncpu.known; i++) {
		const struct wp_profline *l = &s->sum.line[i];

		if (l->kind != WP_PROFILE_CPU || l->event != s->clock)
			continue;
		scale->run_ns += l->ns;
		scale->sampled_ns += l->weight;
		scale->without_ns += l->count ? 0 : l->ns;
	}
	return s->oncpu.known;
}

/**
 * wp_samples_comm() - name of a line's thread
 * @s: the samples
 * @l: the line
 *
 * Return: the name, unsanitized, or ":TID"; valid until the next call.
 */
const char *wp_samples_comm(struct wp_samples *s, const struct wp_profline *l)
{
	const struct wp_profile_thread *t = wp_profile_thread(s->profile, l->thread);

	if (t->comm[0])
		return t->comm;
	snprintf(s->spare, sizeof(s->spare), ":%d", t->tid);
	return s->spare;
}

/**
 * wp_samples_functions() - the functions on a line's stack
 * @s: the samples
 * @l: the line
 * @nr: set to their number
 *
 * Consecutive functions of one file without names are merged.
 *
 * Return: numbers of wp_profile_function(), the outermost first, valid until the next
 * call; NULL if there is no memory.
 */
const __u32 *wp_samples_functions(struct wp_samples *s, const struct wp_profline *l, size_t *nr)
{
	size_t left;
	const __u32 *functions = wp_profile_stack_functions(s->profile, l->stack, &left);

	if (l->stack && !functions)
		return NULL;
	if (s->o->max_stack && left > (size_t)s->o->max_stack)
		left = s->o->max_stack;
	if (left + 1 > s->room) {
		void *more = reallocarray(s->functions, left + 1, sizeof(*s->functions));

		if (!more)
			return NULL;
		s->functions = more;
		s->room = left + 1;
	}
	*nr = 0;
	while (left--) {
		__u32 f = functions[left];

		if (!*nr || s->functions[*nr - 1] != f || wp_profile_function(s->profile, f)->name)
			s->functions[(*nr)++] = f;
	}
	return s->functions;
}

/**
 * wp_samples_output() - open an output file
 * @s: the samples
 * @out: filled in; to be ended by wp_outfile_end()
 * @path: its name; not the recording's. "-" is standard output
 *
 * Return: a stream of @out, or NULL; a message was printed.
 */
FILE *wp_samples_output(const struct wp_samples *s, struct wp_outfile *out, const char *path)
{
	FILE *f = NULL;
	struct stat in;

	if (wp_outfile_open(out, path, WP_OUTFILE_STDOUT | WP_OUTFILE_SUDO))
		return NULL;
	if (!fstat(wp_profile_file(s->profile)->fd, &in) && wp_outfile_same(out, &in))
		wp_err("%s is the recording itself; use another file with -o", path);
	else
		f = wp_outfile_stream(out);
	if (!f)
		wp_outfile_abandon(out);
	return f;
}

/* Files without symbols, and why: the kernel, and the first few files. */
static const char *next_missing(const void *ctx, size_t *at, const char **path)
{
	return wp_profile_trouble(ctx, at, path);
}

/**
 * wp_samples_cause_hint() - advice if no sample is left as none has causes
 * @s: the samples
 *
 * Return: the end of a message; empty if causes were not selected by, or are recorded.
 */
const char *wp_samples_cause_hint(const struct wp_samples *s)
{
	return (s->o->reasons || s->o->states) && !wp_profile_has_causes(s->profile) ?
	       ": samples lack wait reasons; record without --no-reasons" : "";
}

/**
 * wp_samples_warn() - print what is missing
 * @s: the samples
 */
void wp_samples_warn(const struct wp_samples *s)
{
	const char *input = s->o->input;
	struct wp_profile_stats stats;

	wp_profile_stats(s->profile, &stats);
	if (stats.lost)
		wp_warn("%" PRIu64 " events were lost while %s was recorded", (uint64_t)stats.lost,
			input);
	if (stats.damaged)
		wp_warn("%" PRIu64 " records of %s are damaged and left out",
			(uint64_t)stats.damaged, input);
	if (stats.no_stack)
		wp_warn("%" PRIu64 " samples of %s are without their stacks: too many stacks",
			(uint64_t)stats.no_stack, input);
	wp_warn_unread_stacks(input, wp_profile_file(s->profile), wp_profile_events(s->profile));
	if (s->o->chosen && !s->sum.nr)
		wp_warn("no sample is left by --%s%s", s->o->chosen,
			wp_samples_cause_hint(s));
	wp_warn_missing_symbols(next_missing, s->profile);
}

/**
 * wp_samples_free() - free the samples
 * @s: the samples
 */
void wp_samples_free(struct wp_samples *s)
{
	wp_profsum_free(&s->sum);
	wp_oncpu_free(&s->oncpu);
	wp_profile_close(s->profile);
	free(s->functions);
}
