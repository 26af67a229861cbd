/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration files: lines "name = value". See conffile.c.
 *
 *	err = wp_conffile_read(path, &text, &size);
 *	while (wp_conffile_next(&file, &line))
 *		... line.nr, line.name, line.value, or line.problem
 *	free(text)				names and values are in it
 */
#ifndef WP_LIB_BASE_CONFFILE_H
#define WP_LIB_BASE_CONFFILE_H

#include <stddef.h>

/* Of a file, at most. */
#define WP_CONFFILE_SIZE	65536

/**
 * struct wp_conffile - a file that is being parsed
 * @text: its bytes; changed by the parser; behind them is one more, which is 0
 * @size: their number, without that one
 * @at: offset of the next line
 * @nr: number of the last line
 */
struct wp_conffile {
	char *text;
	size_t size;
	size_t at;
	unsigned int nr;
};

/**
 * struct wp_conffile_line - a setting
 * @nr: number of its line, from 1 on
 * @name: its name
 * @value: its value
 * @problem: why the line is not a setting; NULL: it is one
 */
struct wp_conffile_line {
	unsigned int nr;
	char *name;
	char *value;
	const char *problem;
};

int wp_conffile_read(const char *path, char **text, size_t *size);
int wp_conffile_next(struct wp_conffile *f, struct wp_conffile_line *line);

#endif /* WP_LIB_BASE_CONFFILE_H */
