// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the recorded command: forked first, so that its pid is known, held until the
 * recording has begun, released, and reaped at the end. Called by record.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/common/program.h"
#include "cmd/common/signals.h"
#include "cmd/common/workload.h"
#include "lib/base/err.h"

/* Maximum wait for the child to find its program: a file server may not answer it. */
#define MAP_MS	200

static void __attribute__((noreturn)) child(int go, int failed, char **argv, bool map)
{
	char byte;
	int err = 0;

	if (map) {
		wp_program_map(argv[0]);
		if (write(failed, &err, sizeof(err)) != sizeof(err))
			_exit(0);
	}
	/* Without a byte the parent has given up, or died. */
	if (read(go, &byte, 1) != 1)
		_exit(0);
	wp_signals_restore_limit();
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

/**
 * wp_workload_fork() - fork the child
 * @w: filled in
 * @argv: the command, its arguments, NULL
 * @map: the child maps the file of the command before it is released: see program.c
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_workload_fork(struct wp_workload *w, char **argv, bool map)
{
	int go[2], failed[2], err;

	memset(w, 0, sizeof(*w));
	if (pipe2(go, O_CLOEXEC)) {
		err = errno;
		goto fail;
	}
	if (pipe2(failed, O_CLOEXEC)) {
		err = errno;
		goto close_go;
	}
	w->pid = fork();
	if (w->pid < 0) {
		err = errno;
		w->pid = 0;
		goto close_failed;
	}
	if (!w->pid) {
		close(go[1]);
		child(go[0], failed[1], argv, map);
	}
	close(go[0]);
	close(failed[1]);
	w->go = go[1];
	w->failed = failed[0];
	if (map)
		poll(&(struct pollfd){ .fd = w->failed, .events = POLLIN }, 1, MAP_MS);
	return 0;
close_failed:
	close(failed[0]);
	close(failed[1]);
close_go:
	close(go[0]);
	close(go[1]);
fail:
	wp_err("could not fork: %s", strerror(err));
	return -err;
}

/**
 * wp_workload_release() - let the child execute its command
 * @w: the child
 *
 * Return: 0, or a negative errno if there is no such command; perf's message
 * was printed.
 */
int wp_workload_release(struct wp_workload *w)
{
	int err = 0;
	ssize_t n;

	if (write(w->go, "", 1) != 1) {
		wp_err("Workload failed: it ended before it began");
		return -ECHILD;
	}
	/* The exec closes the other end. A zero says that the program was mapped. */
	do {
		n = read(w->failed, &err, sizeof(err));
	} while ((n < 0 && errno == EINTR) || (n == sizeof(err) && !err));
	if (n != sizeof(err))
		return 0;
	wp_err("Workload failed: %s", strerror(err));
	return -err;
}

/**
 * wp_workload_ended() - whether the child has ended
 * @w: the child
 *
 * Return: true if it has; @w->status is set then.
 */
bool wp_workload_ended(struct wp_workload *w)
{
	if (w->pid && !w->ended && waitpid(w->pid, &w->status, WNOHANG) == w->pid)
		w->ended = true;
	return w->pid && w->ended;
}

/**
 * wp_workload_finish() - end the child if it runs, and wait for it
 * @w: the child, or all zeroes
 *
 * Return: its status from wait, 0 if there is none.
 */
int wp_workload_finish(struct wp_workload *w)
{
	if (!w->pid)
		return 0;
	close(w->go);
	close(w->failed);
	if (!wp_workload_ended(w)) {
		kill(w->pid, SIGTERM);
		while (waitpid(w->pid, &w->status, 0) < 0 && errno == EINTR)
			;
		w->ended = true;
	}
	return w->status;
}
