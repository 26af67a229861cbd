/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of the files that a recording leaves one after another. See outputnames.c.
 */
#ifndef WP_CMD_COMMON_OUTPUTNAMES_H
#define WP_CMD_COMMON_OUTPUTNAMES_H

#include <stddef.h>

#define WP_OUTPUT_MAX_FILES	100000

/**
 * struct wp_output_names - files that a recording has left; all zero: none
 * @max: how many are kept, 0: all
 * @name: the names, the oldest one at @nr % @max
 * @nr: how many were left
 */
struct wp_output_names {
	unsigned int max;
	char **name;
	size_t nr;
};

int wp_output_names_init(struct wp_output_names *n, unsigned int max);
int wp_output_name(const char *output, char *path, size_t size);
void wp_output_names_add(struct wp_output_names *n, const char *path);
void wp_output_names_free(struct wp_output_names *n);

#endif /* WP_CMD_COMMON_OUTPUTNAMES_H */
