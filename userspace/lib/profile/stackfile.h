/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of other formats than perf.data, with the names of their functions: folded lines,
 * profiles of pprof and of OTLP. See stackfile.c, which profile.c calls; foldedfile.c,
 * pproffile.c and otlpfile.c read them.
 */
#ifndef WP_LIB_PROFILE_STACKFILE_H
#define WP_LIB_PROFILE_STACKFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/base/intern.h"
#include "lib/perfdata/perfevents.h"
#include "lib/profile/sample.h"
#include "lib/symbols/symbols.h"
#include "lib/profile/frame.h"

/* Limits of a file, so that it needs a bounded amount of memory. */
#define WP_STACKFILE_BYTES	(256UL << 20)
#define WP_STACKFILE_ENTRIES	(8UL << 20)
#define WP_STACKFILE_FRAMES	4096
#define WP_STACKFILE_EVENTS	64

/**
 * enum wp_stackfile_kind - what the values of an event are
 * @WP_STACKFILE_CPU: ns on a CPU
 * @WP_STACKFILE_OFFCPU: ns off CPU, runnable or blocked
 * @WP_STACKFILE_RUNNABLE: the part of it that was runnable
 * @WP_STACKFILE_WAKER: ns that others were blocked until this thread woke them
 * @WP_STACKFILE_OTHER: anything
 */
enum wp_stackfile_kind {
	WP_STACKFILE_CPU,
	WP_STACKFILE_OFFCPU,
	WP_STACKFILE_RUNNABLE,
	WP_STACKFILE_WAKER,
	WP_STACKFILE_OTHER,
};

/**
 * struct wp_stackfile_sample - a value of a stack
 * @event: its event
 * @stack: number of its stack, or 0
 * @thread: number in @threads of the file
 * @cause: number in @causes, or 0
 * @value: its value
 * @count: number of samples or intervals
 */
struct wp_stackfile_sample {
	__u32 event;
	__u32 stack;
	__u32 thread;
	__u32 cause;
	__u64 value;
	__u64 count;
};

/**
 * struct wp_stackfile - a file that was read
 * @path: its name, for messages
 * @names: names and files of functions
 * @function: the functions, by the numbers of @names, less 1
 * @stacks: numbers of functions, the innermost first
 * @frames: functions of all stacks
 * @threads: struct wp_profile_thread
 * @causes: struct wp_profile_cause
 * @events: the events
 * @sample: the samples
 * @nr: their number
 * @room: allocated samples
 * @duration: length of the recording in ns; 0: unknown
 * @spare: for wp_stackfile_frame()
 */
struct wp_stackfile {
	const char *path;
	struct wp_intern names;
	struct wp_function *function;
	struct wp_intern stacks;
	size_t frames;
	struct wp_intern *threads;
	struct wp_intern *causes;
	struct wp_perfevents events;
	struct wp_stackfile_sample *sample;
	size_t nr;
	size_t room;
	__u64 duration;
	struct wp_frame spare;
};

int wp_stackfile_open(struct wp_stackfile **out, int fd, const char *path,
		      struct wp_intern *threads, struct wp_intern *causes);
__u32 wp_stackfile_function(struct wp_stackfile *s, const char *name, const char *path,
			    bool kernel, bool inlined);
int wp_stackfile_event(struct wp_stackfile *s, enum wp_stackfile_kind kind, const char *name);
__u64 wp_stackfile_unit_ns(const char *unit);
int wp_stackfile_add(struct wp_stackfile *s, const struct wp_stackfile_sample *sample,
		     const __u32 *functions, size_t nr);
const __u32 *wp_stackfile_functions(const struct wp_stackfile *s, __u32 stack, size_t *nr);
const struct wp_frame *wp_stackfile_frame(struct wp_stackfile *s, __u32 frame);
void wp_stackfile_close(struct wp_stackfile *s);

/* The formats. */
int wp_foldedfile_read(struct wp_stackfile *s, char *text, size_t size);
int wp_pproffile_read(struct wp_stackfile *s, const __u8 *data, size_t size);
bool wp_otlpfile_is(const __u8 *data, size_t size);
int wp_otlpfile_read(struct wp_stackfile *s, const __u8 *data, size_t size);

#endif /* WP_LIB_PROFILE_STACKFILE_H */
