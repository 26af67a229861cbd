/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A confined process that reads untrusted files, which it gets as descriptors. See
 * worker.c.
 *
 *	w = wp_worker_new(NULL);
 *	err = wp_worker_ask(w, &job);
 *	err = wp_worker_wait(w, &answer);
 *	wp_worker_free(w);
 */
#ifndef WP_LIB_SANDBOX_WORKER_H
#define WP_LIB_SANDBOX_WORKER_H

#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "lib/sandbox/job.h"

/* Maximum number of jobs of a worker. */
#define WP_WORKER_DEPTH	8

/**
 * struct wp_worker_limits - limits of a job
 * @cpu_ns: CPU time, and more for large files
 * @stuck_ns: time without any CPU time, as while waiting for a file's server
 * @memory: bytes of address space, and more for large files
 * @answer: size of an answer
 */
struct wp_worker_limits {
	__u64 cpu_ns;
	__u64 stuck_ns;
	__u64 memory;
	__u64 answer;
};

/**
 * struct wp_answer - a worker's answer, not trusted
 * @err: 0 or a negative errno
 * @data: the answer, valid until the next call for the worker
 * @size: its size
 * @cpu_ns: CPU time used
 */
struct wp_answer {
	int err;
	const void *data;
	size_t size;
	__u64 cpu_ns;
};

/* Default limits of a job. */
extern const struct wp_worker_limits wp_worker_usual;

struct wp_worker;

int wp_worker_prepare(void);
void wp_worker_end(void);
struct wp_worker *wp_worker_new(const struct wp_worker_limits *limits);
void wp_worker_free(struct wp_worker *w);
int wp_worker_fd(const struct wp_worker *w);
__u64 wp_worker_spent(struct wp_worker *w);
int wp_worker_ask(struct wp_worker *w, const struct wp_job *job);
int wp_worker_take(struct wp_worker *w, struct wp_answer *answer);
int wp_worker_check(struct wp_worker *w);
int wp_worker_wait(struct wp_worker *w, struct wp_answer *answer);
const char *wp_worker_reason(int err);

#endif /* WP_LIB_SANDBOX_WORKER_H */
