/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that forks workers, as seen by its parent. For worker.c.
 */
#ifndef WP_LIB_SANDBOX_ZYGOTE_H
#define WP_LIB_SANDBOX_ZYGOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <linux/types.h>

#include "lib/sandbox/job.h"

/* Maximum number of workers, including those that were killed and have not ended. */
#define WP_ZYGOTE_WORKERS	256

int wp_zygote_begin(wp_job_fn *run);
void wp_zygote_end(void);
pid_t wp_zygote_fork(int sock, __u64 memory);
int wp_zygote_memory(pid_t pid, __u64 memory);
bool wp_zygote_is_ours(pid_t pid);
void wp_zygote_kill(pid_t pid);
ssize_t wp_zygote_receive(int sock, void *data, size_t size, int *fds, unsigned int *nr);
bool wp_zygote_send(int sock, const struct iovec *iov, size_t nr_iov, const int *fds,
		    unsigned int nr, int flags);

#endif /* WP_LIB_SANDBOX_ZYGOTE_H */
