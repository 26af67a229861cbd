// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of rows of time: what goes into one, whose it is, and in which order they are.
 */
#include <locale.h>
#include <string.h>

#include "lib/model/waitrows.h"
#include "tap.h"

static struct wp_waitrows rows;

static void add(const char *what, const char *where, const char *comm, int tid, __u64 value,
		__u64 longest)
{
	const struct wp_waititem item = {
		.what = what, .where = where, .apart = "", .comm = comm, .pid = 1, .tid = tid,
		.value = value, .longest = longest, .at_most = value > longest,
	};

	if (wp_waitrows_add(&rows, &item))
		ok(0, "no memory");
}

static void by(size_t i, size_t width, const char *wanted)
{
	char to[64];

	wp_waitrow_by(&rows.row[i], width, to, sizeof(to));
	ok(!strcmp(to, wanted), "row %zu in %zu: by '%s'", i, width, to);
}

static void longest(size_t i, const char *wanted)
{
	char to[16];

	wp_waitrow_longest(&rows.row[i], to);
	ok(!strcmp(to, wanted), "row %zu: longest '%s'", i, to);
}

int main(void)
{
	struct wp_waititem apart = {
		.what = "kernel", .where = "-", .apart = "kworker", .comm = "kworker/0:1",
		.pid = 7, .tid = 7, .value = 1,
	};
	size_t i;

	setlocale(LC_CTYPE, "C.UTF-8");
	wp_waitrows_sort(&rows);
	ok(!rows.nr && !rows.total, "an empty table");
	add("futex", "f", "worker-0", 10, 100, 100);
	add("futex", "f", "worker-1", 11, 50, 20);
	add("futex", "f", "worker-1", 11, 5, 5);
	add("read", "f", "client", 12, 1000, 0);
	add("read", "f", "client", 13, 1000, 0);
	add("poll", "g", "nginx", 14, 30, 30);
	add("poll", "g", "cron", 15, 40, 5);
	add("poll", "h", "sh", 16, 40, 1000000);
	wp_waitrows_add(&rows, &apart);
	apart.apart = "rcu";
	wp_waitrows_add(&rows, &apart);
	wp_waitrows_sort(&rows);
	ok(rows.nr == 6 && rows.total == 2267, "%zu rows, %llu in all", rows.nr,
	   (unsigned long long)rows.total);
	for (i = 1; i < rows.nr; i++) {
		if (rows.row[i].value > rows.row[i - 1].value)
			break;
	}
	ok(i == rows.nr, "the largest come first");
	ok(!strcmp(rows.row[0].what, "read") && !strcmp(rows.row[0].where, "f") &&
	   rows.row[0].value == 2000, "the first one");
	by(0, 20, "client (2)");
	by(0, 8, "cli… (2)");
	by(1, 20, "worker-* (2)");
	by(2, 20, "cron, +1 (2)");
	by(3, 20, "sh");
	longest(0, "-");
	longest(1, "100 ns");
	longest(2, "30 ns");
	longest(3, "1.00 ms");
	ok(rows.row[4].value == 1 && rows.row[5].value == 1, "what is apart has a row of its own");
	wp_waitrows_free(&rows);
	add("x", "y", "z", 1, 2000, 1000);
	wp_waitrows_sort(&rows);
	longest(0, "<1.00 us");
	wp_waitrows_free(&rows);
	return done();
}
