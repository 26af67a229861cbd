/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_STATES_H
#define WALLPROF_PURE_STATES_H

#include <linux/types.h>

u8 wp_state_of(unsigned int state, bool preempt);

#endif /* WALLPROF_PURE_STATES_H */
