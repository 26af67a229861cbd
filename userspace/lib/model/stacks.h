/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of a recording by contents, and by the module's ids. See stacks.c.
 */
#ifndef WP_LIB_MODEL_STACKS_H
#define WP_LIB_MODEL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_stack - a distinct stack
 * @hash: of the contents
 * @used: for the sweep
 * @held: calls of wp_stack_hold() minus those of wp_stack_drop()
 * @flags: part of the identity: WALLPROF_STACK_IS_KERNEL, _IS_WAKER, _IS_RECORD and _LOST
 * @kinds: for the user of the table; 0 at first
 * @unwind: enum wallprof_unwind of the walks that found it; the smallest, if their stop
 *	reasons differ
 * @by_fp: some frame was found by frame pointer
 * @nr: number of frames, at least 1
 * @ips: addresses, the innermost first; for a waker's record, see wp_stack_waker(); what a
 *	tracepoint recorded
 *
 * Two stacks with the same contents are the same pointer, until the next
 * wp_stacks_sweep(), which leaves those that are held.
 */
struct wp_stack {
	__u64 hash;
	bool used;
	__u32 held;
	__u8 flags;
	__u8 kinds;
	__u8 unwind;
	bool by_fp;
	__u16 nr;
	__u64 ips[];
};

struct wp_stack_id;

/**
 * struct wp_waker - where a waker was
 * @user: its user stack or NULL
 * @kernel: its kernel stack or NULL
 * @tgid: its process
 * @lost: one of the stacks found no room
 */
struct wp_waker {
	const struct wp_stack *user;
	const struct wp_stack *kernel;
	__u32 tgid;
	bool lost;
};

/**
 * struct wp_stacks - the table
 * @stacks: hash table of the distinct stacks
 * @nr_stacks: number of entries
 * @stacks_mask: its size - 1
 * @ids: hash table of the ids
 * @nr_ids: number of entries
 * @ids_mask: its size - 1
 * @sweep_at: number of ids from which on a sweep pays off
 * @doomed: wp_stacks_doom() was called, wp_stacks_sweep() not yet
 */
struct wp_stacks {
	struct wp_stack **stacks;
	size_t nr_stacks;
	size_t stacks_mask;
	struct wp_stack_id *ids;
	size_t nr_ids;
	size_t ids_mask;
	size_t sweep_at;
	bool doomed;
};

int wp_stacks_init(struct wp_stacks *s);
void wp_stacks_free(struct wp_stacks *s);
int wp_stacks_add(struct wp_stacks *s, __u64 id, const struct wallprof_stack *stack);
bool wp_stacks_find(const struct wp_stacks *s, __u64 id, const struct wp_stack **stack);
void wp_stack_hold(const struct wp_stack *stack);
void wp_stack_drop(const struct wp_stack *stack);
void wp_stack_waker(const struct wp_stack *stack, struct wp_waker *waker);
bool wp_stacks_want_doom(const struct wp_stacks *s);
void wp_stacks_doom(struct wp_stacks *s);
void wp_stacks_keep(struct wp_stacks *s, __u64 id);
int wp_stacks_sweep(struct wp_stacks *s);
int wp_stacks_forget_ids(struct wp_stacks *s);

#endif /* WP_LIB_MODEL_STACKS_H */
