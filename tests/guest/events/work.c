// SPDX-License-Identifier: GPL-2.0
/*
 * Does so much of three things, each in a function of its own: faults, calls, naps. With a
 * number, so many calls in each of two processes, from many stacks, each with another argument.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAULTS	200
#define CALLS	300
#define NAPS	40
#define BITS	9	/* of a path */
#define PAGE	65536	/* or less */

/* What calls no function may have no frame: whoever walks by frame pointer misses its caller. */
static __attribute__((noinline)) void touch(volatile char *page)
{
	*page = 1;
}

static __attribute__((noinline)) void touch_all(volatile char *pages)
{
	for (int i = 0; i < FAULTS; i++)
		touch(&pages[i * PAGE]);
	__asm__ volatile("");
}

static __attribute__((noinline)) void call_all(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	__asm__ volatile("");
}

static __attribute__((noinline)) void nap_all(void)
{
	const struct timespec ts = { .tv_nsec = 1000 };

	for (int i = 0; i < NAPS; i++)
		nanosleep(&ts, NULL);
	__asm__ volatile("");
}

/* One of two calls at each step. @here differs, so that they stay two. */
static __attribute__((noinline)) long along(unsigned int path, int bits, long call, int here)
{
	long done;

	if (!bits) {
		done = syscall(SYS_getppid, call);
	} else if (path & 1) {
		done = along(path >> 1, bits - 1, call, 1);
		__asm__ volatile("" : "+r" (done));
	} else {
		done = along(path >> 1, bits - 1, call, 0);
		__asm__ volatile("" : "+r" (done));
	}
	return done + here;
}

static int storm(long calls)
{
	pid_t child = fork();

	for (long i = 0; i < calls; i++)
		along(i, BITS, i, 0);
	return child && waitpid(child, NULL, 0) != child;
}

int main(int argc, char **argv)
{
	char *pages = mmap(NULL, FAULTS * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	if (argc > 1)
		return storm(atol(argv[1]));
	madvise(pages, FAULTS * PAGE, MADV_NOHUGEPAGE);
	touch_all(pages);
	call_all();
	nap_all();
	return 0;
}
