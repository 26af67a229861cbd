// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes of the module's tables, one by one: the option --tables.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/wallprof.h>

#include "cmd/common/option-values.h"
#include "cmd/record/tablesizes.h"
#include "lib/base/err.h"
#include "lib/record/sessionopts.h"

/**
 * struct size - a table
 * @name: its name
 * @min: the least number of its entries
 * @max: the largest
 * @power: it is a power of two
 * @value: where it is to be stored
 */
struct size {
	const char *name;
	int min;
	int max;
	bool power;
	__u32 *value;
};

static int parse_size(const struct size *size, const char *arg)
{
	char option[32];
	int n = 0, err;

	snprintf(option, sizeof(option), "--tables %s", size->name);
	err = wp_value_int(option, arg, size->min, size->max, &n);
	if (!err && size->power && n & (n - 1)) {
		wp_err("%s: %d is not a power of two", option, n);
		err = -EINVAL;
	}
	if (!err)
		*size->value = n;
	return err;
}

/**
 * wp_table_sizes_parse() - parse the value of --tables
 * @arg: the text: NAME=N,...
 * @o: its sizes are set
 *
 * Return: 0; -EINVAL after a message; -ENOMEM.
 */
int wp_table_sizes_parse(const char *arg, struct wp_record_opts *o)
{
	const struct size sizes[] = {
		{ "aggrs", WALLPROF_MIN_AGGRS, WALLPROF_MAX_AGGRS, false, &o->aggrs },
		{ "stack-words", WALLPROF_MIN_STACK_WORDS, WALLPROF_MAX_STACK_WORDS, false,
		  &o->stack_words },
		{ "exits", WALLPROF_MIN_EXITS, WALLPROF_MAX_EXITS, false, &o->exits },
		{ "waits", WALLPROF_MIN_WAITS, WALLPROF_MAX_WAITS, false, &o->waits },
		{ "tasks", WALLPROF_MIN_TASKS, WALLPROF_MAX_TASKS, true, &o->tasks },
		{ "records", WALLPROF_MIN_RECORDS, WALLPROF_MAX_RECORDS, true, &o->ring },
	};
	const size_t nr = sizeof(sizes) / sizeof(sizes[0]);
	char *words = strdup(arg), *rest = words, *word;
	int err = words ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, ","))) {
		char *value = strchr(word, '=');
		size_t i;

		if (value)
			*value++ = 0;
		for (i = 0; i < nr && strcmp(word, sizes[i].name); i++)
			;
		if (value && i < nr) {
			err = parse_size(&sizes[i], value);
			continue;
		}
		wp_err("--tables: '%s' is not aggrs=N, stack-words=N, exits=N, waits=N, tasks=N or records=N",
		       word);
		err = -EINVAL;
	}
	free(words);
	return err;
}
