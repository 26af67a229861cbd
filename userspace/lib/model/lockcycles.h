/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that wait for each other. See lockcycles.c.
 */
#ifndef WP_LIB_MODEL_LOCKCYCLES_H
#define WP_LIB_MODEL_LOCKCYCLES_H

#include <stdbool.h>
#include <stddef.h>

int wp_lockcycles_find(size_t nr, size_t (*next)(const void *ctx, size_t i), const void *ctx,
		       bool *found);

#endif /* WP_LIB_MODEL_LOCKCYCLES_H */
