// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof --completion SHELL: prints completion code for a shell, generated from the
 * tables for --help. Each command is called with --list-opts, and options.c passes its
 * tables.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/completion.h"
#include "lib/base/err.h"

static const char bash_head[] =
	"# bash completion of wallprof " WP_VERSION ", as 'wallprof --completion bash' prints it.\n"
	"_wallprof()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal command=${COMP_WORDS[1]-} at=2 i words='' values=''\n"
	"\tCOMPREPLY=()\n"
	"\t[[ $command != sched || $COMP_CWORD -lt 3 ]] || { command+=\" ${COMP_WORDS[2]}\"; at=3; }\n"
	"\t((COMP_CWORD > 1)) || command=''\n"
	"\tcase $command in\n";

static const char bash_tail[] =
	"\tesac\n"
	"\t# Behind -- is another program; options have values, which are files or of their own.\n"
	"\tfor ((i = at; i < COMP_CWORD; i++)); do\n"
	"\t\t[[ ${COMP_WORDS[i]} != -- ]] || { compopt -o default; return; }\n"
	"\tdone\n"
	"\tif [[ $prev = '=' || $cur = '=' || \" $values \" = *\" $prev \"* ]]; then\n"
	"\t\tcompopt -o default\n"
	"\telif [[ $cur = -* || $command = '' || $command = sched ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	"\t\t# Options are offered when one begins.\n"
	"\t\t[[ -n $cur ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -X '-*' -- '')\n"
	"\telse\n"
	"\t\tcompopt -o default\n"
	"\tfi\n"
	"}\n"
	"complete -F _wallprof wallprof\n";

/* The words of one command: all its options, and again those that take a value. */
static void print_options(const struct wp_options *o, bool values)
{
	const struct wp_option *opt;
	unsigned int i;

	for (i = 0; (opt = wp_option_at(o, i)); i++) {
		if (values && !opt->arg)
			continue;
		if (opt->id < 256)
			printf(" -%c", opt->id);
		if (opt->name)
			printf(" --%s", opt->name);
	}
}

static void print_command(const struct wp_options *o)
{
	printf("\t\twords='-h --help");
	print_options(o, false);
	printf("'\n\t\tvalues='");
	print_options(o, true);
	printf("' ;;\n");
}

/* The distinct names that follow @before; NULL: those of all commands. */
static void print_names(const struct wp_completed *commands, size_t nr, const char *before)
{
	const char *last = "";
	size_t i;

	for (i = 0; i < nr; i++) {
		const char *name = commands[i].words[before ? 1 : 0];

		if (name && strcmp(name, last) &&
		    (!before || !strcmp(commands[i].words[0], before)))
			printf(" %s", last = name);
	}
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
	size_t i;

	if (strcmp(shell, "bash")) {
		wp_err("--completion must be 'bash', not '%s'", shell);
		return -1;
	}
	fputs(bash_head, stdout);
	printf("\t'')\n\t\twords='--help --version --completion help");
	print_names(commands, nr, NULL);
	printf("' ;;\n");
	wp_options_set_lister(print_command);
	for (i = 0; i < nr; i++) {
		const char *const *words = commands[i].words;
		char word[3][32], *argv[4] = { NULL };
		int argc = words[1] ? 3 : 2, k;

		if (words[1] && (!i || strcmp(commands[i - 1].words[0], words[0]))) {
			printf("\t%s)\n\t\twords='--help", words[0]);
			print_names(commands, nr, words[0]);
			printf("' ;;\n");
		}
		printf("\t'%s%s%s')\n", words[0], words[1] ? " " : "", words[1] ? words[1] : "");
		snprintf(word[0], sizeof(word[0]), "%s", words[0]);
		snprintf(word[1], sizeof(word[1]), "%s", words[1] ? words[1] : "--list-opts");
		snprintf(word[2], sizeof(word[2]), "--list-opts");
		for (k = 0; k < argc; k++)
			argv[k] = word[k];
		commands[i].run(argc, argv);
	}
	fputs(bash_tail, stdout);
	return wp_end_output(stdout);
}
