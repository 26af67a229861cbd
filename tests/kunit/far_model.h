/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks of interpreted functions whose words are noted as far words of a stack cache. Used by
 * interp.c, and by the fuzzer: as long as the words are unchanged, another walk reads the
 * same.
 */
#ifndef WALLPROF_KUNIT_FAR_MODEL_H
#define WALLPROF_KUNIT_FAR_MODEL_H

#include "interp_model.h"
#include "pure/stack_cache.h"

#define FAR_IP		0x1234
#define FAR_SP		0x7ffd12340000ULL
#define FAR_PROCESS	0x40

/* A walk, and the stack that it made. */
struct far_walk {
	struct interp_user *user;
	struct wp_stack_cache_notes notes;
	struct wp_interp_runs runs;
	u64 stack[WALLPROF_MAX_STACK];
	unsigned int nr;
	u8 reason;
};

static inline bool far_read(void *ctx, u64 addr, u64 *value)
{
	struct far_walk *w = ctx;

	if (!interp_read(w->user, addr, value))
		return false;
	wp_stack_cache_note_far(&w->notes, addr, *value);
	return true;
}

static const struct wp_interp_ops far_ops = { .read = far_read };

static inline bool far_is(void *ctx, u64 addr, u64 word)
{
	u64 value;

	return interp_read(ctx, addr, &value) && value == word;
}

/* As module/interp_stack.c does it; its native frames have one word. */
static inline void far_walk(struct far_walk *w, struct wp_stack_cache *cache,
			    const struct wallprof_interp *d, u64 thread, bool complete,
			    const u64 *ips, unsigned int nr, unsigned int max)
{
	wp_stack_cache_begin(&w->notes, cache,
			     wp_stack_cache_find(cache, FAR_IP, FAR_SP, FAR_PROCESS), FAR_IP,
			     FAR_SP, 0, FAR_PROCESS);
	wp_stack_cache_note(&w->notes, FAR_SP, 0);
	wp_stack_cache_far_begin(&w->notes, thread);
	memcpy(w->stack, ips, nr * sizeof(*ips));
	w->nr = nr;
	w->runs.room = max - nr;
	wp_interp_natives(d, ips, nr, &w->runs);
	w->reason = wp_interp_walk(&far_ops, w, d, thread, w->user->limit, complete, &w->runs);
	if (w->reason == WALLPROF_INTERP_READ || w->reason == WALLPROF_INTERP_NO_ROOM)
		w->nr = wp_interp_merge(w->stack, nr, &w->runs);
	if (w->reason == WALLPROF_INTERP_FAULT)
		wp_stack_cache_note_fault(&w->notes);
	w->notes.interp = w->reason + 1;
	wp_stack_cache_keep(&w->notes, 1, 1, 1, 1, 0, 0);
}

/* Whether its stack is in the cache, and its far words are unchanged. */
static inline bool far_holds(const struct far_walk *w, const struct wp_stack_cache *cache,
			     u64 thread)
{
	const struct wp_cached_stack *old = w->notes.old;

	return old->begin && wp_stack_cache_far_unchanged(cache->far, old->far, old->begin, far_is,
							  w->user, thread);
}

/* Whether a walk anew gives the same stack. */
static inline bool far_is_same(const struct far_walk *w, const struct wallprof_interp *d,
			       u64 thread, bool complete, const u64 *ips, unsigned int nr,
			       unsigned int max)
{
	struct wp_interp_runs *runs = (void *)&w->runs;
	u64 stack[WALLPROF_MAX_STACK];

	memcpy(stack, ips, nr * sizeof(*ips));
	return interp_capture(w->user, d, thread, complete, stack, &nr, max, runs) == w->reason &&
	       nr == w->nr && !memcmp(stack, w->stack, nr * sizeof(*stack));
}

#endif /* WALLPROF_KUNIT_FAR_MODEL_H */
