/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Summary at the end of the record command. See record/summary.c.
 */
#ifndef WP_CMD_RECORD_SUMMARY_H
#define WP_CMD_RECORD_SUMMARY_H

#include "lib/record/sessionopts.h"
#include "lib/record/sessionstats.h"

void wp_record_summary(const struct wp_record_opts *o, const struct wp_record_stats *s,
		       struct wp_record_tables *t);

#endif /* WP_CMD_RECORD_SUMMARY_H */
