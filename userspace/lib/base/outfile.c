// SPDX-License-Identifier: GPL-2.0
/*
 * Owns an output file while a command writes it. It is a new file, owned by the caller,
 * with mode 0600 less the umask, under a temporary name in its final directory:
 * NAME.tmpXXXXXXXX. It gets its name by rename() when it is complete. The rename replaces
 * whatever has the name by then, be it a link, a FIFO, or another user's file, and writes
 * to none of them. So readers of NAME see all of it or what was there before.
 *
 * Two kinds of output differ: a recording gets its name as soon as it is readable
 * (wp_outfile_publish()), since it stays readable from then on and must survive whatever
 * kills the recorder; and an output that is useful in part (WP_OUTFILE_PARTIAL) gets its
 * name however it ends. SIGKILL leaves the temporary name, or the recording.
 *
 * Files for people to open (WP_OUTFILE_SUDO), as a flame page, are given to the user who
 * called sudo when they are complete. Recordings are not: perf, as root, refuses a
 * recording of another user.
 *
 * Devices and the like (outpath.c) are written directly, and so is standard output.
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

/* Length of NAME in the temporary name: file systems limit the length of names. */
#define NAME_PART	100
#define TRIES		100

/* perf.data, --ledger and --intervals are open at once; one in reserve. */
#define MAX_OPEN	4

/*
 * Outputs for wp_outfile_die(). Written by the thread that opens them, read by its signal
 * handlers.
 */
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

/* Create a file with an unpredictable name in its directory. */
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
 * wp_outfile_open() - open an output
 * @o: filled in; to be ended by wp_outfile_commit() or wp_outfile_abandon()
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
 * wp_outfile_open_at() - open an output in a directory of ours, without a message
 * @o: filled in; to be ended by wp_outfile_commit(), _commit_new() or _abandon()
 * @dir: descriptor of the directory
 * @name: name of a file in it
 *
 * Context: any thread. If the process dies, only the temporary name remains.
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

/* Keep the errno, which stdio drops. */
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
 * wp_outfile_stream() - get a stream for an output
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

/*
 * wp_outfile_is_file() - whether an output is a new file
 * @o: the output
 *
 * Return: false for standard output, and for devices and the like.
 */
static bool wp_outfile_is_file(const struct wp_outfile *o)
{
	return o->dir >= 0;
}

/**
 * wp_outfile_same() - whether an output would overwrite a file
 * @o: the output
 * @st: the file
 *
 * Return: true if the name belongs to this file, or this file is written to.
 */
bool wp_outfile_same(const struct wp_outfile *o, const struct stat *st)
{
	struct stat there;
	int err;

	err = wp_outfile_is_file(o) ? fstatat(o->dir, o->name, &there, AT_SYMLINK_NOFOLLOW) :
	      fstat(o->fd, &there);
	return !err && there.st_dev == st->st_dev && there.st_ino == st->st_ino;
}

/*
 * Whether the current owner of the name is worth keeping: a non-empty file, or our own
 * link.
 */
static bool is_worth(const struct wp_outfile *o)
{
	struct stat st;

	if (fstatat(o->dir, o->name, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	return (S_ISREG(st.st_mode) && st.st_size) ||
	       (S_ISLNK(st.st_mode) && st.st_uid == geteuid());
}

/**
 * wp_outfile_publish() - give an output its name, and go on writing
 * @o: the output
 * @old: suffix for renaming the file that has the name now; or NULL
 *
 * Return: 0, or a negative errno after a message; the file that has the name is unchanged
 * then.
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

/* Context: process and signal handler. */
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

/* Flush and close the stream. */
static int close_stream(struct wp_outfile *o)
{
	bool bad = o->stream && ferror(o->stream);

	if (o->stream && fclose(o->stream))
		bad = true;
	o->stream = NULL;
	return o->err ? o->err : bad ? -EIO : 0;
}

/* Read a user's or a group's id from the environment; false if there is none. */
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

/* A user who may run us by sudo could get the contents with "-o -", too. */
static void give_to_sudo_user(const struct wp_outfile *o)
{
	unsigned int uid, gid;

	if (!(o->flags & WP_OUTFILE_SUDO) || !wp_outfile_is_file(o) || geteuid() ||
	    !get_id("SUDO_UID", &uid) || !get_id("SUDO_GID", &gid))
		return;
	if (fchown(o->fd, uid, gid))
		wp_warn("%s is still owned by root: %s", o->path, strerror(errno));
}

/**
 * wp_outfile_commit() - end an output: it gets its name
 * @o: the output; one that is not open is ignored
 *
 * An incomplete output is removed or, if it is useful in part, still gets its name. One
 * that cannot get its name keeps the temporary one.
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
	/* Network file systems report a full disk only now. */
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
		wp_warn("the data of %s are in %s beside it", o->path, o->tmp);
	note(o, NULL);
	close_all(o);
	return err ? err : ret;
}

/**
 * wp_outfile_commit_new() - the same, but without replacing a file
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
 * wp_outfile_abandon() - discard an output, leaving what has its name
 * @o: the output; one that is not open is ignored
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
 * wp_outfile_end() - commit or abandon an output
 * @o: the output; one that is not open is ignored
 * @err: 0, or the reason to abandon it
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
 * wp_outfile_remove() - discard an output that may have its name already
 * @o: the output; one that is not open is ignored
 *
 * Another file that has the name by now stays.
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
 * wp_outfile_has_name() - whether an output has a name to print
 * @o: the output, open or ended
 *
 * Return: false if it is standard output.
 */
bool wp_outfile_has_name(const struct wp_outfile *o)
{
	return !(o->flags & WP_OUTFILE_STDOUT) || strcmp(o->path, "-");
}

/**
 * wp_outfile_check() - whether an output could be created
 * @path: its name
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_outfile_check(const char *path)
{
	struct wp_outfile o;
	int err = wp_outfile_open(&o, path, 0);

	if (!err && !wp_outfile_is_file(&o)) {
		wp_err("%s is not a file", path);
		err = -EINVAL;
	}
	wp_outfile_abandon(&o);
	return err;
}

/**
 * wp_outfile_die() - end all outputs, as the process ends
 *
 * Outputs that are useful in part get their names, others are removed.
 *
 * Context: a signal handler after which no code of this process runs.
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
 * wp_outfile_die_on_signals() - call wp_outfile_die() and exit on INT, TERM and HUP
 *
 * Signals that are already caught or ignored are left alone.
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
