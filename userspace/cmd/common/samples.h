/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The selected samples of a recording, in sum, and the options for the selection. See
 * samples.c.
 *
 *	struct wp_samples_options o = WP_SAMPLES_DEFAULT;
 *
 *	err = wp_samples_set(&o, id, arg);		for options of wp_samples_table
 *	err = wp_samples_read(&samples, &o, slots);
 *	...
 *	wp_samples_warn(&samples);
 *	wp_samples_free(&samples);
 *	wp_samples_options_free(&o);
 */
#ifndef WP_CMD_COMMON_SAMPLES_H
#define WP_CMD_COMMON_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cmd/common/options.h"
#include "lib/base/outfile.h"
#include "lib/profile/oncpu.h"
#include "lib/profile/profsum.h"
#include "lib/record/target.h"
#include "lib/symbols/symbols.h"

struct wp_samples;

/**
 * struct wp_samples_options - selection of samples
 * @input: the recording
 * @symbols: where to look for symbols
 * @pids: only these processes, if there are any
 * @tids: only these threads, if there are any
 * @comm: only threads with this name, or NULL
 * @comms: only threads with these names: a list, or NULL
 * @dsos: only samples whose innermost function is in one of these files: a list, or NULL
 * @max_stack: maximum number of functions of a stack; 0: all
 * @from: from this time on, ns
 * @to: up to this time
 * @reasons: only off-CPU time for these reasons, or in these system calls: a list, or
 *	NULL
 * @states: only off-CPU time in these states: letters, or NULL
 * @functions: only stacks with one of these functions: a list, or NULL
 * @no_scale: do not scale samples of a clock
 * @whole_seconds: time slots are whole seconds, but for the last one, if samples are sums,
 *	which are over up to a second: so a slot has whole sums
 * @chosen: name of an option that was given and leaves samples out, or NULL
 * @each: called for each sample, selected or not, and with NULL at the end; a return
 *	value other than 0 ends the reading; or NULL
 * @ctx: passed to @each
 */
struct wp_samples_options {
	const char *input;
	struct wp_symbols_options symbols;
	struct wp_target pids;
	struct wp_target tids;
	const char *comm;
	const char *comms;
	const char *dsos;
	int max_stack;
	__u64 from;
	__u64 to;
	const char *reasons;
	const char *states;
	const char *functions;
	bool no_scale;
	bool whole_seconds;
	const char *chosen;
	int (*each)(void *ctx, struct wp_samples *s, const struct wp_profile_sample *sample,
		    bool wanted);
	void *ctx;
};

#define WP_SAMPLES_DEFAULT	{ .input = "perf.data", .to = ~0ULL }

/* The options, for the end of a command's table. */
extern const struct wp_option wp_samples_table[];

/**
 * struct wp_samples - samples that were read
 * @o: the options
 * @profile: the recording
 * @sum: sums of the samples
 * @end: end of the recording, if there are time slots; the last slot reaches up to it
 * @oncpu: run time of each thread; empty if samples are not scaled
 * @clock: the event that is scaled
 * @spare: buffer for a name
 * @functions: buffer for a stack
 * @room: its size in functions
 */
struct wp_samples {
	const struct wp_samples_options *o;
	struct wp_profile *profile;
	struct wp_profsum sum;
	__u64 end;
	struct wp_oncpu oncpu;
	unsigned int clock;
	char spare[24];
	__u32 *functions;
	size_t room;
};

/**
 * struct wp_samples_scale - scaling of the clock's samples
 * @run_ns: run time of the threads
 * @sampled_ns: time that the clock's samples represent
 * @without_ns: part of @run_ns of threads that were never sampled: it has no stack
 */
struct wp_samples_scale {
	__u64 run_ns;
	__u64 sampled_ns;
	__u64 without_ns;
};

int wp_samples_set(struct wp_samples_options *o, int id, const char *arg);
bool wp_samples_of(const struct wp_samples_options *o, __s32 pid, __s32 tid, const char *comm);
void wp_samples_options_free(struct wp_samples_options *o);
const char *wp_samples_cause_hint(const struct wp_samples *s);
int wp_samples_read(struct wp_samples *s, const struct wp_samples_options *o, __u32 slots);
bool wp_samples_scale(const struct wp_samples *s, struct wp_samples_scale *scale);
const char *wp_samples_comm(struct wp_samples *s, const struct wp_profline *l);
const __u32 *wp_samples_functions(struct wp_samples *s, const struct wp_profline *l, size_t *nr);
FILE *wp_samples_output(const struct wp_samples *s, struct wp_outfile *out, const char *path);
void wp_samples_warn(const struct wp_samples *s);
void wp_samples_free(struct wp_samples *s);

#endif /* WP_CMD_COMMON_SAMPLES_H */
