// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what is known of each file whose code a process has mapped: its table's id, or that
 * it has none, or that it is still being made (tablequeue.c).
 *
 * A file is known by device, inode, size and the time of its last change, since inode
 * numbers are used again. It is opened when it is first seen, through the mapping, so that
 * deleted files, and those of other mount namespaces, can be read; where too many wait open,
 * when it is looked for again.
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

#include "lib/base/err.h"
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/record/codefiles.h"
#include "lib/sandbox/openfile.h"

#define NR_BUCKETS	1024

enum state { UNOPENED, WAITING, READY, NO_TABLE };

/* What a file is known by. */
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
	struct wp_tablejob job;		/* the queue's while WAITING */
	char name[64];			/* the end of it, for messages */
};

struct wp_codefiles {
	struct wp_codefiles_options opt;
	pthread_mutex_t lock;		/* of all that follows, and of the files' @state */
	struct wp_codefile *bucket[NR_BUCKETS];
	struct wp_codefile *vdso;
	__u64 nr;
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

/* From the queue's thread. */
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
 * wp_codefiles_new() - know no file yet
 * @opt: what the tables are for
 *
 * Return: the files, or NULL without memory or threads.
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
 * wp_codefiles_free() - forget all; waits for no table
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

/* Have a file's table made, if there is room. Only one thread looks for files. */
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

/* Mappings whose files are looked for at once. */
#define AT_ONCE		32

/* If none is there, the first thread may have ended meanwhile. */
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
 * Find the files of mappings, below /proc/PID: descriptors that only name them, as
 * opening others than regular ones can do something; -1 where there is none.
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
 * Without the right to follow a mapping: by the file's name in the process's root, if it
 * still leads there.
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

/* The file of a key, and what is known of it. Only one thread looks for files. */
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
	bucket = bucket_of(files, &file->key);
	pthread_mutex_lock(&files->lock);
	file->next = *bucket;
	*bucket = file;
	files->nr++;
	pthread_mutex_unlock(&files->lock);
	return file;
}

/* What programs serve is all of one user's, whatever they state. */
static uid_t owner_of(const struct stat *st)
{
	return wp_openfile_has_owner(st) ? st->st_uid : (uid_t)-1;
}

/* Have an open file's table made. */
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

/* The file of a descriptor that names it. */
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
	/* What finds no room, or no descriptor, is opened when it is looked for again. */
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
 * wp_codefiles_find() - the files that mappings are of
 * @files: the files
 * @dir: descriptor of /proc/PID
 * @m: the mappings
 * @nr: how many
 * @file: set to the file of each, valid as long as @files; NULL if it is of none
 *
 * Return: 0, or -EBUSY if a lock of the process is not free: ask again later.
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
 * @file: what is mapped, or NULL
 * @m: the mapping
 * @map: set
 *
 * Return: whether that is the last word; if not, the file's table is still
 * being made.
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

/* Its table is made, and pushed, again when the file is found the next time. */
static bool forget_table(struct wp_codefile *file)
{
	if (file->state != READY)
		return false;
	file->state = UNOPENED;
	file->job.table = 0;
	file->job.named = false;
	file->job.tries = 0;
	return true;
}

/**
 * wp_codefiles_forget() - the module has given up a table for want of room
 * @files: the files
 *
 * It does not say which. Each is pushed again when its file is found the next time; one
 * that the module still has keeps its id then. Called by the thread that looks for files.
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

/**
 * wp_codefiles_fd() - what to poll for
 * @files: the files
 *
 * Return: an eventfd, written when a file's table is ready.
 */
int wp_codefiles_fd(const struct wp_codefiles *files)
{
	return wp_tablequeue_fd(files->queue);
}

/**
 * wp_codefiles_busy() - are tables being made?
 * @files: the files
 */
bool wp_codefiles_busy(struct wp_codefiles *files)
{
	return wp_tablequeue_busy(files->queue);
}

/**
 * wp_codefiles_stats() - what was done so far
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
