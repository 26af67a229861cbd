// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of the lengths of off-CPU intervals (--hist): single ones, as text, and per
 * thread over its lifetime. The module counts in powers of two per aggregate; these
 * counts are added up here. Called by merge.c, rawsample.c and the record command.
 *
 * Pure: no I/O, no clock. Only a lack of memory can make it fail.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/hist.h"

#define NSEC_PER_USEC	1000

struct node {
	struct wp_hist_thread thread;
	struct wp_hist hist;
};

/**
 * wp_hist_read() - read an aggregate's histogram
 * @h: filled in
 * @from: the histogram in the mapping
 */
void wp_hist_read(struct wp_hist *h, const struct wallprof_hist *from)
{
	unsigned int i;

	for (i = 0; i < WALLPROF_HIST_BUCKETS; i++) {
		h->blocked[i] = from->blocked[i];
		h->runnable[i] = from->runnable[i];
	}
}

/* As described at struct wallprof_hist. */
static void count(__u64 *buckets, __u64 ns)
{
	unsigned int nr = 0;
	__u64 us;

	if (!ns)
		return;
	for (us = ns / NSEC_PER_USEC; us && nr < WALLPROF_HIST_BUCKETS - 1; us /= 2)
		nr++;
	buckets[nr]++;
}

/**
 * wp_hist_one() - histogram of a single interval
 * @h: filled in
 * @ns: its length
 * @runnable: the part of it in which the thread was runnable
 */
void wp_hist_one(struct wp_hist *h, __u64 ns, __u64 runnable)
{
	memset(h, 0, sizeof(*h));
	count(h->blocked, ns - runnable);
	count(h->runnable, runnable);
}

/**
 * wp_hist_add() - add one histogram to another
 * @h: the sum
 * @more: the one to add
 */
void wp_hist_add(struct wp_hist *h, const struct wp_hist *more)
{
	unsigned int i;

	for (i = 0; i < WALLPROF_HIST_BUCKETS; i++) {
		h->blocked[i] += more->blocked[i];
		h->runnable[i] += more->runnable[i];
	}
}

/**
 * wp_hist_from() - lower bound of a bucket
 * @bucket: its number
 *
 * Return: microseconds; the next bucket's lower bound is its upper bound, exclusive.
 */
__u64 wp_hist_from(unsigned int bucket)
{
	return bucket ? 1ULL << (bucket - 1) : 0;
}

/**
 * wp_hist_text() - format the histogram of one kind of lengths
 * @buckets: wp_hist.blocked or .runnable
 * @buf: room for WP_HIST_TEXT_MAX bytes
 *
 * Return: @buf: FROM:COUNT,… of the buckets with counts, in microseconds; "-" if there
 * are none.
 */
const char *wp_hist_text(const __u64 *buckets, char *buf)
{
	unsigned int i;
	char *at = buf;

	for (i = 0; i < WALLPROF_HIST_BUCKETS; i++) {
		if (buckets[i])
			at += sprintf(at, "%s%" PRIu64 ":%" PRIu64, at == buf ? "" : ",",
				      (uint64_t)wp_hist_from(i), (uint64_t)buckets[i]);
	}
	if (at == buf)
		strcpy(buf, "-");
	return buf;
}

static int by_birth(const struct wp_hist_thread *a, const struct wp_hist_thread *b)
{
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start_time != b->start_time)
		return a->start_time < b->start_time ? -1 : 1;
	return 0;
}

static int by_thread(const void *pa, const void *pb)
{
	const struct wp_hist_thread *a = pa, *b = pb;
	int order = by_birth(a, b);

	if (order || a->exec_id == b->exec_id)
		return order;
	return a->exec_id < b->exec_id ? -1 : 1;
}

/* All entries of a thread up to an exec compare equal. The first argument is the key. */
static int by_thread_so_far(const void *pa, const void *pb)
{
	const struct wp_hist_thread *a = pa, *b = pb;
	int order = by_birth(a, b);

	return order || b->exec_id <= a->exec_id ? order : -1;
}

/**
 * wp_hist_table_init() - initialize an empty table
 * @t: the table
 * @most: maximum number of threads
 */
void wp_hist_table_init(struct wp_hist_table *t, size_t most)
{
	memset(t, 0, sizeof(*t));
	t->most = most;
}

/**
 * wp_hist_table_free() - free a table
 * @t: the table, or all zeroes
 */
void wp_hist_table_free(struct wp_hist_table *t)
{
	tdestroy(t->root, free);
	memset(t, 0, sizeof(*t));
}

/**
 * wp_hist_table_add() - add to a thread's histogram
 * @t: the table
 * @thread: the thread
 * @h: what to add
 *
 * If the table is full, @left_out is incremented each time.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_hist_table_add(struct wp_hist_table *t, const struct wp_hist_thread *thread,
		      const struct wp_hist *h)
{
	struct node *node, **found = tfind(thread, &t->root, by_thread);

	if (found) {
		wp_hist_add(&(*found)->hist, h);
		return 0;
	}
	if (t->nr >= t->most) {
		t->left_out++;
		return 0;
	}
	node = malloc(sizeof(*node));
	if (!node)
		return -ENOMEM;
	*node = (struct node){ .thread = *thread, .hist = *h };
	if (!tsearch(node, &t->root, by_thread)) {
		free(node);
		return -ENOMEM;
	}
	t->nr++;
	return 0;
}

/**
 * wp_hist_table_take() - remove a thread
 * @t: the table
 * @thread: the thread as it ended
 * @h: set to its histogram, over all programs that it executed
 *
 * Return: false if it is not there; @h is all zeroes then.
 */
bool wp_hist_table_take(struct wp_hist_table *t, const struct wp_hist_thread *thread,
			struct wp_hist *h)
{
	struct node *node, **found;
	bool any = false;

	memset(h, 0, sizeof(*h));
	while ((found = tfind(thread, &t->root, by_thread_so_far))) {
		node = *found;
		tdelete(node, &t->root, by_thread);
		t->nr--;
		wp_hist_add(h, &node->hist);
		free(node);
		any = true;
	}
	return any;
}
