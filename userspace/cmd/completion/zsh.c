// SPDX-License-Identifier: GPL-2.0
/*
 * Completion for zsh: a function for each command, whose options are specifications of
 * _arguments (zshcompsys(1)).
 */
#include <stdio.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/completion/completion.h"
#include "cmd/completion/shell.h"

/* Text within single quotes, with a backslash before each of @special. */
static void print_quoted(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (*text == '\n')
			putchar(' ');
		else
			printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
	}
}

/* What follows the names: description, and the kind of value. */
static void print_rest(const struct wp_option *opt)
{
	static const char *const actions[] = {
		[WP_VALUE_FILE] = "_files",
		[WP_VALUE_PID] = "_pids",
		[WP_VALUE_USER] = "_users",
		[WP_VALUE_EVENT] = "_wallprof_events",
		/* The description is shown alone. */
		[WP_VALUE_OTHER] = " ",
	};

	printf("'[");
	print_quoted(opt->help, "[]\\");
	putchar(']');
	if (opt->arg) {
		printf(*opt->arg == '[' ? "::" : ":");
		print_quoted(opt->arg, ":\\");
		printf(":%s", actions[wp_completed_value(opt)]);
	}
	printf("' \\\n");
}

static void print_option(const struct wp_option *opt)
{
	const char *shorts = opt->arg ? "+" : "", *longs = opt->arg ? "=" : "";

	/* An optional value is in the same word. */
	if (opt->arg && *opt->arg == '[')
		shorts = "-";
	printf("\t\t");
	if (opt->id < 256 && opt->name)
		printf("'(-%c --%s)'{-%c%s,--%s%s}", opt->id, opt->name, opt->id, shorts,
		       opt->name, longs);
	else if (opt->id < 256)
		printf("'-%c%s'", opt->id, shorts);
	else
		printf("'--%s%s'", opt->name, longs);
	print_rest(opt);
}

static void print_function(const char *command)
{
	printf("_wallprof");
	for (putchar('_'); *command; command++)
		putchar(*command == ' ' ? '_' : *command);
	printf("()\n{\n");
}

static void print_options(const struct wp_options *o)
{
	const struct wp_option *opt;
	unsigned int i;

	print_function(wp_completed_command(o));
	printf("\t_arguments -s -S \\\n\t\t'(- *)'{-h,--help}'[list the options]' \\\n");
	for (i = 0; (opt = wp_option_at(o, i)); i++)
		print_option(opt);
	printf(wp_completed_runs(o) ? "\t\t'*:::command:_normal'\n}\n" : "\t\t'*:file:_files'\n}\n");
}

/* The function that completes the names that follow @before, and calls theirs. */
static void print_names(const struct wp_completed *commands, size_t nr, const char *before)
{
	const char *name, *help;
	size_t i = 0;

	printf("_wallprof%s%s()\n{\n\tlocal curcontext=$curcontext state line\n\tlocal -a commands=(\n",
	       before ? "_" : "", before ? before : "");
	while ((name = wp_completed_next(commands, nr, before, &i, &help))) {
		printf("\t\t'%s:", name);
		print_quoted(help, ":\\");
		printf("'\n");
	}
	if (!before)
		printf("\t\t'help:show the man page of a command'\n");
	printf("\t)\n\t_arguments -C '(- *)'{-h,--help}'[list the commands]' \\\n");
	if (!before)
		printf("\t\t'(- *)--version[print the version]' \\\n"
		       "\t\t'(- *)--completion=[print completion code]:shell:(bash zsh fish)' \\\n");
	printf("\t\t'1:command:->command' '*::argument:->argument'\n"
	       "\tcase $state in\n"
	       "\t(command) _describe command commands ;;\n"
	       "\t(argument) (( ! $+functions[_wallprof_%s%s$words[1]] )) ||\n"
	       "\t\t_wallprof_%s%s$words[1] ;;\n\tesac\n}\n",
	       before ? before : "", before ? "_" : "", before ? before : "", before ? "_" : "");
}

static void print_begin(const struct wp_completed *commands, size_t nr)
{
	const char *name, *help;
	size_t i = 0;

	printf("#compdef wallprof\n"
	       "# zsh completion of wallprof " WP_VERSION
	       ", as 'wallprof --completion zsh' prints it.\n");
	print_names(commands, nr, NULL);
	while ((name = wp_completed_next(commands, nr, NULL, &i, &help))) {
		if (commands[i - 1].words[1])
			print_names(commands, nr, name);
	}
	printf("_wallprof_events()\n{\n\tcompset -P '*,'\n"
	       "\tcompadd -- ${(f)\"$(_call_program events wallprof list -q 2>/dev/null)\"}\n}\n");
	printf("_wallprof_help()\n{\n\t_arguments '1:command:(");
	i = 0;
	while ((name = wp_completed_next(commands, nr, NULL, &i, &help)))
		printf("%s ", name);
	printf(")'\n}\n");
}

/* In a directory of $fpath it is the body of a function; it can also be sourced. */
static void print_end(const struct wp_completed *commands, size_t nr)
{
	(void)commands;
	(void)nr;
	printf("if [[ ${funcstack[1]-} = _wallprof ]]; then\n\t_wallprof \"$@\"\nelse\n"
	       "\tcompdef _wallprof wallprof\nfi\n");
}

const struct wp_shell wp_shell_zsh = { "zsh", print_begin, print_options, print_end };
