/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lock that a thread waited for while it was known who held it. See heldlock.c.
 */
#ifndef WP_CMD_COMMON_HELDLOCK_H
#define WP_CMD_COMMON_HELDLOCK_H

#include "cmd/common/samples.h"

const char *wp_heldlock(struct wp_samples *s, const struct wp_profline *l);

#endif /* WP_CMD_COMMON_HELDLOCK_H */
