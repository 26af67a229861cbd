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

/**
 * struct wp_modfile - what a module's file has for the kernel
 * @signature: its signature
 * @version: its version, "" if unknown
 * @vermagic: the release and properties of its kernel, "" if unknown
 */
struct wp_modfile {
	enum wp_signature signature;
	char version[32];
	char vermagic[128];
};

bool wp_modfile_find(const char *root, const char *release, char *path, size_t size);
void wp_modfile_read(struct wp_modfile *m, const char *path);
bool wp_modfile_is_for(const struct wp_modfile *m, const char *release);

#endif /* WP_LIB_DEVICE_MODFILE_H */
