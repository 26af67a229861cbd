/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_REMOTE_READ_H
#define WALLPROF_REMOTE_READ_H

struct wallprof_read;
struct wp_session;

int wp_remote_read(struct wp_session *session, struct wallprof_read *args);

#endif /* WALLPROF_REMOTE_READ_H */
