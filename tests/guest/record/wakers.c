// SPDX-License-Identifier: GPL-2.0
/*
 * A process that sleeps and one that wakes it, again and again, each in functions
 * of its own that keep no frame pointer. They are named after what they do. Built
 * with -O2 -fomit-frame-pointer.
 *
 *	wakers NAPS	0: until it is killed; the one that sleeps ends with the other
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline)) int sleeps_inner(int fd)
{
	char c;
	int got = read(fd, &c, 1);

	__asm__ volatile("" : : : "memory");
	return got;
}

static __attribute__((noinline)) int sleeps_outer(volatile char *room, int fd)
{
	int nr = 0;

	while (sleeps_inner(fd) == 1)
		room[nr++ % 100] = 0;
	return nr;
}

static __attribute__((noinline)) int wakes_inner(int fd)
{
	int put = write(fd, "", 1);

	__asm__ volatile("" : : : "memory");
	return put;
}

static __attribute__((noinline)) int wakes_outer(volatile char *room, int fd, int naps)
{
	const struct timespec ts = { .tv_nsec = 50000000 };
	int nr = 0;

	do {
		nanosleep(&ts, NULL);
		if (wakes_inner(fd) != 1)
			return -1;
		room[nr % 100] = 0;
	} while (++nr != naps);
	return nr;
}

int main(int argc, char **argv)
{
	volatile char room[100];
	int fds[2], status;
	pid_t pid;

	if (argc != 2 || pipe(fds))
		return 2;
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		prctl(PR_SET_NAME, "woken");
		close(fds[1]);
		return sleeps_outer(room, fds[0]) < 0;
	}
	prctl(PR_SET_NAME, "waker");
	if (wakes_outer(room, fds[1], atoi(argv[1])) < 0)
		return 1;
	close(fds[1]);
	return waitpid(pid, &status, 0) != pid || status;
}
