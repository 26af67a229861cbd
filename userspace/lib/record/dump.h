/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording as text: --ledger and --intervals. See dump.c.
 */
#ifndef WP_LIB_RECORD_DUMP_H
#define WP_LIB_RECORD_DUMP_H

#include <stdio.h>

#include "lib/base/outfile.h"
#include "lib/model/ledger.h"
#include "lib/model/merge.h"

FILE *wp_dump_ledger_open(struct wp_outfile *out, const char *path);
void wp_dump_totals(FILE *f, const struct wp_totals *a, const struct wp_hist *hist);
FILE *wp_dump_intervals_open(struct wp_outfile *out, const char *path);
void wp_dump_interval(FILE *f, const struct wp_sample *s, const struct wp_hist *hist,
		      const char *object);

#endif /* WP_LIB_RECORD_DUMP_H */
