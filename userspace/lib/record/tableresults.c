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

/* Push a table; cache it if the module takes it. @hit: it comes from the cache. */
static void push(struct wp_tablequeue *q, struct wp_tablegroup *g, struct wp_tablejob *job,
		 const struct wp_unwindtable *table, bool hit)
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
		did.cached = hit;
		did.bytes = table->size;
		if (!hit && job->named)
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
		push(q, NULL, job, &table, hit);
	wp_unwindtable_free(&table);
	elf_end(elf);
}

/* A worker's description of a file's code is not trusted. */
static bool is_valid(const struct wp_elfcode *codes)
{
	size_t i;

	if (!codes->nr || codes->nr > WP_CODE_MAX)
		return false;
	for (i = 0; i < codes->nr; i++) {
		const struct wp_code *c = &codes->code[i];

		if (c->end <= c->start || c->size > c->end - c->start ||
		    c->offset + c->size < c->offset || (i && c->start < c[-1].end))
			return false;
	}
	return true;
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

	if (answer->size != sizeof(*name) || !is_valid(&name->codes) ||
	    name->name.id.size > WP_BUILDID_MAX)
		return false;
	job->codes = name->codes;
	job->name = name->name;
	job->named = true;
	if (wp_tablecache_get(q->opt.cache, job->owner, &job->name, &table)) {
		push(q, g, job, &table, true);
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

	if (answer->size <= sizeof(*codes) || !is_valid(codes))
		return false;
	job->codes = *codes;
	table = (struct wp_unwindtable){
		.data = (char *)answer->data + sizeof(*codes),
		.size = answer->size - sizeof(*codes),
	};
	wp_debug("unwind table of ...%s made in %.1f ms", job->label,
		 (double)answer->cpu_ns / NSEC_PER_MSEC);
	push(q, g, job, &table, false);
	return true;
}
