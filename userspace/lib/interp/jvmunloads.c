// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the number of classes that a HotSpot JVM has unloaded, in its performance data. HotSpot
 * counts a class before it frees what belongs to it. So as long as the number stays, each
 * method is where it was.
 *
 * Pure: the caller reads. The data is not trusted: all that is taken from it is an address,
 * which is only read. Its format is that of the files that jstat(1) reads.
 */
#include <errno.h>
#include <string.h>

#include "lib/interp/jvmunloads.h"

#define NAME		"java.cls.unloadedClasses"

/* What the data begins with; the first number is of the other byte order. */
#define MAGIC		0xc0c0fecaU
#define LITTLE		1
#define MAJOR		2

/* Entries of HotSpot 17: 264. */
#define MAX_ENTRIES	4096
#define MAX_BYTES	(1 << 20)

/* The type of an entry that is a number of 8 bytes. */
#define LONG		'J'

struct prologue {
	__u32 magic;
	__u8 order;
	__u8 major;
	__u8 minor;
	__u8 accessible;
	__u32 used;
	__u32 overflow;
	__u64 modified;
	__u32 first;
	__u32 nr;
};

struct entry {
	__u32 bytes;
	__u32 name;
	__u32 elements;
	__u8 type;
	__u8 flags;
	__u8 units;
	__u8 variability;
	__u32 data;
};

static bool is_name(const char *name)
{
	return !memcmp(name, NAME, sizeof(NAME));
}

/**
 * wp_jvmunloads_find() - find the number of classes that were unloaded
 * @m: memory of the process
 * @layout: of its JVM
 * @at: set to its address
 *
 * Return: 0; -ENOTSUP: this version does not say where its data is; -ENOENT: it has none, or not
 * yet; -EBADMSG: it is not as HotSpot's; or as wp_pymemory_read().
 */
int wp_jvmunloads_find(struct wp_pymemory *m, const struct wp_jvmlayout *layout, __u64 *at)
{
	struct prologue p;
	struct entry e;
	__u64 begin, i, from;
	char name[sizeof(NAME)];
	int err;

	if (!layout->perf_data)
		return -ENOTSUP;
	err = wp_pymemory_word(m, layout->perf_data, &begin);
	if (!err && !begin)
		err = -ENOENT;
	if (!err)
		err = wp_pymemory_read(m, begin, &p, sizeof(p));
	if (err)
		return err;
	if (p.magic != MAGIC || p.order != LITTLE || p.major != MAJOR)
		return -EBADMSG;
	for (i = 0, from = p.first; i < p.nr && i < MAX_ENTRIES; i++, from += e.bytes) {
		if (from > MAX_BYTES)
			return -EBADMSG;
		err = wp_pymemory_read(m, begin + from, &e, sizeof(e));
		if (err)
			return err;
		if (e.bytes < sizeof(e) || e.bytes > MAX_BYTES)
			return -EBADMSG;
		if (e.type != LONG || e.elements || e.name > e.bytes - sizeof(name) ||
		    e.bytes < sizeof(e) + sizeof(name))
			continue;
		err = wp_pymemory_read(m, begin + from + e.name, name, sizeof(name));
		if (err)
			return err;
		if (!is_name(name))
			continue;
		*at = begin + from + e.data;
		return e.data > e.bytes || *at % sizeof(*at) ? -EBADMSG : 0;
	}
	return -ENOENT;
}

/**
 * wp_jvmunloads_note() - note what the number is
 * @u: the number
 * @nr: what was read
 * @time: a time after that
 */
void wp_jvmunloads_note(struct wp_jvmunloads *u, __u64 nr, __u64 time)
{
	if (u->known && u->nr == nr)
		return;
	u->nr = nr;
	u->since = time;
	u->known = true;
}
