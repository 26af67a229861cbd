/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of the summary, in perf's style. For summary.c and eventlines.c.
 */
#ifndef WP_CMD_RECORD_LINE_H
#define WP_CMD_RECORD_LINE_H

#include <stdarg.h>
#include <stdio.h>
#include <linux/types.h>

#include "lib/base/text.h"

/* Print a line. */
static inline void __attribute__((format(printf, 1, 2))) print(const char *fmt, ...)
{
	va_list args;

	fputs("[ wallprof record: ", stderr);
	va_start(args, fmt);
	wp_text_vprint(stderr, fmt, args);
	va_end(args);
	fputs(" ]\n", stderr);
}

static inline double seconds(__u64 ns)
{
	return (double)(__s64)ns / 1e9;
}

static inline const char *plural(__u64 n)
{
	return n == 1 ? "" : "s";
}

#endif /* WP_CMD_RECORD_LINE_H */
