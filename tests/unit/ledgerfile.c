// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the ledger in the recording's own file, written and read, and of a
 * perf.data's header and features; and of how both are refused when they are damaged.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/model/processes.h"
#include "lib/perfdata/perffile.h"
#include "lib/record/ledgerspool.h"
#include "tap.h"

#define NR	1000

static char dir[] = "/tmp/wallprof-unit-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static struct wp_totals totals_of(__u32 tid)
{
	struct wp_totals a = {
		.tid = tid, .tgid = tid & ~7U, .flags = WALLPROF_TASK_OPEN, .ended = tid % 3 == 0,
		.born = 10, .end = 1010, .run_ns = 100 + tid % 100, .off_ns = 800,
		.nr_off = 4, .unknown_ns = 100 - tid % 100, .spill_ns = 5, .runnable_ns = 300,
		.runnable_max = 200, .blocked_max = 400, .asleep_since = tid,
	};

	snprintf(a.comm, sizeof(a.comm), "thread %u", tid);
	return a;
}

static int compare(void *ctx, const struct wp_totals *a)
{
	__u32 *nr = ctx;
	struct wp_totals b = totals_of(++*nr);

	return a->tid != b.tid || a->tgid != b.tgid || strcmp(a->comm, b.comm) ||
	       a->flags != b.flags || a->ended != b.ended || a->born != b.born ||
	       a->end != b.end || a->run_ns != b.run_ns || a->off_ns != b.off_ns ||
	       a->nr_off != b.nr_off || a->unknown_ns != b.unknown_ns ||
	       a->spill_ns != b.spill_ns || a->runnable_ns != b.runnable_ns ||
	       a->runnable_max != b.runnable_max || a->blocked_max != b.blocked_max ||
	       a->asleep_since != b.asleep_since;
}

#define HEAD		80
#define NR_WAITS	40000
#define PROCESSES	5000

/* Of each process eight reasons, the last one the longest; and what is no wait. */
static void add_waits(struct wp_ledgerspool *spool)
{
	for (unsigned int i = 0; i < NR_WAITS * 4; i++) {
		struct wp_wait wait = {
			.tgid = i % PROCESSES + 1, .count = 2, .total = 100 + i / PROCESSES % 8,
			.runnable = 90,
			.cause = {
				.reason = WALLPROF_REASON_SYSCALL, .syscall = i / PROCESSES % 8,
				.waker = WALLPROF_WAKER_TASK, .waker_tid = i, .arg = i,
			},
		};

		wp_ledgerspool_wait(spool, &wait);
		wait.total = wait.runnable;
		wait.cause.syscall = 99;
		wp_ledgerspool_wait(spool, &wait);
	}
}

/* Whether the sums of these are right. */
static bool whole(struct wp_procwaits *p)
{
	const struct wp_procwait *w;
	size_t nr, i;

	wp_procwaits_sort(p);
	for (__u32 tgid = 1; tgid <= PROCESSES; tgid++) {
		w = wp_procwaits_of(p, tgid, &nr);
		for (i = 0; i < nr; i++)
			if (w[i].tgid != tgid || w[i].syscall != 7 - i || w[i].count != 4 * 2 ||
			    w[i].blocked_ns != 4 * (17 - i) || w[i].flags ||
			    w[i].reason != WALLPROF_REASON_SYSCALL)
				return false;
		if (nr != 8)
			return false;
	}
	wp_procwaits_of(p, 0, &nr);
	i = nr;
	wp_procwaits_of(p, PROCESSES + 1, &nr);
	return p->nr == NR_WAITS && !i && !nr;
}

/* A file that can be no larger: nothing of the ledger stays. */
static void test_full(struct wp_ledgerspool *spool, const struct wp_ledgerfile_head *written)
{
	struct rlimit old, small = { 20000, RLIM_INFINITY };
	int fd = open(in_dir("small"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct stat st;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	ok(write(fd, "whole", 5) == 5 &&
	   wp_ledgerspool_append(spool, fd, "small", written) == -EFBIG && !fstat(fd, &st) &&
	   st.st_size == 5 && strstr(wp_last_warning(), "small is whole, but has no ledger"),
	   "a file that has no room for it stays as it was");
	setrlimit(RLIMIT_FSIZE, &old);
	close(fd);
}

static void test_round(void)
{
	const struct wp_ledgerfile_head written = { .start = 1, .stop = 2, .lost = 3, .lost_ns = 4,
						 .untracked = 5, .untracked_ns = 6 };
	struct wp_ledgerfile_head head;
	const char *path = in_dir("data");
	struct wp_ledgerspool spool;
	struct wp_procwaits waits = {};
	struct stat before, after;
	__u64 offset;
	__u32 nr = 0;
	int fd, i;

	ok(!wp_ledgerspool_open(&spool, path) && wp_ledgerspool_is_open(&spool),
	   "files for the totals and the waits");
	for (i = 1; i <= NR; i++) {
		struct wp_totals a = totals_of(i);

		wp_ledgerspool_totals(&spool, &a);
	}
	add_waits(&spool);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	ok(write(fd, "what perf reads", 15) == 15 && !fstat(fd, &before) &&
	   wp_ledgerfile_open(fd, &head, &offset) == -ENOENT, "a file without a ledger");
	ok(!wp_ledgerspool_append(&spool, fd, path, &written) &&
	   !wp_ledgerfile_open(fd, &head, &offset) &&
	   head.nr == NR && head.start == 1 && head.stop == 2 && head.lost == 3 &&
	   head.lost_ns == 4 && head.untracked == 5 && head.untracked_ns == 6,
	   "is appended, and its head found");
	ok(!wp_ledgerfile_read(fd, &head, offset, compare, &nr) && nr == NR,
	   "all accounts are as they were");
	fstat(fd, &after);
	ok(after.st_size == before.st_size + HEAD + NR * 120 + (off_t)head.nr_waits * 24 + 32,
	   "nothing else is added");
	/* More entries than sums: they did not stay in memory. */
	ok(head.nr_waits > NR_WAITS / 2 && !wp_ledgerfile_read_waits(fd, &head, offset, &waits) &&
	   whole(&waits), "what they were blocked in, summed again (%llu)",
	   (unsigned long long)head.nr_waits);
	wp_procwaits_free(&waits);
	test_full(&spool, &written);
	wp_ledgerspool_close(&spool);
	ok(!wp_ledgerspool_is_open(&spool) && !wp_ledgerspool_append(&spool, fd, path, &written) &&
	   !wp_ledgerspool_wait(&spool, &(struct wp_wait){ .count = 1, .total = 1 }),
	   "of one that is closed nothing is added");
	close(fd);
	ok(!wp_ledgerspool_open(&spool, "/nowhere/data") && spool.totals && spool.waits,
	   "accounts of a file where none can be made");
	wp_ledgerspool_close(&spool);
}

/* Temporary files can be full: the recording goes on. */
static void test_spool_full(void)
{
	struct rlimit old, small = { 8192, RLIM_INFINITY };
	struct wp_ledgerspool spool;
	struct wp_totals a = totals_of(1);
	int i;

	wp_ledgerspool_open(&spool, in_dir("data"));
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	for (i = 0; i < 1000 && wp_ledgerspool_is_open(&spool); i++)
		wp_ledgerspool_totals(&spool, &a);
	ok(i < 1000 && strstr(wp_last_warning(), "found no room"),
	   "accounts that find no room are given up");
	wp_ledgerspool_open(&spool, in_dir("data"));
	for (i = 0; i < 1000000 && wp_ledgerspool_is_open(&spool); i++) {
		const struct wp_wait wait = { .tgid = i, .count = 1, .total = 1 };

		wp_ledgerspool_wait(&spool, &wait);
	}
	ok(i < 1000000, "so are waits");
	setrlimit(RLIMIT_FSIZE, &old);
}

/* A later version may say more at each end. */
static void test_longer(void)
{
	struct {
		struct wp_ledgerfile_head head;
		char more[8];
		struct {
			struct wp_ledgerfile_totals a;
			char more[16];
		} account[2];
		struct wp_ledgerfile_trailer trailer;
	} f = {
		.head = { .head_size = sizeof(f.head) + 8, .totals_size = 120 + 16, .nr = 2 },
		.account[0].a = { .tid = 1, .comm = "no end in sight", .flags = 1U << 31 | 1 },
		.account[1].a = { .tid = 2, .comm = "two" },
		.trailer = { .size = sizeof(f) - sizeof(f.trailer), .magic = WP_LEDGERFILE_MAGIC },
	};
	int fd = open(in_dir("longer"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct wp_ledgerfile_head head;
	struct wp_processes p = {};
	__u64 offset;

	f.account[0].a.comm[15] = '.';
	ok(write(fd, &f, sizeof(f)) == sizeof(f) && !wp_ledgerfile_open(fd, &head, &offset) &&
	   offset == HEAD + 8 &&
	   !wp_ledgerfile_read(fd, &head, offset, (void *)wp_processes_add, &p) && p.nr == 1,
	   "a longer head, and longer accounts");
	wp_processes_sort(&p);
	ok(p.entry[0].threads == 2 && !strcmp(p.entry[0].comm, "no end in sight"),
	   "a name without an end is cut");
	wp_processes_free(&p);
	close(fd);
}

/* An earlier one says less. */
static void test_shorter(void)
{
	struct {
		char head[64];
		struct wp_ledgerfile_totals account;
		struct wp_ledgerfile_trailer trailer;
	} f = {
		.account = { .tid = 1, .tgid = 1 },
		.trailer = { .size = sizeof(f) - sizeof(f.trailer), .magic = WP_LEDGERFILE_MAGIC },
	};
	const struct wp_ledgerfile_head old = { .head_size = 64, .totals_size = 120, .nr = 1 };
	int fd = open(in_dir("shorter"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct wp_ledgerfile_head head;
	struct wp_processes p = {};
	struct wp_procwaits waits = {};
	__u64 offset;

	memcpy(f.head, &old, sizeof(f.head));
	ok(write(fd, &f, sizeof(f)) == sizeof(f) && !wp_ledgerfile_open(fd, &head, &offset) &&
	   offset == 64 && !head.nr_waits &&
	   !wp_ledgerfile_read(fd, &head, offset, (void *)wp_processes_add, &p) && p.nr == 1 &&
	   !wp_ledgerfile_read_waits(fd, &head, offset, &waits) && !waits.nr,
	   "a head without waits");
	wp_processes_free(&p);
	close(fd);
}

static int refused(off_t size, off_t at, __u64 value, unsigned int bytes)
{
	int fd = open(in_dir("data"), O_RDONLY), bad = open(in_dir("bad"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct wp_ledgerfile_head head;
	char *all = malloc(size);
	__u64 offset;
	int err = 0;

	if (pread(fd, all, size, 0) != size || write(bad, all, size) != size ||
	    (bytes && pwrite(bad, &value, bytes, at) != bytes))
		err = 1;
	err = err ? err : wp_ledgerfile_open(bad, &head, &offset);
	free(all);
	close(fd);
	close(bad);
	return err;
}

static void test_damaged(void)
{
	const off_t head = 15, waits = 4 * NR_WAITS;
	const off_t size = head + HEAD + NR * 120 + waits * 24 + 32, trailer = size - 32;

	ok(!refused(size, 0, 0, 0), "a copy of it is good");
	ok(refused(size - 1, 0, 0, 0) == -ENOENT && refused(100, 0, 0, 0) == -ENOENT &&
	   refused(1, 0, 0, 0) == -ENOENT, "one that is cut off has none");
	ok(refused(size, trailer, head + 1, 8) == -EPROTO &&
	   refused(size, trailer, ~0ULL, 8) == -EPROTO, "a trailer that points elsewhere");
	ok(refused(size, trailer + 8, 0, 8) == -EPROTO &&
	   refused(size, trailer + 8, ~0ULL, 8) == -EPROTO &&
	   refused(size, trailer + 8, size, 8) == -EPROTO, "one of another size");
	ok(refused(size, head, 63, 4) == -EPROTO && refused(size, head, ~0U, 4) == -EPROTO &&
	   refused(size, head, 72, 4) == -EPROTO && refused(size, head, 88, 4) == -EPROTO,
	   "a head of another size");
	ok(refused(size, head + 4, 0, 4) == -EPROTO && refused(size, head + 4, 119, 4) == -EPROTO &&
	   refused(size, head + 4, ~0U, 4) == -EPROTO && refused(size, head + 4, 240, 4) == -EPROTO,
	   "accounts of another size");
	ok(refused(size, head + 8, NR + 1, 8) == -EPROTO &&
	   refused(size, head + 8, ~0ULL, 8) == -EPROTO, "another number of them");
	ok(refused(size, head + 64, 0, 8) == -EPROTO &&
	   refused(size, head + 64, waits - 1, 8) == -EPROTO &&
	   refused(size, head + 64, waits + 1, 8) == -EPROTO &&
	   refused(size, head + 64, ~0ULL, 8) == -EPROTO, "another number of waits");
	ok(refused(size, head + 72, 0, 4) == -EPROTO && refused(size, head + 72, 23, 4) == -EPROTO &&
	   refused(size, head + 72, 48, 4) == -EPROTO && refused(size, head + 72, ~0U, 4) == -EPROTO,
	   "waits of another size");
}

static void add_string(struct wp_buf *b, const char *s)
{
	wp_buf_string(b, s);
}

static int perffile_of(struct wp_perffile *f, const struct wp_file_header *h, size_t size,
		       const void *rest, size_t rest_size)
{
	const char *path = in_dir("perf");
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (write(fd, h, size) != (ssize_t)size ||
	    write(fd, rest, rest_size) != (ssize_t)rest_size)
		return 1;
	close(fd);
	return wp_perffile_open(f, path);
}

static void test_perffile(void)
{
	struct wp_file_header h = {
		.magic = WP_PERF_MAGIC, .size = sizeof(h), .data = { sizeof(h), 8 },
		.features[0] = 1 << WP_FEAT_HOSTNAME | 1 << WP_FEAT_ARCH | 1 << WP_FEAT_CMDLINE |
			       1 << WP_FEAT_CLOCK_DATA,
	}, bad;
	struct wp_buf host = {}, arch = {}, cmdline = {}, clock = {}, all = {}, b;
	struct wp_file_section s = { sizeof(h) + 8 + 4 * sizeof(s), 0 };
	const struct timespec stamps[2] = { { 1, 0 }, { 12345, 0 } };
	struct wp_perffile f;
	bool written;
	char *text;
	size_t len;
	time_t day;
	__u64 tod;

	add_string(&host, "here");
	wp_buf_u32(&arch, 100);		/* longer than the section */
	wp_buf_u32(&cmdline, 3);
	add_string(&cmdline, "/usr/bin/wallprof");
	add_string(&cmdline, "record");
	add_string(&cmdline, "-a");
	wp_buf_u32(&clock, 1);
	wp_buf_u32(&clock, 1);
	wp_buf_u64(&clock, 1000);
	wp_buf_u64(&clock, 100);
	wp_buf_add(&all, "a record", 8);
	for (unsigned int i = 0; i < 4; i++) {
		s.size = (const struct wp_buf *[]){ &host, &arch, &cmdline, &clock }[i]->len;
		wp_buf_add(&all, &s, sizeof(s));
		s.offset += s.size;
	}
	wp_buf_add(&all, host.data, host.len);
	wp_buf_add(&all, arch.data, arch.len);
	wp_buf_add(&all, cmdline.data, cmdline.len);
	wp_buf_add(&all, clock.data, clock.len);

	ok(!perffile_of(&f, &h, sizeof(h), all.data, all.len), "a perf.data");
	text = wp_perffile_string(&f, WP_FEAT_HOSTNAME);
	ok(text && !strcmp(text, "here"), "its host");
	free(text);
	ok(!wp_perffile_string(&f, WP_FEAT_ARCH), "a string longer than its section is none");
	ok(!wp_perffile_string(&f, WP_FEAT_VERSION) &&
	   wp_perffile_feature(&f, WP_FEAT_VERSION, &b) == -ENOENT, "nor what is not there");
	text = wp_perffile_words(&f, &len);
	ok(text && len == 28 && !memcmp(text, "/usr/bin/wallprof\0record\0-a", len), "its words");
	free(text);
	text = wp_perffile_cmdline(&f);
	ok(text && !strcmp(text, "/usr/bin/wallprof record -a"), "its command");
	free(text);
	ok(wp_perffile_time(&f, 150, &tod) && tod == 1050, "a time of day");
	ok(wp_perffile_day(&f, 100 + 7000000000, &day, &written) && day == 7 && !written,
	   "when it was recorded");
	ok(!futimens(f.fd, stamps) && wp_perffile_day(&f, 0, &day, &written) && day == 12345 &&
	   written, "of no time, when the file was written");
	wp_perffile_close(&f);
	bad = h;
	bad.features[0] &= ~(1ULL << WP_FEAT_CLOCK_DATA);
	ok(!perffile_of(&f, &bad, sizeof(bad), all.data, all.len) && !futimens(f.fd, stamps) &&
	   wp_perffile_day(&f, 100, &day, &written) && day == 12345 && written,
	   "or, if it has none, when the file was written");
	wp_perffile_close(&f);

	bad = h;
	bad.features[0] |= 1 << WP_FEAT_VERSION;	/* all of the table but its first is another's */
	ok(!perffile_of(&f, &bad, sizeof(bad), all.data, 8 + 3 * sizeof(s)) &&
	   wp_perffile_feature(&f, WP_FEAT_CMDLINE, &b) == -EPROTO &&
	   wp_perffile_feature(&f, WP_FEAT_HOSTNAME, &b) == -EPROTO,
	   "sections that are not in the file are refused");
	wp_perffile_close(&f);
	bad = h;
	bad.data.size = all.len + 1;
	ok(perffile_of(&f, &bad, sizeof(bad), all.data, all.len) == -EPROTO &&
	   strstr(wp_last_error(), "cut off"), "so is one that is cut off");
	bad.data = (struct wp_file_section){ ~0ULL - 3, 8 };
	ok(perffile_of(&f, &bad, sizeof(bad), all.data, all.len) == -EPROTO, "wherever it ends");
	bad = h;
	bad.size = 16;
	ok(perffile_of(&f, &bad, 16, NULL, 0) == -EPROTO &&
	   strstr(wp_last_error(), "not a perf.data file"),
	   "what was written to a pipe, and ends before its events");
	bad.magic = __builtin_bswap64(bad.magic);
	ok(perffile_of(&f, &bad, 16, NULL, 0) == -ENOTSUP && strstr(wp_last_error(), "byte order"),
	   "what has the other order of bytes");
	ok(perffile_of(&f, &h, 7, NULL, 0) == -EPROTO && perffile_of(&f, &h, 0, NULL, 0) == -EPROTO &&
	   strstr(wp_last_error(), "not a perf.data"), "and what is no perf.data");
	ok(wp_perffile_open(&f, in_dir("none")) == -ENOENT &&
	   strstr(wp_last_error(), "wallprof record"), "one that is not there says how to make one");
	ok(wp_perffile_open(&f, "/proc/self") == -EINVAL &&
	   wp_perffile_open(&f, "/dev/null") == -EINVAL,
	   "a directory, a device");
	wp_buf_free(&host);
	wp_buf_free(&arch);
	wp_buf_free(&cmdline);
	wp_buf_free(&clock);
	wp_buf_free(&all);
}

static void test_processes(void)
{
	struct wp_processes p = {};
	__u64 threads = 0;
	size_t i;
	__u32 tid;

	wp_processes_sort(&p);
	ok(!p.nr, "no process");
	/* The main thread, whose name is the process's, comes last. */
	for (tid = 80000; tid; tid--) {
		struct wp_totals a = totals_of(tid);

		if (tid == 4003)
			a.run_ns = 1000000;
		wp_processes_add(&p, &a);
	}
	wp_processes_sort(&p);
	for (i = 0; i < p.nr; i++)
		threads += p.entry[i].threads;
	ok(p.nr == 10001 && threads == 80000, "many processes (%zu)", p.nr);
	ok(p.entry[0].tgid == 4000 && !strcmp(p.entry[0].comm, "thread 4000") &&
	   p.entry[0].threads == 8 && p.entry[0].wall_ns == 8000 &&
	   p.entry[0].run_ns == 1000000 + 7 * 100 + 1 + 2 + 4 + 5 + 6 + 7 &&
	   p.entry[0].off_ns == 6400 && p.entry[0].runnable_ns == 2400 &&
	   p.entry[0].unknown_ns == 800 - 28, "the busiest is the first, with its sums and name");
	wp_processes_free(&p);
}

int main(void)
{
	char command[64];

	wp_set_verbosity(WP_SILENT);
	if (!mkdtemp(dir))
		return 1;
	test_round();
	test_spool_full();
	test_longer();
	test_shorter();
	test_damaged();
	test_perffile();
	test_processes();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : done();
}
