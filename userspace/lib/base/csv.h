/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of CSV. See csv.c.
 */
#ifndef WP_LIB_BASE_CSV_H
#define WP_LIB_BASE_CSV_H

#include <stdio.h>

void wp_csv_put(FILE *f, const char *s);
void wp_tsv_put(FILE *f, const char *s);

#endif /* WP_LIB_BASE_CSV_H */
