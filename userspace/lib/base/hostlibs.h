/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the C library that load libraries of the host, and what a static build does. */
#ifndef WP_LIB_BASE_HOSTLIBS_H
#define WP_LIB_BASE_HOSTLIBS_H

#include <linux/types.h>

/**
 * enum - how the reader is linked
 * @WP_IS_STATIC: statically (WP_STATIC=1 of build.mk)
 */
enum {
#ifdef WP_STATIC
	WP_IS_STATIC = 1,
#else
	WP_IS_STATIC = 0,
#endif
};

void wp_hostlibs_locale(void);
int wp_hostlibs_user(const char *name, __u32 *uid);
void *wp_hostlibs_open(const char *name);

#endif /* WP_LIB_BASE_HOSTLIBS_H */
