// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the stacks of a recording. The module's id of a stack encodes its location in
 * memory: epoch, CPU, context, index. The memory is reused two epochs later, but a long
 * open interval keeps the id, so this table maps every id to its contents, each distinct
 * contents stored once, and compared in full. The merge looks up each stack of an epoch's
 * aggregates here.
 *
 * Without a limit the table would grow for ever: every new process has addresses of its
 * own. But an id can only come again while an open interval in the task table has it. So
 * now and then all ids are doomed, those found in the task table are kept, and an epoch
 * later the doomed ones are swept. The epoch in between is needed: an interval that
 * closed between the flip and the read of the task table is in no slot any more, but in
 * the next half.
 *
 * The record of a waker refers to stacks by id. It is stored here with the ids resolved,
 * so that equal records are shared, too, and it keeps the stacks it refers to.
 *
 * Pure: no I/O, no clock. Only a lack of memory can make it fail.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/stacks.h"

#define MIN_SIZE	1024
#define SWEEP_ROOM	32768

/* An entry of the id table; @stack is NULL for a stack without frames. */
struct wp_stack_id {
	__u64 id;
	struct wp_stack *stack;
	bool doomed;
};

static __u64 mix(__u64 x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15ULL;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ULL;
	return x ^ x >> 32;
}

#ifndef hash_ips	/* Tests override this to provoke collisions. */
static __u64 hash_ips(const __u64 *ips, unsigned int nr, __u8 flags)
{
	__u64 hash = nr | (__u64)flags << 32;
	unsigned int i;

	/* One multiplication a frame: this is most of the cost of a stack. */
	for (i = 0; i < nr; i++) {
		hash = (hash ^ ips[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return mix(hash);
}
#endif

static struct wp_stack_id *id_slot(struct wp_stack_id *ids, size_t mask, __u64 id)
{
	size_t i;

	for (i = mix(id) & mask; ids[i].id && ids[i].id != id; i = (i + 1) & mask)
		;
	return &ids[i];
}

static struct wp_stack **free_slot(struct wp_stack **stacks, size_t mask, __u64 hash)
{
	size_t i;

	for (i = hash & mask; stacks[i]; i = (i + 1) & mask)
		;
	return &stacks[i];
}

/* The smallest table that @nr entries fill at most by half. */
static size_t size_for(size_t nr)
{
	size_t size = MIN_SIZE;

	while (size < nr * 2)
		size *= 2;
	return size;
}

static int resize_ids(struct wp_stacks *s, size_t size, bool drop_doomed)
{
	struct wp_stack_id *ids = calloc(size, sizeof(*ids));
	size_t i;

	if (!ids)
		return -ENOMEM;
	for (i = 0; i <= s->ids_mask; i++) {
		struct wp_stack_id *id = &s->ids[i];

		if (id->id && !(drop_doomed && id->doomed))
			*id_slot(ids, size - 1, id->id) = *id;
	}
	free(s->ids);
	s->ids = ids;
	s->ids_mask = size - 1;
	return 0;
}

static int resize_stacks(struct wp_stacks *s, size_t size)
{
	struct wp_stack **stacks = calloc(size, sizeof(*stacks));
	size_t i;

	if (!stacks)
		return -ENOMEM;
	for (i = 0; i <= s->stacks_mask; i++) {
		if (s->stacks[i])
			*free_slot(stacks, size - 1, s->stacks[i]->hash) = s->stacks[i];
	}
	free(s->stacks);
	s->stacks = stacks;
	s->stacks_mask = size - 1;
	return 0;
}

/**
 * wp_stacks_init() - initialize an empty table
 * @s: the table
 *
 * Return: 0 or -ENOMEM; then there is nothing to free.
 */
int wp_stacks_init(struct wp_stacks *s)
{
	memset(s, 0, sizeof(*s));
	s->stacks = calloc(MIN_SIZE, sizeof(*s->stacks));
	s->ids = calloc(MIN_SIZE, sizeof(*s->ids));
	if (!s->stacks || !s->ids) {
		free(s->stacks);
		free(s->ids);
		memset(s, 0, sizeof(*s));
		return -ENOMEM;
	}
	s->stacks_mask = MIN_SIZE - 1;
	s->ids_mask = MIN_SIZE - 1;
	s->sweep_at = SWEEP_ROOM;
	return 0;
}

/**
 * wp_stacks_free() - free a table and all its stacks
 * @s: the table, or all zeroes
 */
void wp_stacks_free(struct wp_stacks *s)
{
	size_t i;

	for (i = 0; s->stacks && i <= s->stacks_mask; i++)
		free(s->stacks[i]);
	free(s->stacks);
	free(s->ids);
	memset(s, 0, sizeof(*s));
}

/* One of the stacks that a waker's record refers to, or NULL. */
static struct wp_stack *named(const struct wp_stack *waker, unsigned int which)
{
	return (struct wp_stack *)(uintptr_t)waker->ips[which];
}

/* As wp_stacks_find(), for an id that must stand for addresses. */
static bool find_frames(const struct wp_stacks *s, __u64 id, const struct wp_stack **stack)
{
	bool known = wp_stacks_find(s, id, stack);

	if (!*stack || !((*stack)->flags & (WALLPROF_STACK_IS_WAKER | WALLPROF_STACK_IS_RECORD)))
		return known;
	*stack = NULL;
	return false;
}

/* Look up or add the stack with these contents. */
static struct wp_stack *intern(struct wp_stacks *s, const __u64 *ips, unsigned int nr, __u8 flags)
{
	__u64 hash = hash_ips(ips, nr, flags);
	struct wp_stack *stack;
	size_t i;

	for (i = hash & s->stacks_mask; (stack = s->stacks[i]); i = (i + 1) & s->stacks_mask) {
		if (stack->hash == hash && stack->nr == nr && stack->flags == flags &&
		    !memcmp(stack->ips, ips, nr * sizeof(*ips)))
			return stack;
	}
	if (s->nr_stacks + 1 > s->stacks_mask / 2 &&
	    resize_stacks(s, (s->stacks_mask + 1) * 2))
		return NULL;
	stack = malloc(sizeof(*stack) + nr * sizeof(*ips));
	if (!stack)
		return NULL;
	stack->hash = hash;
	stack->used = true;
	stack->held = 0;
	stack->flags = flags;
	stack->kinds = 0;
	stack->unwind = 0xff;
	stack->by_fp = false;
	stack->nr = nr;
	memcpy(stack->ips, ips, nr * sizeof(*ips));
	*free_slot(s->stacks, s->stacks_mask, hash) = stack;
	s->nr_stacks++;
	return stack;
}

/* Intern a stack's contents; those of a waker's record with its ids resolved. */
static struct wp_stack *intern_stack(struct wp_stacks *s, const struct wallprof_stack *stack)
{
	const __u64 *ips = (const __u64 *)stack->ips;
	const struct wp_stack *user, *kernel;
	__u64 words[WALLPROF_WAKER_NR];
	__u8 flags;

	if (!(stack->flags & WALLPROF_STACK_IS_WAKER))
		return intern(s, ips, stack->nr, stack->flags & (WALLPROF_STACK_IS_KERNEL |
								 WALLPROF_STACK_IS_RECORD));
	flags = stack->flags & (WALLPROF_STACK_IS_WAKER | WALLPROF_STACK_LOST);
	if (!find_frames(s, ips[WALLPROF_WAKER_USER_STACK], &user))
		flags |= WALLPROF_STACK_LOST;
	if (!find_frames(s, ips[WALLPROF_WAKER_KERNEL_STACK], &kernel))
		flags |= WALLPROF_STACK_LOST;
	words[WALLPROF_WAKER_USER_STACK] = (uintptr_t)user;
	words[WALLPROF_WAKER_KERNEL_STACK] = (uintptr_t)kernel;
	words[WALLPROF_WAKER_TGID] = ips[WALLPROF_WAKER_TGID];
	return intern(s, words, WALLPROF_WAKER_NR, flags);
}

/**
 * wp_stacks_add() - add the contents of an id
 * @s: the table
 * @id: the id; a known one gets the new contents
 * @stack: the contents; the caller has checked that all frames are there. Stacks that a
 *	waker's record refers to have been added before
 *
 * Return: 0 or -ENOMEM.
 */
int wp_stacks_add(struct wp_stacks *s, __u64 id, const struct wallprof_stack *stack)
{
	struct wp_stack *content = NULL;
	struct wp_stack_id *slot;

	if (!id)
		return 0;
	/* A waker's record that is too short has no meaning. */
	if (stack->nr >= (stack->flags & WALLPROF_STACK_IS_WAKER ? WALLPROF_WAKER_NR : 1)) {
		content = intern_stack(s, stack);
		if (!content)
			return -ENOMEM;
		if (stack->unwind < content->unwind)
			content->unwind = stack->unwind;
		content->by_fp |= stack->flags & WALLPROF_STACK_BY_FP;
	}
	if (s->nr_ids + 1 > s->ids_mask / 2) {
		int err = resize_ids(s, (s->ids_mask + 1) * 2, false);

		if (err)
			return err;
	}
	slot = id_slot(s->ids, s->ids_mask, id);
	if (!slot->id)
		s->nr_ids++;
	slot->id = id;
	slot->stack = content;
	slot->doomed = false;
	return 0;
}

/**
 * wp_stacks_find() - look up the stack of an id
 * @s: the table
 * @id: the id
 * @stack: set to the stack, or to NULL when there is none or it has no frames
 *
 * Return: false if the id is neither 0 nor known.
 */
bool wp_stacks_find(const struct wp_stacks *s, __u64 id, const struct wp_stack **stack)
{
	const struct wp_stack_id *slot;

	*stack = NULL;
	if (!id)
		return true;
	slot = id_slot(s->ids, s->ids_mask, id);
	*stack = slot->stack;
	return slot->id == id;
}

/**
 * wp_stack_hold() - protect a stack from sweeps
 * @stack: the stack, or NULL
 */
void wp_stack_hold(const struct wp_stack *stack)
{
	if (stack)
		((struct wp_stack *)stack)->held++;
}

/**
 * wp_stack_drop() - undo one wp_stack_hold()
 * @stack: the stack, or NULL
 */
void wp_stack_drop(const struct wp_stack *stack)
{
	if (stack)
		((struct wp_stack *)stack)->held--;
}

/**
 * wp_stack_waker() - read a waker's record
 * @stack: the record, or NULL
 * @waker: filled in; empty if @stack is NULL, or no waker's record
 */
void wp_stack_waker(const struct wp_stack *stack, struct wp_waker *waker)
{
	memset(waker, 0, sizeof(*waker));
	if (!stack || !(stack->flags & WALLPROF_STACK_IS_WAKER))
		return;
	waker->user = named(stack, WALLPROF_WAKER_USER_STACK);
	waker->kernel = named(stack, WALLPROF_WAKER_KERNEL_STACK);
	waker->tgid = stack->ips[WALLPROF_WAKER_TGID];
	waker->lost = stack->flags & WALLPROF_STACK_LOST;
}

/**
 * wp_stacks_want_doom() - whether it is time for wp_stacks_doom()
 * @s: the table
 *
 * Return: true when the number of ids has doubled since the last sweep.
 */
bool wp_stacks_want_doom(const struct wp_stacks *s)
{
	return !s->doomed && s->nr_ids >= s->sweep_at;
}

/**
 * wp_stacks_doom() - doom all ids that are known now
 * @s: the table
 *
 * Must be followed by wp_stacks_keep() for each id in the task table, and, after the next
 * epoch has been merged, by wp_stacks_sweep().
 */
void wp_stacks_doom(struct wp_stacks *s)
{
	size_t i;

	for (i = 0; i <= s->ids_mask; i++)
		s->ids[i].doomed = true;
	s->doomed = true;
}

/**
 * wp_stacks_keep() - keep an id that is still in use
 * @s: the table
 * @id: any id, known or not
 */
void wp_stacks_keep(struct wp_stacks *s, __u64 id)
{
	if (id)
		id_slot(s->ids, s->ids_mask, id)->doomed = false;
}

static void use_named(const struct wp_stack *waker)
{
	unsigned int i;

	if (!(waker->flags & WALLPROF_STACK_IS_WAKER))
		return;
	for (i = WALLPROF_WAKER_USER_STACK; i <= WALLPROF_WAKER_KERNEL_STACK; i++) {
		if (named(waker, i))
			named(waker, i)->used = true;
	}
}

/**
 * wp_stacks_sweep() - drop the doomed ids and the stacks that only they had
 * @s: the table
 *
 * Invalidates all stacks that were looked up before, except those that are held.
 *
 * Return: 0, or -ENOMEM; then nothing was dropped that was still needed.
 */
int wp_stacks_sweep(struct wp_stacks *s)
{
	size_t i, nr = 0, live = 0;
	int err;

	if (!s->doomed)
		return 0;
	for (i = 0; i <= s->ids_mask; i++)
		nr += s->ids[i].id && !s->ids[i].doomed;
	err = resize_ids(s, size_for(nr + 1), true);
	if (err)
		return err;
	s->nr_ids = nr;
	s->sweep_at = nr * 2 + SWEEP_ROOM;
	s->doomed = false;

	for (i = 0; i <= s->stacks_mask; i++) {
		if (s->stacks[i])
			s->stacks[i]->used = s->stacks[i]->held;
	}
	for (i = 0; i <= s->ids_mask; i++) {
		if (s->ids[i].stack)
			s->ids[i].stack->used = true;
	}
	for (i = 0; i <= s->stacks_mask; i++) {
		if (s->stacks[i] && s->stacks[i]->used)
			use_named(s->stacks[i]);
	}
	for (i = 0; i <= s->stacks_mask; i++) {
		if (!s->stacks[i])
			continue;
		if (s->stacks[i]->used) {
			live++;
			continue;
		}
		free(s->stacks[i]);
		s->stacks[i] = NULL;
	}
	s->nr_stacks = live;
	/* Freed slots break probe sequences; rebuild the table. */
	return resize_stacks(s, size_for(live + 1));
}

/**
 * wp_stacks_forget_ids() - go on with the ids of another session of the module
 * @s: the table
 *
 * The stacks stay, and are known again, unless there are many. Those that were looked up
 * before may be gone, except those that are held.
 *
 * Return: 0 or -ENOMEM; then some ids may be left.
 */
int wp_stacks_forget_ids(struct wp_stacks *s)
{
	wp_stacks_doom(s);
	if (s->nr_stacks >= SWEEP_ROOM)
		return wp_stacks_sweep(s);
	memset(s->ids, 0, (s->ids_mask + 1) * sizeof(*s->ids));
	s->nr_ids = 0;
	s->doomed = false;
	return 0;
}
