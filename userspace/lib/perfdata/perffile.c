// SPDX-License-Identifier: GPL-2.0
/*
 * Owns a perf.data file that is read: its header, and what its feature sections say.
 * Called by the report command. The file is anybody's: no number in it is believed
 * before it was compared with what is there, and text is made harmless by who prints it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/bytes.h"
#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/perfdata/perffile.h"
#include "lib/perfdata/pipefile.h"

#define MAX_FEATURE	(1 << 20)
#define MAX_BUILDIDS	(64 << 20)	/* of all files of all containers */
#define MAX_TRACING	(256 << 20)	/* perf adds all symbols of the kernel */

static bool within(const struct wp_perffile *f, const struct wp_file_section *s)
{
	return s->offset <= f->size && s->size <= f->size - s->offset;
}

static int check_header(const struct wp_perffile *f, const char *path)
{
	const struct wp_file_header *h = &f->header;

	if (h->magic == __builtin_bswap64(WP_PERF_MAGIC)) {
		wp_err("%s was written on a machine with another order of bytes: read it there",
		       path);
		return -ENOTSUP;
	}
	if (h->magic != WP_PERF_MAGIC) {
		wp_err("%s is no perf.data file", path);
		return -EPROTO;
	}
	if (h->size < sizeof(*h)) {
		wp_err("%s has a header of %llu bytes, which is too few", path,
		       (unsigned long long)h->size);
		return -EPROTO;
	}
	if (!within(f, &h->data)) {
		wp_err("%s is cut off: its data end at byte %llu, and it has %llu", path,
		       (unsigned long long)(h->data.offset + h->data.size),
		       (unsigned long long)f->size);
		return -EPROTO;
	}
	return 0;
}

static __u64 limit_of(enum wp_feature nr)
{
	return nr == WP_FEAT_TRACING_DATA ? MAX_TRACING :
		nr == WP_FEAT_BUILD_ID ? MAX_BUILDIDS : MAX_FEATURE;
}

/*
 * Whoever may write to a directory can have a device there, of which opening does something:
 * one that is neither a file nor a directory is not opened, but looked at by O_PATH.
 */
static int open_input(int dir, const char *name)
{
	int place = openat(dir, name, O_PATH | O_CLOEXEC), fd;
	struct stat st;
	char path[32];

	if (place < 0 || fstat(place, &st) || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return place;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(place);
	return fd;
}

/* perf record --kcore makes a directory, in which the recording is one file. */
static int open_within(struct wp_perffile *f, const char *path, struct stat *st)
{
	int dir = f->fd;
	bool several = !faccessat(dir, "data.0", F_OK, 0);

	f->fd = several ? -1 : open_input(dir, "data");
	close(dir);
	if (f->fd >= 0 && !fstat(f->fd, st))
		return 0;
	if (several)
		wp_err("%s is in parts, one of each thread of 'perf record --threads': record without that",
		       path);
	else
		wp_err("%s is a directory without a recording", path);
	return -EINVAL;
}

/* What was read from a pipe, for who opens it again. */
static struct {
	struct stat st;
	int fd;
} spooled = { .fd = -1 };

/* What was written to a pipe, whether it comes from one or is in a file, is read at once. */
static int open_pipe(struct wp_perffile *f, const char *path, struct stat *st)
{
	if (spooled.fd < 0 || spooled.st.st_dev != st->st_dev ||
	    spooled.st.st_ino != st->st_ino) {
		if (spooled.fd >= 0)
			close(spooled.fd);
		spooled.st = *st;
		spooled.fd = wp_pipefile_spool(f->fd, path);
	}
	close(f->fd);
	f->fd = spooled.fd < 0 ? -1 : fcntl(spooled.fd, F_DUPFD_CLOEXEC, 0);
	if (f->fd < 0)
		return spooled.fd < 0 ? spooled.fd : -errno;
	return fstat(f->fd, st) ? -errno : 0;
}

static bool is_pipes(const struct wp_perffile *f)
{
	__u64 begin[2];

	return !wp_pread_all(f->fd, begin, sizeof(begin), 0) && begin[0] == WP_PERF_MAGIC &&
	       begin[1] == sizeof(begin);
}

static int open_file(const char *path)
{
	return strcmp(path, "-") ? open_input(AT_FDCWD, path) :
	       fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
}

/**
 * wp_perffile_open() - open a file, and look whether it is one
 * @f: the file
 * @path: its name, or that of the directory that perf put it into; "-": standard input
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_perffile_open(struct wp_perffile *f, const char *path)
{
	struct stat st;
	size_t len;
	int err;

	memset(f, 0, sizeof(*f));
	f->fd = open_file(path);
	if (f->fd < 0 || fstat(f->fd, &st)) {
		err = -errno;
		wp_err("cannot read %s: %s%s", path, strerror(-err),
		       err == -ENOENT ? ". Is there a recording? 'wallprof record' makes one" : "");
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		err = open_within(f, path, &st);
		if (err)
			goto fail;
	}
	if ((!strcmp(path, "-") && !S_ISREG(st.st_mode)) || (S_ISREG(st.st_mode) && is_pipes(f))) {
		err = open_pipe(f, path, &st);
		if (err)
			goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		wp_err("%s is no regular file: a recording is read from its file", path);
		err = -EINVAL;
		goto fail;
	}
	f->size = st.st_size;
	len = f->size < sizeof(f->header) ? f->size : sizeof(f->header);
	err = wp_pread_all(f->fd, &f->header, len, 0);
	if (err) {
		wp_err("cannot read %s: %s", path, strerror(-err));
		goto fail;
	}
	err = check_header(f, path);
	if (!err)
		return 0;
fail:
	wp_perffile_close(f);
	return err;
}

/**
 * wp_perffile_close() - close a file
 * @f: the file
 */
void wp_perffile_close(struct wp_perffile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/**
 * wp_perffile_feature() - read a feature section
 * @f: the file
 * @nr: which one
 * @b: out: its bytes; to be freed with wp_buf_free()
 *
 * Return: 0; -ENOENT if there is none, or nothing in it; -EPROTO if it is not where it
 * is said to be, or too large to be one; or another negative errno. Nothing is printed.
 */
int wp_perffile_feature(const struct wp_perffile *f, enum wp_feature nr, struct wp_buf *b)
{
	const struct wp_file_header *h = &f->header;
	struct wp_file_section s;
	unsigned int i, before = 0;
	int err;

	memset(b, 0, sizeof(*b));
	if (!(h->features[nr / 64] >> nr % 64 & 1))
		return -ENOENT;
	for (i = 0; i < nr; i++)
		before += h->features[i / 64] >> i % 64 & 1;
	err = wp_pread_all(f->fd, &s, sizeof(s),
			   h->data.offset + h->data.size + before * sizeof(s));
	if (err)
		return err;
	if (!s.size)
		return -ENOENT;
	if (!within(f, &s) || s.size > limit_of(nr))
		return -EPROTO;
	wp_buf_add(b, NULL, s.size);
	if (b->failed)
		return -ENOMEM;
	err = wp_pread_all(f->fd, b->data, s.size, s.offset);
	if (err)
		wp_buf_free(b);
	return err;
}

/* The next string of a section: its length, its bytes, and zeros. Ends at @b's end. */
static const char *next_string(struct wp_bytes *b)
{
	__u32 len = wp_bytes_uint(b, 4);
	const char *s = (const char *)wp_bytes_take(b, len);

	return s && len && memchr(s, 0, len) ? s : NULL;
}

/**
 * wp_perffile_string() - the string that is all that a feature section has
 * @f: the file
 * @nr: which one
 *
 * Return: the string, to be freed, as it stands in the file; NULL if there is none.
 */
char *wp_perffile_string(const struct wp_perffile *f, enum wp_feature nr)
{
	struct wp_bytes bytes = { 0 };
	struct wp_buf b;
	const char *s;
	char *found;

	if (wp_perffile_feature(f, nr, &b))
		return NULL;
	bytes.p = (const __u8 *)b.data;
	bytes.end = bytes.p + b.len;
	s = next_string(&bytes);
	found = s ? strdup(s) : NULL;
	wp_buf_free(&b);
	return found;
}

/**
 * wp_perffile_cmdline() - by which command the file was recorded
 * @f: the file
 *
 * Return: its words with blanks between them, to be freed, as they stand in the file;
 * NULL if it does not tell.
 */
char *wp_perffile_cmdline(const struct wp_perffile *f)
{
	struct wp_buf b, words = { 0 };
	struct wp_bytes bytes = { 0 };
	__u32 nr;

	if (wp_perffile_feature(f, WP_FEAT_CMDLINE, &b))
		return NULL;
	bytes.p = (const __u8 *)b.data;
	bytes.end = bytes.p + b.len;
	for (nr = wp_bytes_uint(&bytes, 4); nr; nr--) {
		const char *word = next_string(&bytes);

		if (!word)
			break;
		if (words.len)
			wp_buf_add(&words, " ", 1);
		wp_buf_add(&words, word, strlen(word));
	}
	wp_buf_add(&words, "", 1);
	wp_buf_free(&b);
	if (words.failed || words.len == 1)
		wp_buf_free(&words);
	return words.data;
}

/**
 * wp_perffile_time() - what time of day a time of the recording's clock was
 * @f: the file
 * @time: ns of that clock
 * @tod: out: ns since 1970
 *
 * Return: false if the file does not tell.
 */
bool wp_perffile_time(const struct wp_perffile *f, __u64 time, __u64 *tod)
{
	struct wp_bytes bytes = { 0 };
	struct wp_buf b;
	__u64 day, ref;

	if (wp_perffile_feature(f, WP_FEAT_CLOCK_DATA, &b))
		return false;
	bytes.p = (const __u8 *)b.data;
	bytes.end = bytes.p + b.len;
	wp_bytes_take(&bytes, 8);	/* version, which clock */
	day = wp_bytes_uint(&bytes, 8);
	ref = wp_bytes_uint(&bytes, 8);
	wp_buf_free(&b);
	*tod = day + (time - ref);
	return !bytes.bad;
}

/**
 * wp_perffile_day() - when it was recorded, as well as it can be told
 * @f: the file
 * @time: ns of the recording's clock; 0: not known
 * @day: out: that time of day; or else, as perf has it, when the file was written
 * @written: out: it is the latter
 *
 * Return: false if neither is known.
 */
bool wp_perffile_day(const struct wp_perffile *f, __u64 time, time_t *day, bool *written)
{
	struct stat st;
	__u64 tod;

	*written = !time || !wp_perffile_time(f, time, &tod);
	if (!*written)
		*day = tod / 1000000000;
	else if (!fstat(f->fd, &st))
		*day = st.st_mtime;
	else
		return false;
	return true;
}
