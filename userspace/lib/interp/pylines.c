// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of Python code, by the tables that code objects have: co_lnotab, as CPython's
 * Objects/lnotab_notes.txt describes it, and the locations of PEP 657, as
 * Objects/locations.md does.
 *
 * Pure: no I/O, no clock. Tables are not trusted.
 */
#include <stdbool.h>

#include "lib/interp/pylines.h"

/* Bytes of an instruction. */
#define UNIT	2

/* Kinds of locations. */
enum {
	LOCATION_SHORT_END = 10,
	LOCATION_LINE_END = 13,
	LOCATION_NO_COLUMNS = 13,
	LOCATION_LONG = 14,
	LOCATION_NONE = 15,
};

/* A number in parts of six bits, the lowest first; if it has no end, @i is beyond @size. */
static __u64 number(const __u8 *table, size_t size, size_t *i)
{
	unsigned int shift = 0;
	__u64 n = 0;
	__u8 part;

	do {
		if (*i >= size) {
			*i = size + 1;
			return 0;
		}
		part = table[(*i)++];
		if (shift < 60)
			n |= (__u64)(part & 0x3f) << shift;
		shift += 6;
	} while (part & 0x40);
	return n;
}

/* The same, with the sign in the lowest bit. */
static __s64 signed_number(const __u8 *table, size_t size, size_t *i)
{
	__u64 n = number(table, size, i);

	return n & 1 ? -(__s64)(n >> 1) : (__s64)(n >> 1);
}

static __u32 line_of(__s64 line)
{
	return line > 0 && line < 1 << 30 ? line : 0;
}

static __u32 by_steps(const __u8 *table, size_t size, __s64 line, __s64 at)
{
	__s64 address = 0;
	size_t i;

	for (i = 0; i + 1 < size; i += 2) {
		address += table[i];
		if (address > at)
			break;
		line += (__s8)table[i + 1];
	}
	return line_of(line);
}

static __u32 by_locations(const __u8 *table, size_t size, __s64 line, __s64 at)
{
	__s64 end = 0;
	size_t i = 0;

	while (i < size) {
		__u8 head = table[i++], kind = head >> 3 & 0xf;

		if (!(head & 0x80) || line > 1 << 30 || line < -(1 << 30))
			return 0;
		if (kind < LOCATION_SHORT_END) {
			i++;
		} else if (kind < LOCATION_LINE_END) {
			line += kind - LOCATION_SHORT_END;
			i += 2;
		} else if (kind != LOCATION_NONE) {
			line += signed_number(table, size, &i);
		}
		if (kind == LOCATION_LONG) {
			number(table, size, &i);
			number(table, size, &i);
			number(table, size, &i);
		}
		if (i > size)
			return 0;
		end += (head % 8 + 1) * UNIT;
		if (end > at)
			return kind == LOCATION_NONE ? 0 : line_of(line);
	}
	return 0;
}

/**
 * wp_pylines_find() - find the line of an instruction
 * @kind: what table it is
 * @table: the table
 * @size: its size
 * @first: the first line of the code
 * @at: offset of the instruction, in bytes; < 0: before the first one
 *
 * Return: the line, or 0: it has none.
 */
__u32 wp_pylines_find(enum wp_pylines kind, const __u8 *table, size_t size, __s32 first,
		      __s64 at)
{
	if (at < 0)
		return line_of(first);
	if (kind == WP_PYLINES_STEPS)
		return by_steps(table, size, first, at);
	return by_locations(table, size, first, at);
}
