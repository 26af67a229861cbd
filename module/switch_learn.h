/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the switch cache learns: see switch_learn.c.
 */
#ifndef WALLPROF_SWITCH_LEARN_H
#define WALLPROF_SWITCH_LEARN_H

#include <linux/types.h>
#include <linux/wallprof.h>

struct wp_cpu;
struct wp_leave;
struct wp_session;
struct wp_switch_key;

void wp_switch_learn(struct wp_session *session, struct wp_cpu *cpu,
		     struct wallprof_task *slot, const struct wp_switch_key *skey,
		     const struct wp_leave *leave, u32 epoch);
void wp_switch_learn_waker(struct wp_session *session, struct wp_cpu *cpu,
			   const struct wp_switch_key *skey, const struct wp_leave *leave,
			   u64 id, u32 epoch);

#endif /* WALLPROF_SWITCH_LEARN_H */
