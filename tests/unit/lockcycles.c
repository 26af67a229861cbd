// SPDX-License-Identifier: GPL-2.0
/* Tests of threads that wait for each other. */
#include <stdlib.h>

#include "lib/model/lockcycles.h"
#include "tap.h"

#define MANY	100000
#define NONE	((size_t)-1)

struct threads {
	size_t nr;
	size_t calls;
	size_t next[MANY];
};

static struct threads threads;
static bool found[MANY];

static size_t next(const void *ctx, size_t i)
{
	const struct threads *t = ctx;

	threads.calls++;
	return t->next[i] == NONE ? t->nr : t->next[i];
}

/* Of few threads: a digit is the thread that one waits for, '-' none; and '1' in a cycle. */
static void few(const char *what, const char *waits, const char *want)
{
	bool same;
	size_t i;

	for (i = 0; waits[i]; i++)
		threads.next[i] = waits[i] == '-' ? NONE : (size_t)(waits[i] - '0');
	threads.nr = i;
	same = !wp_lockcycles_find(threads.nr, next, &threads, found);
	for (i = 0; i < threads.nr; i++)
		same = same && found[i] == (want[i] == '1');
	ok(same, "%s", what);
}

/* All behind each other, up to a thread that waits for another one, or for none. */
static void many(const char *what, size_t last, size_t want)
{
	size_t i, nr = 0;

	for (i = 0; i < MANY; i++)
		threads.next[i] = i + 1;
	threads.next[MANY - 1] = last;
	threads.nr = MANY;
	threads.calls = 0;
	if (wp_lockcycles_find(MANY, next, &threads, found))
		nr = NONE;
	for (i = 0; i < MANY; i++)
		nr += found[i];
	ok(nr == want && threads.calls <= 2 * MANY, "%s: %zu, in %zu calls", what, nr,
	   threads.calls);
}

int main(void)
{
	few("no threads", "", "");
	few("nobody waits", "--", "00");
	few("a chain", "12-", "000");
	few("a chain from the last one on", "-01", "000");
	few("a thread that waits for itself", "0", "1");
	few("two", "10", "11");
	few("three, and some behind them", "120012", "111000");
	few("two cycles, and a chain behind one", "103224", "111100");
	few("a cycle that is found from behind", "1232", "0011");
	many("a long chain", NONE, 0);
	many("a long chain behind two", MANY - 2, 2);
	many("a long cycle", 0, MANY);
	return done();
}
