// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the index in the directory of unwind tables: from the identity of a file
 * (fileident.c) to its table's name and its code, so that a file that was read once is not
 * read and hashed again by each recording. Called by tablecache.c.
 *
 * The index is one file of slots, a power of two of them, in sets of one page. Where a
 * file's slot is depends on its inode. Each slot holds a hash of itself with the
 * directory's key, so a slot is valid or ignored, whatever happened to the file: several
 * recordings write to it, without a lock. What is valid is checked as the answer of a
 * worker is, since it was one. If a set is full, the slot of another file is taken.
 */
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/cacheroom.h"
#include "lib/base/fullio.h"
#include "lib/base/siphash.h"
#include "lib/unwind/tableindex.h"

#define INDEX_MAGIC	0x49555057	/* "WPUI" */
#define INDEX_VERSION	1

#define NR_SETS		512
#define WAYS		8

/* A file with more segments of code is not indexed; most have one. */
#define CODES		8

struct slot {
	__u32 magic;
	__u32 version;
	struct wp_fileident file;
	struct wp_fileident table;
	__u64 name_hash;
	__u64 entry;
	__u64 bytes;
	struct wp_code code[CODES];
	__u8 id[WP_BUILDID_MAX];
	__u8 id_size;
	__u8 nr;
	__u16 machine;
	__u64 unused[6];
	__u64 hash;		/* of all before */
};

_Static_assert(sizeof(struct slot) == 512, "a set is a page");

struct set {
	struct slot slot[WAYS];
};

static __u64 hash_of(const struct slot *slot, const __u64 key[2])
{
	static const char name[8] = WP_CACHEROOM_INDEX;
	struct wp_siphash h;

	wp_siphash_begin(&h, key);
	wp_siphash_add(&h, name, sizeof(name));
	wp_siphash_add(&h, slot, offsetof(struct slot, hash));
	return wp_siphash_end(&h);
}

/*
 * Open it for writing, or for reading where nothing can be written. One that does not
 * belong to us alone, or is not a regular file, is replaced.
 */
static int open_once(int dir)
{
	const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(dir, WP_CACHEROOM_INDEX, O_RDWR | O_CREAT | flags, 0600);
	struct stat st;

	if (fd < 0)
		fd = openat(dir, WP_CACHEROOM_INDEX, O_RDONLY | flags);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 0022))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/**
 * wp_tableindex_open() - open the index
 * @dir: the directory, which is ours alone; the index is created if it does not exist
 *
 * Return: its descriptor, or -1.
 */
int wp_tableindex_open(int dir)
{
	int fd = open_once(dir);

	if (fd >= 0 || (unlinkat(dir, WP_CACHEROOM_INDEX, 0) &&
			unlinkat(dir, WP_CACHEROOM_INDEX, AT_REMOVEDIR)))
		return fd;
	return open_once(dir);
}

static off_t place_of(const struct wp_fileident *file)
{
	__u64 hash = (file->ino ^ file->dev << 32) * 0x9e3779b97f4a7c15ULL;

	return (off_t)(hash >> 55) * sizeof(struct set);
}

/* Slots beyond the end of the file are empty. */
static bool read_set(int fd, off_t at, struct set *set)
{
	ssize_t n = pread(fd, set, sizeof(*set), at);

	if (n < 0)
		return false;
	memset((char *)set + n, 0, sizeof(*set) - n);
	return true;
}

/* Whether a slot is as it was written, and can be used. */
static bool get_entry(const struct slot *slot, const __u64 key[2], struct wp_tableentry *entry)
{
	if (slot->magic != INDEX_MAGIC || slot->version != INDEX_VERSION ||
	    slot->hash != hash_of(slot, key) || slot->nr > CODES ||
	    slot->id_size > WP_BUILDID_MAX)
		return false;
	memset(entry, 0, sizeof(*entry));
	entry->file = slot->file;
	entry->table = slot->table;
	entry->name.hash = slot->name_hash;
	entry->name.id.size = slot->id_size;
	memcpy(entry->name.id.data, slot->id, sizeof(slot->id));
	entry->codes.machine = slot->machine;
	entry->codes.fd = -1;
	entry->codes.entry = slot->entry;
	entry->codes.bytes = slot->bytes;
	entry->codes.nr = slot->nr;
	memcpy(entry->codes.code, slot->code, slot->nr * sizeof(*slot->code));
	return wp_elfcode_is_valid(&entry->codes);
}

static void set_slot(struct slot *slot, const __u64 key[2], const struct wp_tableentry *entry)
{
	memset(slot, 0, sizeof(*slot));
	slot->magic = INDEX_MAGIC;
	slot->version = INDEX_VERSION;
	slot->file = entry->file;
	slot->table = entry->table;
	slot->name_hash = entry->name.hash;
	slot->id_size = entry->name.id.size;
	memcpy(slot->id, entry->name.id.data, sizeof(slot->id));
	slot->machine = entry->codes.machine;
	slot->entry = entry->codes.entry;
	slot->bytes = entry->codes.bytes;
	slot->nr = entry->codes.nr;
	memcpy(slot->code, entry->codes.code, slot->nr * sizeof(*slot->code));
	slot->hash = hash_of(slot, key);
}

/**
 * wp_tableindex_find() - look up a file
 * @fd: the index, or -1
 * @key: the directory's key
 * @file: the file
 * @entry: filled in if it is there
 *
 * Return: whether it is.
 */
bool wp_tableindex_find(int fd, const __u64 key[2], const struct wp_fileident *file,
			struct wp_tableentry *entry)
{
	struct set set;
	unsigned int i;

	if (fd < 0 || !read_set(fd, place_of(file), &set))
		return false;
	for (i = 0; i < WAYS; i++) {
		if (wp_fileident_same(&set.slot[i].file, file))
			return get_entry(&set.slot[i], key, entry);
	}
	return false;
}

static bool is_of(const struct slot *slot, const struct wp_fileident *file)
{
	return slot->magic == INDEX_MAGIC && slot->file.fs == file->fs &&
	       slot->file.dev == file->dev && slot->file.ino == file->ino;
}

/* That of the file, of its older contents, an empty one, or any. */
static unsigned int choose(const struct set *set, const struct wp_fileident *file, __u64 hash)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		if (is_of(&set->slot[i], file))
			return i;
	}
	for (i = 0; i < WAYS; i++) {
		if (set->slot[i].magic != INDEX_MAGIC)
			return i;
	}
	return hash % WAYS;
}

/**
 * wp_tableindex_put() - add a file, or replace what was known of it
 * @fd: the index, or -1
 * @key: the directory's key
 * @entry: the file
 *
 * A file that does not find its way into the index costs only time.
 */
void wp_tableindex_put(int fd, const __u64 key[2], const struct wp_tableentry *entry)
{
	off_t at = place_of(&entry->file);
	struct slot slot;
	struct set set;

	if (fd < 0 || entry->codes.nr > CODES || !read_set(fd, at, &set))
		return;
	set_slot(&slot, key, entry);
	at += choose(&set, &entry->file, slot.hash) * sizeof(slot);
	/* What is cut short is not valid. */
	if (wp_pwrite_all(fd, &slot, sizeof(slot), at))
		return;
}
