/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PROBES_H
#define WALLPROF_PROBES_H

struct wp_session;

int wp_probes_find(void);
int wp_probes_attach(struct wp_session *session);
bool wp_probes_detach(struct wp_session *session);

#endif /* WALLPROF_PROBES_H */
