// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of the interpreted functions of a recording. Each function with file and
 * line is a row, and has an address of its own, in a file of names that all processes have
 * mapped (nameself.c). interpcodes.c reads the functions. There are only so many rows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/intern.h"
#include "lib/base/text.h"
#include "lib/elf/nameself.h"
#include "lib/record/interprows.h"

/* Bytes of a name, and of all. */
#define MAX_NAME	1024
#define MAX_NAMES	((size_t)64 << 20)

/**
 * struct wp_interprows - the rows
 * @codes: their functions
 * @names: names of the rows, with a terminating 0
 */
struct wp_interprows {
	struct wp_interpcodes *codes;
	struct wp_intern names;
};

/**
 * wp_interprows_new() - allocate an empty table
 * @codes: reads functions
 *
 * Return: the table, or NULL: there is no memory.
 */
struct wp_interprows *wp_interprows_new(struct wp_interpcodes *codes)
{
	struct wp_interprows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->codes = codes;
	if (!wp_intern(&rows->names, WP_INTERPCODES_UNREAD, sizeof(WP_INTERPCODES_UNREAD), NULL)) {
		wp_interprows_free(rows);
		return NULL;
	}
	return rows;
}

/**
 * wp_interprows_free() - free a table
 * @rows: the table, or NULL
 */
void wp_interprows_free(struct wp_interprows *rows)
{
	if (!rows)
		return;
	wp_intern_free(&rows->names);
	free(rows);
}

/* The row of a function; 0: there is no memory. */
static __u32 add_row(struct wp_interprows *rows, const struct wp_interpfunction *f)
{
	char name[MAX_NAME], *at;
	__u32 row;

	wp_text_show(name, MAX_NAME / 2, f->name, false);
	at = name + strlen(name);
	*at++ = ' ';
	at += wp_text_show(at, name + MAX_NAME - 16 - at, f->file, false);
	if (f->line)
		at += sprintf(at, ":%u", f->line);
	row = wp_intern_find(&rows->names, name, at + 1 - name);
	if (row || rows->names.nr >= WP_INTERPROWS_MAX || rows->names.len >= MAX_NAMES)
		return row;
	return wp_intern(&rows->names, name, at + 1 - name, NULL);
}

/* The row of a function in a stack; 0: Python does not show it. */
static int get_row(struct wp_interprows *rows, __u32 pid, const __u64 *word, __u32 *row)
{
	struct wp_interpfunction f;
	int err = wp_interpcodes_function(rows->codes, pid, word[0], word[1], &f);

	if (err == -ENOMEM)
		return err;
	*row = err == -ENOENT ? 0 : 1;
	if (err)
		return 0;
	*row = add_row(rows, &f);
	if (*row)
		return 0;
	wp_interpcodes_no_room(rows->codes);
	*row = 1;
	return 0;
}

/**
 * wp_interprows_in() - look for interpreted functions in a stack
 * @ips: the user stack as the module has it
 * @nr: number of its words
 *
 * Return: whether it may have any: wp_interprows_stack() leaves others as they are.
 */
bool wp_interprows_in(const __u64 *ips, unsigned int nr)
{
	__u64 bits = 0;
	unsigned int i;

	/* No address in user memory has the bit that all of their words have. */
	for (i = 0; i < nr; i++)
		bits |= ips[i];
	return bits & WALLPROF_INTERP_CODE & WALLPROF_INTERP_AT;
}

/**
 * wp_interprows_stack() - let interpreted functions stand in a stack
 * @rows: the rows
 * @pid: the process
 * @ips: the user stack as the module has it
 * @nr: number of its words
 * @to: set to the addresses, at most @nr
 * @nr_to: set to their number
 * @has: set to whether there are such functions
 *
 * They take the place of the native function that executes them; where Python shows none,
 * that one is left.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_interprows_stack(struct wp_interprows *rows, __u32 pid, const __u64 *ips,
			unsigned int nr, __u64 *to, unsigned int *nr_to, bool *has)
{
	unsigned int i = 0, n = 0;

	*has = false;
	while (i < nr) {
		__u64 native = ips[i++];
		unsigned int from = n;

		/* Half of a function. */
		if (i > 1 && (WALLPROF_INTERP_IS_CODE(native) || WALLPROF_INTERP_IS_AT(native)))
			continue;
		for (; i + 1 < nr && WALLPROF_INTERP_IS_CODE(ips[i]) &&
		     WALLPROF_INTERP_IS_AT(ips[i + 1]); i += 2) {
			__u32 row;
			int err = get_row(rows, pid, &ips[i], &row);

			if (err)
				return err;
			if (!row)
				continue;
			/* In the middle, as readers subtract something from return addresses. */
			to[n++] = WP_INTERPROWS_BASE + (row - 1) * WP_NAMESELF_BYTES +
				WP_NAMESELF_BYTES / 2;
			*has = true;
		}
		if (n == from)
			to[n++] = native;
	}
	*nr_to = n;
	return 0;
}

/**
 * wp_interprows_nr() - number of rows
 * @rows: the rows
 *
 * Return: their number; 1: no stack had an interpreted function that was read.
 */
size_t wp_interprows_nr(const struct wp_interprows *rows)
{
	return rows->names.nr;
}

/**
 * wp_interprows_name() - name of a row
 * @rows: the rows
 * @i: its number, from 0
 *
 * Return: the name, valid until the next stack.
 */
const char *wp_interprows_name(void *rows, size_t i)
{
	return wp_intern_bytes(&((struct wp_interprows *)rows)->names, i + 1, NULL);
}
