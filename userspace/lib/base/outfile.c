// SPDX-License-Identifier: GPL-2.0
/*
 * Owns a file while a command writes it. It is a new one, the caller's own, of mode 0600
 * less the umask, under a temporary name in the directory where it is to be:
 * NAME.tmpXXXXXXXX. It gets its name when it is whole, by rename(), which replaces
 * whatever has the name by then, be it a link, a FIFO, or a file of another, and writes
 * into none of them. So who reads NAME finds all of it or what was there before.
 *
 * Two kinds of output get their name earlier or otherwise: a recording as soon as
 * it can be read (wp_outfile_publish()), since it can be read at each moment from then on
 * and what killed the recorder shall not cost it; and what is of use in part
 * (WP_OUTFILE_PARTIAL), whatever ended it. What is killed by SIGKILL leaves the temporary
 * name, or the recording.
 *
 * What people open (WP_OUTFILE_SUDO), as a flame page, is given to who called sudo, when it is
 * whole. Not a recording: perf, as root, refuses one that is another user's.
 *
 * What is no file (outpath.c) is written to as it is, and so is standard output.
 *
 * Called by the commands and the writers of libwallprof. wp_outfile_die() is for signal
 * handlers. Outputs of wp_outfile_open() are opened and ended by one thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/base/outfile.h"
#include "lib/base/outpath.h"

/* Of the name, in the temporary one: more may be too long for a file system. */
#define NAME_PART	100
#define TRIES		100

/* perf.data, --ledger and --intervals are open at once; and one in reserve. */
#define MAX_OPEN	4

/* What wp_outfile_die() ends. Written by the thread that opens them, read by its signals. */
static struct wp_outfile *volatile opened[MAX_OPEN];

static void note(struct wp_outfile *o, struct wp_outfile *as)
{
	unsigned int i;

	for (i = 0; i < MAX_OPEN; i++) {
		if (opened[i] == o) {
			opened[i] = as;
			return;
		}
	}
}

static void note_open(struct wp_outfile *o)
{
	unsigned int i;

	for (i = 0; i < MAX_OPEN; i++) {
		if (!opened[i]) {
			opened[i] = o;
			return;
		}
	}
}

/* A new file of no guessable name in its directory. */
static int make_file(struct wp_outfile *o)
{
	unsigned int i, number;

	for (i = 0; i < TRIES; i++) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -EIO;
		snprintf(o->tmp, sizeof(o->tmp), "%.*s.tmp%08x", NAME_PART, o->name, number);
		o->fd = openat(o->dir, o->tmp,
			       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
		if (o->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	o->tmp[0] = '\0';
	return -errno;
}

static void close_all(struct wp_outfile *o)
{
	if (o->stream)
		fclose(o->stream);
	if (o->fd >= 0)
		close(o->fd);
	if (o->dir >= 0)
		close(o->dir);
	*o = (struct wp_outfile){
		.fd = -1, .dir = -1, .path = o->path, .flags = o->flags, .bytes = o->bytes,
	};
}

/**
 * wp_outfile_open() - begin an output
 * @o: out; to be ended by wp_outfile_commit() or wp_outfile_abandon()
 * @path: its name
 * @flags: enum wp_outfile_flags
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_outfile_open(struct wp_outfile *o, const char *path, unsigned int flags)
{
	struct wp_outpath at = { .dir = -1, .stream = -1 };
	int err = 0;

	*o = (struct wp_outfile){ .path = path, .flags = flags, .fd = -1, .dir = -1 };
	if (flags & WP_OUTFILE_STDOUT && !strcmp(path, "-"))
		at.stream = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		err = wp_outpath_resolve(&at, path);
	if (err)
		return err;
	o->fd = at.stream;
	o->dir = at.dir;
	strcpy(o->name, at.name);
	if (o->dir >= 0)
		err = make_file(o);
	else if (o->fd < 0)
		err = -errno;
	if (err) {
		wp_err("cannot write %s: %s", path, strerror(-err));
		close_all(o);
		return err;
	}
	o->is_open = true;
	note_open(o);
	return 0;
}

/**
 * wp_outfile_open_at() - begin an output in a directory of ours, without a message
 * @o: out; to be ended by wp_outfile_commit(), _commit_new() or _abandon()
 * @dir: descriptor of the directory
 * @name: of a file in it
 *
 * Context: any thread. Nothing of it is kept when the process dies, but for the temporary
 * name.
 *
 * Return: 0 or a negative errno.
 */
int wp_outfile_open_at(struct wp_outfile *o, int dir, const char *name)
{
	int err;

	*o = (struct wp_outfile){ .path = name, .fd = -1, .quiet = true };
	snprintf(o->name, sizeof(o->name), "%s", name);
	o->dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	err = o->dir < 0 ? -errno : make_file(o);
	if (err)
		close_all(o);
	o->is_open = !err;
	return err;
}

/* stdio forgets why it failed. */
static ssize_t write_some(void *cookie, const char *data, size_t size)
{
	struct wp_outfile *o = cookie;
	size_t left = size;

	while (left && !o->err) {
		ssize_t n = write(o->fd, data, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			o->err = n ? -errno : -ENOSPC;
			break;
		}
		data += n;
		left -= n;
	}
	errno = -o->err;
	return size - left;
}

/**
 * wp_outfile_stream() - the same as a stream
 * @o: the output
 *
 * Return: the stream, which belongs to @o, or NULL; a message was printed.
 */
FILE *wp_outfile_stream(struct wp_outfile *o)
{
	const cookie_io_functions_t io = { .write = write_some };

	o->stream = fopencookie(o, "w", io);
	if (!o->stream)
		wp_err("cannot write %s: %s", o->path, strerror(errno));
	return o->stream;
}

/**
 * wp_outfile_is_file() - whether it is a new file
 * @o: the output
 *
 * Return: false if it is standard output, or what was there is written to as it is.
 */
bool wp_outfile_is_file(const struct wp_outfile *o)
{
	return o->dir >= 0;
}

/**
 * wp_outfile_same() - whether it is about to be written over a file
 * @o: the output
 * @st: the file
 *
 * Return: true if the name is one of this file's, or it is this file that is written to.
 */
bool wp_outfile_same(const struct wp_outfile *o, const struct stat *st)
{
	struct stat there;
	int err;

	err = wp_outfile_is_file(o) ? fstatat(o->dir, o->name, &there, AT_SYMLINK_NOFOLLOW) :
	      fstat(o->fd, &there);
	return !err && there.st_dev == st->st_dev && there.st_ino == st->st_ino;
}

/* Whether what has the name is worth to be kept: a file with something in it, or our link. */
static bool is_worth(const struct wp_outfile *o)
{
	struct stat st;

	if (fstatat(o->dir, o->name, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	return (S_ISREG(st.st_mode) && st.st_size) ||
	       (S_ISLNK(st.st_mode) && st.st_uid == geteuid());
}

/**
 * wp_outfile_publish() - give it its name, and go on writing
 * @o: the output
 * @old: behind its name, that of a file that has the name now; or NULL
 *
 * Return: 0, or a negative errno after a message; what has the name is as it was then.
 */
int wp_outfile_publish(struct wp_outfile *o, const char *old)
{
	char name[NAME_MAX + 1];
	int err;

	if (!o->tmp[0])
		return 0;
	if (old && is_worth(o)) {
		err = snprintf(name, sizeof(name), "%s%s", o->name, old) >= (int)sizeof(name) ?
		      -ENAMETOOLONG : renameat(o->dir, o->name, o->dir, name) ? -errno : 0;
		if (err) {
			wp_err("cannot rename %s to %s%s: %s", o->path, o->path, old,
			       strerror(-err));
			return err;
		}
	}
	if (renameat(o->dir, o->tmp, o->dir, o->name)) {
		err = -errno;
		if (!o->quiet)
			wp_err("cannot rename %s to %s: %s", o->tmp, o->path,
			       strerror(-err));
		return err;
	}
	o->tmp[0] = '\0';
	return 0;
}

/* Context: also the signal's. */
static void cut_line(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END), at = end;
	char buf[512];

	while (at > 0) {
		size_t n = at < (off_t)sizeof(buf) ? (size_t)at : sizeof(buf);

		if (wp_pread_all(fd, buf, n, at - n))
			return;
		for (; n; n--, at--) {
			if (buf[n - 1] != '\n')
				continue;
			if (at < end && ftruncate(fd, at))
				return;
			return;
		}
	}
}

/* What is buffered. */
static int close_stream(struct wp_outfile *o)
{
	bool bad = o->stream && ferror(o->stream);

	if (o->stream && fclose(o->stream))
		bad = true;
	o->stream = NULL;
	return o->err ? o->err : bad ? -EIO : 0;
}

/* A user's or a group's id from the environment; false if there is none. */
static bool get_id(const char *variable, unsigned int *id)
{
	const char *text = getenv(variable);
	unsigned long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*id = value;
	return !errno && !*end && value < UINT32_MAX;
}

/* Who may run us by sudo could have had it by "-o -" all the same. */
static void give_to_sudo_user(const struct wp_outfile *o)
{
	unsigned int uid, gid;

	if (!(o->flags & WP_OUTFILE_SUDO) || !wp_outfile_is_file(o) || geteuid() ||
	    !get_id("SUDO_UID", &uid) || !get_id("SUDO_GID", &gid))
		return;
	if (fchown(o->fd, uid, gid))
		wp_warn("%s stays root's: %s", o->path, strerror(errno));
}

/**
 * wp_outfile_commit() - end an output: it gets its name
 * @o: the output; one that is not open stays so
 *
 * One that could not be written whole is taken away, or else, if it is of use in part,
 * gets its name all the same. One that cannot get its name keeps the temporary one.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_outfile_commit(struct wp_outfile *o)
{
	struct stat st;
	int err, ret;

	if (!o->is_open)
		return 0;
	err = close_stream(o);
	/* Network file systems tell of a full disk only now. */
	if (wp_outfile_is_file(o) && !fstat(o->fd, &st)) {
		ret = fcntl(o->fd, F_DUPFD_CLOEXEC, 0);
		if (ret >= 0 && close(ret) && !err)
			err = -errno;
	}
	if (err && !o->quiet)
		wp_err("could not write all of %s: %s", o->path, strerror(-err));
	if (err && !(o->flags & WP_OUTFILE_PARTIAL)) {
		wp_outfile_abandon(o);
		return err;
	}
	if (err && o->flags & WP_OUTFILE_LINES && wp_outfile_is_file(o))
		cut_line(o->fd);
	if (!fstat(o->fd, &st) && S_ISREG(st.st_mode))
		o->bytes = st.st_size;
	give_to_sudo_user(o);
	ret = wp_outfile_publish(o, NULL);
	if (ret && o->quiet)
		unlinkat(o->dir, o->tmp, 0);
	else if (ret)
		wp_warn("what was to be %s is in %s beside it", o->path, o->tmp);
	note(o, NULL);
	close_all(o);
	return err ? err : ret;
}

/**
 * wp_outfile_commit_new() - the same, but what has the name by then stays
 * @o: the output, of wp_outfile_open_at()
 *
 * Return: false if nothing has the name.
 */
bool wp_outfile_commit_new(struct wp_outfile *o)
{
	bool there = !linkat(o->dir, o->tmp, o->dir, o->name, 0) || errno == EEXIST;

	wp_outfile_abandon(o);
	return there;
}

/**
 * wp_outfile_abandon() - end an output that is not to be: what has the name stays
 * @o: the output; one that is not open stays so
 */
void wp_outfile_abandon(struct wp_outfile *o)
{
	if (!o->is_open)
		return;
	if (o->tmp[0])
		unlinkat(o->dir, o->tmp, 0);
	note(o, NULL);
	close_all(o);
}

/**
 * wp_outfile_end() - commit an output, or abandon it
 * @o: the output; one that is not open stays so
 * @err: 0, or why it is not to be
 *
 * Return: @err, or what wp_outfile_commit() returns.
 */
int wp_outfile_end(struct wp_outfile *o, int err)
{
	if (!err)
		return wp_outfile_commit(o);
	wp_outfile_abandon(o);
	return err;
}

/**
 * wp_outfile_remove() - abandon an output that may have its name already
 * @o: the output; one that is not open stays so
 *
 * What else has the name by now stays.
 */
void wp_outfile_remove(struct wp_outfile *o)
{
	struct stat st;

	if (o->is_open && wp_outfile_is_file(o) && !o->tmp[0] && !fstat(o->fd, &st) &&
	    wp_outfile_same(o, &st))
		unlinkat(o->dir, o->name, 0);
	wp_outfile_abandon(o);
}

/**
 * wp_outfile_has_name() - whether it can be said where it was written
 * @o: the output, open or ended
 *
 * Return: false if it is standard output.
 */
bool wp_outfile_has_name(const struct wp_outfile *o)
{
	return !(o->flags & WP_OUTFILE_STDOUT) || strcmp(o->path, "-");
}

/**
 * wp_outfile_check() - whether there could be such a file
 * @path: its name
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_outfile_check(const char *path)
{
	struct wp_outfile o;
	int err = wp_outfile_open(&o, path, 0);

	if (!err && !wp_outfile_is_file(&o)) {
		wp_err("%s is no file", path);
		err = -EINVAL;
	}
	wp_outfile_abandon(&o);
	return err;
}

/**
 * wp_outfile_die() - end all outputs, as the process ends
 *
 * Those that are of use in part get their names, and others are taken away.
 *
 * Context: a signal handler, which lets no code of this process run afterwards.
 */
void wp_outfile_die(void)
{
	unsigned int i;

	for (i = 0; i < MAX_OPEN; i++) {
		struct wp_outfile *o = opened[i];

		if (!o || !o->tmp[0])
			continue;
		if (!(o->flags & WP_OUTFILE_PARTIAL)) {
			unlinkat(o->dir, o->tmp, 0);
			continue;
		}
		if (o->flags & WP_OUTFILE_LINES)
			cut_line(o->fd);
		renameat(o->dir, o->tmp, o->dir, o->name);
	}
}

static void on_signal(int sig)
{
	wp_outfile_die();
	signal(sig, SIG_DFL);
	raise(sig);
}

/**
 * wp_outfile_die_on_signals() - call it at INT, TERM and HUP, which end the process then
 *
 * Signals that are caught or ignored already stay so.
 */
void wp_outfile_die_on_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction sa = { .sa_handler = on_signal };
	struct sigaction old;
	unsigned int i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &sa, NULL);
	}
}
