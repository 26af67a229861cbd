/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which threads descend from the targets of a session that starts later. See follow.c.
 */
#ifndef WALLPROF_FOLLOW_H
#define WALLPROF_FOLLOW_H

#include <linux/types.h>

struct task_struct;
struct wp_session;

int wp_follow_begin(struct wp_session *session);
void wp_follow_settle(struct wp_session *session);
void wp_follow_free(struct wp_session *session);
bool wp_follow_has(struct wp_session *session, struct task_struct *p);
bool wp_follow_fork(struct wp_session *session, struct task_struct *child, bool target,
		    u64 *now);
void wp_follow_exit(struct wp_session *session, struct task_struct *p);

#endif /* WALLPROF_FOLLOW_H */
