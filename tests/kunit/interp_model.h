/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User memory, the callback of wp_interp_walk() for it, and a reference of the walk. Used by
 * interp.c and by the fuzzer.
 *
 * The reader allows what the walk guarantees, and notes reads beyond that. The reference
 * lists the functions with the number of their run, and makes the stack from its beginning.
 */
#ifndef UNIT_INTERP_MODEL_H
#define UNIT_INTERP_MODEL_H

#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/interp.h"

struct interp_user {
	const u8 *bytes;
	u64 base, size;		/* user addresses of what is mapped, multiples of 8 */
	u64 hole;		/* a word that cannot be read, or 0 */
	u64 limit;
	unsigned int reads;
	u64 last;		/* address of the last word that was read */
	bool broken;		/* a guarantee was broken */
};

static inline bool interp_peek(const struct interp_user *u, u64 addr, void *to, u64 bytes)
{
	if ((addr & ~7ULL) == u->hole || addr < u->base || addr - u->base >= u->size ||
	    u->size - (addr - u->base) < bytes)
		return false;
	memcpy(to, u->bytes + (addr - u->base), bytes);
	return true;
}

static inline bool interp_read(void *ctx, u64 addr, u64 *value)
{
	struct interp_user *u = ctx;

	u->reads++;
	u->last = addr;
	u->broken |= addr & 7 || addr > u->limit - 8;
	return interp_peek(u, addr, value, 8);
}

static const struct wp_interp_ops interp_ops = { .read = interp_read };

/* Puts the functions into a stack, as a capture does; returns the reason. */
static inline u8 interp_capture(struct interp_user *u, const struct wallprof_interp *d,
				u64 thread, bool complete, u64 *ips, unsigned int *nr,
				unsigned int max, struct wp_interp_runs *runs)
{
	u8 reason;

	u->reads = 0;
	u->broken = false;
	runs->room = max - *nr;
	wp_interp_natives(d, ips, *nr, runs);
	reason = wp_interp_walk(&interp_ops, u, d, thread, u->limit, complete, runs);
	if (reason == WALLPROF_INTERP_READ || reason == WALLPROF_INTERP_NO_ROOM)
		*nr = wp_interp_merge(ips, *nr, runs);
	return reason;
}

struct interp_function {
	unsigned int run;
	u64 code, at;
};

static inline u8 interp_model_read(const struct interp_user *u, u64 base, s64 offset, void *to,
				   u64 bytes)
{
	u64 addr = base + offset;

	if (base % 8 || base >= u->limit || addr >= u->limit)
		return WALLPROF_INTERP_BAD;
	return interp_peek(u, addr, to, bytes) ? WP_INTERP_ON : WALLPROF_INTERP_FAULT;
}

/* The function of a frame. */
static inline u8 interp_model_function(const struct interp_user *u,
				       const struct wallprof_interp *d, u64 frame,
				       struct interp_function *f)
{
	u64 code, type, at = 0, words[WALLPROF_INTERP_WORDS], place = 0;
	unsigned int i, nr = 0;
	s32 number = 0;
	u8 r;

	r = interp_model_read(u, frame, d->frame_code, &code, 8);
	code &= ~(u64)(d->code_tag & 7);
	if (r == WP_INTERP_ON)
		r = interp_model_read(u, code, d->code_type_at, &type, 8);
	if (r != WP_INTERP_ON)
		return r;
	if (type != d->code_type)
		return WALLPROF_INTERP_BAD;
	if (d->flags & WALLPROF_INTERP_ADDRESS)
		r = interp_model_read(u, frame, d->frame_at, &at, 8);
	else
		r = interp_model_read(u, frame, d->frame_at, &number, 4);
	if (r != WP_INTERP_ON)
		return r;
	at -= code + d->code_start;
	if (!(d->flags & WALLPROF_INTERP_ADDRESS))
		place = number < 0 ? 0 : (u64)number + 1;
	else if (at < 1ULL << 63)
		place = (at >> d->at_shift) + 1;
	for (i = 0; i < WALLPROF_INTERP_WORDS && d->word[i].at != WALLPROF_INTERP_NONE; i++) {
		r = interp_model_read(u, code, d->word[i].at, &words[nr], 8);
		if (r == WP_INTERP_ON && d->word[i].then != WALLPROF_INTERP_NONE)
			r = interp_model_read(u, words[nr], d->word[i].then, &words[nr], 8);
		if (r != WP_INTERP_ON)
			return r;
		nr++;
	}
	f->code = 1ULL << 63 | code;
	f->at = 5ULL << 61 | (place < 1U << 24 ? place : 0) << 32 | wallprof_interp_hash(words, nr);
	return WP_INTERP_ON;
}

static inline bool interp_model_is_native(const struct wallprof_interp *d, u64 pc)
{
	unsigned int i;

	for (i = 0; i < WALLPROF_INTERP_RANGES; i++) {
		if (pc >= d->range[i].start && pc < d->range[i].end)
			return true;
	}
	return false;
}

/* @out gets the stack, with room for @max words; @out_nr how many. */
static inline u8 interp_model(const struct interp_user *u, const struct wallprof_interp *d,
			      u64 thread, bool complete, const u64 *ips, unsigned int nr,
			      unsigned int max, u64 *out, unsigned int *out_nr)
{
	static struct interp_function list[WALLPROF_MAX_STACK];
	unsigned int i, k, natives = 0, run = 0, listed = 0, frames = 0, room = (max - nr) / 2;
	bool full = false, ends = true;
	u64 frame = thread;
	u8 r, byte;

	for (i = 0; i < nr; i++)
		natives += interp_model_is_native(d, i ? ips[i] - 1 : ips[i]);
	for (i = 0; i < d->nr_steps && frame; i++) {
		r = interp_model_read(u, frame, d->step[i], &frame, 8);
		if (r != WP_INTERP_ON)
			return r;
	}
	if (!frame)
		return WALLPROF_INTERP_NO_STATE;
	for (; frame && (complete || run < natives); run += ends) {
		if (frames++ == WALLPROF_INTERP_FRAMES)
			return WALLPROF_INTERP_DEEP;
		if (!(d->flags & WALLPROF_INTERP_EACH)) {
			r = interp_model_read(u, frame, d->frame_end, &byte, 1);
			if (r != WP_INTERP_ON)
				return r;
			ends = (byte & d->end_mask) == d->end_value;
		}
		if (run == natives)
			return WALLPROF_INTERP_RUNS;
		if (!(ends && d->flags & WALLPROF_INTERP_SHIM)) {
			full |= listed == room;
			if (!full) {
				list[listed].run = run;
				r = interp_model_function(u, d, frame, &list[listed++]);
				if (r != WP_INTERP_ON)
					return r;
			}
		}
		r = interp_model_read(u, frame, d->frame_previous, &frame, 8);
		if (r != WP_INTERP_ON)
			return r;
	}
	if (!ends)
		return WALLPROF_INTERP_BAD;
	if (run != natives)
		return WALLPROF_INTERP_RUNS;
	*out_nr = 0;
	for (i = 0, k = 0, run = 0; i < nr; i++) {
		out[(*out_nr)++] = ips[i];
		if (!interp_model_is_native(d, i ? ips[i] - 1 : ips[i]))
			continue;
		for (; k < listed && list[k].run == run; k++) {
			out[(*out_nr)++] = list[k].code;
			out[(*out_nr)++] = list[k].at;
		}
		run++;
	}
	return full ? WALLPROF_INTERP_NO_ROOM : WALLPROF_INTERP_READ;
}

#endif
