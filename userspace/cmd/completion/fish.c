// SPDX-License-Identifier: GPL-2.0
/*
 * Completion for fish: a line for each command and each option.
 */
#include <stdio.h>

#include "cmd/common/options.h"
#include "cmd/completion/completion.h"
#include "cmd/completion/shell.h"

static const char fish_head[] =
	"# fish completion of wallprof " WP_VERSION ", as 'wallprof --completion fish' prints it.\n"
	"# Whether the words before the cursor are those of a command, and its options may follow.\n"
	"function __wallprof_at\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l command $words[2]\n"
	"\tstring match -q -- '-*' $command; and set command\n"
	"\tif test \"$command\" = sched; and set -q words[3]\n"
	"\t\tset command \"sched $words[3]\"\n"
	"\tend\n"
	"\ttest \"$command\" = \"$argv\"; and not contains -- -- $words\n"
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

static void print_options(const struct wp_options *o)
{
	const struct wp_option help = { 'h', "help", NULL, "list the options" }, *opt;
	const char *command = wp_completed_command(o);
	unsigned int i;

	print_option(command, &help);
	for (i = 0; (opt = wp_option_at(o, i)); i++)
		print_option(command, opt);
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
