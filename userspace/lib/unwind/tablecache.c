// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the directory of unwind tables: one file each, named after the file that it is for
 * (tablename.c) and that file's owner. A table is used for files of that owner only: a
 * user who can make the reader of his own files return wrong results must not choose the
 * tables of others.
 *
 * The contents of the directory are not trusted. It must belong to us alone, and so must
 * each file. A file holds a keyed hash of itself, with the key in the same directory: a
 * file that is truncated, changed, renamed or written by somebody else is ignored and
 * built anew. Files appear by a rename, so that several recordings can share the
 * directory. The limit of the cache's size and the eviction are in cacheroom.c. Which table
 * a file has that was read before, and which tables were verified, is in tableindex.c.
 *
 * A cache that does not work costs only time: failures are reported by wp_debug(), and by
 * wp_tablecache_error().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/cacheroom.h"
#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/base/outfile.h"
#include "lib/base/siphash.h"
#include "lib/unwind/tablecache.h"
#include "lib/unwind/tableindex.h"

#define CACHE_MAGIC	0x43555057	/* "WPUC" */
/* Incremented when the same file would get another table. */
#define CACHE_VERSION	4

struct wp_tablecache {
	int dir;
	int index;
	__u64 key[2];
	bool (*ident)(struct wp_fileident *ident, int fd);
	int err;		/* why a table could not be written; set by any thread */
};

/* Header of a file; the table follows. */
struct head {
	__u32 magic;
	__u32 version;
	__u64 size;		/* of the table */
	__u64 hash;		/* of the file's name and the table */
};

#define NAME_SIZE 80	/* a build-id and a hash, in hex, and a uid */

static bool is_ours(int fd, mode_t type)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type &&
	       st.st_uid == geteuid() && !(st.st_mode & 0022);
}

static bool read_all(int fd, void *to, size_t size)
{
	ssize_t n;

	for (; size; size -= n, to = (char *)to + n) {
		n = read(fd, to, size);
		if (n <= 0)
			return false;
	}
	return true;
}

static int open_ours(const struct wp_tablecache *cache, const char *name)
{
	int fd = openat(cache->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && !is_ours(fd, S_IFREG)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Create a file of two pieces under @name; an existing one is replaced, or kept. */
static int put_file(const struct wp_tablecache *cache, const char *name, bool replace,
		    const void *head, size_t head_size, const void *data, size_t size)
{
	struct wp_outfile out;
	int err;

	err = wp_outfile_open_at(&out, cache->dir, name);
	if (err)
		return err;
	err = wp_pwrite_all(out.fd, head, head_size, 0);
	if (!err)
		err = wp_pwrite_all(out.fd, data, size, head_size);
	if (!err && !replace)
		return wp_outfile_commit_new(&out) ? 0 : -EIO;
	return wp_outfile_end(&out, err);
}

static bool read_key(struct wp_tablecache *cache)
{
	int fd = open_ours(cache, WP_CACHEROOM_KEY);
	bool good;

	good = fd >= 0 && read_all(fd, cache->key, sizeof(cache->key));
	if (fd >= 0)
		close(fd);
	return good;
}

/* Read the key of the directory; create one if there is none, or an invalid one. */
static int get_key(struct wp_tablecache *cache)
{
	int err;

	if (read_key(cache))
		return 0;
	if (getrandom(cache->key, sizeof(cache->key), 0) != sizeof(cache->key))
		return -EIO;
	put_file(cache, WP_CACHEROOM_KEY, false, cache->key, sizeof(cache->key), NULL, 0);
	if (read_key(cache))
		return 0;
	/* The existing one does not belong to us, or is too short. */
	err = put_file(cache, WP_CACHEROOM_KEY, true, cache->key, sizeof(cache->key), NULL, 0);
	return err || read_key(cache) ? err : -EIO;
}

/**
 * wp_tablecache_dir() - default directory of the cache
 * @dir: set to the directory, which need not exist yet
 * @size: size of @dir
 *
 * Root's does not depend on the environment, which may be that of the user who called
 * sudo.
 *
 * Return: false if there is none: no home directory.
 */
bool wp_tablecache_dir(char *dir, size_t size)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n;

	if (!geteuid())
		n = snprintf(dir, size, "/var/cache/wallprof/unwind");
	else if (xdg && xdg[0] == '/')
		n = snprintf(dir, size, "%s/wallprof/unwind", xdg);
	else if (home && home[0] == '/')
		n = snprintf(dir, size, "%s/.cache/wallprof/unwind", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

/* Returns 0, or why the last one could not be made: it may exist. */
static int make_dirs(const char *dir)
{
	char path[4096];
	char *p;

	snprintf(path, sizeof(path), "%s", dir);
	for (p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	return mkdir(path, 0700) ? -errno : 0;
}

/* Open the directory, or create it. */
static int open_dir(struct wp_tablecache *cache, const char *dir)
{
	int err = make_dirs(dir);

	cache->dir = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (cache->dir < 0)
		return errno == ENOENT && err ? err : -errno;
	return is_ours(cache->dir, S_IFDIR) ? get_key(cache) : -EPERM;
}

/**
 * wp_tablecache_open() - open the cache
 * @out: set to the cache, or to NULL
 * @dir: its directory, or NULL for the default; created if it does not exist
 *
 * Return: 0; -EPERM: the directory is not ours alone; or another negative errno.
 */
int wp_tablecache_open(struct wp_tablecache **out, const char *dir)
{
	struct wp_tablecache *cache;
	char path[4096];
	int err;

	*out = NULL;
	if (!dir) {
		if (!wp_tablecache_dir(path, sizeof(path)))
			return -ENOENT;
		dir = path;
	}
	cache = calloc(1, sizeof(*cache));
	if (!cache)
		return -ENOMEM;
	cache->index = -1;
	cache->ident = wp_fileident_of;
	err = open_dir(cache, dir);
	if (!err) {
		cache->index = wp_tableindex_open(cache->dir);
		*out = cache;
		return 0;
	}
	wp_debug("unwind tables are not kept: %s cannot be used: %s", dir, strerror(-err));
	wp_tablecache_close(cache);
	return err;
}

/**
 * wp_tablecache_close() - close the cache
 * @cache: the cache, or NULL
 */
void wp_tablecache_close(struct wp_tablecache *cache)
{
	if (!cache)
		return;
	if (cache->dir >= 0)
		close(cache->dir);
	if (cache->index >= 0)
		close(cache->index);
	free(cache);
}

/**
 * wp_tablecache_error() - the reason why a table could not be written
 * @cache: the cache
 *
 * Return: 0 if all could be written so far, or a negative errno.
 */
int wp_tablecache_error(const struct wp_tablecache *cache)
{
	return __atomic_load_n(&cache->err, __ATOMIC_RELAXED);
}

static void add(void *ctx, const void *data, size_t size)
{
	wp_siphash_add(ctx, &size, sizeof(size));
	wp_siphash_add(ctx, data, size);
}

/* Name of a table's file. The owner's id says for whose files it is. */
static void file_of(uid_t owner, const struct wp_tablename *id, char *name)
{
	unsigned int i;

	for (i = 0; i < id->id.size && i < WP_BUILDID_MAX; i++)
		name += sprintf(name, "%02x", id->id.data[i]);
	sprintf(name, "-%016llx-%u", id->hash, owner);
}

static __u64 hash_of(const struct wp_tablecache *cache, const char *name,
		     const void *data, size_t size)
{
	struct wp_siphash h;

	wp_siphash_begin(&h, cache->key);
	add(&h, name, strlen(name));
	add(&h, data, size);
	return wp_siphash_end(&h);
}

/*
 * Read a table. @verified: the identity of its file, if its contents were verified before,
 * else all 0; set to what it is now, or to all 0.
 */
static bool get(const struct wp_tablecache *cache, const char *name, __u64 max,
		struct wp_unwindtable *table, struct wp_fileident *verified)
{
	struct wp_fileident now;
	int fd = open_ours(cache, name);
	struct head head;
	struct stat st;
	void *data = NULL;
	bool good;

	if (fd < 0)
		return false;
	if (!cache->ident(&now, fd))
		memset(&now, 0, sizeof(now));
	good = read_all(fd, &head, sizeof(head)) && head.magic == CACHE_MAGIC &&
	       head.version == CACHE_VERSION && head.size && head.size <= max &&
	       !fstat(fd, &st) && (__u64)st.st_size == sizeof(head) + head.size;
	if (good)
		data = malloc(head.size);
	good = data && read_all(fd, data, head.size) &&
	       ((now.ino && wp_fileident_same(&now, verified)) ||
		hash_of(cache, name, data, head.size) == head.hash);
	*verified = now;
	if (good)
		wp_cacheroom_used(fd);
	close(fd);
	if (!good) {
		wp_debug("unwind table %s is damaged: it is built again", name);
		free(data);
		return false;
	}
	table->data = data;
	table->size = head.size;
	return true;
}

static void put(struct wp_tablecache *cache, const char *name,
		const struct wp_unwindtable *table)
{
	struct head head = {
		.magic = CACHE_MAGIC, .version = CACHE_VERSION, .size = table->size,
		.hash = hash_of(cache, name, table->data, table->size),
	};
	__u64 size = sizeof(head) + table->size;
	int room = wp_cacheroom_take(cache->dir, cache->key, name, size), err;

	if (room < 0) {
		if (room != -EFBIG && room != -EBUSY)
			__atomic_store_n(&cache->err, room, __ATOMIC_RELAXED);
		wp_debug("unwind table %s is not kept: %s", name,
			 room == -EFBIG ? "there is no room for it" : strerror(-room));
		return;
	}
	err = put_file(cache, name, true, &head, sizeof(head), table->data, table->size);
	wp_cacheroom_done(room, cache->key, name, size, !err);
	if (!err)
		return;
	__atomic_store_n(&cache->err, err, __ATOMIC_RELAXED);
	wp_debug("unwind table %s is not kept: %s", name, strerror(-err));
}

/**
 * wp_tablecache_key() - the key for the names of tables of an owner's files
 * @cache: the cache
 * @owner: the user
 * @key: set to the key, for wp_tablename_of(). It reveals neither the cache's own key nor
 *	those of other owners
 */
void wp_tablecache_key(const struct wp_tablecache *cache, uid_t owner, __u64 key[2])
{
	struct wp_siphash h;
	__u32 i;

	for (i = 0; i < 2; i++) {
		wp_siphash_begin(&h, cache->key);
		add(&h, &owner, sizeof(owner));
		add(&h, &i, sizeof(i));
		key[i] = wp_siphash_end(&h);
	}
}

/**
 * wp_tablecache_get() - look up a table
 * @cache: the cache, or NULL
 * @owner: owner of the file
 * @name: the table's name, not trusted
 * @table: filled in if found, to be freed by wp_unwindtable_free(): only @data and @size
 *
 * Return: true if it is there.
 */
bool wp_tablecache_get(const struct wp_tablecache *cache, uid_t owner,
		       const struct wp_tablename *name, struct wp_unwindtable *table)
{
	struct wp_fileident none = {};
	char file[NAME_SIZE];

	if (!cache)
		return false;
	file_of(owner, name, file);
	return get(cache, file, WP_UNWINDTABLE_MAX, table, &none);
}

/**
 * wp_tablecache_set_ident() - replace wp_fileident_of(), for tests
 * @cache: the cache
 * @ident: the function
 */
void wp_tablecache_set_ident(struct wp_tablecache *cache,
			     bool (*ident)(struct wp_fileident *ident, int fd))
{
	cache->ident = ident;
}

/**
 * wp_tablecache_ident() - identify a file on a disk, before it is read
 * @cache: the cache, or NULL
 * @fd: the file
 * @file: filled in
 *
 * Return: whether it can be recognized later, if it has not changed after it was read.
 */
bool wp_tablecache_ident(const struct wp_tablecache *cache, int fd, struct wp_fileident *file)
{
	return cache && cache->ident(file, fd);
}

/**
 * wp_tablecache_note() - note the name of a file's table
 * @cache: the cache
 * @file: the file, as it was before and after it was read
 * @name: the name, not trusted
 * @codes: its code, not trusted
 */
void wp_tablecache_note(const struct wp_tablecache *cache, const struct wp_fileident *file,
			const struct wp_tablename *name, const struct wp_elfcode *codes)
{
	const struct wp_tableentry entry = { .file = *file, .name = *name, .codes = *codes };

	wp_tableindex_put(cache->index, cache->key, &entry);
}

/**
 * wp_tablecache_known() - look up the table of a file that was noted
 * @cache: the cache
 * @file: the file
 * @name: set to the table's name
 * @codes: set to the file's code
 * @table: see wp_tablecache_get()
 *
 * Return: true if both are there.
 */
bool wp_tablecache_known(const struct wp_tablecache *cache, const struct wp_fileident *file,
			 struct wp_tablename *name, struct wp_elfcode *codes,
			 struct wp_unwindtable *table)
{
	struct wp_tableentry entry;
	struct wp_fileident verified;
	char path[NAME_SIZE];

	if (!wp_tableindex_find(cache->index, cache->key, file, &entry))
		return false;
	file_of(file->owner, &entry.name, path);
	verified = entry.table;
	if (!get(cache, path, WP_UNWINDTABLE_MAX, table, &verified))
		return false;
	*name = entry.name;
	*codes = entry.codes;
	if (verified.ino && !wp_fileident_same(&verified, &entry.table)) {
		entry.table = verified;
		wp_tableindex_put(cache->index, cache->key, &entry);
	}
	return true;
}

/**
 * wp_tablecache_put() - store a table
 * @cache: the cache, or NULL
 * @owner: owner of the file
 * @name: the table's name, not trusted
 * @table: the table
 */
void wp_tablecache_put(struct wp_tablecache *cache, uid_t owner,
		       const struct wp_tablename *name, const struct wp_unwindtable *table)
{
	char file[NAME_SIZE];

	if (!cache)
		return;
	file_of(owner, name, file);
	put(cache, file, table);
}
