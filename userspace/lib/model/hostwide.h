/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a recording is of the whole host, and which threads in it are the recorder's. See
 * hostwide.c.
 */
#ifndef WP_LIB_MODEL_HOSTWIDE_H
#define WP_LIB_MODEL_HOSTWIDE_H

#include <stdbool.h>
#include <stddef.h>

bool wp_hostwide(const char *words, size_t nr);
bool wp_hostwide_is_own(const char *comm);

#endif /* WP_LIB_MODEL_HOSTWIDE_H */
