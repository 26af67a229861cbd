// SPDX-License-Identifier: GPL-2.0
/*
 * Finishes files: by a table that is pushed to the module and kept on disk, or without.
 * Called by the other parts of the queue, in its thread.
 */
#include <errno.h>
#include <libelf.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/record/tablegroups.h"
#include "lib/record/tableresults.h"
#include "lib/sandbox/openfile.h"
#include "lib/unwind/unwindtable.h"

#define NSEC_PER_MSEC	1000000ULL

/*
 * Limit for the tables of one user's files, and of root's in a file system that is not
 * that of our own root directory: a quarter of the module's limit.
 */
#define USER_BYTES	(128ULL << 20)

/* Maximum number of a user's bad files that are named; others are only counted. */
#define MAX_NAMED	32

/**
 * wp_tableresults_settle() - finish a file, with or without a table
 * @q: the queue
 * @g: its group, or NULL
 * @job: the file
 * @did: what to add to the statistics
 *
 * It is back with the caller before the caller is notified.
 */
void wp_tableresults_settle(struct wp_tablequeue *q, struct wp_tablegroup *g,
			    struct wp_tablejob *job,
			    const struct wp_tablequeue_stats *did)
{
	if (job->fd >= 0)
		close(job->fd);
	job->fd = -1;
	q->opt.done(q->opt.ctx, job);
	pthread_mutex_lock(&q->lock);
	q->stats.tables += did->tables;
	q->stats.cached += did->cached;
	q->stats.known += did->known;
	q->stats.bytes += did->bytes;
	q->stats.no_table += did->no_table;
	q->stats.bad += did->bad;
	q->stats.refused += did->refused;
	q->stats.error = did->error ? did->error : q->stats.error;
	q->nr_open--;
	if (g)
		g->user->open--;
	pthread_mutex_unlock(&q->lock);
	wp_tablestate_raise(q->ready);
}

/* Check the user's limit for one more table, and count the table. */
static int take_bytes(struct wp_tablequeue *q, struct wp_tableuser *u, size_t size)
{
	int err = 0;

	if (!u->owner && u->dev == q->root)
		return 0;
	pthread_mutex_lock(&q->lock);
	if (size > USER_BYTES || u->bytes > USER_BYTES - size)
		err = -EDQUOT;
	else
		u->bytes += size;
	pthread_mutex_unlock(&q->lock);
	return err;
}

enum from { MADE, CACHED, KNOWN };

/* Push a table; cache it if it was made, and the module takes it. */
static void push(struct wp_tablequeue *q, struct wp_tablegroup *g, struct wp_tablejob *job,
		 const struct wp_unwindtable *table, enum from from)
{
	struct wp_tablequeue_stats did = {};
	int err;

	err = g ? take_bytes(q, g->user, table->size) : 0;
	if (!err)
		err = q->opt.push(q->opt.ctx, table->data, table->size, &job->table);
	if (err) {
		did.error = err;
		did.refused = 1;
		job->table = 0;
		wp_debug("no unwind table of ...%s: %s", job->label, strerror(-err));
	} else {
		did.tables = 1;
		did.cached = from != MADE;
		did.known = from == KNOWN;
		did.bytes = table->size;
		if (from == MADE && job->named)
			wp_tablecache_put(q->opt.cache, job->owner, &job->name, table);
	}
	wp_tableresults_settle(q, g, job, &did);
}

/**
 * wp_tableresults_give_none() - finish a file without a table
 * @q: the queue
 * @g: its group, or NULL
 * @job: the file
 * @err: the reason, a negative errno
 */
void wp_tableresults_give_none(struct wp_tablequeue *q, struct wp_tablegroup *g,
			       struct wp_tablejob *job, int err)
{
	struct wp_tablequeue_stats did = { .no_table = 1 };

	if (err != -ENOEXEC)
		wp_debug("no unwind table of ...%s: %s", job->label, strerror(-err));
	wp_tableresults_settle(q, g, job, &did);
}

/**
 * wp_tableresults_give_up() - finish a bad file
 * @q: the queue
 * @g: its group
 * @job: the file
 * @err: the reason, a negative errno
 */
void wp_tableresults_give_up(struct wp_tablequeue *q, struct wp_tablegroup *g,
			     struct wp_tablejob *job, int err)
{
	struct wp_tablequeue_stats did = { .no_table = 1, .bad = 1 };

	(g->user->bad < MAX_NAMED ? wp_warn : wp_debug)
		("...%s %s: its functions have no unwind table", job->label, wp_worker_reason(err));
	if (++g->user->bad == MAX_NAMED)
		wp_warn("further files of user %u are counted, and named with -v only",
			(unsigned int)g->user->owner);
	wp_tableresults_settle(q, g, job, &did);
}

/* The vdso is no file, and the kernel's own: it is the same for all processes. */
static Elf *open_vdso(void)
{
	char *base = (char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const void *)base;

	if (!base)
		return NULL;
	/* The section headers come last. */
	return elf_memory(base, eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize);
}

/**
 * wp_tableresults_make_vdso() - build the table of our own vdso
 * @q: the queue
 * @job: the vdso
 */
void wp_tableresults_make_vdso(struct wp_tablequeue *q, struct wp_tablejob *job)
{
	struct wp_unwindtable table = {};
	int err = -ENOEXEC;
	__u64 key[2];
	bool hit;
	Elf *elf;

	elf = open_vdso();
	if (elf)
		err = wp_elfcode_read(&job->codes, elf);
	if (!err && q->opt.cache) {
		wp_tablecache_key(q->opt.cache, 0, key);
		wp_tablename_of(&job->name, elf, &job->codes, key);
		job->named = true;
	}
	hit = !err && job->named && wp_tablecache_get(q->opt.cache, 0, &job->name, &table);
	if (!err && !hit)
		err = wp_unwindtable_from_elf(&table, elf, &job->codes);
	if (err)
		wp_tableresults_give_none(q, NULL, job, err);
	else
		push(q, NULL, job, &table, hit ? CACHED : MADE);
	wp_unwindtable_free(&table);
	elf_end(elf);
}

/**
 * wp_tableresults_take_known() - finish a file that an earlier recording has read
 * @q: the queue
 * @g: its group
 * @job: the file
 *
 * Return: whether it is one, and its table is there.
 */
bool wp_tableresults_take_known(struct wp_tablequeue *q, struct wp_tablegroup *g,
				struct wp_tablejob *job)
{
	struct wp_unwindtable table = {};

	job->looked = true;
	/* One that may have a server is asked nothing. */
	if (wp_openfile_is_served(job->fd) ||
	    !wp_tablecache_ident(q->opt.cache, job->fd, &job->file) ||
	    job->file.owner != job->owner)
		memset(&job->file, 0, sizeof(job->file));
	if (!job->file.ino ||
	    !wp_tablecache_known(q->opt.cache, &job->file, &job->name, &job->codes, &table))
		return false;
	push(q, g, job, &table, KNOWN);
	wp_unwindtable_free(&table);
	return true;
}

/* It was read since it was looked for in the index. */
static void note_name(struct wp_tablequeue *q, struct wp_tablejob *job)
{
	struct wp_fileident file;

	if (job->file.ino && wp_tablecache_ident(q->opt.cache, job->fd, &file) &&
	    wp_fileident_same(&file, &job->file))
		wp_tablecache_note(q->opt.cache, &file, &job->name, &job->codes);
}

/**
 * wp_tableresults_take_name() - take the name of a file's table from a worker
 * @q: the queue
 * @g: its group
 * @job: the file
 * @answer: the worker's answer
 *
 * Return: whether it is valid.
 */
bool wp_tableresults_take_name(struct wp_tablequeue *q, struct wp_tablegroup *g,
			       struct wp_tablejob *job,
			       const struct wp_answer *answer)
{
	const struct wp_job_name *name = answer->data;
	struct wp_unwindtable table = {};

	if (answer->size != sizeof(*name) || !wp_elfcode_is_valid(&name->codes) ||
	    name->name.id.size > WP_BUILDID_MAX)
		return false;
	job->codes = name->codes;
	job->name = name->name;
	job->named = true;
	note_name(q, job);
	if (wp_tablecache_get(q->opt.cache, job->owner, &job->name, &table)) {
		push(q, g, job, &table, CACHED);
		wp_unwindtable_free(&table);
		return true;
	}
	pthread_mutex_lock(&q->lock);
	wp_tablegroups_push_job(&g->unmade, job);
	pthread_mutex_unlock(&q->lock);
	return true;
}

/**
 * wp_tableresults_take_table() - take a file's table from a worker
 * @q: the queue
 * @g: its group
 * @job: the file
 * @answer: the worker's answer
 *
 * The module checks the table.
 *
 * Return: whether it is plausible.
 */
bool wp_tableresults_take_table(struct wp_tablequeue *q, struct wp_tablegroup *g,
				struct wp_tablejob *job,
				const struct wp_answer *answer)
{
	const struct wp_elfcode *codes = answer->data;
	struct wp_unwindtable table;

	if (answer->size <= sizeof(*codes) || !wp_elfcode_is_valid(codes))
		return false;
	job->codes = *codes;
	table = (struct wp_unwindtable){
		.data = (char *)answer->data + sizeof(*codes),
		.size = answer->size - sizeof(*codes),
	};
	wp_debug("unwind table of ...%s made in %.1f ms", job->label,
		 (double)answer->cpu_ns / NSEC_PER_MSEC);
	push(q, g, job, &table, MADE);
	return true;
}
