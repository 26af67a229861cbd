// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait for locks, of which it is known who holds them.
 *
 *	locks FILE
 *
 * writes "NAME KIND OWNER" lines to FILE when all wait, by the threads' names: the kind
 * is "mutex", "PI-mutex", "rwlock", or "-" if there is no owner to be found. It goes on
 * until it is killed.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "waiting.h"

#define MOST	64

enum kind { NORMAL, RECURSIVE, ERRORCHECK, ADAPTIVE, ROBUST, PI, KINDS };

/* A thread, and what is expected of it. */
struct thread {
	const char *name;
	const char *kind;
	const char *owner;
	void (*run)(void *arg);
	void *arg;
	volatile int tid;
};

static struct thread threads[MOST];
static int nr_threads;
static pthread_mutex_t mutex[KINDS], chain[3], circle[2], passing[2], self, dead, busy, signalled_mutex;
static pthread_mutex_t *shared;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER, read_held = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, signalled = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static pthread_barrier_t barrier;
static pthread_t spinner;
static volatile bool stored, is_waiting, spinning;

static void stop(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void rest(void)
{
	for (;;)
		pause();
}

static void *begin(void *arg)
{
	struct thread *t = arg;

	prctl(PR_SET_NAME, t->name);
	t->tid = syscall(SYS_gettid);
	t->run(t->arg);
	return NULL;
}

static struct thread *add(const char *name, const char *kind, const char *owner,
			  void (*run)(void *arg), void *arg)
{
	struct thread *t = &threads[nr_threads++];

	*t = (struct thread){ name, kind, owner, run, arg, 0 };
	return t;
}

static pthread_t start(struct thread *t)
{
	pthread_t id;

	if (pthread_create(&id, NULL, begin, t))
		stop(t->name);
	while (!t->tid)
		nap();
	return id;
}

/* A thread that waits in futex(2) from now on. */
static void waits(const char *name, const char *kind, const char *owner,
		  void (*run)(void *arg), void *arg)
{
	struct thread *t = add(name, kind, owner, run, arg);

	start(t);
	while (!in_futex(t->tid))
		nap();
}

/* A thread that does something, and then something else than futex(2). */
static void does(const char *name, void (*run)(void *arg), void *arg)
{
	stored = false;
	start(add(name, "-", "-", run, arg));
	while (!stored)
		nap();
}

static void hold_all(void *arg)
{
	int i;

	for (i = 0; i < KINDS; i++)
		pthread_mutex_lock(&mutex[i]);
	pthread_mutex_lock(&mutex[RECURSIVE]);
	pthread_rwlock_wrlock(&written);
	stored = true;
	rest();
}

static void hold_one(void *arg)
{
	pthread_mutex_lock(arg);
	stored = true;
	rest();
}

static void hold_and_end(void *arg)
{
	pthread_mutex_lock(arg);
	stored = true;
}

static void hold_and_read(void *arg)
{
	pthread_rwlock_rdlock(arg);
	stored = true;
	rest();
}

static void hold_and_spin(void *arg)
{
	pthread_mutex_lock(arg);
	stored = true;
	while (spinning)
		;
	rest();
}

static void lock(void *arg)
{
	pthread_mutex_lock(arg);
	stop("locked");
}

static void lock_timed(void *arg)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 100000;
	pthread_mutex_timedlock(arg, &until);
	stop("locked");
}

static void lock_read(void *arg)
{
	pthread_rwlock_rdlock(arg);
	stop("locked");
}

static void lock_write(void *arg)
{
	pthread_rwlock_wrlock(arg);
	stop("locked");
}

/* Holds the first and waits for the second. */
static void lock_both(void *arg)
{
	pthread_mutex_t **both = arg;

	pthread_mutex_lock(both[0]);
	lock(both[1]);
}

/* Takes a lock, and waits until another thread has one, too. */
static void lock_first(pthread_mutex_t *m, volatile int *nr)
{
	pthread_mutex_lock(m);
	__atomic_add_fetch(nr, 1, __ATOMIC_SEQ_CST);
	while (*nr < 2)
		nap();
}

/* As lock_both(), when the other one has its first, too. */
static void lock_crosswise(void *arg)
{
	static volatile int nr;
	pthread_mutex_t **both = arg;

	lock_first(both[0], &nr);
	lock(both[1]);
}

/* As above, but one of the two gives up some time. */
static volatile int nr_patient;

static void lock_patient(void *arg)
{
	pthread_mutex_t **both = arg;

	lock_first(both[0], &nr_patient);
	lock(both[1]);
}

static void lock_impatient(void *arg)
{
	pthread_mutex_t **both = arg;

	lock_first(both[0], &nr_patient);
	lock_timed(both[1]);
}

static void lock_twice(void *arg)
{
	pthread_mutex_lock(arg);
	lock(arg);
}

static void wait_cond(void *arg)
{
	pthread_mutex_lock(&cond_mutex);
	pthread_cond_wait(&cond, &cond_mutex);
	stop("signalled");
}

/* It is signalled, and then waits for the mutex. */
static void wait_signalled(void *arg)
{
	pthread_mutex_lock(&signalled_mutex);
	is_waiting = true;
	pthread_cond_wait(&signalled, &signalled_mutex);
	stop("locked");
}

static void signal_and_hold(void *arg)
{
	pthread_mutex_lock(&signalled_mutex);
	pthread_cond_signal(&signalled);
	stored = true;
	rest();
}

static void wait_sem(void *arg)
{
	sem_wait(&sem);
	stop("posted");
}

static void wait_barrier(void *arg)
{
	pthread_barrier_wait(&barrier);
	stop("passed");
}

static void wait_join(void *arg)
{
	pthread_join(spinner, NULL);
	stop("joined");
}

/* A lock of the program's own, in memory that looks like a mutex of glibc. */
static struct { int word, count, owner, nusers, kind; } __attribute__((aligned(8))) forged;

static void wait_own(void *arg)
{
	syscall(SYS_futex, &forged.word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
	stop("woken");
}

static void make_mutex(pthread_mutex_t *m, enum kind kind, bool is_shared)
{
	static const int types[KINDS] = {
		[RECURSIVE] = PTHREAD_MUTEX_RECURSIVE, [ERRORCHECK] = PTHREAD_MUTEX_ERRORCHECK,
		[ADAPTIVE] = PTHREAD_MUTEX_ADAPTIVE_NP,
	};
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, types[kind]);
	if (kind == ROBUST)
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	if (kind == PI)
		pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (is_shared)
		pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	if (pthread_mutex_init(m, &attr))
		stop("pthread_mutex_init");
}

/* Another process holds a mutex. */
static void share(void)
{
	volatile bool *held;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		stop("mmap");
	held = (void *)(shared + 2);
	make_mutex(shared, NORMAL, true);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "other");
		pthread_mutex_lock(shared);
		*held = true;
		rest();
	}
	while (!*held)
		nap();
}

static void start_mutexes(void)
{
	static const char *const names[KINDS] = {
		"normal", "recursive", "errorcheck", "adaptive", "robust", "pi",
	};
	int i;

	for (i = 0; i < KINDS; i++)
		make_mutex(&mutex[i], i, false);
	does("holder", hold_all, NULL);
	for (i = 0; i < KINDS; i++)
		waits(names[i], i == PI ? "PI-mutex" : "mutex", "holder", lock, &mutex[i]);
	waits("timed", "mutex", "holder", lock_timed, &mutex[NORMAL]);
	waits("shared", "mutex", "other", lock, shared);
}

static void start_rwlocks(void)
{
	waits("reader", "rwlock", "holder", lock_read, &written);
	waits("writer", "rwlock", "holder", lock_write, &written);
	waits("writer2", "rwlock", "holder", lock_write, &written);
	does("reads", hold_and_read, &read_held);
	waits("unwritten", "-", "-", lock_write, &read_held);
}

static void start_chains(void)
{
	static pthread_mutex_t *links[][2] = {
		{ &chain[1], &chain[0] }, { &chain[2], &chain[1] },
		{ &circle[0], &circle[1] }, { &circle[1], &circle[0] },
		{ &passing[0], &passing[1] }, { &passing[1], &passing[0] },
	};
	struct thread *left, *right;

	does("last", hold_one, &chain[0]);
	waits("third", "mutex", "last", lock_both, links[0]);
	waits("second", "mutex", "third", lock_both, links[1]);
	waits("first", "mutex", "second", lock, &chain[2]);
	left = add("left", "mutex", "right", lock_crosswise, links[2]);
	right = add("right", "mutex", "left", lock_crosswise, links[3]);
	start(left);
	start(right);
	while (!in_futex(left->tid) || !in_futex(right->tid))
		nap();
	waits("alone", "mutex", "alone", lock_twice, &self);
	waits("behind", "mutex", "left", lock, &circle[0]);
	left = add("patient", "mutex", "impatient", lock_patient, links[4]);
	right = add("impatient", "mutex", "patient", lock_impatient, links[5]);
	start(left);
	start(right);
	while (!in_futex(left->tid) || !in_futex(right->tid))
		nap();
	waits("follower", "mutex", "patient", lock, &passing[0]);
}

static void start_others(void)
{
	struct thread *t;

	waits("cond", "-", "-", wait_cond, NULL);
	t = add("signalled", "mutex", "signals", wait_signalled, NULL);
	start(t);
	while (!is_waiting || !in_futex(t->tid))
		nap();
	does("signals", signal_and_hold, NULL);
	sem_init(&sem, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	waits("sem", "-", "-", wait_sem, NULL);
	waits("barrier", "-", "-", wait_barrier, NULL);
	does("ended", hold_and_end, &dead);
	/* Its number is free again when it is gone. */
	while (!syscall(SYS_tgkill, getpid(), threads[nr_threads - 1].tid, 0))
		nap();
	waits("orphan", "-", "-", lock, &dead);
	spinning = true;
	t = add("spins", "-", "-", hold_and_spin, &busy);
	stored = false;
	spinner = start(t);
	while (!stored)
		nap();
	waits("busy", "mutex", "spins", lock, &busy);
	waits("join", "-", "-", wait_join, NULL);
	forged.word = 2;
	forged.owner = threads[0].tid;
	forged.nusers = 1;
	waits("own", "-", "-", wait_own, NULL);
}

int main(int argc, char **argv)
{
	FILE *f;
	int i;

	if (argc != 2)
		return 2;
	share();
	start_mutexes();
	start_rwlocks();
	start_chains();
	start_others();
	f = fopen(argv[1], "w");
	if (!f)
		stop(argv[1]);
	fprintf(f, "%d\n", getpid());
	for (i = 0; i < nr_threads; i++)
		fprintf(f, "%s %s %s\n", threads[i].name, threads[i].kind, threads[i].owner);
	fclose(f);
	rest();
}
