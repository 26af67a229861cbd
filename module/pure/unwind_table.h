/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind tables, in the format of uapi/linux/wallprof_unwind.h, and processes' mappings
 * of the files that they describe. Pure.
 *
 * unwind_table.c checks a table once, in process context. The lookups are here since they
 * must be inlined: see unwind_cfi.h.
 */
#ifndef WALLPROF_PURE_UNWIND_TABLE_H
#define WALLPROF_PURE_UNWIND_TABLE_H

#include <linux/nospec.h>
#include <linux/types.h>
#include <linux/wallprof_unwind.h>

/**
 * struct wp_table - a checked table
 * @base: address where the first page begins
 * @nr_pages: number of pages
 * @nr_rules: number of rules; the index in each row is below it
 * @pages: index of each page's first row, and of the end of the last
 * @rows: rows
 * @rules: rules
 * @saves: lists of saved registers, each ended within the array
 */
struct wp_table {
	u64 base;
	u32 nr_pages;
	u32 nr_rules;
	const u32 *pages;
	const struct wallprof_row *rows;
	const struct wallprof_rule *rules;
	const struct wallprof_save *saves;
};

/**
 * struct wp_map - code that a process has mapped
 * @start: first address
 * @end: address behind the last
 * @bias: address in the process less address in the file
 * @table: the file's table; NULL if there is none
 */
struct wp_map {
	u64 start;
	u64 end;
	u64 bias;
	const struct wp_table *table;
};

/**
 * struct wp_maps - all code that a process has mapped
 * @map: sorted by address; they do not overlap
 * @nr: how many
 * @generation: a number that no other mappings have, from 1 on
 */
struct wp_maps {
	const struct wp_map *map;
	u32 nr;
	u64 generation;
};

const char *wp_table_check(struct wp_table *table, const void *data, u64 size,
			   u16 machine);
u64 wp_table_size(const struct wallprof_table *head);

/**
 * wp_table_find - find the rule of an address
 * @table: the table
 * @pc: address in the file
 *
 * Context: any.
 * Return: the rule; NULL if the address is outside of the table.
 */
static __always_inline const struct wallprof_rule *
wp_table_find(const struct wp_table *table, u64 pc)
{
	u64 page = (pc - table->base) >> WALLPROF_TABLE_SHIFT;
	u32 low = pc & ((1U << WALLPROF_TABLE_SHIFT) - 1);
	const struct wallprof_row *row;
	u32 nr;

	if (page >= table->nr_pages)
		return NULL;
	/* The user chooses the address: no speculation beyond the array. */
	page = array_index_nospec((unsigned long)page, table->nr_pages);
	row = table->rows + table->pages[page];
	nr = table->pages[page + 1] - table->pages[page];
	while (nr > 1) {
		u32 half = nr / 2;

		if (row[half].pc <= low)
			row += half;
		nr -= half;
	}
	return &table->rules[row->rule];
}

/**
 * wp_maps_find - find the mapping of an address
 * @maps: the mappings
 * @addr: address in the process
 *
 * Context: any.
 * Return: the mapping, or NULL.
 */
static __always_inline const struct wp_map *
wp_maps_find(const struct wp_maps *maps, u64 addr)
{
	const struct wp_map *map = maps->map;
	u32 nr = maps->nr;

	if (!nr)
		return NULL;
	while (nr > 1) {
		u32 half = nr / 2;

		if (map[half].start <= addr)
			map += half;
		nr -= half;
	}
	return addr >= map->start && addr < map->end ? map : NULL;
}

#endif /* WALLPROF_PURE_UNWIND_TABLE_H */
