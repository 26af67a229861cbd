// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the workers that read files for whoever waits for the answer, as for the names of
 * functions: one for each owner and file system, of which a few are kept. A file that could
 * not be read within its limits is not read again; it is named once.
 *
 * Any thread may call this; they take turns.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/filereader.h"

#define NR_READERS	4

/* Bad files that are known, and of these, that are named. */
#define MAX_BAD		4096
#define MAX_NAMED	8

/**
 * struct reader - a worker for the files of one owner in one file system
 * @w: it, or NULL
 * @owner: the owner
 * @dev: the file system
 * @used: when it was last asked: the number of the request
 * @served: jobs that it has done
 */
struct reader {
	struct wp_worker *w;
	uid_t owner;
	dev_t dev;
	__u64 used;
	unsigned int served;
};

/* What a bad file is known by. */
struct bad {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};

static struct {
	pthread_mutex_t lock;		/* of all that follows */
	struct reader reader[NR_READERS];
	__u64 requests;
	struct bad *bad;
	size_t nr_bad;
} readers = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_bad(const struct stat *st)
{
	size_t i;

	for (i = 0; i < readers.nr_bad; i++) {
		const struct bad *b = &readers.bad[i];

		if (b->dev == st->st_dev && b->ino == st->st_ino && b->size == st->st_size &&
		    b->changed.tv_sec == st->st_ctim.tv_sec &&
		    b->changed.tv_nsec == st->st_ctim.tv_nsec)
			return true;
	}
	return false;
}

static void add_bad(int fd, const struct stat *st, int err)
{
	char link[64], name[4096] = "a file";
	struct bad *more;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof(name) - 1);
	if (n > 0)
		name[n] = '\0';
	(readers.nr_bad < MAX_NAMED ? wp_warn : wp_debug)("%s %s", name, wp_worker_why(err));
	if (readers.nr_bad == MAX_BAD)
		return;
	more = reallocarray(readers.bad, readers.nr_bad + 1, sizeof(*more));
	if (!more)
		return;
	readers.bad = more;
	more[readers.nr_bad++] = (struct bad){
		st->st_dev, st->st_ino, st->st_size, st->st_ctim,
	};
}

static void end_reader(struct reader *r)
{
	wp_worker_free(r->w);
	r->w = NULL;
	r->served = 0;
}

/* The one that reads files of that owner; else the one that was not asked for longest. */
static struct reader *reader_of(const struct stat *st)
{
	struct reader *oldest = readers.reader;
	int i;

	for (i = 0; i < NR_READERS; i++) {
		struct reader *r = &readers.reader[i];

		if (r->w && r->owner == st->st_uid && r->dev == st->st_dev)
			return r;
		if (r->used < oldest->used)
			oldest = r;
	}
	end_reader(oldest);
	oldest->owner = st->st_uid;
	oldest->dev = st->st_dev;
	return oldest;
}

/* Ask a worker, a new one if need be. */
static int ask(struct reader *r, const struct wp_job *job, struct wp_answer *answer)
{
	r->used = ++readers.requests;
	/* One that has nothing to do may have been killed for want of memory. */
	if (r->w && wp_worker_ask(r->w, job))
		end_reader(r);
	if (!r->w) {
		r->w = wp_worker_new(NULL);
		if (!r->w)
			return -EAGAIN;
		if (wp_worker_ask(r->w, job))
			return -EPIPE;
	}
	r->served++;
	return wp_worker_wait(r->w, answer);
}

/* With the lock. */
static int read_file(const struct wp_job *job, const struct stat *st, wp_filereader_fn *take,
		     void *ctx)
{
	struct reader *r = reader_of(st);
	struct wp_answer answer = { 0 };
	int err = ask(r, job, &answer);

	/* Maybe the files before took it. */
	if (!err && answer.err == -ENOMEM && r->served > 1) {
		end_reader(r);
		err = ask(r, job, &answer);
	}
	if (!err && answer.err && answer.err != -ENOMEM)
		return answer.err;
	if (!err)
		err = answer.err ? answer.err : take(ctx, &answer);
	if (!err)
		return 0;
	end_reader(r);
	if (err == -EAGAIN)
		return err;
	add_bad(job->fds[0], st, err);
	return -EBADMSG;
}

/**
 * wp_filereader_ask() - have a file read
 * @job: what is to be done; its first file says whose worker does it
 * @take: takes the answer, if there is one
 * @ctx: handed to it
 *
 * Return: 0, or what the job returned: a negative errno. -EBADMSG: the file could not be read
 * within its limits, now or before; -EAGAIN: there is no process to read it in.
 */
int wp_filereader_ask(const struct wp_job *job, wp_filereader_fn *take, void *ctx)
{
	struct stat st;
	int err;

	if (!job->nr_fds || fstat(job->fds[0], &st))
		return -EBADF;
	pthread_mutex_lock(&readers.lock);
	err = is_bad(&st) ? -EBADMSG : read_file(job, &st, take, ctx);
	pthread_mutex_unlock(&readers.lock);
	return err;
}

static int take_buildid(void *ctx, const struct wp_answer *answer)
{
	struct wp_buildid *id = ctx;

	if (answer->size != sizeof(*id))
		return -EPROTO;
	memcpy(id, answer->data, sizeof(*id));
	return id->size && id->size <= WP_BUILDID_MAX ? 0 : -EPROTO;
}

/**
 * wp_filereader_buildid() - read the build-id of an ELF file
 * @fd: the file
 * @id: filled in
 *
 * Return: 0, or a negative errno: it is not ELF, has none, or cannot be read.
 */
int wp_filereader_buildid(int fd, struct wp_buildid *id)
{
	const struct wp_job job = { .head.kind = WP_JOB_BUILDID, .fds[0] = fd, .nr_fds = 1 };
	int err = wp_filereader_ask(&job, take_buildid, id);

	if (err)
		memset(id, 0, sizeof(*id));
	return err;
}

/**
 * wp_filereader_end() - end the workers, and forget which files were bad
 */
void wp_filereader_end(void)
{
	int i;

	pthread_mutex_lock(&readers.lock);
	for (i = 0; i < NR_READERS; i++)
		end_reader(&readers.reader[i]);
	free(readers.bad);
	readers.bad = NULL;
	readers.nr_bad = 0;
	pthread_mutex_unlock(&readers.lock);
}
