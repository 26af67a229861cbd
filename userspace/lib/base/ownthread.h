/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a thread of this process gets on, or is blocked. Asked of the kernel, and not
 * guessed from the time: on a machine with too much to do a thread may be slow without
 * being blocked.
 */
#ifndef WP_LIB_BASE_OWNTHREAD_H
#define WP_LIB_BASE_OWNTHREAD_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include <linux/types.h>

/**
 * struct wp_ownthread - a thread that is looked at
 * @pid: its process
 * @tid: which one; 0: none yet
 * @clock: of the time that it runs
 * @ran: how long it had run at the last look
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
