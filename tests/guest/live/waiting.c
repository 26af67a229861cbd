// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that each wait for good, in a function named after its kind of wait:
 *
 *	waiting FILE
 *
 * FILE gets its id, and the CLOCK_MONOTONIC at which it began and at which all of them
 * were blocked but the first. Two wait in the same place; the first is in D, as its child by vfork()
 * lives on; one spins, until the process gets SIGUSR1, and then waits, too; and one has a
 * name that would paint a terminal.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAITING 6	/* the spinning one and the first are none of them */

#define IN_ITS_PLACE __attribute__((noinline, noclone)) static void

static int pipes[2][2];
static unsigned int futex;

/* What follows the call keeps it from being the function's end. */
#define STAY __asm__ volatile("" ::: "memory")

IN_ITS_PLACE waits_in_futex(void)
{
	syscall(SYS_futex, &futex, FUTEX_WAIT, 0, NULL, NULL, 0);
	STAY;
}

IN_ITS_PLACE waits_in_sleep(void)
{
	sleep(10000);
	STAY;
}

IN_ITS_PLACE waits_in_pipe(void)
{
	char c;

	if (read(pipes[0][0], &c, 1) != 1)
		exit(2);
	STAY;
}

IN_ITS_PLACE waits_in_poll(void)
{
	struct pollfd p = { .fd = pipes[1][0], .events = POLLIN };

	poll(&p, 1, -1);
	STAY;
}

IN_ITS_PLACE waits_in_vfork(void)
{
	if (!vfork())
		syscall(SYS_pause);
	STAY;
}

static volatile sig_atomic_t spun_enough;

static void on_signal(__attribute__((unused)) int nr)
{
	spun_enough = 1;
}

/* Blocks or unblocks the signal, which only the one that spins takes. */
static void mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(how, &set, NULL);
}

IN_ITS_PLACE spins(void)
{
	const struct timespec long_enough = { .tv_sec = 10000 };

	mask(SIG_UNBLOCK);
	while (!spun_enough)
		STAY;
	/* Not for the next work, and otherwise than the one that sleeps. */
	for (;;)
		syscall(SYS_nanosleep, &long_enough, NULL);
}

struct wait {
	const char *name;
	void (*fn)(void);
};

static void *run(void *arg)
{
	const struct wait *w = arg;

	pthread_setname_np(pthread_self(), w->name);
	w->fn();
	return NULL;
}

static unsigned long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* How many threads of this process sleep, by /proc. */
static int nr_blocked(void)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	int nr = 0;

	while (d && (e = readdir(d))) {
		char path[300], text[256] = "", *at;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/stat", e->d_name);
		f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (!f)
			continue;
		if (fread(text, 1, sizeof(text) - 1, f) > 0) {
			at = strrchr(text, ')');
			nr += at && (at[2] == 'S' || at[2] == 'D');
		}
		fclose(f);
	}
	if (d)
		closedir(d);
	return nr;
}

int main(int argc, char **argv)
{
	static const struct wait waits[] = {
		{ "futex", waits_in_futex },
		{ "sleep", waits_in_sleep },
		{ "pipe", waits_in_pipe },
		{ "pipe", waits_in_pipe },
		{ "poll", waits_in_poll },
		{ "a\033[31mb", waits_in_futex },
		{ "spin", spins },
	};
	unsigned long long start = now();
	char tmp[256];
	pthread_t thread;
	size_t i;
	FILE *f;

	if (argc != 2 || pipe(pipes[0]) || pipe(pipes[1]))
		return 2;
	signal(SIGUSR1, on_signal);
	mask(SIG_BLOCK);
	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		if (pthread_create(&thread, NULL, run, (void *)&waits[i]))
			return 2;
	}
	while (nr_blocked() < WAITING)
		usleep(10000);
	snprintf(tmp, sizeof(tmp), "%s.tmp", argv[1]);
	f = fopen(tmp, "w");
	if (!f || fprintf(f, "%d %llu %llu\n", getpid(), start, now()) < 0 || fclose(f) ||
	    rename(tmp, argv[1]))
		return 2;
	/* In D as long as the child waits, too, which executes nothing. */
	waits_in_vfork();
	return 0;
}
