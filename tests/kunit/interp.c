// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/interp.c and module/pure/interp.h: which descriptions the check
 * refuses, and known and random chains of frames, against the expected result and against
 * the reference.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "far_model.h"
#include "interp_model.h"
#include "suite.h"

#define LIMIT	0x7ffffffff000ULL
#define BASE	0x7ffd00000000ULL	/* of the memory */
#define EVAL	0x400000ULL		/* the function that executes runs */
#define COLD	0x500000ULL		/* its other part */
#define OTHER	0x600000ULL		/* code of others */

/* Words of memory: the thread's, its state's, then the frames and the code objects. */
#define THREAD	16
#define STATE	32
#define FRAMES	64
#define FRAME_WORDS 8
#define CODES	(FRAMES + (WALLPROF_INTERP_FRAMES + 1) * FRAME_WORDS)
#define CODE_WORDS 8
#define WORDS	(CODES + 8 * CODE_WORDS)

/* Offsets in a frame, and in a code object. */
#define PREVIOUS 8
#define CODE	16
#define AT	28
#define AT_ADDRESS 32
#define END	45
#define TYPE	8
#define NAME	24
#define START	40

#define CODE_TYPE 0x123456789abcULL

static u64 mem[WORDS];
static struct interp_user user;
static struct wallprof_interp good, interp;
static struct wp_interp_runs runs;
static u64 ips[WALLPROF_MAX_STACK], stack[WALLPROF_MAX_STACK], model[WALLPROF_MAX_STACK];
static unsigned int nr_ips;

static u64 at_word(unsigned int word)
{
	return BASE + 8 * word;
}

static u64 frame_at(unsigned int n)
{
	return at_word(FRAMES + n * FRAME_WORDS);
}

static u64 code_at(unsigned int n)
{
	return at_word(CODES + n * CODE_WORDS);
}

static void *frame_of(unsigned int n, unsigned int offset)
{
	return (u8 *)(mem + FRAMES + n * FRAME_WORDS) + offset;
}

static void set32(void *to, s32 value)
{
	memcpy(to, &value, sizeof(value));
}

/* @n frames, of which those in @ends end a run; code objects take turns. */
static void chain(unsigned int n, u64 ends)
{
	unsigned int i;

	mem[STATE + 1] = n ? frame_at(0) : 0;
	for (i = 0; i < n; i++) {
		*(u64 *)frame_of(i, PREVIOUS) = i + 1 < n ? frame_at(i + 1) : 0;
		*(u64 *)frame_of(i, CODE) = code_at(i % 8);
		set32(frame_of(i, AT), i);
		*(u64 *)frame_of(i, AT_ADDRESS) = code_at(i % 8) + START + 4 * i;
		*(u8 *)frame_of(i, END) = 0x50 | (i < 64 && ends >> i & 1 ? 0x0c : 0x04);
	}
}

/* A description by flags, and a stack: other code, a run, other code, a run, other code. */
static void reset(u32 flags)
{
	const u64 natives[] = { OTHER, EVAL + 0x10, OTHER + 8, OTHER + 16, COLD + 0x20, OTHER };
	unsigned int i;

	good = (struct wallprof_interp){
		.size = sizeof(good), .flags = flags,
		.range = { { EVAL, EVAL + 0x100 }, { 0, 0 }, { COLD, COLD + 0x80 } },
		.step = { -16, 8 }, .nr_steps = 2,
		.code_type = CODE_TYPE, .code_type_at = TYPE, .frame_previous = PREVIOUS,
		.frame_code = CODE, .frame_at = AT, .frame_end = END, .end_mask = 0x0e,
		.end_value = 0x0c,
		.word = { { NAME, WALLPROF_INTERP_NONE }, { NAME + 8, 16 },
			  { WALLPROF_INTERP_NONE, 0 }, { WALLPROF_INTERP_NONE, 0 } },
	};
	if (flags & WALLPROF_INTERP_EACH) {
		good.frame_end = WALLPROF_INTERP_NONE;
		good.end_mask = 0;
		good.end_value = 0;
	}
	if (flags & WALLPROF_INTERP_ADDRESS) {
		good.frame_at = AT_ADDRESS;
		good.code_start = START;
		good.at_shift = 1;
	}
	interp = good;
	memset(mem, 0, sizeof(mem));
	mem[THREAD - 2] = at_word(STATE);
	for (i = 0; i < 8; i++) {
		mem[CODES + i * CODE_WORDS + TYPE / 8] = CODE_TYPE;
		mem[CODES + i * CODE_WORDS + NAME / 8] = 0xabc0 + i;
		mem[CODES + i * CODE_WORDS + NAME / 8 + 1] = at_word(i);
		mem[i + 2] = i * 3;
	}
	user = (struct interp_user){
		.bytes = (u8 *)mem, .base = BASE, .size = sizeof(mem), .limit = LIMIT,
	};
	nr_ips = ARRAY_SIZE(natives);
	memcpy(ips, natives, sizeof(natives));
}

/* Captures; compares with the reference and with @reason. Returns the number of words. */
static unsigned int captures(struct kunit *test, u8 reason, bool complete, unsigned int max)
{
	unsigned int nr = nr_ips, model_nr = nr_ips, i;
	u8 got, wanted;

	KUNIT_ASSERT_TRUE(test, wp_interp_check(&interp, LIMIT));
	memcpy(stack, ips, sizeof(ips));
	memcpy(model, ips, sizeof(ips));
	wanted = interp_model(&user, &interp, at_word(THREAD), complete, ips, nr_ips, max, model,
			      &model_nr);
	got = interp_capture(&user, &interp, at_word(THREAD), complete, stack, &nr, max, &runs);
	KUNIT_EXPECT_TRUE(test, !user.broken);
	KUNIT_EXPECT_EQ(test, wanted, reason);
	KUNIT_EXPECT_EQ(test, got, wanted);
	KUNIT_ASSERT_EQ(test, nr, model_nr);
	KUNIT_EXPECT_TRUE(test, nr <= max);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, stack[i], model[i]);
	return nr;
}

/* The words of the function of frame @n. */
static void is_function(struct kunit *test, unsigned int at, unsigned int n, u64 place)
{
	const u64 words[] = { 0xabc0 + n % 8, n % 8 * 3 };

	KUNIT_EXPECT_EQ(test, stack[at], WALLPROF_INTERP_CODE | code_at(n % 8));
	KUNIT_EXPECT_TRUE(test, WALLPROF_INTERP_IS_CODE(stack[at]));
	KUNIT_EXPECT_EQ(test, WALLPROF_INTERP_CODE_ADDRESS(stack[at]), code_at(n % 8));
	KUNIT_EXPECT_TRUE(test, WALLPROF_INTERP_IS_AT(stack[at + 1]));
	KUNIT_EXPECT_EQ(test, WALLPROF_INTERP_AT_PLACE(stack[at + 1]), place);
	KUNIT_EXPECT_EQ(test, WALLPROF_INTERP_AT_HASH(stack[at + 1]),
			wallprof_interp_hash(words, 2));
}

static void check_refuses(struct kunit *test)
{
	reset(0);
	KUNIT_ASSERT_TRUE(test, wp_interp_check(&interp, LIMIT));

#define TAKES(change, takes) do {						\
	interp = good;								\
	change;									\
	KUNIT_EXPECT_EQ_MSG(test, wp_interp_check(&interp, LIMIT), takes, "%s", #change); \
} while (0)
#define REFUSES(change)	TAKES(change, false)
	REFUSES(interp.flags = BIT(3));
	REFUSES(interp.flags = WALLPROF_INTERP_EACH);
	REFUSES(interp.reserved = 1);
	REFUSES(interp.code_tag = 8);
	REFUSES(interp.range[0].end = EVAL - 1);
	REFUSES(interp.range[3].start = 1);
	REFUSES(interp.range[2].end = LIMIT + 1);
	TAKES(interp.range[2].end = LIMIT, true);
	REFUSES((interp.range[0].end = EVAL, interp.range[2].end = COLD));
	TAKES(interp.range[0].end = EVAL, true);
	REFUSES(interp.range[0].end = COLD + 1);
	TAKES(interp.range[0].end = COLD, true);
	REFUSES((interp.range[0].start = COLD + 0x7f, interp.range[0].end = COLD + 0x90));
	TAKES((interp.range[0].start = COLD + 0x80, interp.range[0].end = COLD + 0x90), true);
	REFUSES(interp.range[1] = interp.range[0]);
	REFUSES((interp.range[3].start = EVAL + 1, interp.range[3].end = EVAL + 2));
	/* One that is not used overlaps nothing. */
	TAKES((interp.range[1].start = EVAL + 1, interp.range[1].end = EVAL + 1), true);
	REFUSES(interp.nr_steps = 0);
	REFUSES(interp.nr_steps = 1);
	TAKES(interp.nr_steps = WALLPROF_INTERP_STEPS, true);
	REFUSES(interp.nr_steps = WALLPROF_INTERP_STEPS + 1);
	REFUSES(interp.step[0] = -12);
	REFUSES(interp.step[5] = 8);
	REFUSES(interp.code_type_at = 4);
	REFUSES(interp.code_type_at = WALLPROF_INTERP_NONE);
	REFUSES(interp.frame_previous = 1);
	REFUSES(interp.frame_code = 2);
	REFUSES(interp.frame_at = 2);
	REFUSES(interp.frame_at = WALLPROF_INTERP_NONE);
	TAKES(interp.frame_at = 4, true);
	REFUSES(interp.frame_end = WALLPROF_INTERP_NONE);
	REFUSES((interp.end_mask = 0, interp.end_value = 0));
	REFUSES(interp.end_value = 1);
	TAKES(interp.end_value = 0, true);
	REFUSES(interp.code_start = 8);
	REFUSES(interp.at_shift = 1);
	REFUSES(interp.word[0].at = 4);
	REFUSES(interp.word[0].at = WALLPROF_INTERP_NONE);
	REFUSES(interp.word[1].then = 4);
	TAKES((interp.word[2].at = 8, interp.word[2].then = 8, interp.word[3].at = 8,
	       interp.word[3].then = WALLPROF_INTERP_NONE), true);
	REFUSES(interp.word[3].at = 8);
	TAKES((interp.word[0].at = WALLPROF_INTERP_NONE,
	       interp.word[1].at = WALLPROF_INTERP_NONE), true);
	reset(WALLPROF_INTERP_EACH | WALLPROF_INTERP_ADDRESS);
	KUNIT_EXPECT_TRUE(test, wp_interp_check(&interp, LIMIT));
	REFUSES(interp.flags |= WALLPROF_INTERP_SHIM);
	REFUSES(interp.frame_end = END);
	REFUSES(interp.end_mask = 1);
	REFUSES((interp.end_mask = 1, interp.end_value = 1));
	REFUSES(interp.end_value = 1);
	REFUSES(interp.frame_at = 4);
	REFUSES(interp.code_start = WALLPROF_INTERP_NONE);
	TAKES(interp.code_start = 41, true);
	TAKES(interp.at_shift = 31, true);
	REFUSES(interp.at_shift = 32);
#undef REFUSES
#undef TAKES
}

static void each_frame_ends(struct kunit *test)
{
	reset(WALLPROF_INTERP_EACH);
	chain(2, 0);
	KUNIT_ASSERT_EQ(test, captures(test, WALLPROF_INTERP_READ, true, 127), 10);
	KUNIT_EXPECT_EQ(test, stack[0], OTHER);
	KUNIT_EXPECT_EQ(test, stack[1], EVAL + 0x10);
	is_function(test, 2, 0, 1);
	KUNIT_EXPECT_EQ(test, stack[4], OTHER + 8);
	KUNIT_EXPECT_EQ(test, stack[6], COLD + 0x20);
	is_function(test, 7, 1, 2);
	KUNIT_EXPECT_EQ(test, stack[9], OTHER);
}

static void a_byte_ends(struct kunit *test)
{
	reset(0);
	chain(5, BIT(2) | BIT(4));
	KUNIT_ASSERT_EQ(test, captures(test, WALLPROF_INTERP_READ, true, 127), 16);
	is_function(test, 2, 0, 1);
	is_function(test, 4, 1, 2);
	is_function(test, 6, 2, 3);
	KUNIT_EXPECT_EQ(test, stack[8], OTHER + 8);
	is_function(test, 11, 3, 4);
	is_function(test, 13, 4, 5);
	/* The chain may not end within a run. */
	chain(5, BIT(2));
	captures(test, WALLPROF_INTERP_BAD, true, 127);
}

static void a_shim_ends(struct kunit *test)
{
	reset(WALLPROF_INTERP_SHIM | WALLPROF_INTERP_ADDRESS);
	chain(5, BIT(2) | BIT(4));
	/* A frame that is no function has no code object. */
	*(u64 *)frame_of(2, CODE) = 1;
	*(u64 *)frame_of(4, CODE) = LIMIT;
	KUNIT_ASSERT_EQ(test, captures(test, WALLPROF_INTERP_READ, true, 127), 12);
	is_function(test, 2, 0, 1);
	is_function(test, 4, 1, 3);
	is_function(test, 9, 3, 7);
	/* A run may have no function. */
	chain(4, BIT(0) | BIT(3));
	KUNIT_ASSERT_EQ(test, captures(test, WALLPROF_INTERP_READ, true, 127), 10);
	KUNIT_EXPECT_EQ(test, stack[2], OTHER + 8);
	is_function(test, 5, 1, 3);
	chain(2, BIT(0) | BIT(1));
	KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_READ, true, 127), 6);
}

/* Bits of the pointer to the code that are not the pointer's, of some frames. */
static void tags(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		reset(WALLPROF_INTERP_SHIM);
		chain(5, BIT(2) | BIT(4));
		*(u64 *)frame_of(1, CODE) |= 5;
		interp.code_tag = i ? 5 : 4;
		captures(test, i ? WALLPROF_INTERP_READ : WALLPROF_INTERP_BAD, true, 20);
	}
	is_function(test, 2, 0, 1);
	is_function(test, 4, 1, 2);
	is_function(test, 9, 3, 4);
}

static void places(struct kunit *test)
{
	const struct {
		s64 number;
		u64 place;
	} rows[] = {
		{ -1, 0 }, { -2, 0 }, { -0x80000000LL, 0 }, { 0, 1 }, { 1, 2 },
		{ 0xfffffe, 0xffffff }, { 0xffffff, 0 }, { 0x7fffffff, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		reset(WALLPROF_INTERP_EACH);
		chain(2, 0);
		set32(frame_of(0, AT), rows[i].number);
		captures(test, WALLPROF_INTERP_READ, true, 127);
		is_function(test, 2, 0, rows[i].place);
		/* The lower half of a word. */
		interp.frame_at = AT - 4;
		set32(frame_of(0, AT - 4), rows[i].number);
		set32(frame_of(0, AT), 77);
		captures(test, WALLPROF_INTERP_READ, true, 127);
		is_function(test, 2, 0, rows[i].place);
		reset(WALLPROF_INTERP_EACH | WALLPROF_INTERP_ADDRESS);
		chain(2, 0);
		*(u64 *)frame_of(0, AT_ADDRESS) = code_at(0) + START + rows[i].number * 2;
		captures(test, WALLPROF_INTERP_READ, true, 127);
		is_function(test, 2, 0, rows[i].place);
	}
	*(u64 *)frame_of(0, AT_ADDRESS) = ~0ULL;
	captures(test, WALLPROF_INTERP_READ, true, 127);
	is_function(test, 2, 0, 0);
	*(u64 *)frame_of(0, AT_ADDRESS) = code_at(0) + START + 7;
	captures(test, WALLPROF_INTERP_READ, true, 127);
	is_function(test, 2, 0, 4);
}

static void no_state(struct kunit *test)
{
	reset(0);
	chain(0, 0);
	captures(test, WALLPROF_INTERP_NO_STATE, true, 127);
	mem[THREAD - 2] = 0;
	captures(test, WALLPROF_INTERP_NO_STATE, true, 127);
	runs.room = 100;
	runs.natives = 1;
	KUNIT_EXPECT_EQ(test, wp_interp_walk(&interp_ops, &user, &interp, 0, LIMIT, true, &runs),
			WALLPROF_INTERP_NO_STATE);
}

static void native_frames(struct kunit *test)
{
	const u64 borders[] = { EVAL, EVAL + 0x100, COLD, COLD + 0x80 };
	unsigned int i;

	/* The first address is exact, the others are behind a call. */
	for (i = 0; i < ARRAY_SIZE(borders); i++) {
		reset(WALLPROF_INTERP_EACH);
		nr_ips = 1;
		ips[0] = borders[i] - i % 2;
		chain(1, 0);
		KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_READ, true, 127), 3);
		ips[0] = i % 2 ? borders[i] : borders[i] - 1;
		KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_RUNS, true, 127), 1);
		nr_ips = 2;
		ips[0] = OTHER;
		ips[1] = borders[i] + !(i % 2);
		KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_READ, true, 127), 4);
		ips[1] = borders[i] + i % 2;
		KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_RUNS, true, 127), 2);
	}
}

static void number_of_runs(struct kunit *test)
{
	reset(WALLPROF_INTERP_EACH);
	chain(1, 0);
	captures(test, WALLPROF_INTERP_RUNS, true, 127);
	captures(test, WALLPROF_INTERP_RUNS, false, 127);
	chain(3, 0);
	captures(test, WALLPROF_INTERP_RUNS, true, 127);
	/* The outermost native frames were not found. */
	KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_READ, false, 127), 10);
	is_function(test, 2, 0, 1);
	is_function(test, 7, 1, 2);
	/* What they execute is not looked at. */
	*(u64 *)frame_of(2, CODE) = 1;
	captures(test, WALLPROF_INTERP_READ, false, 127);
	reset(0);
	chain(5, BIT(1) | BIT(2) | BIT(4));
	captures(test, WALLPROF_INTERP_RUNS, true, 127);
	KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_READ, false, 127), 12);
}

static void deep(struct kunit *test)
{
	reset(0);
	nr_ips = 5;
	ips[1] = OTHER;
	chain(WALLPROF_INTERP_FRAMES, 0);
	*(u8 *)frame_of(WALLPROF_INTERP_FRAMES - 1, END) = 0x0c;
	KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_NO_ROOM, true, 127), 127);
	KUNIT_EXPECT_TRUE(test, user.reads < 3 * WALLPROF_INTERP_FRAMES);
	is_function(test, 5, 0, 1);
	is_function(test, 125, 60, 61);
	chain(WALLPROF_INTERP_FRAMES + 1, 0);
	*(u8 *)frame_of(WALLPROF_INTERP_FRAMES, END) = 0x0c;
	captures(test, WALLPROF_INTERP_DEEP, true, 127);
	/* Loops of one, and of five. */
	*(u64 *)frame_of(0, PREVIOUS) = frame_at(0);
	captures(test, WALLPROF_INTERP_DEEP, true, 127);
	chain(5, 0);
	*(u64 *)frame_of(4, PREVIOUS) = frame_at(0);
	captures(test, WALLPROF_INTERP_DEEP, true, 127);
	captures(test, WALLPROF_INTERP_DEEP, false, 127);
	/* One whose frames end their run has too many of them. */
	chain(5, 0x1f);
	*(u64 *)frame_of(4, PREVIOUS) = frame_at(0);
	captures(test, WALLPROF_INTERP_RUNS, true, 127);
}

static void room(struct kunit *test)
{
	unsigned int max, nr;

	for (max = 6; max <= 20; max++) {
		reset(0);
		chain(5, BIT(2) | BIT(4));
		nr = captures(test, max < 16 ? WALLPROF_INTERP_NO_ROOM : WALLPROF_INTERP_READ, true,
			      max);
		KUNIT_EXPECT_EQ(test, nr, max < 16 ? max & ~1U : 16);
		/* Those that have no room are not looked at, but their runs count. */
		mem[CODES + TYPE / 8 + 4 * CODE_WORDS] = 0;
		captures(test, max < 16 ? WALLPROF_INTERP_NO_ROOM : WALLPROF_INTERP_BAD, true, max);
		chain(6, BIT(2) | BIT(4) | BIT(5));
		captures(test, max < 16 ? WALLPROF_INTERP_RUNS : WALLPROF_INTERP_BAD, true, max);
	}
}

/* Each word that is read, in turn: it cannot be read, is misaligned, is too high. */
static void bad_words(struct kunit *test)
{
	const u32 flags[] = { WALLPROF_INTERP_EACH, 0, WALLPROF_INTERP_SHIM,
			      WALLPROF_INTERP_SHIM | WALLPROF_INTERP_ADDRESS };
	unsigned int i, word, nr;
	u64 kept;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		reset(flags[i]);
		chain(flags[i] & WALLPROF_INTERP_EACH ? 2 : 5, BIT(2) | BIT(4));
		nr = captures(test, WALLPROF_INTERP_READ, true, 127);
		for (word = 0; word < WORDS && !suite_failed(test); word++) {
			u8 reason;

			user.hole = at_word(word);
			memcpy(stack, ips, sizeof(ips));
			nr = nr_ips;
			reason = interp_capture(&user, &interp, at_word(THREAD), true, stack, &nr,
						127, &runs);
			user.hole = 0;
			/* It was the last that was read, or none was. */
			if (reason == WALLPROF_INTERP_READ)
				continue;
			KUNIT_EXPECT_EQ(test, user.last, at_word(word));
			user.hole = at_word(word);
			KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_FAULT, true, 127),
					nr_ips);
			user.hole = 0;
			kept = mem[word];
			if (kept < BASE || kept >= BASE + sizeof(mem) ||
			    (interp.flags & WALLPROF_INTERP_ADDRESS && word >= FRAMES &&
			     word < CODES && (word - FRAMES) % FRAME_WORDS == AT_ADDRESS / 8))
				continue;
			mem[word] = kept + 4;
			captures(test, WALLPROF_INTERP_BAD, true, 127);
			mem[word] = LIMIT;
			captures(test, WALLPROF_INTERP_BAD, true, 127);
			mem[word] = ~7ULL;
			captures(test, WALLPROF_INTERP_BAD, true, 127);
			mem[word] = kept;
		}
	}
	reset(WALLPROF_INTERP_EACH);
	chain(2, 0);
	mem[CODES + CODE_WORDS + TYPE / 8]++;
	KUNIT_EXPECT_EQ(test, captures(test, WALLPROF_INTERP_BAD, true, 127), nr_ips);
}

static void hashes(struct kunit *test)
{
	const u64 a[] = { 1, 2 }, b[] = { 2, 1 }, c[] = { 0, 0 };
	u64 before;

	KUNIT_EXPECT_NE(test, wallprof_interp_hash(a, 2), wallprof_interp_hash(b, 2));
	KUNIT_EXPECT_NE(test, wallprof_interp_hash(c, 2), wallprof_interp_hash(c, 1));
	KUNIT_EXPECT_NE(test, wallprof_interp_hash(c, 1), wallprof_interp_hash(c, 0));
	reset(WALLPROF_INTERP_EACH);
	chain(2, 0);
	captures(test, WALLPROF_INTERP_READ, true, 127);
	before = stack[3];
	mem[CODES + NAME / 8] ^= 1ULL << 40;
	captures(test, WALLPROF_INTERP_READ, true, 127);
	KUNIT_EXPECT_NE(test, stack[3], before);
	mem[CODES + NAME / 8] ^= 1ULL << 40;
	captures(test, WALLPROF_INTERP_READ, true, 127);
	KUNIT_EXPECT_EQ(test, stack[3], before);
	mem[2]++;
	captures(test, WALLPROF_INTERP_READ, true, 127);
	KUNIT_EXPECT_NE(test, stack[3], before);
	interp.word[1].at = WALLPROF_INTERP_NONE;
	captures(test, WALLPROF_INTERP_READ, true, 127);
	before = stack[3];
	interp.word[0].at = WALLPROF_INTERP_NONE;
	captures(test, WALLPROF_INTERP_READ, true, 127);
	KUNIT_EXPECT_NE(test, stack[3], before);
	KUNIT_EXPECT_EQ(test, WALLPROF_INTERP_AT_HASH(stack[3]), 0);
}

/* A word of memory, or near one. */
static u64 some_address(void)
{
	switch (suite_below(16)) {
	case 0: return suite_random();
	case 1: return 0;
	case 2: return LIMIT - 8 * suite_below(3);
	case 3: return frame_at(suite_below(4)) + suite_below(8);
	default: return frame_at(suite_below(32));
	}
}

/* Chains that are damaged at random, and stacks of random native frames. */
static void random_chains(struct kunit *test)
{
	const u32 flags[] = { WALLPROF_INTERP_EACH, 0, WALLPROF_INTERP_SHIM };
	unsigned int reasons[WALLPROF_INTERP_MAX] = {}, round, i, max, nr, model_nr;
	bool complete;
	u8 reason;

	for (round = 0; round < SUITE_ROUNDS(20000) && !suite_failed(test); round++) {
		reset(flags[suite_below(3)] | (suite_below(2) ? WALLPROF_INTERP_ADDRESS : 0));
		chain(suite_below(40), suite_random() & suite_random());
		for (i = suite_below(4); i--;)
			mem[suite_below(FRAMES + 32 * FRAME_WORDS)] = some_address();
		if (!suite_below(8))
			mem[CODES + suite_below(8 * CODE_WORDS)] = some_address();
		user.hole = suite_below(8) ? 0 : at_word(suite_below(WORDS));
		nr_ips = 1 + suite_below(30);
		for (i = 0; i < nr_ips; i++)
			ips[i] = suite_below(2) ? OTHER : EVAL + suite_below(0x102) - 1;
		if (!wp_interp_natives(&interp, ips, nr_ips, &runs))
			continue;
		max = nr_ips + suite_below(128 - nr_ips);
		complete = suite_below(2);
		memcpy(stack, ips, sizeof(ips));
		memcpy(model, ips, sizeof(ips));
		nr = nr_ips;
		model_nr = nr_ips;
		reason = interp_capture(&user, &interp, at_word(THREAD), complete, stack, &nr, max,
					&runs);
		KUNIT_EXPECT_TRUE(test, !user.broken && nr <= max);
		KUNIT_EXPECT_EQ(test, reason,
				interp_model(&user, &interp, at_word(THREAD), complete, ips, nr_ips,
					     max, model, &model_nr));
		KUNIT_ASSERT_EQ(test, nr, model_nr);
		KUNIT_EXPECT_EQ(test, memcmp(stack, model, nr * sizeof(*stack)), 0);
		reasons[reason]++;
		cond_resched();
	}
	for (i = 0; i < WALLPROF_INTERP_MAX; i++)
		KUNIT_EXPECT_TRUE_MSG(test, reasons[i], "none ended by %u", i);
}

/*
 * Whatever changes: as long as the far words of a walk are unchanged, another one reads the
 * same. Each of them, changed alone, and the thread pointer decide.
 */
static void far_words_decide(struct kunit *test)
{
	const u32 flags[] = { WALLPROF_INTERP_EACH, 0, WALLPROF_INTERP_SHIM };
	struct wp_stack_cache *cache = suite_alloc(test, sizeof(*cache));
	struct far_walk *w = suite_alloc(test, sizeof(*w));
	unsigned int rounds = SUITE_ROUNDS(10000), round, i, kept = 0, held = 0, changed = 0;

	cache->far = suite_alloc(test, sizeof(*cache->far));
	wp_stack_cache_init(cache);
	w->user = &user;
	for (round = 0; round < rounds && !suite_failed(test); round++) {
		unsigned int far, max;
		bool complete;

		reset(flags[suite_below(3)] | (suite_below(2) ? WALLPROF_INTERP_ADDRESS : 0));
		chain(suite_below(20), suite_random() & suite_random());
		if (!suite_below(4))
			mem[suite_below(FRAMES + 32 * FRAME_WORDS)] = some_address();
		max = nr_ips + suite_below(suite_below(4) ? 40 : 128 - nr_ips);
		complete = suite_below(2);
		far_walk(w, cache, &interp, at_word(THREAD), complete, ips, nr_ips, max);
		KUNIT_EXPECT_EQ(test, far_holds(w, cache, at_word(THREAD)),
				w->reason != WALLPROF_INTERP_FAULT);
		if (!w->notes.old->begin)
			continue;
		kept++;
		KUNIT_EXPECT_EQ(test, w->notes.old->interp, w->reason + 1);
		KUNIT_EXPECT_FALSE(test, far_holds(w, cache, at_word(THREAD) + 8));
		for (far = w->notes.far; far < w->notes.far_next; far++) {
			u64 *word = mem + (cache->far->pair[far].at - BASE) / 8;

			*word ^= 1ULL << suite_below(64);
			KUNIT_EXPECT_FALSE(test, far_holds(w, cache, at_word(THREAD)));
			*word = cache->far->pair[far].word;
			user.hole = cache->far->pair[far].at;
			KUNIT_EXPECT_FALSE(test, far_holds(w, cache, at_word(THREAD)));
			user.hole = 0;
		}
		for (i = 0; i < 16; i++) {
			u64 *word = mem + suite_below(suite_below(4) ? FRAMES + 8 * FRAME_WORDS :
								      WORDS);
			u64 old = *word;

			*word = suite_below(2) ? some_address() : old ^ 1ULL << suite_below(64);
			if (far_holds(w, cache, at_word(THREAD))) {
				held++;
				KUNIT_EXPECT_TRUE(test, far_is_same(w, &interp, at_word(THREAD),
								    complete, ips, nr_ips, max));
			} else {
				changed++;
			}
			*word = old;
		}
		cond_resched();
	}
	KUNIT_EXPECT_GT(test, kept, rounds / 2);
	KUNIT_EXPECT_GT(test, held, rounds);
	KUNIT_EXPECT_GT(test, changed, rounds / 2);
}

static struct kunit_case interp_cases[] = {
	KUNIT_CASE(check_refuses),
	KUNIT_CASE(each_frame_ends),
	KUNIT_CASE(a_byte_ends),
	KUNIT_CASE(a_shim_ends),
	KUNIT_CASE(tags),
	KUNIT_CASE(places),
	KUNIT_CASE(no_state),
	KUNIT_CASE(native_frames),
	KUNIT_CASE(number_of_runs),
	KUNIT_CASE(deep),
	KUNIT_CASE(room),
	KUNIT_CASE(bad_words),
	KUNIT_CASE(hashes),
	KUNIT_CASE(random_chains),
	KUNIT_CASE(far_words_decide),
	{}
};

static struct kunit_suite interp_suite = {
	.name = "wallprof_interp",
	.init = suite_init,
	.test_cases = interp_cases,
};

kunit_test_suite(interp_suite);
