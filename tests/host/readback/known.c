// SPDX-License-Identifier: GPL-2.0
/*
 * A program with known functions, for writer.test: prints where they are, then
 * waits until its standard input ends. generate.c makes up samples in it.
 */
#include <stdio.h>
#include <unistd.h>

#define KNOWN __attribute__((noinline, noclone, used))

static volatile int sink;

KNOWN void known_alpha(void)
{
	for (int i = 0; i < 100; i++)
		sink += i;
}

KNOWN void known_beta(void)
{
	known_alpha();
	sink++;
}

KNOWN void known_gamma(void)
{
	known_beta();
	sink--;
}

int main(void)
{
	char c;

	known_gamma();
	printf("%lx %lx %lx %lx\n", (unsigned long)known_alpha, (unsigned long)known_beta,
	       (unsigned long)known_gamma, (unsigned long)main);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
