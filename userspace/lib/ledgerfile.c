// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger in the recording's own file. While the recording goes, the accounts of
 * threads that ended are spooled to a file without a name beside it, for there may be
 * more of them than one wants to have in memory; when perf.data is complete, all
 * accounts are appended to it.
 *
 * They stand behind the last section that perf.data's header tells of, and not in a
 * feature section of their own: every perf reads on if it finds a number that it does
 * not know, but "perf report --header" warns of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/fullio.h"
#include "lib/ledgerfile.h"

#define READ_AT_ONCE	256
#define MAX_ENTRY	4096	/* of what a later version may write */

_Static_assert(sizeof(struct wp_ledgerfile_head) == 64, "the head has no holes");
_Static_assert(sizeof(struct wp_ledgerfile_account) == 120, "an account has no holes");
_Static_assert(sizeof(struct wp_ledgerfile_trailer) == 32, "the trailer has no holes");
_Static_assert(sizeof(WP_LEDGERFILE_MAGIC) == 16, "the magic fills its field");

/**
 * wp_ledgerfile_spool() - a file without a name, in the directory of another
 * @path: the other one's name
 *
 * Not all file systems have these, and not who may write a file may make another beside
 * it: then it is where temporary files are.
 *
 * Return: the file, or NULL after a warning.
 */
FILE *wp_ledgerfile_spool(const char *path)
{
	char *copy = strdup(path);
	FILE *f = NULL;
	int fd = -1;

	if (copy)
		fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	free(copy);
	if (fd >= 0) {
		f = fdopen(fd, "w+");
		if (!f)
			close(fd);
	}
	if (!f)
		f = tmpfile();
	if (!f)
		wp_warn("there will be no ledger for 'wallprof report': no temporary file: %s",
			strerror(errno));
	return f;
}

/**
 * wp_ledgerfile_add() - spool an account
 * @spool: from wp_ledgerfile_spool()
 * @a: the account
 *
 * Return: 0 or a negative errno after a warning.
 */
int wp_ledgerfile_add(FILE *spool, const struct wp_account *a)
{
	struct wp_ledgerfile_account entry = {
		.tid = a->tid,
		.tgid = a->tgid,
		.flags = a->flags | (a->ended ? WP_LEDGERFILE_ENDED : 0),
		.born = a->born,
		.end = a->end,
		.run_ns = a->run_ns,
		.off_ns = a->off_ns,
		.nr_off = a->nr_off,
		.unknown_ns = a->unknown_ns,
		.spill_ns = a->spill_ns,
		.runnable_ns = a->runnable_ns,
		.runnable_max = a->runnable_max,
		.blocked_max = a->blocked_max,
		.asleep_since = a->asleep_since,
	};

	memcpy(entry.comm, a->comm, sizeof(entry.comm));
	if (fwrite(&entry, sizeof(entry), 1, spool) == 1)
		return 0;
	wp_warn("there will be no ledger for 'wallprof report': a thread's account found no room: %s",
		strerror(errno));
	return -EIO;
}

/* Copies all of @from to a place of a file. */
static int copy(int fd, off_t pos, FILE *from)
{
	char buf[1 << 16];
	int err = 0;
	size_t n;

	rewind(from);
	while (!err && (n = fread(buf, 1, sizeof(buf), from))) {
		err = wp_pwrite_all(fd, buf, n, pos);
		pos += n;
	}
	return err ? err : ferror(from) ? -EIO : 0;
}

static int append(int fd, FILE *spool, const struct wp_ledgerfile_head *head)
{
	struct wp_ledgerfile_trailer trailer = { .magic = WP_LEDGERFILE_MAGIC };
	struct wp_ledgerfile_head all = *head;
	struct stat st, accounts;
	int err;

	if (fstat(fd, &st) || fflush(spool) || fstat(fileno(spool), &accounts))
		return -errno;
	all.head_size = sizeof(all);
	all.account_size = sizeof(struct wp_ledgerfile_account);
	all.nr = accounts.st_size / all.account_size;
	trailer.offset = st.st_size;
	trailer.size = sizeof(all) + accounts.st_size;
	err = wp_pwrite_all(fd, &all, sizeof(all), st.st_size);
	if (!err)
		err = copy(fd, st.st_size + sizeof(all), spool);
	if (!err)
		err = wp_pwrite_all(fd, &trailer, sizeof(trailer), st.st_size + trailer.size);
	/* Half of it would be taken for no ledger at all, but why leave it? */
	if (err && ftruncate(fd, st.st_size))
		wp_debug("ftruncate: %s", strerror(errno));
	return err;
}

/**
 * wp_ledgerfile_append() - put the ledger behind all that is in a file
 * @fd: the file, a regular one
 * @path: its name, for what is said
 * @spool: the accounts
 * @head: what is known; its sizes and number are filled in here
 *
 * Return: 0; or a negative errno after a warning, and the file is as it was.
 */
int wp_ledgerfile_append(int fd, const char *path, FILE *spool,
			 const struct wp_ledgerfile_head *head)
{
	int err = append(fd, spool, head);

	if (err)
		wp_warn("%s is whole, but has no ledger for 'wallprof report': %s", path,
			strerror(-err));
	return err;
}

/**
 * wp_ledgerfile_open() - find the ledger of a file
 * @fd: the file
 * @head: out: what is known
 * @offset: out: where its accounts begin
 *
 * Prints nothing.
 *
 * Return: 0; -ENOENT if there is none; -EPROTO if it contradicts itself; or another
 * negative errno.
 */
int wp_ledgerfile_open(int fd, struct wp_ledgerfile_head *head, __u64 *offset)
{
	struct wp_ledgerfile_trailer trailer;
	struct stat st;
	__u64 end;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || (__u64)st.st_size < sizeof(trailer) + sizeof(*head))
		return -ENOENT;
	end = st.st_size - sizeof(trailer);
	err = wp_pread_all(fd, &trailer, sizeof(trailer), end);
	if (err)
		return err;
	if (memcmp(trailer.magic, WP_LEDGERFILE_MAGIC, sizeof(trailer.magic)))
		return -ENOENT;
	if (trailer.size > end || trailer.offset != end - trailer.size ||
	    trailer.size < sizeof(*head))
		return -EPROTO;
	err = wp_pread_all(fd, head, sizeof(*head), trailer.offset);
	if (err)
		return err;
	if (head->head_size < sizeof(*head) || head->head_size > MAX_ENTRY ||
	    head->head_size > trailer.size ||
	    head->account_size < sizeof(struct wp_ledgerfile_account) ||
	    head->account_size > MAX_ENTRY ||
	    (trailer.size - head->head_size) % head->account_size ||
	    (trailer.size - head->head_size) / head->account_size != head->nr)
		return -EPROTO;
	*offset = trailer.offset + head->head_size;
	return 0;
}

static void decode(const char *p, struct wp_account *a)
{
	struct wp_ledgerfile_account entry;

	memcpy(&entry, p, sizeof(entry));
	*a = (struct wp_account){
		.tid = entry.tid,
		.tgid = entry.tgid,
		.flags = entry.flags,
		.ended = entry.flags & WP_LEDGERFILE_ENDED,
		.born = entry.born,
		.end = entry.end,
		.run_ns = entry.run_ns,
		.off_ns = entry.off_ns,
		.nr_off = entry.nr_off,
		.unknown_ns = entry.unknown_ns,
		.spill_ns = entry.spill_ns,
		.runnable_ns = entry.runnable_ns,
		.runnable_max = entry.runnable_max,
		.blocked_max = entry.blocked_max,
		.asleep_since = entry.asleep_since,
	};
	memcpy(a->comm, entry.comm, sizeof(a->comm) - 1);
}

/**
 * wp_ledgerfile_read() - read the accounts of a ledger
 * @fd: the file
 * @head: from wp_ledgerfile_open()
 * @offset: the same
 * @fn: called with each; what it returns ends the reading, if it is not 0
 * @ctx: for @fn
 *
 * Return: 0, what @fn returned, or a negative errno. Nothing is printed.
 */
int wp_ledgerfile_read(int fd, const struct wp_ledgerfile_head *head, __u64 offset,
		       int (*fn)(void *ctx, const struct wp_account *a), void *ctx)
{
	char *buf = malloc((size_t)READ_AT_ONCE * head->account_size);
	__u64 left = head->nr;
	int err = buf ? 0 : -ENOMEM;

	while (left && !err) {
		size_t nr = left < READ_AT_ONCE ? left : READ_AT_ONCE, i;

		err = wp_pread_all(fd, buf, nr * head->account_size, offset);
		for (i = 0; i < nr && !err; i++) {
			struct wp_account a;

			decode(buf + i * head->account_size, &a);
			err = fn(ctx, &a);
		}
		offset += nr * head->account_size;
		left -= nr;
	}
	free(buf);
	return err;
}
