// SPDX-License-Identifier: GPL-2.0
/* A process that naps in short_nap(), and a child of it that naps in child_nap(), and ends. */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define IN_ITS_PLACE __attribute__((noinline, noclone)) static void

/* What follows the call keeps it from being the function's end. */
#define STAY __asm__ volatile("" ::: "memory")

IN_ITS_PLACE short_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	STAY;
}

IN_ITS_PLACE child_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	STAY;
}

int main(void)
{
	pid_t pid = fork();

	if (!pid) {
		child_nap();
		_exit(0);
	}
	short_nap();
	return pid < 0 || waitpid(pid, NULL, 0) != pid;
}
