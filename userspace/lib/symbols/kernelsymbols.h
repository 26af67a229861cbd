/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel and of the vdso. See kernelsymbols.c; used by symbols.c only.
 */
#ifndef WP_LIB_SYMBOLS_KERNELSYMBOLS_H
#define WP_LIB_SYMBOLS_KERNELSYMBOLS_H

#include "lib/symbols/symbolfile.h"

const char *wp_kernelsymbols_read(struct wp_symbolplaces *s, struct wp_symbolfile *f);
const char *wp_kernelsymbols_read_vdso(struct wp_symbolplaces *s, struct wp_symbolfile *f);

#endif /* WP_LIB_SYMBOLS_KERNELSYMBOLS_H */
