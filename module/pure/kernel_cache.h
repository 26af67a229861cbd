/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel cache: kernel stacks that were walked, and how to see that a thread has one of
 * them again.
 *
 * A walk goes up the thread's stack, from a place that is known: the anchor. Where it finds
 * the next frame is a matter of the code that a frame is of, and so of the return address of
 * the frame before; or of a frame pointer, which was saved in a frame before. So a stack is
 * kept as the steps that repeat the walk: words at distances from a base, at first the
 * anchor, that must have a value, and words that have the next base. Most kernels begin each
 * system call at another place of the stack: what lies above the anchor moves with it, up to
 * a frame that is found by a frame pointer and does not move.
 *
 * The steps of all stacks are in the ring of a stack cache of its own: see stack_cache.h. An
 * entry of the switch cache has a part here that says where the steps of its stack are.
 *
 * Its callers are the scheduler probes: irqs off, no lock. ../kernel_cache.c makes the steps.
 */
#ifndef WALLPROF_PURE_KERNEL_CACHE_H
#define WALLPROF_PURE_KERNEL_CACHE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "pure/stack_cache.h"

/* A step: what it does, and how many words above the base. */
#define WP_KERNEL_AT	0x3fff
#define WP_KERNEL_SAME	0x0000	/* the word there has the value of the step */
#define WP_KERNEL_NEAR	0x4000	/* the word there is that far from the base */
#define WP_KERNEL_BASE	0x8000	/* the word there is the base, of as many bytes of the stack */
#define WP_KERNEL_END	0xc000	/* there the stack ends */

/**
 * struct wp_kernel_stack - the kernel stack of a thread
 * @from: its first address
 * @size: its size
 * @end: where walks end
 * @anchor: where this one begins
 */
struct wp_kernel_stack {
	u64 from;
	u64 size;
	u64 end;
	u64 anchor;
};

/**
 * struct wp_kernel_notes - notes of a walk in progress
 * @notes: its steps
 * @base: the base
 * @above: the address behind the words that were read since
 * @at: index in the ring of the step that set it
 */
struct wp_kernel_notes {
	struct wp_stack_cache_notes notes;
	u64 base;
	u64 above;
	u32 at;
};

/**
 * struct wp_cached_kernel - the part of a switch cache's entry that is of the kernel stack
 * @begin: position of its steps
 * @changes: see wp_kernel_cached()
 * @id: the stack's, in the epoch of the entry
 * @nr: number of steps
 */
struct wp_cached_kernel {
	u64 begin;
	u64 changes;
	u64 id;
	u64 nr;
};

/* Notes a step. Context: irqs off. */
static inline void wp_kernel_step(struct wp_kernel_notes *n, u64 addr, u16 what, u64 word)
{
	u64 at = addr - n->base;

	if (at & 7 || at >> 3 > WP_KERNEL_AT) {
		n->notes.whole = false;
		return;
	}
	if (what != WP_KERNEL_END && n->above < addr + sizeof(u64))
		n->above = addr + sizeof(u64);
	wp_stack_cache_note(&n->notes, (what | at >> 3) * sizeof(u64), word);
}

/* The base has been set by the last step. Context: irqs off. */
static inline void wp_kernel_base(struct wp_kernel_notes *n, u64 base)
{
	n->base = base;
	n->above = base;
	n->at = n->notes.next - 1;
}

/* Sets the size of what was read above the base. Context: irqs off. */
static inline void wp_kernel_close(struct wp_kernel_notes *n)
{
	n->notes.cache->word[n->at] = n->above - n->base;
}

/**
 * wp_kernel_begin - begin the notes of a walk
 * @n: to fill
 * @cache: this CPU's
 * @ip: what distinguishes the thread's stacks: where it entered the kernel
 * @thread: the thread, and the system call
 * @anchor: where it begins
 *
 * Context: irqs off.
 */
static inline void wp_kernel_begin(struct wp_kernel_notes *n, struct wp_stack_cache *cache, u64 ip,
				   u64 thread, u64 anchor)
{
	wp_stack_cache_begin(&n->notes, cache, wp_stack_cache_find(cache, ip, 0, thread), ip, 0, 0,
			     thread);
	n->base = anchor;
	wp_kernel_step(n, anchor, WP_KERNEL_BASE, 0);
	wp_kernel_base(n, anchor);
}

/* The walk depends on a word. Context: irqs off. */
static inline void wp_kernel_same(struct wp_kernel_notes *n, u64 addr, u64 word)
{
	wp_kernel_step(n, addr, WP_KERNEL_SAME, word);
}

/* It depends on a word by its distance from here. Context: irqs off. */
static inline void wp_kernel_near(struct wp_kernel_notes *n, u64 addr, u64 word)
{
	wp_kernel_step(n, addr, WP_KERNEL_NEAR, word - n->base);
}

/* It goes on by a frame pointer, which was saved in a word. Context: irqs off. */
static inline void wp_kernel_next(struct wp_kernel_notes *n, u64 addr, u64 fp)
{
	if (fp <= n->base)
		n->notes.whole = false;
	wp_kernel_step(n, addr, WP_KERNEL_BASE, 0);
	wp_kernel_close(n);
	wp_kernel_base(n, fp);
}

/* It ends at an address, because stacks end there. Context: irqs off. */
static inline void wp_kernel_end(struct wp_kernel_notes *n, u64 addr)
{
	wp_kernel_step(n, addr, WP_KERNEL_END, 0);
}

/* Keeps the stack that was walked. @changes: from before the walk. Context: irqs off. */
static inline void wp_kernel_keep(struct wp_kernel_notes *n, u64 changes, u32 epoch, u64 id)
{
	wp_kernel_close(n);
	wp_stack_cache_keep(&n->notes, 0, changes, epoch, id, 0, 0);
}

/**
 * wp_kernel_holds - check whether a walk of a stack would take the same steps
 * @cache: this CPU's
 * @begin: their position
 * @nr: how many, at least 1
 * @stack: the stack
 * @read: returns the word at an address of the stack
 *
 * A base is above the one before, and all words that are read are on the stack.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_kernel_holds(const struct wp_stack_cache *cache, u64 begin, u64 nr,
					    const struct wp_kernel_stack *stack,
					    u64 (*read)(u64 addr))
{
	const u64 *words = wp_stack_cache_words(cache, begin);
	const u16 *ats = wp_stack_cache_ats(cache, begin), *end = ats + nr;
	u64 base = stack->anchor, word, addr;

	if (base - stack->from > stack->size - *words)
		return false;
	for (ats++, words++; ats != end; ats++, words++) {
		addr = base + (*ats & WP_KERNEL_AT) * sizeof(u64);
		if (unlikely(*ats >= WP_KERNEL_END)) {
			if (addr != stack->end)
				return false;
			continue;
		}
		word = read(addr);
		if (likely(*ats < WP_KERNEL_NEAR)) {
			if (word != *words)
				return false;
			continue;
		}
		if (*ats < WP_KERNEL_BASE) {
			if (word - base != *words)
				return false;
			continue;
		}
		if (word <= base || word & 7 || word - stack->from > stack->size - *words)
			return false;
		base = word;
	}
	return true;
}

/**
 * wp_kernel_cached - find the kernel stack that a thread has
 * @cache: this CPU's
 * @ip: see wp_kernel_begin()
 * @thread: likewise
 * @stack: its stack
 * @changes: count of the changes of the kernel's code, from 1 on
 * @epoch: the current one
 * @read: see wp_kernel_holds()
 *
 * Context: irqs off.
 * Return: the cached stack; NULL if it is not known to be current.
 */
static __always_inline const struct wp_cached_stack *
wp_kernel_cached(struct wp_stack_cache *cache, u64 ip, u64 thread,
		 const struct wp_kernel_stack *stack, u64 changes, u32 epoch,
		 u64 (*read)(u64 addr))
{
	const struct wp_cached_stack *old = wp_stack_cache_find(cache, ip, 0, thread);

	if (!old || !wp_stack_cache_may_hold(cache, old, changes, epoch, 0) ||
	    !wp_kernel_holds(cache, old->begin, old->nr, stack, read))
		return NULL;
	return old;
}

/* Sets by what the kernel stack of an entry is known again. Context: irqs off. */
static inline void wp_cached_kernel_learn(struct wp_cached_kernel *part,
					  const struct wp_cached_stack *old)
{
	part->begin = old->begin;
	part->changes = old->changes;
	part->id = old->id;
	part->nr = old->nr;
}

/**
 * wp_cached_kernel_holds - check whether a thread has the kernel stack of an entry
 * @part: the entry's; the entry is of the current epoch
 * @cache: this CPU's
 * @stack: the thread's stack
 * @changes: see wp_kernel_cached()
 * @read: likewise
 *
 * Context: irqs off.
 */
static __always_inline bool wp_cached_kernel_holds(const struct wp_cached_kernel *part,
						   const struct wp_stack_cache *cache,
						   const struct wp_kernel_stack *stack,
						   u64 changes, u64 (*read)(u64 addr))
{
	return part->changes == changes && part->begin >= cache->oldest &&
	       wp_kernel_holds(cache, part->begin, part->nr, stack, read);
}

#endif /* WALLPROF_PURE_KERNEL_CACHE_H */
