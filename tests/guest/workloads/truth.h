/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every workload shares: system calls without libc, stacks that a frame
 * pointer walk finds whole, and the record of what really happened.
 *
 * Debian's libc has no frame pointers. So a thread that is to be judged
 * waits in a function of ours, by a system call of ours, and its outermost
 * function is called by rooted(), which sets the frame pointer to 0. Its stack
 * is then known to the last frame:
 *
 *	nap_inner < nap_outer < nap_root < rooted
 *
 * Around each wait the thread reads CLOCK_MONOTONIC and the kernel's own
 * accounts of its CPU time and of its context switches, and adds what passed
 * to a row of the truth: the wait took the time that passed, less at most the
 * CPU time. So a guest that stands still while the thread runs, on a busy
 * host, does not change the outcome.
 */
#ifndef WORKLOADS_TRUTH_H
#define WORKLOADS_TRUTH_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

/* A function that stands in the stack under its own name, with a frame. */
#define FRAME __attribute__((noipa))

#define MS 1000000ULL
#define SEC 1000000000ULL

/* One kind of wait of one thread. */
struct truth {
	const char *kind;	/* of the workload */
	const char *stack;	/* innermost first, separated by ; */
	const char *state;	/* as perf sched prints it */
	int tid;
	uint64_t waits;		/* calls in which the thread had to wait */
	uint64_t switches;	/* that the kernel counted in them */
	uint64_t total;		/* their time less the CPU time; 0: not measured */
	uint64_t around;	/* their time */
	uint64_t t0, c0, s0;	/* of the wait that is going on */
};

/* A row for this thread; never fails, never blocks. */
struct truth *truth_row(const char *kind, const char *state, const char *stack);

/* Write all rows. */
void truth_write(const char *path);

/* Print all rows, in words, to standard output. */
void truth_print(void);

/* Call root(arg) with a frame pointer of 0: the outermost frame. */
void rooted(void (*root)(void *arg), void *arg);

static inline __attribute__((always_inline)) long
raw(long nr, long a, long b, long c, long d, long e)
{
	long ret;

#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
#elif defined(__i386__)
	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory");
	ret = x0;
#elif defined(__arm__)
	register long r7 __asm__("r7") = nr;
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = d;
	register long r4 __asm__("r4") = e;

	__asm__ volatile("svc 0"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4)
			 : "memory");
	ret = r0;
#else
#error "no system calls for this architecture yet"
#endif
	return ret;
}

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * SEC + ts.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* How often this thread blocked, or was preempted or yielded, so far. */
static inline uint64_t switched(int voluntarily)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return voluntarily ? usage.ru_nvcsw : usage.ru_nivcsw;
}

/*
 * Around one blocking system call. The clock is read innermost, so that what
 * was recorded lies inside of what was measured.
 */
static inline __attribute__((always_inline)) void wait_begins(struct truth *t)
{
	t->s0 = switched(1);
	t->c0 = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	t->t0 = now_ns();
}

static inline __attribute__((always_inline)) void wait_ends(struct truth *t)
{
	uint64_t time = now_ns() - t->t0;
	uint64_t run = clock_ns(CLOCK_THREAD_CPUTIME_ID) - t->c0;
	uint64_t switches = switched(1) - t->s0;

	t->around += time;
	t->total += time > run ? time - run : 0;
	t->switches += switches;
	/* In a guest that stood still, what it would wait for may have come. */
	if (switches)
		t->waits++;
}

/* As the kernel knows it in the system calls used here, on both widths. */
struct raw_timespec {
	long sec;
	long nsec;
};

static inline __attribute__((always_inline)) void raw_sleep(uint64_t ns)
{
	struct raw_timespec ts = { ns / SEC, ns % SEC };

	raw(SYS_nanosleep, (long)&ts, 0, 0, 0, 0);
}

#endif
