/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kinds of waits, one file each. A kind runs to its end on the calling
 * thread and threads of its own; all it did is in the truth then.
 */
#ifndef WORKLOADS_KINDS_H
#define WORKLOADS_KINDS_H

void kind_nap(void);		/* nanosleep */
void kind_futex(void);		/* a lock that alternates between two threads */
void kind_pipe(void);		/* an empty pipe, and a full one */
void kind_epoll(void);		/* epoll_wait */
void kind_poll(void);		/* poll */
void kind_vfork(void);		/* a wait that is uninterruptible */
void kind_stop(void);		/* stopped by a signal */
void kind_rivals(void);		/* two that spin on one CPU */
void kind_yield(void);		/* two that yield to each other */
void kind_migrate(void);	/* blocked on one CPU, awake on another */
void kind_births(void);		/* threads by the thousand */
void kind_deep(void);		/* deeper than any stack that is recorded */
void kind_demo(void);		/* a medley */

#endif
