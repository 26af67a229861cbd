// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof: dispatches to the commands.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "cmd/archive.h"
#include "cmd/common/options.h"
#include "cmd/common/signals.h"
#include "cmd/completion/completion.h"
#include "cmd/diff/diff.h"
#include "cmd/doctor.h"
#include "cmd/export/export.h"
#include "cmd/flame/flame.h"
#include "cmd/list.h"
#include "cmd/record/record.h"
#include "cmd/report/report.h"
#include "cmd/sched/sched.h"
#include "cmd/stacks/stacks.h"
#include "cmd/top/top.h"
#include "lib/base/err.h"
#include "lib/base/hostlibs.h"
#include "lib/base/nearest.h"
#include "lib/base/text.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/worker.h"

static const struct command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "record", "Record on-CPU and off-CPU time into perf.data", cmd_record },
	{ "report", "Show where the time went in a perf.data of wallprof or perf", cmd_report },
	{ "diff", "Show what differs between two recordings, and what is noise", cmd_diff },
	{ "sched", "Record and show context switches and wakeups", cmd_sched },
	{ "stacks", "Show what threads are waiting for now, and since when", cmd_stacks },
	{ "flame", "Draw where the time went, as an HTML page", cmd_flame },
	{ "top", "Show live where processes and threads spend their time", cmd_top },
	{ "agent", "Send profiles of a host to an OpenTelemetry receiver, always on", cmd_agent },
	{ "archive", "Pack the object files that a recording's symbols are in", cmd_archive },
	{ "export", "Write a recording in another program's format", cmd_export },
	{ "list", "List the events that can be recorded here", cmd_list },
	{ "doctor", "Check whether recording works here, and what to do if not", cmd_doctor },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *f)
{
	size_t i;

	fprintf(f, "\n usage: wallprof [--version] [--help] [--completion SHELL] COMMAND [ARGS]\n\n"
		" The commands are:\n");
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(f, "   %-15s %s\n", commands[i].name, commands[i].help);
	fprintf(f, "\n See 'wallprof COMMAND --help' for more information on a command.\n\n");
}

/*
 * If a standard stream is closed, a recording could be opened under its number, and
 * messages be written into it. The replacement cannot be written to either.
 */
static void keep_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			_exit(1);
	}
}

/* Options of commands below "sched" are completed after both words. */
static int print_completion(const char *shell)
{
	struct wp_completed all[2 * NR_COMMANDS] = { 0 };
	const char *below, *help = NULL;
	size_t i, k, nr = 0;

	for (i = 0; i < NR_COMMANDS; i++) {
		bool sched = commands[i].run == cmd_sched;

		for (k = 0; nr < 2 * NR_COMMANDS; k++) {
			below = sched ? wp_sched_command(k, &help) : NULL;
			if (k && !below)
				break;
			all[nr++] = (struct wp_completed){
				.words = { commands[i].name, below }, .help = commands[i].help,
				.subhelp = help, .run = commands[i].run };
		}
	}
	return wp_completion_print(shell, all, nr) ? 1 : 0;
}

/* Commands of perf, and whether they read what wallprof records. */
static const struct {
	const char *name;
	bool reads;
} perf_commands[] = {
	{ "annotate", true }, { "bench", false }, { "buildid-cache", false },
	{ "buildid-list", true }, { "c2c", false }, { "config", false }, { "daemon", false },
	{ "data", false }, { "evlist", true }, { "ftrace", false },
	{ "inject", true }, { "iostat", false }, { "kallsyms", false }, { "kmem", false },
	{ "kvm", false }, { "kwork", false }, { "lock", false },
	{ "mem", false }, { "probe", false }, { "script", true }, { "stat", false },
	{ "test", false }, { "timechart", false }, { "trace", false },
};

static bool is_perfs(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(perf_commands) / sizeof(*perf_commands); i++) {
		if (strcmp(word, perf_commands[i].name))
			continue;
		fprintf(stderr, "wallprof: there is no '%s' here; use 'perf %s'%s\n", word, word,
			perf_commands[i].reads ? ", which reads the file, too" : "");
		return true;
	}
	return false;
}

static void no_command(const char *word)
{
	struct wp_nearest n = WP_NEAREST(word);
	size_t i;

	if (is_perfs(word))
		return;
	wp_text_print(stderr, "wallprof: '%s' is not a wallprof-command. See 'wallprof --help'.\n",
		      word);
	for (i = 0; i < NR_COMMANDS; i++)
		wp_nearest_offer(&n, commands[i].name);
	if (wp_nearest_found(&n))
		fprintf(stderr, "Did you mean 'wallprof %s'?\n", n.name);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	int status;
	size_t i;

	keep_streams();
	wp_hostlibs_locale();
	wp_signals_ignore_limit();
	if (!strcmp(word, "--help") || !strcmp(word, "-h") ||
	    (!strcmp(word, "help") && argc == 2)) {
		print_help(stdout);
		return wp_end_output(stdout) ? WP_EXIT_ERROR : 0;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-v") || !strcmp(word, "version")) {
		printf("wallprof version %s\n", WP_VERSION);
		return wp_end_output(stdout) ? WP_EXIT_ERROR : 0;
	}
	if (!strcmp(word, "--completion") && argc == 3)
		return print_completion(argv[2]);
	if (!strcmp(word, "help")) {
		char page[64];

		snprintf(page, sizeof(page), "wallprof-%s", argv[2]);
		execlp("man", "man", page, (char *)NULL);
		perror("wallprof: man");
		return 1;
	}
	for (i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(word, commands[i].name))
			continue;
		status = commands[i].run(argc - 1, argv + 1);
		wp_filereader_end();
		wp_worker_end();
		return status;
	}
	if (*word)
		no_command(word);
	else
		print_help(stderr);
	return 1;
}
