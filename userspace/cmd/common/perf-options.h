/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of perf's that wallprof does not have. See perf-options.c.
 */
#ifndef WP_CMD_COMMON_PERF_OPTIONS_H
#define WP_CMD_COMMON_PERF_OPTIONS_H

#include <stdbool.h>

/**
 * struct wp_foreign - an option of perf's
 * @letter: its letter, or 0
 * @name: its long name, or NULL; without both it ends a table
 * @arg: it takes a value
 * @instead: alternative, as the end of a sentence; NULL: it is accepted without effect
 */
struct wp_foreign {
	char letter;
	const char *name;
	bool arg;
	const char *instead;
};

extern const struct wp_foreign wp_foreign_record[];
extern const struct wp_foreign wp_foreign_report[];

const struct wp_foreign *wp_foreign_find(const struct wp_foreign *table, int letter,
					 const char *word);

#endif /* WP_CMD_COMMON_PERF_OPTIONS_H */
