/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of blocked time by the stacks of the blocked thread and of its waker. See
 * graph/chains.c.
 *
 *	struct wp_flame_chains chains = { 0 };
 *
 *	options.each = wp_flame_chains_add;
 *	options.ctx = &chains;
 *	err = wp_samples_read(&samples, &options, slots);
 *	for (i = 0; i < chains.nr; i++)
 *		... chains.line[i]
 *	wp_flame_chains_free(&chains);
 */
#ifndef WP_CMD_GRAPH_CHAINS_H
#define WP_CMD_GRAPH_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "cmd/common/samples.h"
#include "lib/base/intern.h"

/**
 * struct wp_flame_chain_key - identity of a sum
 * @thread: the blocked thread: wp_profile_thread()
 * @stack: its stack
 * @cause: wp_profile_cause(), or 0
 * @waker: the waker: wp_profile_thread(); 0: no thread, or unknown
 * @waker_stack: its stack, or 0
 * @kind: without @waker, the kind of waker: a number of @kinds; 0: unknown
 * @slot: time slot in which it ended
 */
struct wp_flame_chain_key {
	__u32 thread;
	__u32 stack;
	__u32 cause;
	__u32 waker;
	__u32 waker_stack;
	__u32 kind;
	__u32 slot;
};

/**
 * struct wp_flame_chain - a sum
 * @blocked: ns
 * @count: number of intervals
 */
struct wp_flame_chain {
	__u64 blocked;
	__u64 count;
};

/**
 * struct wp_flame_chain_sleep - a sample whose waker's sample may follow
 * @sample: the sample
 * @runnable: its runnable part
 * @wanted: it is selected
 */
struct wp_flame_chain_sleep {
	struct wp_profile_sample sample;
	__u64 runnable;
	bool wanted;
};

/* Maximum number of samples of one time whose wakers' samples may follow. */
#define WP_FLAME_SLEEPS	256

/**
 * struct wp_flame_chains - the sums; all zero: empty
 * @keys: struct wp_flame_chain_key
 * @line: by the numbers of @keys, less 1
 * @nr: number of sums
 * @room: allocated sums
 * @kinds: strings
 * @known: some waker is known, so the sums are worth showing
 * @sleep: samples of one time
 * @nr_sleeps: their number
 */
struct wp_flame_chains {
	struct wp_intern keys;
	struct wp_flame_chain *line;
	size_t nr;
	size_t room;
	struct wp_intern kinds;
	bool known;
	struct wp_flame_chain_sleep sleep[WP_FLAME_SLEEPS];
	size_t nr_sleeps;
};

int wp_flame_chains_add(void *ctx, struct wp_samples *s, const struct wp_profile_sample *sample,
			bool wanted);
const struct wp_flame_chain_key *wp_flame_chain_key(const struct wp_flame_chains *c, size_t i);
void wp_flame_chains_free(struct wp_flame_chains *c);

#endif /* WP_CMD_GRAPH_CHAINS_H */
