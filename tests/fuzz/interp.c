// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/interp.c and module/pure/interp.h: description, stack and memory are
 * the input's. With a description that passes the check, a walk must agree with the
 * reference, end within its bounds and read only what it may. A word of memory is changed
 * then: if the stack cache finds none of its own changed, another walk reads the same.
 *
 * Input: struct input, then the memory. With REPAIR, the description is made to pass where
 * that is easy, so that more of them do.
 */
#include <stdint.h>
#include <stdlib.h>

#include "far_model.h"
#include "interp_model.h"

#define LIMIT	0x7ffffffff000ULL
#define BASE	0x100ULL	/* addresses of the memory have few digits */
#define EVAL	0x400000ULL

#define REPAIR	1
#define COMPLETE 2

struct input {
	struct wallprof_interp interp;
	u64 thread;
	u8 flags, nr, room, natives[8];
	u8 change, by, to;
};

static void must(bool good)
{
	if (!good)
		abort();
}

static void repair(struct wallprof_interp *d)
{
	unsigned int i;

	d->flags &= WALLPROF_INTERP_EACH | WALLPROF_INTERP_SHIM | WALLPROF_INTERP_ADDRESS;
	if (d->flags & WALLPROF_INTERP_EACH)
		d->flags &= ~WALLPROF_INTERP_SHIM;
	d->reserved = 0;
	d->code_tag &= 7;
	memset(d->range, 0, sizeof(d->range));
	d->range[0] = (struct wallprof_interp_range){ EVAL, EVAL + 0x80 };
	d->nr_steps = 1 + d->nr_steps % WALLPROF_INTERP_STEPS;
	for (i = 0; i < WALLPROF_INTERP_STEPS; i++)
		d->step[i] = i < d->nr_steps ? d->step[i] % 32 * 8 : 0;
	d->code_type_at = d->code_type_at % 16 * 8;
	d->frame_previous = d->frame_previous % 16 * 8;
	d->frame_code = d->frame_code % 16 * 8;
	d->frame_at = d->frame_at % 16 * 8;
	if (d->flags & WALLPROF_INTERP_EACH) {
		d->frame_end = WALLPROF_INTERP_NONE;
		d->end_mask = 0;
		d->end_value = 0;
	} else {
		d->frame_end %= 128;
		d->end_mask |= 1;
		d->end_value &= d->end_mask;
	}
	if (d->flags & WALLPROF_INTERP_ADDRESS) {
		d->code_start %= 128;
		d->at_shift %= 32;
	} else {
		d->frame_at += d->at_shift & 4;
		d->code_start = 0;
		d->at_shift = 0;
	}
	for (i = 0; i < WALLPROF_INTERP_WORDS; i++) {
		struct wallprof_interp_word *w = &d->word[i];

		if (i && d->word[i - 1].at == WALLPROF_INTERP_NONE)
			w->at = WALLPROF_INTERP_NONE;
		w->at = w->at & 1 ? WALLPROF_INTERP_NONE : w->at % 16 * 8;
		w->then = w->then & 1 ? WALLPROF_INTERP_NONE : w->then % 16 * 8;
	}
}

/* @user: its memory may be written to. */
static void changes(const struct input *in, struct interp_user *user, const u64 *ips,
		    unsigned int nr, unsigned int max)
{
	static struct wp_far_ring ring;
	static struct wp_stack_cache cache;
	bool complete = in->flags & COMPLETE;
	struct far_walk w = { .user = user };
	u8 *byte;

	if (!cache.far) {
		cache.far = &ring;
		wp_stack_cache_init(&cache);
	}
	far_walk(&w, &cache, &in->interp, in->thread, complete, ips, nr, max);
	if (w.notes.old->begin)
		must(far_holds(&w, &cache, in->thread));
	must(!far_holds(&w, &cache, in->thread + 8));
	if (!user->size)
		return;
	byte = (u8 *)user->bytes + (in->change * 8 + in->by % 8) % user->size;
	*byte ^= in->to;
	if (far_holds(&w, &cache, in->thread))
		must(far_is_same(&w, &in->interp, in->thread, complete, ips, nr, max));
	*byte ^= in->to;
}

static void walk(const struct input *in, const u8 *memory, size_t size)
{
	unsigned int nr = 1 + in->nr % 64, max, model_nr, i;
	struct interp_user user = {
		.bytes = memory, .base = BASE, .size = size & ~7UL, .limit = LIMIT,
	};
	u64 ips[WALLPROF_MAX_STACK], model[WALLPROF_MAX_STACK], *stack;
	struct wp_interp_runs *runs = malloc(sizeof(*runs));
	bool complete = in->flags & COMPLETE;
	u8 reason;

	for (i = 0; i < nr; i++)
		ips[i] = in->natives[i / 8] >> i % 8 & 1 ? EVAL + 0x10 : i;
	max = nr + in->room % (WALLPROF_MAX_STACK + 1 - nr);
	stack = malloc(max * sizeof(*stack));
	memcpy(stack, ips, nr * sizeof(*stack));
	model_nr = nr;
	if (wp_interp_natives(&in->interp, stack, nr, runs)) {
		reason = interp_model(&user, &in->interp, in->thread, complete, ips, nr, max,
				      model, &model_nr);
		if (reason != WALLPROF_INTERP_READ && reason != WALLPROF_INTERP_NO_ROOM)
			memcpy(model, ips, nr * sizeof(*ips));
		must(interp_capture(&user, &in->interp, in->thread, complete, stack, &nr, max,
				    runs) == reason);
		must(!user.broken && nr == model_nr && nr <= max);
		must(user.reads <= 16 * (WALLPROF_INTERP_FRAMES + 1));
		must(!memcmp(stack, model, nr * sizeof(*stack)));
		changes(in, &user, ips, 1 + in->nr % 64, max);
	}
	free(stack);
	free(runs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	u8 *memory;

	if (size < sizeof(in))
		return 0;
	memcpy(&in, data, sizeof(in));
	size -= sizeof(in);
	if (in.flags & REPAIR)
		repair(&in.interp);
	must(!(in.flags & REPAIR) || wp_interp_check(&in.interp, LIMIT));
	if (!wp_interp_check(&in.interp, LIMIT))
		return 0;
	/* Of exactly that size. */
	memory = malloc(size + 1);
	memcpy(memory, data + sizeof(in), size);
	walk(&in, memory, size);
	free(memory);
	return 0;
}
