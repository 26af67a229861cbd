// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the configuration again, at SIGHUP: a child, of the program as it is on disk now,
 * checks it with --check, while the recording goes on. If it is valid, the agent ends its
 * session, and executes that program with its arguments. The process stays the same one, so
 * that a service manager still knows it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/agent/reload.h"
#include "cmd/common/signals.h"
#include "lib/base/err.h"

/* Of the command line to execute: the program and the command come first. */
#define FIRST	2

/**
 * wp_agent_reload_init() - prepare for SIGHUP
 * @r: set
 * @argc: arguments of the command
 * @argv: the same; they are copied
 *
 * The path that the program was started with has another one after an upgrade, unlike
 * /proc/self/exe.
 *
 * Return: 0 or -ENOMEM, after a message.
 */
int wp_agent_reload_init(struct wp_agent_reload *r, int argc, char **argv)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	int i;

	*r = (struct wp_agent_reload){ .argv = calloc(argc + FIRST, sizeof(*r->argv)) };
	if (!r->argv)
		return wp_no_memory("the command line");
	r->argv[0] = strdup(path ? path : "/proc/self/exe");
	for (i = 0; i < argc && r->argv[i]; i++)
		r->argv[i + 1] = strdup(argv[i]);
	if (r->argv[i])
		return 0;
	wp_agent_reload_free(r);
	return wp_no_memory("the command line");
}

/* The same command line, with --check before its options. */
static char **check_line(const struct wp_agent_reload *r)
{
	size_t nr = 0;
	char **argv;

	while (r->argv[nr])
		nr++;
	argv = calloc(nr + 2, sizeof(*argv));
	if (!argv)
		return NULL;
	memcpy(argv, r->argv, FIRST * sizeof(*argv));
	argv[FIRST] = (char *)"--check";
	memcpy(argv + FIRST + 1, r->argv + FIRST, (nr - FIRST) * sizeof(*argv));
	return argv;
}

/*
 * Its messages are ours; not what it prints if all is valid. It knows by a variable that what
 * is not there yet will not come: the agent starts as soon as it has ended. Returns 0 or an
 * errno.
 */
static int spawn_check(struct wp_agent_reload *r, char **argv)
{
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return err;
	err = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (!err && setenv(WP_AGENT_RELOAD, "1", 1))
		err = errno;
	if (!err)
		err = posix_spawn(&r->check, argv[0], &actions, NULL, argv, environ);
	unsetenv(WP_AGENT_RELOAD);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

static enum wp_agent_reload_state start_check(struct wp_agent_reload *r)
{
	char **argv = check_line(r);
	int err = argv ? spawn_check(r, argv) : ENOMEM;

	free(argv);
	if (!err)
		return WP_AGENT_RELOAD_NONE;
	r->check = 0;
	r->refused = true;
	wp_err("%s: %s: the configuration is not read again", r->argv[0], strerror(err));
	return WP_AGENT_RELOAD_REFUSED;
}

/**
 * wp_agent_reload_step() - check a new configuration after SIGHUP; called after each wait
 * @r: the state
 *
 * Never waits: the end of the child is a signal that wakes. A SIGHUP that comes meanwhile is
 * for another check, of what the file has then.
 *
 * Return: what there is to do.
 */
enum wp_agent_reload_state wp_agent_reload_step(struct wp_agent_reload *r)
{
	int status = 0;
	pid_t pid;

	if (!r->argv)
		return WP_AGENT_RELOAD_NONE;
	if (r->check) {
		pid = waitpid(r->check, &status, WNOHANG);
		if (!pid)
			return WP_AGENT_RELOAD_NONE;
		r->check = 0;
		if (!wp_signals_reload()) {
			if (pid > 0 && !status)
				return WP_AGENT_RELOAD_READY;
			r->refused = true;
			wp_err("the new configuration is not valid: the agent goes on with what it has");
			return WP_AGENT_RELOAD_REFUSED;
		}
	} else if (!wp_signals_reload()) {
		return WP_AGENT_RELOAD_NONE;
	}
	return start_check(r);
}

/**
 * wp_agent_reload_exec() - execute the program again
 * @r: the state
 * @name: name in its environment
 * @fd: descriptor that it gets, whose number is the value there
 *
 * Signals wait until the program takes them. All other descriptors are closed.
 *
 * Return: a negative errno, after a message.
 */
int wp_agent_reload_exec(const struct wp_agent_reload *r, const char *name, int fd)
{
	char number[16];
	int err;

	snprintf(number, sizeof(number), "%d", fd);
	wp_signals_hold();
	if (!fcntl(fd, F_SETFD, 0) && !setenv(name, number, 1))
		execv(r->argv[0], r->argv);
	err = -errno;
	wp_err("%s: %s", r->argv[0], strerror(-err));
	return err;
}

/**
 * wp_agent_reload_free() - free what wp_agent_reload_init() allocated
 * @r: the state, in any state
 */
void wp_agent_reload_free(struct wp_agent_reload *r)
{
	size_t i;

	for (i = 0; r->argv && r->argv[i]; i++)
		free(r->argv[i]);
	free(r->argv);
	if (r->check) {
		kill(r->check, SIGKILL);
		waitpid(r->check, NULL, 0);
	}
	*r = (struct wp_agent_reload){ 0 };
}
