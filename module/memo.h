/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memo: what the last walks of user stacks by tables found, and by what.
 *
 * A thread mostly blocks where it blocked before. What a walk finds depends on
 * the registers where it begins, on the words of memory that it reads, and on
 * the process's mappings, of which each version has a number of its own. So if
 * all of them are as they were, the stack is, too, and need not be walked, nor
 * interned: its id is known.
 *
 * It must be exact: what cannot be noted whole (more words than there is room
 * for, registers that are rarely read, a word that could not be read) is not
 * remembered.
 *
 * Pure, and a header, since it must be inlined: see unwind_cfi.h. A CPU has one
 * memo for each session, used by the sched_switch probe alone (irqs off).
 */
#ifndef WALLPROF_MEMO_H
#define WALLPROF_MEMO_H

#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define WP_MEMO_BITS	7	/* of the number of stacks */
#define WP_MEMO_WORDS	126	/* that decided one; even */

/**
 * struct wp_memo - a stack that was walked
 * @generation: of the mappings; 0: nothing is remembered here
 * @process: whose stack it is
 * @changes: as long as it is this, @process has the mappings of @generation; 0:
 *	nothing is remembered here
 * @ip: where the walk began
 * @sp: stack pointer
 * @fp: frame pointer, if @by_fp
 * @id: the stack's id, in @epoch
 * @epoch: of @id
 * @why: what the walk told
 * @flags: the same
 * @by_fp: whether the walk read the frame pointer's register
 * @whole: whether all that decided was noted
 * @nr: words in @at and @word, even where something is remembered
 * @at: where they were: words above @sp
 * @word: what they were
 */
struct wp_memo {
	u64 generation;
	u64 process;
	u64 changes;
	u64 ip;
	u64 sp;
	u64 fp;
	u64 id;
	u32 epoch;
	u8 why;
	u8 flags;
	u8 by_fp;
	u8 whole;
	u16 nr;
	u16 at[WP_MEMO_WORDS];
	u64 word[WP_MEMO_WORDS];
};

/**
 * wp_memo_of - where a stack that begins so is remembered
 * @memos: 1 << WP_MEMO_BITS of them
 * @ip: instruction pointer
 * @sp: stack pointer
 * @process: unlike that of others: those that were forked wait where their
 *	parent does, and would take each other's place
 *
 * Context: irqs off.
 */
static __always_inline struct wp_memo *wp_memo_of(struct wp_memo *memos, u64 ip, u64 sp,
						  u64 process)
{
	return &memos[hash_64(ip ^ sp << 16 ^ sp >> 8 ^ process >> 6, WP_MEMO_BITS)];
}

/**
 * wp_memo_begin - a walk begins: forget the one that stood here
 * @memo: wp_memo_of()
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 *
 * Context: irqs off.
 */
static __always_inline void wp_memo_begin(struct wp_memo *memo, u64 ip, u64 sp, u64 fp)
{
	memo->generation = 0;
	memo->changes = 0;
	memo->ip = ip;
	memo->sp = sp;
	memo->fp = fp;
	memo->by_fp = false;
	memo->nr = 0;
	/* From above all users' addresses, words would be behind the end of all. */
	memo->whole = !(sp & 7) && (s64)sp >= 0;
}

/* The walk has read a word. Context: irqs off, user memory open. */
static __always_inline void wp_memo_note(struct wp_memo *memo, u64 addr, u64 word)
{
	/* Pointers: what checks the bounds of arrays, in debug kernels, is a call. */
	u64 at = (addr - memo->sp) >> 3, *words = memo->word;
	u16 *ats = memo->at;

	/* Below sp is beyond, too. */
	if (memo->nr >= WP_MEMO_WORDS || at > U16_MAX) {
		memo->whole = false;
		return;
	}
	ats[memo->nr] = at;
	words[memo->nr++] = word;
}

/* The walk could not read a word. Context: irqs off, user memory open. */
static __always_inline void wp_memo_note_fault(struct wp_memo *memo)
{
	memo->whole = false;
}

/* The walk has read a register. Context: irqs off, user memory open. */
static __always_inline void wp_memo_note_reg(struct wp_memo *memo, bool is_fp)
{
	if (is_fp)
		memo->by_fp = true;
	else
		memo->whole = false;
}

/**
 * wp_memo_keep - remember the stack that was walked
 * @memo: since wp_memo_begin(), the walk's
 * @generation: of the mappings, not 0
 * @epoch: of @id
 * @id: the stack's; 0 if it has none
 * @why: what the walk told
 * @flags: the same
 *
 * Context: irqs off.
 */
static __always_inline void wp_memo_keep(struct wp_memo *memo, u64 generation,
					 u32 epoch, u64 id, u8 why, u8 flags)
{
	u16 nr = memo->nr;

	if (!memo->whole || !id)
		return;
	/* They are compared by twos: the last one again. */
	if (nr & 1) {
		memo->at[nr] = memo->at[nr - 1];
		memo->word[nr] = memo->word[nr - 1];
		memo->nr++;
	}
	memo->id = id;
	memo->epoch = epoch;
	memo->why = why;
	memo->flags = flags;
	memo->generation = generation;
}

/**
 * wp_memo_tie - say by what it is known that the mappings are still the same
 * @memo: one that holds, or was just kept
 * @process: whose they are
 * @changes: counts what happened to anybody's, from 1 on. Was read before the
 *	mappings were looked up
 *
 * Context: irqs off.
 */
static __always_inline void wp_memo_tie(struct wp_memo *memo, u64 process, u64 changes)
{
	if (!memo->generation)
		return;
	memo->process = process;
	memo->changes = changes;
}

/* Whether the words are what they were. Context: irqs off, user memory open. */
static __always_inline bool
wp_memo_words_hold(const struct wp_memo *memo,
		   bool (*read)(void *ctx, u64 addr, u64 *value), void *ctx, u64 sp)
{
	const u64 *words = memo->word;
	const u16 *ats = memo->at;
	unsigned long nr = memo->nr, i;
	u64 one, two;

	/* Or compilers find one of the two from the other, each time. */
	OPTIMIZER_HIDE_VAR(words);
	OPTIMIZER_HIDE_VAR(ats);
	for (i = 0; i < nr; i += 2) {
		if (!read(ctx, sp + ats[i] * 8ULL, &one) || one != words[i] ||
		    !read(ctx, sp + ats[i + 1] * 8ULL, &two) || two != words[i + 1])
			return false;
	}
	return true;
}

/**
 * wp_memo_holds - whether the stack is the one that is remembered
 * @memo: wp_memo_of()
 * @read: reads the aligned word at a user address; whether it could
 * @ctx: handed to @read
 * @generation: of the mappings
 * @epoch: the current one
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 *
 * Context: irqs off, user memory open.
 */
static __always_inline bool
wp_memo_holds(const struct wp_memo *memo, bool (*read)(void *ctx, u64 addr, u64 *value),
	      void *ctx, u64 generation, u32 epoch, u64 ip, u64 sp, u64 fp)
{
	/* An id of another epoch may stand for nothing any more. */
	if (memo->generation != generation || memo->epoch != epoch ||
	    memo->ip != ip || memo->sp != sp || (memo->by_fp && memo->fp != fp))
		return false;
	return wp_memo_words_hold(memo, read, ctx, sp);
}

/**
 * wp_memo_may_hold - the same, but for the words, without a look at the mappings
 * @memo: wp_memo_of()
 * @process: whose stack it is
 * @changes: what happened to anybody's mappings, not 0
 * @epoch: the current one
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 *
 * Context: irqs off.
 * Return: false does not tell that the stack is another one.
 */
static __always_inline bool
wp_memo_may_hold(const struct wp_memo *memo, u64 process, u64 changes, u32 epoch,
		 u64 ip, u64 sp, u64 fp)
{
	return memo->changes == changes && memo->process == process &&
	       memo->epoch == epoch && memo->ip == ip && memo->sp == sp &&
	       (!memo->by_fp || memo->fp == fp);
}

#endif /* WALLPROF_MEMO_H */
