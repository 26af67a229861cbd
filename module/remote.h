/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_REMOTE_H
#define WALLPROF_REMOTE_H

#include <linux/completion.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct mm_struct;

/**
 * struct wp_remote - work that is done with the memory of another process in use
 * @fn: does it, in a worker
 * @mm: the memory
 * @cancel: the caller was killed; written by it, read by the worker, unordered
 * @work: the worker's
 * @done: completed by the worker, which uses nothing of this afterwards
 *
 * Used by the caller until @work is queued and from @done on, and by the worker between;
 * except @cancel.
 */
struct wp_remote {
	void (*fn)(struct wp_remote *remote);
	struct mm_struct *mm;
	bool cancel;
	struct work_struct work;
	struct completion done;
};

int wp_remote_init(void);
void wp_remote_exit(void);
int wp_remote_run(struct wp_remote *remote);
bool wp_remote_copy(void *to, u64 from, size_t bytes);

#endif /* WALLPROF_REMOTE_H */
