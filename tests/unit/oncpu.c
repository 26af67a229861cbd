// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of how samples of a clock are scaled to the time that threads ran.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/profile/oncpu.h"
#include "lib/record/ledgerspool.h"
#include "tap.h"

#define THREADS	1000

/* A file with a ledger: thread i of process i / 10 ran i us, and thread 7 twice. */
static int recording(__u32 flags)
{
	struct wp_ledgerfile_head head = { .stop = 100, .flags = flags };
	struct wp_ledgerspool spool;
	char path[] = "/tmp/wallprof-oncpu-XXXXXX";
	int fd = mkstemp(path);
	__u32 i;

	unlink(path);
	if (fd < 0 || wp_ledgerspool_open(&spool, path))
		exit(1);
	for (i = 0; i < THREADS; i++) {
		const struct wp_totals a = {
			.tid = i, .tgid = i / 10, .comm = "thread", .born = 10, .end = 30,
			.run_ns = i * 1000,
		};

		wp_ledgerspool_totals(&spool, &a);
		if (i == 7)
			wp_ledgerspool_totals(&spool, &a);
	}
	/* The ledger stands behind what is there already. */
	if (write(fd, "file", 4) != 4 || wp_ledgerspool_append(&spool, fd, path, &head))
		exit(1);
	wp_ledgerspool_close(&spool);
	return fd;
}

static int count(void *ctx, const struct wp_oncpu_thread *t)
{
	__u64 *sum = ctx;

	if (strcmp(t->comm, "thread") || t->middle != 20 || t->pid != t->tid / 10)
		return -1;
	*sum += t->run_ns;
	return 0;
}

static int stop(void *ctx, const struct wp_oncpu_thread *t)
{
	return t->tid;
}

int main(void)
{
	int fd = recording(0), some = recording(WP_LEDGERFILE_SOME_CPUS);
	__u64 left = 0, all = (__u64)THREADS * (THREADS - 1) / 2 * 1000 + 7000;
	unsigned long long thirds[3] = { 0 };
	struct wp_oncpu o;
	int i;

	ok(!wp_oncpu_read(&o, fd) && o.known, "a recording with a ledger");
	ok(!wp_oncpu_without(&o, count, &left) && left == all, "nobody is sampled");
	ok(!wp_oncpu_sample(&o, 50, 500, 100) && !wp_oncpu_sample(&o, 50, 500, 25) &&
	   !wp_oncpu_sample(&o, 0, 7, 28000) && !wp_oncpu_sample(&o, 0, 0, 50) &&
	   !wp_oncpu_sample(&o, 4000, 4000, 60) && !wp_oncpu_sample(&o, 99, 999, 21), "samples");
	ok(wp_oncpu_scale(&o, 50, 500, 100) == 400000 &&
	   wp_oncpu_scale(&o, 50, 500, 25) == 100000, "too few samples");
	for (i = 0; i < 7; i++)
		thirds[i % 3] += wp_oncpu_scale(&o, 99, 999, 3);
	ok(thirds[0] == 428144 && thirds[1] == 285428 && thirds[2] == 285428,
	   "what is rounded adds up: %llu, %llu, %llu", thirds[0], thirds[1], thirds[2]);
	ok(wp_oncpu_scale(&o, 0, 7, 28000) == 14000, "too many, of a number used twice");
	ok(wp_oncpu_scale(&o, 0, 0, 50) == 50, "a thread that did not run stays as it was");
	ok(wp_oncpu_scale(&o, 4000, 4000, 60) == 60 && wp_oncpu_scale(&o, 4000, 1, 9) == 9,
	   "and so do those without totals");
	ok(wp_oncpu_scale(&o, 9, 99, 5) == 5, "and one that has no sample");
	left = 0;
	ok(!wp_oncpu_without(&o, count, &left) && left == all - 500000 - 14000 - 999000,
	   "the time of those without samples");
	ok(wp_oncpu_without(&o, stop, NULL) == 1, "it can be ended");
	ok(!wp_oncpu_scale(&o, 50, 500, ~0ULL) && !wp_oncpu_scale(&o, 50, 500, ~0ULL),
	   "never more than the thread ran");
	wp_oncpu_free(&o);

	ok(!wp_oncpu_read(&o, some) && !o.known && !wp_oncpu_sample(&o, 50, 500, 100) &&
	   wp_oncpu_scale(&o, 50, 500, 100) == 100 && !wp_oncpu_without(&o, stop, NULL),
	   "samples of some CPUs stand for what they do");
	wp_oncpu_free(&o);
	if (ftruncate(fd, lseek(fd, 0, SEEK_END) - 1))
		return 1;
	ok(!wp_oncpu_read(&o, fd) && !o.known, "a recording without a ledger");
	wp_oncpu_free(&o);
	close(some);
	close(fd);
	return done();
}
