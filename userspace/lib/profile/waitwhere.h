/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System call and program function of a wait, from its stack. See waitwhere.c.
 */
#ifndef WP_LIB_PROFILE_WAITWHERE_H
#define WP_LIB_PROFILE_WAITWHERE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/profile/profile.h"

#define WP_WAITWHERE_CALL	32

size_t wp_waitwhere(const struct wp_function *const *function, size_t nr);
bool wp_waitwhere_call(const struct wp_function *const *function, size_t nr,
		       char call[WP_WAITWHERE_CALL]);
const char *wp_waitwhere_kind(const struct wp_function *const *function, size_t nr);

#endif /* WP_LIB_PROFILE_WAITWHERE_H */
