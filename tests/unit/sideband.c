// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of sideband.c with rings of our own: wrap-around, order over CPUs,
 * inline build-ids, names of kernel threads, the filter, and contents no kernel
 * would write.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "buildid.h"
#include "lib/base/err.h"
#include "lib/perfdata/perfdata.h"
#include "lib/proc/kthreads.h"
#include "lib/record/inlineids.h"
#include "lib/record/sideband.h"
#include "lib/record/siderecords.h"
#include "tap.h"

#define RING	4096

static char ring[2][RING] __attribute__((aligned(8)));
static __u64 head[2], tail[2];

/* What came out. */
static struct {
	struct perf_event_header h;
	char bytes[4096];
	__u64 time;
} got[1024] __attribute__((aligned(8)));
static unsigned int nr_got;

static int take(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	if (nr_got < 1024 && rec->size <= sizeof(got[0].bytes)) {
		memcpy(&got[nr_got].h, rec, rec->size);
		got[nr_got].time = time;
	}
	nr_got++;
	return 0;
}

static __u64 file_id(void *ctx, int cpu)
{
	return 100 + cpu;
}

static void put(int cpu, const void *data, size_t size)
{
	const char *p = data;

	for (; size--; head[cpu]++)
		ring[cpu][head[cpu] % RING] = *p++;
}

/* A record: type, misc, body, and the sample id at @time. */
static void put_record(int cpu, __u32 type, __u16 misc, const void *body, size_t size,
		       __u64 time)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	struct wp_sample_id id = { .pid = 1, .tid = 1, .time = time, .cpu = cpu, .id = 7 };

	h.size = sizeof(h) + size + sizeof(id);
	put(cpu, &h, sizeof(h));
	put(cpu, body, size);
	put(cpu, &id, sizeof(id));
}

static void put_comm(int cpu, __u32 pid, const char *comm, __u64 time)
{
	struct { __u32 pid, tid; char comm[16]; } b = { .pid = pid, .tid = pid };

	memcpy(b.comm, comm, strnlen(comm, 16));
	put_record(cpu, PERF_RECORD_COMM, 0, &b, sizeof(b), time);
}

static void put_fork(int cpu, __u32 type, __u32 pid, __u32 ppid, __u64 time)
{
	struct { __u32 pid, ppid, tid, ptid; __u64 time; } b = { pid, ppid, pid, ppid, time };

	put_record(cpu, type, 0, &b, sizeof(b), time);
}

struct mmap2_body {
	__u32 pid, tid;
	__u64 start, len, pgoff;
	__u8 id_size, res[3], id[20];
	__u32 prot, flags;
	char name[32];
};

static void put_mmap2(int cpu, __u16 misc, const char *name, __u8 id_size, __u64 time)
{
	struct mmap2_body b = { .pid = 9, .tid = 9, .start = 4096, .len = 4096,
				.id_size = id_size, .prot = PROT_EXEC };

	memset(b.id, 0xab, sizeof(b.id));
	memcpy(b.name, name, strnlen(name, sizeof(b.name)));
	put_record(cpu, PERF_RECORD_MMAP2, misc, &b, sizeof(b), time);
}

static const struct wp_sample_id *id_of(unsigned int i)
{
	return (void *)((char *)&got[i].h + got[i].h.size - sizeof(struct wp_sample_id));
}

static struct wp_sideband_stats stats;

/* Feed both rings, deliver everything, and look at the counts. */
static int run(struct wp_sideband *sb)
{
	int cpu, ret;

	nr_got = 0;
	for (cpu = 0; cpu < 2; cpu++) {
		ret = wp_siderecords_feed(sb, cpu, ring[cpu], RING, head[cpu], &tail[cpu]);
		if (ret)
			return ret;
	}
	ret = wp_sideband_drain(sb, NULL, true, take, NULL);
	wp_sideband_stats(sb, &stats);
	return ret;
}

static struct wp_sideband *fresh(struct wp_sideband_options *opt, __u64 at)
{
	struct wp_sideband *sb;

	head[0] = tail[0] = head[1] = tail[1] = at;
	memset(ring, 0xee, sizeof(ring));
	sb = wp_sideband_new(opt);
	if (sb)
		sb->inline_ids = true;
	return sb;
}

static bool only_five(void *ctx, __u32 pid)
{
	return pid == 5;
}

/* A thread of a /proc of our own. */
static void put_stat(const char *dir, __u32 tid, const char *stat)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u", dir, tid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%u/stat", dir, tid);
	f = fopen(path, "w");
	if (!f || fputs(stat, f) < 0 || fclose(f))
		exit(2);
}

/* From Linux 6.4 on no record has the name of a kernel thread. */
static void test_kthreads(void)
{
	char dir[] = "/tmp/wallprof-sideband.XXXXXX", command[100], name[16];
	struct wp_sideband_options opt = { .file_id = file_id, .proc = dir };
	struct wp_sideband *sb;

	ok(wp_kthreads_born_named("6.4.0-1-amd64") && wp_kthreads_born_named("7.0-rc1") &&
	   !wp_kthreads_born_named("6.3.13") && !wp_kthreads_born_named("5.14.0-362.el9") &&
	   !wp_kthreads_born_named("unknown"), "since when kernel threads are born with names");
	if (!mkdtemp(dir))
		exit(2);
	put_stat(dir, 50, "50 (kworker/u8:3-ev) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1\n");
	put_stat(dir, 51, "51 (a (b) c) S 2 0 0 0 -1 2129984 0 0 0 0\n");
	put_stat(dir, 52, "52 (sh) S 2 52 52 0 -1 4194304 0 0 0 0\n");
	put_stat(dir, 53, "53 (short) S 2 0 0 0 -1\n");
	put_stat(dir, 54, "54 a long name that never ends");
	ok(wp_kthreads_name(dir, 51, name, sizeof(name)) && !strcmp(name, "a (b) c"),
	   "the name of a kernel thread");
	ok(!wp_kthreads_name(dir, 52, name, sizeof(name)), "a program is none");
	ok(!wp_kthreads_name(dir, 53, name, sizeof(name)) &&
	   !wp_kthreads_name(dir, 54, name, sizeof(name)), "a line that is cut off has no name");
	sb = fresh(&opt, 0);
	put_fork(0, PERF_RECORD_FORK, 50, 2, 10);
	put_fork(0, PERF_RECORD_FORK, 52, 2, 20);
	put_fork(0, PERF_RECORD_FORK, 55, 2, 30);
	put_fork(1, PERF_RECORD_FORK, 51, 1, 15);
	put_fork(1, PERF_RECORD_EXIT, 51, 2, 40);
	ok(!run(sb) && nr_got == 6 && got[0].h.type == PERF_RECORD_FORK &&
	   got[1].h.type == PERF_RECORD_COMM && got[1].time == 10 &&
	   *(__u32 *)got[1].bytes == 50 && *(__u32 *)(got[1].bytes + 4) == 50 &&
	   !strcmp(got[1].bytes + 8, "kworker/u8:3-ev") && id_of(1)->id == 100 &&
	   id_of(1)->tid == 50 && got[2].time == 15,
	   "one that kthreadd forks has its name from then on; others are not looked for");
	wp_sideband_close(sb);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ok(!system(command), "cleaned up");
}

/* The mapping of our own code, and its path. */
static bool own_code(__u64 *start, __u64 *end, char *path, size_t size)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long at = (unsigned long)own_code, a, b;
	char line[1024];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx", &a, &b) != 2 || at < a || at >= b)
			continue;
		found = strchr(line, '/');
		line[strcspn(line, "\n")] = 0;
		if (found)
			snprintf(path, size, "%s", strchr(line, '/'));
		*start = a;
		*end = b;
	}
	if (f)
		fclose(f);
	return found;
}

struct file_body {
	__u32 pid, tid;
	__u64 start, len, pgoff;
	union {
		struct wp_fileid file;
		struct {
			__u8 id_size, reserved[3], id[20];
		};
	};
	__u32 prot, flags;
	char name[256];
};

/* Several files of one path, each with its own build-id. */
static void test_files(void)
{
	const __u16 inlined = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID;
	struct wp_sideband_options opt = { .file_id = file_id };
	struct file_body own = { .pid = getpid(), .prot = PROT_EXEC }, b;
	struct wp_fileid got_file[6], real;
	struct wp_buildid id;
	struct wp_sideband *sb;
	struct stat st;
	__u64 end = 0;
	int i;

	if (!own_code(&own.start, &end, own.name, sizeof(own.name)) || stat(own.name, &st) ||
	    buildid_of_file(own.name, &id) || id.size != 20)
		exit(2);
	own.len = end - own.start;
	real = (struct wp_fileid){ major(st.st_dev), minor(st.st_dev), st.st_ino };
	opt.ids = wp_buildids_new();
	sb = fresh(&opt, 0);
	/* Another one, by its build-id; ours; the other one again; and two without. */
	b = own;
	b.pid = 1 << 22;
	b.id_size = 20;
	memset(b.id, 0xab, sizeof(b.id));
	put_record(0, PERF_RECORD_MMAP2, inlined, &b, sizeof(b), 1);
	own.id_size = 20;
	memcpy(own.id, id.data, sizeof(own.id));
	put_record(0, PERF_RECORD_MMAP2, inlined, &own, sizeof(own), 2);
	put_record(0, PERF_RECORD_MMAP2, inlined, &b, sizeof(b), 3);
	memset(b.id, 0, sizeof(b.id));
	b.file = (struct wp_fileid){ 8, 1, 77 };
	put_record(0, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &b, sizeof(b), 4);
	b.file = real;
	put_record(0, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &b, sizeof(b), 5);
	ok(!run(sb) && nr_got == 5, "files of one path");
	for (i = 0; i < 5; i++)
		memcpy(&got_file[i], got[i].bytes + offsetof(struct file_body, file),
		       sizeof(*got_file));
	ok(!got_file[0].maj && !got_file[0].min && got_file[0].ino,
	   "the path of one that is gone is not asked which it was");
	ok(!memcmp(&got_file[2], &got_file[0], sizeof(real)), "one build-id, one file");
	ok(got_file[1].ino && memcmp(&got_file[1], &got_file[0], sizeof(real)) &&
	   (!got_file[1].maj || !memcmp(&got_file[1], &real, sizeof(real))),
	   "ours is another file of that path");
	ok(got_file[3].ino == 77 && !memcmp(&got_file[4], &real, sizeof(real)),
	   "inodes that the kernel recorded stay");
	wp_buildids_resolve(opt.ids);
	/* Without the right to look at mappings there is a number for ours, too. */
	ok(buildids_count(opt.ids) == (got_file[1].maj ? 3 : 4), "so many files");
	wp_sideband_close(sb);
	wp_buildids_free(opt.ids);
}

/* Device and inode that are marked as a build-id, by a kernel that forgets another mark. */
static void test_marked(void)
{
	const __u16 marked = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID;
	const struct wp_fileid file[] = { { 8, 1, 77 }, { 259, 2, 78 }, { 254, 3, 79 } };
	struct wp_sideband_options opt = { .file_id = file_id };
	struct file_body b = { .pid = 1 << 22, .start = 4096, .len = 4096, .prot = PROT_EXEC,
			       .name = "/nonesuch" };
	struct wp_sideband *sb;
	struct wp_fileid got_file;
	struct wp_dso *dso;
	unsigned int i, nr;
	int asked;

	for (asked = 0; asked < 2; asked++) {
		opt.ids = wp_buildids_new();
		sb = fresh(&opt, 0);
		sb->inline_ids = asked;
		for (i = 0; i < 3; i++) {
			memset(b.id, 0xcd, sizeof(b.id));
			b.file = file[i];
			put_record(0, PERF_RECORD_MMAP2, marked, &b, sizeof(b), 1 + i);
		}
		if (run(sb) || nr_got != 3)
			exit(2);
		for (i = 0, nr = 0; i < 3; i++) {
			memcpy(&got_file, got[i].bytes + offsetof(struct file_body, file),
			       sizeof(got_file));
			nr += got[i].h.misc == PERF_RECORD_MISC_USER &&
				(asked ? !got_file.maj && !got_file.min && !got_file.ino :
				 !memcmp(&got_file, &file[i], sizeof(got_file)));
		}
		dso = buildids_find(opt.ids, "/nonesuch");
		ok(nr == 3 && dso && !dso->id.size && buildids_count(opt.ids) == (asked ? 1 : 3),
		   asked ? "a build-id that cannot be one is none, and no file either" :
		   "one that was not asked for is device and inode");
		wp_sideband_close(sb);
		wp_buildids_free(opt.ids);
	}
}

/* Three records of the trial, of which some are marked; @last ends too early or late. */
static bool judged(int a, int b, int c, int last)
{
	const int marked[] = { a, b, c };
	struct {
		struct perf_event_header h;
		__u64 rest[9];
	} r[3];
	int i;

	memset(r, 0, sizeof(r));
	for (i = 0; i < 3; i++)
		r[i].h = (struct perf_event_header){
			PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER |
			(marked[i] ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0), sizeof(r[i]) };
	r[2].h.size += last;
	return wp_inlineids_judge(r, sizeof(r));
}

static void test_trial(void)
{
	struct perf_event_header lost[3] = { { PERF_RECORD_LOST, 0, sizeof(lost[0]) } };

	ok(judged(0, 1, 0, 0) && judged(1, 0, 0, 0) && judged(0, 0, 1, 0),
	   "the trial is good if one record is marked, in any order");
	ok(!judged(0, 1, 1, 0) && !judged(1, 1, 0, 0) && !judged(1, 1, 1, 0),
	   "but not if others are marked, too");
	ok(!judged(0, 0, 0, 0), "nor if none is");
	ok(!judged(0, 1, 0, 8) && !judged(0, 1, 0, -80) && !judged(0, 1, 0, -8),
	   "nor with a size that cannot be");
	ok(!wp_inlineids_judge(lost, sizeof(lost)) && !wp_inlineids_judge(lost, 0),
	   "nor with another record, or none");
}

int main(void)
{
	struct wp_sideband_options opt = { .file_id = file_id };
	struct { __u64 id, lost; } lost = { 7, 42 };
	struct wp_sideband *sb;
	struct mmap2_body *m;
	struct wp_dso *dso;
	unsigned int i, bad;
	__u64 upto = 0;

	wp_set_verbosity(WP_SILENT);
	test_kthreads();
	test_files();
	test_marked();
	test_trial();

	sb = fresh(&opt, 0);
	put_comm(0, 1, "first", 10);
	put_comm(0, 2, "third", 30);
	put_comm(1, 3, "second", 20);
	put_comm(1, 4, "fourth", 30);
	ok(!run(sb) && nr_got == 4 && got[0].time == 10 && got[1].time == 20 &&
	   got[2].time == 30 && got[3].time == 30, "records of two CPUs, in order of time");
	ok(id_of(0)->id == 100 && id_of(1)->id == 101, "the file's ids");
	ok(!strcmp(got[2].bytes + 8, "third") && stats.records == 4 && !stats.bad, "contents");
	put_comm(0, 1, "late", 5);
	ok(!run(sb) && stats.late == 1 && nr_got == 1, "one that comes late is counted");
	wp_sideband_close(sb);

	/* Every place of a wrap-around that 8-byte alignment allows. */
	for (i = 0, bad = 0; i < 32; i++) {
		sb = fresh(&opt, RING - i * 8);
		put_comm(0, 77, "wrapped", 1);
		put_comm(0, 78, "whole", 2);
		if (run(sb) || nr_got != 2 || stats.bad ||
		    strcmp(got[0].bytes + 8, "wrapped") || id_of(0)->time != 1 ||
		    strcmp(got[1].bytes + 8, "whole"))
			bad++;
		wp_sideband_close(sb);
	}
	ok(!bad, "records that wrap around are copied whole");
	sb = fresh(&opt, -(__u64)16);
	put_comm(0, 77, "wrapped", 1);
	ok(!run(sb) && nr_got == 1 && head[0] < 4096, "positions that overflow 64 bits");
	wp_sideband_close(sb);

	opt.ids = wp_buildids_new();
	sb = fresh(&opt, 0);
	put_mmap2(0, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, "/nonesuch", 20, 1);
	put_mmap2(0, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, "/dev/zero", 20, 2);
	put_mmap2(0, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, "/long", 21, 3);
	put_mmap2(0, PERF_RECORD_MISC_USER, "/plain", 1, 4);
	put_mmap2(0, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, "/etc/passwd", 20, 5);
	ok(!run(sb) && nr_got == 5, "mappings with build-ids");
	m = (void *)got[0].bytes;
	ok(got[0].h.misc == PERF_RECORD_MISC_USER && !m->id_size && !m->id[0] && !m->id[19],
	   "an inline build-id is taken out");
	dso = buildids_find(opt.ids, "/nonesuch");
	ok(dso && dso->id.size == 20 && dso->id.data[19] == 0xab, "and kept for the table");
	ok(!buildids_find(opt.ids, "/dev/zero"), "a device gets no entry");
	dso = buildids_find(opt.ids, "/long");
	ok(dso && !dso->id.size, "an impossible size is no build-id");
	m = (void *)got[3].bytes;
	ok(m->id_size == 1 && m->id[0] == 0xab, "device and inode of another are not touched");
	dso = buildids_find(opt.ids, "/etc/passwd");
	ok(dso && dso->last.file.ino && !dso->last.file.maj && !dso->last.file.min &&
	   !memcmp(got[4].bytes + 40, &dso->last.file.ino, 8),
	   "a number takes the inode's place: the path may lead to another file by now");
	wp_sideband_close(sb);
	wp_buildids_free(opt.ids);
	opt.ids = NULL;

	sb = fresh(&opt, 0);
	put_record(1, PERF_RECORD_LOST, 0, &lost, sizeof(lost), 3);
	put_record(1, PERF_RECORD_LOST_SAMPLES, 0, &lost.lost, 8, 4);
	ok(!run(sb) && nr_got == 2 && stats.lost == 84, "losses are counted");
	ok(!memcmp(got[0].bytes, &(__u64){ 101 }, 8), "and passed on with the file's id");
	put_record(1, 200, 0, &lost, sizeof(lost), 3);
	ok(!run(sb) && !nr_got && stats.unknown == 1, "a type not asked for is dropped, counted");
	wp_sideband_close(sb);

	/* The filter: 5 and what it forks. */
	opt.filter = true;
	opt.wanted = only_five;
	sb = fresh(&opt, 0);
	put_fork(0, PERF_RECORD_FORK, 6, 5, 1);
	put_fork(1, PERF_RECORD_FORK, 7, 6, 2);
	put_comm(1, 7, "grandchild", 3);
	put_fork(0, PERF_RECORD_FORK, 8, 1, 4);
	put_comm(0, 8, "stranger", 5);
	put_comm(1, ~0u, "no pid", 5);
	put_fork(1, PERF_RECORD_EXIT, 7, 6, 6);
	put_comm(0, 5, "parent", 7);
	put_fork(0, PERF_RECORD_FORK, 7, 1, 8);
	put_comm(0, 7, "used again", 9);
	ok(!run(sb) && nr_got == 5 && stats.filtered == 5, "wanted: a process and its descendants");
	ok(wp_sideband_is_wanted(sb, 6) && !wp_sideband_is_wanted(sb, 7) &&
	   !wp_sideband_is_wanted(sb, 8), "a pid that is used again is a stranger");
	ok(!wp_sideband_want(sb, 30) && wp_sideband_want(sb, 1u << 30) < 0, "want");
	/* Forked by us before we said that we want it. */
	put_fork(0, PERF_RECORD_FORK, 30, 1, 10);
	put_comm(0, 30, "command", 11);
	ok(!run(sb) && nr_got == 2, "a command is wanted though its fork is read later");
	wp_sideband_close(sb);
	opt.filter = false;
	opt.wanted = NULL;

	/* Damage. */
	sb = fresh(&opt, 0);
	put_comm(0, 1, "good", 1);
	put(0, &(struct perf_event_header){ .type = 3, .size = 0 }, 8);
	put_comm(0, 1, "unreachable", 2);
	ok(!run(sb) && nr_got == 1 && stats.bad == 1 && tail[0] == head[0], "a size of zero");
	put(0, &(struct perf_event_header){ .type = 3, .size = 16 }, 8);
	ok(!run(sb) && !nr_got && stats.bad == 2, "a size without sample id");
	put(0, &(struct perf_event_header){ .type = 3, .size = 0xfff8 }, 8);
	ok(!run(sb) && !nr_got && stats.bad == 3, "a size beyond the head");
	put(0, &(struct perf_event_header){ .type = 3, .size = 61 }, 8);
	ok(!run(sb) && stats.bad == 4, "an odd size");
	head[0] += 10 * RING;
	ok(!run(sb) && stats.bad == 5 && tail[0] == head[0], "a head that ran away");
	head[0] = tail[0] + 4;
	ok(!run(sb) && stats.bad == 6, "a head in the middle of a header");
	head[0] = tail[0] = (tail[0] + 7) / 8 * 8;
	put_comm(0, 1, "0123456789abcdef", 1);
	ok(!run(sb) && !nr_got && stats.bad == 7, "a name without an end");
	put_record(0, PERF_RECORD_MMAP2, 0, &lost, 16, 1);
	ok(!run(sb) && !nr_got && stats.bad == 8, "a mapping cut short");
	put_record(0, PERF_RECORD_FORK, 0, &lost, 8, 1);
	ok(!run(sb) && !nr_got && stats.bad == 9, "a fork cut short");
	put_comm(0, 1, "good again", 1);
	ok(!run(sb) && nr_got == 1 && stats.bad == 9, "and it goes on");
	wp_sideband_close(sb);

	/* Noise, with headers that are right often enough to get further. */
	srand(1);
	opt.ids = wp_buildids_new();
	opt.filter = true;
	opt.wanted = only_five;
	sb = fresh(&opt, 0);
	for (i = 0; i < 20000; i++) {
		unsigned int j;

		for (j = 0; j < RING / 4; j++)
			((unsigned int *)ring[i % 2])[j] = rand();
		for (j = 0; j < RING; j += 8 * (1 + rand() % 16)) {
			struct perf_event_header *h = (void *)&ring[i % 2][j];

			h->type = rand() % 16;
			h->size = 8 * (rand() % 24);
		}
		head[i % 2] += (rand() % (RING / 8 + 1)) * 8;
		if (run(sb))
			break;
	}
	ok(i == 20000 && stats.bad, "noise: %llu bad, %llu unknown, %llu records",
	   (unsigned long long)stats.bad, (unsigned long long)stats.unknown,
	   (unsigned long long)stats.records);
	wp_sideband_close(sb);
	wp_buildids_free(opt.ids);
	opt = (struct wp_sideband_options){ .pages = 3 };
	ok(!wp_sideband_new(&opt) && strstr(wp_last_error(), "power of two"), "-m 3 is refused");

	/* The kernel's own rings, where we may. */
	opt = (struct wp_sideband_options){ .pages = 1, .file_id = file_id };
	if (wp_sideband_open(&sb, &opt)) {
		ok(1, "records of this host # SKIP %s", wp_last_error());
		return done();
	}
	if (system("/bin/true"))
		return 2;
	nr_got = 0;
	ok(!wp_sideband_drain(sb, &upto, true, take, NULL) && nr_got >= 4 && upto == ~0ULL,
	   "records of this host");
	for (i = 0; i < 200; i++) {
		if (system("/bin/true"))
			return 2;
	}
	nr_got = 0;
	wp_sideband_drain(sb, &upto, true, take, NULL);
	wp_sideband_stats(sb, &stats);
	ok(stats.lost > 0 && !stats.bad, "a ring of one page overflows, and reports %llu lost",
	   (unsigned long long)stats.lost);
	wp_sideband_close(sb);
	return done();
}
