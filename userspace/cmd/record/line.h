/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of the record command, in perf's style, and its figures. For summary.c and others of
 * its files.
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

static inline double percent(__u64 part, __u64 all)
{
	return all ? 100.0 * part / all : 0;
}

static inline __u64 sum(const __u64 *n, unsigned int nr)
{
	__u64 all = 0;

	while (nr--)
		all += n[nr];
	return all;
}

#endif /* WP_CMD_RECORD_LINE_H */
