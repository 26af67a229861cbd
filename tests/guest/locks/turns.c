// SPDX-License-Identifier: GPL-2.0
/*
 * A thread that waits for locks a known number of times, each time while a known thread
 * holds it: struct turn. It prints "LOCK OWNER-TID WAITS" lines at its end.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "waiting.h"

enum { ONE, TWO, HOLDERS };

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, inherits, condition_mutex;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool is_signalled;

struct lock {
	const char *name;
	void (*take)(void);
	void (*release)(void);
	void (*wait)(void);
};

static void take_normal(void) { pthread_mutex_lock(&normal); }
static void release_normal(void) { pthread_mutex_unlock(&normal); }
static void take_pi(void) { pthread_mutex_lock(&inherits); }
static void release_pi(void) { pthread_mutex_unlock(&inherits); }
static void take_write(void) { pthread_rwlock_wrlock(&rwlock); }
static void release_rw(void) { pthread_rwlock_unlock(&rwlock); }

static void wait_normal(void)
{
	pthread_mutex_lock(&normal);
	pthread_mutex_unlock(&normal);
}

static void wait_pi(void)
{
	pthread_mutex_lock(&inherits);
	pthread_mutex_unlock(&inherits);
}

static void wait_read(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

/* A condition has no owner. */
static void wait_cond(void)
{
	pthread_mutex_lock(&condition_mutex);
	while (!is_signalled)
		pthread_cond_wait(&cond, &condition_mutex);
	is_signalled = false;
	pthread_mutex_unlock(&condition_mutex);
}

static void take_none(void)
{
}

static void signal_cond(void)
{
	pthread_mutex_lock(&condition_mutex);
	is_signalled = true;
	pthread_mutex_unlock(&condition_mutex);
	pthread_cond_signal(&cond);
}

static const struct lock locks[] = {
	{ "normal", take_normal, release_normal, wait_normal },
	{ "inherits", take_pi, release_pi, wait_pi },
	{ "rwlock", take_write, release_rw, wait_read },
	{ "cond", take_none, signal_cond, wait_cond },
};

static const struct turn {
	unsigned int lock, holder, waits;
} turns[] = {
	{ 0, ONE, 30 }, { 0, TWO, 10 }, { 1, TWO, 7 }, { 2, ONE, 5 }, { 3, ONE, 6 }, { 0, ONE, 4 },
};

#define NR_TURNS	(sizeof(turns) / sizeof(turns[0]))

static volatile int tids[HOLDERS], waiter;
static sem_t go[HOLDERS], held, released;

static void *hold(void *arg)
{
	unsigned int me = (size_t)arg, i, n;

	prctl(PR_SET_NAME, me == ONE ? "one" : "two");
	tids[me] = syscall(SYS_gettid);
	for (i = 0; i < NR_TURNS; i++) {
		const struct lock *l = &locks[turns[i].lock];

		for (n = 0; turns[i].holder == me && n < turns[i].waits; n++) {
			sem_wait(&go[me]);
			l->take();
			sem_post(&held);
			/* The one that waits for the lock, not for us. */
			while (!in_futex(waiter))
				nap();
			nap();
			l->release();
			sem_post(&released);
		}
	}
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t id[HOLDERS];
	unsigned int i, n;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inherits, &attr);
	pthread_mutex_init(&condition_mutex, NULL);
	sem_init(&held, 0, 0);
	sem_init(&released, 0, 0);
	waiter = syscall(SYS_gettid);
	for (i = 0; i < HOLDERS; i++) {
		sem_init(&go[i], 0, 0);
		pthread_create(&id[i], NULL, hold, (void *)(size_t)i);
	}
	for (i = 0; i < NR_TURNS; i++) {
		for (n = 0; n < turns[i].waits; n++) {
			sem_post(&go[turns[i].holder]);
			/* Without a futex, as its end is not to be taken for the lock's. */
			while (sem_trywait(&held))
				nap();
			locks[turns[i].lock].wait();
			while (sem_trywait(&released))
				nap();
		}
	}
	for (i = 0; i < HOLDERS; i++)
		pthread_join(id[i], NULL);
	for (i = 0; i < NR_TURNS; i++)
		printf("%s %d %u\n", locks[turns[i].lock].name, tids[turns[i].holder],
		       turns[i].waits);
	return 0;
}
