/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Error messages of libwallprof. A function that fails returns a negative errno and has
 * called wp_err() once with the message that explains it; its callers add nothing.
 * Everything is printed to stderr as "wallprof: ...", with control characters replaced,
 * because names of threads and files can contain anything.
 */
#ifndef WP_LIB_BASE_ERR_H
#define WP_LIB_BASE_ERR_H

#include <stdio.h>

/**
 * enum wp_verbosity - verbosity
 * @WP_SILENT: print nothing, not even errors (they are still stored; for tests)
 * @WP_QUIET: errors only (record -q)
 * @WP_NORMAL: errors and warnings
 * @WP_VERBOSE: also messages of wp_debug() (record -v)
 */
enum wp_verbosity {
	WP_SILENT = -2,
	WP_QUIET = -1,
	WP_NORMAL = 0,
	WP_VERBOSE = 1,
};

void wp_set_verbosity(enum wp_verbosity level);
enum wp_verbosity wp_get_verbosity(void);
void wp_err_place(const char *where);
const char *wp_err_where(void);

void wp_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void wp_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void wp_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int wp_no_memory(const char *what);

int wp_end_output(FILE *f);

const char *wp_last_error(void);
const char *wp_last_warning(void);
void wp_clear_errors(void);

#endif /* WP_LIB_BASE_ERR_H */
