// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the files that wait for their unwind tables, their order, and the workers that
 * read them.
 *
 * Files of one owner in one file system are a group, and a worker reads files of one
 * group only. All groups of an owner belong to one user, however many file systems that
 * user has mounted. A user has at most one worker at a time, and the user whose files
 * have cost least so far goes first: so one user's files, whatever they contain, delay
 * those of others by their share only. Root counts as a separate user in each file
 * system, as containers have their own. Within a group the names of tables come first, as
 * these suffice for tables that are on disk; then the smallest file. A user whose file
 * had to be given up pauses for several times of what that cost.
 *
 * A thread of its own does all this. It waits for its sockets only, and only passes files
 * on, never reads them: no file can block it, and its end waits for no table.
 */
#include <errno.h>
#include <libelf.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/record/tablequeue.h"
#include "lib/unwind/unwindtable.h"

#define NSEC_PER_MSEC	1000000ULL

/* Maximum number of workers. */
#define NR_SLOTS	8

/* CPU time by which users may differ before the one that has used more waits. */
#define QUANTUM_NS	(50 * NSEC_PER_MSEC)

/*
 * After a bad file its user pauses for so many times of its cost, and at least for
 * REST_MIN_NS.
 */
#define REST_TIMES	8
#define REST_MIN_NS	(10 * NSEC_PER_MSEC)

/*
 * Limit for the tables of one user's files, except root's: a quarter of the module's
 * limit.
 */
#define USER_BYTES	(128ULL << 20)

/*
 * Maximum number of queued open files, and the shares of one user, and of root in one
 * file system.
 */
#define MAX_OPEN	512
#define USER_SHARE	4
#define ROOT_SHARE	2

/* Cost of a file that cannot be opened. */
#define OPEN_NS		(10 * NSEC_PER_MSEC)

/* Maximum number of bad files that are named; others are only counted. */
#define MAX_NAMED	8

/* Interval between checks of workers that do not answer. */
#define LOOK_MS		100

#define NR_BUCKETS	64

/**
 * struct user - an owner of files
 * @next: in the list of all
 * @owner: the owner
 * @dev: root only: the file system; else 0
 * @open: number of files that wait or are being read
 * @bytes: bytes of tables that were pushed, or refused
 * @spent: CPU time used, or time for which a worker was kept waiting. Private to the
 *	thread, as the next one
 * @rest_until: none of the files is read before this time
 */
struct user {
	struct user *next;
	uid_t owner;
	dev_t dev;
	unsigned int open;
	__u64 bytes;
	__u64 spent;
	__u64 rest_until;
};

/**
 * struct group - files of one owner in one file system
 * @next: in its bucket
 * @next_group: in the list of all
 * @user: the user
 * @owner: the owner
 * @dev: the file system
 * @unnamed: files whose tables' names are unknown, the newest first
 * @unmade: files whose tables are not on disk
 * @has_worker: it has a slot. Private to the thread
 */
struct group {
	struct group *next;
	struct group *next_group;
	struct user *user;
	uid_t owner;
	dev_t dev;
	struct wp_tablejob *unnamed;
	struct wp_tablejob *unmade;
	bool has_worker;
};

/**
 * struct slot - a worker and its jobs. Private to the thread
 * @w: the worker, or NULL
 * @group: the group whose files it reads, or NULL
 * @job: its jobs, a ring; the first at @first
 * @first: index of the oldest
 * @nr: number of jobs
 * @making: it builds a table
 * @served: number of files that this worker has read
 */
struct slot {
	struct wp_worker *w;
	struct group *group;
	struct wp_tablejob *job[WP_WORKER_DEPTH];
	unsigned int first;
	unsigned int nr;
	bool making;
	unsigned int served;
};

struct wp_tablequeue {
	struct wp_tablequeue_options opt;
	pthread_mutex_t lock;		/* protects all up to @slot, and groups' files */
	pthread_t thread;
	bool has_thread;
	bool stop;
	int wake;			/* eventfd: something was added, or @stop */
	int ready;			/* eventfd: a file is finished */
	struct group *bucket[NR_BUCKETS];
	struct group *groups;
	struct user *users;
	struct wp_tablejob *vdso;
	unsigned int max_open;
	unsigned int nr_open;
	struct wp_tablequeue_stats stats;
	struct slot slot[NR_SLOTS];
};

static struct group **bucket_of(struct wp_tablequeue *q, uid_t owner, dev_t dev)
{
	__u64 hash = (owner ^ (__u64)dev << 32) * 0x9e3779b97f4a7c15ULL;

	return &q->bucket[hash >> 58];
}

/* Caller holds the lock. */
static struct user *user_of(struct wp_tablequeue *q, uid_t owner, dev_t dev, bool add)
{
	struct user *u;

	if (owner)
		dev = 0;
	for (u = q->users; u; u = u->next) {
		if (u->owner == owner && u->dev == dev)
			return u;
	}
	u = add ? calloc(1, sizeof(*u)) : NULL;
	if (!u)
		return NULL;
	u->owner = owner;
	u->dev = dev;
	u->next = q->users;
	q->users = u;
	return u;
}

/* Caller holds the lock. */
static struct group *group_of(struct wp_tablequeue *q, uid_t owner, dev_t dev)
{
	struct group **bucket = bucket_of(q, owner, dev), *g;
	struct user *u;

	for (g = *bucket; g; g = g->next) {
		if (g->owner == owner && g->dev == dev)
			return g;
	}
	u = user_of(q, owner, dev, true);
	g = u ? calloc(1, sizeof(*g)) : NULL;
	if (!g)
		return NULL;
	g->user = u;
	g->owner = owner;
	g->dev = dev;
	g->next = *bucket;
	*bucket = g;
	g->next_group = q->groups;
	q->groups = g;
	return g;
}

static void raise_event(int fd)
{
	__u64 one = 1;

	/* A saturated counter has woken its reader already. */
	if (write(fd, &one, sizeof(one)) < 0)
		errno = 0;
}

static void push_job(struct wp_tablejob **list, struct wp_tablejob *job)
{
	job->next = *list;
	*list = job;
}

static struct wp_tablejob *take_smallest(struct wp_tablejob **list)
{
	struct wp_tablejob **at, **smallest = list, *job;

	for (at = list; *at; at = &(*at)->next) {
		if ((*at)->size < (*smallest)->size)
			smallest = at;
	}
	job = *smallest;
	if (job)
		*smallest = job->next;
	return job;
}

static bool has_work(const struct group *g)
{
	return g->unnamed || g->unmade;
}

/* Whether @a goes first; if both have used as much, root does. */
static bool goes_before(const struct user *a, const struct user *b)
{
	__u64 spent_a = a->spent / QUANTUM_NS, spent_b = b->spent / QUANTUM_NS;

	if (spent_a != spent_b)
		return spent_a < spent_b;
	return !a->owner && b->owner;
}

/* Whether a worker of the user's is busy. Caller holds the lock. */
static bool is_at_work(const struct wp_tablequeue *q, const struct user *u)
{
	int i;

	for (i = 0; i < NR_SLOTS; i++) {
		const struct slot *s = &q->slot[i];

		if (s->group && s->group->user == u && (s->nr || has_work(s->group)))
			return true;
	}
	return false;
}

/*
 * The group that gets a worker next; NULL if none does. @when: set to the time at which
 * the first pause ends, or ~0. Caller holds the lock.
 */
static struct group *next_group(struct wp_tablequeue *q, __u64 *when)
{
	struct group *g, *first = NULL;
	__u64 now = wp_clock_now();

	*when = ~0ULL;
	for (g = q->groups; g; g = g->next_group) {
		if (g->has_worker || !has_work(g) || is_at_work(q, g->user))
			continue;
		if (g->user->rest_until > now)
			*when = g->user->rest_until < *when ? g->user->rest_until : *when;
		else if (!first || goes_before(g->user, first->user))
			first = g;
	}
	return first;
}

/*
 * A file is finished, with or without a table: it is back with the caller before the
 * caller is notified.
 */
static void settle(struct wp_tablequeue *q, struct group *g, struct wp_tablejob *job,
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
	raise_event(q->ready);
}

/* Check the user's limit for one more table, and count the table. */
static int take_bytes(struct wp_tablequeue *q, struct user *u, size_t size)
{
	int err = 0;

	pthread_mutex_lock(&q->lock);
	if (size > USER_BYTES || u->bytes > USER_BYTES - size)
		err = -EDQUOT;
	else
		u->bytes += size;
	pthread_mutex_unlock(&q->lock);
	return err;
}

/* Push a table; cache it if the module takes it. @hit: it comes from the cache. */
static void push(struct wp_tablequeue *q, struct group *g, struct wp_tablejob *job,
		 const struct wp_unwindtable *table, bool hit)
{
	struct wp_tablequeue_stats did = {};
	int err;

	err = g && g->user->owner ? take_bytes(q, g->user, table->size) : 0;
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
	settle(q, g, job, &did);
}

static void give_none(struct wp_tablequeue *q, struct group *g, struct wp_tablejob *job, int err)
{
	struct wp_tablequeue_stats did = { .no_table = 1 };

	if (err != -ENOEXEC)
		wp_debug("no unwind table of ...%s: %s", job->label, strerror(-err));
	settle(q, g, job, &did);
}

static void give_up(struct wp_tablequeue *q, struct group *g, struct wp_tablejob *job, int err)
{
	struct wp_tablequeue_stats did = { .no_table = 1, .bad = 1 };

	(q->stats.bad < MAX_NAMED ? wp_warn : wp_debug)
		("...%s %s: its functions have no unwind table", job->label, wp_worker_why(err));
	settle(q, g, job, &did);
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

static void make_vdso(struct wp_tablequeue *q, struct wp_tablejob *job)
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
		give_none(q, NULL, job, err);
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

/* Take the name of a file's table from a worker; returns whether it is valid. */
static bool take_name(struct wp_tablequeue *q, struct group *g, struct wp_tablejob *job,
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
	push_job(&g->unmade, job);
	pthread_mutex_unlock(&q->lock);
	return true;
}

/*
 * Take a file's table from a worker; returns whether it is plausible. The module checks
 * it.
 */
static bool take_table(struct wp_tablequeue *q, struct group *g, struct wp_tablejob *job,
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

/* Queue the jobs of a worker again. */
static void requeue(struct wp_tablequeue *q, struct slot *s)
{
	struct group *g = s->group;

	pthread_mutex_lock(&q->lock);
	for (; s->nr; s->nr--) {
		push_job(s->making ? &g->unmade : &g->unnamed, s->job[s->first]);
		s->first = (s->first + 1) % WP_WORKER_DEPTH;
	}
	pthread_mutex_unlock(&q->lock);
	s->making = false;
}

static struct wp_tablejob *take_oldest(struct slot *s)
{
	struct wp_tablejob *job = s->job[s->first];

	s->first = (s->first + 1) % WP_WORKER_DEPTH;
	s->nr--;
	return job;
}

static void add_cost(struct wp_tablequeue *q, struct group *g, __u64 ns)
{
	g->user->spent += ns;
	pthread_mutex_lock(&q->lock);
	q->stats.ns += ns;
	pthread_mutex_unlock(&q->lock);
}

static void end_worker(struct slot *s)
{
	wp_worker_free(s->w);
	s->w = NULL;
	s->served = 0;
}

/*
 * A worker has ended, or must be ended: its oldest file is the cause, the others are not.
 */
static void lose_worker(struct wp_tablequeue *q, struct slot *s, int err)
{
	const struct wp_worker_limits *limits = q->opt.limits ? q->opt.limits : &wp_worker_usual;
	struct wp_tablejob *job = s->nr ? take_oldest(s) : NULL;
	__u64 cost = wp_worker_spent(s->w), rest;
	struct group *g = s->group;

	/* This file kept a worker from others. */
	if (err == -ETIMEDOUT)
		cost += limits->stuck_ns;
	end_worker(s);
	requeue(q, s);
	if (!job)
		return;
	add_cost(q, g, cost);
	rest = REST_TIMES * cost > REST_MIN_NS ? REST_TIMES * cost : REST_MIN_NS;
	g->user->rest_until = wp_clock_now() + rest;
	give_up(q, g, job, err);
}

/* Take an answer for the oldest job; returns whether it is valid. */
static bool take_answer(struct wp_tablequeue *q, struct slot *s, struct wp_tablejob *job,
			const struct wp_answer *answer)
{
	bool making = s->making;

	if (!answer->err)
		return making ? take_table(q, s->group, job, answer) :
				take_name(q, s->group, job, answer);
	if (answer->err != -ENOMEM) {
		give_none(q, s->group, job, answer->err);
		return true;
	}
	/* The files before may be the cause. */
	if (s->served > 1 && !job->tries++) {
		pthread_mutex_lock(&q->lock);
		push_job(making ? &s->group->unmade : &s->group->unnamed, job);
		pthread_mutex_unlock(&q->lock);
		requeue(q, s);
		end_worker(s);
		return true;
	}
	return false;
}

/* Take what a worker has answered. */
static void take_answers(struct wp_tablequeue *q, struct slot *s)
{
	struct wp_answer answer;
	struct wp_tablejob *job;
	int ret = 0;

	while (s->w && s->nr && (ret = wp_worker_take(s->w, &answer)) > 0) {
		job = s->job[s->first];
		s->served++;
		add_cost(q, s->group, answer.cpu_ns);
		take_oldest(s);
		if (!take_answer(q, s, job, &answer)) {
			/* It is still the cause. */
			s->first = (s->first + WP_WORKER_DEPTH - 1) % WP_WORKER_DEPTH;
			s->nr++;
			ret = answer.err ? answer.err : -EPROTO;
			break;
		}
		s->making = s->making && s->nr;
	}
	if (s->w && ret >= 0)
		ret = wp_worker_check(s->w);
	if (s->w && ret < 0)
		lose_worker(q, s, ret);
}

/*
 * The next file of a slot's group that can be passed to its worker now. Caller holds the
 * lock.
 */
static struct wp_tablejob *next_job(struct wp_tablequeue *q, struct slot *s)
{
	struct group *g = s->group, *other;
	struct wp_tablejob *job;
	__u64 when;

	if (s->making || s->nr == WP_WORKER_DEPTH || g->user->rest_until > wp_clock_now())
		return NULL;
	other = next_group(q, &when);
	if (other && goes_before(other->user, g->user) &&
	    other->user->spent + QUANTUM_NS < g->user->spent)
		return NULL;
	while ((job = g->unnamed)) {
		g->unnamed = job->next;
		if (q->opt.cache && job->keep)
			return job;
		push_job(&g->unmade, job);
	}
	if (s->nr)
		return NULL;
	job = take_smallest(&g->unmade);
	s->making = job;
	return job;
}

/* Without a worker there are no tables. */
static void without_worker(struct wp_tablequeue *q, struct slot *s, struct wp_tablejob *job)
{
	struct wp_tablequeue_stats did = { .no_table = 1, .error = -EAGAIN };

	wp_debug("no process to read ...%s in", job->label);
	s->making = s->making && s->nr;
	settle(q, s->group, job, &did);
}

/* The file was to be opened on the way: charge the time to its group. */
static void not_opened(struct wp_tablequeue *q, struct slot *s, struct wp_tablejob *job, int err)
{
	s->making = s->making && s->nr;
	add_cost(q, s->group, OPEN_NS);
	give_up(q, s->group, job, err);
}

/* Pass a file to a slot's worker; returns whether the worker can take more. */
static bool give(struct wp_tablequeue *q, struct slot *s, struct wp_tablejob *job)
{
	struct wp_job what = {
		.head.kind = s->making ? WP_JOB_TABLE : WP_JOB_NAME,
		.fds[0] = job->fd, .nr_fds = 1,
	};
	int err = -EPIPE;

	if (!s->making)
		wp_tablecache_key(q->opt.cache, job->owner, what.head.key);
	if (s->w)
		err = wp_worker_ask(s->w, &what);
	if (err && err != -EPIPE) {
		not_opened(q, s, job, err);
		return true;
	}
	if (err && s->nr) {
		/* The worker has ended: its answers come first. */
		pthread_mutex_lock(&q->lock);
		push_job(&s->group->unnamed, job);
		pthread_mutex_unlock(&q->lock);
		return false;
	}
	/* An idle worker may have been killed for want of memory. */
	if (err) {
		end_worker(s);
		s->w = wp_worker_new(q->opt.limits);
	}
	if (!s->w) {
		without_worker(q, s, job);
		return true;
	}
	if (err)
		err = wp_worker_ask(s->w, &what);
	if (err && err != -EPIPE) {
		not_opened(q, s, job, err);
		return true;
	}
	s->job[(s->first + s->nr++) % WP_WORKER_DEPTH] = job;
	if (err)
		lose_worker(q, s, err);
	return !err;
}

/* Whether a slot is available to another group. Caller holds the lock. */
static bool is_free(const struct slot *s, const struct group *other)
{
	const struct group *g = s->group;

	if (s->nr)
		return false;
	return !g || !has_work(g) || g->user->rest_until > wp_clock_now() ||
	       other->user->spent + QUANTUM_NS < g->user->spent;
}

static void bind_slot(struct wp_tablequeue *q, struct slot *s, struct group *g)
{
	if (s->group == g)
		return;
	if (s->group)
		s->group->has_worker = false;
	s->group = g;
	g->has_worker = true;
	pthread_mutex_unlock(&q->lock);
	/* It has read files of others. */
	end_worker(s);
	pthread_mutex_lock(&q->lock);
}

/*
 * Assign workers to groups that have none. Returns when the next assignment is due.
 * Caller holds the lock.
 */
static __u64 bind_slots(struct wp_tablequeue *q)
{
	struct group *g;
	__u64 when;
	int i;

	for (;;) {
		struct slot *free_one = NULL;

		g = next_group(q, &when);
		for (i = 0; g && i < NR_SLOTS; i++) {
			struct slot *s = &q->slot[i];

			if (is_free(s, g) && (!free_one || (free_one->w && !s->w)))
				free_one = s;
		}
		if (!free_one)
			return when;
		bind_slot(q, free_one, g);
	}
}

/* Pass jobs to all workers. Returns when this is due again. */
static __u64 give_all(struct wp_tablequeue *q)
{
	struct wp_tablejob *job;
	__u64 when;
	int i;

	pthread_mutex_lock(&q->lock);
	job = q->vdso;
	q->vdso = NULL;
	when = bind_slots(q);
	pthread_mutex_unlock(&q->lock);
	if (job)
		make_vdso(q, job);
	for (i = 0; i < NR_SLOTS; i++) {
		struct slot *s = &q->slot[i];

		do {
			pthread_mutex_lock(&q->lock);
			job = s->group && !q->stop ? next_job(q, s) : NULL;
			/*
			 * A group that pauses continues then, unless another takes its
			 * place.
			 */
			if (s->group && !job && !s->nr && has_work(s->group) &&
			    s->group->user->rest_until < when)
				when = s->group->user->rest_until;
			pthread_mutex_unlock(&q->lock);
		} while (job && give(q, s, job));
	}
	return when;
}

/* Wait for an answer, for a new file, or for the time @when. */
static void wait_for(struct wp_tablequeue *q, __u64 when)
{
	struct pollfd fds[1 + NR_SLOTS] = { { .fd = q->wake, .events = POLLIN } };
	struct slot *of[NR_SLOTS];
	unsigned int nr = 0, i;
	__u64 now = wp_clock_now(), count;
	int timeout = -1;

	for (i = 0; i < NR_SLOTS; i++) {
		if (!q->slot[i].w || !q->slot[i].nr)
			continue;
		of[nr++] = &q->slot[i];
		fds[nr] = (struct pollfd){ .fd = wp_worker_fd(q->slot[i].w), .events = POLLIN };
	}
	if (nr)
		timeout = LOOK_MS;
	if (when <= now)
		timeout = 1;
	else if (when != ~0ULL && (when - now) / NSEC_PER_MSEC < LOOK_MS)
		timeout = (when - now) / NSEC_PER_MSEC + 1;
	else if (when != ~0ULL)
		timeout = LOOK_MS;
	poll(fds, 1 + nr, timeout);
	if (fds[0].revents && read(q->wake, &count, sizeof(count)) < 0)
		errno = 0;
	for (i = 0; i < nr; i++)
		take_answers(q, of[i]);
}

static void *run(void *arg)
{
	struct wp_tablequeue *q = arg;
	bool stop = false;

	while (!stop) {
		wait_for(q, give_all(q));
		pthread_mutex_lock(&q->lock);
		stop = q->stop;
		pthread_mutex_unlock(&q->lock);
	}
	return NULL;
}

/* Maximum number of queued descriptors: most are left for other uses. */
static unsigned int max_open(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur / 2 > MAX_OPEN)
		return MAX_OPEN;
	return lim.rlim_cur / 2;
}

/**
 * wp_tablequeue_new() - start a queue
 * @opt: where the tables go
 *
 * Return: the queue, or NULL without memory or threads.
 */
struct wp_tablequeue *wp_tablequeue_new(const struct wp_tablequeue_options *opt)
{
	struct wp_tablequeue *q = calloc(1, sizeof(*q));
	sigset_t all, old;

	if (!q)
		return NULL;
	elf_version(EV_CURRENT);
	q->opt = *opt;
	q->max_open = max_open();
	pthread_mutex_init(&q->lock, NULL);
	q->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	q->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* While there are few threads, unless done before. */
	wp_worker_prepare();
	/* Signals are handled by the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	q->has_thread = q->wake >= 0 && q->ready >= 0 &&
			!pthread_create(&q->thread, NULL, run, q);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (q->has_thread)
		return q;
	wp_tablequeue_free(q);
	return NULL;
}

/**
 * wp_tablequeue_free() - stop, without waiting for any table
 * @q: the queue, or NULL. Waiting files belong to the caller again, with open descriptors
 */
void wp_tablequeue_free(struct wp_tablequeue *q)
{
	struct group *g, *next;
	struct user *u;
	int i;

	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_mutex_unlock(&q->lock);
	if (q->has_thread) {
		raise_event(q->wake);
		pthread_join(q->thread, NULL);
	}
	for (i = 0; i < NR_SLOTS; i++)
		wp_worker_free(q->slot[i].w);
	for (g = q->groups; g; g = next) {
		next = g->next_group;
		free(g);
	}
	while ((u = q->users)) {
		q->users = u->next;
		free(u);
	}
	if (q->wake >= 0)
		close(q->wake);
	if (q->ready >= 0)
		close(q->ready);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* Caller holds the lock. */
static bool has_room(const struct wp_tablequeue *q, const struct user *u)
{
	if (q->nr_open >= q->max_open)
		return false;
	return !u || u->open < q->max_open / (u->owner ? USER_SHARE : ROOT_SHARE);
}

/**
 * wp_tablequeue_has_room() - check whether a file can be added now
 * @q: the queue
 * @owner: the file's owner
 * @dev: its file system
 */
bool wp_tablequeue_has_room(struct wp_tablequeue *q, uid_t owner, dev_t dev)
{
	bool room;

	pthread_mutex_lock(&q->lock);
	room = has_room(q, user_of(q, owner, dev, false));
	pthread_mutex_unlock(&q->lock);
	return room;
}

/**
 * wp_tablequeue_add() - queue a file for its table
 * @q: the queue
 * @job: the file
 *
 * Return: 0, or a negative errno: @job still belongs to the caller, with its descriptor.
 */
int wp_tablequeue_add(struct wp_tablequeue *q, struct wp_tablejob *job)
{
	struct group *g;
	int err = 0;

	pthread_mutex_lock(&q->lock);
	if (job->fd < 0) {
		q->vdso = job;
		q->nr_open++;
	} else {
		g = group_of(q, job->owner, job->dev);
		if (!g)
			err = -ENOMEM;
		else if (!has_room(q, g->user))
			err = -EAGAIN;
		if (!err) {
			push_job(&g->unnamed, job);
			g->user->open++;
			q->nr_open++;
		}
	}
	pthread_mutex_unlock(&q->lock);
	if (!err)
		raise_event(q->wake);
	return err;
}

/**
 * wp_tablequeue_forget() - reset the byte counts, as evicted tables are pushed again
 * @q: the queue
 */
void wp_tablequeue_forget(struct wp_tablequeue *q)
{
	struct user *u;

	pthread_mutex_lock(&q->lock);
	for (u = q->users; u; u = u->next)
		u->bytes = 0;
	pthread_mutex_unlock(&q->lock);
}

/**
 * wp_tablequeue_fd() - descriptor to poll
 * @q: the queue
 *
 * Return: an eventfd that is written when a file is finished.
 */
int wp_tablequeue_fd(const struct wp_tablequeue *q)
{
	return q->ready;
}

/**
 * wp_tablequeue_busy() - check whether tables are being built
 * @q: the queue
 */
bool wp_tablequeue_busy(struct wp_tablequeue *q)
{
	bool busy;

	pthread_mutex_lock(&q->lock);
	busy = q->nr_open;
	pthread_mutex_unlock(&q->lock);
	return busy;
}

/**
 * wp_tablequeue_stats() - read the statistics
 * @q: the queue
 * @stats: filled in
 */
void wp_tablequeue_stats(struct wp_tablequeue *q, struct wp_tablequeue_stats *stats)
{
	pthread_mutex_lock(&q->lock);
	*stats = q->stats;
	pthread_mutex_unlock(&q->lock);
}
