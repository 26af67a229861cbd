// SPDX-License-Identifier: GPL-2.0
/*
 * Owns a directory of messages that wait to be sent, each a file: its name has its number,
 * the time in it, its size and its kind. Called by agent/sender.c.
 *
 * A message is in the spool when wp_spool_add() has returned 0: it has been written under
 * another name, synced, renamed, and the directory synced. So after a kill or a crash at any
 * point each message is there as a whole, or was never reported to be. A file of another
 * name is not touched, one of an incomplete message removed.
 *
 * Numbers order the messages, not the clock; each kind has a queue of its own. Their age is
 * what this process has seen of it, by a clock that is never set, and, of files that it found,
 * what the time of their last change says.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/dir.h"
#include "lib/base/fullio.h"
#include "lib/otlp/spool.h"

#define NAME_SIZE	96
#define INCOMPLETE	"incomplete"
#define FORMAT		"%020" PRIu64 "-%020" PRIu64 "-%020" PRIu64 "%s"

/* Files that are taken over, at most. */
#define MAX_SEGMENTS	1000000

/* The time of a file's last change may be any: older ones count as so old, seconds. */
#define MAX_AGE		(1LL << 32)

/* The end of a name by kind. Versions without a kind do not touch its files. */
static const char *const suffix[WP_SPOOL_KINDS] = {
	[WP_SPOOL_PROFILES] = ".otlp.gz",
	[WP_SPOOL_METRICS] = ".metrics.gz",
	[WP_SPOOL_PYROSCOPE] = ".pyroscope.gz",
	[WP_SPOOL_PARCA] = ".parca.json",
};

/**
 * struct entry - a message
 * @s: what it is
 * @since: time at which it was written, CLOCK_MONOTONIC; before that clock began: negative
 */
struct entry {
	struct wp_spool_segment s;
	__s64 since;
};

/**
 * struct queue - the messages of a kind
 * @entry: the messages, the oldest first
 * @first: index of the oldest one
 * @nr: index behind the newest
 * @room: allocated entries
 */
struct queue {
	struct entry *entry;
	size_t first;
	size_t nr;
	size_t room;
};

/**
 * struct wp_spool - a directory
 * @dir: its descriptor
 * @limits: its limits
 * @of: its messages, by kind
 * @bytes: of all messages
 * @seq: number of the newest message ever
 */
struct wp_spool {
	int dir;
	struct wp_spool_limits limits;
	struct queue of[WP_SPOOL_KINDS];
	__u64 bytes;
	__u64 seq;
};

static void name_of(const struct wp_spool_segment *s, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, FORMAT, (uint64_t)s->seq, (uint64_t)s->ns, (uint64_t)s->bytes,
		 suffix[s->kind]);
}

static bool parse(const char *name, struct wp_spool_segment *s)
{
	enum wp_spool_kind kind = WP_SPOOL_KINDS;
	const char *end = strchr(name, '.');
	uint64_t seq, ns, bytes;
	char again[NAME_SIZE];

	if (sscanf(name, "%20" SCNu64 "-%20" SCNu64 "-%20" SCNu64, &seq, &ns, &bytes) != 3)
		return false;
	while (kind && strcmp(end ? end : "", suffix[kind - 1]))
		kind--;
	if (!kind)
		return false;
	*s = (struct wp_spool_segment){ seq, ns, bytes, kind - 1 };
	name_of(s, again);
	/* There must be a next number, and the time must fit into a message. */
	return !strcmp(name, again) && seq < UINT64_MAX && ns <= INT64_MAX;
}

static int append(struct wp_spool *s, const struct wp_spool_segment *segment, __s64 since)
{
	struct queue *q = &s->of[segment->kind];

	if (q->first && q->first >= q->room / 2) {
		memmove(q->entry, q->entry + q->first, (q->nr - q->first) * sizeof(*q->entry));
		q->nr -= q->first;
		q->first = 0;
	}
	if (q->nr == q->room) {
		size_t room = q->room ? 2 * q->room : 64;
		struct entry *more = reallocarray(q->entry, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		q->entry = more;
		q->room = room;
	}
	q->entry[q->nr++] = (struct entry){ *segment, since };
	s->bytes += segment->bytes;
	if (s->seq < segment->seq)
		s->seq = segment->seq;
	return 0;
}

/* A file that was there. One whose size is another one was not written by us. */
static int found(struct wp_spool *s, const char *name)
{
	struct wp_spool_segment segment;
	struct timespec now;
	struct stat st;
	__s64 age;

	if (!strcmp(name, INCOMPLETE))
		return unlinkat(s->dir, name, 0) && errno != ENOENT ? -errno : 0;
	if (!parse(name, &segment) || wp_spool_nr(s) == MAX_SEGMENTS ||
	    fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    (__u64)st.st_size != segment.bytes)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	/* The clock may have been another one then. */
	if (st.st_mtim.tv_sec < now.tv_sec - MAX_AGE)
		age = MAX_AGE;
	else
		age = now.tv_sec > st.st_mtim.tv_sec ? now.tv_sec - st.st_mtim.tv_sec : 0;
	return append(s, &segment, wp_clock_now() - age * 1000000000LL);
}

static int by_number(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	return a->s.seq < b->s.seq ? -1 : a->s.seq > b->s.seq;
}

static int read_all(struct wp_spool *s)
{
	DIR *d = wp_opendirat(s->dir, ".");
	struct dirent *e;
	unsigned int i;
	int err = 0;

	if (!d)
		return -errno;
	while (!err && (errno = 0, e = readdir(d)))
		err = found(s, e->d_name);
	if (!err && errno)
		err = -errno;
	closedir(d);
	for (i = 0; i < WP_SPOOL_KINDS; i++) {
		if (s->of[i].nr)
			qsort(s->of[i].entry, s->of[i].nr, sizeof(struct entry), by_number);
	}
	return err;
}

static void free_all(struct wp_spool *s)
{
	unsigned int i;

	for (i = 0; i < WP_SPOOL_KINDS; i++)
		free(s->of[i].entry);
	free(s);
}

/**
 * wp_spool_open() - take over a directory, with the messages that are there
 * @out: set to the spool
 * @dir: its descriptor, which now belongs to the spool
 * @limits: its limits
 *
 * Return: 0 or a negative errno: -EWOULDBLOCK: another process has it open. Then @dir is the
 * caller's.
 */
int wp_spool_open(struct wp_spool **out, int dir, const struct wp_spool_limits *limits)
{
	struct wp_spool *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->dir = dir;
	s->limits = *limits;
	err = flock(dir, LOCK_EX | LOCK_NB) || faccessat(dir, ".", W_OK | X_OK, 0) ? -errno :
	      read_all(s);
	if (err) {
		free_all(s);
		return err;
	}
	*out = s;
	return 0;
}

/**
 * wp_spool_close() - the messages stay
 * @s: from wp_spool_open(), or NULL
 */
void wp_spool_close(struct wp_spool *s)
{
	if (!s)
		return;
	close(s->dir);
	free_all(s);
}

/**
 * wp_spool_nr() - how many messages wait
 * @s: the spool
 *
 * Return: their number.
 */
size_t wp_spool_nr(const struct wp_spool *s)
{
	size_t nr = 0;
	unsigned int i;

	for (i = 0; i < WP_SPOOL_KINDS; i++)
		nr += wp_spool_nr_of(s, i);
	return nr;
}

/**
 * wp_spool_nr_of() - how many messages of a kind wait
 * @s: the spool
 * @kind: the kind
 *
 * Return: their number.
 */
size_t wp_spool_nr_of(const struct wp_spool *s, enum wp_spool_kind kind)
{
	return s->of[kind].nr - s->of[kind].first;
}

/* The oldest message of a kind, or NULL. */
static const struct entry *first_of(const struct wp_spool *s, enum wp_spool_kind kind)
{
	return wp_spool_nr_of(s, kind) ? &s->of[kind].entry[s->of[kind].first] : NULL;
}

/* The oldest message of all, or NULL. */
static const struct entry *oldest(const struct wp_spool *s)
{
	const struct entry *first, *found = NULL;
	unsigned int i;

	for (i = 0; i < WP_SPOOL_KINDS; i++) {
		first = first_of(s, i);
		if (first && (!found || first->s.seq < found->s.seq))
			found = first;
	}
	return found;
}

/**
 * wp_spool_first() - the oldest message
 * @s: the spool
 * @segment: set to it
 *
 * Return: false if there is none.
 */
bool wp_spool_first(const struct wp_spool *s, struct wp_spool_segment *segment)
{
	const struct entry *first = oldest(s);

	if (first)
		*segment = first->s;
	return first;
}

/**
 * wp_spool_first_of() - the oldest message of a kind
 * @s: the spool
 * @kind: the kind
 * @segment: set to it
 *
 * Return: false if there is none.
 */
bool wp_spool_first_of(const struct wp_spool *s, enum wp_spool_kind kind,
		       struct wp_spool_segment *segment)
{
	const struct entry *first = first_of(s, kind);

	if (first)
		*segment = first->s;
	return first;
}

/**
 * wp_spool_excess() - whether the oldest message must go
 * @s: the spool
 * @more: bytes that are to be added
 *
 * Return: true if it is too old, or if there would be too many bytes.
 */
bool wp_spool_excess(const struct wp_spool *s, __u64 more)
{
	__s64 limit = (__s64)wp_clock_now() - (__s64)s->limits.age * 1000000000LL;
	const struct entry *first = oldest(s);

	return first && (s->bytes + more > s->limits.bytes || first->since < limit);
}

/* Everything about the file is on the disk, under its name. */
static int write_file(struct wp_spool *s, const struct wp_spool_segment *segment,
		      const void *data)
{
	char name[NAME_SIZE];
	int fd, err;

	name_of(segment, name);
	fd = openat(s->dir, INCOMPLETE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (fd < 0)
		return -errno;
	err = wp_pwrite_all(fd, data, segment->bytes, 0);
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(s->dir, INCOMPLETE, s->dir, name))
		err = -errno;
	if (err)
		unlinkat(s->dir, INCOMPLETE, 0);
	if (!err && fsync(s->dir)) {
		err = -errno;
		unlinkat(s->dir, name, 0);
	}
	return err;
}

/**
 * wp_spool_add() - add a message
 * @s: the spool
 * @kind: what it has
 * @data: the message
 * @size: its size
 * @ns: time in it
 *
 * Return: 0: it is on the disk; or a negative errno: it is not in the spool.
 */
int wp_spool_add(struct wp_spool *s, enum wp_spool_kind kind, const void *data, size_t size,
		 __u64 ns)
{
	const struct wp_spool_segment segment = { s->seq + 1, ns, size, kind };
	char name[NAME_SIZE];
	int err;

	if (size > s->limits.bytes)
		return -EFBIG;
	err = write_file(s, &segment, data);
	if (err)
		return err;
	err = append(s, &segment, wp_clock_now());
	if (err) {
		name_of(&segment, name);
		unlinkat(s->dir, name, 0);
	}
	return err;
}

/**
 * wp_spool_map() - map a message
 * @s: the spool
 * @segment: from wp_spool_first() or wp_spool_first_of()
 *
 * Return: its data, for munmap(); NULL with errno.
 */
void *wp_spool_map(const struct wp_spool *s, const struct wp_spool_segment *segment)
{
	char name[NAME_SIZE];
	void *data = NULL;
	struct stat st;
	int fd;

	name_of(segment, name);
	fd = openat(s->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	errno = EIO;
	if (!fstat(fd, &st) && (__u64)st.st_size == segment->bytes && segment->bytes)
		data = mmap(NULL, segment->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return data == MAP_FAILED ? NULL : data;
}

/**
 * wp_spool_remove() - remove a message
 * @s: the spool
 * @segment: from wp_spool_first() or wp_spool_first_of(), the last one of its kind
 *
 * Return: 0 or a negative errno: the file is still there, and would be found again.
 */
int wp_spool_remove(struct wp_spool *s, const struct wp_spool_segment *segment)
{
	char name[NAME_SIZE];

	name_of(segment, name);
	s->bytes -= segment->bytes;
	s->of[segment->kind].first++;
	return unlinkat(s->dir, name, 0) && errno != ENOENT ? -errno : 0;
}
