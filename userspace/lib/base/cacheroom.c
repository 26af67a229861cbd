// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the size of the cache of unwind tables: a limit for all of them, a share for each
 * user who owns the files, and the choice of what is evicted. Called by tablecache.c.
 *
 * A file in the directory holds the sums, so that not all tables must be examined when
 * the cache is opened or a table is added. A writer holds that file's lock until its
 * table is written, through an open file description of its own, so that threads exclude
 * each other, too. Space is reserved before writing. So after a crash the sums are too
 * large, never too small; they are corrected when tables are counted: when a limit is
 * reached, when the file is invalid, and once a day if something is added.
 *
 * A table's last use is its modification time, updated once a day.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/cacheroom.h"
#include "lib/base/dir.h"
#include "lib/base/siphash.h"

#define STATE_MAGIC	0x53555057	/* "WPUS" */
#define STATE_VERSION	1

#define BLOCK		4096		/* unit of file sizes */
#define DAY		86400

/*
 * Number of buckets by which users are summed; users in one bucket share its limit. The
 * first is for root and the owner of the cache, without a limit of its own.
 */
#define NR_PLACES	256

/*
 * Number of tries to get the lock, and the interval in nanoseconds; it is held while a
 * table is written.
 */
#define LOCK_TRIES	100
#define LOCK_NS		2000000

struct state {
	__u32 magic;
	__u32 version;
	__s64 counted;		/* seconds: time of the last count of all tables */
	__u64 bytes[NR_PLACES];
	__u64 hash;		/* hash of all fields before it */
};

struct table {
	char *name;
	__u64 bytes;
	struct timespec used;
	unsigned int place;
};

struct tables {
	struct table *list;
	size_t nr, room;
};

static __s64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec;
}

/* Disk space of a file: small ones, of which there can be many, take a block. */
static __u64 room_of(__u64 size)
{
	return (size + BLOCK - 1) / BLOCK * BLOCK;
}

/*
 * Bucket of a table: its name is BUILD-ID-HASH-OWNER. Tables of older versions have no
 * owner; they are still used until they are evicted.
 */
static unsigned int place_of(const char *name, const __u64 key[2])
{
	const char *first = strchr(name, '-'), *last = strrchr(name, '-');
	struct wp_siphash h;
	__u32 owner;

	if (!first || first == last)
		return 0;
	owner = strtoul(last + 1, NULL, 10);
	if (!owner || owner == geteuid())
		return 0;
	wp_siphash_begin(&h, key);
	wp_siphash_add(&h, &owner, sizeof(owner));
	return 1 + wp_siphash_end(&h) % (NR_PLACES - 1);
}

static __u64 hash_of(const struct state *s, const __u64 key[2])
{
	struct wp_siphash h;

	wp_siphash_begin(&h, key);
	wp_siphash_add(&h, s, offsetof(struct state, hash));
	return wp_siphash_end(&h);
}

/*
 * Open the file of sums. One that does not belong to us, or is not a regular file, is
 * replaced.
 */
static int open_state(int dir)
{
	const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	struct stat st;
	int fd, i;

	for (i = 0; i < 2; i++) {
		fd = openat(dir, WP_CACHEROOM_STATE, flags, 0600);
		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		    st.st_uid == geteuid() && !(st.st_mode & 0022))
			return fd;
		if (fd >= 0)
			close(fd);
		if (unlinkat(dir, WP_CACHEROOM_STATE, 0) &&
		    unlinkat(dir, WP_CACHEROOM_STATE, AT_REMOVEDIR))
			return -errno;
	}
	return -EBUSY;
}

/* Open and lock it. The holder of the lock may be stopped, so the wait is bounded. */
static int lock_state(int dir)
{
	const struct timespec wait = { .tv_nsec = LOCK_NS };
	struct stat st;
	int fd, i;

	for (i = 0; i < LOCK_TRIES; i++) {
		fd = open_state(dir);
		if (fd < 0)
			return fd;
		/* A file that was removed meanwhile excludes nobody. */
		if (!flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st) && st.st_nlink)
			return fd;
		close(fd);
		nanosleep(&wait, NULL);
	}
	return -EBUSY;
}

static bool read_state(int fd, struct state *s, const __u64 key[2])
{
	return pread(fd, s, sizeof(*s), 0) == sizeof(*s) && s->magic == STATE_MAGIC &&
	       s->version == STATE_VERSION && s->hash == hash_of(s, key);
}

static bool write_state(int fd, struct state *s, const __u64 key[2])
{
	s->magic = STATE_MAGIC;
	s->version = STATE_VERSION;
	s->hash = hash_of(s, key);
	errno = 0;
	return pwrite(fd, s, sizeof(*s), 0) == sizeof(*s) && !ftruncate(fd, sizeof(*s));
}

static bool add_table(struct tables *t, const char *name, const struct stat *st,
		      const __u64 key[2])
{
	struct table *list;
	size_t room;

	if (t->nr == t->room) {
		room = t->room ? 2 * t->room : 256;
		list = reallocarray(t->list, room, sizeof(*list));
		if (!list)
			return false;
		t->list = list;
		t->room = room;
	}
	name = strdup(name);
	if (!name)
		return false;
	t->list[t->nr++] = (struct table){
		.name = (char *)name, .bytes = room_of(st->st_size), .used = st->st_mtim,
		.place = place_of(name, key),
	};
	return true;
}

static int by_use(const void *va, const void *vb)
{
	const struct table *a = va, *b = vb;

	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
	if (a->used.tv_nsec != b->used.tv_nsec)
		return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

/*
 * List all tables, most recently used first; other files left by a crash are removed
 * after a day.
 */
static bool list_tables(int dir, const __u64 key[2], struct tables *t)
{
	DIR *d = wp_opendirat(dir, ".");
	__s64 today = now();
	bool good = d;
	struct dirent *e;
	struct stat st;

	while (good && (e = readdir(d))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, WP_CACHEROOM_KEY) ||
		    !strcmp(e->d_name, WP_CACHEROOM_STATE) ||
		    !strcmp(e->d_name, WP_CACHEROOM_INDEX) ||
		    fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (!strstr(e->d_name, WP_CACHEROOM_TMP))
			good = add_table(t, e->d_name, &st, key);
		else if (st.st_mtim.tv_sec < today - DAY)
			unlinkat(dir, e->d_name, 0);
	}
	if (d)
		closedir(d);
	if (good && t->nr)
		qsort(t->list, t->nr, sizeof(*t->list), by_use);
	return good;
}

static void free_tables(struct tables *t)
{
	while (t->nr)
		free(t->list[--t->nr].name);
	free(t->list);
}

static __u64 min(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/* Evict an eighth more than necessary, so that not each new table evicts one. */
static __u64 less(__u64 bytes)
{
	return bytes - bytes / 8;
}

/* Sum of all buckets but the first, each limited to @most. */
static __u64 others(const __u64 *bytes, __u64 most)
{
	__u64 sum = 0;
	size_t i;

	for (i = 1; i < NR_PLACES; i++)
		sum += min(bytes[i], most);
	return sum;
}

static bool fits(const __u64 *bytes)
{
	__u64 sum = others(bytes, ~0ULL);
	size_t i;

	for (i = 1; i < NR_PLACES; i++) {
		if (bytes[i] > WP_CACHEROOM_SHARE)
			return false;
	}
	return sum <= WP_CACHEROOM_OTHERS && sum + bytes[0] <= WP_CACHEROOM_LIMIT;
}

/*
 * Compute how much each bucket may keep. The largest ones are reduced first; root's only
 * when the others are within their common limit.
 */
static void share(const __u64 *bytes, __u64 *keep)
{
	__u64 low = 0, high = WP_CACHEROOM_SHARE, middle;
	size_t i;

	if (others(bytes, high) > WP_CACHEROOM_OTHERS) {
		while (low < high) {
			middle = low + (high - low + 1) / 2;
			if (others(bytes, middle) <= less(WP_CACHEROOM_OTHERS))
				low = middle;
			else
				high = middle - 1;
		}
	}
	for (i = 1; i < NR_PLACES; i++) {
		keep[i] = min(bytes[i], high);
		if (bytes[i] > WP_CACHEROOM_SHARE)
			keep[i] = min(high, less(WP_CACHEROOM_SHARE));
	}
	keep[0] = bytes[0];
	if (others(keep, ~0ULL) + bytes[0] > WP_CACHEROOM_LIMIT)
		keep[0] = min(bytes[0], less(WP_CACHEROOM_LIMIT) - others(keep, ~0ULL));
}

/*
 * Count the existing tables, and evict what does not fit, least recently used first.
 * @more bytes of @place will be added, and are included in the sums.
 */
static bool count(int dir, const __u64 key[2], struct state *s, unsigned int place,
		  __u64 more)
{
	__u64 keep[NR_PLACES];
	struct tables t = {};
	bool good;
	size_t i;

	good = list_tables(dir, key, &t);
	memset(s, 0, sizeof(*s));
	s->counted = now();
	for (i = 0; i < t.nr; i++)
		s->bytes[t.list[i].place] += t.list[i].bytes;
	s->bytes[place] += more;
	if (good && !fits(s->bytes)) {
		share(s->bytes, keep);
		for (i = 0; i < t.nr; i++) {
			const struct table *one = &t.list[i];

			if (s->bytes[one->place] > keep[one->place] &&
			    !unlinkat(dir, one->name, 0))
				s->bytes[one->place] -= one->bytes;
		}
	}
	free_tables(&t);
	return good && fits(s->bytes);
}

/**
 * wp_cacheroom_take() - reserve space for a table
 * @dir: the directory
 * @key: its key
 * @name: the table's name
 * @size: size of its file
 *
 * May evict others.
 *
 * Return: the reservation, for wp_cacheroom_done(); -EFBIG: there is no space; -EBUSY:
 * the lock is contended; another negative errno: the sums cannot be written.
 */
int wp_cacheroom_take(int dir, const __u64 key[2], const char *name, __u64 size)
{
	unsigned int place = place_of(name, key);
	int fd = lock_state(dir);
	struct state s;
	__s64 today;
	bool good;

	if (fd < 0)
		return fd;
	size = room_of(size);
	today = now();
	good = read_state(fd, &s, key) && s.counted <= today && s.counted > today - DAY;
	if (good) {
		s.bytes[place] += size;
		good = fits(s.bytes);
	}
	if (!good) {
		good = count(dir, key, &s, place, size);
		if (!good)
			s.bytes[place] -= min(s.bytes[place], size);
	}
	/* Without the sums, the next writer counts anew. */
	if (!write_state(fd, &s, key)) {
		/* A write that is cut short sets no error. */
		int err = errno ? -errno : -ENOSPC;

		close(fd);
		return err;
	}
	if (good)
		return fd;
	close(fd);
	return -EFBIG;
}

/**
 * wp_cacheroom_done() - release the lock after a table was added
 * @room: from wp_cacheroom_take()
 * @key: the directory's key
 * @name: the table's name
 * @size: size of its file
 * @good: the table was written; else the reservation is undone
 */
void wp_cacheroom_done(int room, const __u64 key[2], const char *name, __u64 size, bool good)
{
	unsigned int place = place_of(name, key);
	struct state s;

	if (!good && read_state(room, &s, key)) {
		s.bytes[place] -= min(s.bytes[place], room_of(size));
		write_state(room, &s, key);
	}
	close(room);
}

/**
 * wp_cacheroom_used() - update the time of last use
 * @fd: the table's file
 */
void wp_cacheroom_used(int fd)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };
	__s64 today = now();
	struct stat st;

	/* On a read-only file system the time does not change. */
	if (!fstat(fd, &st) &&
	    (st.st_mtim.tv_sec < today - DAY || st.st_mtim.tv_sec > today) &&
	    futimens(fd, times))
		return;
}
