/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of a perf.data, one by one: thread, time, functions of the stack, duration and
 * cause. See profile.c. profsum.h sums equal ones.
 *
 *	ret = wp_profile_open(&profile, path, &symbol_options);
 *	ret = wp_profile_read(profile, fn, ctx);
 *	frames = wp_profile_stack(profile, sample->stack, &nr);
 *	wp_profile_close(profile);
 */
#ifndef WP_LIB_PROFILE_PROFILE_H
#define WP_LIB_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/perfdata/byfield.h"
#include "lib/perfdata/perffile.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/profile/frame.h"
#include "lib/symbols/symbols.h"

struct wp_profile;

/**
 * enum wp_profile_kind - kind of a sample
 * @WP_PROFILE_CPU: a thread on a CPU
 * @WP_PROFILE_OFFCPU: a thread off its CPU, runnable or blocked (event offcpu-time, also
 *	perf's own)
 * @WP_PROFILE_RUNNABLE: the part of that in which it was runnable: the time of each
 *	sample of this kind is also in one of OFFCPU with the same stack
 * @WP_PROFILE_WAKER: a thread that woke others (record --wakers)
 * @WP_PROFILE_OTHER: another event, with a unit of its own
 */
enum wp_profile_kind {
	WP_PROFILE_CPU,
	WP_PROFILE_OFFCPU,
	WP_PROFILE_RUNNABLE,
	WP_PROFILE_WAKER,
	WP_PROFILE_OTHER,
	WP_PROFILE_KINDS
};

/**
 * struct wp_profile_thread - a thread with its name
 * @pid: process; -1 if unknown
 * @tid: thread
 * @comm: its name at that time, unsanitized; empty if unknown
 *
 * A thread that changes its name counts as another one from then on, as in perf report.
 */
struct wp_profile_thread {
	__s32 pid;
	__s32 tid;
	char comm[16];
};

/**
 * struct wp_profile_cause - why a thread was off its CPU, or what a sample is summed by
 * @state: in the kernel's letters: "S", "D", "R"; empty if not recorded
 * @reason: "futex", "sleep", "preempted", ...; empty if not recorded
 * @syscall: the system call; empty if there was none, or it is not recorded
 * @object: the object of the wait, if known: a file, a socket, the variable of a lock; a
 *	truncated text begins with "...". Without record -R, locks only
 * @by: of a sample of an event with wp_profile_by(): the value of this field
 * @error: name of the error that this is, or empty
 * @owner_comm: name of @owner at that time, unsanitized; empty if unknown
 * @owner: the thread that held the lock, if that was recorded and is known, or 0
 * @lock: enum wallprof_lock, for wp_lockowner_kind()
 */
struct wp_profile_cause {
	char state[8];
	char reason[24];
	char syscall[32];
	char object[128];
	char by[WP_BYFIELD_TEXT];
	char error[WP_BYFIELD_TEXT];
	char owner_comm[16];
	__u32 owner;
	__u32 lock;
};

/**
 * struct wp_profile_sample - a sample
 * @kind: its kind
 * @event: its event: index in wp_profile_events()
 * @cpu: CPU on which it was recorded
 * @thread: wp_profile_thread()
 * @stack: wp_profile_stack(); 0: it has none
 * @cause: wp_profile_cause(); 0: none is recorded
 * @time: ns of the recording's clock; of sums their end
 * @weight: its period, in the event's unit
 * @ns: the time that it represents; 0 if there is none, or it is unknown
 * @count: number of samples or intervals that it represents
 * @waker: kind of the waker, from wp_waker_name(); NULL: not recorded
 * @waker_tid: the waking thread
 * @blocked_max: the longest blocked time of these; 0: unknown
 * @runnable_max: the longest runnable time; 0: unknown
 */
struct wp_profile_sample {
	enum wp_profile_kind kind;
	unsigned int event;
	__u32 cpu;
	__u32 thread;
	__u32 stack;
	__u32 cause;
	__u64 time;
	__u64 weight;
	__u64 ns;
	__u64 count;
	const char *waker;
	__u32 waker_tid;
	__u64 blocked_max;
	__u64 runnable_max;
};

/**
 * struct wp_profile_stats - statistics
 * @samples: samples, by kind
 * @lost: events that were lost
 * @damaged: records that could not be read
 * @no_stack: samples without their stack, as there are too many stacks
 * @first: time of the first sample
 * @last: time of the last one
 */
struct wp_profile_stats {
	__u64 samples[WP_PROFILE_KINDS];
	__u64 lost;
	__u64 damaged;
	__u64 no_stack;
	__u64 first;
	__u64 last;
};

/* A return value other than 0 ends the reading, and is returned. */
typedef int (*wp_profile_fn)(void *ctx, const struct wp_profile_sample *sample);

int wp_profile_open(struct wp_profile **out, const char *path,
		    const struct wp_symbols_options *options);
const struct wp_perffile *wp_profile_file(const struct wp_profile *p);
const struct wp_perfevents *wp_profile_events(const struct wp_profile *p);
int wp_profile_read(struct wp_profile *p, wp_profile_fn fn, void *ctx);
void wp_profile_stats(const struct wp_profile *p, struct wp_profile_stats *stats);

enum wp_profile_kind wp_profile_kind(const struct wp_profile *p, unsigned int event);
const char *wp_profile_by(const struct wp_profile *p, unsigned int event);
size_t wp_profile_threads(const struct wp_profile *p);
__u32 wp_profile_add_thread(struct wp_profile *p, __s32 pid, __s32 tid, const char *comm);
const char *wp_profile_comm_of(const struct wp_profile *p, __s32 tid);
const struct wp_profile_thread *wp_profile_thread(const struct wp_profile *p, __u32 thread);
bool wp_profile_is_sums(const struct wp_profile *p);
bool wp_profile_has_causes(const struct wp_profile *p);
bool wp_profile_has_objects(const struct wp_profile *p);
const struct wp_profile_cause *wp_profile_cause(const struct wp_profile *p, __u32 cause);
const __u32 *wp_profile_stack(struct wp_profile *p, __u32 stack, size_t *nr);
const struct wp_frame *wp_profile_frame(struct wp_profile *p, __u32 frame);
const struct wp_buildid *wp_profile_frame_id(const struct wp_profile *p, __u32 frame);
const __u32 *wp_profile_frame_functions(const struct wp_profile *p, const struct wp_frame *f,
					size_t *nr);
const __u32 *wp_profile_stack_functions(struct wp_profile *p, __u32 stack, size_t *nr);
const struct wp_function *wp_profile_function(const struct wp_profile *p, __u32 function);
bool wp_profile_code(const struct wp_profile *p, size_t *at, struct wp_profile_code *code);
const char *wp_profile_trouble(const struct wp_profile *p, size_t *at, const char **path);
void wp_profile_close(struct wp_profile *p);

#endif /* WP_LIB_PROFILE_PROFILE_H */
