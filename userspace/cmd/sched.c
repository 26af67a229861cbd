// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof sched: the scheduler's timeline. Finds the command that is meant.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/options.h"
#include "cmd/sched.h"

static const char usage[] =
	"\n Usage: wallprof sched record [<options>] [<command>]\n\n"
	" Record every switch and wakeup of the host, as perf sched record does;\n"
	" perf sched latency, map, timehist and script read the file.\n\n"
	" See 'wallprof sched record --help' for its options.\n\n";

/**
 * cmd_sched() - the command
 * @argc: arguments
 * @argv: the same; the first one is "sched"
 *
 * Return: its exit status.
 */
int cmd_sched(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	/* As perf: "rec" is enough. */
	if (strlen(word) > 2 && !strncmp(word, "record", strlen(word)))
		return cmd_sched_record(argc - 1, argv + 1);
	if (*word)
		fprintf(stderr, "wallprof: '%s' is not a sched command\n", word);
	fputs(usage, stderr);
	return WP_EXIT_USAGE;
}
