// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of mappings: what is mapped where is what the records said last, and damaged
 * records do no harm.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/memmaps.h"
#include "lib/perfdata/mmaprecord.h"
#include "tap.h"

#define MMAP_BUILD_ID	(1 << 14)

static struct wp_memmaps *maps;

struct mmap2 {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 start, len, offset;
	__u8 id_size, reserved[3], id[20];
	__u32 prot, flags;
	char path[64];
};

static int record(const void *rec)
{
	return wp_memmaps_record(maps, rec);
}

static struct mmap2 mmap2(__u32 pid, __u64 start, __u64 len, __u64 offset, const char *path)
{
	struct mmap2 r = { { PERF_RECORD_MMAP2, 0, sizeof(r) }, pid, pid, start, len, offset };

	r.prot = PROT_READ | PROT_EXEC;
	snprintf(r.path, sizeof(r.path), "%s", path);
	return r;
}

static int map(__u32 pid, __u64 start, __u64 len, __u64 offset, const char *path)
{
	struct mmap2 r = mmap2(pid, start, len, offset, path);

	return record(&r);
}

static void fork_of(__u32 pid, __u32 ppid, __u16 misc)
{
	struct {
		struct perf_event_header header;
		__u32 pid, ppid, tid, ptid;
		__u64 time;
	} r = { { PERF_RECORD_FORK, misc, sizeof(r) }, pid, ppid, pid, ppid };

	record(&r);
}

static void forked(__u32 pid, __u32 ppid)
{
	fork_of(pid, ppid, 0);
}

static void named(__u32 pid, __u16 misc)
{
	struct {
		struct perf_event_header header;
		__u32 pid, tid;
		char comm[16];
	} r = { { PERF_RECORD_COMM, misc, sizeof(r) }, pid, pid, "x" };

	record(&r);
}

/* Path and offset in the file of an address. */
static const char *at(__s32 pid, __u64 address)
{
	const struct wp_memmap *m = wp_memmaps_find(maps, pid, address);
	static char text[128];

	if (!m)
		return "-";
	snprintf(text, sizeof(text), "%s+%llx", wp_memmaps_path(maps, m->path),
		 (unsigned long long)(address - m->start + m->offset));
	return text;
}

static void test_find(void)
{
	map(1, 0x1000, 0x1000, 0, "/a");
	map(1, 0x5000, 0x1000, 0x2000, "/b");
	map(1, 0x2000, 0x1000, 0x1000, "/c");
	ok(!strcmp(at(1, 0x1000), "/a+0") && !strcmp(at(1, 0x1fff), "/a+fff") &&
	   !strcmp(at(1, 0x2000), "/c+1000") && !strcmp(at(1, 0x5001), "/b+2001"), "addresses");
	ok(!strcmp(at(1, 0xfff), "-") && !strcmp(at(1, 0x3000), "-") && !strcmp(at(1, 0x6000), "-") &&
	   !strcmp(at(2, 0x1000), "-"), "where nothing is");
}

static void test_overlaps(void)
{
	map(3, 0x1000, 0x9000, 0, "/a");
	map(3, 0x3000, 0x1000, 0, "/b");
	ok(!strcmp(at(3, 0x2fff), "/a+1fff") && !strcmp(at(3, 0x3000), "/b+0") &&
	   !strcmp(at(3, 0x4000), "/a+3000"), "a mapping that divides another one");
	map(3, 0x2000, 0x4000, 0, "/c");
	ok(!strcmp(at(3, 0x1fff), "/a+fff") && !strcmp(at(3, 0x3000), "/c+1000") &&
	   !strcmp(at(3, 0x6000), "/a+5000"), "one over several");
	map(3, 0, 0x100000, 0, "/d");
	ok(!strcmp(at(3, 0), "/d+0") && !strcmp(at(3, 0x9999), "/d+9999"), "one over all");
}

static void test_forks(void)
{
	map(10, 0x1000, 0x1000, 0, "/a");
	forked(11, 10);
	forked(12, 11);
	map(11, 0x1000, 0x1000, 0, "/b");
	map(10, 0x2000, 0x1000, 0, "/c");
	ok(!strcmp(at(10, 0x1000), "/a+0") && !strcmp(at(11, 0x1000), "/b+0") &&
	   !strcmp(at(12, 0x1000), "/a+0"), "a child has its parent's until either changes");
	ok(!strcmp(at(11, 0x2000), "-") && !strcmp(at(12, 0x2000), "-"), "and no longer");
	forked(11, 99);
	ok(!strcmp(at(11, 0x1000), "-"), "of a parent without, none");
	fork_of(13, 10, PERF_RECORD_MISC_FORK_EXEC);
	ok(!strcmp(at(13, 0x1000), "-"), "nor what was there when the recording began");
	forked(14, 10);
	named(14, 0);
	ok(!strcmp(at(14, 0x1000), "/a+0"), "another name changes nothing");
	named(14, PERF_RECORD_MISC_COMM_EXEC);
	ok(!strcmp(at(14, 0x1000), "/a+0") && !wp_memmaps_below(maps, 14, 0x1000),
	   "an exec has the stack of its caller, and nothing else");
	map(14, 0x5000, 0x1000, 0, "/d");
	map(14, 0x7000, 0x1000, 0, "/e");
	map(14, 0x9000, 0x1000, 0, "/f");
	ok(!strcmp(at(14, 0x1000), "/a+0") && !strcmp(at(14, 0x5000), "/d+0"),
	   "while it may be going on");
	map(14, 0xb000, 0x1000, 0, "/g");
	ok(!strcmp(at(14, 0x1000), "-") && !strcmp(at(10, 0x1000), "/a+0"),
	   "another program has nothing of the one before");
	ok(!strcmp(at(14, 0x5000), "/d+0") && !strcmp(at(14, 0xb000), "/g+0") &&
	   !wp_memmaps_find(maps, 15, 0), "but its own");
	named(15, PERF_RECORD_MISC_COMM_EXEC);
	ok(!strcmp(at(15, 0x1000), "-"), "one of which nothing is known");
}

static void test_records(void)
{
	struct mmap2 r = mmap2(20, 0x1000, 0x1000, 0, "/a");
	int i, err = 0;

	r.prot = PROT_READ;
	record(&r);
	ok(!strcmp(at(20, 0x1000), "-"), "data are no code");
	r.prot = PROT_EXEC;
	r.len = ~0ULL;
	record(&r);
	r.len = 0;
	record(&r);
	ok(!strcmp(at(20, 0x1000), "-"), "no mapping goes round the end, or has nothing");
	r.len = 0x1000;
	r.header.misc = MMAP_BUILD_ID;
	r.id_size = 20;
	r.id[0] = 0xab;
	record(&r);
	ok(wp_memmaps_find(maps, 20, 0x1000)->id.size == 20 &&
	   wp_memmaps_find(maps, 20, 0x1000)->id.data[0] == 0xab, "a build-id in the record");
	r.id_size = 21;
	record(&r);
	ok(!wp_memmaps_find(maps, 20, 0x1000)->id.size, "one that is too long is none");
	r.id_size = 8;
	memset(r.id, 0xab, sizeof(r.id));
	record(&r);
	ok(!wp_memmaps_find(maps, 20, 0x1000)->id.size, "nor is device and inode, marked as one");
	memset(r.id + 8, 0, sizeof(r.id) - 8);
	record(&r);
	ok(wp_memmaps_find(maps, 20, 0x1000)->id.size == 8, "a short one has zeros behind it");
	r.reserved[2] = 1;
	record(&r);
	ok(!wp_memmaps_find(maps, 20, 0x1000)->id.size, "and before it");
	r.reserved[2] = 0;
	memset(r.path, 'x', sizeof(r.path));
	for (i = sizeof(r.header); i <= (int)sizeof(r); i++) {
		struct mmap2 *cut = malloc(i);

		memcpy(cut, &r, i);
		cut->header.size = i;
		cut->header.type = i % 3 ? PERF_RECORD_MMAP2 : PERF_RECORD_FORK;
		err |= record(cut);
		free(cut);
	}
	ok(!err && !strcmp(at(20, 0x1000), "/a+0"), "records that are cut off");
}

static void test_bound(void)
{
	__u64 dropped;
	__u32 i, pid;

	for (i = 0; i < 2000; i++)
		map(30, 0x1000ULL * (2 * i + 1), 0x1000, 0, "/a");
	for (pid = 1000; pid < 2000; pid++) {
		forked(pid, 30);
		map(pid, 0x1000, 0x1000, 0, "/b");
	}
	ok(wp_memmaps_dropped(maps) > 100000 && !strcmp(at(30, 0x1000), "/a+0") &&
	   !strcmp(at(1000, 0x3000), "/a+0"), "there is an end to all mappings (%llu left out)",
	   (unsigned long long)wp_memmaps_dropped(maps));
	dropped = wp_memmaps_dropped(maps);
	for (i = 0; i < 5000; i++)
		map(31, 0x1000ULL * (2 * i + 1), 0x1000, 0, "/a");
	ok(wp_memmaps_dropped(maps) > dropped && !strcmp(at(31, 0x1000), "/a+0") &&
	   !strcmp(at(31, 0x1000ULL * 9999), "-"), "also of one process");
}

/* A file with a BUILD_ID section. */
static void test_section(void)
{
	struct {
		struct perf_event_header header;
		__u32 pid;
		__u8 id[20], size, reserved[3];
		char path[28];
	} ids[2] = {
		{ { 0, 1 << 15, sizeof(ids[0]) }, ~0U, { 1, 2 }, 16, { 0 }, "/lib/a" },
		{ { 0, 0, sizeof(ids[0]) }, ~0U, { 3 }, 0, { 0 }, "/lib/b" },
	};
	struct wp_file_header h = { .magic = WP_PERF_MAGIC, .size = sizeof(h),
				    .features = { 1ULL << WP_FEAT_BUILD_ID } };
	struct wp_file_section s = { sizeof(h) + sizeof(s), sizeof(ids) };
	char path[] = "/tmp/wallprof-memmaps.XXXXXX";
	int fd = mkstemp(path), cut, bad = 0;
	struct wp_perffile file;

	h.data.offset = sizeof(h);
	for (cut = -1; cut <= (int)sizeof(ids[0]); cut++) {
		ids[1].header.size = cut < 0 ? 60000 : sizeof(ids[1]) - cut;
		if (pwrite(fd, &h, sizeof(h), 0) < 0 || pwrite(fd, &s, sizeof(s), sizeof(h)) < 0 ||
		    pwrite(fd, ids, sizeof(ids), s.offset) < 0 || wp_perffile_open(&file, path))
			abort();
		wp_memmaps_free(maps);
		maps = wp_memmaps_new(&file);
		wp_perffile_close(&file);
		map(1, 0x1000, 0x1000, 0, "/lib/a");
		map(1, 0x2000, 0x1000, 0, "/lib/b");
		map(1, 0x3000, 0x1000, 0, "/lib/c");
		bad += wp_memmaps_find(maps, 1, 0x1000)->id.size != 16;
		bad += !cut && wp_memmaps_find(maps, 1, 0x2000)->id.size != 20;
		bad += wp_memmaps_find(maps, 1, 0x3000)->id.size != 0;
	}
	ok(!bad, "build-ids of the section, also of one that is damaged (%d wrong)", bad);
	close(fd);
	unlink(path);
}

/* Several files of one path: which build-id is whose. */
static void test_others(void)
{
	struct other {
		struct perf_event_header header;
		__u32 pid;
		__u8 id[20], size, reserved[3];
		char path[24];
		struct wp_features_file file;
	} o[3] = {
		{ { 0, 1 << 15, sizeof(o[0]) }, ~0U, { 7 }, 20, { 0 }, "/lib/a",
		  { WP_FEATURES_FILE, 8, 1, 50 } },
		{ { 0, 1 << 15, sizeof(o[0]) }, ~0U, { 0 }, 0, { 0 }, "/lib/a",
		  { WP_FEATURES_FILE, 8, 2, 50 } },
		{ { 0, 1 << 15 | PERF_RECORD_MISC_USER, sizeof(o[0]) }, ~0U, { 9 }, 20, { 0 },
		  "/lib/a", { "" } },
	};
	struct wp_file_header h = { .magic = WP_PERF_MAGIC, .size = sizeof(h),
				    .features = { 1ULL << WP_FEAT_BUILD_ID } };
	struct wp_file_section s = { sizeof(h) + sizeof(s), sizeof(o) };
	const struct { __u32 maj, min; __u64 ino; } inode[] = {
		{ 8, 1, 50 }, { 8, 2, 50 }, { 8, 3, 50 }, { 8, 1, 51 }, { 0, 0, 0 },
	};
	char path[] = "/tmp/wallprof-memmaps.XXXXXX";
	const struct wp_memmap *found[5];
	struct wp_perffile file;
	int fd = mkstemp(path);
	struct mmap2 r;
	size_t i, nr;

	h.data.offset = sizeof(h);
	if (pwrite(fd, &h, sizeof(h), 0) < 0 || pwrite(fd, &s, sizeof(s), sizeof(h)) < 0 ||
	    pwrite(fd, o, sizeof(o), s.offset) < 0 || wp_perffile_open(&file, path))
		abort();
	wp_memmaps_free(maps);
	maps = wp_memmaps_new(&file);
	wp_perffile_close(&file);
	for (i = 0; i < 5; i++) {
		r = mmap2(40 + i, 0x1000, 0x1000, 0, "/lib/a");
		memcpy(&r.id_size, &inode[i], sizeof(inode[i]));
		record(&r);
	}
	map(50, 0x1000, 0x1000, 0, "/lib/b");
	for (i = 0; i < 5; i++)
		found[i] = wp_memmaps_find(maps, 40 + i, 0x1000);
	ok(found[0]->id.size == 20 && found[0]->id.data[0] == 7 && !found[0]->other,
	   "another file of a path has its own build-id");
	ok(!found[1]->id.size && found[1]->other, "or none, and is known to be another one");
	ok(found[2]->id.data[0] == 9 && found[3]->id.data[0] == 9 && found[4]->id.data[0] == 9 &&
	   !found[2]->other && !found[3]->other && !found[4]->other, "others have the path's");
	ok(!wp_memmaps_find(maps, 50, 0x1000)->id.size, "of another path there is none");
	for (i = 0; i < 5; i++) {
		const struct wp_nobuildid none = { WP_NO_BUILDID, inode[i].maj, inode[i].min,
						   inode[i].ino };

		r = mmap2(60 + i, 0x1000, 0x1000, 0, "/lib/a");
		r.header.misc = MMAP_BUILD_ID;
		r.id_size = sizeof(none);
		memcpy(r.id, &none, sizeof(none));
		record(&r);
	}
	for (i = 0, nr = 0; i < 5; i++) {
		const struct wp_memmap *same = wp_memmaps_find(maps, 60 + i, 0x1000);

		found[i] = wp_memmaps_find(maps, 40 + i, 0x1000);
		nr += same->id.size == found[i]->id.size && same->other == found[i]->other &&
			same->file == found[i]->file &&
			!memcmp(same->id.data, found[i]->id.data, same->id.size);
	}
	ok(nr == 5, "what stands for no build-id says which file it is (%zu of 5)", nr);
	close(fd);
	unlink(path);
}

/* Where the kernel was. */
static void test_kernel(void)
{
	const char *label;
	__u64 where;

	ok(!wp_memmaps_kernel(maps, &where), "no label of the kernel's, if none was recorded");
	map(~0U, 0xffffffffa0000000, 0x1000000, 0, "[kernel.kallsyms]_text");
	ok(!wp_memmaps_kernel(maps, &where), "nor if its place is kept secret");
	map(~0U, 0xffffffffa0000000, 0x1000, 0xffffffffa0001000, "[ext4]");
	ok(!wp_memmaps_kernel(maps, &where), "nor by a module");
	map(~0U, 0xffffffffa0000000, 0x1000000, 0xffffffffa0000010, "[kernel.kallsyms]_stext");
	label = wp_memmaps_kernel(maps, &where);
	ok(label && !strcmp(label, "_stext") && where == 0xffffffffa0000010, "where it was");
	ok(!strcmp(at(-1, 0xffffffffa0000000), "-"), "it is no mapping of a process's");
}

int main(void)
{
	static const struct wp_perffile none = { .fd = -1 };

	wp_set_verbosity(WP_SILENT);
	maps = wp_memmaps_new(&none);
	test_find();
	test_overlaps();
	test_forks();
	test_records();
	test_bound();
	test_section();
	test_others();
	test_kernel();
	wp_memmaps_free(maps);
	return done();
}
