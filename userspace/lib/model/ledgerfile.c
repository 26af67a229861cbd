// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the ledger of a recording. ledgerspool.c writes it. The file is not trusted: all
 * fields are checked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/fullio.h"
#include "lib/model/ledgerfile.h"

#define READ_AT_ONCE	256
#define MAX_ENTRY	4096	/* limit for entries of later versions */

/* The shortest header: without waits. */
#define OLD_HEAD	offsetof(struct wp_ledgerfile_head, nr_waits)

_Static_assert(sizeof(struct wp_ledgerfile_head) == 80, "the head has no holes");
_Static_assert(sizeof(struct wp_ledgerfile_totals) == 120, "totals have no holes");
_Static_assert(sizeof(struct wp_procwait) == 24, "nor do waits");
_Static_assert(sizeof(struct wp_ledgerfile_trailer) == 32, "the trailer has no holes");
_Static_assert(sizeof(WP_LEDGERFILE_MAGIC) == 16, "the magic fills its field");

/* Whether @nr entries of @size bytes fit into @left bytes; subtracts their size. */
static bool takes(__u64 *left, __u64 nr, __u32 size, size_t least)
{
	if (size < least || size > MAX_ENTRY || nr > *left / size)
		return false;
	*left -= nr * size;
	return true;
}

/**
 * wp_ledgerfile_open() - find the ledger of a file
 * @fd: the file
 * @head: set to its header
 * @offset: set to the offset of its totals
 *
 * Prints nothing.
 *
 * Return: 0; -ENOENT if there is none; -EPROTO if it is inconsistent; or another negative
 * errno.
 */
int wp_ledgerfile_open(int fd, struct wp_ledgerfile_head *head, __u64 *offset)
{
	struct wp_ledgerfile_trailer trailer;
	__u64 end, left;
	struct stat st;
	int err;

	memset(head, 0, sizeof(*head));
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || (__u64)st.st_size < sizeof(trailer) + OLD_HEAD)
		return -ENOENT;
	end = st.st_size - sizeof(trailer);
	err = wp_pread_all(fd, &trailer, sizeof(trailer), end);
	if (err)
		return err;
	if (memcmp(trailer.magic, WP_LEDGERFILE_MAGIC, sizeof(trailer.magic)))
		return -ENOENT;
	if (trailer.size > end || trailer.offset != end - trailer.size || trailer.size < OLD_HEAD)
		return -EPROTO;
	err = wp_pread_all(fd, head, OLD_HEAD, trailer.offset);
	if (err)
		return err;
	left = trailer.size;
	if (!takes(&left, 1, head->head_size, OLD_HEAD))
		return -EPROTO;
	if (head->head_size >= sizeof(*head))
		err = wp_pread_all(fd, head, sizeof(*head), trailer.offset);
	if (err)
		return err;
	if (!takes(&left, head->nr, head->totals_size, sizeof(struct wp_ledgerfile_totals)) ||
	    (head->nr_waits &&
	     !takes(&left, head->nr_waits, head->wait_size, sizeof(struct wp_procwait))) || left)
		return -EPROTO;
	*offset = trailer.offset + head->head_size;
	return 0;
}

static void decode(const char *p, struct wp_totals *a)
{
	struct wp_ledgerfile_totals entry;

	memcpy(&entry, p, sizeof(entry));
	*a = (struct wp_totals){
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

/* Read entries, and call @fn for each. */
static int read_entries(int fd, __u64 offset, __u64 nr, __u32 size,
			int (*fn)(void *ctx, const char *entry), void *ctx)
{
	char *buf = malloc((size_t)READ_AT_ONCE * size);
	int err = buf ? 0 : -ENOMEM;

	while (nr && !err) {
		size_t some = nr < READ_AT_ONCE ? nr : READ_AT_ONCE, i;

		err = wp_pread_all(fd, buf, some * size, offset);
		for (i = 0; i < some && !err; i++)
			err = fn(ctx, buf + i * size);
		offset += some * size;
		nr -= some;
	}
	free(buf);
	return err;
}

/* Callback for the totals. */
struct reader {
	int (*fn)(void *ctx, const struct wp_totals *a);
	void *ctx;
};

static int read_totals(void *ctx, const char *entry)
{
	const struct reader *r = ctx;
	struct wp_totals a;

	decode(entry, &a);
	return r->fn(r->ctx, &a);
}

/**
 * wp_ledgerfile_read() - read the per-thread totals of a ledger
 * @fd: the file
 * @head: from wp_ledgerfile_open()
 * @offset: the same
 * @fn: called for each thread; a return value other than 0 ends the iteration
 * @ctx: for @fn
 *
 * Return: 0, what @fn returned, or a negative errno. Nothing is printed.
 */
int wp_ledgerfile_read(int fd, const struct wp_ledgerfile_head *head, __u64 offset,
		       int (*fn)(void *ctx, const struct wp_totals *a), void *ctx)
{
	struct reader r = { fn, ctx };

	return read_entries(fd, offset, head->nr, head->totals_size, read_totals, &r);
}

static int read_wait(void *ctx, const char *entry)
{
	struct wp_procwait wait;

	memcpy(&wait, entry, sizeof(wait));
	/* Without a system call there is no system call number. */
	if (wait.reason != WALLPROF_REASON_SYSCALL)
		wait.syscall = WALLPROF_SYSCALL_NONE;
	return wp_procwaits_add(ctx, &wait);
}

/**
 * wp_ledgerfile_read_waits() - read the waits of processes
 * @fd: the file
 * @head: from wp_ledgerfile_open(); an older one has no waits
 * @offset: the same
 * @waits: the waits are added here
 *
 * Return: 0 or a negative errno. Nothing is printed.
 */
int wp_ledgerfile_read_waits(int fd, const struct wp_ledgerfile_head *head, __u64 offset,
			     struct wp_procwaits *waits)
{
	if (!head->nr_waits)
		return 0;
	return read_entries(fd, offset + head->nr * head->totals_size, head->nr_waits,
			    head->wait_size, read_wait, waits);
}
