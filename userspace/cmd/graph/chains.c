// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the sums of blocked time by the stack of the blocked thread and that of its waker.
 * A recording has the waker's stack as a separate sample (record --wakers), after the
 * blocked thread's, with the same time, and with the blocked time as its value. With only
 * -R, the blocked thread's sample has the waker's thread id. Called by flame.c while
 * samples are read, and by graph/graph.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/graph/chains.h"
#include "lib/base/err.h"

static int add_line(struct wp_flame_chains *c, const struct wp_flame_chain_key *key,
		    const struct wp_flame_chain_sleep *sleep)
{
	__u32 nr = wp_intern(&c->keys, key, sizeof(*key), NULL);

	if (!nr)
		return wp_no_memory("the wakers of the recording");
	if (nr > c->room) {
		size_t room = c->room ? 2 * c->room : 256;
		void *more = reallocarray(c->line, room, sizeof(*c->line));

		if (!more)
			return wp_no_memory("the wakers of the recording");
		c->line = more;
		memset(c->line + c->room, 0, (room - c->room) * sizeof(*c->line));
		c->room = room;
	}
	c->nr = c->keys.nr;
	c->line[nr - 1].blocked += sleep->sample.ns - sleep->runnable;
	c->line[nr - 1].count += sleep->sample.count;
	return 0;
}

/* The waker named in a sample; 0: none. */
static __u32 named_waker(struct wp_samples *s, const struct wp_profile_sample *sample)
{
	const char *comm = wp_profile_comm_of(s->profile, sample->waker_tid);

	/* An idle CPU, or a thread that was not visible to the recorder. */
	if (!sample->waker_tid)
		return 0;
	return wp_profile_add_thread(s->profile, -1, sample->waker_tid, comm ? comm : "");
}

/* Complete a wait: the waker's sample, if there is one, has been added. */
static int end_sleep(struct wp_flame_chains *c, struct wp_samples *s,
		     const struct wp_flame_chain_sleep *sleep,
		     const struct wp_profile_sample *waker)
{
	const struct wp_profile_sample *sample = &sleep->sample;
	struct wp_flame_chain_key key = {
		.thread = sample->thread,
		.stack = sample->stack,
		.cause = sample->cause,
		.slot = wp_profsum_slot(&s->sum, sample->time),
	};

	if (!sleep->wanted || sample->ns <= sleep->runnable)
		return 0;
	if (waker) {
		key.waker = waker->thread;
		key.waker_stack = waker->stack;
	} else if (sample->waker && !strcmp(sample->waker, "task")) {
		key.waker = named_waker(s, sample);
	}
	if (!key.waker && sample->waker && strcmp(sample->waker, "-")) {
		key.kind = wp_intern(&c->kinds, sample->waker, strlen(sample->waker) + 1, NULL);
		if (!key.kind)
			return wp_no_memory("the wakers of the recording");
	}
	c->known |= key.waker || key.kind;
	return add_line(c, &key, sleep);
}

/* Complete the first @nr. */
static int end_some(struct wp_flame_chains *c, struct wp_samples *s, size_t nr)
{
	int err = 0;
	size_t i;

	for (i = 0; i < nr && !err; i++)
		err = end_sleep(c, s, &c->sleep[i], NULL);
	c->nr_sleeps -= nr;
	memmove(c->sleep, c->sleep + nr, c->nr_sleeps * sizeof(*c->sleep));
	return err;
}

/*
 * A waker's sample directly follows the blocked thread's, so at the limit the oldest of
 * the same time are completed.
 */
static int begin_sleep(struct wp_flame_chains *c, struct wp_samples *s,
		       const struct wp_profile_sample *sample, bool wanted)
{
	int err = 0;

	if (c->nr_sleeps == WP_FLAME_SLEEPS)
		err = end_some(c, s, WP_FLAME_SLEEPS / 2);
	if (err)
		return err;
	c->sleep[c->nr_sleeps++] = (struct wp_flame_chain_sleep){
		.sample = *sample, .wanted = wanted,
	};
	return 0;
}

static void add_runnable(struct wp_flame_chains *c, const struct wp_profile_sample *sample)
{
	size_t i = c->nr_sleeps;

	while (i--) {
		struct wp_flame_chain_sleep *sleep = &c->sleep[i];

		if (sleep->sample.thread == sample->thread && !sleep->runnable &&
		    sleep->sample.stack == sample->stack && sleep->sample.ns >= sample->ns) {
			sleep->runnable = sample->ns;
			return;
		}
	}
}

/* The wait that a waker ended has the same length, and names this waker if it names any. */
static int add_waker(struct wp_flame_chains *c, struct wp_samples *s,
		     const struct wp_profile_sample *waker)
{
	__u32 tid = wp_profile_thread(s->profile, waker->thread)->tid;
	size_t i;
	int err;

	for (i = 0; i < c->nr_sleeps; i++) {
		struct wp_flame_chain_sleep *sleep = &c->sleep[i];

		if (sleep->sample.ns - sleep->runnable != waker->ns ||
		    (sleep->sample.waker && sleep->sample.waker_tid &&
		     sleep->sample.waker_tid != tid))
			continue;
		err = end_sleep(c, s, sleep, waker);
		memmove(sleep, sleep + 1, (c->nr_sleeps - i - 1) * sizeof(*sleep));
		c->nr_sleeps--;
		return err;
	}
	return 0;
}

/**
 * wp_flame_chains_add() - add a sample, as wp_samples_options.each
 * @ctx: the sums
 * @s: the recording
 * @sample: the sample; NULL: there are no more
 * @wanted: it is selected; for a waker's sample, the blocked thread's decides
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_flame_chains_add(void *ctx, struct wp_samples *s, const struct wp_profile_sample *sample,
			bool wanted)
{
	struct wp_flame_chains *c = ctx;
	int err = 0;

	if (c->nr_sleeps && (!sample || sample->time != c->sleep[0].sample.time))
		err = end_some(c, s, c->nr_sleeps);
	if (err || !sample)
		return err;
	if (sample->kind == WP_PROFILE_OFFCPU)
		return begin_sleep(c, s, sample, wanted);
	if (sample->kind == WP_PROFILE_RUNNABLE)
		add_runnable(c, sample);
	return sample->kind == WP_PROFILE_WAKER ? add_waker(c, s, sample) : 0;
}

/**
 * wp_flame_chain_key() - key of a sum
 * @c: the sums
 * @i: its index in @c->line
 *
 * Return: the key.
 */
const struct wp_flame_chain_key *wp_flame_chain_key(const struct wp_flame_chains *c, size_t i)
{
	return wp_intern_bytes(&c->keys, i + 1, NULL);
}

/**
 * wp_flame_chains_free() - free the sums
 * @c: the sums
 */
void wp_flame_chains_free(struct wp_flame_chains *c)
{
	wp_intern_free(&c->keys);
	wp_intern_free(&c->kinds);
	free(c->line);
	*c = (struct wp_flame_chains){ 0 };
}
