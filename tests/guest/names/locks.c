// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait for two locks, one of them part of something larger, for ever. See
 * in-guest.
 */
#include <pthread.h>
#include <time.h>

/* Of zeroes, which the file does not hold. */
pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	long size;
	pthread_mutex_t lock;
} table = { 1, PTHREAD_MUTEX_INITIALIZER };

static void *take(void *lock)
{
	for (;;) {
		pthread_mutex_lock(lock);
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
		pthread_mutex_unlock(lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, take, &cache_lock);
		pthread_create(&thread, NULL, take, &table.lock);
	}
	return pthread_join(thread, NULL);
}
