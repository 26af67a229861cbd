// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest: what is recorded, besides the pipe.
 *
 *	loads futex ROUNDS	64 threads, in pairs that wake each other in turn
 *				from the bottom of 30 frames
 *	loads stacks ROUNDS	the same, each turn with a stack that no other has
 *	loads condvar ROUNDS	64 threads, in pairs that wake each other in turn by
 *				condition variables of libc
 *	loads condvar4 ROUNDS	4 threads, likewise
 *	loads churn THREADS	so many threads, 100 at a time, are born, sleep for
 *				their turn, and end
 *	loads sleep THREADS	so many threads sleep until they are killed
 *	loads processes N	so many processes, likewise
 *	loads naps US		sleeps so many microseconds again and again, for two
 *				seconds, but 10000 times at most
 *	loads faults N		touches a page that is not there, so many times, from
 *				the bottom of 30 frames
 *
 * Compiled with frame pointers and without. System calls are made in place, since
 * libc's functions keep no frame pointer; condvar calls libc. futex, condvar, stacks, churn
 * and naps say how long they took, as "perf bench" says it of an operation: microseconds,
 * of all of them; sleep and processes say the id of their process group, when all sleep, and
 * go on.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAIRS	32
#define FRAMES	30
#define BATCH	100
#define NAPS_US	2000000
#define NAPS	10000

static struct pair {
	int turn;		/* whose it is: 0 or 1 */
	int pad[15];
} pairs[PAIRS];
static long rounds;
static int gate;

static inline long futex(int *word, long op, long value)
{
	register long timeout __asm__("r10") = 0;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
			 : "a"((long)SYS_futex), "D"(word), "S"(op), "d"(value), "r"(timeout)
			 : "rcx", "r11", "memory");
	return ret;
}

/* Waits until *word is @value. */
static inline void await(int *word, int value)
{
	int now;

	while ((now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != value)
		futex(word, FUTEX_WAIT_PRIVATE, now);
}

static inline void set(int *word, int value, long wake)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	futex(word, FUTEX_WAKE_PRIVATE, wake);
}

/* Each level is a frame of its own: what follows the call keeps it. */
static __attribute__((noinline, noclone)) void turn(int depth, struct pair *pair, int me)
{
	if (depth) {
		turn(depth - 1, pair, me);
		__asm__ volatile("" ::: "memory");
		return;
	}
	await(&pair->turn, me);
	set(&pair->turn, !me, 1);
}

/* The same, and each level is called from one of two places. */
static __attribute__((noinline, noclone)) void
turn_by(int depth, unsigned long way, struct pair *pair, int me)
{
	if (depth && way & 1) {
		turn_by(depth - 1, way >> 1, pair, me);
		__asm__ volatile("" ::: "memory");
		return;
	}
	if (depth) {
		turn_by(depth - 1, way >> 1, pair, me);
		__asm__ volatile("nop" ::: "memory");
		return;
	}
	await(&pair->turn, me);
	set(&pair->turn, !me, 1);
}

static void *player_by(void *arg)
{
	long number = (long)arg, i;

	for (i = 0; i < rounds; i++)
		turn_by(FRAMES - 4, number * rounds + i, &pairs[number / 2], number % 2);
	return NULL;
}

static void *player(void *arg)
{
	long number = (long)arg, i;

	/* Above are libc's two and this one. */
	for (i = 0; i < rounds; i++)
		turn(FRAMES - 4, &pairs[number / 2], number % 2);
	return NULL;
}

/*
 * The turn of a pair is a variable that its mutex protects. Each thread has a condition
 * variable of its own: it waits for the two words of that in turn.
 */
static struct talk {
	pthread_mutex_t mutex;
	pthread_cond_t conds[2];
	int turn;
} __attribute__((aligned(64))) talks[PAIRS];

static void *talker(void *arg)
{
	long number = (long)arg, me = number % 2, i;
	struct talk *talk = &talks[number / 2];

	pthread_mutex_lock(&talk->mutex);
	for (i = 0; i < rounds; i++) {
		while (talk->turn != me)
			pthread_cond_wait(&talk->conds[me], &talk->mutex);
		talk->turn = !me;
		pthread_cond_signal(&talk->conds[!me]);
	}
	pthread_mutex_unlock(&talk->mutex);
	return NULL;
}

static void *newborn(void *arg)
{
	await(&gate, (int)(long)arg);
	return NULL;
}

static void *sleep_for_good(void *arg)
{
	(void)arg;
	for (;;)
		futex(&gate, FUTEX_WAIT_PRIVATE, 0);
	return NULL;
}

/* Small stacks: 10,000 threads. */
static void create(pthread_t *thread, void *(*function)(void *), long arg)
{
	static pthread_attr_t attr;
	static int known;

	if (!known) {
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 64 << 10);
		known = 1;
	}
	if (pthread_create(thread, &attr, function, (void *)arg)) {
		perror("loads: pthread_create");
		exit(1);
	}
}

static void in_pairs(int pairs, void *(*play)(void *))
{
	pthread_t threads[2 * PAIRS];
	long i;

	for (i = 0; i < 2 * pairs; i++)
		create(&threads[i], play, i);
	for (i = 0; i < 2 * pairs; i++)
		pthread_join(threads[i], NULL);
}

static void churn(void)
{
	pthread_t threads[BATCH];
	long done, i;

	for (done = 0; done < rounds; done += BATCH) {
		for (i = 0; i < BATCH; i++)
			create(&threads[i], newborn, done + 1);
		set(&gate, done + 1, INT_MAX);
		for (i = 0; i < BATCH; i++)
			pthread_join(threads[i], NULL);
	}
}

static void naps(void)
{
	struct timespec nap = { .tv_sec = rounds / 1000000, .tv_nsec = rounds % 1000000 * 1000 };
	long nr = rounds > 0 ? NAPS_US / rounds : NAPS;

	/* As short as they are meant: not 50 us longer. */
	prctl(PR_SET_TIMERSLACK, 1);
	for (nr = nr < NAPS ? nr : NAPS; nr > 0; nr--)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

/* Starts a daemon with so many blocked threads, in a process group of its own. */
static int start_daemon(int threads)
{
	int ready[2], null;
	pthread_t thread;
	pid_t pid;
	char c;
	long i;

	if (pipe(ready))
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (pid) {
		close(ready[1]);
		if (read(ready[0], &c, 1) != 1)
			return 1;
		printf("%d\n", pid);
		return 0;
	}
	setpgid(0, 0);
	null = open("/dev/null", O_RDWR);
	for (i = 0; i < 3; i++)
		dup2(null, i);
	for (i = 1; i < rounds; i++) {
		if (threads)
			create(&thread, sleep_for_good, 0);
		else if (!fork())
			break;
	}
	if (i >= rounds) {
		/* All others are blocked when this has passed. */
		usleep(1000000);
		if (write(ready[1], "", 1) != 1)
			return 1;
	}
	for (;;)
		pause();
}

static __attribute__((noinline)) void touch(volatile char *page, int depth)
{
	if (depth)
		touch(page, depth - 1);
	else
		*page = 1;
	__asm__ volatile("" ::: "memory");
}

static void faults(void)
{
	const size_t bytes = 4096;
	char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (long i = 0; i < rounds; i++) {
		madvise(page, bytes, MADV_DONTNEED);
		touch(page, 30);
	}
}

int main(int argc, char **argv)
{
	struct timespec from, to;

	if (argc != 3) {
		fprintf(stderr, "usage: loads futex|stacks|condvar|condvar4|churn|sleep|processes|naps|faults N\n");
		return 2;
	}
	rounds = atol(argv[2]);
	if (!strcmp(argv[1], "sleep") || !strcmp(argv[1], "processes"))
		return start_daemon(!strcmp(argv[1], "sleep"));
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (!strcmp(argv[1], "futex"))
		in_pairs(PAIRS, player);
	else if (!strcmp(argv[1], "stacks"))
		in_pairs(PAIRS, player_by);
	else if (!strcmp(argv[1], "condvar"))
		in_pairs(PAIRS, talker);
	else if (!strcmp(argv[1], "condvar4"))
		in_pairs(2, talker);
	else if (!strcmp(argv[1], "churn"))
		churn();
	else if (!strcmp(argv[1], "naps"))
		naps();
	else if (!strcmp(argv[1], "faults"))
		faults();
	else
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.3f usecs\n", (to.tv_sec - from.tv_sec) * 1e6 + (to.tv_nsec - from.tv_nsec) / 1e3);
	return 0;
}
