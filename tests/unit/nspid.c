// SPDX-License-Identifier: GPL-2.0
/* Tests of thread ids of other pid namespaces. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/proc/nspid.h"
#include "tap.h"

#define THREADS	20

/* How often this process has called read() and the like so far. */
static unsigned long nr_reads(void)
{
	unsigned long nr = 0;
	char line[64];
	FILE *f = fopen("/proc/self/io", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "syscr:", 6))
			nr = strtoul(line + 6, NULL, 10);
	}
	if (f)
		fclose(f);
	return nr;
}

static void *rest(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Process 1 of a namespace, with threads 2, 3 and so on. */
static int inner(int ready)
{
	pthread_t id;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&id, NULL, rest, NULL))
			return 1;
	}
	if (write(ready, "", 1) != 1)
		return 1;
	rest(NULL);
	return 0;
}

static void of_ours(void)
{
	struct wp_nspids all = { 0 };
	__u32 pid = getpid();

	ok(wp_nspids_find(&all, pid, pid, false) == pid, "ours has its own number");
	ok(!wp_nspids_find(&all, pid, 0, false), "0 is no thread");
	ok(!wp_nspids_find(&all, pid, 1, false), "another process's is not found");
	ok(wp_nspids_find(&all, pid, 1, true) == 1, "unless it may be shared");
	ok(wp_nspid_own(pid, pid) == pid && !wp_nspid_own(pid, 0x7fffffff),
	   "a thread of ours knows itself by the same number");
	wp_nspids_free(&all);
}

static void of_another(__u32 pid)
{
	struct wp_nspids all = { 0 };
	unsigned long before, after;
	bool found = true, own = true;
	__u32 i, tid;
	char path[64];

	ok(wp_nspids_find(&all, pid, 1, false) == pid, "the process is 1 there");
	before = nr_reads();
	for (i = 2; i < 2 + THREADS; i++) {
		tid = wp_nspids_find(&all, pid, i, true);
		snprintf(path, sizeof(path), "/proc/%u/task/%u", pid, tid);
		found = found && tid && tid != pid && !access(path, F_OK);
	}
	ok(found, "its threads are found");
	ok(!wp_nspids_find(&all, pid, 2 + THREADS, true), "there are no more");
	after = nr_reads();
	/* Those of nr_reads(). */
	ok(before && after - before <= 2, "it is read once: %lu reads", after - before);
	for (i = 2; i < 2 + THREADS; i++)
		own = own && wp_nspid_own(pid, wp_nspids_find(&all, pid, i, true)) == i;
	ok(own && wp_nspid_own(pid, pid) == 1, "the numbers that they know themselves by");
	wp_nspids_free(&all);
}

/*
 * Makes such a process, and writes its number here. One that is between: after unshare() a
 * process can have no threads, which the sanitizer needs at the end.
 */
static int between(int to)
{
	int ready[2];
	pid_t pid;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pipe(ready) || unshare(CLONE_NEWPID | (getuid() ? CLONE_NEWUSER : 0)))
		return 1;
	pid = fork();
	if (!pid)
		_exit(inner(ready[1]));
	close(ready[1]);
	if (pid < 0 || read(ready[0], &c, 1) != 1 || write(to, &pid, sizeof(pid)) != sizeof(pid))
		return 1;
	return waitpid(pid, NULL, 0) != pid;
}

int main(void)
{
	int fds[2];
	pid_t pid, child;

	of_ours();
	if (pipe(fds))
		return 1;
	child = fork();
	if (!child)
		_exit(between(fds[1]));
	close(fds[1]);
	if (ok(child > 0 && read(fds[0], &pid, sizeof(pid)) == sizeof(pid),
	       "a process in a namespace"))
		of_another(pid);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return done();
}
