/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Table of a command's options, for the parser and the help. See options.c.
 */
#ifndef WP_CMD_COMMON_OPTIONS_H
#define WP_CMD_COMMON_OPTIONS_H

struct wp_perf_option;

/* perf's exit status for an invalid command line. */
#define WP_EXIT_USAGE	129
/* perf's exit status for all other failures. */
#define WP_EXIT_ERROR	255

/* wp_parse_options(): there is nothing left to do; exit with status 0. */
#define WP_OPTIONS_DONE	1

/**
 * struct wp_option - one option
 * @id: its letter, or a number above 255 if it has none; 0 ends the table
 * @name: long name, NULL if it has none
 * @arg: description of its argument, NULL if it takes none; in "[]" if it is optional:
 *	then @set may get NULL. In "[=]" it is never the next word
 * @help: one or more lines
 */
struct wp_option {
	int id;
	const char *name;
	const char *arg;
	const char *help;
};

/**
 * struct wp_options - the options of a command
 * @command: "wallprof record"
 * @usage: what follows the command, one line each, NULL at the end
 * @table: the options
 * @shared: more options, shared with other commands; or NULL
 * @perf_options: options of perf's that the command does not have, or NULL
 * @set: called for each option found; returns 0 or a negative errno after it printed a
 *	message
 */
struct wp_options {
	const char *command;
	const char *const *usage;
	const struct wp_option *table;
	const struct wp_option *shared;
	const struct wp_perf_option *perf_options;
	int (*set)(void *ctx, int id, const char *arg);
};

int wp_parse_options(const struct wp_options *o, int argc, char **argv, void *ctx, int *rest);
const struct wp_option *wp_option_at(const struct wp_options *o, unsigned int nr);
void wp_options_set_lister(void (*fn)(const struct wp_options *o));
void wp_print_usage(const struct wp_options *o);

#endif /* WP_CMD_COMMON_OPTIONS_H */
