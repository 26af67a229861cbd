/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_INTERVALS_H
#define WALLPROF_INTERVALS_H

#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_thread - what identifies a thread, as its task_struct has it now
 * @start_time: when it was born
 * @tid: thread id in the session's pid namespace
 * @tgid: process id, likewise
 * @exec_id: changes with every exec
 */
struct wp_thread {
	u64 start_time;
	u32 tid;
	u32 tgid;
	u32 exec_id;
};

/**
 * struct wp_leave - how a thread leaves its CPU
 * @user_stack: id, or 0
 * @kernel_stack: id, or 0
 * @state: enum wallprof_state
 * @flags: WALLPROF_TASK_FILTERED, WALLPROF_TASK_NO_STACK and
 *	WALLPROF_TASK_WEAK_STACK
 */
struct wp_leave {
	u64 user_stack;
	u64 kernel_stack;
	u8 state;
	u16 flags;
};

/**
 * enum wp_closed - what ended when a thread came to a CPU
 * @WP_CLOSED_NOTHING: no interval
 * @WP_CLOSED_FILTERED: one that is not to be recorded
 * @WP_CLOSED_INTERVAL: one that is
 */
enum wp_closed {
	WP_CLOSED_NOTHING,
	WP_CLOSED_FILTERED,
	WP_CLOSED_INTERVAL,
};

void wp_interval_begin(struct wallprof_task *slot,
		       const struct wp_thread *thread, u8 phase, u8 state,
		       u64 now);
void wp_interval_open(struct wallprof_task *slot,
		      const struct wp_thread *thread,
		      const struct wp_leave *leave, u64 now);
enum wp_closed wp_interval_close(struct wallprof_task *slot, u64 now,
				 struct wallprof_aggr *key, u64 *ns);
void wp_interval_spill(struct wallprof_task *slot, u64 ns);
void wp_interval_exit(struct wallprof_task *slot, u64 now);
void wp_interval_end(struct wallprof_task *slot, u64 stop, bool on_cpu);

#endif /* WALLPROF_INTERVALS_H */
