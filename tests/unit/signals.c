// SPDX-License-Identifier: GPL-2.0
/*
 * The signals of a process that records: which ones ask for the end, and which end it at
 * once.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/signals.h"
#include "tap.h"

/* Longer than the same signal counts as one. */
#define LATER_US	100000

/* How often the machine may stop us just between two signals. */
#define TRIES		20

/* A process that gets a signal, and after a while another one. Returns how it ended. */
static int child(int first, int second, useconds_t pause)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		/* Under nohup, a hangup is ignored, and stays so. */
		signal(SIGHUP, SIG_DFL);
		if (wp_signals_catch())
			_exit(100);
		raise(first);
		if (pause)
			usleep(pause);
		raise(second);
		_exit(wp_signals_stop());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	return status;
}

static bool asks(int first, int second)
{
	int i, status = 0;

	for (i = 0; i < TRIES && !WIFEXITED(status = child(first, second, 0)); i++)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == first;
}

static bool ends(int first, int second, useconds_t pause)
{
	int status = child(first, second, pause);

	return WIFSIGNALED(status) && WTERMSIG(status) == second;
}

int main(void)
{
	ok(asks(SIGINT, SIGINT), "the same one at once, as timeout sends it, is one");
	ok(asks(SIGTERM, SIGTERM), "SIGTERM, too");
	ok(ends(SIGINT, SIGINT, LATER_US), "the same one later ends it at once");
	ok(ends(SIGINT, SIGTERM, 0), "another one does so at any time");
	ok(ends(SIGTERM, SIGHUP, LATER_US), "and later");
	return done();
}
