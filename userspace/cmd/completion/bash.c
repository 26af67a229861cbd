// SPDX-License-Identifier: GPL-2.0
/*
 * Completion for bash.
 */
#include <stdio.h>

#include "cmd/common/options.h"
#include "cmd/completion/completion.h"
#include "cmd/completion/shell.h"

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
static void print_words(const struct wp_options *o, bool values)
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

static void print_options(const struct wp_options *o)
{
	printf("\t'%s')\n\t\twords='-h --help", wp_completed_command(o));
	print_words(o, false);
	printf("'\n\t\tvalues='");
	print_words(o, true);
	printf("' ;;\n");
}

/* The names that follow @before; NULL: those of all commands. */
static void print_names(const struct wp_completed *commands, size_t nr, const char *before)
{
	const char *name, *help;
	size_t i = 0;

	while ((name = wp_completed_next(commands, nr, before, &i, &help)))
		printf(" %s", name);
}

static void print_begin(const struct wp_completed *commands, size_t nr)
{
	const char *name, *help;
	size_t i = 0;

	fputs(bash_head, stdout);
	printf("\t'')\n\t\twords='--help --version --completion help");
	print_names(commands, nr, NULL);
	printf("' ;;\n");
	while ((name = wp_completed_next(commands, nr, NULL, &i, &help))) {
		if (!commands[i - 1].words[1])
			continue;
		printf("\t%s)\n\t\twords='--help", name);
		print_names(commands, nr, name);
		printf("' ;;\n");
	}
}

static void print_end(const struct wp_completed *commands, size_t nr)
{
	(void)commands;
	(void)nr;
	fputs(bash_tail, stdout);
}

const struct wp_shell wp_shell_bash = { "bash", print_begin, print_options, print_end };
