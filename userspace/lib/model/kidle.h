/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which kernel threads are idle. See kidle.c.
 *
 *	each wait of a thread that wp_kidle_is_kthread():
 *		wp_kidle_wait(&wait)	its time is idle, or else other time
 *	of the thread, over an interval:
 *		wp_kidle_thread(ran, other, interval)
 */
#ifndef WP_LIB_MODEL_KIDLE_H
#define WP_LIB_MODEL_KIDLE_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_kidle_wait - a wait of a kernel thread
 * @comm: the thread's name, or NULL
 * @state: enum wallprof_state in which it left its CPU
 * @reason: enum wallprof_reason
 * @iowait: the kernel counts the wait as iowait
 * @frames: names of the functions of its kernel stack, the innermost first; NULL where
 *	one has no name
 * @nr_frames: number of frames; 0: the stack is unknown
 */
struct wp_kidle_wait {
	const char *comm;
	unsigned int state;
	unsigned int reason;
	bool iowait;
	const char *const *frames;
	unsigned int nr_frames;
};

/**
 * wp_kidle_is_kthread() - whether a thread is a kernel thread
 * @tgid: its process
 * @tid: the thread
 * @reason: enum wallprof_reason, of any of its waits
 *
 * Workers of io_uring have that reason as well, and are threads of a program.
 *
 * Return: true if it is; false also if the reason is one that any thread may have.
 */
static inline bool wp_kidle_is_kthread(__u32 tgid, __u32 tid, unsigned int reason)
{
	return reason == WALLPROF_REASON_KERNEL && tgid == tid;
}

bool wp_kidle_wait(const struct wp_kidle_wait *w);
bool wp_kidle_thread(__u64 ran, __u64 other, __u64 interval);

#endif /* WP_LIB_MODEL_KIDLE_H */
