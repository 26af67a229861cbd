/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's file, as installed for a kernel. See modfile.c.
 */
#ifndef WP_LIB_DEVICE_MODFILE_H
#define WP_LIB_DEVICE_MODFILE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum wp_signature - whether a module's file has a signature
 * @WP_SIGNATURE_UNKNOWN: it cannot be read
 * @WP_SIGNATURE_NONE: it has none
 * @WP_SIGNATURE_SOME: it has one, which the kernel may or may not trust
 */
enum wp_signature {
	WP_SIGNATURE_UNKNOWN,
	WP_SIGNATURE_NONE,
	WP_SIGNATURE_SOME,
};

bool wp_modfile_find(const char *root, const char *release, char *path, size_t size);
enum wp_signature wp_modfile_signature(const char *path);

#endif /* WP_LIB_DEVICE_MODFILE_H */
