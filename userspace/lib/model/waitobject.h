/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Short form of the object of a wait. See waitobject.c.
 */
#ifndef WP_LIB_MODEL_WAITOBJECT_H
#define WP_LIB_MODEL_WAITOBJECT_H

#include <stddef.h>

void wp_waitobject(const char *object, char *to, size_t size);
void wp_waitobject_class(const char *object, char *to, size_t size);

#endif /* WP_LIB_MODEL_WAITOBJECT_H */
