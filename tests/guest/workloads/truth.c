// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of the truth, and the outermost frame. Rows are delivered from an
 * array, so that a thread that asks for one neither blocks nor shares it.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "truth.h"

#define MAX_ROWS 16384

static struct truth rows[MAX_ROWS];
static atomic_uint nr_rows;

struct truth *truth_row(const char *kind, const char *state, const char *stack)
{
	unsigned int at = atomic_fetch_add(&nr_rows, 1);
	struct truth *t = &rows[at];

	if (at >= MAX_ROWS)
		abort();
	t->kind = kind;
	t->state = state;
	t->stack = stack;
	t->tid = raw(SYS_gettid, 0, 0, 0, 0, 0);
	switched(1);	/* their code and data are in memory from here on */
	now_ns();
	return t;
}

void truth_write(const char *path)
{
	unsigned int nr = atomic_load(&nr_rows);
	FILE *f = fopen(path, "a");

	if (!f) {
		perror(path);
		exit(1);
	}
	if (!ftell(f))
		fputs("kind\ttid\tstate\twaits\tswitches\ttotal\taround\tstack\n",
		      f);
	for (unsigned int i = 0; i < nr; i++)
		fprintf(f, "%s\t%d\t%s\t%llu\t%llu\t%llu\t%llu\t%s\n", rows[i].kind,
			rows[i].tid, rows[i].state,
			(unsigned long long)rows[i].waits,
			(unsigned long long)rows[i].switches,
			(unsigned long long)rows[i].total,
			(unsigned long long)rows[i].around, rows[i].stack);
	if (fclose(f)) {
		perror(path);
		exit(1);
	}
}

void truth_print(void)
{
	unsigned int nr = atomic_load(&nr_rows);

	for (unsigned int i = 0; i < nr; i++) {
		struct truth *t = &rows[i];

		printf("  thread %d: %-7s %2llu times, %4llu ms off its CPU (%s) in %s\n",
		       t->tid, t->kind, (unsigned long long)t->waits,
		       (unsigned long long)((t->total + MS / 2) / MS), t->state,
		       t->stack);
	}
}

#if defined(__x86_64__)
__asm__(".text\n"
	".globl rooted\n"
	".type rooted, @function\n"
	"rooted:\n"
	"	push %rbp\n"
	"	xor %ebp, %ebp\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size rooted, . - rooted\n");
#elif defined(__i386__)
__asm__(".text\n"
	".globl rooted\n"
	".type rooted, @function\n"
	"rooted:\n"
	"	push %ebp\n"
	"	xor %ebp, %ebp\n"
	"	mov 8(%esp), %eax\n"
	"	mov 12(%esp), %ecx\n"
	"	sub $4, %esp\n"
	"	push %ecx\n"
	"	call *%eax\n"
	"	add $8, %esp\n"
	"	pop %ebp\n"
	"	ret\n"
	".size rooted, . - rooted\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl rooted\n"
	".type rooted, %function\n"
	"rooted:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, #0\n"
	"	mov x9, x0\n"
	"	mov x0, x1\n"
	"	blr x9\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".size rooted, . - rooted\n");
#elif defined(__arm__)
__asm__(".text\n"
	".arm\n"
	".globl rooted\n"
	".type rooted, %function\n"
	"rooted:\n"
	"	push {fp, lr}\n"
	"	mov fp, #0\n"
	"	mov ip, r0\n"
	"	mov r0, r1\n"
	"	blx ip\n"
	"	pop {fp, pc}\n"
	".size rooted, . - rooted\n");
#endif
