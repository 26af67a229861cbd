// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of module/unwind_fp.h: known stacks of 64 and 32 bits, and memory that
 * was written by an enemy.
 */
#include "pure.h"
#include "unwind_model.h"

#define LIMIT64	0x7ffffffff000ULL	/* TASK_SIZE_MAX */
#define LIMIT57	0xfffffffffff000ULL	/* with five levels of page tables */
#define LIMIT32	0x100000000ULL

#define IP	0x401000ULL

#define END		WALLPROF_UNWIND_END
#define FAULT		WALLPROF_UNWIND_FAULT
#define DEPTH		WALLPROF_UNWIND_DEPTH
#define NOT_RISING	WALLPROF_UNWIND_NOT_RISING
#define MISALIGNED	WALLPROF_UNWIND_MISALIGNED
#define BAD_IP		WALLPROF_UNWIND_BAD_IP

/* A page of a task's memory, and where it lies. */
static u8 page[4096];

static void page_at(u64 base, unsigned int word, u64 limit)
{
	user_memory = (struct user_memory){
		.bytes = page, .base = base, .size = sizeof(page), .sp = base,
		.limit = limit, .word = word,
	};
}

static void put_frame(u64 addr, u64 next, u64 ret)
{
	u64 at = addr - user_memory.base;

	memcpy(page + at, &next, user_memory.word);
	memcpy(page + at + user_memory.word, &ret, user_memory.word);
}

/*
 * A walk with room for @max addresses and no more. Returns whether it did what
 * the reference does and kept its promises.
 */
static bool walk(u64 ip, u64 fp, unsigned int max, u64 *ips, unsigned int *nr, u8 *why)
{
	u64 *room = pure_alloc(max * sizeof(*room));
	u64 *model = pure_alloc(max * sizeof(*model));
	u8 model_why = 0xff;
	unsigned int model_nr;
	bool good = true;

	*why = 0xff;
	*nr = user_unwind(ip, fp, room, max, why);
	model_nr = user_unwind_model(ip, fp, model, max, &model_why);
	good &= expect(!user_memory.broken, "read what it must not");
	good &= expect(user_memory.reads <= max - 1, "%u reads", user_memory.reads);
	good &= expect(*nr >= 1 && *nr <= max);
	good &= expect_eq(*nr, model_nr);
	good &= expect_eq(*why, model_why);
	if (good)
		good &= expect(!memcmp(room, model, *nr * sizeof(*room)));
	if (ips)
		memcpy(ips, room, *nr * sizeof(*room));
	free(room);
	free(model);
	return good;
}

/* @n callers in @gap bytes each; the last frame's pointer is 0. */
static void known_chain(unsigned int word, u64 limit, unsigned int n, u32 gap)
{
	u64 base = limit == LIMIT32 ? 0xfffe0000 : 0x7ffd00000000, addr = base + 64;
	u64 ips[WALLPROF_MAX_STACK];
	unsigned int i, nr;
	u8 why;

	page_at(base, word, limit);
	user_memory.sp = base + 32;
	for (i = 0; i < n; i++, addr += gap)
		put_frame(addr, i + 1 < n ? addr + gap : 0, 0x400000 + i);
	walk(IP, n ? base + 64 : 0, WALLPROF_MAX_STACK, ips, &nr, &why);
	expect_eq(why, END);
	expect_eq(user_memory.reads, n);
	if (!expect_eq(nr, n + 1))
		return;
	expect_eq(ips[0], IP);
	for (i = 0; i < n; i++)
		expect_eq(ips[i + 1], 0x400000 + i);
}

static void known_64(void)
{
	known_chain(8, LIMIT64, 1, 16);
	known_chain(8, LIMIT64, 5, 16);
	known_chain(8, LIMIT64, 5, 48);
	known_chain(8, LIMIT57, 125, 32);
}

static void known_32(void)
{
	known_chain(4, LIMIT32, 1, 8);
	known_chain(4, LIMIT32, 5, 8);
	known_chain(4, LIMIT32, 5, 52);
	known_chain(4, LIMIT32, 125, 32);
}

static void known_no_caller(void)
{
	known_chain(8, LIMIT64, 0, 16);
	known_chain(4, LIMIT32, 0, 8);
}

/* The high halves of what a 32-bit task has at 32-bit frames do not count. */
static void known_32_neighbours(void)
{
	u64 ips[4];
	unsigned int nr;
	u8 why;

	page_at(0x8000, 4, LIMIT32);
	memset(page, 0xff, sizeof(page));
	put_frame(0x8010, 0x8018, 0x1234);
	put_frame(0x8018, 0, 0x5678);
	walk(IP, 0x8010, 4, ips, &nr, &why);
	expect_eq(nr, 3);
	expect_eq(why, END);
	expect_eq(ips[1], 0x1234);
	expect_eq(ips[2], 0x5678);
}

static void depth_is_kept(void)
{
	static const unsigned int depths[] = { 1, 2, 3, 64, 126, 127 };
	unsigned int i, k, nr;
	u8 why;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		page_at(0x10000, 8, LIMIT64);
		for (k = 0; k < 200; k++)
			put_frame(0x10000 + 16 * k, 0x10000 + 16 * (k + 1), 0x400000);
		walk(IP, 0x10000, depths[i], NULL, &nr, &why);
		expect_eq(nr, depths[i]);
		expect_eq(why, DEPTH);
		expect_eq(user_memory.reads, depths[i] - 1);
	}
}

/* One frame at @fp: @next and @ret; then a good end at base + 256. */
static const struct single {
	const char *name;
	unsigned int word;
	u64 limit, base, sp, fp, next, ret;
	unsigned int nr;
	u8 why;
	unsigned int reads;
} singles[] = {
	/* The registers. */
	{ "fp at sp", 8, LIMIT64, 0x10000, 0x10080, 0x10080, 0, 9, 2, END, 1 },
	{ "fp below sp", 8, LIMIT64, 0x10000, 0x10080, 0x10078, 0, 9, 1, NOT_RISING, 0 },
	{ "fp + 1", 8, LIMIT64, 0x10000, 0x10000, 0x10081, 0, 9, 1, MISALIGNED, 0 },
	{ "fp + 2", 8, LIMIT64, 0x10000, 0x10000, 0x10082, 0, 9, 1, MISALIGNED, 0 },
	{ "fp + 4", 8, LIMIT64, 0x10000, 0x10000, 0x10084, 0, 9, 1, MISALIGNED, 0 },
	{ "fp + 7", 8, LIMIT64, 0x10000, 0x10000, 0x10087, 0, 9, 1, MISALIGNED, 0 },
	{ "fp + 4, 32", 4, LIMIT32, 0x10000, 0x10000, 0x10084, 0, 9, 2, END, 1 },
	{ "fp + 2, 32", 4, LIMIT32, 0x10000, 0x10000, 0x10082, 0, 9, 1, MISALIGNED, 0 },
	{ "fp + 1, 32", 4, LIMIT32, 0x10000, 0x10000, 0x10081, 0, 9, 1, MISALIGNED, 0 },
	{ "fp not mapped", 8, LIMIT64, 0x10000, 0x1000, 0x9000, 0, 9, 1, FAULT, 1 },
	{ "fp reaches beyond what is mapped", 8, LIMIT64, 0x10000, 0x1000, 0x10ff8, 0, 9,
	  1, FAULT, 1 },
	{ "sp 2^64 - 1", 8, LIMIT64, 0x10000, ~0ULL, 0x10080, 0, 9, 1, NOT_RISING, 0 },
	{ "sp 0", 8, LIMIT64, 0x10000, 0, 0x10080, 0, 9, 2, END, 1 },
	/* The limit. */
	{ "the last frame", 8, LIMIT64, LIMIT64 - 4096, 0, LIMIT64 - 16, 0, 9, 2, END, 1 },
	{ "a frame across the limit", 8, LIMIT64, LIMIT64 - 4088, 0, LIMIT64 - 8, 0, 9, 1,
	  FAULT, 0 },
	{ "at the limit", 8, LIMIT64, LIMIT64, 0, LIMIT64, 0, 9, 1, FAULT, 0 },
	{ "above the limit", 8, LIMIT64, LIMIT64, 0, LIMIT64 + 128, 0, 9, 1, FAULT, 0 },
	{ "not canonical", 8, LIMIT64, 0x800000000000, 0, 0x800000000000, 0, 9, 1, FAULT, 0 },
	{ "the kernel", 8, LIMIT64, 0xffff888000000000, 0, 0xffff888000000100, 0, 9, 1,
	  FAULT, 0 },
	{ "2^64 - 16", 8, LIMIT64, -4096ULL, 0, -16ULL, 0, 9, 1, FAULT, 0 },
	{ "2^64 - 8", 8, LIMIT64, 0x10000, 0, -8ULL, 0, 9, 1, FAULT, 0 },
	{ "2^64 - 8, sp there", 8, LIMIT64, 0x10000, -8ULL, -8ULL, 0, 9, 1, FAULT, 0 },
	{ "the last frame, 57", 8, LIMIT57, LIMIT57 - 4096, 0, LIMIT57 - 16, 0, 9, 2, END, 1 },
	{ "the last frame, 32", 4, LIMIT32, LIMIT32 - 4096, 0, LIMIT32 - 8, 0, 9, 2, END, 1 },
	{ "across the limit, 32", 4, LIMIT32, LIMIT32 - 4092, 0, LIMIT32 - 4, 0, 9, 1,
	  FAULT, 0 },
	{ "2^32, 32", 4, LIMIT32, LIMIT32, 0, LIMIT32, 0, 9, 1, FAULT, 0 },
	{ "a 64-bit fp, 32", 4, LIMIT32, 0x10000, 0, 1ULL << 32 | 0x10080, 0, 9, 1, FAULT, 0 },
	{ "2^64 - 4, 32", 4, LIMIT32, 0x10000, 0, -4ULL, 0, 9, 1, FAULT, 0 },
	/* The frame's contents. */
	{ "next is itself", 8, LIMIT64, 0x10000, 0, 0x10080, 0x10080, 9, 2, NOT_RISING, 1 },
	{ "next overlaps", 8, LIMIT64, 0x10000, 0, 0x10080, 0x10088, 9, 2, NOT_RISING, 1 },
	{ "next is below", 8, LIMIT64, 0x10000, 0, 0x10080, 0x10070, 9, 2, NOT_RISING, 1 },
	{ "next is 8", 8, LIMIT64, 0x10000, 0, 0x10080, 8, 9, 2, NOT_RISING, 1 },
	{ "next follows", 8, LIMIT64, 0x100f0 - 240, 0, 0x100f0, 0x10100, 9, 3, END, 2 },
	{ "next is higher", 8, LIMIT64, 0x10000, 0, 0x10080, 0x10100, 9, 3, END, 2 },
	{ "next + 4", 8, LIMIT64, 0x10000, 0, 0x10080, 0x10104, 9, 2, MISALIGNED, 1 },
	{ "next is at the limit", 8, LIMIT64, 0x10000, 0, 0x10080, LIMIT64, 9, 2, FAULT, 1 },
	{ "next is 2^64 - 8", 8, LIMIT64, 0x10000, 0, 0x10080, -8ULL, 9, 2, FAULT, 1 },
	{ "next is 2^64 - 16", 8, LIMIT64, 0x10000, 0, 0x10080, -16ULL, 9, 2, FAULT, 1 },
	{ "next is itself, 32", 4, LIMIT32, 0x10000, 0, 0x10080, 0x10080, 9, 2, NOT_RISING,
	  1 },
	{ "next overlaps, 32", 4, LIMIT32, 0x10000, 0, 0x10080, 0x10084, 9, 2, NOT_RISING,
	  1 },
	{ "next follows, 32", 4, LIMIT32, 0x10000, 0, 0x100f8, 0x10100, 9, 3, END, 2 },
	{ "next is 2^32 - 4, 32", 4, LIMIT32, 0x10000, 0, 0x10080, 0xfffffffc, 9, 2, FAULT,
	  1 },
	{ "next is 2^32 - 8, 32", 4, LIMIT32, 0x10000, 0, 0x10080, 0xfffffff8, 9, 2, FAULT,
	  2 },
	{ "behind the last frame is 0, 32", 4, LIMIT32, LIMIT32 - 4096, 0, LIMIT32 - 8, 8, 9,
	  2, NOT_RISING, 1 },
	{ "behind the last frame there is none", 8, LIMIT64, LIMIT64 - 4096, 0, LIMIT64 - 16,
	  LIMIT64, 9, 2, FAULT, 1 },
	{ "ret 0", 8, LIMIT64, 0x10000, 0, 0x10080, 0x10100, 0, 1, BAD_IP, 1 },
	{ "ret 1", 8, LIMIT64, 0x10000, 0, 0x10080, 0, 1, 2, END, 1 },
	{ "ret below the limit", 8, LIMIT64, 0x10000, 0, 0x10080, 0, LIMIT64 - 1, 2, END, 1 },
	{ "ret at the limit", 8, LIMIT64, 0x10000, 0, 0x10080, 0, LIMIT64, 1, BAD_IP, 1 },
	{ "ret in the kernel", 8, LIMIT64, 0x10000, 0, 0x10080, 0, 0xffffffff81000000, 1,
	  BAD_IP, 1 },
	{ "ret 2^64 - 1", 8, LIMIT64, 0x10000, 0, 0x10080, 0, ~0ULL, 1, BAD_IP, 1 },
	{ "ret 0, 32", 4, LIMIT32, 0x10000, 0, 0x10080, 0x10100, 0, 1, BAD_IP, 1 },
	{ "ret 2^32 - 1, 32", 4, LIMIT32, 0x10000, 0, 0x10080, 0, 0xffffffff, 2, END, 1 },
};

static void singles_all(void)
{
	unsigned int nr;
	int i;
	u8 why;

	for (i = 0; i < ARRAY_SIZE(singles); i++) {
		const struct single *s = &singles[i];
		bool good = true;

		memset(page, 0, sizeof(page));
		page_at(s->base, s->word, s->limit);
		user_memory.sp = s->sp;
		put_frame(s->base + 256, 0, 0x1234);
		if (user_mapped(&user_memory, s->fp, 2 * s->word))
			put_frame(s->fp, s->next, s->ret);
		good &= walk(IP, s->fp, 16, NULL, &nr, &why);
		good &= expect_eq(nr, s->nr);
		good &= expect_eq(why, s->why);
		good &= expect_eq(user_memory.reads, s->reads);
		if (!good)
			printf("# in \"%s\"\n", s->name);
	}
}

static void cycles_end(void)
{
	unsigned int length, k, nr;
	u8 why;

	for (length = 1; length < 100; length++) {
		page_at(0x10000, 8, LIMIT64);
		for (k = 0; k < length; k++)
			put_frame(0x10000 + 16 * k, 0x10000 + 16 * ((k + 1) % length),
				  0x400000);
		walk(IP, 0x10000, WALLPROF_MAX_STACK, NULL, &nr, &why);
		expect_eq(nr, length + 1);
		expect_eq(why, NOT_RISING);
	}
}

/* The first instruction is what the registers say, whatever that is. */
static void ip_is_kept(void)
{
	static const u64 all[] = { 0, 1, LIMIT64, ~0ULL };
	u64 ips[2];
	unsigned int nr;
	int i;
	u8 why;

	page_at(0x10000, 8, LIMIT64);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		walk(all[i], 0, 2, ips, &nr, &why);
		expect_eq(nr, 1);
		expect_eq(ips[0], all[i]);
	}
}

/* A word that looks like one of a stack, mostly. */
static u64 hostile_word(void)
{
	const struct user_memory *m = &user_memory;
	u64 at = m->base + pure_below(m->size + 64) - 32;

	switch (pure_below(16)) {
	case 0:
		return pure_random();
	case 1:
		return m->limit - pure_below(40);
	case 2:
		return pure_below(20);
	case 3:
		return -(u64)pure_below(40);
	case 4:
		return at;
	case 5:
		return 1ULL << 32 | at;
	default:
		return at & ~(m->word - 1ULL);
	}
}

static void hostile(unsigned int word, u64 limit)
{
	unsigned int round, i, nr, deep = 0;
	u8 why;

	for (round = 0; round < 60000; round++) {
		u64 bases[] = { 0, 0x10000, limit / 2, limit - 4096, limit - 2048, limit,
				-4096ULL };

		page_at(bases[pure_below(7)], word, limit);
		user_memory.size = 64 + pure_below(128);
		if (pure_below(2))
			user_memory.base += sizeof(page) - user_memory.size;
		for (i = 0; i < user_memory.size / word; i++) {
			u64 value = hostile_word();

			/* Returns that are good let walks come further. */
			if (i & 1 && pure_below(8))
				value = 0x400000 + i;
			else if (pure_below(8))
				value = user_memory.base + (i + 2 + pure_below(3)) * word;
			memcpy(page + i * word, &value, word);
		}
		user_memory.sp = pure_below(4) ? user_memory.base : hostile_word();
		if (!expect(walk(pure_random(), pure_below(4) ? user_memory.base :
				 hostile_word(), 1 + pure_below(pure_below(8) ? 12 : 127),
				 NULL, &nr, &why), "round %u", round))
			break;
		deep += nr > 4;
	}
	expect(deep > 1000, "only %u walks came far", deep);
}

static void hostile_64(void)
{
	hostile(8, LIMIT64);
	hostile(8, LIMIT57);
}

static void hostile_32(void)
{
	hostile(4, LIMIT32);
}

static const struct pure_case cases[] = {
	{ "64 bits: known stacks", known_64 },
	{ "32 bits: known stacks", known_32 },
	{ "a stack without callers", known_no_caller },
	{ "32 bits: words next to a frame do not count", known_32_neighbours },
	{ "depth: never more than max, and no read for what is not kept", depth_is_kept },
	{ "one frame: alignment, limits, wraps, bad returns", singles_all },
	{ "cycles end after one round", cycles_end },
	{ "the first address is taken as it is", ip_is_kept },
	{ "64 bits: hostile memory, as the reference, within what may be read",
	  hostile_64 },
	{ "32 bits: hostile memory, as the reference, within what may be read",
	  hostile_32 },
};

int main(void)
{
	return pure_run(cases, ARRAY_SIZE(cases));
}
