/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_NOMEM_H
#define WALLPROF_NOMEM_H

#include <linux/types.h>

struct task_struct;
struct wp_session;

void wp_nomem_switch_out(struct wp_session *session, struct task_struct *prev,
			 unsigned int state, bool preempt, u64 now);
void wp_nomem_switch_in(struct wp_session *session, struct task_struct *next, u64 now);

#endif /* WALLPROF_NOMEM_H */
