/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_SWITCH_H
#define WALLPROF_SWITCH_H

struct wp_probe_desc;
struct wp_session;

extern struct wp_probe_desc wp_switch_probe_desc;

void *wp_switch_probe_of(const struct wp_session *session);

#endif /* WALLPROF_SWITCH_H */
