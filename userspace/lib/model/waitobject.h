/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was waited for, in few words. See waitobject.c.
 */
#ifndef WP_LIB_MODEL_WAITOBJECT_H
#define WP_LIB_MODEL_WAITOBJECT_H

#include <stddef.h>

void wp_waitobject(const char *object, char *to, size_t size);

#endif /* WP_LIB_MODEL_WAITOBJECT_H */
