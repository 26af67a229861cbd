// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a perf.data file: its header and its feature sections. Called by the report
 * command. The file is not trusted: all numbers are checked against its size, and text
 * must be escaped when it is printed.
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
#define MAX_BUILDIDS	(64 << 20)	/* for all files of all containers */
#define MAX_TRACING	(256 << 20)	/* perf adds all symbols of the kernel */

static bool within(const struct wp_perffile *f, const struct wp_file_section *s)
{
	return s->offset <= f->size && s->size <= f->size - s->offset;
}

static int check_header(const struct wp_perffile *f, const char *path)
{
	const struct wp_file_header *h = &f->header;

	if (h->magic == __builtin_bswap64(WP_PERF_MAGIC)) {
		wp_err("%s was written on a machine with another byte order: read it there",
		       path);
		return -ENOTSUP;
	}
	if (h->magic != WP_PERF_MAGIC) {
		wp_err("%s is not a perf.data file", path);
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
 * A directory that others can write to may contain a device, and opening that can have
 * side effects: anything but a file or a directory is only opened with O_PATH.
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

/* perf record --kcore creates a directory, in which the recording is one file. */
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

/* Data that was read from a pipe, for the next open. */
static struct {
	struct stat st;
	int fd;
} spooled = { .fd = -1 };

/* The format for pipes, from a pipe or from a file, is read completely here. */
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

static const char *hint(int err)
{
	if (err != -ENOENT)
		return "";
	if (access("/proc/self/fd", F_OK))
		return ". /proc is not mounted, and is needed to open files";
	return ". Is there a recording? 'wallprof record' makes one";
}

/*
 * End of the recording. A copy of the file may be younger: the time of the last sample is
 * better, if there is a reference for it.
 */
static void find_end(struct wp_perffile *f)
{
	struct timespec last;
	__u64 time[2], tod;
	struct wp_buf b;

	if (wp_perffile_feature(f, WP_FEAT_SAMPLE_TIME, &b))
		return;
	if (b.len >= sizeof(time)) {
		memcpy(time, b.data, sizeof(time));
		if (time[1] && wp_perffile_time(f, time[1], &tod)) {
			last.tv_sec = tod / 1000000000;
			last.tv_nsec = tod % 1000000000;
			if (last.tv_sec < f->written.tv_sec)
				f->written = last;
		}
	}
	wp_buf_free(&b);
}

/**
 * wp_perffile_open() - open and check a file
 * @f: the file
 * @path: its name, or that of the directory of perf record --kcore; "-": standard input
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
		wp_err("cannot read %s: %s%s", path, strerror(-err), hint(err));
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		err = open_within(f, path, &st);
		if (err)
			goto fail;
	}
	f->written = st.st_mtim;
	if (!S_ISREG(st.st_mode))
		clock_gettime(CLOCK_REALTIME, &f->written);
	if ((!strcmp(path, "-") && !S_ISREG(st.st_mode)) || (S_ISREG(st.st_mode) && is_pipes(f))) {
		err = open_pipe(f, path, &st);
		if (err)
			goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		wp_err("%s is not a regular file: a recording is read from a file", path);
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
	if (!err) {
		find_end(f);
		return 0;
	}
fail:
	wp_perffile_close(f);
	return err;
}

/**
 * wp_perffile_open_other() - open a file that may have another format
 * @f: the file, without a header: it has no features
 * @path: its name
 *
 * Prints nothing: wp_perffile_open() does, of what cannot be opened.
 *
 * Return: whether it is a regular file and was opened.
 */
bool wp_perffile_open_other(struct wp_perffile *f, const char *path)
{
	struct stat st;

	memset(f, 0, sizeof(*f));
	f->fd = open_file(path);
	if (f->fd < 0 || fstat(f->fd, &st) || !S_ISREG(st.st_mode)) {
		wp_perffile_close(f);
		return false;
	}
	f->size = st.st_size;
	f->written = st.st_mtim;
	return true;
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
 * @nr: its number
 * @b: set to its contents; to be freed with wp_buf_free()
 *
 * Return: 0; -ENOENT if there is none, or it is empty; -EPROTO if its position or size is
 * invalid; or another negative errno. Nothing is printed.
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

/* The next string of a section: length, bytes, zeros. Ends at the end of @b. */
static const char *next_string(struct wp_bytes *b)
{
	__u32 len = wp_bytes_uint(b, 4);
	const char *s = (const char *)wp_bytes_take(b, len);

	return s && len && memchr(s, 0, len) ? s : NULL;
}

/**
 * wp_perffile_string() - read a feature section that consists of a string
 * @f: the file
 * @nr: its number
 *
 * Return: the string, unsanitized, to be freed; NULL if there is none.
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
 * wp_perffile_words() - command line of the recording
 * @f: the file
 * @len: set to the length of all words
 *
 * Return: its words, each with a terminating 0, unsanitized, to be freed; NULL if it is not
 * recorded.
 */
char *wp_perffile_words(const struct wp_perffile *f, size_t *len)
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
		wp_buf_add(&words, word, strlen(word) + 1);
	}
	wp_buf_free(&b);
	if (words.failed || words.len <= 1)
		wp_buf_free(&words);
	*len = words.len;
	return words.data;
}

/**
 * wp_perffile_cmdline() - command line of the recording, to be shown
 * @f: the file
 *
 * Return: its words, separated by blanks, unsanitized, to be freed; NULL if it is not
 * recorded.
 */
char *wp_perffile_cmdline(const struct wp_perffile *f)
{
	size_t len, i;
	char *words = wp_perffile_words(f, &len);

	for (i = 0; words && i + 1 < len; i++) {
		if (!words[i])
			words[i] = ' ';
	}
	return words;
}

/**
 * wp_perffile_time() - convert a time of the recording's clock to the time of day
 * @f: the file
 * @time: ns of that clock
 * @tod: set to ns since 1970
 *
 * Return: false if the file has no reference.
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
 * wp_perffile_day() - date of the recording, as far as it is known
 * @f: the file
 * @time: ns of the recording's clock; 0: unknown
 * @day: set to its time of day; or else, as in perf, to the file's modification time
 * @written: set to whether it is the latter
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
