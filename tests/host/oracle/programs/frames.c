// SPDX-License-Identifier: GPL-2.0
/*
 * All kinds of frames: deep recursion, alloca(), arrays of variable length,
 * frames that are aligned anew, large ones, tail calls, calls through the PLT,
 * functions that do not return.
 */
#include <alloca.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;
static jmp_buf back;

NOINLINE static unsigned long leaf(unsigned long n)
{
	double d = sqrt(n + sink) + sin(n);
	char text[32];

	/* Through the PLT, some for the first time. */
	sink += strlen(gcvt(d, 10, text)) + labs((long)n);
	return sink;
}

NOINLINE static unsigned long deep(unsigned int n)
{
	unsigned long r;

	if (!n)
		return leaf(n);
	r = deep(n - 1) * 3;
	return r + n;
}

NOINLINE static unsigned long with_alloca(unsigned int n)
{
	char *p = alloca(n % 500 + 1);

	memset(p, n, n % 500 + 1);
	return n ? with_alloca(n - 1) + p[n / 2 % (n % 500 + 1)] : leaf(n);
}

NOINLINE static unsigned long with_vla(unsigned int n)
{
	unsigned long a[n % 60 + 1];
	unsigned int i;

	for (i = 0; i <= n % 60; i++)
		a[i] = n * i;
	return n ? with_vla(n - 1) + a[n % 60] : leaf(n);
}

NOINLINE static void touch(void *p)
{
	asm volatile("" : : "r"(p) : "memory");
}

/* Aligned anew, and with an array of variable length on top of it. */
NOINLINE static unsigned long realigned(unsigned int n)
{
	_Alignas(64) char block[128];
	char vla[n % 40 + 1];

	memset(block, n, sizeof(block));
	memset(vla, n, sizeof(vla));
	touch(block);
	touch(vla);
	return n ? realigned(n - 1) + block[n % 128] + vla[0] : leaf(n);
}

NOINLINE static unsigned long large(unsigned int n)
{
	char block[70000];

	memset(block, n, 100);
	touch(block);
	return n ? large(n - 1) + block[n] : leaf(n);
}

NOINLINE static unsigned long tail_b(unsigned int n);

NOINLINE static unsigned long tail_a(unsigned int n)
{
	return n ? tail_b(n - 1) : deep(5);
}

NOINLINE static unsigned long tail_b(unsigned int n)
{
	return tail_a(n ? n - 1 : 0);
}

__attribute__((noreturn)) NOINLINE static void away(unsigned int n)
{
	leaf(n);
	longjmp(back, 1);
}

NOINLINE static unsigned long jumps(unsigned int n)
{
	if (!setjmp(back))
		away(n);
	return leaf(n);
}

static int order(const void *a, const void *b)
{
	leaf(*(const int *)a);
	return *(const int *)a - *(const int *)b;
}

NOINLINE static unsigned long called_back(void)
{
	int list[] = { 5, 3, 9, 1, 7, 2, 8 };

	qsort(list, sizeof(list) / sizeof(*list), sizeof(*list), order);
	return list[0];
}

int main(void)
{
	unsigned int n;

	for (n = 0; ; n++) {
		sink += deep(n % 60) + with_alloca(n % 20) + with_vla(n % 20);
		sink += realigned(n % 20) + large(n % 5) + tail_a(n % 9);
		sink += jumps(n) + called_back();
	}
}
