// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/unwind_fp.h: known stacks of 64 and 32 bits, and hostile memory.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "suite.h"
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

/* A page of a task's memory, and its address. */
static u8 page[4096];

/* The result of a walk, and the expected one; too large for a kernel stack. */
static u64 ips[WALLPROF_MAX_STACK], model[WALLPROF_MAX_STACK];

/* Arrays of exactly so many addresses; allocated when a case first needs one. */
static u64 *rooms[WALLPROF_MAX_STACK + 1];

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

static int unwind_init(struct kunit *test)
{
	memset(page, 0, sizeof(page));
	memset(rooms, 0, sizeof(rooms));
	return suite_init(test);
}

/*
 * Walks with room for exactly @max addresses; the result goes to ips. It must agree with
 * the reference, within the walk's guarantees.
 */
static void walk(struct kunit *test, u64 ip, u64 fp, unsigned int max,
		 unsigned int *nr, u8 *stop)
{
	unsigned int model_nr;
	u8 model_stop = 0xff;

	if (!rooms[max])
		rooms[max] = suite_alloc(test, max * sizeof(u64));
	*stop = 0xff;
	*nr = user_unwind(ip, fp, rooms[max], max, stop);
	model_nr = user_unwind_model(ip, fp, model, max, &model_stop);
	KUNIT_EXPECT_FALSE_MSG(test, user_memory.broken, "read what it must not");
	KUNIT_EXPECT_LT(test, user_memory.reads, max);
	KUNIT_EXPECT_EQ(test, *stop, model_stop);
	KUNIT_ASSERT_EQ(test, *nr, model_nr);
	memcpy(ips, rooms[max], *nr * sizeof(u64));
	KUNIT_EXPECT_EQ(test, memcmp(ips, model, *nr * sizeof(u64)), 0);
}

static const struct chain {
	unsigned int word;
	u64 limit;
	unsigned int nr, gap;
} chains[] = {
	{ 8, LIMIT64, 0, 16 }, { 8, LIMIT64, 1, 16 }, { 8, LIMIT64, 5, 16 },
	{ 8, LIMIT64, 5, 48 }, { 8, LIMIT57, 125, 32 },
	{ 4, LIMIT32, 0, 8 }, { 4, LIMIT32, 1, 8 }, { 4, LIMIT32, 5, 8 },
	{ 4, LIMIT32, 5, 52 }, { 4, LIMIT32, 125, 32 },
};

static void chain_describe(const struct chain *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u bits, %u callers, %u bytes each",
		 8 * c->word, c->nr, c->gap);
}

KUNIT_ARRAY_PARAM(chain, chains, chain_describe);

/* Known stacks; the last frame's pointer is 0. */
static void known(struct kunit *test)
{
	const struct chain *c = test->param_value;
	u64 base = c->limit == LIMIT32 ? 0xfffe0000 : 0x7ffd00000000, addr = base + 64;
	unsigned int i, nr;
	u8 stop;

	page_at(base, c->word, c->limit);
	user_memory.sp = base + 32;
	for (i = 0; i < c->nr; i++, addr += c->gap)
		put_frame(addr, i + 1 < c->nr ? addr + c->gap : 0, 0x400000 + i);
	walk(test, IP, c->nr ? base + 64 : 0, WALLPROF_MAX_STACK, &nr, &stop);
	KUNIT_EXPECT_EQ(test, stop, END);
	KUNIT_EXPECT_EQ(test, user_memory.reads, c->nr);
	KUNIT_ASSERT_EQ(test, nr, c->nr + 1);
	KUNIT_EXPECT_EQ(test, ips[0], IP);
	for (i = 0; i < c->nr; i++)
		KUNIT_EXPECT_EQ(test, ips[i + 1], 0x400000 + i);
}

/* The words next to 32-bit frames do not count. */
static void known_32_neighbours(struct kunit *test)
{
	unsigned int nr;
	u8 stop;

	page_at(0x8000, 4, LIMIT32);
	memset(page, 0xff, sizeof(page));
	put_frame(0x8010, 0x8018, 0x1234);
	put_frame(0x8018, 0, 0x5678);
	walk(test, IP, 0x8010, 4, &nr, &stop);
	KUNIT_EXPECT_EQ(test, nr, 3);
	KUNIT_EXPECT_EQ(test, stop, END);
	KUNIT_EXPECT_EQ(test, ips[1], 0x1234);
	KUNIT_EXPECT_EQ(test, ips[2], 0x5678);
}

/* Which frames of 32-bit ARM are APCS frames, by the words below them. */
static const struct apcs {
	const char *name;
	u64 fp;
	u32 sp;
	bool is;
} apcs[] = {
	{ "nothing pushed", 0xff80, 0xff84, true },
	{ "an argument pushed", 0xff80, 0xff88, true },
	{ "four arguments pushed", 0xff80, 0xff94, true },
	{ "five", 0xff80, 0xff98, false },
	{ "below", 0xff80, 0xff80, false },
	{ "half a word", 0xff80, 0xff86, false },
	{ "zero", 0xff80, 0, false },
	{ "far above", 0xff80, 0xffffffff, false },
	{ "at the end of memory", 0xfffffffc, 0xfffffffc, false },
};

static void apcs_describe(const struct apcs *a, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", a->name);
}

KUNIT_ARRAY_PARAM(apcs, apcs, apcs_describe);

static void apcs_is_known(struct kunit *test)
{
	const struct apcs *a = test->param_value;

	KUNIT_EXPECT_EQ(test, wp_is_apcs_frame(a->fp, a->sp), a->is);
}

static const unsigned int depths[] = { 1, 2, 3, 64, 126, 127 };

static void depth_describe(const unsigned int *depth, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "at most %u", *depth);
}

KUNIT_ARRAY_PARAM(depth, depths, depth_describe);

/* Never more than max frames, and no read for one that is not kept. */
static void depth_is_kept(struct kunit *test)
{
	unsigned int depth = *(const unsigned int *)test->param_value, k, nr;
	u8 stop;

	page_at(0x10000, 8, LIMIT64);
	for (k = 0; k < 200; k++)
		put_frame(0x10000 + 16 * k, 0x10000 + 16 * (k + 1), 0x400000);
	walk(test, IP, 0x10000, depth, &nr, &stop);
	KUNIT_EXPECT_EQ(test, nr, depth);
	KUNIT_EXPECT_EQ(test, stop, DEPTH);
	KUNIT_EXPECT_EQ(test, user_memory.reads, depth - 1);
}

/* One frame at @fp: @next and @ret; then a good end at base + 256. */
static const struct single {
	const char *name;
	unsigned int word;
	u64 limit, base, sp, fp, next, ret;
	unsigned int nr;
	u8 stop;
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

static void single_describe(const struct single *s, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", s->name);
}

KUNIT_ARRAY_PARAM(single, singles, single_describe);

/* One frame: alignment, limits, wraps, bad returns. */
static void single(struct kunit *test)
{
	const struct single *s = test->param_value;
	unsigned int nr;
	u8 stop;

	page_at(s->base, s->word, s->limit);
	user_memory.sp = s->sp;
	put_frame(s->base + 256, 0, 0x1234);
	if (user_mapped(&user_memory, s->fp, 2 * s->word))
		put_frame(s->fp, s->next, s->ret);
	walk(test, IP, s->fp, 16, &nr, &stop);
	KUNIT_EXPECT_EQ(test, nr, s->nr);
	KUNIT_EXPECT_EQ(test, stop, s->stop);
	KUNIT_EXPECT_EQ(test, user_memory.reads, s->reads);
}

/* Cycles end after one round. */
static void cycles_end(struct kunit *test)
{
	unsigned int length, k, nr;
	u8 stop;

	for (length = 1; length < 100 && !suite_failed(test); length++) {
		page_at(0x10000, 8, LIMIT64);
		for (k = 0; k < length; k++)
			put_frame(0x10000 + 16 * k, 0x10000 + 16 * ((k + 1) % length),
				  0x400000);
		walk(test, IP, 0x10000, WALLPROF_MAX_STACK, &nr, &stop);
		KUNIT_EXPECT_EQ(test, nr, length + 1);
		KUNIT_EXPECT_EQ(test, stop, NOT_RISING);
	}
}

static const u64 all_ips[] = { 0, 1, LIMIT64, ~0ULL };

static void ip_describe(const u64 *ip, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%#llx", (unsigned long long)*ip);
}

KUNIT_ARRAY_PARAM(ip, all_ips, ip_describe);

/* The first address is the instruction pointer, whatever that is. */
static void ip_is_kept(struct kunit *test)
{
	u64 ip = *(const u64 *)test->param_value;
	unsigned int nr;
	u8 stop;

	page_at(0x10000, 8, LIMIT64);
	walk(test, ip, 0, 2, &nr, &stop);
	KUNIT_EXPECT_EQ(test, nr, 1);
	KUNIT_EXPECT_EQ(test, ips[0], ip);
}

/* A word that looks like one of a stack, mostly. */
static u64 hostile_word(void)
{
	const struct user_memory *m = &user_memory;
	u64 at = m->base + suite_below(m->size + 64) - 32;

	switch (suite_below(16)) {
	case 0:
		return suite_random();
	case 1:
		return m->limit - suite_below(40);
	case 2:
		return suite_below(20);
	case 3:
		return -(u64)suite_below(40);
	case 4:
		return at;
	case 5:
		return 1ULL << 32 | at;
	default:
		return at & ~(m->word - 1ULL);
	}
}

/* Fills the memory; some of it looks like frames, so that walks get far. */
static void hostile_memory(unsigned int word, u64 limit)
{
	u64 bases[] = { 0, 0x10000, limit / 2, limit - 4096, limit - 2048, limit, -4096ULL };
	unsigned int i;

	page_at(bases[suite_below(7)], word, limit);
	user_memory.size = 64 + suite_below(128);
	if (suite_below(2))
		user_memory.base += sizeof(page) - user_memory.size;
	for (i = 0; i < user_memory.size / word; i++) {
		u64 value = hostile_word();

		/* Valid return addresses let walks get further. */
		if (i & 1 && suite_below(8))
			value = 0x400000 + i;
		else if (suite_below(8))
			value = user_memory.base + (i + 2 + suite_below(3)) * word;
		memcpy(page + i * word, &value, word);
	}
	user_memory.sp = suite_below(4) ? user_memory.base : hostile_word();
}

static const struct enemy {
	const char *name;
	unsigned int word;
	u64 limit;
} enemies[] = {
	{ "64 bits", 8, LIMIT64 },
	{ "64 bits, five levels of page tables", 8, LIMIT57 },
	{ "32 bits", 4, LIMIT32 },
};

static void enemy_describe(const struct enemy *e, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", e->name);
}

KUNIT_ARRAY_PARAM(enemy, enemies, enemy_describe);

/* Hostile memory: the walk agrees with the reference, and reads only what it may. */
static void hostile(struct kunit *test)
{
	unsigned int rounds = SUITE_ROUNDS(60000), round, nr, deep = 0;
	const struct enemy *e = test->param_value;
	u8 stop;

	for (round = 0; round < rounds && !suite_failed(test); round++) {
		u64 ip = suite_random(), fp;
		unsigned int max;

		hostile_memory(e->word, e->limit);
		fp = suite_below(4) ? user_memory.base : hostile_word();
		max = 1 + suite_below(suite_below(8) ? 12 : 127);
		walk(test, ip, fp, max, &nr, &stop);
		KUNIT_EXPECT_FALSE_MSG(test, suite_failed(test), "round %u", round);
		deep += nr > 4;
		if (round % 64 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, deep, rounds / 60);
}

static struct kunit_case unwind_cases[] = {
	KUNIT_CASE_PARAM(known, chain_gen_params),
	KUNIT_CASE(known_32_neighbours),
	KUNIT_CASE_PARAM(apcs_is_known, apcs_gen_params),
	KUNIT_CASE_PARAM(depth_is_kept, depth_gen_params),
	KUNIT_CASE_PARAM(single, single_gen_params),
	KUNIT_CASE(cycles_end),
	KUNIT_CASE_PARAM(ip_is_kept, ip_gen_params),
	KUNIT_CASE_PARAM(hostile, enemy_gen_params),
	{}
};

static struct kunit_suite unwind_suite = {
	.name = "wallprof_unwind",
	.init = unwind_init,
	.test_cases = unwind_cases,
};

kunit_test_suite(unwind_suite);
