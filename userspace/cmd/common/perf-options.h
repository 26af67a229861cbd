/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options that perf has and we do not. See perf-options.c.
 */
#ifndef WP_CMD_COMMON_PERF_OPTIONS_H
#define WP_CMD_COMMON_PERF_OPTIONS_H

#include <stdbool.h>

/**
 * struct wp_foreign - an option of perf's
 * @letter: its letter, or 0
 * @name: its long name, or NULL; without both it ends a table
 * @arg: it has a value
 * @instead: what to use, the end of a sentence; NULL: it is accepted, and changes nothing
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
