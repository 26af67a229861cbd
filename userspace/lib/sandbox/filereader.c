// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the workers for synchronous requests, as for the names of functions: one for each
 * owner and file system, of which a few are kept. A file that could not be read within
 * its limits is not read again; it is named once in a message.
 *
 * Any thread may call this; calls are serialized.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/sandbox/takenames.h"
#include "lib/sandbox/worker.h"

#define NR_READERS	4

/* Minimum CPU time for a file, however many bad ones its owner had. */
#define LEAST_NS	500000000ULL

/* Maximum number of bad files or names of a user; then no files of that user are read. */
#define MAX_BAD_USER	32

/* CPU time for inlined functions of a user's files: a constant, and for each address. */
#define INLINED_NS	10000000000ULL
#define INLINED_EACH_NS	20000000ULL

/* Limit of bad files that are remembered, and named. */
#define MAX_BAD		4096

/*
 * Limit of unanswered files of a program, or of a block device that is not a disk; then no
 * other one of its files is read.
 */
#define MAX_SILENT	3

/**
 * struct reader - a worker for the files of one owner in one file system
 * @w: the worker, or NULL
 * @owner: the owner
 * @used: number of its last request
 * @served: number of jobs done
 */
struct reader {
	struct wp_worker *w;
	struct wp_fileowner owner;
	__u64 used;
	unsigned int served;
};

/* Parses an answer, which is not trusted: 0, or -EPROTO if it is invalid. */
typedef int taker(void *ctx, const struct wp_answer *answer);

/*
 * struct user - an owner of files: a uid; root in one file system, as containers have
 * their own; or all programs that serve files
 * @owner: the owner; the file system of root only
 * @bad: files and names that could not be read within their limits
 * @places: addresses for which inlined functions were looked up,
 * @ns: and the CPU time for them
 */
struct user {
	struct wp_fileowner owner;
	unsigned int bad;
	__u64 places;
	__u64 ns;
};

/* Identity of a bad file. */
struct bad {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
	bool silent;
};

static struct {
	pthread_mutex_t lock;		/* protects all that follows */
	struct reader reader[NR_READERS];
	__u64 requests;
	struct bad *bad;
	size_t nr_bad;
	struct user *user;
	size_t nr_users;
	struct wp_fileowner owner;	/* of the last file, */
	ino_t ino;			/* its inode, */
	struct timespec changed;	/* and when that was changed */
} readers = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Without memory all count as one. */
static struct user *user_of(const struct wp_fileowner *owner)
{
	const struct stat st = { .st_dev = owner->dev };
	static struct user rest;
	struct user u = { .owner = *owner }, *more;
	size_t i;

	if (!wp_openfile_has_owner(&st))
		u.owner = (struct wp_fileowner){ .uid = -1 };
	else if (owner->uid)
		u.owner.dev = 0;
	for (i = 0; i < readers.nr_users; i++) {
		if (wp_fileowner_same(&readers.user[i].owner, &u.owner))
			return &readers.user[i];
	}
	more = reallocarray(readers.user, i + 1, sizeof(*more));
	if (!more)
		return &rest;
	readers.user = more;
	more[readers.nr_users++] = u;
	return &more[i];
}

static bool is_bad(int fd, const struct stat *st, const struct wp_fileowner *owner)
{
	bool served = major(st->st_dev) ? wp_openfile_is_served(fd) : !wp_openfile_has_owner(st);
	unsigned int silent = 0;
	size_t i;

	for (i = 0; i < readers.nr_bad; i++) {
		const struct bad *b = &readers.bad[i];

		if (b->dev == st->st_dev && b->ino == st->st_ino && b->size == st->st_size &&
		    b->changed.tv_sec == st->st_ctim.tv_sec &&
		    b->changed.tv_nsec == st->st_ctim.tv_nsec)
			return true;
		silent += b->silent && b->dev == st->st_dev;
	}
	return (silent >= MAX_SILENT && served) || user_of(owner)->bad >= MAX_BAD_USER;
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
	(readers.nr_bad < MAX_BAD ? wp_warn : wp_debug)("%s %s", name, wp_worker_reason(err));
	if (readers.nr_bad == MAX_BAD)
		return;
	more = reallocarray(readers.bad, readers.nr_bad + 1, sizeof(*more));
	if (!more)
		return;
	readers.bad = more;
	more[readers.nr_bad++] = (struct bad){
		st->st_dev, st->st_ino, st->st_size, st->st_ctim, err == -ETIMEDOUT,
	};
}

static void end_reader(struct reader *r)
{
	wp_worker_free(r->w);
	r->w = NULL;
	r->served = 0;
}

/* The worker for that owner; else the least recently used one. */
static struct reader *reader_of(const struct wp_fileowner *owner)
{
	struct reader *oldest = readers.reader;
	int i;

	for (i = 0; i < NR_READERS; i++) {
		struct reader *r = &readers.reader[i];

		if (r->w && wp_fileowner_same(&r->owner, owner))
			return r;
		if (r->used < oldest->used)
			oldest = r;
	}
	end_reader(oldest);
	oldest->owner = *owner;
	return oldest;
}

/* Owners of bad files get less time for the next one, as a caller waits for it. */
static struct wp_worker *new_worker(const struct wp_fileowner *owner)
{
	struct wp_worker_limits limits = wp_worker_usual;
	unsigned int i;

	for (i = user_of(owner)->bad; i && limits.cpu_ns > LEAST_NS; i--)
		limits.cpu_ns /= 2;
	return wp_worker_new(&limits);
}

/* Send a request to a worker, a new one if necessary. */
static int ask(struct reader *r, const struct wp_job *job, struct wp_answer *answer)
{
	int err = -EPIPE;

	r->used = ++readers.requests;
	if (r->w)
		err = wp_worker_ask(r->w, job);
	/* An idle one may have been killed for want of memory. */
	if (err == -EPIPE) {
		end_reader(r);
		r->w = new_worker(&r->owner);
		if (!r->w)
			return -EAGAIN;
		err = wp_worker_ask(r->w, job);
	}
	if (err)
		return err;
	r->served++;
	return wp_worker_wait(r->w, answer);
}

/* Whether the file ended the worker; else it just cannot be opened. */
static bool is_lost(int err)
{
	static const int ends[] = { -EPIPE, -EPROTO, -EMSGSIZE, -ETIME, -ETIMEDOUT, -ENOMEM };
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (err == ends[i])
			return true;
	}
	return false;
}

/*
 * Execute a job: 0, or its error, which @take did not see; or, with *@lost, the reason
 * why its worker ended. Caller holds the lock.
 */
static int do_job(const struct wp_job *job, const struct wp_fileowner *owner, taker *take,
		  void *ctx, bool *lost)
{
	struct reader *r = reader_of(owner);
	struct wp_answer answer = { 0 };
	int err = ask(r, job, &answer);
	struct user *u;

	/* Earlier files may have used up the memory. */
	if (r->served > 1 && (err == -EPIPE || (!err && answer.err == -ENOMEM))) {
		end_reader(r);
		err = ask(r, job, &answer);
	}
	if (!err && answer.err && answer.err != -ENOMEM)
		return answer.err;
	if (!err)
		err = answer.err ? answer.err : take(ctx, &answer);
	if (err)
		end_reader(r);
	*lost = is_lost(err);
	u = user_of(owner);
	/* Files of a silent server have used no CPU time. */
	u->bad += *lost && err != -ETIMEDOUT;
	if (job->head.kind == WP_JOB_INLINED) {
		u->places++;
		u->ns += answer.cpu_ns;
	}
	return err;
}

/* A lookup takes some ms in the largest files. */
static bool has_inlined_much(const struct wp_fileowner *owner)
{
	const struct user *u = user_of(owner);

	return u->ns > INLINED_NS + u->places * INLINED_EACH_NS;
}

/* Several requests in turn are for one file. Caller holds the lock. */
static const struct wp_fileowner *owner_of(int fd, const struct stat *st)
{
	if (readers.ino != st->st_ino || readers.owner.dev != st->st_dev ||
	    readers.owner.uid != st->st_uid || readers.changed.tv_sec != st->st_ctim.tv_sec ||
	    readers.changed.tv_nsec != st->st_ctim.tv_nsec) {
		readers.owner = wp_fileowner_of(fd, st);
		readers.ino = st->st_ino;
		readers.changed = st->st_ctim;
	}
	return &readers.owner;
}

/*
 * Have a file read: 0, or the job's error. -EBADMSG: it could not be read within its
 * limits, now or before; -EAGAIN: there is no process to read it.
 */
static int read_file(const struct wp_job *job, taker *take, void *ctx)
{
	struct wp_fileowner owner;
	bool lost = false;
	struct stat st;
	int err;

	if (wp_openfile_known(job->fds[0], &st))
		return -errno;
	pthread_mutex_lock(&readers.lock);
	owner = *owner_of(job->fds[0], &st);
	if (is_bad(job->fds[0], &st, &owner) ||
	    (job->head.kind == WP_JOB_INLINED && has_inlined_much(&owner)))
		err = -EBADMSG;
	else
		err = do_job(job, &owner, take, ctx, &lost);
	if (lost) {
		add_bad(job->fds[0], &st, err);
		err = -EBADMSG;
	}
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
	int err = read_file(&job, take_buildid, id);

	if (err)
		memset(id, 0, sizeof(*id));
	return err;
}

/**
 * wp_filereader_loaded_id() - read the build-id of a file that is mapped as code
 * @fd: the file
 * @id: filled in
 *
 * The cost is small, whatever the file is.
 *
 * Return: as wp_filereader_buildid().
 */
int wp_filereader_loaded_id(int fd, struct wp_buildid *id)
{
	const struct wp_job job = {
		.head.kind = WP_JOB_BUILDID, .head.flags = WP_JOB_LOADED, .fds[0] = fd, .nr_fds = 1,
	};
	int err = read_file(&job, take_buildid, id);

	if (err)
		memset(id, 0, sizeof(*id));
	return err;
}

static int take_links(void *ctx, const struct wp_answer *answer)
{
	struct wp_elflinks *links = ctx;
	const struct wp_elflinks *from = answer->data;

	if (answer->size != sizeof(*links))
		return -EPROTO;
	if (from->id.size > WP_BUILDID_MAX || from->alt_id.size > WP_BUILDID_MAX ||
	    !memchr(from->link, 0, sizeof(from->link)) || strchr(from->link, '/') ||
	    !strcmp(from->link, "..") ||
	    !memchr(from->alt, 0, sizeof(from->alt)) ||
	    *(__u8 *)&from->symbols > 1 || *(__u8 *)&from->dwarf > 1)
		return -EPROTO;
	*links = *from;
	return 0;
}

/**
 * wp_filereader_links() - read the references of an ELF file
 * @fd: the file
 * @links: filled in; all zero on failure
 *
 * Return: 0, or a negative errno: see wp_elflinks_read(); it cannot be read.
 */
int wp_filereader_links(int fd, struct wp_elflinks *links)
{
	const struct wp_job job = { .head.kind = WP_JOB_LINKS, .fds[0] = fd, .nr_fds = 1 };

	memset(links, 0, sizeof(*links));
	return read_file(&job, take_links, links);
}

/* Why a job had no answer. */
static const char *trouble_of(int err)
{
	if (err == -ENODATA)
		return "it is in swap in part, and not read";
	return err == -EAGAIN ? "there is no process to read it in" : WP_FILEREADER_BAD;
}

static const char *read_symbols(const struct wp_job *job, struct wp_elfnames *names)
{
	struct wp_takensymbols to = { .names = names };
	int err = read_file(job, wp_take_symbols, &to);

	return err ? trouble_of(err) : to.trouble;
}

/**
 * wp_filereader_jitdump() - read the code in a jitdump file
 * @fd: the file
 * @loads: all zero; filled in, to be freed with wp_jitdump_free()
 *
 * Return: NULL, or why it has no code.
 */
const char *wp_filereader_jitdump(int fd, struct wp_jitloads *loads)
{
	const struct wp_job job = { .head.kind = WP_JOB_JITDUMP, .fds[0] = fd, .nr_fds = 1 };
	struct wp_takenjitdump to = { .loads = loads };
	int err = read_file(&job, wp_take_jitdump, &to);

	return err ? trouble_of(err) : to.trouble;
}

static struct wp_job job_of(__u32 kind, const struct wp_elffiles *files)
{
	struct wp_job job = { .head.kind = kind, .fds[0] = files->main, .nr_fds = 1 };

	if (files->debug >= 0) {
		job.head.flags |= WP_JOB_DEBUG;
		job.fds[job.nr_fds++] = files->debug;
	}
	if (files->alt >= 0) {
		job.head.flags |= WP_JOB_ALT;
		job.fds[job.nr_fds++] = files->alt;
	}
	return job;
}

/**
 * wp_filereader_symbols() - read the functions of a file, or its variables
 * @files: the file, and those of its debug information; they stay open
 * @variables: read variables
 * @names: all zero, but @only; filled in, to be freed with wp_elfnames_free()
 *
 * Return: NULL, or why it has no names.
 */
const char *wp_filereader_symbols(const struct wp_elffiles *files, bool variables,
				  struct wp_elfnames *names)
{
	struct wp_job job = job_of(WP_JOB_SYMBOLS, files);
	const char *name;

	if (variables)
		job.head.flags |= WP_JOB_VARIABLES;
	job.text = names->only;
	for (name = names->only; name && *name; name += strlen(name) + 1)
		job.size += strlen(name) + 1;
	return read_symbols(&job, names);
}

/**
 * wp_filereader_perfmap() - read a list in text form
 * @fd: the list
 * @names: all zero; filled in, to be freed with wp_elfnames_free()
 *
 * Return: NULL, or why it has no names.
 */
const char *wp_filereader_perfmap(int fd, struct wp_elfnames *names)
{
	const struct wp_job job = { .head.kind = WP_JOB_PERFMAP, .fds[0] = fd, .nr_fds = 1 };

	return read_symbols(&job, names);
}

/* Names, each with a terminating 0. */
struct texts {
	char **names;
	size_t room;
	size_t nr;
};

static int take_texts(void *ctx, const struct wp_answer *answer)
{
	const char *at = answer->data, *end = at + answer->size;
	struct texts *to = ctx;

	if (answer->size && end[-1])
		return -EPROTO;
	for (; at < end; at += strlen(at) + 1) {
		if (to->nr == to->room)
			return -EPROTO;
		to->names[to->nr] = strndup(at, WP_SYMTABLE_NAME);
		if (!to->names[to->nr])
			return 0;
		to->nr++;
	}
	return 0;
}

/**
 * wp_filereader_inlined() - the functions that are inlined at an address
 * @files: the file, and those of its debug information; they stay open
 * @number: a number for these files, different for others
 * @address: the address, as in the file's program headers
 * @raw: do not demangle names
 * @names: set to the names, each to be freed, the innermost first
 * @nr: size of @names; set to the number of names
 *
 * Return: 0 or a negative errno.
 */
int wp_filereader_inlined(const struct wp_elffiles *files, __u64 number, __u64 address,
			  bool raw, char **names, size_t *nr)
{
	struct wp_job job = job_of(WP_JOB_INLINED, files);
	struct texts to = { .names = names, .room = *nr };
	int err;

	job.head.number = number;
	job.head.address = address;
	if (raw)
		job.head.flags |= WP_JOB_RAW;
	err = read_file(&job, take_texts, &to);
	*nr = to.nr;
	return err;
}

static int take_plain(void *ctx, const struct wp_answer *answer)
{
	char **plain = ctx;

	if (answer->size > WP_SYMTABLE_NAME)
		return -EPROTO;
	if (answer->size)
		*plain = strndup(answer->data, answer->size);
	return 0;
}

static int take_crc(void *ctx, const struct wp_answer *answer)
{
	if (answer->size != sizeof(__u32))
		return -EPROTO;
	memcpy(ctx, answer->data, sizeof(__u32));
	return 0;
}

/**
 * wp_filereader_crc() - checksum of a file, as in .gnu_debuglink
 * @fd: the file
 * @crc: set to the checksum
 *
 * Return: 0 or a negative errno: it cannot be read.
 */
int wp_filereader_crc(int fd, __u32 *crc)
{
	const struct wp_job job = { .head.kind = WP_JOB_CRC, .fds[0] = fd, .nr_fds = 1 };

	return read_file(&job, take_crc, crc);
}

static int take_container(void *ctx, const struct wp_answer *answer)
{
	const struct wp_container *from = answer->data;

	if (answer->size != sizeof(*from) || !wp_container_is_valid(from))
		return -EPROTO;
	memcpy(ctx, from, sizeof(*from));
	return 0;
}

/**
 * wp_filereader_container() - the names of a container, from a file of its runtime
 * @fd: the file
 * @id: the container
 * @c: set to them; all empty on failure
 *
 * Return: 0 or a negative errno: it has none, or cannot be read.
 */
int wp_filereader_container(int fd, const char *id, struct wp_container *c)
{
	const struct wp_job job = {
		.head.kind = WP_JOB_CONTAINER, .text = id, .size = strlen(id),
		.fds[0] = fd, .nr_fds = 1,
	};

	memset(c, 0, sizeof(*c));
	return read_file(&job, take_container, c);
}

/**
 * wp_filereader_demangle() - demangle the name of a function
 * @owner: owner of the file that the name is from
 * @name: its name, as in the linker's tables
 * @plain: set to the result, to be freed; NULL if it is no mangled name, or there is no
 *	memory
 *
 * Return: 0, or -EBADMSG: that took too much, and others from there may, too.
 */
int wp_filereader_demangle(const struct wp_fileowner *owner, const char *name, char **plain)
{
	const struct wp_job job = {
		.head.kind = WP_JOB_DEMANGLE, .text = name, .size = strnlen(name, WP_JOB_TEXT),
	};
	bool lost = false;
	int err;

	*plain = NULL;
	pthread_mutex_lock(&readers.lock);
	err = user_of(owner)->bad >= MAX_BAD_USER ? -EBADMSG :
		do_job(&job, owner, take_plain, plain, &lost);
	pthread_mutex_unlock(&readers.lock);
	return err ? -EBADMSG : 0;
}

/**
 * wp_filereader_end() - end the workers, and drop the list of bad files
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
	free(readers.user);
	readers.user = NULL;
	readers.nr_users = 0;
	readers.ino = 0;
	pthread_mutex_unlock(&readers.lock);
}
