/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second reader of a sideband's rings. See sidefollow.c.
 */
#ifndef WP_LIB_RECORD_SIDEFOLLOW_H
#define WP_LIB_RECORD_SIDEFOLLOW_H

#include <poll.h>

#include "lib/record/sidestate.h"

int wp_sidefollow_begin(struct wp_sideband *sb, struct wp_sideband *leader);
int wp_sidefollow_drain(struct wp_sideband *sb);
void wp_sidefollow_before_drain(struct wp_sideband *sb, bool final);
unsigned int wp_sidefollow_pollfds(struct wp_sideband *sb, struct pollfd *fds,
				   unsigned int max);
void wp_sidefollow_end(struct wp_sideband *sb);

#endif /* WP_LIB_RECORD_SIDEFOLLOW_H */
