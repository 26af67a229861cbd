/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_WAKING_H
#define WALLPROF_WAKING_H

struct wp_probe_desc;
struct wp_session;

extern struct wp_probe_desc wp_waking_probe_desc;

void *wp_waking_probe_of(const struct wp_session *session);

#endif /* WALLPROF_WAKING_H */
