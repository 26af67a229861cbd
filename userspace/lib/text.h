/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that others chose, for a terminal. See text.c.
 */
#ifndef WP_LIB_TEXT_H
#define WP_LIB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

size_t wp_text_char(const char *s, unsigned int *c);
bool wp_text_harmless(unsigned int c);
void wp_text_clean(char *s, bool keep_lines);
size_t wp_text_columns(const char *s);
size_t wp_text_put(FILE *f, const char *s);

#endif /* WP_LIB_TEXT_H */
