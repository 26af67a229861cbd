/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The least of TAP: ok() tells one result, done() the plan and the exit status.
 * Included by the unit tests of the reader.
 */
#ifndef WP_TESTS_UNIT_TAP_H
#define WP_TESTS_UNIT_TAP_H

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

#endif /* WP_TESTS_UNIT_TAP_H */
