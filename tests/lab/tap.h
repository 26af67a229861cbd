/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP for tests in C, as tap.sh for tests in bash and tap.py for tests in Python: ok()
 * prints one result, done() the plan, and returns the exit status.
 */
#ifndef WP_TESTS_LAB_TAP_H
#define WP_TESTS_LAB_TAP_H

#include <stdarg.h>
#include <stdio.h>

static int tap_nr, tap_failed;

__attribute__((format(printf, 2, 3)))
static inline int ok(int good, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%sok %d - ", good ? "" : "not ", ++tap_nr);
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
	tap_failed += !good;
	return good;
}

static inline int done(void)
{
	printf("1..%d\n", tap_nr);
	return tap_failed != 0;
}

#endif /* WP_TESTS_LAB_TAP_H */
