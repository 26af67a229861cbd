// SPDX-License-Identifier: GPL-2.0
/*
 * Completion for fish: a line for each command and each option.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/completion/completion.h"
#include "cmd/completion/shell.h"

static const char fish_head[] =
	"# fish completion of wallprof " WP_VERSION ", as 'wallprof --completion fish' prints it.\n"
	"# The command in the words before the cursor: 'sched record'.\n"
	"function __wallprof_command\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l command $words[2]\n"
	"\tstring match -q -- '-*' $command; and set command\n"
	"\tif test \"$command\" = sched; and set -q words[3]\n"
	"\t\tset command \"sched $words[3]\"\n"
	"\tend\n"
	"\techo $command\n"
	"end\n"
	"# Whether another program has begun before the cursor: behind --, or with a word that is no\n"
	"# option and no value of those in __wallprof_values_COMMAND.\n"
	"function __wallprof_began\n"
	"\tset -l name __wallprof_values_(string replace ' ' _ -- $argv)\n"
	"\tset -l words (commandline -opc)\n"
	"\tif not set -q $name\n"
	"\t\tcontains -- -- $words\n"
	"\t\treturn\n"
	"\tend\n"
	"\tset -l at (count wallprof (string split ' ' -- $argv) next)\n"
	"\twhile set -q words[$at]\n"
	"\t\ttest \"$words[$at]\" != --; or return 0\n"
	"\t\tstring match -q -- '-*' $words[$at]; or return 0\n"
	"\t\tcontains -- $words[$at] $$name; and set at (math $at + 1)\n"
	"\t\tset at (math $at + 1)\n"
	"\tend\n"
	"\treturn 1\n"
	"end\n"
	"# Whether options of this command may follow, or another program.\n"
	"function __wallprof_at\n"
	"\ttest (__wallprof_command) = \"$argv\"; or return 1\n"
	"\ttest -z \"$argv\"; or not __wallprof_began $argv\n"
	"end\n"
	"function __wallprof_runs\n"
	"\ttest (__wallprof_command) = \"$argv\"; or return 1\n"
	"\t__wallprof_began $argv; or not string match -q -- '-*' (commandline -ct)\n"
	"end\n"
	"function __wallprof_help\n"
	"\tset -l words (commandline -opc)\n"
	"\ttest \"$words[2]\" = help; and not set -q words[3]\n"
	"end\n";

static void print_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text == '\n' ? ' ' : *text);
	}
	putchar('\'');
}

static void print_option(const char *command, const struct wp_option *opt)
{
	static const char *const values[] = {
		[WP_VALUE_FILE] = " -r -F",
		[WP_VALUE_PID] = " -x -a '(__fish_complete_pids)'",
		[WP_VALUE_USER] = " -x -a '(__fish_complete_users)'",
		[WP_VALUE_EVENT] = " -x -a '(__fish_complete_list , \"wallprof list -q 2>/dev/null\")'",
		[WP_VALUE_OTHER] = " -x",
	};

	printf("complete -c wallprof -n '__wallprof_at %s'", command);
	if (opt->id < 256)
		printf(" -s %c", opt->id);
	if (opt->name)
		printf(" -l %s", opt->name);
	/* An optional value is in the same word. */
	printf("%s -d ", opt->arg && *opt->arg != '[' ? values[wp_completed_value(opt)] : "");
	print_quoted(opt->help);
	putchar('\n');
}

/* The options whose value is in the next word. */
static void print_values(const struct wp_options *o)
{
	const struct wp_option *opt;
	unsigned int i;

	for (i = 0; (opt = wp_option_at(o, i)); i++) {
		if (!opt->arg || *opt->arg == '[')
			continue;
		if (opt->id < 256)
			printf(" -%c", opt->id);
		if (opt->name)
			printf(" --%s", opt->name);
	}
}

static void print_options(const struct wp_options *o)
{
	const struct wp_option help = { 'h', "help", NULL, "list the options" }, *opt;
	const char *command = wp_completed_command(o), *at;
	unsigned int i;

	print_option(command, &help);
	for (i = 0; (opt = wp_option_at(o, i)); i++)
		print_option(command, opt);
	if (!wp_completed_runs(o))
		return;
	printf("set -g __wallprof_values_");
	for (at = command; *at; at++)
		putchar(*at == ' ' ? '_' : *at);
	print_values(o);
	printf("\ncomplete -c wallprof -x -n '__wallprof_runs %s' -a '(__fish_complete_subcommand --fcs-skip=%d",
	       command, strchr(command, ' ') ? 3 : 2);
	print_values(o);
	printf(")'\n");
}

static void print_names(const struct wp_completed *commands, size_t nr, const char *before)
{
	const char *name, *help;
	size_t i = 0;

	while ((name = wp_completed_next(commands, nr, before, &i, &help))) {
		printf("complete -c wallprof -f -n '__wallprof_at %s' -a %s -d ",
		       before ? before : "\"\"", name);
		print_quoted(help);
		putchar('\n');
	}
}

static void print_flag(const char *before, const char *flag)
{
	printf("complete -c wallprof -n '__wallprof_at %s' %s\n", before, flag);
}

static void print_begin(const struct wp_completed *commands, size_t nr)
{
	const char *name, *help;
	size_t i = 0;

	fputs(fish_head, stdout);
	print_names(commands, nr, NULL);
	printf("complete -c wallprof -f -n '__wallprof_at \"\"' -a help -d 'show the man page of a command'\n");
	printf("complete -c wallprof -x -n __wallprof_help -a '");
	i = 0;
	while ((name = wp_completed_next(commands, nr, NULL, &i, &help)))
		printf("%s ", name);
	printf("'\n");
	i = 0;
	print_flag("\"\"", "-s h -l help -d 'list the commands'");
	print_flag("\"\"", "-l version -d 'print the version'");
	print_flag("\"\"", "-l completion -x -a 'bash zsh fish' -d 'print completion code'");
	while ((name = wp_completed_next(commands, nr, NULL, &i, &help))) {
		if (!commands[i - 1].words[1])
			continue;
		print_names(commands, nr, name);
		print_flag(name, "-s h -l help -d 'list the commands'");
	}
}

static void print_end(const struct wp_completed *commands, size_t nr)
{
	(void)commands;
	(void)nr;
}

const struct wp_shell wp_shell_fish = { "fish", print_begin, print_options, print_end };
