/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_REMOTE_STACK_H
#define WALLPROF_REMOTE_STACK_H

#include <linux/types.h>

struct mm_struct;
struct task_struct;
struct wallprof_task;
struct wp_code;
struct wp_session;

void wp_remote_walk(struct wp_session *session, u32 pid, struct mm_struct *mm,
		    const struct wp_code *code);
void wp_remote_kernel(struct wp_session *session, struct wallprof_task *slot,
		      struct task_struct *p);

#endif /* WALLPROF_REMOTE_STACK_H */
