/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stack cache: results of the last walks of user stacks, and what decided them.
 *
 * A thread mostly blocks where it blocked before. The result of a walk depends on the
 * registers where it begins, on the words of memory that it reads, and, if it uses unwind
 * tables, on the process's mappings, of which each version has a number, its generation.
 * If all of them are unchanged, the stack is unchanged, and need not be walked or
 * interned: its id is known.
 *
 * The cache is exact: a walk whose inputs cannot all be noted (more words than there is
 * room for, a register that is rarely read, a word that could not be read) is not cached.
 *
 * Stacks are in sets, found by a hash of where they begin; the stack that was found last
 * in its set is tried first. The words of all stacks are in one ring, since most stacks
 * have few. A position in the ring only grows: words less than the ring's size behind the
 * newest have not been overwritten.
 *
 * A walk of interpreted functions (interp.h) begins at the thread pointer, and reads words
 * anywhere. These have a ring of their own, with their addresses: the far words. A stack
 * has a piece of that ring, whose header names its owner: whatever overwrites a piece
 * overwrites its header first. So an entry needs no more than the piece's place.
 *
 * Pure, and a header, since it must be inlined: see unwind_cfi.h. Of each session a CPU has
 * one cache for the scheduler probes, and with WALLPROF_SAMPLE_CACHE one for the overflow
 * handler outside of NMIs; neither uses the other's (irqs off).
 */
#ifndef WALLPROF_PURE_STACK_CACHE_H
#define WALLPROF_PURE_STACK_CACHE_H

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/types.h>

struct wp_step_cache;

#define WP_STACK_CACHE_SET_BITS 7
#define WP_STACK_CACHE_SETS	BIT(WP_STACK_CACHE_SET_BITS)
#define WP_STACK_CACHE_WAYS	8	/* stacks in a set: the bytes of @tags */
#define WP_STACK_CACHE_WORDS	248	/* words of a stack, at most; even */
#define WP_STACK_CACHE_RING	32768	/* words of all stacks; a power of two */

#define WP_FAR_WORDS	1024	/* far words of a stack, at most; a multiple of WP_FAR_STEP */
#define WP_FAR_RING	16384	/* of all stacks, with the headers; places have 16 bits */
#define WP_FAR_STEP	4	/* that are compared at once */
#define WP_FAR_SEEN	256	/* a power of two */
#define WP_FAR_AFTER	128	/* behind the ring: see &struct wp_far_ring.pair */

/**
 * struct wp_cached_stack - a stack that was walked
 * @ip: where the walk began
 * @sp: stack pointer
 * @process: the process, and the system call
 * @changes: as long as the session's count is this, @process has the mappings of
 *	@generation
 * @fp: frame pointer, if @by_fp
 * @begin: position of its words; 0: this entry is empty
 * @id: the stack's id, in @epoch
 * @generation: of the mappings; 0: walked by frame pointers alone
 * @epoch: of @id
 * @nr: number of words, even
 * @stop: the walk's stop reason, enum wallprof_unwind
 * @flags: WALLPROF_STACK_BY_FP
 * @by_fp: whether the walk read the frame pointer's register
 * @far: place of its far words; 0: it has none
 * @interp: how the walk of interpreted functions ended: @ended of &struct wp_interp_runs
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
	u8 stop;
	u8 flags;
	u8 by_fp;
	u16 far;
	u8 interp;
};

/**
 * struct wp_far_word - a far word
 * @at: its address. In the header of a piece: WP_FAR_OWNER, the number of its words, and
 *	its stack's @begin; 0: it has no owner
 * @word: its value. In the header: the thread pointer
 */
struct wp_far_word {
	u64 at;
	u64 word;
};

/* In the header of a piece: no user address has the highest bit. */
#define WP_FAR_OWNER		BIT_ULL(63)
#define WP_FAR_NR_SHIFT		48
#define WP_FAR_BEGIN_MASK	((1ULL << WP_FAR_NR_SHIFT) - 1)

/**
 * struct wp_far_ring - far words of a CPU's stacks, in pieces of one stack each
 * @head: place of the next piece's header
 * @seen: by hash of an address: a place where it may have been noted
 * @pair: by place. A CPU that speculates reads behind a piece, and even behind the ring,
 *	so there are no addresses but the user's, and none behind the ring
 */
struct wp_far_ring {
	u32 head;
	u16 seen[WP_FAR_SEEN];
	struct wp_far_word pair[WP_FAR_RING + WP_FAR_AFTER];
};

/**
 * struct wp_stack_cache_set - stacks whose beginnings hash to one set
 * @tags: more bits of their hashes, a byte each; the first stack's is the lowest
 * @last: the stack that was found or walked last, in bytes from &wp_stack_cache.way
 */
struct wp_stack_cache_set {
	u64 tags;
	u32 last;
};

/**
 * struct wp_stack_cache - the stack cache of a CPU
 * @head: position of the next word to be noted
 * @oldest: words from this position on have not been overwritten
 * @set: by hash
 * @way: the stacks, set by set; no two began alike
 * @at: by position, modulo the size: addresses of words, in words above sp
 * @word: by position, likewise: their values
 * @far: far words; NULL: no walk has any
 * @steps: step cache of the walks; NULL: none is by tables
 */
struct wp_stack_cache {
	u64 head;
	u64 oldest;
	struct wp_stack_cache_set set[WP_STACK_CACHE_SETS];
	struct wp_cached_stack way[WP_STACK_CACHE_SETS * WP_STACK_CACHE_WAYS];
	u16 at[WP_STACK_CACHE_RING];
	u64 word[WP_STACK_CACHE_RING];
	struct wp_far_ring *far;
	struct wp_step_cache *steps;
};

/**
 * struct wp_stack_cache_notes - notes of a walk in progress
 * @cache: this CPU's
 * @old: the entry that the stack will get
 * @sp: stack pointer where the walk began
 * @next: index in the ring of its next word
 * @end: index behind the last word that there is room for
 * @far: place of its first far word, if it has a piece; or 0
 * @far_next: place of the next one
 * @interp: see &struct wp_cached_stack
 * @by_fp: whether it read the frame pointer's register
 * @whole: whether all of its inputs were noted
 */
struct wp_stack_cache_notes {
	struct wp_stack_cache *cache;
	struct wp_cached_stack *old;
	u64 sp;
	u32 next;
	u32 end;
	u32 far;
	u32 far_next;
	u8 interp;
	bool by_fp;
	bool whole;
};

/**
 * wp_stack_cache_init - make an empty cache
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
 * The hash of where a stack begins. It is a sum: the stacks of threads are at equal
 * distances, so their hashes are, too. It includes @process since forked processes wait
 * at the same address as their parent. Any context.
 */
static __always_inline u64 wp_stack_cache_hash(u64 ip, u64 sp, u64 process)
{
	return (ip + sp + process) * GOLDEN_RATIO_64;
}

/* The set of a hash. Any context. */
static __always_inline unsigned long wp_stack_cache_set_of(u64 hash)
{
	return hash >> (64 - WP_STACK_CACHE_SET_BITS);
}

/* The byte in @tags of a hash. Any context. */
static __always_inline u8 wp_stack_cache_tag(u64 hash)
{
	return hash >> (64 - WP_STACK_CACHE_SET_BITS - 8);
}

/* Whether a cached stack began there. Any context. */
static __always_inline bool wp_stack_cache_began(const struct wp_cached_stack *old, u64 ip,
						 u64 sp, u64 process)
{
	return old->ip == ip && old->sp == sp && old->process == process;
}

/**
 * wp_stack_cache_last - get the stack of a set that was found last
 * @cache: this CPU's
 * @ip: instruction pointer
 * @sp: stack pointer
 * @process: see &struct wp_cached_stack, not 0
 *
 * Context: irqs off.
 * Return: most likely what wp_stack_cache_find() finds: wp_stack_cache_began() is to be
 * checked.
 */
static __always_inline struct wp_cached_stack *
wp_stack_cache_last(struct wp_stack_cache *cache, u64 ip, u64 sp, u64 process)
{
	/* Pointers throughout: debug kernels check array bounds by a call. */
	struct wp_stack_cache_set *set =
		cache->set + wp_stack_cache_set_of(wp_stack_cache_hash(ip, sp, process));

	return (void *)((char *)cache->way + set->last);
}

/* The lowest bit of each byte. */
#define WP_STACK_CACHE_EACH	0x0101010101010101ULL

/**
 * wp_stack_cache_find - find the stack of the last walk that began there
 * @cache: this CPU's
 * @ip: instruction pointer
 * @sp: stack pointer
 * @process: see &struct wp_cached_stack, not 0
 *
 * Context: irqs off.
 * Return: the stack, which may have changed since; NULL if there is none.
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
	/* The highest bit of bytes that are 0, and of few others, which are harmless. */
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
 * Returns the entry for a stack that is not cached: the one of its set that was walked
 * the longest ago, or an empty one. Context: irqs off.
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
 * wp_stack_cache_begin - begin the notes of a walk; drops the stack that it replaces
 * @notes: to fill
 * @cache: this CPU's
 * @old: wp_stack_cache_find()
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 * @process: see &struct wp_cached_stack
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
	/* The largest number of words fits in one piece. */
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
	notes->far = 0;
	notes->interp = 0;
	notes->by_fp = false;
	/* With sp above all user addresses, later words would wrap. */
	notes->whole = !(sp & 7) && (s64)sp >= 0;
}

/* Notes a word that the walk has read. Context: irqs off, user memory open. */
static __always_inline void wp_stack_cache_note(struct wp_stack_cache_notes *notes,
						u64 addr, u64 word)
{
	u64 at = (addr - notes->sp) >> 3, *words = notes->cache->word;
	u16 *ats = notes->cache->at;

	/* An address below sp is too large, too. */
	if (notes->next == notes->end || at > U16_MAX) {
		notes->whole = false;
		return;
	}
	ats[notes->next] = at;
	words[notes->next++] = word;
}

/* Notes that the walk could not read a word. Context: irqs off, user memory open. */
static __always_inline void wp_stack_cache_note_fault(struct wp_stack_cache_notes *notes)
{
	notes->whole = false;
}

/* Notes that the walk has read a register. Context: irqs off, user memory open. */
static __always_inline void wp_stack_cache_note_reg(struct wp_stack_cache_notes *notes,
						    bool is_fp)
{
	if (is_fp)
		notes->by_fp = true;
	else
		notes->whole = false;
}

/**
 * wp_stack_cache_far_begin - begin the notes of a walk of interpreted functions
 * @notes: wp_stack_cache_begin(), of a cache with far words
 * @thread: the thread pointer, where the walk begins
 *
 * Context: irqs off.
 */
static __always_inline void wp_stack_cache_far_begin(struct wp_stack_cache_notes *notes, u64 thread)
{
	struct wp_far_ring *ring = notes->cache->far;
	struct wp_far_word *header;

	/* The largest piece fits. */
	if (ring->head > WP_FAR_RING - WP_FAR_WORDS - 1)
		ring->head = 0;
	header = ring->pair + ring->head;
	header->at = 0;
	header->word = thread;
	notes->far = ring->head + 1;
	notes->far_next = notes->far;
}

/*
 * Notes a far word, unless it was noted. Context: irqs off, user memory open.
 * @addr: below the limit of user addresses
 */
static __always_inline void wp_stack_cache_note_far(struct wp_stack_cache_notes *notes,
						    u64 addr, u64 word)
{
	struct wp_far_ring *ring = notes->cache->far;
	u16 *seen = ring->seen + ((addr >> 3 ^ addr >> 11) & (WP_FAR_SEEN - 1));
	struct wp_far_word *pair = ring->pair + *seen;
	u32 noted = notes->far_next - notes->far;

	/* One that was changed meanwhile is noted twice, and the stack never found. */
	if (*seen - notes->far < noted && pair->at == addr && pair->word == word)
		return;
	if (noted == WP_FAR_WORDS) {
		notes->whole = false;
		return;
	}
	pair = ring->pair + notes->far_next;
	pair->at = addr;
	pair->word = word;
	*seen = notes->far_next++;
}

/* Gives the far words of a walk their owner. Context: irqs off. */
static __always_inline void wp_stack_cache_far_keep(const struct wp_stack_cache_notes *notes,
						    u64 begin)
{
	struct wp_far_ring *ring = notes->cache->far;
	struct wp_far_word *pair = ring->pair + notes->far;
	u32 nr = notes->far_next - notes->far;

	/* WP_FAR_STEP are compared at once: repeat the last one. */
	for (; nr % WP_FAR_STEP; nr++)
		pair[nr] = pair[nr - 1];
	pair[-1].at = WP_FAR_OWNER | (u64)nr << WP_FAR_NR_SHIFT | (begin & WP_FAR_BEGIN_MASK);
	ring->head = notes->far + nr;
}

/**
 * wp_stack_cache_keep - cache the stack that was walked
 * @notes: the walk's
 * @generation: of the mappings
 * @changes: see wp_stack_cache_tie()
 * @epoch: of @id
 * @id: the stack's; 0 if it has none
 * @stop: the stop reason
 * @flags: WALLPROF_STACK_BY_FP
 *
 * Context: irqs off.
 */
static __always_inline void wp_stack_cache_keep(const struct wp_stack_cache_notes *notes,
						u64 generation, u64 changes, u32 epoch,
						u64 id, u8 stop, u8 flags)
{
	struct wp_stack_cache *cache = notes->cache;
	struct wp_cached_stack *old = notes->old;
	u32 next = notes->next;

	if (!notes->whole || !id)
		return;
	/* Far words are known by the position of the others, which is to be the stack's own. */
	if (notes->far && notes->next == notes->end - WP_STACK_CACHE_WORDS)
		return;
	/* Words are compared in pairs: repeat the last one. */
	if (next & 1) {
		cache->at[next] = cache->at[next - 1];
		cache->word[next] = cache->word[next - 1];
		next++;
	}
	old->begin = cache->head;
	old->nr = next - notes->end + WP_STACK_CACHE_WORDS;
	old->by_fp = notes->by_fp;
	old->interp = notes->interp;
	old->far = notes->far;
	if (notes->far)
		wp_stack_cache_far_keep(notes, cache->head);
	old->id = id;
	old->epoch = epoch;
	old->stop = stop;
	old->flags = flags;
	old->generation = generation;
	old->changes = changes;
	cache->head += old->nr;
}

/**
 * wp_stack_cache_tie - note the count at which the mappings were last found unchanged
 * @old: a stack that wp_stack_cache_holds()
 * @changes: count of the changes of all mappings, from 1 on; read before the mappings
 *	were looked up
 *
 * Context: irqs off.
 */
static __always_inline void wp_stack_cache_tie(struct wp_cached_stack *old, u64 changes)
{
	old->changes = changes;
}

/**
 * wp_stack_cache_words_unchanged - check whether words of memory are unchanged
 * @words: their values
 * @ats: their addresses, in words above @sp
 * @nr: how many, even
 * @is: returns whether the aligned word at a user address has a value
 * @ctx: passed to @is
 * @sp: stack pointer
 *
 * Context: irqs off, user memory open.
 */
static __always_inline bool
wp_stack_cache_words_unchanged(const u64 *words, const u16 *ats, unsigned long nr,
			       bool (*is)(void *ctx, u64 addr, u64 word), void *ctx, u64 sp)
{
	long i;

	/* One variable, and its end is 0: two instructions less of twelve. */
	for (ats += nr, words += nr, i = -(long)nr; i; i += 2) {
		if (!is(ctx, sp + ats[i] * 8ULL, words[i]) ||
		    !is(ctx, sp + ats[i + 1] * 8ULL, words[i + 1]))
			return false;
	}
	return true;
}

/* Values and addresses of the words that begin at a position. */
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

/* Whether a stack's words are unchanged. Context: irqs off, user memory open. */
static __always_inline bool
wp_stack_cache_words_hold(const struct wp_stack_cache *cache, const struct wp_cached_stack *old,
			  bool (*is)(void *ctx, u64 addr, u64 word), void *ctx, u64 sp)
{
	return wp_stack_cache_words_unchanged(wp_stack_cache_words(cache, old->begin),
					      wp_stack_cache_ats(cache, old->begin), old->nr, is,
					      ctx, sp);
}

/**
 * wp_stack_cache_far_unchanged - check whether far words are unchanged
 * @ring: the cache's
 * @far: see &struct wp_cached_stack, not 0
 * @begin: likewise
 * @is: returns whether the aligned word at a user address has a value
 * @ctx: passed to @is
 * @thread: the thread pointer
 *
 * Context: irqs off, user memory open.
 * Return: false also if they were overwritten.
 */
static __always_inline bool
wp_stack_cache_far_unchanged(const struct wp_far_ring *ring, u16 far, u64 begin,
			     bool (*is)(void *ctx, u64 addr, u64 word), void *ctx, u64 thread)
{
	const struct wp_far_word *pair = ring->pair + far, *end;
	u64 owner = pair[-1].at;

	if (!(owner & WP_FAR_OWNER) || (owner ^ begin) & WP_FAR_BEGIN_MASK ||
	    pair[-1].word != thread)
		return false;
	end = pair + ((owner & ~WP_FAR_OWNER) >> WP_FAR_NR_SHIFT);
	for (; pair != end; pair += WP_FAR_STEP) {
		if (!is(ctx, pair[0].at, pair[0].word) || !is(ctx, pair[1].at, pair[1].word) ||
		    !is(ctx, pair[2].at, pair[2].word) || !is(ctx, pair[3].at, pair[3].word))
			return false;
	}
	return true;
}

/* Whether the rest is unchanged, without the words and the mappings. Any context. */
static __always_inline bool wp_stack_cache_rest_holds(const struct wp_stack_cache *cache,
						      const struct wp_cached_stack *old,
						      u32 epoch, u64 fp)
{
	/* An id of another epoch may name nothing any more. */
	return old->begin >= cache->oldest && old->epoch == epoch &&
	       (!old->by_fp || old->fp == fp);
}

/**
 * wp_stack_cache_holds - check whether a cached stack is current
 * @cache: this CPU's
 * @old: wp_stack_cache_find()
 * @is: returns whether the aligned word at a user address has a value
 * @ctx: passed to @is
 * @generation: of the mappings
 * @epoch: the current one
 * @fp: frame pointer
 * @thread: the thread pointer, if the walk could read interpreted functions
 *
 * Context: irqs off, user memory open.
 */
static __always_inline bool
wp_stack_cache_holds(const struct wp_stack_cache *cache, const struct wp_cached_stack *old,
		     bool (*is)(void *ctx, u64 addr, u64 word), void *ctx, u64 generation,
		     u32 epoch, u64 fp, u64 thread)
{
	return old->generation == generation &&
	       wp_stack_cache_rest_holds(cache, old, epoch, fp) &&
	       wp_stack_cache_words_hold(cache, old, is, ctx, old->sp) &&
	       (!old->far || wp_stack_cache_far_unchanged(cache->far, old->far, old->begin, is,
							  ctx, thread));
}

/**
 * wp_stack_cache_may_hold - the same, without the words and a lookup of the mappings
 * @cache: this CPU's
 * @old: wp_stack_cache_find()
 * @changes: count of the changes of all mappings, not 0
 * @epoch: the current one
 * @fp: frame pointer
 *
 * Context: irqs off.
 * Return: true if only the words, near and far, are left to be compared; false if that is not
 * known.
 */
static __always_inline bool wp_stack_cache_may_hold(const struct wp_stack_cache *cache,
						    const struct wp_cached_stack *old,
						    u64 changes, u32 epoch, u64 fp)
{
	return old->changes == changes && wp_stack_cache_rest_holds(cache, old, epoch, fp);
}

#endif /* WALLPROF_PURE_STACK_CACHE_H */
