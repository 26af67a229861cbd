// SPDX-License-Identifier: GPL-2.0
/*
 * Reads memory of running processes, a block at a time, if it is present: a page that is swapped
 * out, or was never used, stays so.
 *
 * It may be gone between the look at /proc/PID/pagemap and the read. A process decides how its
 * memory comes to be: from a file whose server does not answer, or from a handler of
 * userfaultfd; and it can keep its memory map locked. So a thread of its own reads. One that is
 * blocked is left to itself, and another one reads what is asked for next; of these there
 * are few.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/ownthread.h"
#include "lib/proc/procmemory.h"

/* Number of threads that may be left to themselves. */
#define MAX_LEFT	16

/*
 * A thread is blocked if it is at so many checks. A slow disk takes less for a page that
 * was swapped out.
 */
#define LOOKS		25
#define LOOK_NS		20000000

/* In /proc/PID/pagemap. */
#define PRESENT		(1ULL << 63)
#define SWAPPED		(1ULL << 62)

/**
 * struct reader - a thread that reads
 * @lock: protects all that follows
 * @changed: signals @asked, @done or @end
 * @thread: the thread
 * @watched: for the check whether it is blocked
 * @asked: it is to read
 * @done: it has read
 * @end: nothing more is to be read
 * @left: nobody waits for it: it frees this
 * @pid: the process
 * @address: the block
 * @err: 0 or a negative errno
 * @data: what was read
 */
struct reader {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	struct wp_ownthread watched;
	bool asked;
	bool done;
	bool end;
	bool left;
	__u32 pid;
	__u64 address;
	int err;
	__u8 data[WP_PROCMEMORY_BLOCK];
};

/**
 * struct wp_procmemory - a reader of memory
 * @reader: its thread, or NULL
 * @nr_left: number of threads that were left to themselves
 */
struct wp_procmemory {
	struct reader *reader;
	unsigned int nr_left;
};

static void free_reader(struct reader *r)
{
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/*
 * Whether a page is in memory, and mapped: 0, or a negative errno; -ENXIO: it never was, or is a
 * file's.
 */
static int look_at_page(__u32 pid, __u64 address)
{
	char path[32];
	__u64 page = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/pagemap", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = pread(fd, &page, sizeof(page), address / sysconf(_SC_PAGESIZE) * sizeof(page));
	close(fd);
	/* It has no memory any more, or never any there: the read fails. */
	if (!n)
		return 0;
	if (n != sizeof(page) || page & SWAPPED)
		return -ENODATA;
	return page & PRESENT ? 0 : -ENXIO;
}

static int read_block(struct reader *r)
{
	struct iovec to = { .iov_base = r->data, .iov_len = sizeof(r->data) };
	struct iovec from = { .iov_base = (void *)r->address, .iov_len = sizeof(r->data) };
	int err = look_at_page(r->pid, r->address);
	ssize_t n;

	if (err)
		return err;
	n = process_vm_readv(r->pid, &to, 1, &from, 1, 0);
	if (n == sizeof(r->data))
		return 0;
	return n < 0 && errno != EFAULT ? -errno : -ENODATA;
}

static void *work(void *arg)
{
	struct reader *r = arg;
	bool left;
	int err;

	pthread_mutex_lock(&r->lock);
	wp_ownthread_self(&r->watched);
	while (!r->end && !r->left) {
		if (!r->asked || r->done) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		pthread_mutex_unlock(&r->lock);
		err = read_block(r);
		pthread_mutex_lock(&r->lock);
		r->err = err;
		r->done = true;
		pthread_cond_broadcast(&r->changed);
	}
	left = r->left;
	pthread_mutex_unlock(&r->lock);
	if (left)
		free_reader(r);
	return NULL;
}

static struct reader *new_reader(void)
{
	struct reader *r = calloc(1, sizeof(*r));
	pthread_condattr_t clock;
	sigset_t all, old;
	int err;

	if (!r)
		return NULL;
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&r->changed, &clock);
	pthread_condattr_destroy(&clock);
	/* Signals are handled by the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&r->thread, NULL, work, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err)
		return r;
	free_reader(r);
	return NULL;
}

/**
 * wp_procmemory_new() - allocate a reader of memory
 *
 * Return: the reader; NULL: out of memory.
 */
struct wp_procmemory *wp_procmemory_new(void)
{
	return calloc(1, sizeof(struct wp_procmemory));
}

/**
 * wp_procmemory_free() - free a reader
 * @p: the reader, or NULL
 */
void wp_procmemory_free(struct wp_procmemory *p)
{
	struct reader *r = p ? p->reader : NULL;

	if (r) {
		pthread_mutex_lock(&r->lock);
		r->end = true;
		pthread_cond_broadcast(&r->changed);
		pthread_mutex_unlock(&r->lock);
		pthread_join(r->thread, NULL);
		free_reader(r);
	}
	free(p);
}

/* Wait for the answer; returns whether it has come. Caller holds the lock. */
static bool wait_for(struct reader *r)
{
	unsigned int looks = 0;
	struct timespec until;

	while (!r->done && looks < LOOKS) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (pthread_cond_timedwait(&r->changed, &r->lock, &until) != ETIMEDOUT)
			continue;
		looks = wp_ownthread_is_blocked(&r->watched, "DS") ? looks + 1 : 0;
	}
	return r->done;
}

/**
 * wp_procmemory_try() - read a block of a process's memory, or find that there is none
 * @p: the reader
 * @pid: the process
 * @address: the block, a multiple of its size
 * @to: set to the block
 *
 * Return: as wp_procmemory_read(), and -ENXIO: nothing is present, and nothing was swapped
 * out: in a private mapping of a file it is what the file has.
 */
int wp_procmemory_try(struct wp_procmemory *p, __u32 pid, __u64 address, void *to)
{
	struct reader *r = p->reader;
	int err;

	if (p->nr_left == MAX_LEFT)
		return -ETIMEDOUT;
	if (!r)
		r = new_reader();
	if (!r)
		return -ENOMEM;
	p->reader = r;
	pthread_mutex_lock(&r->lock);
	r->pid = pid;
	r->address = address;
	r->asked = true;
	r->done = false;
	pthread_cond_broadcast(&r->changed);
	if (wait_for(r)) {
		r->asked = false;
		err = r->err;
		memcpy(to, r->data, err ? 0 : sizeof(r->data));
	} else {
		err = -ETIMEDOUT;
		r->left = true;
		pthread_detach(r->thread);
		p->reader = NULL;
		p->nr_left++;
	}
	pthread_mutex_unlock(&r->lock);
	return err;
}

/**
 * wp_procmemory_read() - read a block of a process's memory
 * @p: the reader
 * @pid: the process
 * @address: the block, a multiple of its size
 * @to: set to the block
 *
 * Return: 0; -ENODATA: it is not present; -ETIMEDOUT: it does not come, or did not come too
 * often before; -EPERM or -EACCES, -ESRCH, -ENOMEM.
 */
int wp_procmemory_read(struct wp_procmemory *p, __u32 pid, __u64 address, void *to)
{
	int err = wp_procmemory_try(p, pid, address, to);

	return err == -ENXIO ? -ENODATA : err;
}
