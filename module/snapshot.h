/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_SNAPSHOT_H
#define WALLPROF_SNAPSHOT_H

struct wallprof_live;
struct wp_session;

int wp_snapshot_read(struct wp_session *session, struct wallprof_live *args);

#endif /* WALLPROF_SNAPSHOT_H */
