/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_BARE_H
#define WALLPROF_BARE_H

#include <linux/types.h>

struct task_struct;
struct wp_session;

void wp_bare_leave(struct wp_session *session, struct task_struct *prev,
		   unsigned int state, bool preempt, u64 now);
void wp_bare_come(struct wp_session *session, struct task_struct *next, u64 now);

#endif /* WALLPROF_BARE_H */
