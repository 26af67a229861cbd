// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the numbers of classes that a HotSpot JVM has unloaded and loaded, in its performance
 * data. HotSpot counts a class before it frees what belongs to it. So as long as the number of
 * unloaded classes stays, each method is where it was, but for those that an agent has
 * redefined: these are freed without being counted. Their memory goes to methods of classes
 * that are loaded later, or redefined, which counts as loading: so if there may be such an
 * agent, the number of loaded classes has to stay as well.
 *
 * Pure: the caller reads. The data is not trusted: all that is taken from it is an address,
 * which is only read. Its format is that of the files that jstat(1) reads.
 */
#include <errno.h>
#include <string.h>

#include "lib/interp/jvmunloads.h"

#define UNLOADED	"java.cls.unloadedClasses"
#define LOADED		"java.cls.loadedClasses"

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

static bool is_name(const char *name, const char *wanted)
{
	return !memcmp(name, wanted, strlen(wanted) + 1);
}

/* Takes the place of an entry's number, if it is one that is looked for. */
static int take(struct wp_pymemory *m, __u64 at, const struct entry *e, struct wp_jvmunloads *u)
{
	char name[sizeof(UNLOADED)];
	__u64 data = at + e->data;
	int err;

	if (e->type != LONG || e->elements || e->bytes < sizeof(*e) + sizeof(name) ||
	    e->name > e->bytes - sizeof(name))
		return 0;
	err = wp_pymemory_read(m, at + e->name, name, sizeof(name));
	if (err || (!is_name(name, UNLOADED) && !is_name(name, LOADED)))
		return err;
	if (e->data > e->bytes - sizeof(data) || data % sizeof(data))
		return -EBADMSG;
	*(is_name(name, UNLOADED) ? &u->at : &u->loads) = data;
	return 0;
}

/**
 * wp_jvmunloads_find() - find the numbers of classes that were unloaded and loaded
 * @m: memory of the process
 * @layout: of its JVM
 * @u: set to their addresses
 *
 * Return: 0; -ENOTSUP: this version does not say where its data is; -ENOENT: it has none, or not
 * yet; -EBADMSG: it is not as HotSpot's; or as wp_pymemory_read().
 */
int wp_jvmunloads_find(struct wp_pymemory *m, const struct wp_jvmlayout *layout,
		       struct wp_jvmunloads *u)
{
	struct wp_jvmunloads found = { .redefines = layout->redefines };
	struct prologue p;
	struct entry e;
	__u64 begin, i, from;
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
		err = take(m, begin + from, &e, &found);
		if (err)
			return err;
		if (!found.at || !found.loads)
			continue;
		*u = found;
		return 0;
	}
	return -ENOENT;
}

/**
 * wp_jvmunloads_note() - note what the numbers are
 * @u: the number that decides
 * @counts: what was read
 * @time: a time after that
 */
void wp_jvmunloads_note(struct wp_jvmunloads *u, const struct wp_jvmcounts *counts, __u64 time)
{
	/* Both only grow: so the sum stays only if both do, and grows when an agent comes. */
	const __u64 nr = counts->unloads + (counts->may_redefine ? counts->loads : 0);

	if (u->known && u->nr == nr && u->may_redefine == counts->may_redefine)
		return;
	u->nr = nr;
	u->may_redefine = counts->may_redefine;
	u->since = time;
	u->known = true;
}
