/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles of pprof, of the samples of a window. See pprofpack.c.
 *
 *	ret = wp_pprofpack_new(&pack, &order);
 *	ret = wp_pprofpack_run(pack, first, nr, &buf);
 *	wp_pprofpack_free(pack);
 */
#ifndef WP_LIB_OTLP_PPROFPACK_H
#define WP_LIB_OTLP_PPROFPACK_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/otlp/otlporder.h"

struct wp_pprofpack;

int wp_pprofpack_new(struct wp_pprofpack **out, const struct wp_otlp_order *order);
int wp_pprofpack_run(struct wp_pprofpack *p, size_t first, size_t nr, struct wp_buf *to);
void wp_pprofpack_free(struct wp_pprofpack *p);

void wp_pprofpack_label(char *name);

#endif /* WP_LIB_OTLP_PPROFPACK_H */
