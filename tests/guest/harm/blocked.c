// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that are blocked for good, each below frames of several pages: some on stacks
 * that are locked in memory ("resident"), others on stacks that are paged out, private
 * ones ("paged") and shared ones ("shared").
 *
 *	blocked FILE LONG
 *
 * LONG is of two pages, one of which is paged out, too. Writes into FILE "NAME THREADS PAGES" for each kind, PAGES being how many of their
 * stacks' pages were written to, when no page of the last two kinds is in memory any
 * more; how they get out of the swap cache is the caller's business.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS	20	/* of each kind */
#define STACK	(32 * 4096)
#define DEPTH	4

struct kind {
	const char *name;
	bool shared;
	void *(*root)(void *arg);
	char *stacks;
	pid_t tids[THREADS];
	unsigned int pages;
};

static atomic_uint blocked;

#define FRAME __attribute__((noinline, noipa))

/* A frame of three pages, so that a walk goes through all of a stack. */
static FRAME void deeper(int n)
{
	volatile char frame[3 * 4096];

	memset((void *)frame, n, sizeof(frame));
	if (n)
		deeper(n - 1);
	else
		atomic_fetch_add(&blocked, 1);
	while (!n)
		pause();
	frame[0] = frame[sizeof(frame) - 1];
}

#define ROOT(name) \
static FRAME void *name##_root(void *tid) \
{ \
	prctl(PR_SET_NAME, #name); \
	*(pid_t *)tid = syscall(SYS_gettid); \
	deeper(DEPTH); \
	return tid; \
}
ROOT(resident)
ROOT(paged)
ROOT(shared)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void start(struct kind *kind)
{
	int fd = kind->shared ? memfd_create("stacks", 0) : -1;
	pthread_attr_t attr;
	pthread_t thread;

	if (kind->shared && ftruncate(fd, THREADS * STACK))
		die("ftruncate");
	kind->stacks = mmap(NULL, THREADS * STACK, PROT_READ | PROT_WRITE,
			    kind->shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (kind->stacks == MAP_FAILED)
		die("mmap");
	/* Pages, which are paged out one by one. */
	madvise(kind->stacks, THREADS * STACK, MADV_NOHUGEPAGE);
	for (int i = 0; i < THREADS; i++) {
		pthread_attr_init(&attr);
		pthread_attr_setstack(&attr, kind->stacks + i * STACK, STACK);
		if (pthread_create(&thread, &attr, kind->root, &kind->tids[i]))
			die("pthread_create");
	}
}

/* Whether a thread is off its CPU, where it will stay. */
static bool is_blocked(pid_t tid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*d %*s %c", &state) != 1)
		die(path);
	fclose(f);
	return state == 'S';
}

static void wait_until_blocked(const struct kind *kind)
{
	for (int i = 0; i < THREADS; i++)
		while (!is_blocked(kind->tids[i]))
			usleep(1000);
}

static unsigned int pages_there(const struct kind *kind)
{
	static unsigned char there[THREADS * STACK / 4096];
	unsigned int nr = 0;

	if (mincore(kind->stacks, THREADS * STACK, there))
		die("mincore");
	for (unsigned int i = 0; i < sizeof(there); i++)
		nr += there[i] & 1;
	return nr;
}

/* Pages out a page of the arguments on which nothing else is. */
static void page_out_argument(char *argument)
{
	char *page = (char *)(((unsigned long)argument + 4095) & -4096UL);
	unsigned char there = 1;

	if (strlen(argument) < 8192 || munlock(page, 4096))
		die("argument");
	while (there & 1) {
		if (madvise(page, 4096, MADV_PAGEOUT) || mincore(page, 4096, &there))
			die("argument");
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	struct kind kinds[] = {
		{ .name = "resident", .root = resident_root },
		{ .name = "paged", .root = paged_root },
		{ .name = "shared", .shared = true, .root = shared_root },
	};
	char path[4096];
	FILE *f;

	if (argc != 3)
		return 2;
	/* As of a program that generates code: its list is looked for. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return 1;
	/* What comes later is not locked. */
	start(&kinds[0]);
	while (atomic_load(&blocked) < THREADS)
		usleep(1000);
	if (mlockall(MCL_CURRENT))
		die("mlockall");
	start(&kinds[1]);
	start(&kinds[2]);
	while (atomic_load(&blocked) < 3 * THREADS)
		usleep(1000);
	for (int i = 0; i < 3; i++) {
		wait_until_blocked(&kinds[i]);
		kinds[i].pages = pages_there(&kinds[i]);
	}
	for (int i = 1; i < 3; i++)
		while (pages_there(&kinds[i])) {
			if (madvise(kinds[i].stacks, THREADS * STACK, MADV_PAGEOUT))
				die("madvise");
			usleep(10000);
		}
	page_out_argument(argv[2]);
	snprintf(path, sizeof(path), "%s.new", argv[1]);
	f = fopen(path, "w");
	if (!f)
		die(path);
	for (int i = 0; i < 3; i++)
		fprintf(f, "%s %d %u\n", kinds[i].name, THREADS, kinds[i].pages);
	if (fclose(f) || rename(path, argv[1]))
		die(path);
	for (;;)
		pause();
}
