/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The value of --switch-output. See switchoutput.c.
 */
#ifndef WP_CMD_RECORD_SWITCHOUTPUT_H
#define WP_CMD_RECORD_SWITCHOUTPUT_H

struct wp_record_opts;
struct wp_switching;

int wp_switch_output_parse(const char *arg, struct wp_switching *s);
int wp_switch_output_check(struct wp_record_opts *o);

#endif /* WP_CMD_RECORD_SWITCHOUTPUT_H */
