// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the state of each file whose code a process has mapped: the id of its unwind
 * table, that it has none, or that the table is still being built (tablequeue.c).
 *
 * A file is identified by device, inode, size and change time, since inode numbers are
 * reused. It is opened when it is first seen, through the mapping, so that deleted files
 * and files of other mount namespaces can be read. If too many files are queued and open,
 * it is opened at a later lookup.
 *
 * On a host that makes programs all the time, those that have not been looked up for a while
 * are dropped. Such a file that is mapped again is found in the cache of tables, and the module
 * knows its table by what is in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/record/codefiles.h"
#include "lib/sandbox/openfile.h"

#define NR_BUCKETS	1024

/* wp_codefiles_sweep(): files are kept for so long, and looked at so often. */
#define KEEP_NS		(60 * 1000000000ULL)
#define SWEEP_NS	(10 * 1000000000ULL)

enum state { UNOPENED, WAITING, READY, NO_TABLE };

/* Identity of a file. */
struct key {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};

struct wp_codefile {
	struct wp_codefile *next;	/* in its bucket */
	struct key key;
	enum state state;
	__u64 used;			/* when it was looked up, CLOCK_MONOTONIC */
	struct wp_tablejob job;		/* owned by the queue while WAITING */
	char name[64];			/* tail of the path, for messages */
};

struct wp_codefiles {
	struct wp_codefiles_options opt;
	pthread_mutex_t lock;		/* protects all that follows and files' @state */
	struct wp_codefile *bucket[NR_BUCKETS];
	struct wp_codefile *vdso;
	__u64 nr;			/* that there ever were */
	size_t nr_kept;
	__u64 swept;
	struct wp_tablequeue *queue;
};

static bool same_key(const struct key *a, const struct key *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

static struct wp_codefile **bucket_of(struct wp_codefiles *files, const struct key *key)
{
	__u64 hash = (key->ino ^ (__u64)key->dev << 32) * 0x9e3779b97f4a7c15ULL;

	return &files->bucket[hash >> 54];
}

static struct wp_codefile *of_job(struct wp_tablejob *job)
{
	return (struct wp_codefile *)((char *)job - offsetof(struct wp_codefile, job));
}

/* Called from the queue's thread. */
static void take_back(void *ctx, struct wp_tablejob *job)
{
	struct wp_codefiles *files = ctx;

	pthread_mutex_lock(&files->lock);
	of_job(job)->state = job->table ? READY : NO_TABLE;
	pthread_mutex_unlock(&files->lock);
}

static int push(void *ctx, const void *table, size_t size, __u32 *id)
{
	struct wp_codefiles *files = ctx;

	return files->opt.push(files->opt.ctx, table, size, id);
}

/**
 * wp_codefiles_new() - allocate an empty set of files
 * @opt: where the tables go
 *
 * Return: the files, or NULL if memory or threads are not available.
 */
struct wp_codefiles *wp_codefiles_new(const struct wp_codefiles_options *opt)
{
	struct wp_codefiles *files = calloc(1, sizeof(*files));
	struct wp_tablequeue_options queue = {
		.push = push, .done = take_back, .ctx = files, .cache = opt->cache,
		.limits = opt->limits,
	};

	if (!files)
		return NULL;
	files->opt = *opt;
	pthread_mutex_init(&files->lock, NULL);
	files->queue = wp_tablequeue_new(&queue);
	if (files->queue)
		return files;
	wp_codefiles_free(files);
	return NULL;
}

static void free_file(struct wp_codefile *file)
{
	if (file && file->job.fd >= 0)
		close(file->job.fd);
	free(file);
}

/**
 * wp_codefiles_free() - free all files; does not wait for tables
 * @files: the files, or NULL
 */
void wp_codefiles_free(struct wp_codefiles *files)
{
	struct wp_codefile *file, *next;
	unsigned int i;

	if (!files)
		return;
	wp_tablequeue_free(files->queue);
	for (i = 0; i < NR_BUCKETS; i++) {
		for (file = files->bucket[i]; file; file = next) {
			next = file->next;
			free_file(file);
		}
	}
	free_file(files->vdso);
	pthread_mutex_destroy(&files->lock);
	free(files);
}

static void set_state(struct wp_codefiles *files, struct wp_codefile *file, enum state state)
{
	pthread_mutex_lock(&files->lock);
	file->state = state;
	pthread_mutex_unlock(&files->lock);
}

/* Queue a file for its table, if there is room. Only one thread looks up files. */
static void enqueue(struct wp_codefiles *files, struct wp_codefile *file)
{
	set_state(files, file, WAITING);
	if (!wp_tablequeue_add(files->queue, &file->job))
		return;
	set_state(files, file, UNOPENED);
	if (file->job.fd >= 0)
		close(file->job.fd);
	file->job.fd = -1;
}

static struct wp_codefile *new_file(const char *name)
{
	struct wp_codefile *file = calloc(1, sizeof(*file));
	size_t len = strlen(name);

	if (!file)
		return NULL;
	file->job.fd = -1;
	file->job.label = file->name;
	if (len >= sizeof(file->name))
		name += len - sizeof(file->name) + 1;
	snprintf(file->name, sizeof(file->name), "%s", name);
	return file;
}

static struct wp_codefile *find_vdso(struct wp_codefiles *files)
{
	if (!files->vdso) {
		files->vdso = new_file("[vdso]");
		if (files->vdso)
			enqueue(files, files->vdso);
	}
	return files->vdso;
}

/* Maximum number of mappings per batch of lookups. */
#define AT_ONCE		32

/* If none can be opened, the first thread may have ended meanwhile. */
static int open_all(int dir, const char *const *path, int *fd, unsigned int nr)
{
	int err = wp_procfile_open_all(dir, path, fd, nr, O_PATH), other;
	unsigned int i;

	for (i = 0; i < nr && !err; i++) {
		if (fd[i] >= 0)
			return 0;
	}
	other = err ? -1 : wp_procdir_living(dir);
	if (other < 0)
		return err;
	err = wp_procfile_open_all(other, path, fd, nr, O_PATH);
	close(other);
	return err;
}

/*
 * Open the files of mappings below /proc/PID with O_PATH, as opening anything but a
 * regular file can have side effects; -1 where there is no file.
 */
static int find_files(int dir, const struct wp_procmap *m, unsigned int nr, int *fd)
{
	char path[AT_ONCE][48];
	const char *paths[AT_ONCE];
	int found[AT_ONCE], err;
	unsigned int i, nr_paths = 0;

	for (i = 0; i < nr; i++) {
		if (!m[i].ino)
			continue;
		snprintf(path[nr_paths], sizeof(path[0]), "map_files/%llx-%llx",
			 (unsigned long long)m[i].start, (unsigned long long)m[i].end);
		paths[nr_paths] = path[nr_paths];
		nr_paths++;
	}
	err = nr_paths ? open_all(dir, paths, found, nr_paths) : 0;
	if (err)
		return err;
	for (i = 0, nr_paths = 0; i < nr; i++)
		fd[i] = m[i].ino ? found[nr_paths++] : -1;
	return 0;
}

/*
 * Without the right to follow a mapping: open the file by its name in the process's root,
 * if that name still leads to the same file.
 */
static int find_by_name(int dir, const struct wp_procmap *m)
{
	int other = wp_procdir_living(dir), fd;
	int root = wp_openfile_rootat(other >= 0 ? other : dir);
	struct stat st;

	if (other >= 0)
		close(other);
	if (root < 0)
		return -1;
	fd = wp_openfile_in(root, m->name, &st);
	close(root);
	if (fd < 0 || st.st_ino == m->ino)
		return fd;
	close(fd);
	return -1;
}

static struct key key_of(const struct stat *st)
{
	return (struct key){ st->st_dev, st->st_ino, st->st_size, st->st_ctim };
}

/* Look up a file by its key. Only one thread looks up files. */
static struct wp_codefile *find_known(struct wp_codefiles *files, const struct stat *st,
				      enum state *state)
{
	struct key key = key_of(st);
	struct wp_codefile *file;

	pthread_mutex_lock(&files->lock);
	for (file = *bucket_of(files, &key); file; file = file->next) {
		if (!same_key(&file->key, &key))
			continue;
		*state = file->state;
		file->used = wp_clock_now();
		break;
	}
	pthread_mutex_unlock(&files->lock);
	return file;
}

static struct wp_codefile *add_file(struct wp_codefiles *files, const struct stat *st,
				    const char *name)
{
	struct wp_codefile *file = new_file(name), **bucket;

	if (!file)
		return NULL;
	file->key = key_of(st);
	file->used = wp_clock_now();
	bucket = bucket_of(files, &file->key);
	pthread_mutex_lock(&files->lock);
	file->next = *bucket;
	*bucket = file;
	files->nr++;
	files->nr_kept++;
	pthread_mutex_unlock(&files->lock);
	return file;
}

/* All files of user-space file systems count as one user's, whatever owner they report. */
static uid_t owner_of(const struct stat *st)
{
	return wp_openfile_has_owner(st) ? st->st_uid : (uid_t)-1;
}

/* Queue an open file for its table. */
static void add_job(struct wp_codefiles *files, struct wp_codefile *file, int fd,
		    const struct stat *st)
{
	file->job.fd = fd;
	file->job.owner = owner_of(st);
	file->job.dev = st->st_dev;
	file->job.size = st->st_size;
	file->job.keep = wp_openfile_has_owner(st);
	enqueue(files, file);
}

/* Look up or add the file that a descriptor refers to. */
static struct wp_codefile *find_or_add(struct wp_codefiles *files, int place,
				       const struct wp_procmap *m)
{
	enum state state = UNOPENED;
	struct wp_codefile *file;
	struct stat st;
	int fd;

	if (wp_openfile_known(place, &st) || !S_ISREG(st.st_mode))
		return NULL;
	file = find_known(files, &st, &state);
	if (file && state != UNOPENED)
		return file;
	/* A file that finds no room, or no descriptor, is opened at a later lookup. */
	if (!wp_tablequeue_has_room(files->queue, owner_of(&st), st.st_dev))
		return file ? file : add_file(files, &st, m->name);
	fd = wp_openfile_found(place, &st);
	if (fd < 0 && errno != EMFILE && errno != ENFILE)
		return NULL;
	if (!file)
		file = add_file(files, &st, m->name);
	if (fd >= 0 && file)
		add_job(files, file, fd, &st);
	else if (fd >= 0)
		close(fd);
	return file;
}

/* At most AT_ONCE mappings. */
static int find_some(struct wp_codefiles *files, int dir, const struct wp_procmap *m,
		     unsigned int nr, struct wp_codefile **file)
{
	int fd[AT_ONCE], err = find_files(dir, m, nr, fd);
	unsigned int i;

	if (err == -EBUSY)
		return err;
	for (i = 0; i < nr; i++) {
		file[i] = NULL;
		if (!strcmp(m[i].name, "[vdso]"))
			file[i] = find_vdso(files);
		if (err || !m[i].ino)
			continue;
		if (fd[i] < 0)
			fd[i] = find_by_name(dir, &m[i]);
		if (fd[i] < 0)
			continue;
		file[i] = find_or_add(files, fd[i], &m[i]);
		close(fd[i]);
	}
	return 0;
}

/**
 * wp_codefiles_find() - look up the files of mappings
 * @files: the files
 * @dir: descriptor of /proc/PID
 * @m: the mappings
 * @nr: number of mappings
 * @file: set to the file of each mapping, valid until the next wp_codefiles_sweep(); NULL if
 *	it has none
 *
 * Return: 0, or -EBUSY if a lock of the process is contended: try again later.
 */
int wp_codefiles_find(struct wp_codefiles *files, int dir, const struct wp_procmap *m,
		      size_t nr, struct wp_codefile **file)
{
	size_t i, some;
	int err = 0;

	for (i = 0; i < nr && !err; i += some) {
		some = nr - i < AT_ONCE ? nr - i : AT_ONCE;
		err = find_some(files, dir, m + i, some, file + i);
	}
	return err;
}

/**
 * wp_codefile_map() - describe a mapping to the module
 * @files: the files
 * @file: the mapped file, or NULL
 * @m: the mapping
 * @map: filled in
 *
 * Return: true if the description is final; false if the file's table is still being
 * built.
 */
bool wp_codefile_map(struct wp_codefiles *files, struct wp_codefile *file,
		     const struct wp_procmap *m, struct wallprof_map *map)
{
	__u64 bias;
	bool last;

	*map = (struct wallprof_map){ .start = m->start, .end = m->end };
	if (!file)
		return true;
	pthread_mutex_lock(&files->lock);
	last = file->state >= READY;
	if (file->state == READY &&
	    wp_elfcode_bias(&file->job.codes, m->start, m->end, m->pgoff, &bias)) {
		map->table = file->job.table;
		map->bias = bias;
	}
	pthread_mutex_unlock(&files->lock);
	return last;
}

/* The table is built and pushed again at the next lookup of the file. */
static bool forget_table(struct wp_codefile *file)
{
	if (file->state != READY)
		return false;
	file->state = UNOPENED;
	file->job.table = 0;
	file->job.named = false;
	file->job.looked = false;
	file->job.tries = 0;
	return true;
}

/**
 * wp_codefiles_forget() - note that the module has evicted a table for want of room
 * @files: the files
 *
 * The module does not report which one. Each table is pushed again at the next lookup of
 * its file; a table that the module still has keeps its id. Called by the thread that
 * looks up files.
 */
void wp_codefiles_forget(struct wp_codefiles *files)
{
	struct wp_codefile *file;
	bool vdso;
	unsigned int i;

	pthread_mutex_lock(&files->lock);
	for (i = 0; i < NR_BUCKETS; i++) {
		for (file = files->bucket[i]; file; file = file->next)
			forget_table(file);
	}
	vdso = files->vdso && forget_table(files->vdso);
	pthread_mutex_unlock(&files->lock);
	wp_tablequeue_forget(files->queue);
	if (vdso)
		enqueue(files, files->vdso);
}

/* The queue has those that wait. The caller holds the lock. */
static void drop_unused(struct wp_codefiles *files, struct wp_codefile **at, __u64 now)
{
	struct wp_codefile *file;

	while ((file = *at)) {
		if (file->state == WAITING || now - file->used < KEEP_NS) {
			at = &file->next;
			continue;
		}
		*at = file->next;
		free_file(file);
		files->nr_kept--;
	}
}

/**
 * wp_codefiles_sweep() - drop files that were not looked up for a minute, if there are many
 * @files: the files
 * @now: the time, of CLOCK_MONOTONIC
 * @most: so many are no reason to
 *
 * No file that was found before is valid after that. Called by the thread that looks up files.
 */
void wp_codefiles_sweep(struct wp_codefiles *files, __u64 now, size_t most)
{
	unsigned int i;

	pthread_mutex_lock(&files->lock);
	if (files->nr_kept > most && now - files->swept >= SWEEP_NS) {
		files->swept = now;
		for (i = 0; i < NR_BUCKETS; i++)
			drop_unused(files, &files->bucket[i], now);
	}
	pthread_mutex_unlock(&files->lock);
}

/**
 * wp_codefiles_fd() - descriptor to poll
 * @files: the files
 *
 * Return: an eventfd that is written when a file's table is ready.
 */
int wp_codefiles_fd(const struct wp_codefiles *files)
{
	return wp_tablequeue_fd(files->queue);
}

/**
 * wp_codefiles_busy() - check whether tables are being built
 * @files: the files
 */
bool wp_codefiles_busy(struct wp_codefiles *files)
{
	return wp_tablequeue_busy(files->queue);
}

/**
 * wp_codefiles_stats() - read the statistics
 * @files: the files
 * @stats: filled in
 */
void wp_codefiles_stats(struct wp_codefiles *files, struct wp_codefiles_stats *stats)
{
	pthread_mutex_lock(&files->lock);
	stats->files = files->nr + !!files->vdso;
	pthread_mutex_unlock(&files->lock);
	wp_tablequeue_stats(files->queue, &stats->did);
}
