// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait for locks in all kinds of memory: the heap, the stacks of the first
 * and of another thread, mapped memory, shared memory, and a shared file, for ever. See
 * in-guest.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void *take(void *lock)
{
	for (;;) {
		pthread_mutex_lock(lock);
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
		pthread_mutex_unlock(lock);
	}
	return NULL;
}

static void contend(pthread_mutex_t *lock)
{
	pthread_t thread;
	int i;

	pthread_mutex_init(lock, NULL);
	for (i = 0; i < 3; i++)
		pthread_create(&thread, NULL, take, lock);
}

static void *other(void *unused)
{
	pthread_mutex_t lock;

	(void)unused;
	contend(&lock);
	for (;;)
		pause();
}

static pthread_mutex_t *mapped(int flags, int fd)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	pthread_mutex_t lock;
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	contend(&lock);
	contend(malloc(sizeof(pthread_mutex_t)));
	contend(mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1));
	contend(mapped(MAP_SHARED | MAP_ANONYMOUS, -1));
	contend(mapped(MAP_SHARED, fd));
	pthread_create(&thread, NULL, other, NULL);
	return pthread_join(thread, NULL);
}
