// SPDX-License-Identifier: GPL-2.0
/*
 * Sleeps in rt_sigreturn: the kernel reads the signal mask from a page that is not
 * there until another thread, which learns that by userfaultfd, fills it in.
 * Functions are named as nofp.c's. Built with -O2 -fomit-frame-pointer.
 *
 *	sigreturn SLEEPS
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE	4096

static char *pages;		/* the second one is filled in late */
static char rest[PAGE] __attribute__((aligned(PAGE)));
static int uffd;

/* Of what the kernel reads, the mask comes last; in front is what a walk reads. */
#define MASK	offsetof(ucontext_t, uc_sigmask)

static void handler(int nr, siginfo_t *info, void *context)
{
	char *frame = pages + PAGE - MASK;

	(void)nr;
	(void)info;
	madvise(pages + PAGE, PAGE, MADV_DONTNEED);
	memcpy(frame, context, MASK);
	memcpy(rest, (char *)context + MASK, 8);
	/* As "ret" would, but with the stack pointer there. */
	__asm__ volatile("mov %0, %%rsp\n\tjmp *%1"
			 : : "r"(frame), "r"(__builtin_return_address(0)) : "memory");
	__builtin_unreachable();
}

static void *fill_in(void *arg)
{
	const struct timespec ts = { .tv_nsec = 50000000 };
	struct uffdio_copy copy = {
		.dst = (unsigned long)pages + PAGE, .src = (unsigned long)rest, .len = PAGE,
	};
	struct uffd_msg msg;

	while (read(uffd, &msg, sizeof(msg)) == sizeof(msg)) {
		nanosleep(&ts, NULL);
		if (ioctl(uffd, UFFDIO_COPY, &copy))
			_exit(3);
	}
	return arg;
}

static __attribute__((noinline)) void nofp_inner(void)
{
	raise(SIGUSR1);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void nofp_outer(volatile char *room, int sleeps)
{
	for (int i = 0; i < sleeps; i++) {
		room[i % 100] = 0;
		nofp_inner();
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	volatile char room[200];
	pthread_t thread;

	uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (unsigned long)pages + PAGE;
	range.range.len = PAGE;
	if (argc != 2 || uffd < 0 || pages == MAP_FAILED || ioctl(uffd, UFFDIO_API, &api) ||
	    ioctl(uffd, UFFDIO_REGISTER, &range) || sigaction(SIGUSR1, &action, NULL) ||
	    pthread_create(&thread, NULL, fill_in, NULL))
		return 1;
	nofp_outer(room, atoi(argv[1]));
	return room[0];
}
