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

#define WP_STACK_CACHE_SET_BITS 7
#define WP_STACK_CACHE_SETS	BIT(WP_STACK_CACHE_SET_BITS)
#define WP_STACK_CACHE_WAYS	8	/* stacks in a set: the bytes of @tags */
#define WP_STACK_CACHE_WORDS	248	/* that decided one stack, at most; even */
#define WP_STACK_CACHE_RING	32768	/* words that decided all; a power of two */

/**
 * struct wp_cached_stack - a stack that was walked
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
struct wp_cached_stack {
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
 * struct wp_stack_cache_set - stacks whose beginnings hash alike
 * @tags: more of their hashes, a byte each, the first one's the lowest
 * @last: the one that was found or walked last, in bytes from &wp_stack_cache.way
 */
struct wp_stack_cache_set {
	u64 tags;
	u32 last;
};

/**
 * struct wp_stack_cache - all that a CPU remembers for a session
 * @head: position of the words that are noted next
 * @oldest: position from which on words are what they were
 * @set: by hash
 * @way: the stacks, set by set; no two began alike
 * @at: by position, modulo the size: where words were, in words above sp
 * @word: what they were
 */
struct wp_stack_cache {
	u64 head;
	u64 oldest;
	struct wp_stack_cache_set set[WP_STACK_CACHE_SETS];
	struct wp_cached_stack way[WP_STACK_CACHE_SETS * WP_STACK_CACHE_WAYS];
	u16 at[WP_STACK_CACHE_RING];
	u64 word[WP_STACK_CACHE_RING];
};

/**
 * struct wp_stack_cache_notes - what a walk that goes on notes
 * @cache: this CPU's
 * @old: where it will be remembered
 * @sp: stack pointer where it began
 * @next: where in the ring its next word goes
 * @end: behind the last one that there is room for
 * @by_fp: whether it read the frame pointer's register
 * @whole: whether all that decided was noted
 */
struct wp_stack_cache_notes {
	struct wp_stack_cache *cache;
	struct wp_cached_stack *old;
	u64 sp;
	u32 next;
	u32 end;
	bool by_fp;
	bool whole;
};

/**
 * wp_stack_cache_init - nothing is remembered yet
 * @cache: zeroes
 *
 * Context: process.
 */
static inline void wp_stack_cache_init(struct wp_stack_cache *cache)
{
	unsigned int i;

	cache->head = WP_STACK_CACHE_RING;
	for (i = 0; i < WP_STACK_CACHE_SETS; i++)
		cache->set[i].last = i * WP_STACK_CACHE_WAYS * sizeof(cache->way[0]);
}

/*
 * The hash of where a stack begins. The sum: stacks of threads lie at equal
 * distances, and so do their hashes then. With @process: those that were forked
 * wait where their parent does. Any context.
 */
static __always_inline u64 wp_stack_cache_hash(u64 ip, u64 sp, u64 process)
{
	return (ip + sp + process) * GOLDEN_RATIO_64;
}

/* Which set it tells. Any context. */
static __always_inline unsigned long wp_stack_cache_set_of(u64 hash)
{
	return hash >> (64 - WP_STACK_CACHE_SET_BITS);
}

/* And which byte of @tags. Any context. */
static __always_inline u8 wp_stack_cache_tag(u64 hash)
{
	return hash >> (64 - WP_STACK_CACHE_SET_BITS - 8);
}

/* Whether a stack began so. Any context. */
static __always_inline bool wp_stack_cache_began(const struct wp_cached_stack *old, u64 ip,
						 u64 sp, u64 process)
{
	return old->ip == ip && old->sp == sp && old->process == process;
}

/**
 * wp_stack_cache_last - what was found last of those that hash as one that begins so
 * @cache: this CPU's
 * @ip: instruction pointer
 * @sp: stack pointer
 * @process: whose stack it is, not 0
 *
 * Most likely what wp_stack_cache_find() finds: see wp_stack_cache_began().
 *
 * Context: irqs off.
 */
static __always_inline struct wp_cached_stack *
wp_stack_cache_last(struct wp_stack_cache *cache, u64 ip, u64 sp, u64 process)
{
	/* Pointers, in all of this: in debug kernels a check of arrays' bounds is a call. */
	struct wp_stack_cache_set *set =
		cache->set + wp_stack_cache_set_of(wp_stack_cache_hash(ip, sp, process));

	return (void *)((char *)cache->way + set->last);
}

/* A number for each byte. */
#define WP_STACK_CACHE_EACH	0x0101010101010101ULL

/**
 * wp_stack_cache_find - the last walk that began so
 * @cache: this CPU's
 * @ip: instruction pointer
 * @sp: stack pointer
 * @process: whose stack it is, not 0
 *
 * Context: irqs off.
 * Return: what came of it, which need not hold any more; NULL if it is forgotten.
 */
static __always_inline struct wp_cached_stack *
wp_stack_cache_find(struct wp_stack_cache *cache, u64 ip, u64 sp, u64 process)
{
	u64 hash = wp_stack_cache_hash(ip, sp, process);
	struct wp_cached_stack *way =
		cache->way + wp_stack_cache_set_of(hash) * WP_STACK_CACHE_WAYS;
	struct wp_cached_stack *old;
	struct wp_stack_cache_set *set = cache->set + wp_stack_cache_set_of(hash);
	u64 differs = set->tags ^ wp_stack_cache_tag(hash) * WP_STACK_CACHE_EACH;
	/* The highest bit of bytes that are 0, and of a few others: never mind. */
	u64 alike = (differs - WP_STACK_CACHE_EACH) & ~differs & WP_STACK_CACHE_EACH << 7;

	for (; alike; alike &= alike - 1) {
		old = way + (__ffs64(alike) >> 3);
		if (wp_stack_cache_began(old, ip, sp, process)) {
			set->last = (char *)old - (char *)cache->way;
			return old;
		}
	}
	return NULL;
}

/*
 * Where a stack is to be remembered that is not: in place of the one of its set
 * that was walked the longest ago, or of none. Context: irqs off.
 */
static __always_inline struct wp_cached_stack *
wp_stack_cache_replace(struct wp_stack_cache *cache, u64 hash)
{
	struct wp_cached_stack *way =
		cache->way + wp_stack_cache_set_of(hash) * WP_STACK_CACHE_WAYS;
	struct wp_stack_cache_set *set = cache->set + wp_stack_cache_set_of(hash);
	unsigned int oldest = 0, i;

	for (i = 1; i < WP_STACK_CACHE_WAYS; i++) {
		if (way[i].begin < way[oldest].begin)
			oldest = i;
	}
	set->tags &= ~(0xffULL << 8 * oldest);
	set->tags |= (u64)wp_stack_cache_tag(hash) << 8 * oldest;
	set->last = (char *)(way + oldest) - (char *)cache->way;
	return way + oldest;
}

/**
 * wp_stack_cache_begin - a walk begins: forget the last one that began so, or another
 * @notes: to fill
 * @cache: this CPU's
 * @old: wp_stack_cache_find()
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 * @process: whose stack it is
 *
 * Context: irqs off.
 */
static __always_inline void wp_stack_cache_begin(struct wp_stack_cache_notes *notes,
						 struct wp_stack_cache *cache,
						 struct wp_cached_stack *old, u64 ip,
						 u64 sp, u64 fp, u64 process)
{
	u32 slot = cache->head % WP_STACK_CACHE_RING;

	if (!old)
		old = wp_stack_cache_replace(cache, wp_stack_cache_hash(ip, sp, process));
	/* As many words as there may be, in one piece. */
	if (slot > WP_STACK_CACHE_RING - WP_STACK_CACHE_WORDS) {
		cache->head += WP_STACK_CACHE_RING - slot;
		slot = 0;
	}
	cache->oldest = cache->head + WP_STACK_CACHE_WORDS - WP_STACK_CACHE_RING;
	old->ip = ip;
	old->sp = sp;
	old->process = process;
	old->fp = fp;
	old->begin = 0;
	notes->cache = cache;
	notes->old = old;
	notes->sp = sp;
	notes->next = slot;
	notes->end = slot + WP_STACK_CACHE_WORDS;
	notes->by_fp = false;
	/* From above all users' addresses, words would be behind the end of all. */
	notes->whole = !(sp & 7) && (s64)sp >= 0;
}

/* The walk has read a word. Context: irqs off, user memory open. */
static __always_inline void wp_stack_cache_note(struct wp_stack_cache_notes *notes,
						u64 addr, u64 word)
{
	u64 at = (addr - notes->sp) >> 3, *words = notes->cache->word;
	u16 *ats = notes->cache->at;

	/* Below sp is beyond, too. */
	if (notes->next == notes->end || at > U16_MAX) {
		notes->whole = false;
		return;
	}
	ats[notes->next] = at;
	words[notes->next++] = word;
}

/* The walk could not read a word. Context: irqs off, user memory open. */
static __always_inline void wp_stack_cache_note_fault(struct wp_stack_cache_notes *notes)
{
	notes->whole = false;
}

/* The walk has read a register. Context: irqs off, user memory open. */
static __always_inline void wp_stack_cache_note_reg(struct wp_stack_cache_notes *notes,
						    bool is_fp)
{
	if (is_fp)
		notes->by_fp = true;
	else
		notes->whole = false;
}

/**
 * wp_stack_cache_keep - remember the stack that was walked
 * @notes: since wp_stack_cache_begin(), the walk's
 * @generation: of the mappings
 * @changes: wp_stack_cache_tie()'s
 * @epoch: of @id
 * @id: the stack's; 0 if it has none
 * @why: what the walk told
 * @flags: the same
 *
 * Context: irqs off.
 */
static __always_inline void wp_stack_cache_keep(const struct wp_stack_cache_notes *notes,
						u64 generation, u64 changes, u32 epoch,
						u64 id, u8 why, u8 flags)
{
	struct wp_stack_cache *cache = notes->cache;
	struct wp_cached_stack *old = notes->old;
	u32 next = notes->next;

	if (!notes->whole || !id)
		return;
	/* They are compared by twos: the last one again. */
	if (next & 1) {
		cache->at[next] = cache->at[next - 1];
		cache->word[next] = cache->word[next - 1];
		next++;
	}
	old->begin = cache->head;
	old->nr = next - notes->end + WP_STACK_CACHE_WORDS;
	old->by_fp = notes->by_fp;
	old->id = id;
	old->epoch = epoch;
	old->why = why;
	old->flags = flags;
	old->generation = generation;
	old->changes = changes;
	cache->head += old->nr;
}

/**
 * wp_stack_cache_tie - say by what it is known that the mappings are still the same
 * @old: one that holds
 * @changes: counts what happened to anybody's, from 1 on. Was read before the
 *	mappings were looked up
 *
 * Context: irqs off.
 */
static __always_inline void wp_stack_cache_tie(struct wp_cached_stack *old, u64 changes)
{
	old->changes = changes;
}

/**
 * wp_stack_cache_words_are - whether words of memory are what they were
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
wp_stack_cache_words_are(const u64 *words, const u16 *ats, unsigned long nr,
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
static __always_inline const u64 *wp_stack_cache_words(const struct wp_stack_cache *cache,
						       u64 begin)
{
	return cache->word + begin % WP_STACK_CACHE_RING;
}

static __always_inline const u16 *wp_stack_cache_ats(const struct wp_stack_cache *cache,
						     u64 begin)
{
	return cache->at + begin % WP_STACK_CACHE_RING;
}

/* Whether the words are what they were. Context: irqs off, user memory open. */
static __always_inline bool
wp_stack_cache_words_hold(const struct wp_stack_cache *cache, const struct wp_cached_stack *old,
			  bool (*is)(void *ctx, u64 addr, u64 word), void *ctx, u64 sp)
{
	return wp_stack_cache_words_are(wp_stack_cache_words(cache, old->begin),
					wp_stack_cache_ats(cache, old->begin), old->nr, is,
					ctx, sp);
}

/* The same but for the words and the mappings. Any context. */
static __always_inline bool wp_stack_cache_rest_holds(const struct wp_stack_cache *cache,
						      const struct wp_cached_stack *old,
						      u32 epoch, u64 fp)
{
	/* An id of another epoch may stand for nothing any more. */
	return old->begin >= cache->oldest && old->epoch == epoch &&
	       (!old->by_fp || old->fp == fp);
}

/**
 * wp_stack_cache_holds - whether the stack is the one that is remembered
 * @cache: this CPU's
 * @old: wp_stack_cache_find()
 * @is: whether the aligned word at a user address is the one that it is told
 * @ctx: handed to @is
 * @generation: of the mappings
 * @epoch: the current one
 * @fp: frame pointer
 *
 * Context: irqs off, user memory open.
 */
static __always_inline bool
wp_stack_cache_holds(const struct wp_stack_cache *cache, const struct wp_cached_stack *old,
		     bool (*is)(void *ctx, u64 addr, u64 word), void *ctx, u64 generation,
		     u32 epoch, u64 fp)
{
	return old->generation == generation &&
	       wp_stack_cache_rest_holds(cache, old, epoch, fp) &&
	       wp_stack_cache_words_hold(cache, old, is, ctx, old->sp);
}

/**
 * wp_stack_cache_may_hold - the same, but for the words, without a look at the mappings
 * @cache: this CPU's
 * @old: wp_stack_cache_find()
 * @changes: what happened to anybody's mappings, not 0
 * @epoch: the current one
 * @fp: frame pointer
 *
 * Context: irqs off.
 * Return: false does not tell that the stack is another one.
 */
static __always_inline bool wp_stack_cache_may_hold(const struct wp_stack_cache *cache,
						    const struct wp_cached_stack *old,
						    u64 changes, u32 epoch, u64 fp)
{
	return old->changes == changes && wp_stack_cache_rest_holds(cache, old, epoch, fp);
}

#endif /* WALLPROF_PURE_STACK_CACHE_H */
