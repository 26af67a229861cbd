// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof sched: the scheduler's timeline. Dispatches to the subcommands.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/sched/sched.h"
#include "lib/base/nearest.h"
#include "lib/base/text.h"

/* The first @least letters of @name are enough, as in perf. */
static const struct command {
	const char *name;
	size_t least;
	const char *help;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "record", 3, "Record every switch and wakeup of the host", cmd_sched_record },
	{ "latency", 3, "Show how long each task ran, waited for a CPU and was blocked",
	  cmd_sched_latency },
	{ "timehist", 4, "Show each time slice, and the wait before it", cmd_sched_timehist },
	{ "map", 3, "Draw which thread ran on each CPU", cmd_sched_map },
	{ "hist", 4, "Draw histograms of wait times, also over time", cmd_sched_hist },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *f)
{
	size_t i;

	fprintf(f, "\n Usage: wallprof sched COMMAND [<options>]\n\n The commands are:\n");
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(f, "   %-10s %s\n", commands[i].name, commands[i].help);
	fprintf(f, "\n They read what 'wallprof sched record' and 'perf sched record' write; perf\n"
		" sched reads it, too. See 'wallprof sched COMMAND --help' for the options.\n\n");
}

static void no_command(const char *word)
{
	struct wp_nearest n = WP_NEAREST(word);
	size_t i;

	if (!strcmp(word, "replay") || !strcmp(word, "script")) {
		fprintf(stderr, "wallprof: there is no 'sched %s' here; use 'perf sched %s', which reads the file, too\n",
			word, word);
		return;
	}
	wp_text_print(stderr, "wallprof: '%s' is not a sched command\n", word);
	for (i = 0; i < NR_COMMANDS; i++)
		wp_nearest_offer(&n, commands[i].name);
	if (wp_nearest_found(&n))
		fprintf(stderr, "Did you mean 'wallprof sched %s'?\n", n.name);
}

/**
 * wp_sched_command() - names of the subcommands
 * @nr: from 0 on
 * @help: out: its line in the list
 *
 * Return: its name; NULL: there are no more.
 */
const char *wp_sched_command(size_t nr, const char **help)
{
	if (nr >= NR_COMMANDS)
		return NULL;
	*help = commands[nr].help;
	return commands[nr].name;
}

/**
 * cmd_sched() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "sched"
 *
 * Return: its exit status.
 */
int cmd_sched(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	size_t i, len = strlen(word);

	if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
		print_usage(stdout);
		return 0;
	}
	for (i = 0; i < NR_COMMANDS; i++) {
		if (len >= commands[i].least && !strncmp(word, commands[i].name, len))
			return commands[i].run(argc - 1, argv + 1);
	}
	if (*word)
		no_command(word);
	print_usage(stderr);
	return WP_EXIT_USAGE;
}
