// SPDX-License-Identifier: GPL-2.0
/* Tests of mappings of processes that are gone, from records. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/perfdata/mmaprecord.h"
#include "lib/record/endedmaps.h"
#include "tap.h"

static char seen[512];
static bool whole;

/* "start-end@offset inode name;" of each. */
static int note(void *ctx, int dir, const struct wp_procmap *m)
{
	size_t len = strlen(seen);

	snprintf(seen + len, sizeof(seen) - len, "%llx-%llx@%llx %llu %s;",
		 (unsigned long long)m->start, (unsigned long long)m->end,
		 (unsigned long long)m->pgoff, (unsigned long long)m->ino, m->name);
	return dir == -1 && !ctx ? 0 : -1;
}

static const char *maps_of(struct wp_endedmaps *e, __u32 pid, __u32 *parent)
{
	*seen = 0;
	if (wp_endedmaps_each(e, pid, note, NULL, parent, &whole))
		return "failed";
	return seen;
}

static void map(struct wp_endedmaps *e, __u32 pid, __u64 start, const char *name, __u32 prot,
		__u16 misc)
{
	union {
		struct wp_mmap2_record rec;
		char bytes[256];
	} r = { .rec = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = misc },
		.pid = pid, .tid = pid, .start = start, .len = 0x1000, .pgoff = 0x2000, .ino = 7,
		.prot = prot } };

	strcpy(r.rec.filename, name);
	r.rec.header.size = sizeof(r.rec) + (strlen(name) + 8) / 8 * 8;
	wp_endedmaps_record(e, &r.rec.header);
}

static void task(struct wp_endedmaps *e, __u32 type, __u16 misc, __u32 pid, __u32 other)
{
	struct {
		struct perf_event_header header;
		__u32 pid, other, rest[4];
	} r = { .header = { .type = type, .misc = misc, .size = sizeof(r) }, pid, other };

	wp_endedmaps_record(e, &r.header);
}

int main(void)
{
	const struct perf_event_header tiny = { .type = PERF_RECORD_MMAP2, .size = sizeof(tiny) };
	struct wp_endedmaps e = { 0 };
	__u32 parent, i;

	ok(!*maps_of(&e, 10, &parent) && !parent, "nothing is known at first");
	task(&e, PERF_RECORD_FORK, 0, 10, 9);
	ok(!*maps_of(&e, 10, &parent) && parent == 9 && whole,
	   "a fork has the mappings of its parent");
	task(&e, PERF_RECORD_FORK, 0, 10, 10);
	ok(!*maps_of(&e, 10, &parent) && parent == 9, "a new thread changes nothing");
	map(&e, 10, 0x1000, "/lib/a", PROT_READ | PROT_EXEC, 0);
	ok(!strcmp(maps_of(&e, 10, &parent), "1000-2000@2000 7 /lib/a;") && parent == 9,
	   "and more that it maps");
	task(&e, PERF_RECORD_COMM, 0, 10, 10);
	ok(*maps_of(&e, 10, &parent) && parent == 9, "a new name changes nothing");
	task(&e, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 10, 10);
	ok(!*maps_of(&e, 10, &parent) && !parent, "another program has none of these");
	map(&e, 10, 0x1000, "/bin/b", PROT_EXEC, 0);
	map(&e, 11, 0x5000, "/bin/other", PROT_EXEC, 0);
	map(&e, 10, 0x3000, "/lib/c", PROT_EXEC, 0);
	map(&e, 10, 0x7000, "/lib/data", PROT_READ, 0);
	map(&e, 10, 0x8000, "/lib/id", PROT_EXEC, PERF_RECORD_MISC_MMAP_BUILD_ID);
	ok(!strcmp(maps_of(&e, 10, &parent),
		   "3000-4000@2000 7 /lib/c;1000-2000@2000 7 /bin/b;") && !parent,
	   "its own are those with code and an inode, the newest first");
	wp_endedmaps_record(&e, &tiny);
	ok(!strcmp(maps_of(&e, 11, &parent), "5000-6000@2000 7 /bin/other;"),
	   "a record that is too short is left out");
	ok(!whole, "a process that only maps has those of before, too");
	for (i = 100; i < 70100; i++)
		map(&e, i, 0x1000, "/bin/many", PROT_EXEC, 0);
	ok(e.nr == 65536 && *maps_of(&e, 100, &parent) && !*maps_of(&e, 70099, &parent),
	   "there is a limit");
	wp_endedmaps_clear(&e);
	ok(!*maps_of(&e, 10, &parent) && !e.nr, "all is forgotten");
	task(&e, PERF_RECORD_FORK, 0, 10, 8);
	ok(!*maps_of(&e, 10, &parent) && parent == 8, "and begins anew");
	wp_endedmaps_free(&e);
	return done();
}
