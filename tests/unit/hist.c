// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of histograms: the buckets are the module's, all that is added is there, and
 * of threads there are no more than there may be.
 */
#include <string.h>

#include "lib/model/hist.h"
#include "tap.h"

static __u64 sum(const __u64 *buckets)
{
	unsigned int i;
	__u64 all = 0;

	for (i = 0; i < WALLPROF_HIST_BUCKETS; i++)
		all += buckets[i];
	return all;
}

/* As uapi/linux/wallprof.h has it. */
static void test_buckets(void)
{
	static const struct {
		__u64 ns;
		unsigned int bucket;
	} rows[] = {
		{ 1, 0 }, { 999, 0 }, { 1000, 1 }, { 1999, 1 }, { 2000, 2 }, { 3999, 2 },
		{ 4000, 3 }, { (1000ULL << 30) - 1, 30 }, { 1000ULL << 30, 31 },
		{ ~0ULL, 31 },
	};
	unsigned int i, bad = 0;
	struct wp_hist h;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wp_hist_one(&h, rows[i].ns, 0);
		bad += h.blocked[rows[i].bucket] != 1 || sum(h.blocked) != 1 || sum(h.runnable);
		wp_hist_one(&h, rows[i].ns, rows[i].ns);
		bad += h.runnable[rows[i].bucket] != 1 || sum(h.runnable) != 1 || sum(h.blocked);
	}
	ok(!bad, "a length is in its bucket (%u wrong)", bad);
	wp_hist_one(&h, 0, 0);
	ok(!sum(h.blocked) && !sum(h.runnable), "one of nothing is in none");
	wp_hist_one(&h, 105000, 5000);
	ok(h.blocked[7] == 1 && h.runnable[3] == 1, "both parts of an interval");
	ok(wp_hist_from(0) == 0 && wp_hist_from(1) == 1 && wp_hist_from(2) == 2 &&
	   wp_hist_from(31) == 1ULL << 30, "where buckets begin");
}

static void test_sums(void)
{
	struct wallprof_hist from = { .blocked = { [0] = 1, [31] = ~0U }, .runnable = { [5] = 7 } };
	char text[WP_HIST_TEXT_MAX];
	struct wp_hist h, more;
	unsigned int i;

	wp_hist_read(&h, &from);
	wp_hist_read(&more, &from);
	wp_hist_add(&h, &more);
	ok(h.blocked[0] == 2 && h.blocked[31] == 2ULL * ~0U && h.runnable[5] == 14 &&
	   sum(h.runnable) == 14, "counts are added");
	ok(!strcmp(wp_hist_text(h.blocked, text), "0:2,1073741824:8589934590"), "as text");
	memset(&h, 0, sizeof(h));
	ok(!strcmp(wp_hist_text(h.blocked, text), "-"), "of nothing");
	memset(&h, 0xff, sizeof(h));
	wp_hist_text(h.blocked, text);
	for (i = 0; text[i]; i++)
		;
	ok(i < WP_HIST_TEXT_MAX && !strcmp(text + i - 20, "18446744073709551615"),
	   "of as much as there can be");
}

static struct wp_hist_thread thread_of(__u32 tid, __u64 start_time, __u32 exec_id)
{
	return (struct wp_hist_thread){ tid, exec_id, start_time };
}

static void test_table(void)
{
	struct wp_hist_thread thread;
	struct wp_hist_table t;
	struct wp_hist h, one;
	unsigned int i, bad = 0;

	wp_hist_one(&one, 10000, 0);
	wp_hist_table_init(&t, 1000);
	thread = thread_of(1, 1, 1);
	ok(!wp_hist_table_take(&t, &thread, &h) && !sum(h.blocked), "an empty table");
	/* Numbers come again. */
	for (i = 0; i < 3000; i++) {
		thread = thread_of(i % 10, i % 1000, 1);
		bad += wp_hist_table_add(&t, &thread, &one);
	}
	ok(!bad && t.nr == 1000 && !t.left_out, "threads are distinguished by their birth");
	thread = thread_of(10, 0, 1);
	bad += wp_hist_table_add(&t, &thread, &one);
	thread = thread_of(0, 10, 1);
	bad += wp_hist_table_add(&t, &thread, &one);
	ok(!bad && t.nr == 1000 && t.left_out == 1, "what finds no room is counted");
	ok(wp_hist_table_take(&t, &thread, &h) && sum(h.blocked) == 4, "what was there grew");
	for (i = 0; i < 1000; i++) {
		thread = thread_of(i % 10, i, 1);
		bad += wp_hist_table_take(&t, &thread, &h) != (i != 10) ||
		       sum(h.blocked) != (i == 10 ? 0 : 3);
	}
	ok(!bad && !t.nr, "all can be taken, once (%u wrong)", bad);
	/* One executes twice, and is another one's leader then. */
	for (i = 1; i <= 3; i++) {
		thread = thread_of(5, 6, i);
		wp_hist_table_add(&t, &thread, &one);
	}
	thread = thread_of(5, 7, 2);
	wp_hist_table_add(&t, &thread, &one);
	thread = thread_of(4, 6, 2);
	wp_hist_table_add(&t, &thread, &one);
	thread = thread_of(5, 6, 2);
	ok(wp_hist_table_take(&t, &thread, &h) && sum(h.blocked) == 2 && t.nr == 3,
	   "a leader that ends has what was before the other's exec");
	thread = thread_of(5, 6, 3);
	ok(wp_hist_table_take(&t, &thread, &h) && sum(h.blocked) == 1 && t.nr == 2,
	   "and who took its place what came then");
	wp_hist_table_free(&t);
}

int main(void)
{
	test_buckets();
	test_sums();
	test_table();
	return done();
}
