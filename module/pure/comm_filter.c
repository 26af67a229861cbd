// SPDX-License-Identifier: GPL-2.0
/*
 * Targets by name: which names of threads a session records.
 *
 * This file owns their order and search. It is pure. Its callers are configure.c at
 * CONFIGURE (process context), and the probes (irqs off), which only search.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "compat/build_bug.h"
#include "pure/comm_filter.h"
#include "pure/sort.h"

/* A name as two numbers: its bytes, the first one lowest, and 0 behind its end. */
struct wp_name {
	u64 low;
	u64 high;
};

static_assert(sizeof(struct wp_name) == WALLPROF_COMM_LEN);

/* Reads a name that is padded with 0. */
static __always_inline struct wp_name wp_name_read(const char *bytes)
{
	struct wp_name name;

	memcpy(&name, bytes, sizeof(name));
#ifdef CONFIG_CPU_BIG_ENDIAN
	name.low = __builtin_bswap64(name.low);
	name.high = __builtin_bswap64(name.high);
#endif
	return name;
}

/*
 * The lowest bit of the lowest byte that is 0, or 0 if none is. The sum below borrows
 * from a byte only if that one or a lower one is 0.
 */
static __always_inline u64 wp_name_end(u64 bytes)
{
	u64 zeroes = (bytes - 0x0101010101010101) & ~bytes & 0x8080808080808080;

	return (zeroes & -zeroes) >> 7;
}

/* Reads a name whose bytes behind the first 0 may be anything. */
static __always_inline struct wp_name wp_name_of(const char *bytes)
{
	struct wp_name name = wp_name_read(bytes);
	u64 low = wp_name_end(name.low), high = wp_name_end(name.high);

	if (low) {
		name.low &= low - 1;
		name.high = 0;
	} else if (high) {
		name.high &= high - 1;
	}
	return name;
}

/* Whether a name is in front of another one. The order is just one that is fast. */
static __always_inline bool wp_name_less(const struct wp_name *a, const struct wp_name *b)
{
	return a->low != b->low ? a->low < b->low : a->high < b->high;
}

static int wp_names_compare(const void *a, const void *b)
{
	const struct wp_name x = wp_name_read(a), y = wp_name_read(b);

	return wp_name_less(&x, &y) ? -1 : wp_name_less(&y, &x);
}

/**
 * wp_names_sort - sort names for wp_names_find()
 * @names: any bytes; those behind the ends of names are cleared
 *
 * Context: process.
 * Return: whether each is a name that a thread can have: it ends in 0, and is not empty.
 */
bool wp_names_sort(struct wp_names *names)
{
	size_t len;
	u32 i;

	for (i = 0; i < names->nr; i++) {
		len = strnlen(names->names[i], WALLPROF_COMM_LEN);
		if (!len || names->names[i][WALLPROF_COMM_LEN - 1])
			return false;
		memset(names->names[i] + len, 0, WALLPROF_COMM_LEN - len);
	}
	wp_sort(names->names, names->nr, sizeof(*names->names), wp_names_compare);
	return true;
}

/**
 * wp_names_find - search a name
 * @names: sorted
 * @comm: WALLPROF_COMM_LEN bytes; those behind the first 0 are not compared
 *
 * Many switches search one: no bsearch(), which calls a function for each comparison.
 *
 * Context: any.
 * Return: where it is; the number of names if it is not there.
 */
u32 wp_names_find(const struct wp_names *names, const char *comm)
{
	const struct wp_name name = wp_name_of(comm);
	u32 low = 0, high = names->nr, middle;
	struct wp_name other;

	while (low < high) {
		middle = low + (high - low) / 2;
		other = wp_name_read(names->names[middle]);
		if (wp_name_less(&other, &name))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == names->nr)
		return low;
	other = wp_name_read(names->names[low]);
	return other.low == name.low && other.high == name.high ? low : names->nr;
}
