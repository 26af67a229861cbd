/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_LOCK_OWNER_H
#define WALLPROF_LOCK_OWNER_H

#include <linux/types.h>

struct pt_regs;
struct task_struct;
struct wp_session;

u64 wp_lock_owner_read(const struct wp_session *session, struct task_struct *p,
		       struct pt_regs *regs, int nr);

#endif /* WALLPROF_LOCK_OWNER_H */
