// SPDX-License-Identifier: GPL-2.0
/*
 * The signals of a process that records: which ones ask for the end, and which end it at
 * once.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/common/signals.h"
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

/* What /proc/PID/status has behind a name. */
static void status_of(pid_t pid, const char *name, char *value, size_t size)
{
	char path[64], line[256];
	FILE *f;

	*value = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, strlen(name)))
			snprintf(value, size, "%s", line + strlen(name));
	}
	if (f)
		fclose(f);
}

static bool is_pending(pid_t pid)
{
	char value[256];

	status_of(pid, "ShdPnd:", value, sizeof(value));
	return strtoull(value, NULL, 16);
}

static bool is_deaf(pid_t pid)
{
	char value[256];

	status_of(pid, "State:", value, sizeof(value));
	return strchr(value, 'D');
}

static void wait_until(bool (*fn)(pid_t pid), pid_t pid, bool what)
{
	while (fn(pid) != what)
		poll(NULL, 0, 10);
}

/* The parent waits for a vfork()ed child's program, which signals do not end. */
static void wait_deaf(int ready)
{
	pid_t pid = vfork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready, "", 1) != 1)
			_exit(103);
		for (;;)
			pause();
	}
	_exit(pid < 0 ? 101 : 102);
}

/* Blocked in the kernel all the time, and signals one after the other. */
static bool deaf_ends(int first, int second)
{
	int status = 0, ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready))
		abort();
	pid = fork();
	if (!pid) {
		signal(SIGHUP, SIG_DFL);
		if (!wp_signals_catch())
			wait_deaf(ready[1]);
		_exit(100);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		abort();
	close(ready[0]);
	wait_until(is_deaf, pid, true);
	kill(pid, first);
	wait_until(is_pending, pid, false);
	if (!is_deaf(pid))
		return false;
	poll(NULL, 0, LATER_US / 1000);
	kill(pid, second);
	if (waitpid(pid, &status, 0) != pid)
		abort();
	return WIFSIGNALED(status) && WTERMSIG(status) == second;
}

int main(void)
{
	ok(asks(SIGINT, SIGINT), "the same one at once, as timeout sends it, is one");
	ok(asks(SIGTERM, SIGTERM), "SIGTERM, too");
	ok(ends(SIGINT, SIGINT, LATER_US), "the same one later ends it at once");
	ok(ends(SIGINT, SIGTERM, 0), "another one does so at any time");
	ok(ends(SIGTERM, SIGHUP, LATER_US), "and later");
	ok(deaf_ends(SIGINT, SIGINT), "blocked in the kernel: the second one ends it");
	ok(deaf_ends(SIGTERM, SIGINT), "another one, too");
	return done();
}
