// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of batch.c: which samples are written when, in which order, and how many are late.
 * The file is read back by its records' headers.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/perfdata/perfdata.h"
#include "lib/record/batch.h"
#include "newfile.h"
#include "tap.h"

static char dir[] = "/tmp/wallprof-batch.XXXXXX";
static char path[64];

static struct {
	char *data;
	const __u64 *h;		/* the header's words */
	unsigned int samples, rounds;
	bool sorted;
} file;

/* Whether all records of the file are there. */
static bool whole(void)
{
	__u64 at, end, last = 0;
	struct stat st;
	int fd = open(path, O_RDONLY);

	free(file.data);
	memset(&file, 0, sizeof(file));
	file.sorted = true;
	if (fd < 0 || fstat(fd, &st))
		return false;
	file.data = malloc(st.st_size);
	if (!file.data || read(fd, file.data, st.st_size) != st.st_size)
		exit(2);
	close(fd);
	file.h = (void *)file.data;
	end = file.h[5] + file.h[6];
	for (at = file.h[5]; at < end; ) {
		const struct perf_event_header *r = (void *)(file.data + at);

		if (end - at < sizeof(*r) || r->size < sizeof(*r) || r->size > end - at)
			return false;
		at += r->size;
		file.rounds += r->type == 68;
		if (r->type != PERF_RECORD_SAMPLE)
			continue;
		file.samples++;
		file.sorted &= ((const __u64 *)r)[4] >= last;
		last = ((const __u64 *)r)[4];
	}
	return end <= (__u64)st.st_size;
}

static struct wp_perfdata *make(size_t buffer)
{
	struct wp_perfdata *pd = new_file(path, buffer);

	if (!pd)
		exit(2);
	return pd;
}

/* The data of a file of samples for two events, a CPU and a period of its own for each. */
static char *twice(int (*write_second)(struct wp_batch *b, const struct wp_perfdata_sample *s,
				       __u64 upto), size_t *size)
{
	struct wp_perfdata *pd = make(0);
	struct wp_batch *b = wp_batch_new(pd, false);
	struct wp_perfdata_sample s = { .tid = 1 };
	unsigned int i, bad = 0;
	__u64 ips[16] = { 0 };
	char *data;

	s.user_ips = ips;
	for (i = 0; i < 20000; i++) {
		/* Some are too late to be written. */
		const __u64 upto = i % 7 ? ~0ULL : 0;

		s.time = 1000 + i;
		s.cpu = i % 3;
		s.nr_user = i % 16;
		ips[i % 16] = i;
		s.event = 1;
		s.period = 3 * i;
		bad |= wp_batch_write_sample(b, &s, upto);
		s.event = 2;
		s.period = i;
		bad |= write_second(b, &s, upto);
		/* After another record, and twice. */
		if (i % 5)
			continue;
		bad |= wp_perfdata_finished_round(pd);
		bad |= write_second(b, &s, upto);
		s.event = 1;
		bad |= write_second(b, &s, upto);
	}
	bad |= wp_batch_flush(b, ~0ULL);
	wp_batch_free(b);
	bad |= wp_perfdata_close(pd, NULL) || !whole() || file.samples != 48000;
	*size = file.h[6];
	data = malloc(*size);
	if (!data || bad)
		exit(2);
	memcpy(data, file.data + file.h[5], *size);
	return data;
}

static void test_again(void)
{
	size_t size, same_size;
	char *data = twice(wp_batch_write_sample, &size);
	char *same = twice(wp_batch_write_again, &same_size);

	ok(size > 2 << 20 && size == same_size && !memcmp(data, same, size),
	   "a sample is written again for another event: %zu bytes", size);
	free(data);
	free(same);
}

static void test_batch(void)
{
	const __u64 sec = 1000000000, ms = 1000000;
	struct wp_perfdata *pd = make(0);
	struct wp_batch *b = wp_batch_new(pd, true);
	struct wp_perfdata_sample s = { .period = 1 };
	unsigned int i, bad = 0;

	srand(2);
	for (i = 0; i < 3000; i++) {
		s.time = (1 + rand() % 20000) * ms;
		bad |= wp_batch_add_sample(b, &s);
	}
	bad |= wp_batch_flush(b, 10 * sec);
	ok(!bad && wp_perfdata_samples(pd) && wp_perfdata_samples(pd) < 3000, "later ones wait");
	bad |= wp_batch_flush(b, 14 * sec);
	bad |= wp_batch_flush(b, 14 * sec);
	ok(!bad && !wp_batch_late(b), "none is late");
	s.time = 6 * sec;
	bad |= wp_batch_add_sample(b, &s);
	bad |= wp_batch_flush(b, 18 * sec);
	ok(wp_batch_late(b) == 1, "one two rounds late is counted");
	bad |= wp_batch_flush(b, ~0ULL);
	ok(!bad && wp_perfdata_samples(pd) == 3001, "all are written");
	wp_batch_free(b);
	ok(!wp_perfdata_close(pd, NULL) && whole() && file.samples == 3001 && file.rounds == 4 &&
	   !file.sorted, "samples and rounds");

	/* Samples in order of time, between records that wait. */
	pd = make(0);
	b = wp_batch_new(pd, true);
	for (i = 0; i < 1000; i++) {
		s.time = 5 * sec + 2 * i * ms;
		bad |= wp_batch_add_sample(b, &s);
	}
	for (i = 0; i < 1000; i++) {
		s.time = 5 * sec + (2 * i + 1) * ms;
		bad |= wp_batch_write_sample(b, &s, 6 * sec);
	}
	ok(!bad && wp_perfdata_samples(pd) == 1000, "up to a time they are written at once");
	bad |= wp_batch_flush(b, 6 * sec);
	s.time = 7 * sec;
	bad |= wp_batch_write_sample(b, &s, ~0ULL) | wp_batch_flush(b, ~0ULL);
	ok(!bad && !wp_batch_late(b), "none is late");
	s.time = 5 * sec;
	bad |= wp_batch_write_sample(b, &s, ~0ULL) | wp_batch_flush(b, ~0ULL);
	ok(!bad && wp_batch_late(b) == 1, "one that is written at once can be late, too");
	wp_batch_free(b);
	ok(!wp_perfdata_close(pd, NULL) && whole() && file.samples == 2002 && file.rounds,
	   "all are in the file");

	pd = make(0);
	b = wp_batch_new(pd, true);
	for (i = 0; i < 99; i++) {
		s.time = 5 * sec + i * 10 * ms;
		bad |= wp_batch_add_sample(b, &s);
		bad |= wp_batch_flush(b, s.time);
	}
	s.time = 5 * sec + 1;
	bad |= wp_batch_add_sample(b, &s);
	bad |= wp_batch_flush(b, ~0ULL);
	ok(!bad && !wp_batch_late(b), "many flushes are one round: none is late in it");
	wp_batch_free(b);
	ok(!wp_perfdata_close(pd, NULL) && whole() && file.samples == 100 && file.rounds == 1,
	   "one round in a second");

	pd = make(0);
	b = wp_batch_new(pd, false);
	for (i = 0; i < 1000; i++) {
		s.time = 1 + rand() % 1000;
		wp_batch_add_sample(b, &s);
	}
	wp_batch_flush(b, ~0ULL);
	wp_batch_free(b);
	ok(!wp_perfdata_close(pd, NULL) && whole() && file.samples == 1000 && !file.rounds &&
	   file.sorted, "sorted, without rounds");
}

int main(void)
{
	char cmd[128];

	if (!mkdtemp(dir))
		return 2;
	snprintf(path, sizeof(path), "%s/perf.data", dir);
	test_batch();
	test_again();
	free(file.data);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) ? 2 : done();
}
