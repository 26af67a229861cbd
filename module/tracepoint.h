/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_TRACEPOINT_H
#define WALLPROF_TRACEPOINT_H

#include <linux/types.h>

struct wp_session;

int wp_tracepoints_find(void);
int wp_tracepoints_follow(struct wp_session *session);
int wp_tracepoints_attach(struct wp_session *session);
bool wp_tracepoints_detach(struct wp_session *session);

#endif /* WALLPROF_TRACEPOINT_H */
