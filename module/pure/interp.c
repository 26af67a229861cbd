// SPDX-License-Identifier: GPL-2.0
/*
 * Checks descriptions of interpreters. Whoever makes one may read the process's memory, but
 * what the probes follow must be within bounds all the same.
 *
 * Pure. Process context.
 */
#include "pure/interp.h"

/* Whether the ranges are code of a process, one at least, and none overlap. */
static bool wp_interp_check_ranges(const struct wallprof_interp *interp, u64 limit)
{
	const struct wallprof_interp_range *range = interp->range;
	unsigned int i, k, used = 0;

	for (i = 0; i < WALLPROF_INTERP_RANGES; i++) {
		if (range[i].start > range[i].end || range[i].end > limit)
			return false;
		used += range[i].start < range[i].end;
		for (k = 0; k < i; k++) {
			if (range[k].start < range[i].end && range[i].start < range[k].end &&
			    range[k].start < range[k].end && range[i].start < range[i].end)
				return false;
		}
	}
	return used;
}

static bool wp_interp_check_steps(const struct wallprof_interp *interp)
{
	unsigned int i;

	if (!interp->nr_steps || interp->nr_steps > WALLPROF_INTERP_STEPS)
		return false;
	for (i = 0; i < WALLPROF_INTERP_STEPS; i++) {
		if (interp->step[i] & 7 || (i >= interp->nr_steps && interp->step[i]))
			return false;
	}
	return true;
}

/* Whether the end of a run is described: by a byte, unless each frame ends one. */
static bool wp_interp_check_end(const struct wallprof_interp *interp)
{
	if (interp->flags & WALLPROF_INTERP_EACH)
		return !(interp->flags & WALLPROF_INTERP_SHIM) &&
		       interp->frame_end == WALLPROF_INTERP_NONE &&
		       !interp->end_mask && !interp->end_value;
	return interp->frame_end != WALLPROF_INTERP_NONE && interp->end_mask &&
	       !(interp->end_value & ~interp->end_mask);
}

/* Whether the instruction is described: by an address, or a number. */
static bool wp_interp_check_at(const struct wallprof_interp *interp)
{
	if (interp->flags & WALLPROF_INTERP_ADDRESS)
		return !(interp->frame_at & 7) && interp->code_start != WALLPROF_INTERP_NONE &&
		       interp->at_shift < 32;
	return !(interp->frame_at & 3) && !interp->code_start && !interp->at_shift;
}

static bool wp_interp_check_words(const struct wallprof_interp *interp)
{
	const struct wallprof_interp_word *word = interp->word;
	unsigned int i;

	for (i = 0; i < WALLPROF_INTERP_WORDS; i++) {
		if (word[i].at == WALLPROF_INTERP_NONE)
			continue;
		if (word[i].at & 7 || (word[i].then & 7 && word[i].then != WALLPROF_INTERP_NONE))
			return false;
		if (i && word[i - 1].at == WALLPROF_INTERP_NONE)
			return false;
	}
	return true;
}

/**
 * wp_interp_check - check a description of an interpreter
 * @interp: the description; its size is right
 * @limit: user addresses are below this
 *
 * Context: process.
 * Return: whether it is as the uapi header has it.
 */
bool wp_interp_check(const struct wallprof_interp *interp, u64 limit)
{
	if (interp->flags & ~(WALLPROF_INTERP_EACH | WALLPROF_INTERP_SHIM |
			      WALLPROF_INTERP_ADDRESS) ||
	    interp->reserved || interp->code_tag & ~7 ||
	    (interp->code_type_at | interp->frame_previous | interp->frame_code) & 7)
		return false;
	return wp_interp_check_ranges(interp, limit) && wp_interp_check_steps(interp) &&
	       wp_interp_check_end(interp) && wp_interp_check_at(interp) &&
	       wp_interp_check_words(interp);
}
