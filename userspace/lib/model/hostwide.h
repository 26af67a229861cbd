/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a recording is of the whole host. See hostwide.c.
 */
#ifndef WP_LIB_MODEL_HOSTWIDE_H
#define WP_LIB_MODEL_HOSTWIDE_H

#include <stdbool.h>

bool wp_hostwide(const char *cmdline);

#endif /* WP_LIB_MODEL_HOSTWIDE_H */
