/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_TARGETS_H
#define WALLPROF_TARGETS_H

#include <linux/types.h>

#include "intervals.h"

struct task_struct;
struct wp_session;

int wp_targets_set(struct wp_session *session);
int wp_targets_claim(struct wp_session *session);
void wp_targets_look(struct wp_session *session);
bool wp_targets_match(const struct wp_session *session, struct task_struct *p);
bool wp_targets_has_uid(const struct wp_session *session, struct task_struct *p);
void wp_thread_read(const struct wp_session *session, struct task_struct *p,
		    struct wp_thread *thread);
void wp_target_born(struct wp_session *session);
bool wp_target_untracked(const struct wp_session *session, struct task_struct *p);
void wp_target_passed_over(struct wp_session *session, struct task_struct *p,
			   bool off, u64 since);
void wp_target_gone(struct wp_session *session);

#endif /* WALLPROF_TARGETS_H */
