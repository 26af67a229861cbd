// SPDX-License-Identifier: GPL-2.0
/*
 * Naps for ever, 10 ms each, in functions whose names begin with NAME.
 *
 *	naps		in its first thread
 *	naps ended	in another one; the first one ends
 *	naps spin	not at all: it runs
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#ifndef NAME
#define NAME nap
#endif
#define JOIN(a, b) a##_##b
#define CALL(a, b) JOIN(a, b)
#define NAMED(b) CALL(NAME, b)

static volatile unsigned long sink;

__attribute__((noinline, noclone)) void NAMED(leaf)(void)
{
	struct timespec t = { 0, 10000000 };

	nanosleep(&t, NULL);
	sink++;
}

__attribute__((noinline, noclone)) void NAMED(outer)(void)
{
	NAMED(leaf)();
	sink++;
}

__attribute__((noinline, noclone)) void NAMED(spin)(void)
{
	for (;;)
		sink++;
}

static void *nap(void *arg)
{
	for (;;)
		NAMED(outer)();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1 && !strcmp(argv[1], "ended")) {
		if (pthread_create(&thread, NULL, nap, NULL))
			return 1;
		pthread_exit(NULL);
	}
	if (argc > 1 && !strcmp(argv[1], "spin"))
		NAMED(spin)();
	nap(NULL);
	return 0;
}
