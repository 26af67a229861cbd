/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Explanation of missing rights. See rights.c.
 */
#ifndef WP_LIB_DEVICE_RIGHTS_H
#define WP_LIB_DEVICE_RIGHTS_H

#include <stdbool.h>

bool wp_rights_has(unsigned int cap);
void wp_rights_no_device(const char *path, int err);
void wp_rights_no_event(int cpu, int err);
void wp_rights_no_memory(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* WP_LIB_DEVICE_RIGHTS_H */
