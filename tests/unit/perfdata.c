// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of perfdata.c: the file is taken apart again by an independent little reader, after a
 * close, an abort at any moment, a kill and a disk that is full. What perf itself makes of it
 * is writer.test's business.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buildid.h"
#include "lib/base/err.h"
#include "lib/perfdata/events.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/mmaprecord.h"
#include "lib/perfdata/perfdata.h"
#include "newfile.h"
#include "tap.h"

static char dir[] = "/tmp/wallprof-perfdata.XXXXXX";
static char path[64];

static struct {
	char *data;
	size_t size;
	const __u64 *h;		/* the header's words */
	unsigned int samples, rounds, lost, others;
	__u64 period, last_time;
	bool sorted;
} file;

static __u64 sec_at(const char *table, unsigned int i, bool size)
{
	__u64 v;

	memcpy(&v, table + 16 * i + 8 * size, 8);
	return v;
}

/* NULL if the file is whole, else what is wrong. */
static const char *read_back(void)
{
	int fd = open(path, O_RDONLY);
	__u64 data, end, attr, nr_attrs, i, n = 0;
	struct stat st;

	free(file.data);
	memset(&file, 0, sizeof(file));
	if (fd < 0 || fstat(fd, &st))
		return "no file";
	file.data = malloc(st.st_size + 1);
	file.size = read(fd, file.data, st.st_size);
	close(fd);
	file.h = (void *)file.data;
	if (file.size < 104 || memcmp(file.data, "PERFILE2", 8) || file.h[1] != 104)
		return "header";
	attr = file.h[3];
	if (file.h[2] != new_file_attr_size + 16 || file.h[4] % file.h[2] ||
	    attr + file.h[4] > file.size)
		return "attrs";
	nr_attrs = file.h[4] / file.h[2];
	for (i = 0; i < nr_attrs; i++) {
		struct perf_event_attr a = { 0 };
		__u64 ids[2];

		memcpy(&a, file.data + attr + i * file.h[2], new_file_attr_size);
		memcpy(ids, file.data + attr + i * file.h[2] + new_file_attr_size, 16);
		if (a.size != new_file_attr_size || a.sample_type != WP_PERFDATA_SAMPLE_TYPE ||
		    !a.sample_id_all || !a.use_clockid || a.clockid != 1 ||
		    ids[0] < 104 || ids[0] + ids[1] > attr || !ids[1])
			return "an attr";
	}
	data = file.h[5];
	end = data + file.h[6];
	if (data != attr + file.h[4] || end > file.size)
		return "data section";
	for (i = 0; i < 32; i++)
		n += file.h[9] >> i & 1;
	if (end + 16 * n > file.size)
		return "feature table";
	for (i = 0; i < n; i++) {
		if (sec_at(file.data + end, i, false) + sec_at(file.data + end, i, true) >
		    file.size || sec_at(file.data + end, i, false) < end + 16 * n)
			return "a feature section";
	}
	file.sorted = true;
	while (data < end) {
		const struct perf_event_header *r = (void *)(file.data + data);
		const __u64 *w = (void *)r;

		if (end - data < 8 || r->size < 8 || r->size % 8 || r->size > end - data)
			return "a record";
		if (r->type == PERF_RECORD_SAMPLE) {
			if (w[7] != (r->size - 64u) / 8)
				return "a callchain";
			if (w[4] < file.last_time)
				file.sorted = false;
			file.last_time = w[4];
			file.samples++;
			file.period += w[6];
		} else if (r->type == 68) {
			file.rounds++;
		} else if (r->type == PERF_RECORD_LOST) {
			file.lost++;
		} else {
			file.others++;
		}
		data += r->size;
	}
	return NULL;
}

static bool whole(void)
{
	const char *why = read_back();

	if (why)
		printf("# damaged: %s\n", why);
	return !why;
}

static struct wp_perfdata *make(size_t buffer)
{
	return new_file(path, buffer);
}

static int sample(struct wp_perfdata *pd, __u64 time, unsigned int nr_user)
{
	static __u64 ips[20000];
	struct wp_perfdata_sample s = {
		.event = 1, .pid = 1, .tid = 2, .cpu = 5, .time = time, .period = 10,
		.nr_user = nr_user, .user_ips = ips };

	ips[0] = 0x1000;
	return wp_perfdata_write_sample(pd, &s);
}

static struct wp_perfdata *aborted;

static void on_alarm(int sig)
{
	wp_perfdata_abort(aborted);
	_exit(sig == SIGALRM ? 0 : 1);
}

/* In a child: write samples until a timer's handler aborts, or SIGKILL comes. */
static bool interrupted(unsigned int usec, int sig, unsigned int *samples)
{
	int status, fds[2];
	pid_t pid;
	char c;

	unlink(path);
	if (pipe(fds))
		return false;
	pid = fork();
	if (!pid) {
		struct itimerval t = { .it_value.tv_usec = usec };
		__u64 time;

		aborted = make(1 << 17);
		if (!aborted || write(fds[1], "x", 1) != 1)
			_exit(2);
		signal(SIGALRM, on_alarm);
		if (sig == SIGALRM)
			setitimer(ITIMER_REAL, &t, NULL);
		for (time = 1; ; time++)
			sample(aborted, time, 3);
	}
	if (read(fds[0], &c, 1) != 1)
		return false;
	if (sig == SIGKILL) {
		usleep(usec);
		kill(pid, SIGKILL);
	}
	waitpid(pid, &status, 0);
	close(fds[0]);
	close(fds[1]);
	if (sig == SIGALRM && (!WIFEXITED(status) || WEXITSTATUS(status)))
		return false;
	if (!whole())
		return false;
	*samples = file.samples;
	/* Nothing twice, nothing missing in between. */
	return file.sorted && file.last_time == file.samples;
}

static void test_encode(void)
{
	static __u64 buf[8192], ips[10000];
	struct wp_perfdata_sample s = { .event = 1, .pid = 1, .tid = 2, .cpu = 5, .time = 3,
					.period = 4 };
	struct perf_event_header *h = (void *)buf;
	struct wp_perfdata *pd = make(0);
	size_t len;

	ok(pd != NULL, "open");
	if (!pd)
		return;
	ips[0] = 0xffffffff81000000;
	ips[1] = 0x4000;
	len = wp_perfdata_encode_sample(pd, &s, buf, sizeof(buf));
	ok(len == 64 && h->size == 64 && h->misc == PERF_RECORD_MISC_USER && buf[1] == 6 &&
	   !buf[2] && buf[3] == (2ULL << 32 | 1) && buf[4] == 3 && buf[5] == 5 && buf[6] == 4 &&
	   !buf[7], "a sample without anything");
	s.ip = 0x1234;
	len = wp_perfdata_encode_sample(pd, &s, buf, sizeof(buf));
	ok(len == 80 && buf[2] == 0x1234 && buf[7] == 2 && buf[8] == PERF_CONTEXT_USER &&
	   buf[9] == 0x1234, "an ip alone is its own callchain");
	s.ip = 0;
	s.nr_kernel = 1;
	s.kernel_ips = ips;
	s.nr_user = 1;
	s.user_ips = ips + 1;
	len = wp_perfdata_encode_sample(pd, &s, buf, sizeof(buf));
	ok(len == 96 && buf[2] == 0x4000 && h->misc == PERF_RECORD_MISC_USER && buf[7] == 4 &&
	   buf[8] == PERF_CONTEXT_KERNEL && buf[9] == ips[0] && buf[10] == PERF_CONTEXT_USER &&
	   buf[11] == 0x4000, "two stacks, the user's leaf");
	s.kernel_mode = true;
	wp_perfdata_encode_sample(pd, &s, buf, sizeof(buf));
	ok(buf[2] == ips[0] && h->misc == PERF_RECORD_MISC_KERNEL, "two stacks, the kernel's leaf");
	s.nr_user = 10000;
	s.user_ips = ips;
	len = wp_perfdata_encode_sample(pd, &s, buf, sizeof(buf));
	ok(len && len <= 0xffff && h->size == len && len % 8 == 0, "a stack too deep is cut: %zu",
	   len);
	s.nr_kernel = 10000;
	len = wp_perfdata_encode_sample(pd, &s, buf, sizeof(buf));
	ok(len && len <= 0xffff && h->size == len, "two stacks too deep are cut");
	ok(!wp_perfdata_encode_sample(pd, &s, buf, 1000), "no room");
	ok(wp_perfdata_id(pd, 0, 0) == 1 && wp_perfdata_id(pd, 2, 5) == 9 &&
	   wp_perfdata_id(pd, 1, 3) == 4 && wp_perfdata_id(pd, 1, -1) == 4 &&
	   wp_perfdata_id(pd, 1, 1000000) == 4 && !wp_perfdata_id(pd, 3, 0), "ids");
	s.event = 3;
	ok(wp_perfdata_write_sample(pd, &s) == -EINVAL, "an event that is not there");
	ok(wp_perfdata_write_record(pd, &(struct perf_event_header){ .size = 7 }) == -EINVAL,
	   "a record of an odd size");
	ok(!wp_perfdata_close(pd, NULL) && whole() && !file.samples, "an empty file is whole");
}

static void test_file(void)
{
	struct wp_buildids *ids = wp_buildids_new();
	struct wp_buildid id = { .size = 20 };
	struct wp_perfdata *pd = make(0);
	struct stat st;
	unsigned int i;
	int bad = 0;

	for (i = 1; i <= 5000; i++)
		bad |= sample(pd, i, i % 200);
	bad |= wp_perfdata_write_lost(pd, 1, 0, 7, 3);
	bad |= wp_perfdata_finished_round(pd);
	ok(!bad && wp_perfdata_samples(pd) == 5000, "samples are written");
	wp_buildids_add(ids, "/with/id", 0, false, &id);
	wp_buildids_add(ids, "/without", 0, false, NULL);
	ok(!wp_perfdata_close(pd, ids), "close");
	ok(whole() && file.samples == 5000 && file.period == 50000 && file.lost == 1 &&
	   file.rounds == 1 && !file.others && file.sorted, "and come back");
	/*
	 * BUILD_ID is the first section: one record of 36 + 64 bytes, and one that says that
	 * lists of functions are kept.
	 */
	ok(file.h[9] >> WP_FEAT_BUILD_ID & 1 &&
	   sec_at(file.data + file.h[5] + file.h[6], 0, true) ==
	   100 + 36 + 8 + sizeof(struct wp_features_jit), "one build-id is known");
	ok(file.h[9] >> WP_FEAT_NRCPUS & 1 && file.h[9] >> WP_FEAT_EVENT_DESC & 1 &&
	   file.h[9] >> WP_FEAT_CLOCK_DATA & 1 && !(file.h[9] >> 1 & 1), "features");
	ok(!stat(path, &st) && (st.st_mode & 0777) == 0600, "for the owner only");
	wp_buildids_free(ids);
}

/* Of several files of one path, which build-id is the path's, and where the others are. */
static void test_files(void)
{
	static const char exe[] = "/proc/self/exe";
	struct wp_buildid id, other = { .size = 20, .data = { 1 } };
	struct wp_mapped map = { .file = { 8, 1, 50 } };
	struct wp_buildids *ids;
	struct wp_dso *first, *dso;
	struct wp_perfdata *pd;
	char name[256] = "";
	unsigned int i, nr;

	if (readlink(exe, name, sizeof(name) - 1) < 0 || buildid_of_file(name, &id))
		exit(2);
	/* Ours is the first one, in the middle, the last one. */
	for (i = 0, nr = 0; i < 3; i++) {
		ids = wp_buildids_new();
		map.file = (struct wp_fileid){ 8, 1, 50 };
		if (!i)
			wp_buildids_map(ids, name, &map, &id);
		map.file.ino++;
		wp_buildids_map(ids, name, &map, &other);
		wp_buildids_map(ids, name, &map, &other);
		map.file.ino++;
		if (i == 1)
			wp_buildids_map(ids, name, &map, &id);
		map.file.ino++;
		wp_buildids_map(ids, name, &map, NULL);
		map.file.ino++;
		if (i == 2)
			wp_buildids_map(ids, name, &map, &id);
		wp_buildids_resolve(ids);
		first = wp_buildids_find_id(ids, name, &id);
		dso = wp_buildids_find_id(ids, name, &other);
		nr += first && !first->other && !first->repeats && dso && dso->other &&
			buildids_count(ids) == 3;
		pd = make(0);
		ok(!wp_perfdata_close(pd, ids) && whole(), "a path with three files");
		wp_buildids_free(ids);
	}
	ok(nr == 3, "the host's own file stands for its path, whenever it came (%u of 3)", nr);

	ids = wp_buildids_new();
	wp_buildids_map(ids, "/nonesuch", &map, &id);
	map.file.ino++;
	wp_buildids_map(ids, "/nonesuch", &map, &other);
	wp_buildids_map(ids, "/nonesuch", &map, &other);
	map.file.ino++;
	wp_buildids_map(ids, "/nonesuch", &map, &other);
	wp_buildids_resolve(ids);
	first = wp_buildids_find_id(ids, "/nonesuch", &id);
	dso = wp_buildids_find_id(ids, "/nonesuch", &other);
	ok(first && first->other && dso && !dso->other && !dso->repeats &&
	   buildids_count(ids) == 3, "or else the one that was mapped most");
	map.file.ino--;
	dso = wp_buildids_map(ids, "/nonesuch", &map, &id);
	ok(dso == first, "an overwritten file is the one of its build-id");
	id.data[0]++;
	dso = wp_buildids_map(ids, "/nonesuch", &map, &id);
	ok(dso && !dso->last.file.maj && !dso->last.file.min && dso->last.file.ino &&
	   buildids_count(ids) == 4, "or a new one");
	for (i = 0; i < 3000; i++) {
		map.file.ino++;
		dso = wp_buildids_map(ids, "/nonesuch", &map, &id);
	}
	ok(buildids_count(ids) == WP_BUILDIDS_OF_PATH + 1 && !dso->id.size,
	   "there is an end to the files of a path");
	wp_buildids_free(ids);
}

/* Files without build-ids: whether they are those that their paths lead to. */
static void test_another(void)
{
	struct wp_buildids *ids = wp_buildids_new();
	struct wp_dso *here, *gone, *none, *memory;
	struct wp_mapped map = { 0 };
	char name[80];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%s/no-id", dir);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || fstat(fd, &st))
		exit(2);
	close(fd);
	/* As on btrfs, this device is none that mappings have. */
	map.file = (struct wp_fileid){ 0, 12345, st.st_ino };
	if (major(st.st_dev))
		map.file = (struct wp_fileid){ major(st.st_dev), minor(st.st_dev), st.st_ino };
	here = wp_buildids_map(ids, name, &map, NULL);
	map.file.ino += 1000;
	gone = wp_buildids_map(ids, name, &map, NULL);
	none = wp_buildids_map(ids, "/nonesuch", &map, NULL);
	memory = wp_buildids_map(ids, "[stack]", &map, NULL);
	ok(wp_buildids_are_ambiguous(ids), "two files of one path");
	wp_buildids_resolve(ids);
	ok(here && !wp_buildids_is_another(here), "a file that is there is no other one");
	ok(gone && wp_buildids_is_another(gone), "one that has another inode is");
	ok(none && !wp_buildids_is_another(none) && memory && !wp_buildids_is_another(memory),
	   "not if there is none now");
	wp_buildids_free(ids);

	ids = wp_buildids_new();
	gone = wp_buildids_map(ids, name, &map, NULL);
	ok(!wp_buildids_are_ambiguous(ids) && !wp_buildids_find_one_of(ids, name, &map.file),
	   "nothing is known before the end");
	wp_buildids_resolve(ids);
	ok(gone && wp_buildids_are_ambiguous(ids) &&
	   wp_buildids_find_one_of(ids, name, &map.file) == gone,
	   "another one that is the only one of its path");
	wp_buildids_free(ids);

	ids = wp_buildids_new();
	map.file = (struct wp_fileid){ major(st.st_dev), minor(st.st_dev), st.st_ino };
	map.pid = getpid();
	here = wp_buildids_map(ids, name, &map, NULL);
	ok(here && here->stat.st_ino == st.st_ino && !wp_buildids_is_another(here),
	   "a file is looked at when it is mapped");
	if (truncate(name, 100))
		exit(2);
	wp_buildids_resolve(ids);
	ok(wp_buildids_is_another(here), "and is another one if it has changed since");
	wp_buildids_free(ids);
	unlink(name);
}

/* A mapping's record as it is in the file; the path has 8 bytes. */
static struct map {
	struct wp_mmap2_record rec;
	char name[8];
	struct wp_sample_id sid;
} mapped(unsigned int i, const char *name, __u32 prot)
{
	struct map map = { .rec = { .header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
						sizeof(map) },
				    .pid = 7, .tid = 7, .start = i * 0x1000, .len = 0x1000,
				    .maj = 8, .min = 1, .ino = 50 + i, .prot = prot } };

	memcpy(map.name, name, 8);
	return map;
}

/*
 * Records get the build-id where several files have their path, or what stands for none if
 * their path leads to another file; and else stay as they are.
 */
static void test_maps(void)
{
	const struct wp_buildid id = { .size = 16, .data = { 9, 8, 7 } };
	const struct wp_buildid other = { .size = 20, .data = { 6, 5, 4 } };
	struct map map[1000], back, *now = &back;
	struct wp_buildids *ids = wp_buildids_new();
	struct wp_perfdata *pd = make(0);
	unsigned int i, bad = 0, nr = 0;
	struct wp_mapped place = { 0 };
	const char *at;

	for (i = 0; i < 1000; i++) {
		const char *name = i < 997 ? "/lib/so" : i < 998 ? "/bin/sh" :
			i < 999 ? "/lib/on" : "12345678";

		map[i] = mapped(i, name, i == 5 ? PROT_READ : PROT_READ | PROT_EXEC);
		bad |= wp_perfdata_write_record(pd, &map[i].rec.header);
		place.file = (struct wp_fileid){ 8, 1, map[i].rec.ino };
		if (i < 999)
			wp_buildids_map(ids, name, &place,
					i == 6 || i == 997 ? NULL : i & 1 ? &id : &other);
	}
	ok(!bad && !wp_perfdata_close(pd, ids) && whole(), "a file with mappings");
	wp_buildids_free(ids);
	for (at = file.data; nr < 1000 && at < file.data + file.size - sizeof(back); at += 8) {
		memcpy(now, at, sizeof(back));
		if (now->rec.header.type != PERF_RECORD_MMAP2 ||
		    now->rec.header.size != sizeof(back) || now->rec.pid != 7)
			continue;
		i = nr++;
		if (i == 997) {
			const struct wp_nobuildid none = { WP_NO_BUILDID, 8, 1, 50 + i };

			map[i].rec.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
			map[i].rec.build_id_size = sizeof(none);
			memset(map[i].rec.reserved, 0, 3);
			memcpy(map[i].rec.build_id, &none, sizeof(none));
		}
		if (i != 5 && i != 6 && i < 997) {
			const struct wp_buildid *want = i & 1 ? &id : &other;

			map[i].rec.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
			map[i].rec.build_id_size = want->size;
			memset(map[i].rec.reserved, 0, 3);
			memcpy(map[i].rec.build_id, want->data, sizeof(want->data));
		}
		bad += !!memcmp(&back, &map[i], sizeof(back));
	}
	ok(nr == 1000 && !bad, "1000 mappings have their build-ids: %u, %u wrong", nr, bad);
}

/* A record that is as long as the sample that was written before it. */
static void test_not_again(void)
{
	struct { struct perf_event_header h; __u64 words[7]; } other = {
		.h = { .type = PERF_RECORD_EXIT, .size = sizeof(other) },
	};
	struct wp_perfdata_sample s = { .period = 5 };
	struct wp_perfdata *pd = make(0);
	int bad = wp_perfdata_write_sample(pd, &s);

	bad |= wp_perfdata_flush(pd) | wp_perfdata_write_record(pd, &other.h);
	bad |= wp_perfdata_write_again(pd, &s);
	ok(!bad && !wp_perfdata_close(pd, NULL) && whole() && file.samples == 2 &&
	   file.others == 1 && file.period == 10, "what follows a flush is no sample to write again");
}

/* perf before 5.5 refuses larger attrs than its own. */
static void test_old(void)
{
	struct wp_perfdata *pd;
	int bad;

	new_file_attr_size = wp_attrsize_of(WP_ATTRSIZE_OLDEST);
	pd = make(0);
	bad = sample(pd, 1, 3);
	ok(!bad && !wp_perfdata_close(pd, NULL) && whole() && file.samples == 1 &&
	   file.h[2] == 112 + 16, "a file for a perf before 5.5");
	new_file_attr_size = WP_ATTRSIZE;
	ok(wp_attrsize_of(120) == 120 && wp_attrsize_of(144) == 120 && wp_attrsize_of(0) == 120 &&
	   wp_attrsize_of(72) == 120, "for a later one, and where the kernel does not say");
	ok(wp_attrsize_here() == 112 || wp_attrsize_here() == 120, "for the one that runs");
}

/* A limit on the size of files stands for a disk that fills up. */
static void test_full(void)
{
	struct rlimit old, lim;
	struct wp_perfdata *pd;
	unsigned int i;
	__u64 kept;
	int ret = 0;

	getrlimit(RLIMIT_FSIZE, &old);
	lim = old;
	lim.rlim_cur = 400000;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &lim);
	pd = make(1 << 17);
	wp_clear_errors();
	for (i = 1; i < 100000 && !ret; i++)
		ret = sample(pd, i, 1);
	ok(ret == -EFBIG && strstr(wp_last_error(), "cannot write") &&
	   strstr(wp_last_error(), "File too large"), "a full disk: %s", wp_last_error());
	ok(sample(pd, i, 1) == ret && wp_perfdata_finished_round(pd) == ret, "the error stays");
	kept = wp_perfdata_kept(pd);
	ok(wp_perfdata_close(pd, NULL) == ret, "close returns it");
	setrlimit(RLIMIT_FSIZE, &old);
	ok(whole() && file.samples > 1000 && file.last_time == file.samples &&
	   file.h[9] >> WP_FEAT_EVENT_DESC & 1,
	   "what was written before is whole: %u samples", file.samples);
	ok(kept && kept == file.h[6], "which is as much as was said");
}

static void test_open(void)
{
	struct wp_perfdata_event ev;
	struct wp_perfdata *pd;
	char old[80], pipe_path[80];
	struct stat st;

	wp_perfdata_event_offcpu(&ev);
	struct wp_perfdata_options o = { .path = "-", .events = &ev, .nr_events = 1 };

	ok(wp_perfdata_open(&pd, &o) == -ESPIPE && !pd, "-o - is refused");
	o.path = "/";
	ok(wp_perfdata_open(&pd, &o) == -EISDIR, "a directory is refused");
	o.path = "/nonesuch/x";
	ok(wp_perfdata_open(&pd, &o) == -ENOENT && strstr(wp_last_error(), "/nonesuch/x"),
	   "a directory that is not there");
	snprintf(pipe_path, sizeof(pipe_path), "%s/fifo", dir);
	o.path = pipe_path;
	ok(!mkfifo(pipe_path, 0600) && wp_perfdata_open(&pd, &o) == -ESPIPE, "a FIFO is refused");
	o.path = path;
	o.nr_events = 0;
	ok(wp_perfdata_open(&pd, &o) == -EINVAL, "no event");
	o.nr_events = 1;
	o.cpus = (int []){ -1 };
	o.nr_cpus = 1;
	ok(wp_perfdata_open(&pd, &o) == -EINVAL, "a CPU below zero");
	o.cpus = NULL;
	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
	ok(!wp_perfdata_open(&pd, &o) && !wp_perfdata_close(pd, NULL) && !stat(old, &st) && whole(),
	   "an old file is kept as .old");
	unlink(old);
	close(open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644));
	chmod(path, 0666);
	ok(!wp_perfdata_open(&pd, &o) && !wp_perfdata_close(pd, NULL) && stat(old, &st) &&
	   !stat(path, &st) && (st.st_mode & 0777) == 0600, "an empty one is taken over");
	o.path = "/dev/null";
	ok(!wp_perfdata_open(&pd, &o) && !wp_perfdata_close(pd, NULL), "/dev/null");
	o.path = "/dev/full";
	ok(wp_perfdata_open(&pd, &o) == -ENOSPC, "/dev/full");
}

int main(void)
{
	unsigned int i, bad = 0, n = 0, most = 0;
	char cmd[64];

	if (!mkdtemp(dir))
		return 2;
	snprintf(path, sizeof(path), "%s/perf.data", dir);
	wp_set_verbosity(WP_SILENT);
	test_encode();
	test_file();
	test_files();
	test_another();
	test_maps();
	test_not_again();
	test_old();
	test_full();
	test_open();
	for (i = 0; i < 60; i++) {
		bad += !interrupted(1000 + i * 331, SIGALRM, &n);
		most = n > most ? n : most;
	}
	ok(!bad && most > 1000, "60 aborts in a signal handler, up to %u samples", most);
	for (i = 0, most = 0, bad = 0; i < 60; i++) {
		bad += !interrupted(1000 + i * 331, SIGKILL, &n);
		most = n > most ? n : most;
	}
	ok(!bad && most > 1000, "60 kills, up to %u samples", most);
	free(file.data);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) ? 2 : done();
}
