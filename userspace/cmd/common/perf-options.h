/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of perf's that wallprof does not have. See perf-options.c.
 */
#ifndef WP_CMD_COMMON_PERF_OPTIONS_H
#define WP_CMD_COMMON_PERF_OPTIONS_H

#include <stdbool.h>

/**
 * struct wp_perf_option - an option of perf's
 * @letter: its letter, or 0
 * @name: its long name, or NULL; without both it ends a table
 * @arg: it takes a value
 * @instead: alternative, as the end of a sentence; NULL: it is accepted without effect
 */
struct wp_perf_option {
	char letter;
	const char *name;
	bool arg;
	const char *instead;
};

extern const struct wp_perf_option wp_perf_options_record[];
extern const struct wp_perf_option wp_perf_options_report[];
extern const struct wp_perf_option wp_perf_options_latency[];
extern const struct wp_perf_option wp_perf_options_timehist[];
extern const struct wp_perf_option wp_perf_options_map[];

const struct wp_perf_option *wp_perf_option_find(const struct wp_perf_option *table, int letter,
						 const char *word);

#endif /* WP_CMD_COMMON_PERF_OPTIONS_H */
