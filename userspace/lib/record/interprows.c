// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of the interpreted functions of a recording. Each function of Python, with
 * file and line, and each method of Java is a row, and has an address of its own, in a file of
 * names that all processes have mapped (nameself.c). interpcodes.c and jvmmethods.c read the
 * functions. There are only so many rows.
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
 * @codes: functions of Python; NULL: there are none
 * @methods: methods of Java; NULL: these stay native frames
 * @names: names of the rows of each language, with a terminating 0
 */
struct wp_interprows {
	struct wp_interpcodes *codes;
	struct wp_jvmmethods *methods;
	struct wp_intern names[WP_INTERPROWS_KINDS];
};

/* The first row of each language. */
static int add_unread(struct wp_interprows *rows)
{
	static const char *const text[WP_INTERPROWS_KINDS] = {
		WP_INTERPCODES_UNREAD, WP_JVMMETHODS_UNREAD,
	};
	unsigned int i;

	for (i = 0; i < WP_INTERPROWS_KINDS; i++) {
		if (!wp_intern(&rows->names[i], text[i], strlen(text[i]) + 1, NULL))
			return -ENOMEM;
	}
	return 0;
}

/**
 * wp_interprows_new() - allocate an empty table
 * @codes: reads functions of Python; NULL: there are none
 * @methods: reads methods of Java; NULL: these stay native frames
 *
 * Return: the table, or NULL: there is no memory.
 */
struct wp_interprows *wp_interprows_new(struct wp_interpcodes *codes,
					struct wp_jvmmethods *methods)
{
	struct wp_interprows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->codes = codes;
	rows->methods = methods;
	if (add_unread(rows)) {
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
	unsigned int i;

	if (!rows)
		return;
	for (i = 0; i < WP_INTERPROWS_KINDS; i++)
		wp_intern_free(&rows->names[i]);
	free(rows);
}

/* The row of a name; 0: there is no room, or no memory. */
static __u32 add_row(struct wp_intern *names, const char *name)
{
	__u32 row = wp_intern_find(names, name, strlen(name) + 1);

	if (row || names->nr >= WP_INTERPROWS_MAX || names->len >= MAX_NAMES)
		return row;
	return wp_intern(names, name, strlen(name) + 1, NULL);
}

/* The row of a function. */
static __u32 add_function(struct wp_interprows *rows, const struct wp_interpfunction *f)
{
	char name[MAX_NAME], *at;

	wp_text_show(name, MAX_NAME / 2, f->name, false);
	at = name + strlen(name);
	*at++ = ' ';
	at += wp_text_show(at, name + MAX_NAME - 16 - at, f->file, false);
	if (f->line)
		sprintf(at, ":%u", f->line);
	return add_row(&rows->names[WP_INTERPROWS_PYTHON], name);
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
	*row = f.row->row ? f.row->row : add_function(rows, &f);
	f.row->row = *row;
	if (*row)
		return 0;
	wp_interpcodes_no_room(rows->codes);
	*row = 1;
	return 0;
}

/* The row of a method in a stack. */
static __u32 get_method(struct wp_interprows *rows, __u32 pid, __u64 time, __u64 word)
{
	const char *name = wp_jvmmethods_name(rows->methods, pid, word, time);
	char shown[MAX_NAME];
	__u32 row;

	if (!name)
		return 1;
	wp_text_show(shown, sizeof(shown), name, false);
	row = add_row(&rows->names[WP_INTERPROWS_JAVA], shown);
	if (row)
		return row;
	wp_jvmmethods_no_room(rows->methods);
	return 1;
}

/* In the middle, as readers subtract something from return addresses. */
static __u64 address_of(enum wp_interprows_kind kind, __u32 row)
{
	return WP_INTERPROWS_BASE_OF(kind) + (row - 1) * WP_NAMESELF_BYTES +
	       WP_NAMESELF_BYTES / 2;
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

/* Whether the words of a function of Python are there. */
static bool is_function(const __u64 *ips, unsigned int nr)
{
	return nr > 1 && WALLPROF_INTERP_IS_CODE(ips[0]) && WALLPROF_INTERP_IS_AT(ips[1]);
}

/**
 * wp_interprows_stack() - let interpreted functions stand in a stack
 * @rows: the rows
 * @pid: the process
 * @time: time of its sample
 * @ips: the user stack as the module has it
 * @nr: number of its words
 * @to: set to the addresses, at most @nr
 * @nr_to: set to their number
 * @has: set to the languages that have such functions, 1 << enum wp_interprows_kind
 *
 * They take the place of the native function that executes them; where Python shows none,
 * that one is left.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_interprows_stack(struct wp_interprows *rows, __u32 pid, __u64 time, const __u64 *ips,
			unsigned int nr, __u64 *to, unsigned int *nr_to, unsigned int *has)
{
	unsigned int i = 0, n = 0;

	*has = 0;
	if (rows->methods)
		wp_jvmmethods_look(rows->methods, pid, ips, nr);
	while (i < nr) {
		__u64 native = ips[i++];
		unsigned int from = n;

		/* Half of a function, or a method without its frame. */
		if (i > 1 && native & WALLPROF_INTERP_CODE)
			continue;
		if (rows->methods && i < nr && WALLPROF_INTERP_IS_WORD(ips[i])) {
			to[n++] = address_of(WP_INTERPROWS_JAVA,
					     get_method(rows, pid, time, ips[i++]));
			*has |= 1 << WP_INTERPROWS_JAVA;
		}
		for (; rows->codes && is_function(ips + i, nr - i); i += 2) {
			__u32 row;
			int err = get_row(rows, pid, &ips[i], &row);

			if (err)
				return err;
			if (!row)
				continue;
			to[n++] = address_of(WP_INTERPROWS_PYTHON, row);
			*has |= 1 << WP_INTERPROWS_PYTHON;
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
 * @kind: the language
 *
 * Return: their number; 1: no stack had a function that was read.
 */
size_t wp_interprows_nr(const struct wp_interprows *rows, enum wp_interprows_kind kind)
{
	return rows->names[kind].nr;
}

/**
 * wp_interprows_names() - names of rows
 * @rows: the rows
 * @kind: the language
 *
 * Return: the names.
 */
struct wp_intern *wp_interprows_names(struct wp_interprows *rows, enum wp_interprows_kind kind)
{
	return &rows->names[kind];
}

/**
 * wp_interprows_name() - name of a row
 * @names: the names
 * @i: its number, from 0
 *
 * Return: the name, valid until the next stack.
 */
const char *wp_interprows_name(void *names, size_t i)
{
	return wp_intern_bytes(names, i + 1, NULL);
}
