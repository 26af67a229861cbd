/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Untrusted names on a terminal. See text.c.
 */
#ifndef WP_LIB_BASE_TEXT_H
#define WP_LIB_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Maximum growth of a sanitized string: two bytes become six. */
#define WP_TEXT_GROWS	3

size_t wp_text_char(const char *s, unsigned int *c);
bool wp_text_harmless(unsigned int c);
void wp_text_clean(char *s, bool keep_lines);
size_t wp_text_show(char *to, size_t size, const char *s, bool keep_lines);
char *wp_text_dup(const char *s);
size_t wp_text_columns(const char *s);
size_t wp_text_wrap(const char *s, size_t width);
size_t wp_text_put(FILE *f, const char *s);
const char *wp_text_ellipsis(void);
void wp_text_vformat(char *to, size_t size, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));
void wp_text_print(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void wp_text_vprint(FILE *f, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

/* What the noun that a number counts ends with. */
static inline const char *wp_plural(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

#endif /* WP_LIB_BASE_TEXT_H */
