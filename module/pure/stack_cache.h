/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memo: what the last walks of user stacks found, and by what.
 *
 * A thread mostly blocks where it blocked before. What a walk finds depends on
 * the registers where it begins, on the words of memory that it reads, and, if it
 * goes by tables, on the process's mappings, of which each version has a number of
 * its own. So if all of them are as they were, the stack is, too, and need not be
 * walked, nor interned: its id is known.
 *
 * It must be exact: what cannot be noted whole (more words than there is room
 * for, registers that are rarely read, a word that could not be read) is not
 * remembered.
 *
 * Stacks lie in sets, found by a hash of where they begin; the one that was
 * found last in its set is tried first. Their words lie one behind the other in
 * a ring, since most stacks have few. Words have a position that only grows:
 * what it is less than the ring's size behind the newest has not been
 * overwritten.
 *
 * Pure, and a header, since it must be inlined: see unwind_cfi.h. A CPU has one
 * memo for each session, used by the sched_switch probe alone (irqs off).
 */
#ifndef WALLPROF_PURE_STACK_CACHE_H
#define WALLPROF_PURE_STACK_CACHE_H

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define WP_MEMO_SET_BITS 7
#define WP_MEMO_SETS	BIT(WP_MEMO_SET_BITS)
#define WP_MEMO_WAYS	8	/* stacks in a set: the bytes of @tags */
#define WP_MEMO_WORDS	248	/* that decided one stack, at most; even */
#define WP_MEMO_RING	32768	/* words that decided all; a power of two */

/**
 * struct wp_memo - a stack that was walked
 * @ip: where the walk began
 * @sp: stack pointer
 * @process: whose stack it is
 * @changes: as long as it is this, @process has the mappings of @generation
 * @fp: frame pointer, if @by_fp
 * @begin: position of its words; 0: nothing is remembered here
 * @id: the stack's id, in @epoch
 * @generation: of the mappings; 0: by frame pointers alone
 * @epoch: of @id
 * @nr: words, even
 * @why: what the walk told
 * @flags: the same
 * @by_fp: whether the walk read the frame pointer's register
 */
struct wp_memo {
	u64 ip;
	u64 sp;
	u64 process;
	u64 changes;
	u64 fp;
	u64 begin;
	u64 id;
	u64 generation;
	u32 epoch;
	u8 nr;
	u8 why;
	u8 flags;
	u8 by_fp;
};

/**
 * struct wp_memo_set - stacks whose beginnings hash alike
 * @tags: more of their hashes, a byte each, the first one's the lowest
 * @last: the one that was found or walked last, in bytes from &wp_memos.way
 */
struct wp_memo_set {
	u64 tags;
	u32 last;
};

/**
 * struct wp_memos - all that a CPU remembers for a session
 * @head: position of the words that are noted next
 * @oldest: position from which on words are what they were
 * @set: by hash
 * @way: the stacks, set by set; no two began alike
 * @at: by position, modulo the size: where words were, in words above sp
 * @word: what they were
 */
struct wp_memos {
	u64 head;
	u64 oldest;
	struct wp_memo_set set[WP_MEMO_SETS];
	struct wp_memo way[WP_MEMO_SETS * WP_MEMO_WAYS];
	u16 at[WP_MEMO_RING];
	u64 word[WP_MEMO_RING];
};

/**
 * struct wp_memo_notes - what a walk that goes on notes
 * @memos: this CPU's
 * @memo: where it will be remembered
 * @sp: stack pointer where it began
 * @next: where in the ring its next word goes
 * @end: behind the last one that there is room for
 * @by_fp: whether it read the frame pointer's register
 * @whole: whether all that decided was noted
 */
struct wp_memo_notes {
	struct wp_memos *memos;
	struct wp_memo *memo;
	u64 sp;
	u32 next;
	u32 end;
	bool by_fp;
	bool whole;
};

/**
 * wp_memos_set - nothing is remembered yet
 * @memos: zeroes
 *
 * Context: process.
 */
static inline void wp_memos_set(struct wp_memos *memos)
{
	unsigned int i;

	memos->head = WP_MEMO_RING;
	for (i = 0; i < WP_MEMO_SETS; i++)
		memos->set[i].last = i * WP_MEMO_WAYS * sizeof(memos->way[0]);
}

/*
 * The hash of where a stack begins. The sum: stacks of threads lie at equal
 * distances, and so do their hashes then. With @process: those that were forked
 * wait where their parent does. Any context.
 */
static __always_inline u64 wp_memo_hash(u64 ip, u64 sp, u64 process)
{
	return (ip + sp + process) * GOLDEN_RATIO_64;
}

/* Which set it tells. Any context. */
static __always_inline unsigned long wp_memo_set_of(u64 hash)
{
	return hash >> (64 - WP_MEMO_SET_BITS);
}

/* And which byte of @tags. Any context. */
static __always_inline u8 wp_memo_tag(u64 hash)
{
	return hash >> (64 - WP_MEMO_SET_BITS - 8);
}

/* Whether a stack began so. Any context. */
static __always_inline bool wp_memo_began(const struct wp_memo *memo, u64 ip, u64 sp,
					  u64 process)
{
	return memo->ip == ip && memo->sp == sp && memo->process == process;
}

/**
 * wp_memo_last - what was found last of those that hash as one that begins so
 * @memos: this CPU's
 * @ip: instruction pointer
 * @sp: stack pointer
 * @process: whose stack it is, not 0
 *
 * Most likely what wp_memo_find() finds: see wp_memo_began().
 *
 * Context: irqs off.
 */
static __always_inline struct wp_memo *wp_memo_last(struct wp_memos *memos, u64 ip, u64 sp,
						    u64 process)
{
	/* Pointers, in all of this: in debug kernels a check of arrays' bounds is a call. */
	struct wp_memo_set *set = memos->set + wp_memo_set_of(wp_memo_hash(ip, sp, process));

	return (void *)((char *)memos->way + set->last);
}

/* A number for each byte. */
#define WP_MEMO_EACH	0x0101010101010101ULL

/**
 * wp_memo_find - the last walk that began so
 * @memos: this CPU's
 * @ip: instruction pointer
 * @sp: stack pointer
 * @process: whose stack it is, not 0
 *
 * Context: irqs off.
 * Return: what came of it, which need not hold any more; NULL if it is forgotten.
 */
static __always_inline struct wp_memo *wp_memo_find(struct wp_memos *memos, u64 ip, u64 sp,
						    u64 process)
{
	u64 hash = wp_memo_hash(ip, sp, process);
	struct wp_memo *way = memos->way + wp_memo_set_of(hash) * WP_MEMO_WAYS, *memo;
	struct wp_memo_set *set = memos->set + wp_memo_set_of(hash);
	u64 differs = set->tags ^ wp_memo_tag(hash) * WP_MEMO_EACH;
	/* The highest bit of bytes that are 0, and of a few others: never mind. */
	u64 alike = (differs - WP_MEMO_EACH) & ~differs & WP_MEMO_EACH << 7;

	for (; alike; alike &= alike - 1) {
		memo = way + (__ffs64(alike) >> 3);
		if (wp_memo_began(memo, ip, sp, process)) {
			set->last = (char *)memo - (char *)memos->way;
			return memo;
		}
	}
	return NULL;
}

/*
 * Where a stack is to be remembered that is not: in place of the one of its set
 * that was walked the longest ago, or of none. Context: irqs off.
 */
static __always_inline struct wp_memo *wp_memo_replace(struct wp_memos *memos, u64 hash)
{
	struct wp_memo *way = memos->way + wp_memo_set_of(hash) * WP_MEMO_WAYS;
	struct wp_memo_set *set = memos->set + wp_memo_set_of(hash);
	unsigned int oldest = 0, i;

	for (i = 1; i < WP_MEMO_WAYS; i++) {
		if (way[i].begin < way[oldest].begin)
			oldest = i;
	}
	set->tags &= ~(0xffULL << 8 * oldest);
	set->tags |= (u64)wp_memo_tag(hash) << 8 * oldest;
	set->last = (char *)(way + oldest) - (char *)memos->way;
	return way + oldest;
}

/**
 * wp_memo_begin - a walk begins: forget the last one that began so, or another
 * @notes: to fill
 * @memos: this CPU's
 * @memo: wp_memo_find()
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 * @process: whose stack it is
 *
 * Context: irqs off.
 */
static __always_inline void
wp_memo_begin(struct wp_memo_notes *notes, struct wp_memos *memos, struct wp_memo *memo,
	      u64 ip, u64 sp, u64 fp, u64 process)
{
	u32 slot = memos->head % WP_MEMO_RING;

	if (!memo)
		memo = wp_memo_replace(memos, wp_memo_hash(ip, sp, process));
	/* As many words as there may be, in one piece. */
	if (slot > WP_MEMO_RING - WP_MEMO_WORDS) {
		memos->head += WP_MEMO_RING - slot;
		slot = 0;
	}
	memos->oldest = memos->head + WP_MEMO_WORDS - WP_MEMO_RING;
	memo->ip = ip;
	memo->sp = sp;
	memo->process = process;
	memo->fp = fp;
	memo->begin = 0;
	notes->memos = memos;
	notes->memo = memo;
	notes->sp = sp;
	notes->next = slot;
	notes->end = slot + WP_MEMO_WORDS;
	notes->by_fp = false;
	/* From above all users' addresses, words would be behind the end of all. */
	notes->whole = !(sp & 7) && (s64)sp >= 0;
}

/* The walk has read a word. Context: irqs off, user memory open. */
static __always_inline void wp_memo_note(struct wp_memo_notes *notes, u64 addr, u64 word)
{
	u64 at = (addr - notes->sp) >> 3, *words = notes->memos->word;
	u16 *ats = notes->memos->at;

	/* Below sp is beyond, too. */
	if (notes->next == notes->end || at > U16_MAX) {
		notes->whole = false;
		return;
	}
	ats[notes->next] = at;
	words[notes->next++] = word;
}

/* The walk could not read a word. Context: irqs off, user memory open. */
static __always_inline void wp_memo_note_fault(struct wp_memo_notes *notes)
{
	notes->whole = false;
}

/* The walk has read a register. Context: irqs off, user memory open. */
static __always_inline void wp_memo_note_reg(struct wp_memo_notes *notes, bool is_fp)
{
	if (is_fp)
		notes->by_fp = true;
	else
		notes->whole = false;
}

/**
 * wp_memo_keep - remember the stack that was walked
 * @notes: since wp_memo_begin(), the walk's
 * @generation: of the mappings
 * @changes: wp_memo_tie()'s
 * @epoch: of @id
 * @id: the stack's; 0 if it has none
 * @why: what the walk told
 * @flags: the same
 *
 * Context: irqs off.
 */
static __always_inline void wp_memo_keep(const struct wp_memo_notes *notes, u64 generation,
					 u64 changes, u32 epoch, u64 id, u8 why, u8 flags)
{
	struct wp_memos *memos = notes->memos;
	struct wp_memo *memo = notes->memo;
	u32 next = notes->next;

	if (!notes->whole || !id)
		return;
	/* They are compared by twos: the last one again. */
	if (next & 1) {
		memos->at[next] = memos->at[next - 1];
		memos->word[next] = memos->word[next - 1];
		next++;
	}
	memo->begin = memos->head;
	memo->nr = next - notes->end + WP_MEMO_WORDS;
	memo->by_fp = notes->by_fp;
	memo->id = id;
	memo->epoch = epoch;
	memo->why = why;
	memo->flags = flags;
	memo->generation = generation;
	memo->changes = changes;
	memos->head += memo->nr;
}

/**
 * wp_memo_tie - say by what it is known that the mappings are still the same
 * @memo: one that holds
 * @changes: counts what happened to anybody's, from 1 on. Was read before the
 *	mappings were looked up
 *
 * Context: irqs off.
 */
static __always_inline void wp_memo_tie(struct wp_memo *memo, u64 changes)
{
	memo->changes = changes;
}

/**
 * wp_memo_words_are - whether words of memory are what they were
 * @words: what they were
 * @ats: where, in words above @sp
 * @nr: how many, even
 * @is: whether the aligned word at a user address is the one that it is told
 * @ctx: handed to @is
 * @sp: stack pointer
 *
 * Context: irqs off, user memory open.
 */
static __always_inline bool
wp_memo_words_are(const u64 *words, const u16 *ats, unsigned long nr,
		  bool (*is)(void *ctx, u64 addr, u64 word), void *ctx, u64 sp)
{
	const u16 *end = ats + nr;

	for (; ats != end; ats += 2, words += 2) {
		if (!is(ctx, sp + ats[0] * 8ULL, words[0]) ||
		    !is(ctx, sp + ats[1] * 8ULL, words[1]))
			return false;
	}
	return true;
}

/* Of the words that begin at a position: what they were, and where in memory. */
static __always_inline const u64 *wp_memo_words(const struct wp_memos *memos, u64 begin)
{
	return memos->word + begin % WP_MEMO_RING;
}

static __always_inline const u16 *wp_memo_ats(const struct wp_memos *memos, u64 begin)
{
	return memos->at + begin % WP_MEMO_RING;
}

/* Whether the words are what they were. Context: irqs off, user memory open. */
static __always_inline bool
wp_memo_words_hold(const struct wp_memos *memos, const struct wp_memo *memo,
		   bool (*is)(void *ctx, u64 addr, u64 word), void *ctx, u64 sp)
{
	return wp_memo_words_are(wp_memo_words(memos, memo->begin),
				 wp_memo_ats(memos, memo->begin), memo->nr, is, ctx, sp);
}

/* The same but for the words and the mappings. Any context. */
static __always_inline bool wp_memo_rest_holds(const struct wp_memos *memos,
					       const struct wp_memo *memo, u32 epoch, u64 fp)
{
	/* An id of another epoch may stand for nothing any more. */
	return memo->begin >= memos->oldest && memo->epoch == epoch &&
	       (!memo->by_fp || memo->fp == fp);
}

/**
 * wp_memo_holds - whether the stack is the one that is remembered
 * @memos: this CPU's
 * @memo: wp_memo_find()
 * @is: whether the aligned word at a user address is the one that it is told
 * @ctx: handed to @is
 * @generation: of the mappings
 * @epoch: the current one
 * @fp: frame pointer
 *
 * Context: irqs off, user memory open.
 */
static __always_inline bool
wp_memo_holds(const struct wp_memos *memos, const struct wp_memo *memo,
	      bool (*is)(void *ctx, u64 addr, u64 word), void *ctx, u64 generation,
	      u32 epoch, u64 fp)
{
	return memo->generation == generation &&
	       wp_memo_rest_holds(memos, memo, epoch, fp) &&
	       wp_memo_words_hold(memos, memo, is, ctx, memo->sp);
}

/**
 * wp_memo_may_hold - the same, but for the words, without a look at the mappings
 * @memos: this CPU's
 * @memo: wp_memo_find()
 * @changes: what happened to anybody's mappings, not 0
 * @epoch: the current one
 * @fp: frame pointer
 *
 * Context: irqs off.
 * Return: false does not tell that the stack is another one.
 */
static __always_inline bool
wp_memo_may_hold(const struct wp_memos *memos, const struct wp_memo *memo, u64 changes,
		 u32 epoch, u64 fp)
{
	return memo->changes == changes && wp_memo_rest_holds(memos, memo, epoch, fp);
}

#endif /* WALLPROF_PURE_STACK_CACHE_H */
