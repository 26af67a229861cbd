// SPDX-License-Identifier: GPL-2.0
/*
 * Signal handlers: a timer that fires all the time, in prologues too; handlers
 * that call on, that raise another signal, on the thread's stack and on one of
 * their own ("alt"). What they interrupt is found by the stack pointer, by the
 * frame pointer, and, where its stack is aligned anew, by another register.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;

NOINLINE static unsigned long work(unsigned int n)
{
	char text[64];

	snprintf(text, sizeof(text), "%u", n);
	sink += strlen(text);
	return n ? work(n - 1) + text[0] : sink;
}

NOINLINE static void fill(char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		((volatile char *)text)[i] = i;
}

/* Found by the frame pointer, in what it calls, too. */
NOINLINE static unsigned long by_frame(unsigned int n)
{
	char text[n % 40 + 20];

	fill(text, sizeof(text));
	return n ? by_frame(n - 1) + text[0] : sink;
}

NOINLINE static unsigned long realigned(unsigned int n)
{
	_Alignas(64) char block[64];
	char text[n % 40 + 20];

	fill(block, sizeof(block));
	fill(text, sizeof(text));
	return n ? realigned(n - 1) + block[n % 64] + text[0] : sink;
}

static void inner(int nr)
{
	sink += work(nr % 4);
}

static void outer(int nr)
{
	sink += work(nr % 5);
	raise(SIGUSR1);
	sink += work(2);
}

int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } };
	struct sigaction on_alarm = { .sa_handler = outer, .sa_flags = SA_RESTART };
	struct sigaction on_usr1 = { .sa_handler = inner };
	stack_t stack = { .ss_size = 1 << 17 };

	if (argc > 1 && !strcmp(argv[1], "alt")) {
		stack.ss_sp = malloc(stack.ss_size);
		if (!stack.ss_sp || sigaltstack(&stack, NULL))
			return 1;
		on_alarm.sa_flags |= SA_ONSTACK;
	}
	if (sigaction(SIGALRM, &on_alarm, NULL) || sigaction(SIGUSR1, &on_usr1, NULL) ||
	    setitimer(ITIMER_REAL, &often, NULL))
		return 1;
	for (;;)
		sink += work(sink % 20) + by_frame(sink % 20) + realigned(sink % 20);
}
