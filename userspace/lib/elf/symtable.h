/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of one file, by address. See symtable.c.
 */
#ifndef WP_LIB_ELF_SYMTABLE_H
#define WP_LIB_ELF_SYMTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

/* Limits for a file: number of functions, and bytes of names; more are dropped. */
#define WP_SYMTABLE_MAX		(1 << 22)
#define WP_SYMTABLE_NAMES	((size_t)256 << 20)

/* Maximum length of a name: a longer one is truncated. */
#define WP_SYMTABLE_NAME	16384

/**
 * struct wp_symtable_entry - a function
 * @start: its start
 * @end: its end, exclusive
 * @name: position in the table's names of its name, followed, after the 0, by the name of
 *	its module, or nothing
 * @weak: it is a weak symbol
 * @local: it is a local one
 */
struct wp_symtable_entry {
	__u64 start;
	__u64 end;
	size_t name;
	bool weak;
	bool local;
};

/**
 * struct wp_symtable - functions; all zero: an empty table
 * @entry: functions; sorted by address after wp_symtable_sort()
 * @nr: their number
 * @room: allocated entries
 * @names: names
 * @len: used bytes of @names
 * @names_room: allocated bytes of @names
 * @sched_start: of a kernel: start of the scheduler's own functions, in which threads
 *	leave their CPU; not below @sched_end if unknown
 * @sched_end: their end
 */
struct wp_symtable {
	struct wp_symtable_entry *entry;
	size_t nr;
	size_t room;
	char *names;
	size_t len;
	size_t names_room;
	__u64 sched_start;
	__u64 sched_end;
};

bool wp_symtable_full(const struct wp_symtable *t);
int wp_symtable_add(struct wp_symtable *t, const struct wp_symtable_entry *entry,
		    const char *name, const char *module);
bool wp_symtable_move(struct wp_symtable *t, const char *label, __u64 to);
void wp_symtable_sort(struct wp_symtable *t);
const struct wp_symtable_entry *wp_symtable_find(const struct wp_symtable *t, __u64 address);
int wp_symtable_kallsyms(struct wp_symtable *t, FILE *f);
int wp_symtable_perfmap(struct wp_symtable *t, FILE *f);
void wp_symtable_free(struct wp_symtable *t);

#endif /* WP_LIB_ELF_SYMTABLE_H */
