/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of the record command. See record/options.c.
 */
#ifndef WP_CMD_RECORD_OPTIONS_H
#define WP_CMD_RECORD_OPTIONS_H

#include "lib/record/sessionopts.h"

struct wp_control;

int wp_record_options(struct wp_record_opts *o, struct wp_control *control, int argc,
		      char **argv);

#endif /* WP_CMD_RECORD_OPTIONS_H */
