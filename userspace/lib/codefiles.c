// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what is known of each file whose code a process has mapped: its table's
 * id, or that it has none, or that it is still being made.
 *
 * Tables come from a thread of their own, so that large files hold nobody up;
 * the smallest file goes first. A file is known by device, inode, size and the
 * time of its last change, since inode numbers are used again. It is opened
 * when it is first seen, through the mapping, so that deleted files, and those
 * of other mount namespaces, can be read.
 */
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/codefiles.h"
#include "lib/err.h"

#define NR_BUCKETS	1024

/* Files that wait open; beyond that, whoever finds one makes a table itself. */
#define MAX_WAITING	128

enum state { WAITING, MAKING, READY, NO_TABLE };

/* What a file is known by. */
struct key {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};

struct wp_codefile {
	struct wp_codefile *next;	/* in its bucket */
	struct wp_codefile *next_waiting;
	struct key key;
	int fd;				/* while WAITING; -1: our own vdso */
	enum state state;
	__u32 table;
	struct wp_elfcode codes;
	char name[64];			/* the end of it, for messages */
};

struct wp_codefiles {
	struct wp_codefiles_options opt;
	pthread_mutex_t lock;		/* of all that follows, and of the files */
	pthread_cond_t work;
	pthread_t thread;
	bool has_thread;
	bool stop;
	int ready;			/* eventfd: a file is settled */
	struct wp_codefile *bucket[NR_BUCKETS];
	struct wp_codefile *vdso;
	struct wp_codefile *waiting;
	unsigned int nr_waiting;
	unsigned int nr_making;
	struct wp_codefiles_stats stats;
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

/* The vdso is no file; all processes have the same. */
static Elf *open_vdso(void)
{
	char *base = (char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const void *)base;
	size_t size;

	if (!base)
		return NULL;
	/* Its section headers come last. */
	size = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize;
	return elf_memory(base, size);
}

/* Make and push the table of a file. Without the lock. */
static void make(struct wp_codefiles *files, struct wp_codefile *file, int fd,
		 struct wp_codefiles_stats *did, __u32 *id)
{
	struct wp_unwindtable table = {};
	__u64 begun = wp_clock_now();
	bool hit = false;
	int err = -ENOEXEC;
	Elf *elf;

	/* Not mapped: whoever owns the file may cut it short. */
	elf = fd < 0 ? open_vdso() : wp_elfcode_begin(fd);
	if (elf)
		err = wp_elfcode_read_fd(&file->codes, elf, fd);
	if (!err)
		err = wp_tablecache_table(files->opt.cache, elf, &file->codes, &table, &hit);
	if (err) {
		did->no_table++;
	} else {
		err = files->opt.push(files->opt.ctx, table.data, table.size, id);
		did->error = err;
		did->refused += !!err;
	}
	if (!err) {
		did->tables++;
		did->cached += hit;
		did->bytes += table.size;
	}
	wp_unwindtable_free(&table);
	elf_end(elf);
	did->ns += wp_clock_now() - begun;
	if (err && err != -ENOEXEC)
		wp_debug("no unwind table of …%s: %s", file->name, strerror(-err));
	else if (!err && !hit)
		wp_debug("unwind table of …%s made in %.1f ms", file->name,
			 (double)did->ns / 1e6);
}

static void add_stats(struct wp_codefiles_stats *to, const struct wp_codefiles_stats *s)
{
	to->tables += s->tables;
	to->cached += s->cached;
	to->bytes += s->bytes;
	to->no_table += s->no_table;
	to->refused += s->refused;
	to->error = s->error ? s->error : to->error;
	to->ns += s->ns;
}

/* Take the smallest file and make its table. Called, and returns, with the lock. */
static void make_one(struct wp_codefiles *files)
{
	struct wp_codefile **at, **smallest = &files->waiting, *file;
	struct wp_codefiles_stats did = {};
	__u64 one = 1;
	__u32 id = 0;
	int fd;

	for (at = &files->waiting; *at; at = &(*at)->next_waiting) {
		if ((*at)->key.size < (*smallest)->key.size)
			smallest = at;
	}
	file = *smallest;
	*smallest = file->next_waiting;
	files->nr_waiting--;
	files->nr_making++;
	file->state = MAKING;
	fd = file->fd;
	file->fd = -1;
	pthread_mutex_unlock(&files->lock);
	make(files, file, fd, &did, &id);
	if (fd >= 0)
		close(fd);
	pthread_mutex_lock(&files->lock);
	file->table = id;
	file->state = id ? READY : NO_TABLE;
	files->nr_making--;
	add_stats(&files->stats, &did);
	/* A counter that is full has woken the reader already. */
	if (write(files->ready, &one, sizeof(one)) < 0)
		return;
}

static void *work(void *arg)
{
	struct wp_codefiles *files = arg;

	pthread_mutex_lock(&files->lock);
	while (!files->stop) {
		if (files->waiting)
			make_one(files);
		else
			pthread_cond_wait(&files->work, &files->lock);
	}
	pthread_mutex_unlock(&files->lock);
	return NULL;
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
	sigset_t all, old;

	if (!files)
		return NULL;
	elf_version(EV_CURRENT);
	files->opt = *opt;
	pthread_mutex_init(&files->lock, NULL);
	pthread_cond_init(&files->work, NULL);
	files->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	files->has_thread = files->ready >= 0 &&
			    !pthread_create(&files->thread, NULL, work, files);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (files->has_thread)
		return files;
	wp_codefiles_free(files);
	return NULL;
}

/**
 * wp_codefiles_free() - forget all; waits for a table that is being made
 * @files: the files, or NULL
 */
void wp_codefiles_free(struct wp_codefiles *files)
{
	struct wp_codefile *file, *next;
	unsigned int i;

	if (!files)
		return;
	pthread_mutex_lock(&files->lock);
	files->stop = true;
	pthread_cond_signal(&files->work);
	pthread_mutex_unlock(&files->lock);
	if (files->has_thread)
		pthread_join(files->thread, NULL);
	for (i = 0; i < NR_BUCKETS; i++) {
		for (file = files->bucket[i]; file; file = next) {
			next = file->next;
			if (file->fd >= 0)
				close(file->fd);
			free(file);
		}
	}
	free(files->vdso);
	if (files->ready >= 0)
		close(files->ready);
	pthread_cond_destroy(&files->work);
	pthread_mutex_destroy(&files->lock);
	free(files);
}

/* Let the thread make a file's table. With the lock. */
static void enqueue(struct wp_codefiles *files, struct wp_codefile *file)
{
	file->next_waiting = files->waiting;
	files->waiting = file;
	files->nr_waiting++;
	files->stats.files++;
	pthread_cond_signal(&files->work);
	while (files->nr_waiting > MAX_WAITING)
		make_one(files);
}

static struct wp_codefile *new_file(const char *name, int fd)
{
	struct wp_codefile *file = calloc(1, sizeof(*file));
	size_t len = strlen(name);

	if (!file)
		return NULL;
	file->fd = fd;
	if (len >= sizeof(file->name))
		name += len - sizeof(file->name) + 1;
	snprintf(file->name, sizeof(file->name), "%s", name);
	return file;
}

static struct wp_codefile *find_vdso(struct wp_codefiles *files)
{
	struct wp_codefile *file;

	pthread_mutex_lock(&files->lock);
	if (!files->vdso) {
		files->vdso = new_file("[vdso]", -1);
		if (files->vdso)
			enqueue(files, files->vdso);
	}
	file = files->vdso;
	pthread_mutex_unlock(&files->lock);
	return file;
}

/*
 * Find a mapping's file, by a path below /proc/PID: the mapping itself, or,
 * without the right to follow that, the file's name, if it still leads there.
 */
static bool find_path(int dir, const struct wp_procmap *m, char *path, size_t size,
		      struct stat *st)
{
	snprintf(path, size, "map_files/%llx-%llx", (unsigned long long)m->start,
		 (unsigned long long)m->end);
	if (fstatat(dir, path, st, 0)) {
		if ((size_t)snprintf(path, size, "root%s", m->name) >= size ||
		    fstatat(dir, path, st, 0) || st->st_ino != m->ino)
			return false;
	}
	/* Opening others can do something. */
	return S_ISREG(st->st_mode);
}

static struct wp_codefile *find_known(struct wp_codefiles *files, const struct key *key)
{
	struct wp_codefile *file;

	for (file = *bucket_of(files, key); file; file = file->next) {
		if (same_key(&file->key, key))
			return file;
	}
	return NULL;
}

/**
 * wp_codefiles_find() - the file that a mapping is of
 * @files: the files
 * @dir: descriptor of /proc/PID
 * @m: the mapping
 *
 * Return: the file, as long as @files is there; NULL if it is of none.
 */
struct wp_codefile *wp_codefiles_find(struct wp_codefiles *files, int dir,
				      const struct wp_procmap *m)
{
	struct wp_codefile *file, **bucket;
	char path[4096 + 8];
	struct stat st;
	struct key key;
	int fd;

	if (!strcmp(m->name, "[vdso]"))
		return find_vdso(files);
	if (!m->ino || !find_path(dir, m, path, sizeof(path), &st))
		return NULL;
	key = (struct key){ st.st_dev, st.st_ino, st.st_size, st.st_ctim };
	pthread_mutex_lock(&files->lock);
	file = find_known(files, &key);
	pthread_mutex_unlock(&files->lock);
	if (file)
		return file;
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	file = fd < 0 ? NULL : new_file(m->name, fd);
	if (!file) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	file->key = key;
	/* Only one thread looks for files. */
	pthread_mutex_lock(&files->lock);
	bucket = bucket_of(files, &key);
	file->next = *bucket;
	*bucket = file;
	enqueue(files, file);
	pthread_mutex_unlock(&files->lock);
	return file;
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
	    wp_elfcode_bias(&file->codes, m->start, m->end, m->pgoff, &bias)) {
		map->table = file->table;
		map->bias = bias;
	}
	pthread_mutex_unlock(&files->lock);
	return last;
}

/**
 * wp_codefiles_fd() - what to poll for
 * @files: the files
 *
 * Return: an eventfd, written when a file's table is ready.
 */
int wp_codefiles_fd(const struct wp_codefiles *files)
{
	return files->ready;
}

/**
 * wp_codefiles_busy() - are tables being made?
 * @files: the files
 */
bool wp_codefiles_busy(struct wp_codefiles *files)
{
	bool busy;

	pthread_mutex_lock(&files->lock);
	busy = files->nr_waiting || files->nr_making;
	pthread_mutex_unlock(&files->lock);
	return busy;
}

/**
 * wp_codefiles_stats() - what was done so far
 * @files: the files
 * @stats: filled in
 */
void wp_codefiles_stats(struct wp_codefiles *files, struct wp_codefiles_stats *stats)
{
	pthread_mutex_lock(&files->lock);
	*stats = files->stats;
	pthread_mutex_unlock(&files->lock);
}
