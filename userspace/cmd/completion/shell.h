/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the completion of a shell is printed by: bash.c, zsh.c, fish.c.
 */
#ifndef WP_CMD_COMPLETION_SHELL_H
#define WP_CMD_COMPLETION_SHELL_H

#include <stdbool.h>
#include <stddef.h>

struct wp_completed;
struct wp_option;
struct wp_options;

/**
 * enum wp_value - values of an option
 * @WP_VALUE_FILE: files and directories
 * @WP_VALUE_PID: process ids
 * @WP_VALUE_USER: users
 * @WP_VALUE_EVENT: events of this host
 * @WP_VALUE_OTHER: not known to a shell
 */
enum wp_value {
	WP_VALUE_FILE,
	WP_VALUE_PID,
	WP_VALUE_USER,
	WP_VALUE_EVENT,
	WP_VALUE_OTHER,
};

/**
 * struct wp_shell - prints completion code
 * @name: the shell
 * @begin: what comes first; subcommands of a command are adjacent
 * @options: the options of one command, named by the table
 * @end: what comes last
 */
struct wp_shell {
	const char *name;
	void (*begin)(const struct wp_completed *commands, size_t nr);
	void (*options)(const struct wp_options *o);
	void (*end)(const struct wp_completed *commands, size_t nr);
};

extern const struct wp_shell wp_shell_bash;
extern const struct wp_shell wp_shell_zsh;
extern const struct wp_shell wp_shell_fish;

const char *wp_completed_next(const struct wp_completed *commands, size_t nr,
			      const char *before, size_t *i, const char **help);
const char *wp_completed_command(const struct wp_options *o);
enum wp_value wp_completed_value(const struct wp_option *opt);
bool wp_completed_runs(const struct wp_options *o);

#endif /* WP_CMD_COMPLETION_SHELL_H */
