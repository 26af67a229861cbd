/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shell completion. See completion.c.
 */
#ifndef WP_CMD_COMPLETION_COMPLETION_H
#define WP_CMD_COMPLETION_COMPLETION_H

#include <stddef.h>

/**
 * struct wp_completed - a command whose options are completed
 * @words: the command, and for a subcommand both names, terminated by NULL
 * @help: the command's line in the list of commands
 * @subhelp: the same of a subcommand, or NULL
 * @run: called with the words and an option; prints its options
 */
struct wp_completed {
	const char *words[3];
	const char *help;
	const char *subhelp;
	int (*run)(int argc, char **argv);
};

int wp_completion_print(const char *shell, const struct wp_completed *commands, size_t nr);

#endif /* WP_CMD_COMPLETION_COMPLETION_H */
