// SPDX-License-Identifier: GPL-2.0
/* Stopped by a signal (T), until a child sends the one that continues. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kinds.h"
#include "truth.h"

#define WAITS 3
#define PAUSE (100 * MS)

/*
 * The child must not send SIGCONT before the stop: it looks for the state in
 * /proc first.
 */
static char state_of(pid_t pid)
{
	char text[256], *at;
	FILE *f;
	size_t nr;

	snprintf(text, sizeof(text), "/proc/%d/stat", pid);
	f = fopen(text, "r");
	if (!f)
		return '?';
	nr = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[nr] = '\0';
	at = strrchr(text, ')');
	return at ? at[2] : '?';
}

static FRAME void stop_inner(struct truth *t, int pid)
{
	wait_begins(t);
	raw(SYS_kill, pid, SIGSTOP, 0, 0, 0);
	wait_ends(t);
}

static FRAME void stop_root(void *arg)
{
	struct truth *t = truth_row("stop", "T", "stop_inner;stop_root;rooted");
	int pid = getpid();

	for (int i = 0; i < WAITS; i++) {
		pid_t child = fork();

		if (!child) {
			while (state_of(pid) != 'T')
				raw_sleep(10 * MS);
			raw_sleep(PAUSE);
			kill(pid, SIGCONT);
			_exit(0);
		}
		stop_inner(t, pid);
		waitpid(child, NULL, 0);
	}
	(void)arg;
}

void kind_stop(void)
{
	rooted(stop_root, NULL);
}
