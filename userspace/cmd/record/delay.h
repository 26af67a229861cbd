/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a recording begins, pauses and ends. See delay.c.
 */
#ifndef WP_CMD_RECORD_DELAY_H
#define WP_CMD_RECORD_DELAY_H

struct wp_record_opts;

int wp_delay_parse(const char *arg, struct wp_record_opts *o);
int wp_delay_check(const struct wp_record_opts *o);

#endif /* WP_CMD_RECORD_DELAY_H */
