/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel function that a thread is blocked in. See blockedin.c.
 */
#ifndef WP_LIB_PROFILE_BLOCKEDIN_H
#define WP_LIB_PROFILE_BLOCKEDIN_H

#include <stdbool.h>

#include "lib/profile/profstacks.h"
#include "lib/profile/schedevents.h"

const char *wp_blockedin(struct wp_profstacks *s, const struct wp_schedevent *ev, bool *io);

#endif /* WP_LIB_PROFILE_BLOCKEDIN_H */
