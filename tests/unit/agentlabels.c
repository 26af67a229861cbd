// SPDX-License-Identifier: GPL-2.0
/* Tests of the services of processes that ended, as the agent knows them: their parents'. */
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "lib/sandbox/openfile.h"
#include "tap.h"

static struct wp_agent_labels labels;

/* Processes of the ids have ended. */
static pid_t parent, ended[4];

/* A process that lives, whose service is "shop". */
static pid_t start_parent(void)
{
	char *const argv[] = { "/bin/sleep", "1000", NULL };
	char *const environment[] = { "OTEL_SERVICE_NAME=shop", NULL };
	struct wp_procmemory *memory = wp_procmemory_new();
	struct wp_service s = { 0 };
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environment))
		return -1;
	do {
		wp_service_read(memory, pid, "?", &s);
	} while (strcmp(s.executable, "sleep"));
	wp_procmemory_free(memory);
	return pid;
}

static void is(pid_t pid, const char *comm, const char *name, const char *text)
{
	const struct wp_service *s = wp_agent_label(&labels, pid, comm);

	ok(s && !strcmp(s->name, name), "%s: %s", text, s ? s->name : "no memory");
}

static void sweep_all(void)
{
	wp_agent_labels_sweep(&labels);
	wp_agent_labels_sweep(&labels);
	wp_agent_labels_sweep(&labels);
	ok(!labels.nr, "what is not used is dropped");
}

static void test_windows(void)
{
	wp_agent_labels_forget(&labels, ended[0], parent);
	is(ended[0], "short", "shop", "the parent was in no window");
	wp_agent_labels_forget(&labels, ended[1], parent);
	wp_agent_labels_sweep(&labels);
	is(ended[1], "short", "shop", "its time is in the next window");
	/* The id of a process that was used is another one's, after the window's end. */
	wp_agent_labels_forget(&labels, ended[1], parent);
	wp_agent_labels_sweep(&labels);
	is(ended[1], "other", "shop", "its id was another one's");
	sweep_all();
	is(ended[1], "short", "short", "it was forked longer ago");
	sweep_all();
}

static void test_generations(void)
{
	wp_agent_labels_forget(&labels, ended[0], parent);
	wp_agent_labels_forget(&labels, ended[1], ended[0]);
	is(ended[1], "child", "shop", "its parent has no time in this window");
	wp_agent_labels_sweep(&labels);
	is(ended[0], "short", "shop", "... but in the next one");
	sweep_all();
	wp_agent_labels_forget(&labels, ended[0], parent);
	wp_agent_labels_forget(&labels, ended[1], ended[0]);
	wp_agent_labels_sweep(&labels);
	wp_agent_labels_forget(&labels, ended[2], ended[1]);
	is(ended[2], "grandchild", "shop", "its parents have ended");
	is(ended[1], "child", "shop", "... which were read before");
	sweep_all();
	wp_agent_labels_forget(&labels, ended[0], ended[3]);
	wp_agent_labels_forget(&labels, ended[1], ended[0]);
	is(ended[1], "child", "child", "nobody knows anything");
	is(ended[0], "parent", "parent", "... its parent has its own name");
	is(ended[3], "first", "first", "... and so has that one's");
	/* Each is the other's. */
	wp_agent_labels_forget(&labels, ended[0], ended[1]);
	wp_agent_labels_forget(&labels, ended[1], ended[0]);
	is(ended[0], "a", "a", "parents in a circle");
	sweep_all();
}

int main(void)
{
	unsigned int i;

	parent = start_parent();
	for (i = 0; i < 4; i++) {
		ended[i] = fork();
		if (!ended[i])
			_exit(0);
	}
	ok(parent > 0 && !wp_agent_labels_init(&labels, WP_OPENFILE_HERE), "begins");
	/* Not before the last one was forked: their ids are four. */
	for (i = 0; i < 4; i++)
		waitpid(ended[i], NULL, 0);
	test_windows();
	test_generations();
	wp_agent_labels_free(&labels);
	if (parent > 0) {
		kill(parent, SIGKILL);
		waitpid(parent, NULL, 0);
	}
	return done();
}
