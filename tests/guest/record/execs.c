// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in a guest of two CPUs, as root: what makes the descriptor of execwatch.c readable.
 * Programs are executed by the CPU that was offline when the watch began.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/record/execwatch.h"

#include "../../lab/tap.h"

#define CHURN		500
#define PATIENCE_MS	60000		/* of what must come */
#define SECOND_NS	1000000000ULL

static struct wp_execwatch *watch;

static bool is_readable(int wait_ms)
{
	struct pollfd fd = { .fd = wp_execwatch_fd(watch), .events = POLLIN };

	if (poll(&fd, 1, wait_ms) != 1)
		return false;
	wp_execwatch_take(watch);
	return true;
}

static void set_online(const char *text)
{
	FILE *f = fopen("/sys/devices/system/cpu/cpu1/online", "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(1);
}

static void *no_work(void *arg)
{
	return arg;
}

/* A child on @cpu, which executes @program if that is not NULL. */
static void child(int cpu, const char *program)
{
	cpu_set_t set;
	pid_t pid = fork();

	if (!pid) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		/* cpusets learn of a CPU that came some time later. */
		while (sched_setaffinity(0, sizeof(set), &set))
			usleep(1000);
		if (program)
			execl(program, program, NULL);
		_exit(!!program);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(1);
}

int main(void)
{
	pthread_t thread;

	set_online("0");
	ok(!wp_execwatch_open(&watch), "root may watch programs that are executed");
	if (!watch)
		return done();
	set_online("1");
	ok(!is_readable(0), "nothing at first");
	for (int i = 0; i < CHURN; i++) {
		if (pthread_create(&thread, NULL, no_work, NULL) || pthread_join(thread, NULL))
			return 1;
		child(0, NULL);
	}
	ok(!is_readable(0), "nothing of threads and children that come and go");
	child(0, "/bin/no-such-program");
	ok(!is_readable(0), "nothing of a program that is not there");
	child(0, "/bin/true");
	ok(is_readable(PATIENCE_MS), "a program is executed");
	ok(!is_readable(0), "once");
	for (int i = 0; i < CHURN; i++)
		child(0, "/bin/true");
	ok(is_readable(PATIENCE_MS) && !is_readable(0), "many programs, once");
	wp_execwatch_look(watch, 2 * SECOND_NS);
	child(1, "/bin/true");
	ok(is_readable(PATIENCE_MS), "on a CPU that came later");
	set_online("0");
	wp_execwatch_look(watch, 4 * SECOND_NS);
	ok(!is_readable(0), "nothing of a CPU that goes");
	child(0, "/bin/true");
	ok(is_readable(PATIENCE_MS), "a program on the other CPU");
	set_online("1");
	wp_execwatch_close(watch);
	ok(wp_execwatch_fd(NULL) == -1, "without a watch there is no descriptor");
	return done();
}
