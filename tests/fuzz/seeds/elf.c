// SPDX-License-Identifier: GPL-2.0
/*
 * What the ELF files are made from that the fuzzer of jobs begins with, each with other
 * options: see fuzz.mk. Small, with something of all that is read: functions, static and
 * weak ones, inlined ones, calls of other files.
 */
#include <stddef.h>

extern int elsewhere(int n, const char *text);

static inline __attribute__((always_inline)) int inlined(int n)
{
	return n * n + 1;
}

__attribute__((weak)) int weak(int n)
{
	return inlined(n) + inlined(n + 1);
}

static __attribute__((noinline)) int recursive(int n, char *buf)
{
	char more[64];

	if (!n)
		return buf ? buf[0] : 0;
	more[n % 64] = (char)n;
	return recursive(n - 1, more) + 1;
}

/* Rows of every kind: with a frame pointer, with pushes, with a frame of a size not known. */
int of_any_size(size_t n)
{
	char room[n];

	room[0] = 1;
	return recursive((int)n % 7, room) + weak((int)n);
}

int outer(int n)
{
	return elsewhere(of_any_size(n), "text") + of_any_size(3);
}

void _start(void);
void _start(void)
{
	for (;;)
		outer(2);
}
