/* SPDX-License-Identifier: GPL-2.0 */
/* Peers of unix sockets. See unixpeers.c. */
#ifndef WP_LIB_PROC_UNIXPEERS_H
#define WP_LIB_PROC_UNIXPEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/proc/sockets.h"

bool wp_unixpeers_take(struct wp_sockets *t, const void *answer, size_t len);
void wp_unixpeers_read(struct wp_sockets *t, int dir);

#endif /* WP_LIB_PROC_UNIXPEERS_H */
