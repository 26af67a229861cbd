// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the sums of equal samples: same kind, event, thread, stack, cause and time slot.
 * Called by the commands that show or convert profiles.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/profile/profsum.h"

#define FIRST_BITS	10

/**
 * wp_profsum_init() - initialize empty sums
 * @s: the sums, to be freed with wp_profsum_free()
 * @from: samples up to and including this time are in slot 0
 * @to: samples from this time on are in the last slot
 * @slots: number of slots, 1 or more
 */
void wp_profsum_init(struct wp_profsum *s, __u64 from, __u64 to, __u32 slots)
{
	*s = (struct wp_profsum){ .from = from, .to = to, .slots = slots };
}

static bool same(const struct wp_profline *a, const struct wp_profline *b)
{
	return a->stack == b->stack && a->thread == b->thread && a->slot == b->slot &&
	       a->kind == b->kind && a->event == b->event && a->cause == b->cause;
}

/* The numbers are our own, not from the file: the hash needs no secret key. */
static __u64 hash_of(const struct wp_profline *l)
{
	__u64 h = l->stack;

	h = (h ^ l->thread) * 0x9e3779b97f4a7c15ULL;
	h = (h ^ h >> 29 ^ l->slot) * 0x9e3779b97f4a7c15ULL;
	h = (h ^ h >> 29 ^ l->cause) * 0x9e3779b97f4a7c15ULL;
	h = (h ^ h >> 29 ^ (l->kind << 16 ^ l->event)) * 0x9e3779b97f4a7c15ULL;
	return h;
}

/* The slot of an equal line, or a free one. */
static __u32 *place_of(const struct wp_profsum *s, const struct wp_profline *l)
{
	size_t mask = ((size_t)1 << s->bits) - 1, i = hash_of(l) >> (64 - s->bits);

	while (s->hash[i] && !same(&s->line[s->hash[i] - 1], l))
		i = (i + 1) & mask;
	return &s->hash[i];
}

static int grow(struct wp_profsum *s)
{
	struct wp_profsum more = *s;
	size_t i;

	if (s->bits && s->nr < (size_t)1 << (s->bits - 1))
		return 0;
	more.bits = s->bits ? s->bits + 1 : FIRST_BITS;
	more.hash = more.bits < 32 ? calloc((size_t)1 << more.bits, sizeof(*more.hash)) : NULL;
	if (!more.hash)
		return -ENOMEM;
	more.room = (size_t)1 << (more.bits - 1);
	more.line = reallocarray(s->line, more.room, sizeof(*more.line));
	if (!more.line) {
		free(more.hash);
		return -ENOMEM;
	}
	for (i = 0; i < s->nr; i++)
		*place_of(&more, &more.line[i]) = i + 1;
	free(s->hash);
	*s = more;
	return 0;
}

/**
 * wp_profsum_slot() - time slot of a time
 * @s: the sums
 * @time: the time
 *
 * Return: its number.
 */
__u32 wp_profsum_slot(const struct wp_profsum *s, __u64 time)
{
	if (time <= s->from || s->slots < 2 || s->to <= s->from)
		return 0;
	if (time >= s->to)
		return s->slots - 1;
	return (double)(time - s->from) / (s->to - s->from) * s->slots;
}

/**
 * wp_profsum_add() - add a sample
 * @s: the sums
 * @sample: the sample
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_profsum_add(struct wp_profsum *s, const struct wp_profile_sample *sample)
{
	bool runnable = sample->kind == WP_PROFILE_RUNNABLE;
	bool off = runnable || sample->kind == WP_PROFILE_OFFCPU;
	struct wp_profline key = {
		.kind = off ? WP_PROFILE_OFFCPU : sample->kind,
		.event = off ? 0 : sample->event,
		.thread = sample->thread,
		.stack = sample->stack,
		.cause = sample->cause,
		.slot = wp_profsum_slot(s, sample->time),
	};
	struct wp_profline *l;
	__u32 *place;

	if (grow(s))
		return wp_no_memory("the sums of samples");
	place = place_of(s, &key);
	if (!*place) {
		s->line[s->nr] = key;
		*place = ++s->nr;
	}
	l = &s->line[*place - 1];
	l->samples++;
	if (sample->blocked_max > l->blocked_max)
		l->blocked_max = sample->blocked_max;
	if (sample->runnable_max > l->runnable_max)
		l->runnable_max = sample->runnable_max;
	if (runnable) {
		l->runnable += sample->ns;
		return 0;
	}
	l->weight += sample->weight;
	l->ns += sample->ns;
	l->count += sample->count;
	return 0;
}

/**
 * wp_profsum_free() - free the sums
 * @s: the sums
 */
void wp_profsum_free(struct wp_profsum *s)
{
	free(s->line);
	free(s->hash);
	memset(s, 0, sizeof(*s));
}
