/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a thread of this process makes progress, or is blocked. The answer comes from
 * the kernel and not from a timeout: on a busy machine a thread may be slow without being
 * blocked.
 */
#ifndef WP_LIB_BASE_OWNTHREAD_H
#define WP_LIB_BASE_OWNTHREAD_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include <linux/types.h>

/**
 * struct wp_ownthread - a thread that is watched
 * @pid: its process
 * @tid: its id; 0: none yet
 * @clock: its CPU-time clock
 * @ran: its CPU time at the last check
 */
struct wp_ownthread {
	pid_t pid;
	pid_t tid;
	clockid_t clock;
	__u64 ran;
};

void wp_ownthread_self(struct wp_ownthread *t);
bool wp_ownthread_is_blocked(struct wp_ownthread *t, const char *states);

#endif /* WP_LIB_BASE_OWNTHREAD_H */
