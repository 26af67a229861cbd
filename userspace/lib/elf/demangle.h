/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Demangled names of C++ and Rust. See demangle.c.
 */
#ifndef WP_LIB_ELF_DEMANGLE_H
#define WP_LIB_ELF_DEMANGLE_H

#include <stdbool.h>

/* Limit for a demangled name: a longer one is truncated, and ends with WP_DEMANGLE_CUT. */
#define WP_DEMANGLE_MAX	8192
#define WP_DEMANGLE_CUT	"..."

bool wp_demangle_may(const char *name);
char *wp_demangle(const char *name);

#endif /* WP_LIB_ELF_DEMANGLE_H */
