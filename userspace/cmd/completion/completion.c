// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof --completion SHELL: prints completion code for a shell, generated from the
 * tables for --help. Each command is called with --list-opts, and options.c passes its
 * tables.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/completion/completion.h"
#include "cmd/completion/shell.h"
#include "lib/base/err.h"

static const struct wp_shell *const shells[] = {
	&wp_shell_bash, &wp_shell_zsh, &wp_shell_fish,
};

/**
 * wp_completed_next() - get the next name that can follow a word
 * @commands: the commands
 * @nr: number of commands
 * @before: a command with subcommands; NULL: the commands themselves
 * @i: 0 for the first; moved behind the one that is returned
 * @help: out: its line in the list
 *
 * Return: the name; NULL: there are no more.
 */
const char *wp_completed_next(const struct wp_completed *commands, size_t nr,
			      const char *before, size_t *i, const char **help)
{
	for (; *i < nr; ++*i) {
		const struct wp_completed *c = &commands[*i];

		if (before ? strcmp(c->words[0], before) || !c->words[1] :
		    *i && !strcmp(c->words[0], commands[*i - 1].words[0]))
			continue;
		++*i;
		*help = before ? c->subhelp : c->help;
		return c->words[before ? 1 : 0];
	}
	return NULL;
}

/**
 * wp_completed_command() - the words of a command
 * @o: its options
 *
 * Return: the words behind the program's name, as "sched record".
 */
const char *wp_completed_command(const struct wp_options *o)
{
	return strchr(o->command, ' ') + 1;
}

/**
 * wp_completed_value() - which values an option takes
 * @opt: the option, with an argument
 *
 * Return: their kind, by the name of the argument in the help.
 */
enum wp_value wp_completed_value(const struct wp_option *opt)
{
	static const struct {
		const char *arg;
		enum wp_value value;
	} kinds[] = {
		{ "file", WP_VALUE_FILE },
		{ "path", WP_VALUE_FILE },
		{ "directory", WP_VALUE_FILE },
		{ "pid", WP_VALUE_PID },
		{ "user", WP_VALUE_USER },
	};
	size_t i;

	/* That of flame is one of a recording. */
	if (opt->id == 'e' && !strncmp(opt->arg, "event", strlen("event")))
		return WP_VALUE_EVENT;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strncmp(opt->arg, kinds[i].arg, strlen(kinds[i].arg)))
			return kinds[i].value;
	}
	return WP_VALUE_OTHER;
}

/**
 * wp_completed_runs() - whether a command runs another one
 * @o: its options
 *
 * Return: whether another program's command line follows the options.
 */
bool wp_completed_runs(const struct wp_options *o)
{
	const char *const *usage;

	for (usage = o->usage; *usage; usage++) {
		if (strstr(*usage, "<command>"))
			return true;
	}
	return false;
}

static void print_options(const struct wp_completed *c)
{
	const char *const *words = c->words;
	char word[3][32], *argv[4] = { NULL };
	int argc = words[1] ? 3 : 2, i;

	snprintf(word[0], sizeof(word[0]), "%s", words[0]);
	snprintf(word[1], sizeof(word[1]), "%s", words[1] ? words[1] : "--list-opts");
	snprintf(word[2], sizeof(word[2]), "--list-opts");
	for (i = 0; i < argc; i++)
		argv[i] = word[i];
	c->run(argc, argv);
}

/**
 * wp_completion_print() - print completion code
 * @shell: name of the shell
 * @commands: the commands; those below another are adjacent
 * @nr: number of commands
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_completion_print(const char *shell, const struct wp_completed *commands, size_t nr)
{
	size_t i, k;

	for (i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shell, shells[i]->name))
			continue;
		shells[i]->begin(commands, nr);
		wp_options_set_lister(shells[i]->options);
		for (k = 0; k < nr; k++)
			print_options(&commands[k]);
		shells[i]->end(commands, nr);
		return wp_end_output(stdout);
	}
	wp_err("--completion must be 'bash', 'zsh' or 'fish', not '%s'", shell);
	return -1;
}
