// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the times of threads in an interval, by stack and cause, for the top command.
 *
 * The module reports an off-CPU interval when it closes, all of it at once, in the epoch
 * of that time. A view shows for each epoch what was in it. So at the end of an epoch,
 * open intervals are counted as far as they have come; in the next one the same amount is
 * subtracted again, from what closes or is still open then. So a thread that is blocked
 * during an epoch has all of it, and one that wakes after an hour does not show an hour.
 *
 * The subtraction may find nothing to subtract from: the stack was captured anew
 * meanwhile, who woke the thread is known since, or the interval closed between the flip and
 * the read of the thread's slot. Then it is taken from a similar share of the same thread,
 * or else from the next epoch; after that it is dropped.
 *
 * Pure: no I/O, no clock. Only a lack of memory can make it fail.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/top/topshares.h"

#define MIN_BITS	8

static __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static __u64 hash_of(const struct wp_topkey *k)
{
	__u64 hash = mix((__u64)k->tgid << 32 | k->tid, k->start_time);

	hash = mix(hash, (__u64)k->reason << 24 | (__u64)k->syscall << 8 | k->state);
	hash = mix(hash, k->oncpu | k->iowait << 1 | k->lost << 2 | k->compat << 3 |
			 (__u32)k->event << 8);
	hash = mix(hash, (__u32)k->object << 24 | k->waker << 16 | k->owner << 8 | k->lock);
	return mix(mix(hash, (uintptr_t)k->user), (uintptr_t)k->kernel);
}

static bool same_cause(const struct wp_topkey *a, const struct wp_topkey *b)
{
	return a->oncpu == b->oncpu && a->event == b->event && a->reason == b->reason &&
	       a->syscall == b->syscall && a->compat == b->compat;
}

/* The same but for names, which may be known only when the wait is over. */
static bool same_wait(const struct wp_topkey *a, const struct wp_topkey *b)
{
	return a->tgid == b->tgid && a->tid == b->tid && a->start_time == b->start_time &&
	       same_cause(a, b) && a->state == b->state && a->iowait == b->iowait &&
	       a->lost == b->lost && a->user == b->user && a->kernel == b->kernel;
}

static bool same(const struct wp_topkey *a, const struct wp_topkey *b)
{
	return same_wait(a, b) && a->object == b->object && a->waker == b->waker &&
	       a->owner == b->owner && a->lock == b->lock;
}

/**
 * wp_topkey_cause() - the cause of a share, for lib/model/cause.h
 * @key: the share's key
 * @cause: filled in
 */
void wp_topkey_cause(const struct wp_topkey *key, struct wp_cause *cause)
{
	*cause = (struct wp_cause){
		.reason = key->reason,
		.syscall = key->syscall,
		.compat = key->compat,
	};
}

static void hold(const struct wp_topkey *key)
{
	wp_stack_hold(key->user);
	wp_stack_hold(key->kernel);
}

static void drop_all(struct wp_topshare *line, size_t nr)
{
	while (nr--) {
		wp_stack_drop(line[nr].key.user);
		wp_stack_drop(line[nr].key.kernel);
	}
}

/* The slot of a key's line, or the free slot for it. */
static __u32 *place_of(const struct wp_topshares *s, const struct wp_topkey *key)
{
	size_t mask = ((size_t)1 << s->bits) - 1, i = hash_of(key) & mask;

	while (s->slot[i] && !same(&s->line[s->slot[i] - 1].key, key))
		i = (i + 1) & mask;
	return &s->slot[i];
}

static int grow(struct wp_topshares *s)
{
	unsigned int bits = s->bits ? s->bits + 1 : MIN_BITS;
	struct wp_topshare *line;
	__u32 *slot;
	size_t i;

	if (bits > 31)
		return -ENOMEM;
	slot = calloc((size_t)1 << bits, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	line = reallocarray(s->line, (size_t)1 << (bits - 1), sizeof(*line));
	if (!line) {
		free(slot);
		return -ENOMEM;
	}
	free(s->slot);
	s->slot = slot;
	s->line = line;
	s->room = (size_t)1 << (bits - 1);
	s->bits = bits;
	for (i = 0; i < s->nr; i++)
		*place_of(s, &line[i].key) = i + 1;
	return 0;
}

static struct wp_topshare *find(struct wp_topshares *s, const struct wp_topkey *key)
{
	__u32 *place;

	if (s->nr == s->room && grow(s))
		return NULL;
	place = place_of(s, key);
	if (!*place) {
		s->line[s->nr] = (struct wp_topshare){ .key = *key };
		hold(key);
		*place = ++s->nr;
	}
	return &s->line[*place - 1];
}

/**
 * wp_topshares_add() - add closed off-CPU intervals
 * @s: the shares
 * @key: their key
 * @blocked: nanoseconds, from the start of the intervals
 * @runnable: the same
 *
 * Return: 0 or -ENOMEM.
 */
int wp_topshares_add(struct wp_topshares *s, const struct wp_topkey *key, __u64 blocked,
		     __u64 runnable)
{
	struct wp_topshare *line = find(s, key);

	if (!line)
		return -ENOMEM;
	line->ns[WP_TOP_BLOCKED] += blocked;
	line->ns[WP_TOP_RUNNABLE] += runnable;
	return 0;
}

/**
 * wp_topshares_sample() - add samples on a CPU
 * @s: the shares
 * @key: their key
 * @period: the sum of their periods
 *
 * Return: 0 or -ENOMEM.
 */
int wp_topshares_sample(struct wp_topshares *s, const struct wp_topkey *key, __u64 period)
{
	struct wp_topshare *line = find(s, key);

	if (!line)
		return -ENOMEM;
	line->ns[WP_TOP_RUN] += period;
	return 0;
}

/**
 * wp_topshares_open() - add an off-CPU interval that is open at the end
 * @s: the shares
 * @key: its key
 * @blocked: nanoseconds so far, from its start
 * @runnable: the same
 *
 * Return: 0 or -ENOMEM.
 */
int wp_topshares_open(struct wp_topshares *s, const struct wp_topkey *key, __u64 blocked,
		      __u64 runnable)
{
	if (s->nr_open == s->room_open) {
		size_t room = s->room_open ? s->room_open * 2 : 256;
		struct wp_topshare *more = reallocarray(s->open, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->open = more;
		s->room_open = room;
	}
	s->open[s->nr_open++] = (struct wp_topshare){
		.key = *key,
		.ns = { [WP_TOP_BLOCKED] = blocked, [WP_TOP_RUNNABLE] = runnable },
	};
	hold(key);
	return wp_topshares_add(s, key, blocked, runnable);
}

static int by_thread(const struct wp_topkey *a, const struct wp_topkey *b)
{
	int ret = wp_topshares_order(a->tgid, b->tgid);

	ret = ret ? ret : wp_topshares_order(a->tid, b->tid);
	return ret ? ret : wp_topshares_order(a->start_time, b->start_time);
}

static int by_size(const void *pa, const void *pb)
{
	const struct wp_topshare *a = pa, *b = pb;
	int ret = by_thread(&a->key, &b->key);

	if (ret)
		return ret;
	if (a->key.oncpu != b->key.oncpu)
		return a->key.oncpu ? -1 : 1;
	return -wp_topshares_order(wp_topshare_ns(a) + INT64_MAX, wp_topshare_ns(b) + INT64_MAX);
}

/* Take what @debt lacks from another share, without making that negative. */
static void take(struct wp_topshare *debt, struct wp_topshare *from, unsigned int kind)
{
	__s64 ns = -debt->ns[kind];

	if (debt == from || ns <= 0 || from->ns[kind] <= 0)
		return;
	if (ns > from->ns[kind])
		ns = from->ns[kind];
	from->ns[kind] -= ns;
	debt->ns[kind] += ns;
}

/* Distribute what could not be subtracted among one thread's shares. */
static void settle(struct wp_topshare *line, size_t nr)
{
	unsigned int kind;
	size_t i, j;

	for (i = 0; i < nr; i++) {
		for (kind = WP_TOP_RUNNABLE; kind < WP_TOP_TIMES; kind++) {
			if (line[i].ns[kind] >= 0)
				continue;
			for (j = 0; j < nr; j++) {
				if (same_wait(&line[i].key, &line[j].key))
					take(&line[i], &line[j], kind);
			}
			for (j = 0; j < nr; j++) {
				if (same_cause(&line[i].key, &line[j].key))
					take(&line[i], &line[j], kind);
			}
			for (j = 0; j < nr; j++)
				take(&line[i], &line[j], kind);
		}
	}
}

static void settle_all(struct wp_topshares *s)
{
	size_t first = 0, i;

	if (s->nr)
		qsort(s->line, s->nr, sizeof(*s->line), by_size);
	for (i = 1; i <= s->nr; i++) {
		if (i < s->nr && !by_thread(&s->line[first].key, &s->line[i].key))
			continue;
		settle(&s->line[first], i - first);
		if (i - first > 1)
			qsort(&s->line[first], i - first, sizeof(*s->line), by_size);
		first = i;
	}
}

/* Replace the visible shares. */
static int show(struct wp_topshares *s)
{
	struct wp_topshare *shown = malloc((s->nr + 1) * sizeof(*shown));
	unsigned int kind;
	size_t i, nr = 0;

	if (!shown)
		return -ENOMEM;
	for (i = 0; i < s->nr; i++) {
		shown[nr] = s->line[i];
		for (kind = 0; kind < WP_TOP_TIMES; kind++) {
			if (shown[nr].ns[kind] < 0)
				shown[nr].ns[kind] = 0;
		}
		if (!wp_topshare_ns(&shown[nr]))
			continue;
		shown[nr].weight = shown[nr].ns[WP_TOP_RUN];
		hold(&shown[nr].key);
		nr++;
	}
	drop_all(s->shown, s->nr_shown);
	free(s->shown);
	s->shown = shown;
	s->nr_shown = nr;
	return 0;
}

static int add_debt(struct wp_topshares *s, const struct wp_topshare *debt, bool again)
{
	struct wp_topshare *line = find(s, &debt->key);
	unsigned int kind;

	if (!line)
		return -ENOMEM;
	for (kind = WP_TOP_RUNNABLE; kind < WP_TOP_TIMES; kind++) {
		if (again)
			line->ns[kind] += debt->ns[kind] < 0 ? debt->ns[kind] : 0;
		else
			line->ns[kind] -= debt->ns[kind];
	}
	line->owed |= again;
	return 0;
}

/* Begin the next interval with the amounts to subtract. */
static int begin(struct wp_topshares *s)
{
	struct wp_topshare *old = s->line;
	size_t nr = s->nr, i;
	int err = 0;

	s->line = NULL;
	s->nr = 0;
	s->room = 0;
	s->bits = 0;
	for (i = 0; i < nr && !err; i++) {
		if (!old[i].owed && (old[i].ns[WP_TOP_BLOCKED] < 0 ||
				     old[i].ns[WP_TOP_RUNNABLE] < 0))
			err = add_debt(s, &old[i], true);
	}
	for (i = 0; i < s->nr_open && !err; i++)
		err = add_debt(s, &s->open[i], false);
	drop_all(old, nr);
	free(old);
	drop_all(s->open, s->nr_open);
	s->nr_open = 0;
	return err;
}

/**
 * wp_topshares_turn() - end an interval, and begin the next one
 * @s: the shares; all open intervals have been added
 * @shown: show it; if not, @s->shown is unchanged
 *
 * Return: 0 or -ENOMEM.
 */
int wp_topshares_turn(struct wp_topshares *s, bool shown)
{
	int err;

	settle_all(s);
	err = shown ? show(s) : 0;
	return err ? err : begin(s);
}

/**
 * wp_topshares_of() - the shares of a thread, or of a process
 * @s: the shares
 * @tgid: the process
 * @tid: the thread, 0: all of the process
 * @start_time: the thread's start time
 * @first: set to the index of the first one in @s->shown
 *
 * Return: their number.
 */
size_t wp_topshares_of(const struct wp_topshares *s, __u32 tgid, __u32 tid, __u64 start_time,
		       size_t *first)
{
	const struct wp_topkey from = { .tgid = tgid, .tid = tid, .start_time = start_time };
	size_t low = 0, high = s->nr_shown, nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (by_thread(&s->shown[mid].key, &from) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*first = low;
	for (nr = 0; low + nr < s->nr_shown; nr++) {
		const struct wp_topkey *k = &s->shown[low + nr].key;

		if (k->tgid != tgid || (tid && by_thread(k, &from)))
			break;
	}
	return nr;
}

/**
 * wp_topshares_scale() - scale the samples of each event to the run time of a thread
 * @s: the shares
 * @first: of a thread, from wp_topshares_of()
 * @nr: the same
 * @run: its run time
 */
void wp_topshares_scale(struct wp_topshares *s, size_t first, size_t nr, __u64 run)
{
	double sum[WP_TOP_EVENTS] = { 0 };
	size_t i;

	for (i = first; i < first + nr; i++)
		sum[s->shown[i].key.event] += s->shown[i].ns[WP_TOP_RUN];
	for (i = first; i < first + nr; i++) {
		struct wp_topshare *share = &s->shown[i];

		if (sum[share->key.event] > 0)
			share->ns[WP_TOP_RUN] = share->ns[WP_TOP_RUN] / sum[share->key.event] * run;
	}
}

/**
 * wp_topshares_rename() - assign shares to another thread of the same process
 * @s: the shares; call wp_topshares_sort() afterwards
 * @first: of a thread, from wp_topshares_of()
 * @nr: the same
 * @tid: the new thread, with an unknown start time
 */
void wp_topshares_rename(struct wp_topshares *s, size_t first, size_t nr, __u32 tid)
{
	size_t i;

	for (i = first; i < first + nr; i++) {
		s->shown[i].key.tid = tid;
		s->shown[i].key.start_time = 0;
	}
}

/**
 * wp_topshares_sort() - sort the shares
 * @s: the shares
 */
void wp_topshares_sort(struct wp_topshares *s)
{
	if (s->nr_shown)
		qsort(s->shown, s->nr_shown, sizeof(*s->shown), by_size);
}

/**
 * wp_topshares_free() - free the shares
 * @s: the shares; the stacks must still exist
 */
void wp_topshares_free(struct wp_topshares *s)
{
	drop_all(s->shown, s->nr_shown);
	drop_all(s->line, s->nr);
	drop_all(s->open, s->nr_open);
	free(s->shown);
	free(s->line);
	free(s->slot);
	free(s->open);
	memset(s, 0, sizeof(*s));
}
