// SPDX-License-Identifier: GPL-2.0
/*
 * tests/kunit/shim: several threads at once, as tests/kunit/threads.c has them in the
 * kernel.
 */
#include <pthread.h>
#include <stdlib.h>

#include "threads.h"

struct thread {
	pthread_t id;
	void (*run)(u32 who);
	u32 who;
};

static pthread_barrier_t gate;

#ifdef __SANITIZE_THREAD__
_Thread_local const unsigned long *shim_last_read; /* see linux/compiler.h */
#endif

static void *thread_run(void *arg)
{
	struct thread *thread = arg;

	pthread_barrier_wait(&gate);
	thread->run(thread->who);
	return NULL;
}

bool threads_run(u32 nr, void (*run)(u32 who))
{
	struct thread threads[THREADS_MAX];
	u32 i;

	if (nr > THREADS_MAX || pthread_barrier_init(&gate, NULL, nr))
		return false;
	for (i = 0; i < nr; i++) {
		threads[i] = (struct thread){ .run = run, .who = i };
		/* Those that wait at the gate would do so for ever. */
		if (pthread_create(&threads[i].id, NULL, thread_run, &threads[i]))
			abort();
	}
	for (i = 0; i < nr; i++)
		pthread_join(threads[i].id, NULL);
	pthread_barrier_destroy(&gate);
	return true;
}
