/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interpreted functions of a thread, by the description of its interpreter: see
 * uapi/linux/wallprof_interp.h.
 *
 * Pure, and a header, since it must be inlined: see unwind_cfi.h. Its callers are stack.c
 * (irqs off or NMI), remote_stack.c (a worker) and the userspace tests.
 *
 * User memory is hostile, and the description is only checked (wp_interp_check()). For any
 * contents, a walk ends after WALLPROF_INTERP_FRAMES frames; it reads aligned words below
 * the limit and nothing else, through @read, which can fail; and what it returns has the
 * form that the header describes.
 */
#ifndef WALLPROF_PURE_INTERP_H
#define WALLPROF_PURE_INTERP_H

#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/wallprof.h>
#include <linux/wallprof_interp.h>

/**
 * struct wp_interp_ops - callbacks of a walk
 * @read: reads the aligned word at a user address below the limit; returns whether it
 *	could. Must not fault, sleep or, in stack.c, call
 *
 * Constant, so that the compiler can inline the callback.
 */
struct wp_interp_ops {
	bool (*read)(void *ctx, u64 addr, u64 *value);
};

/**
 * struct wp_interp_runs - the interpreted functions of a stack, run by run
 * @nr: words in @words
 * @room: how many are to be there at most
 * @words: two of each function, the innermost first
 * @functions: how many are in @words, by run
 * @natives: native frames of the stack that execute a run
 * @native: their numbers in the stack, which rise
 * @ended: for the caller: how the capture ended, enum wallprof_interp_reason + 1; 0: the
 *	stack has no native frame of an interpreter
 */
struct wp_interp_runs {
	unsigned int nr;
	unsigned int room;
	u64 words[WALLPROF_MAX_STACK];
	u8 functions[WALLPROF_MAX_STACK];
	unsigned int natives;
	u8 native[WALLPROF_MAX_STACK];
	u8 ended;
};

/* A value beside enum wallprof_interp_reason, within the walk. */
#define WP_INTERP_ON	0xff	/* go on */

bool wp_interp_check(const struct wallprof_interp *interp, u64 limit);

/**
 * wp_interp_natives - find the native frames of a stack that execute a run
 * @interp: the description, which wp_interp_check() has taken
 * @ips: the stack
 * @nr: its frames
 * @runs: its @native and @natives are set
 *
 * Return addresses are behind a call, which may be the last instruction of a range.
 *
 * Context: any.
 * Return: how many there are.
 */
static __always_inline unsigned int wp_interp_natives(const struct wallprof_interp *interp,
						      const u64 *ips, unsigned int nr,
						      struct wp_interp_runs *runs)
{
	struct wallprof_interp_range used[WALLPROF_INTERP_RANGES], *end = used, *in;
	const struct wallprof_interp_range *range = interp->range;
	u8 *native = runs->native;
	unsigned int i;

	/* Only ranges that are used are compared with each frame. */
	for (i = 0; i < WALLPROF_INTERP_RANGES; i++, range++) {
		if (range->start < range->end)
			*end++ = *range;
	}
	for (i = 0; i < nr; i++) {
		u64 pc = i ? ips[i] - 1 : ips[i];

		for (in = used; in < end; in++) {
			if (pc >= in->start && pc < in->end) {
				*native++ = i;
				break;
			}
		}
	}
	runs->natives = native - runs->native;
	return runs->natives;
}

/* Reads the word at an offset, a multiple of 8, from @base, which may be any address. */
static __always_inline u8 wp_interp_read(const struct wp_interp_ops *ops, void *ctx, u64 limit,
					 u64 base, s64 offset, u64 *value)
{
	if (base & 7 || base >= limit || base + offset > limit - 8)
		return WALLPROF_INTERP_BAD;
	return ops->read(ctx, base + offset, value) ? WP_INTERP_ON : WALLPROF_INTERP_FAULT;
}

/* The place of a number, which may be negative, or too large. */
static __always_inline u64 wp_interp_place(s64 number)
{
	return number < 0 || number >= WALLPROF_INTERP_PLACES - 1 ? 0 : number + 1;
}

/* Gets the place of a frame in its code. The machines that are supported are little-endian. */
static __always_inline u8 wp_interp_at(const struct wp_interp_ops *ops, void *ctx,
				       const struct wallprof_interp *interp, u64 limit,
				       u64 frame, u64 code, u64 *place)
{
	u16 offset = interp->frame_at;
	u64 at;
	u8 reason;

	reason = wp_interp_read(ops, ctx, limit, frame, offset & ~7U, &at);
	if (reason != WP_INTERP_ON)
		return reason;
	if (interp->flags & WALLPROF_INTERP_ADDRESS)
		*place = wp_interp_place((s64)(at - code - interp->code_start) >> interp->at_shift);
	else
		*place = wp_interp_place((s32)(at >> 8 * (offset & 4)));
	return WP_INTERP_ON;
}

/* Hashes the words by which a code object is known. */
static __always_inline u8 wp_interp_know(const struct wp_interp_ops *ops, void *ctx,
					 const struct wallprof_interp *interp, u64 limit,
					 u64 code, u32 *hash)
{
	const struct wallprof_interp_word *word;
	u64 value, mixed = 0;
	u8 reason;

	for (word = interp->word; word < interp->word + WALLPROF_INTERP_WORDS; word++) {
		if (word->at == WALLPROF_INTERP_NONE)
			break;
		reason = wp_interp_read(ops, ctx, limit, code, word->at, &value);
		if (reason == WP_INTERP_ON && word->then != WALLPROF_INTERP_NONE)
			reason = wp_interp_read(ops, ctx, limit, value, word->then, &value);
		if (reason != WP_INTERP_ON)
			return reason;
		mixed = wallprof_interp_mix(mixed, value);
	}
	*hash = mixed;
	return WP_INTERP_ON;
}

/* Adds the function of a frame. */
static __always_inline u8 wp_interp_add(const struct wp_interp_ops *ops, void *ctx,
					const struct wallprof_interp *interp, u64 limit,
					u64 frame, struct wp_interp_runs *runs)
{
	/* Pointers throughout: debug kernels check array bounds by a call. */
	u64 *to = runs->words + runs->nr;
	u64 code, type, place;
	u32 hash;
	u8 reason;

	reason = wp_interp_read(ops, ctx, limit, frame, interp->frame_code, &code);
	code &= ~(u64)interp->code_tag;
	if (reason == WP_INTERP_ON)
		reason = wp_interp_read(ops, ctx, limit, code, interp->code_type_at, &type);
	if (reason == WP_INTERP_ON && type != interp->code_type)
		reason = WALLPROF_INTERP_BAD;
	if (reason == WP_INTERP_ON)
		reason = wp_interp_at(ops, ctx, interp, limit, frame, code, &place);
	if (reason == WP_INTERP_ON)
		reason = wp_interp_know(ops, ctx, interp, limit, code, &hash);
	if (reason != WP_INTERP_ON)
		return reason;
	to[0] = WALLPROF_INTERP_CODE | code;
	to[1] = WALLPROF_INTERP_AT | place << 32 | hash;
	runs->nr += 2;
	return WP_INTERP_ON;
}

/* Gets the innermost frame. */
static __always_inline u8 wp_interp_top(const struct wp_interp_ops *ops, void *ctx,
					const struct wallprof_interp *interp, u64 limit,
					u64 thread, u64 *frame)
{
	const s32 *step;
	u8 reason;

	for (step = interp->step; step < interp->step + interp->nr_steps; step++) {
		if (!thread)
			return WALLPROF_INTERP_NO_STATE;
		reason = wp_interp_read(ops, ctx, limit, thread, *step, &thread);
		if (reason != WP_INTERP_ON)
			return reason;
	}
	*frame = thread;
	return thread ? WP_INTERP_ON : WALLPROF_INTERP_NO_STATE;
}

/* Sets @ends to whether a frame ends its run: no bool, whose loads debug kernels check. */
static __always_inline u8 wp_interp_ends(const struct wp_interp_ops *ops, void *ctx,
					 const struct wallprof_interp *interp, u64 limit,
					 u64 frame, u8 *ends)
{
	u16 offset = interp->frame_end;
	u64 word;
	u8 reason;

	*ends = 1;
	if (interp->flags & WALLPROF_INTERP_EACH)
		return WP_INTERP_ON;
	reason = wp_interp_read(ops, ctx, limit, frame, offset & ~7U, &word);
	if (reason == WP_INTERP_ON)
		*ends = (word >> 8 * (offset & 7) & interp->end_mask) == interp->end_value;
	return reason;
}

/**
 * wp_interp_walk - get the interpreted functions of a thread
 * @ops: constant
 * @ctx: passed to the callbacks of @ops
 * @interp: the description, which wp_interp_check() has taken
 * @thread: the thread pointer; 0: there is none
 * @limit: user addresses are below this
 * @complete: the native frames of @runs are all that the thread has
 * @runs: wp_interp_natives(), at least one, and its @room is set; the rest is set to the
 *	functions
 *
 * Without @complete, the innermost runs are got, as many as there are native frames.
 *
 * Context: that of @ops->read.
 * Return: enum wallprof_interp_reason; @runs is for wp_interp_merge() after READ and
 * NO_ROOM.
 */
static __always_inline u8 wp_interp_walk(const struct wp_interp_ops *ops, void *ctx,
					 const struct wallprof_interp *interp, u64 thread,
					 u64 limit, bool complete,
					 struct wp_interp_runs *runs)
{
	unsigned int natives = runs->natives, run = 0, frames = 0, first = 0;
	u8 *functions = runs->functions;
	u8 reason, room = WALLPROF_INTERP_READ, ends = 1;
	u64 frame;

	runs->nr = 0;
	reason = wp_interp_top(ops, ctx, interp, limit, thread, &frame);
	if (reason != WP_INTERP_ON)
		return reason;
	while (frame && (complete || run < natives)) {
		if (frames++ == WALLPROF_INTERP_FRAMES)
			return WALLPROF_INTERP_DEEP;
		reason = wp_interp_ends(ops, ctx, interp, limit, frame, &ends);
		if (reason != WP_INTERP_ON)
			return reason;
		if (run == natives)
			return WALLPROF_INTERP_RUNS;
		if (!ends || !(interp->flags & WALLPROF_INTERP_SHIM)) {
			/* The outermost ones have no room: nothing follows them. */
			if (runs->nr + 2 > runs->room)
				room = WALLPROF_INTERP_NO_ROOM;
			else
				reason = wp_interp_add(ops, ctx, interp, limit, frame, runs);
		}
		if (reason == WP_INTERP_ON)
			reason = wp_interp_read(ops, ctx, limit, frame,
						interp->frame_previous, &frame);
		if (reason != WP_INTERP_ON)
			return reason;
		if (ends) {
			functions[run++] = (runs->nr - first) / 2;
			first = runs->nr;
		}
	}
	if (!ends)
		return WALLPROF_INTERP_BAD;
	return run == natives ? room : WALLPROF_INTERP_RUNS;
}

/**
 * wp_interp_merge - put the functions of each run behind the native frame that executes it
 * @ips: in and out: the stack; its room is at least @nr and the room of @runs
 * @nr: its frames
 * @runs: wp_interp_walk(), by the native frames of this stack
 *
 * Context: any.
 * Return: the number of words.
 */
static __always_inline unsigned int wp_interp_merge(u64 *ips, unsigned int nr,
						    const struct wp_interp_runs *runs)
{
	unsigned int run = runs->natives, from = runs->nr;
	unsigned int to = nr + runs->nr, i, end;

	for (i = nr; i-- && to > i + 1;) {
		if (run && runs->native[run - 1] == i) {
			for (end = from - 2 * runs->functions[--run]; from > end;)
				ips[--to] = runs->words[--from];
		}
		ips[--to] = ips[i];
	}
	return nr + runs->nr;
}

#endif /* WALLPROF_PURE_INTERP_H */
