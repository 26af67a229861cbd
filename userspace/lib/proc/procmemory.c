// SPDX-License-Identifier: GPL-2.0
/*
 * Reads memory of running processes, in blocks, if it is present: a page that is swapped
 * out, or was never used, stays so.
 *
 * It may be gone between the look at /proc/PID/pagemap and the read. A process decides how its
 * memory comes to be: from a file whose server does not answer, or from a handler of
 * userfaultfd; and it can keep its memory map locked. So a thread of its own reads. One that is
 * blocked is left to itself, and another one reads what is asked for next; of these there
 * are few, and fewer for the processes of one user, until they go on.
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
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/proc/procmemory.h"

/* Number of threads that may be left to themselves, and of those for a user. */
#define MAX_LEFT	16
#define USER_LEFT	4

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
 * @left: nobody is there any more: it frees this
 * @pid: the process
 * @uid: its user, of one that nobody waits for
 * @address: the first block
 * @nr: their number
 * @err: of each 0 or a negative errno
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
	uid_t uid;
	__u64 address;
	unsigned int nr;
	int err[WP_PROCMEMORY_SOME];
	__u8 data[WP_PROCMEMORY_SOME][WP_PROCMEMORY_BLOCK];
};

/**
 * struct wp_procmemory - a reader of memory
 * @reader: its thread, or NULL
 * @left: threads that were left to themselves
 * @nr_left: their number
 */
struct wp_procmemory {
	struct reader *reader;
	struct reader *left[MAX_LEFT];
	unsigned int nr_left;
};

static void free_reader(struct reader *r)
{
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/*
 * Whether a page is in memory, and mapped: 0, or a negative errno; -ENXIO: it never was, or is
 * a file's.
 */
static int is_there(__u64 page)
{
	if (page & SWAPPED)
		return -ENODATA;
	return page & PRESENT ? 0 : -ENXIO;
}

/* Looks at the pages of the blocks; a page may have several. */
static void look_at_pages(struct reader *r)
{
	const __u64 size = sysconf(_SC_PAGESIZE), first = r->address / size;
	__u64 page[WP_PROCMEMORY_SOME + 1], last, i;
	char path[32];
	ssize_t n = -1;
	int fd, err;

	last = (r->address + r->nr * WP_PROCMEMORY_BLOCK - 1) / size;
	snprintf(path, sizeof(path), "/proc/%u/pagemap", r->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd >= 0 ? -ENODATA : errno == ENOENT ? -ESRCH : -errno;
	if (fd >= 0) {
		n = pread(fd, page, (last - first + 1) * sizeof(page[0]),
			  first * sizeof(page[0]));
		close(fd);
	}
	for (i = 0; i < r->nr; i++) {
		__u64 at = (r->address + i * WP_PROCMEMORY_BLOCK) / size - first;

		/* It has no memory any more, or never any there: the read fails. */
		r->err[i] = n < 0 ? err : (size_t)n >= (at + 1) * sizeof(page[0]) ?
			is_there(page[at]) : 0;
	}
}

static void read_blocks(struct reader *r)
{
	struct iovec to[WP_PROCMEMORY_SOME], from[WP_PROCMEMORY_SOME];
	unsigned int i, nr = 0;
	ssize_t n;
	int err;

	look_at_pages(r);
	for (i = 0; i < r->nr; i++) {
		if (r->err[i])
			continue;
		to[nr] = (struct iovec){ r->data[i], WP_PROCMEMORY_BLOCK };
		from[nr++] = (struct iovec){
			(void *)(r->address + i * WP_PROCMEMORY_BLOCK), WP_PROCMEMORY_BLOCK,
		};
	}
	n = nr ? process_vm_readv(r->pid, to, nr, from, nr, 0) : 0;
	err = n < 0 && errno != EFAULT ? -errno : -ENODATA;
	/* It ends at the first that cannot be read. */
	for (i = 0; i < r->nr; i++) {
		if (r->err[i])
			continue;
		r->err[i] = n >= WP_PROCMEMORY_BLOCK ? 0 : err;
		n -= n > 0 ? WP_PROCMEMORY_BLOCK : 0;
	}
}

static void *work(void *arg)
{
	struct reader *r = arg;
	bool left;

	pthread_mutex_lock(&r->lock);
	wp_ownthread_self(&r->watched);
	while (!r->end && !r->left) {
		if (!r->asked || r->done) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		pthread_mutex_unlock(&r->lock);
		read_blocks(r);
		pthread_mutex_lock(&r->lock);
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

/* It has read, or waits to be asked. */
static void end_reader(struct reader *r)
{
	pthread_mutex_lock(&r->lock);
	r->end = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	free_reader(r);
}

/* Frees the threads that were left to themselves and have read since. */
static void end_left(struct wp_procmemory *p)
{
	unsigned int i = 0;
	bool done;

	while (i < p->nr_left) {
		pthread_mutex_lock(&p->left[i]->lock);
		done = p->left[i]->done;
		pthread_mutex_unlock(&p->left[i]->lock);
		if (!done) {
			i++;
			continue;
		}
		end_reader(p->left[i]);
		p->left[i] = p->left[--p->nr_left];
	}
}

/**
 * wp_procmemory_free() - free a reader
 * @p: the reader, or NULL
 */
void wp_procmemory_free(struct wp_procmemory *p)
{
	unsigned int i;

	if (!p)
		return;
	end_left(p);
	for (i = 0; i < p->nr_left; i++) {
		struct reader *r = p->left[i];

		pthread_detach(r->thread);
		pthread_mutex_lock(&r->lock);
		r->left = true;
		pthread_cond_broadcast(&r->changed);
		pthread_mutex_unlock(&r->lock);
	}
	if (p->reader)
		end_reader(p->reader);
	free(p);
}

static uid_t user_of(__u32 pid)
{
	int dir = wp_procdir_open(pid);
	uid_t uid = dir < 0 ? (uid_t)-1 : wp_procfile_user(dir);

	if (dir >= 0)
		close(dir);
	return uid;
}

/* Whether the memory of a process may be read, as not too much did not come. */
static bool may_read(struct wp_procmemory *p, __u32 pid)
{
	unsigned int i, nr = 0;
	uid_t uid;

	if (!p->nr_left)
		return true;
	end_left(p);
	if (p->nr_left == MAX_LEFT)
		return false;
	if (p->nr_left < USER_LEFT)
		return true;
	uid = user_of(pid);
	for (i = 0; i < p->nr_left; i++)
		nr += p->left[i]->uid == uid;
	return nr < USER_LEFT;
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
 * wp_procmemory_some() - read some blocks of a process's memory
 * @p: the reader
 * @pid: the process
 * @address: the first one, a multiple of their size
 * @nr: their number, at most WP_PROCMEMORY_SOME
 * @to: set to the blocks
 * @errs: set to the result of each, as of wp_procmemory_read(); and -ENXIO: nothing is
 *	present, and nothing was swapped out: in a private mapping of a file it is what the
 *	file has
 *
 * Return: 0; -ETIMEDOUT: they do not come, or too many of the user do not, or of all; -ENOMEM.
 */
int wp_procmemory_some(struct wp_procmemory *p, __u32 pid, __u64 address, unsigned int nr,
		       void *to, int *errs)
{
	struct reader *r = p->reader;
	int err = 0;

	if (!may_read(p, pid))
		return -ETIMEDOUT;
	if (!r)
		r = new_reader();
	if (!r)
		return -ENOMEM;
	p->reader = r;
	pthread_mutex_lock(&r->lock);
	r->pid = pid;
	r->address = address;
	r->nr = nr;
	r->asked = true;
	r->done = false;
	pthread_cond_broadcast(&r->changed);
	if (wait_for(r)) {
		r->asked = false;
		memcpy(errs, r->err, nr * sizeof(*errs));
		memcpy(to, r->data, nr * WP_PROCMEMORY_BLOCK);
	} else {
		err = -ETIMEDOUT;
		p->reader = NULL;
		p->left[p->nr_left++] = r;
	}
	pthread_mutex_unlock(&r->lock);
	if (err)
		r->uid = user_of(pid);
	return err;
}

/**
 * wp_procmemory_read() - read a block of a process's memory
 * @p: the reader
 * @pid: the process
 * @address: the block, a multiple of its size
 * @to: set to the block
 *
 * Return: 0; -ENODATA: it is not present; -ETIMEDOUT: it does not come, or too many of the user
 * do not, or of all; -EPERM or -EACCES, -ESRCH, -ENOMEM.
 */
int wp_procmemory_read(struct wp_procmemory *p, __u32 pid, __u64 address, void *to)
{
	int got, err = wp_procmemory_some(p, pid, address, 1, to, &got);

	return err ?: got == -ENXIO ? -ENODATA : got;
}
