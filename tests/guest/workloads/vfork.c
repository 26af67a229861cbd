// SPDX-License-Identifier: GPL-2.0
/*
 * A wait that is uninterruptible (D) on any machine: the parent of a vfork
 * waits for its child. The child shares the parent's memory, so it keeps its
 * own account; it runs on a stack of its own and never returns.
 */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "kinds.h"
#include "truth.h"

#define WAITS 4
#define PAUSE (100 * MS)

static long child_stack[2048] __attribute__((aligned(16)));

static FRAME void vfork_nap(struct truth *t)
{
	wait_begins(t);
	raw_sleep(PAUSE);
	wait_ends(t);
}

static FRAME __attribute__((noreturn)) void vfork_child(void)
{
	vfork_nap(truth_row("vfork", "S", "vfork_nap;vfork_child;vfork_waits"));
	for (;;)
		raw(SYS_exit, 0, 0, 0, 0, 0);
}

static FRAME long vfork_waits(struct truth *t)
{
	long flags = CLONE_VM | CLONE_VFORK | SIGCHLD, pid;
	long *top = &child_stack[2048 - 2];

	top[0] = (long)vfork_child;
	wait_begins(t);
#if defined(__x86_64__)
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "call *(%%rsp)\n"
			 "1:"
			 : "=a"(pid)
			 : "a"(SYS_clone), "D"(flags), "S"(top), "d"(0)
			 : "rcx", "r11", "memory");
#elif defined(__i386__)
	top -= 2;
	top[0] = (long)vfork_child;
	__asm__ volatile("int $0x80\n\t"
			 "test %%eax, %%eax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "call *(%%esp)\n"
			 "1:"
			 : "=a"(pid)
			 : "a"(SYS_clone), "b"(flags), "c"(top), "d"(0)
			 : "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = flags;
	register long *x1 __asm__("x1") = top;
	register long x2 __asm__("x2") = 0;

	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, #0\n\t"
			 "ldr x9, [sp]\n\t"
			 "blr x9\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2)
			 : "x9", "x30", "memory");
	pid = x0;
#elif defined(__arm__)
	register long r7 __asm__("r7") = SYS_clone;
	register long r0 __asm__("r0") = flags;
	register long *r1 __asm__("r1") = top;
	register long r2 __asm__("r2") = 0;

	__asm__ volatile("svc 0\n\t"
			 "cmp r0, #0\n\t"
			 "bne 1f\n\t"
			 "mov fp, #0\n\t"
			 "ldr ip, [sp]\n\t"
			 "blx ip\n"
			 "1:"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2)
			 : "ip", "lr", "cc", "memory");
	pid = r0;
#else
#error "no clone for this architecture yet"
#endif
	wait_ends(t);
	return pid;
}

static FRAME void vfork_root(void *arg)
{
	struct truth *t = truth_row("vfork", "D", "vfork_waits;vfork_root;rooted");

	for (int i = 0; i < WAITS; i++)
		waitpid(vfork_waits(t), NULL, 0);
	(void)arg;
}

void kind_vfork(void)
{
	rooted(vfork_root, NULL);
}
