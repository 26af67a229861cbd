// SPDX-License-Identifier: GPL-2.0
/*
 * Owns a recording's copies of files that no path of ours leads to: files of other mount
 * namespaces, and deleted ones. They go into perf's cache of build-ids, where perf and
 * the reader find them:
 *
 *	~/.debug/.build-id/XX/REST -> ../../wallprof/XXREST
 *	~/.debug/wallprof/XXREST/elf
 *
 * A file without a build-id has a name derived from its struct wp_filestat instead, and
 * no link.
 *
 * Copying is done by a thread, as files may be large, or have a server that does not
 * answer. At the end it is waited for while it makes progress, and after the end was
 * requested it copies little, and not for long: neither a program that maps a large file nor
 * a slow disk delays the end. The directories must be our own: with sudo, HOME may be
 * another user's.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/base/outfile.h"
#include "lib/base/ownthread.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/swapped.h"
#include "lib/symbols/idfiles.h"
#include "lib/symbols/keepfiles.h"

#define CHUNK		(1 << 16)

/* Maximum number of queued files; further ones are not copied. */
#define MAX_WAITING	256

/* Maximum number of owners of files; further ones count as one. */
#define MAX_OWNERS	64

/* A copy uses at most one part in so many of the free space. */
#define FREE_SHARE	4

/* Limits of the bytes that are copied after the end was requested, and of the time. */
#define HURRY_BYTES	((__u64)32 << 20)
#define HURRY_NS	200000000

/*
 * At the end the thread is abandoned after so many checks at which it is blocked. A thread
 * that waits for a slow disk is blocked for 200 ms at a time.
 */
#define LOOKS		50
#define HURRY_LOOKS	15
#define LOOK_NS		20000000

/*
 * struct owner - a user's files in a file system
 * @uid: the user
 * @dev: the file system
 * @bytes: bytes of its files that are copied
 * @waiting: its files that are queued
 */
struct owner {
	uid_t uid;
	dev_t dev;
	__u64 bytes;
	unsigned int waiting;
};

struct entry {
	struct entry *next;
	struct owner *owner;
	int fd;
	struct wp_buildid id;
	struct wp_filestat stat;
};

/* All but @dir and @thread are protected by @lock. */
struct wp_keepfiles {
	int dir;			/* belongs to us, or -1 */
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* signals @first, @end or @done */
	struct entry *first, **last;
	unsigned int nr;
	bool end;			/* no more files will be added */
	bool done;			/* the thread has ended */
	bool given_up;			/* nobody waits: the thread frees everything */
	__u64 left;			/* bytes that may still be copied */
	__u64 hurried;			/* copied since the end was requested; thread only */
	__u64 until;			/* when that copying ends, or 0; thread only */
	struct wp_ownthread thread;
	struct wp_keepfiles_stats stats;
	unsigned int nr_owners;
	struct owner owner[MAX_OWNERS];
};

static int open_ours(int dir, const char *name)
{
	int fd;
	struct stat st;

	mkdirat(dir, name, 0700);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 022))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

static bool is_there(int dir, const char *name)
{
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
}

/*
 * Reserve space for so many bytes; returns whether there is any. An owner's files take no
 * more than they leave for others.
 */
static bool take_room(struct wp_keepfiles *k, struct owner *owner, __u64 size)
{
	struct statvfs fs;
	bool good;

	if (size > WP_KEEPFILES_FILE || fstatvfs(k->dir, &fs) ||
	    size > (__u64)fs.f_bavail * fs.f_frsize / FREE_SHARE)
		return false;
	pthread_mutex_lock(&k->lock);
	good = size <= k->left && owner->bytes + size <= k->left - size;
	if (good) {
		k->left -= size;
		owner->bytes += size;
	}
	pthread_mutex_unlock(&k->lock);
	return good;
}

/* Returns whether the time after the request for the end has passed. */
static bool is_late(const struct wp_keepfiles *k)
{
	return k->until && wp_clock_now() >= k->until;
}

/* Count so many bytes; returns whether there is time for them. */
static bool has_time(struct wp_keepfiles *k, __u64 bytes)
{
	if (!wp_opener_hurries())
		return true;
	if (!k->until)
		k->until = wp_clock_now() + HURRY_NS;
	else if (is_late(k))
		return false;
	if (bytes > HURRY_BYTES - k->hurried)
		return false;
	k->hurried += bytes;
	return true;
}

/* Copy a file; check that it has not changed meanwhile. */
static int copy(struct wp_keepfiles *k, int from, int to, const struct stat *before)
{
	__u64 at = 0, size = before->st_size;
	struct stat now;
	char *chunk = malloc(CHUNK);
	ssize_t n = 1;
	int err = chunk ? 0 : -ENOMEM;

	while (!err && at < size && n > 0) {
		n = pread(from, chunk, size - at < CHUNK ? size - at : CHUNK, at);
		if (n < 0)
			err = -errno;
		else if (n > 0)
			err = has_time(k, n) ? wp_pwrite_all(to, chunk, n, at) : -ECANCELED;
		at += n > 0 ? n : 0;
	}
	free(chunk);
	if (!err && (at < size || fstat(from, &now) || !wp_filestat_unchanged(before, &now)))
		err = -ESTALE;
	return err;
}

/* Create .build-id/XX/REST, if it does not exist. */
static void link_id(struct wp_keepfiles *k, const char *name)
{
	char to[sizeof("../../" WP_IDFILES_OURS "/") + WP_IDFILES_NAME], first[3] = "";
	int ids = open_ours(k->dir, ".build-id"), dir;

	memcpy(first, name, 2);
	dir = ids < 0 ? -1 : open_ours(ids, first);
	snprintf(to, sizeof(to), "../../" WP_IDFILES_OURS "/%s", name);
	if (dir >= 0 && symlinkat(to, dir, name + 2) && errno != EEXIST)
		wp_debug("%s: %s", to, strerror(errno));
	if (dir >= 0)
		close(dir);
	if (ids >= 0)
		close(ids);
}

/* A file that may have a server comes as an O_PATH descriptor: see openfile.c. */
static int open_entry(struct entry *e)
{
	char path[32];
	int fd;

	if (!(fcntl(e->fd, F_GETFL) & O_PATH))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", e->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	close(e->fd);
	e->fd = fd;
	return 0;
}

static int keep_in(struct wp_keepfiles *k, struct entry *e, int dir)
{
	struct wp_outfile out;
	struct stat st;
	int err;

	if (is_there(dir, "elf"))
		return -EEXIST;
	err = open_entry(e);
	if (err)
		return err;
	if (fstat(e->fd, &st))
		return -errno;
	if (wp_swapped_is_left(e->fd, &st))
		return -ENODATA;
	if (!take_room(k, e->owner, st.st_size))
		return -EFBIG;
	err = wp_outfile_open_at(&out, dir, "elf");
	if (!err)
		err = wp_outfile_end(&out, copy(k, e->fd, out.fd, &st));
	if (!err) {
		pthread_mutex_lock(&k->lock);
		k->stats.bytes += st.st_size;
		pthread_mutex_unlock(&k->lock);
	}
	return err;
}

static int keep(struct wp_keepfiles *k, struct entry *e)
{
	char name[WP_IDFILES_NAME];
	int ours = open_ours(k->dir, WP_IDFILES_OURS), dir, err;

	wp_idfiles_name(name, &e->id, &e->stat);
	dir = ours < 0 ? -1 : open_ours(ours, name);
	err = dir < 0 ? -errno : keep_in(k, e, dir);
	if (dir >= 0)
		close(dir);
	/* Remove an incomplete copy. */
	if (err && err != -EEXIST && ours >= 0)
		unlinkat(ours, name, AT_REMOVEDIR);
	if (ours >= 0)
		close(ours);
	if ((!err || err == -EEXIST) && e->id.size > 1)
		link_id(k, name);
	return err;
}

static void free_entry(struct entry *e)
{
	close(e->fd);
	free(e);
}

static void free_all(struct wp_keepfiles *k)
{
	struct entry *e;

	while ((e = k->first)) {
		k->first = e->next;
		free_entry(e);
	}
	if (k->dir >= 0)
		close(k->dir);
	pthread_cond_destroy(&k->changed);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

static void count(struct wp_keepfiles *k, int err)
{
	if (!err)
		k->stats.kept++;
	else if (err == -EEXIST)
		k->stats.there++;
	else if (err == -EFBIG)
		k->stats.large++;
	else
		k->stats.failed++;
}

static void *work(void *arg)
{
	struct wp_keepfiles *k = arg;
	struct entry *e;
	bool given_up;
	int err;

	pthread_mutex_lock(&k->lock);
	wp_ownthread_self(&k->thread);
	while (!k->given_up && (k->first || !k->end)) {
		e = k->first;
		if (!e) {
			pthread_cond_wait(&k->changed, &k->lock);
			continue;
		}
		k->first = e->next;
		if (!k->first)
			k->last = &k->first;
		k->nr--;
		e->owner->waiting--;
		pthread_mutex_unlock(&k->lock);
		err = is_late(k) ? -ECANCELED : keep(k, e);
		free_entry(e);
		pthread_mutex_lock(&k->lock);
		count(k, err);
	}
	k->done = true;
	pthread_cond_broadcast(&k->changed);
	given_up = k->given_up;
	pthread_mutex_unlock(&k->lock);
	if (given_up)
		free_all(k);
	return NULL;
}

static bool start(struct wp_keepfiles *k)
{
	pthread_condattr_t clock;
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t thread;
	int err;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&k->changed, &clock);
	pthread_condattr_destroy(&clock);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals are handled by the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, &attr, work, k);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return !err;
}

/* Open the cache, which may be a link created by its owner. */
static int open_cache(const char *dir)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (dir)
		snprintf(path, sizeof(path), "%s", dir);
	else if (wp_idfiles_dir(path, sizeof(path)) < 0)
		return -1;
	mkdir(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 022))
		return fd;
	wp_debug("files of containers are not kept in %s: %s", path,
		 fd < 0 ? strerror(errno) : "it is not ours");
	if (fd >= 0)
		close(fd);
	return -1;
}

/**
 * wp_keepfiles_new() - start the thread
 * @dir: destination; NULL: perf's cache
 *
 * Return: the copies, to be ended by wp_keepfiles_end(); NULL if no copies can be made.
 */
struct wp_keepfiles *wp_keepfiles_new(const char *dir)
{
	struct wp_keepfiles *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->last = &k->first;
	k->left = WP_KEEPFILES_ALL;
	pthread_mutex_init(&k->lock, NULL);
	k->dir = open_cache(dir);
	if (k->dir >= 0 && start(k))
		return k;
	free_all(k);
	return NULL;
}

/* The owner of a file. Caller holds the lock. */
static struct owner *owner_of(struct wp_keepfiles *k, const struct stat *st)
{
	struct owner *o = k->owner;

	while (o < k->owner + k->nr_owners && (o->uid != st->st_uid || o->dev != st->st_dev))
		o++;
	if (o == k->owner + MAX_OWNERS)
		return o - 1;
	if (o == k->owner + k->nr_owners) {
		*o = (struct owner){ .uid = st->st_uid, .dev = st->st_dev };
		k->nr_owners++;
	}
	return o;
}

/**
 * wp_keepfiles_add() - queue a file
 * @k: the copies, or NULL
 * @fd: the file, open for reading; closed when it is no longer needed
 * @id: its build-id
 * @st: its status
 */
void wp_keepfiles_add(struct wp_keepfiles *k, int fd, const struct wp_buildid *id,
		      const struct stat *st)
{
	struct entry *e = k ? calloc(1, sizeof(*e)) : NULL;

	if (!e) {
		close(fd);
		return;
	}
	*e = (struct entry){ .fd = fd, .id = *id, .stat = wp_filestat_of(st) };
	pthread_mutex_lock(&k->lock);
	e->owner = owner_of(k, st);
	if (e->owner->waiting >= MAX_WAITING - k->nr) {
		k->stats.failed++;
		free_entry(e);
	} else {
		*k->last = e;
		k->last = &e->next;
		k->nr++;
		e->owner->waiting++;
		pthread_cond_broadcast(&k->changed);
	}
	pthread_mutex_unlock(&k->lock);
}

/**
 * wp_keepfiles_write() - keep a file of ours
 * @k: the copies
 * @data: the file
 * @size: its size
 * @id: its build-id
 *
 * It is written at once.
 *
 * Return: 0 or a negative errno.
 */
int wp_keepfiles_write(struct wp_keepfiles *k, const void *data, size_t size,
		       const struct wp_buildid *id)
{
	char name[WP_IDFILES_NAME];
	int ours = open_ours(k->dir, WP_IDFILES_OURS), dir, err;
	struct wp_outfile out;

	wp_idfiles_name(name, id, NULL);
	dir = ours < 0 ? -1 : open_ours(ours, name);
	err = dir < 0 ? -errno : wp_outfile_open_at(&out, dir, "elf");
	if (!err)
		err = wp_outfile_end(&out, wp_pwrite_all(out.fd, data, size, 0));
	if (dir >= 0)
		close(dir);
	/* Remove an incomplete one. */
	if (err && ours >= 0)
		unlinkat(ours, name, AT_REMOVEDIR);
	if (ours >= 0)
		close(ours);
	if (!err)
		link_id(k, name);
	return err;
}

/**
 * wp_keepfiles_end() - wait for the thread while it makes progress
 * @k: the copies, or NULL
 * @stats: filled in
 */
void wp_keepfiles_end(struct wp_keepfiles *k, struct wp_keepfiles_stats *stats)
{
	unsigned int looks = 0;
	struct timespec until;
	bool done;

	*stats = (struct wp_keepfiles_stats){ 0 };
	if (!k)
		return;
	pthread_mutex_lock(&k->lock);
	k->end = true;
	pthread_cond_broadcast(&k->changed);
	while (!k->done && looks < (wp_opener_hurries() ? HURRY_LOOKS : LOOKS)) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (pthread_cond_timedwait(&k->changed, &k->lock, &until) != ETIMEDOUT)
			continue;
		looks = wp_ownthread_is_blocked(&k->thread, "DS") ? looks + 1 : 0;
	}
	*stats = k->stats;
	stats->failed += k->done ? 0 : k->nr + 1;
	k->given_up = !k->done;
	done = k->done;
	pthread_mutex_unlock(&k->lock);
	if (done)
		free_all(k);
}
