/* SPDX-License-Identifier: GPL-2.0 */
/* The bits of task_struct.__state in include/linux/sched.h, as of the newest. */
#ifndef WALLPROF_COMPAT_STATES_H
#define WALLPROF_COMPAT_STATES_H

#include <linux/sched.h>

#ifndef TASK_FROZEN			/* 6.1 */
#define TASK_FROZEN	0
#endif
#ifndef TASK_RTLOCK_WAIT		/* 5.15 */
#define TASK_RTLOCK_WAIT	0
#endif

#endif /* WALLPROF_COMPAT_STATES_H */
