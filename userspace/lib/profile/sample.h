/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sample of a recording, and its parts but for the stack: see frame.h.
 */
#ifndef WP_LIB_PROFILE_SAMPLE_H
#define WP_LIB_PROFILE_SAMPLE_H

#include <linux/types.h>

#include "lib/perfdata/byfield.h"

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
 * @error: name of the error or of the system call that this is, or empty
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

#endif /* WP_LIB_PROFILE_SAMPLE_H */
