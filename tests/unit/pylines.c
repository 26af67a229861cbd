// SPDX-License-Identifier: GPL-2.0
/* Tests of the lines of Python code. */
#include <stdlib.h>
#include <string.h>

#include "lib/interp/pylines.h"
#include "tap.h"

#define LOCATION(kind, units)	(0x80 | (kind) << 3 | ((units) - 1))

static __u32 find(enum wp_pylines kind, const __u8 *table, size_t size, __s32 first, __s64 at)
{
	/* What is behind it is not ours. */
	__u8 *copy = malloc(size);
	__u32 line;

	memcpy(copy, table, size);
	line = wp_pylines_find(kind, copy, size, first, at);
	free(copy);
	return line;
}

static void check(const char *what, enum wp_pylines kind, const __u8 *table, size_t size,
		  __s64 at, __u32 want)
{
	__u32 line = find(kind, table, size, 10, at);

	ok(line == want, "%s, at %lld: %u", what, (long long)at, line);
}

static void steps(void)
{
	static const __u8 table[] = { 0, 1, 6, 2, 4, 0xfe, 255, 0, 10, 127, 0, 1 };
	const enum wp_pylines kind = WP_PYLINES_STEPS;

	check("before the first instruction", kind, table, sizeof(table), -1, 10);
	check("a step of lines alone", kind, table, sizeof(table), 0, 11);
	check("in a line", kind, table, sizeof(table), 4, 11);
	check("the next one", kind, table, sizeof(table), 6, 13);
	check("a step back", kind, table, sizeof(table), 10, 11);
	check("a long step of addresses", kind, table, sizeof(table), 264, 11);
	check("steps of lines in parts", kind, table, sizeof(table), 275, 139);
	check("half a step", kind, table, 3, 100, 11);
	check("nothing", kind, table, 0, 100, 10);
}

static void locations(void)
{
	static const __u8 table[] = {
		LOCATION(15, 1),			/* none: 0 */
		LOCATION(0, 2), 0x12,			/* short: 2 to 4 */
		LOCATION(11, 1), 1, 2,			/* one line further: 6 */
		LOCATION(13, 8), 0x04,			/* two lines further: 8 to 22 */
		LOCATION(14, 1), 0x03, 0, 1, 2,		/* one line back: 24 */
		LOCATION(14, 1), 0x40 | 0x20, 0x40 | 1, 1, 0, 0x41, 1, 1, /* many lines: 26 */
		LOCATION(12, 1), 1, 1,			/* 28 */
	};
	const enum wp_pylines kind = WP_PYLINES_LOCATIONS;
	size_t i;

	check("before the first instruction", kind, table, sizeof(table), -2, 10);
	check("no location", kind, table, sizeof(table), 0, 0);
	check("a short one", kind, table, sizeof(table), 2, 10);
	check("its last instruction", kind, table, sizeof(table), 4, 10);
	check("one line", kind, table, sizeof(table), 6, 11);
	check("no columns", kind, table, sizeof(table), 8, 13);
	check("its last instruction", kind, table, sizeof(table), 22, 13);
	check("a long one, back", kind, table, sizeof(table), 24, 12);
	check("a number in parts", kind, table, sizeof(table), 26, 12 + (0x20 + 0x40 + 0x1000) / 2);
	check("behind it", kind, table, sizeof(table), 28, 14 + (0x20 + 0x40 + 0x1000) / 2);
	check("beyond the end", kind, table, sizeof(table), 30, 0);
	for (i = 0; i < sizeof(table); i++)
		find(kind, table, i, 10, 28);
	ok(1, "tables that are cut");
	check("no head", kind, (const __u8[]){ 1, 0 }, 2, 0, 0);
	check("a number without an end", kind,
	      (const __u8[]){ LOCATION(13, 1), 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f,
			      0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f }, 15, 0, 0);
}

int main(void)
{
	steps();
	locations();
	return done();
}
