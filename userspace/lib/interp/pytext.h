/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts of Python. See pytext.c.
 */
#ifndef WP_LIB_INTERP_PYTEXT_H
#define WP_LIB_INTERP_PYTEXT_H

#include "lib/interp/pylayout.h"

int wp_pytext_read(struct wp_pymemory *m, const struct wp_pylayout *layout, __u64 type,
		   __u64 address, char **text);

#endif /* WP_LIB_INTERP_PYTEXT_H */
