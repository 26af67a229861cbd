/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destination of output: width and pager. See screen.c.
 */
#ifndef WP_CMD_COMMON_SCREEN_H
#define WP_CMD_COMMON_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

size_t wp_screen_width(void);
void wp_screen_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void wp_screen_put(const char *line);
void wp_screen_fit(void);
void wp_screen_page(void);
void wp_screen_end(void);

#endif /* WP_CMD_COMMON_SCREEN_H */
