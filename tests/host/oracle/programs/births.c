// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that are born and die, and children by vfork(), in which the parent
 * waits while its return address is in a register.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

static void *body(void *arg)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		sink += i;
	return arg;
}

__attribute__((noinline)) static void child(void)
{
	pid_t pid = vfork();

	if (!pid) {
		usleep(500);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(void)
{
	pthread_t thread;

	for (;;) {
		if (!pthread_create(&thread, NULL, body, NULL))
			pthread_join(thread, NULL);
		child();
	}
}
