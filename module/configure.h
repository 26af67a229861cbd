/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_CONFIGURE_H
#define WALLPROF_CONFIGURE_H

struct wp_session;

int wp_configure_set_up(struct wp_session *session);
void wp_configure_release(struct wp_session *session);

#endif /* WALLPROF_CONFIGURE_H */
