/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_SWITCH_H
#define WALLPROF_SWITCH_H

struct wp_probe;
struct wp_session;

extern struct wp_probe wp_switch_probe;

void *wp_switch_probe_of(const struct wp_session *session);

#endif /* WALLPROF_SWITCH_H */
