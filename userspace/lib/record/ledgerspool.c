// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the data of the ledger section until perf.data is complete. During the recording,
 * the totals of ended threads and the waits of processes are spooled to unnamed files
 * beside it, as there may be too many of them for memory; at the end all is appended to
 * perf.data. Called by the record command.
 *
 * The ledger follows the last section that perf.data's header lists. It is not a feature
 * section of its own: every perf skips an unknown feature number, but "perf report
 * --header" warns about it.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/record/ledgerspool.h"

/*
 * Maximum number of sums in memory; then they are written to the file, and its reader
 * adds them up.
 */
#define MAX_SUMS	16384

/* Not all file systems support unnamed files, and the directory may not be writable. */
static FILE *open_beside(const char *path)
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
	return f ? f : tmpfile();
}

/**
 * wp_ledgerspool_open() - open a spool
 * @s: the spool
 * @path: the recording; the spool is created in its directory if possible, else in the
 *	directory for temporary files
 *
 * Return: 0; or a negative errno after a warning, and the spool stays closed.
 */
int wp_ledgerspool_open(struct wp_ledgerspool *s, const char *path)
{
	int err = 0;

	*s = (struct wp_ledgerspool){ .totals = open_beside(path) };
	s->waits = s->totals ? open_beside(path) : NULL;
	if (!s->waits) {
		err = -errno;
		wp_warn("there will be no ledger for 'wallprof report': no temporary file: %s",
			strerror(errno));
		wp_ledgerspool_close(s);
	}
	return err;
}

/* Give up; the recording continues without a ledger. */
static void found_no_room(struct wp_ledgerspool *s)
{
	wp_warn("there will be no ledger for 'wallprof report': it found no room: %s",
		strerror(errno));
	wp_ledgerspool_close(s);
}

/**
 * wp_ledgerspool_totals() - spool the totals of a thread
 * @s: the spool; a closed one is ignored. If there is no room it is closed, after a
 *	warning
 * @a: the totals
 */
void wp_ledgerspool_totals(struct wp_ledgerspool *s, const struct wp_totals *a)
{
	struct wp_ledgerfile_totals entry = {
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

	if (!s->totals)
		return;
	memcpy(entry.comm, a->comm, sizeof(entry.comm));
	if (fwrite(&entry, sizeof(entry), 1, s->totals) != 1)
		found_no_room(s);
}

/* Write the sums to the file. */
static void spill(struct wp_ledgerspool *s)
{
	size_t nr = s->sums.nr;

	if (nr && fwrite(s->sums.entry, sizeof(*s->sums.entry), nr, s->waits) != nr)
		found_no_room(s);
	else
		wp_procwaits_free(&s->sums);
}

/**
 * wp_ledgerspool_wait() - spool the waits of a process
 * @s: the spool; see wp_ledgerspool_totals()
 * @wait: intervals
 *
 * Return: 0 or -ENOMEM.
 */
int wp_ledgerspool_wait(struct wp_ledgerspool *s, const struct wp_wait *wait)
{
	if (s->totals && s->sums.nr >= MAX_SUMS)
		spill(s);
	return s->totals ? wp_procwaits_add_wait(&s->sums, wait) : 0;
}

/* Copy all of @from to a position of a file, and advance the position. */
static int copy(int fd, off_t *pos, FILE *from)
{
	char buf[1 << 16];
	int err = 0;
	size_t n;

	rewind(from);
	while (!err && (n = fread(buf, 1, sizeof(buf), from))) {
		err = wp_pwrite_all(fd, buf, n, *pos);
		*pos += n;
	}
	return err ? err : ferror(from) ? -EIO : 0;
}

static int append(struct wp_ledgerspool *s, int fd, const struct wp_ledgerfile_head *head)
{
	struct wp_ledgerfile_trailer trailer = { .magic = WP_LEDGERFILE_MAGIC };
	struct stat st, totals, waits;
	struct wp_ledgerfile_head all = *head;
	off_t pos;
	int err;

	if (fstat(fd, &st) || fflush(s->totals) || fstat(fileno(s->totals), &totals) ||
	    fflush(s->waits) || fstat(fileno(s->waits), &waits))
		return -errno;
	all.head_size = sizeof(all);
	all.totals_size = sizeof(struct wp_ledgerfile_totals);
	all.nr = totals.st_size / all.totals_size;
	all.wait_size = sizeof(struct wp_procwait);
	all.nr_waits = waits.st_size / all.wait_size;
	trailer.offset = st.st_size;
	trailer.size = sizeof(all) + totals.st_size + waits.st_size;
	pos = st.st_size;
	err = wp_pwrite_all(fd, &all, sizeof(all), pos);
	pos += sizeof(all);
	if (!err)
		err = copy(fd, &pos, s->totals);
	if (!err)
		err = copy(fd, &pos, s->waits);
	if (!err)
		err = wp_pwrite_all(fd, &trailer, sizeof(trailer), pos);
	/* Readers would ignore a partial ledger; remove it anyway. */
	if (err && ftruncate(fd, st.st_size))
		wp_debug("ftruncate: %s", strerror(errno));
	return err;
}

/**
 * wp_ledgerspool_append() - append the ledger to a file
 * @s: the spool; of a closed one nothing is appended, without a message
 * @fd: the file, a regular one
 * @path: its name, for messages
 * @head: the header; its sizes and counts are filled in here
 *
 * Return: 0; or a negative errno after a warning, and the file is unchanged.
 */
int wp_ledgerspool_append(struct wp_ledgerspool *s, int fd, const char *path,
			  const struct wp_ledgerfile_head *head)
{
	int err;

	if (s->totals)
		spill(s);
	if (!s->totals)
		return 0;
	err = append(s, fd, head);
	if (err)
		wp_warn("%s is whole, but has no ledger for 'wallprof report': %s", path,
			strerror(-err));
	return err;
}

/**
 * wp_ledgerspool_close() - discard the spool
 * @s: the spool, open or not
 */
void wp_ledgerspool_close(struct wp_ledgerspool *s)
{
	if (s->totals)
		fclose(s->totals);
	if (s->waits)
		fclose(s->waits);
	wp_procwaits_free(&s->sums);
	*s = (struct wp_ledgerspool){};
}
