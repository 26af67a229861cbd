/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User memory, the readers of it for wp_unwind_fp(), and a reference of the walk. Used by
 * unwind.c and by the fuzzer.
 *
 * The readers allow what the walk guarantees, and note reads beyond that: an address that
 * is not aligned, reaches the limit, is below the stack pointer or is not above the frame
 * before.
 */
#ifndef WALLPROF_KUNIT_UNWIND_MODEL_H
#define WALLPROF_KUNIT_UNWIND_MODEL_H

#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/unwind_fp.h"

struct user_memory {
	const u8 *bytes;
	u64 base, size;		/* user addresses of what is mapped */
	u64 sp, limit;
	u64 above;		/* the next frame must not lie below */
	unsigned int word;
	unsigned int reads;
	bool broken;		/* a guarantee was broken */
};

static struct user_memory user_memory;

static inline bool user_mapped(const struct user_memory *m, u64 addr, u64 bytes)
{
	return addr >= m->base && addr - m->base < m->size &&
	       bytes <= m->size - (addr - m->base);
}

static inline bool user_read(u64 addr, unsigned int word, struct wp_frame *frame)
{
	struct user_memory *m = &user_memory;
	u32 words[2];

	m->reads++;
	if (word != m->word || addr % word || addr > m->limit ||
	    2 * word > m->limit - addr || addr < m->sp || addr < m->above)
		m->broken = true;
	m->above = addr + 2 * word;
	if (!user_mapped(m, addr, 2 * word))
		return false;
	if (word == 8) {
		memcpy(&frame->next, m->bytes + (addr - m->base), 8);
		memcpy(&frame->ret, m->bytes + (addr - m->base) + 8, 8);
	} else {
		memcpy(words, m->bytes + (addr - m->base), sizeof(words));
		frame->next = words[0];
		frame->ret = words[1];
	}
	return true;
}

static bool user_read64(void *ctx, u64 addr, struct wp_frame *frame)
{
	return user_read(addr, 8, frame);
}

static bool user_read32(void *ctx, u64 addr, struct wp_frame *frame)
{
	return user_read(addr, 4, frame);
}

/* The walk of the module, as stack.c calls it. */
static inline unsigned int user_unwind(u64 ip, u64 fp, u64 *ips, unsigned int max,
				       u8 *stop)
{
	const struct user_memory *m = &user_memory;

	user_memory.above = 0;
	user_memory.reads = 0;
	user_memory.broken = false;
	if (m->word == 8)
		return wp_unwind_fp(ip, m->sp, fp, 8, m->limit, user_read64, NULL, ips,
				    max, stop);
	return wp_unwind_fp(ip, m->sp, fp, 4, m->limit, user_read32, NULL, ips, max, stop);
}

/* The expected result, with numbers that cannot wrap. */
static inline unsigned int user_unwind_model(u64 ip, u64 fp, u64 *ips,
					     unsigned int max, u8 *stop)
{
	struct user_memory m = user_memory;
	__uint128_t low = m.sp, end;
	unsigned int nr;

	ips[0] = ip;
	for (nr = 1; nr < max; nr++) {
		u64 next = 0, ret = 0;

		end = (__uint128_t)fp + 2 * m.word;
		*stop = !fp ? WALLPROF_UNWIND_END :
		       fp % m.word ? WALLPROF_UNWIND_MISALIGNED :
		       fp < low ? WALLPROF_UNWIND_NOT_RISING :
		       end > m.limit ? WALLPROF_UNWIND_FAULT :
		       !user_mapped(&m, fp, 2 * m.word) ? WALLPROF_UNWIND_FAULT :
		       WALLPROF_UNWIND_MAX;
		if (*stop != WALLPROF_UNWIND_MAX)
			return nr;
		memcpy(&next, m.bytes + (fp - m.base), m.word);
		memcpy(&ret, m.bytes + (fp - m.base) + m.word, m.word);
		if (ret == 0 || ret >= m.limit) {
			*stop = WALLPROF_UNWIND_BAD_IP;
			return nr;
		}
		ips[nr] = ret;
		low = end;
		fp = next;
	}
	*stop = WALLPROF_UNWIND_DEPTH;
	return nr;
}

#endif /* WALLPROF_KUNIT_UNWIND_MODEL_H */
