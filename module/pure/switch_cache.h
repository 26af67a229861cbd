/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The switch cache: how threads left a CPU before, and which aggregate the time off the
 * CPU was added to.
 *
 * Most threads wait again where they waited before: in the same system call, made from
 * the same place with the same stack. As long as nothing that decides the result has
 * changed, the record of the wait is known in advance. The interval goes into the same
 * aggregate if the same thread ends it.
 *
 * An entry is learned when a thread leaves in the same way for the second time. A CPU
 * keeps a table of entries, found by a hash of the thread's slot and of the switch key,
 * and an index of the entries by which threads left that have not come back. While the
 * thread is away, the entry may be reused for another thread, and the thread may run on
 * another CPU: the time at which it left, and its birth, show that. A thread that came
 * by an entry mostly leaves by it again, and its slot still holds the entry's values.
 *
 * A thread that wakes others does so mostly from where it did before, too. Of a session of
 * wakers' stacks, entries of WP_SWITCH_WAKES have the record of the waker's stacks. No
 * thread leaves, or comes, by them.
 *
 * Only sessions that are wp_session_is_fast() use it. This file depends neither on
 * sessions nor, except through switch_key.h, on task_struct. Its callers are the probes
 * of sched_switch and sched_waking: irqs off, no lock.
 */
#ifndef WALLPROF_PURE_SWITCH_CACHE_H
#define WALLPROF_PURE_SWITCH_CACHE_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "compat/build_bug.h"
#include "pure/intervals.h"
#include "pure/stack_cache.h"
#include "pure/tables.h"
#include "switch_key.h"

#define WP_SWITCH_CACHE_BITS		10	/* of the number of entries of a CPU */
#define WP_SWITCH_CACHE_SIZE_BITS	7	/* of the size of an entry */
#define WP_SWITCH_CACHE_AWAY_BITS	10	/* of the size of the index of threads away */

/**
 * struct wp_cached_switch - an entry: how a thread left its CPU, or woke another one
 * @start_time: when the thread was born
 * @left: when it last left by this entry; its slot says the same until it comes. Or 0, as
 *	of a thread that wakes
 * @ip: wp_switch_key_ip()
 * @sp: wp_switch_key_sp()
 * @fp: wp_switch_key_fp(), if @by_fp
 * @arg: wp_switch_key_arg()
 * @changes: see &struct wp_switch_key; 0: the thread left only once so
 * @begin: see &struct wp_cached_stack
 * @user_stack: id of its user stack; of a thread that wakes, of the record of its stacks
 * @slot: its slot
 * @key: the thread: see wp_tasks_find()
 * @hits: counters of the half that @user_stack and @aggr are in
 * @aggr: aggregate of the last interval, or &wp_switch_cache.nowhere
 * @nr: wp_switch_key_nr()
 * @state: see &struct wp_switch_key
 * @exec_id: wp_switch_key_exec_id()
 * @phase_word: phase, state and flags of the slot until the thread comes: see WP_PHASE_WORD()
 * @syscall: as recorded
 * @reason: enum wallprof_reason
 * @nr_words: number of words that decide the stack
 * @far: see &struct wp_cached_stack
 * @by_fp: whether @fp decides the stack, too
 * @runnable: whether the thread waits for a CPU only; valid if @aggr is known
 * @has_arg: whether @arg is recorded
 * @name: of a session of names: where the thread's name was found in the list, the lowest
 *	bits; a guess, but always a place in the list
 *
 * Used by the CPU that it belongs to, with interrupts off.
 */
struct wp_cached_switch {
	u64 start_time;
	u64 left;
	u64 ip;
	u64 sp;
	u64 fp;
	u64 arg;
	u64 changes;
	u64 begin;
	u64 user_stack;
	struct wallprof_task *slot;
	unsigned long key;
	struct wp_cache_hits *hits;
	struct wallprof_aggr *aggr;
	int nr;
	u32 state;
	u32 exec_id;
	u32 phase_word;
	u16 syscall;
	u8 reason;
	u8 nr_words;
	u8 by_fp : 1;
	u8 runnable : 1;
	u8 has_arg : 1;
	u8 name;
	u16 far;
} __aligned(1 << WP_SWITCH_CACHE_SIZE_BITS);

/*
 * An entry is found by a mask of the hash, without a product: its size is this power of
 * two, and all of its bytes are used. A field that does not fit doubles the table of
 * each CPU; wp_cached_of() also expects entries to be smaller than slots.
 */
static_assert(sizeof(struct wp_cached_switch) == 1 << WP_SWITCH_CACHE_SIZE_BITS);

/**
 * struct wp_switch_cache - the switch cache of a CPU
 * @entries: by hash
 * @none: an entry that no thread matches
 * @nowhere: an aggregate whose waker no thread has, so that nothing is added to it
 * @away: by thread: the entry by which it left, if it has not come back; a guess
 */
struct wp_switch_cache {
	struct wp_cached_switch entries[1 << WP_SWITCH_CACHE_BITS];
	struct wp_cached_switch none;
	struct wallprof_aggr nowhere;
	struct wp_cached_switch *away[1 << WP_SWITCH_CACHE_AWAY_BITS];
};

/**
 * wp_switch_cache_init - make an empty cache
 * @cache: zeroes
 *
 * Context: process.
 */
static inline void wp_switch_cache_init(struct wp_switch_cache *cache)
{
	unsigned int i;

	*(u32 *)WP_CAUSE(&cache->nowhere) = U32_MAX;
	for (i = 0; i < ARRAY_SIZE(cache->away); i++)
		cache->away[i] = &cache->none;
}

/* The entry at the hash of a thread and a key. Context: irqs off. */
static __always_inline struct wp_cached_switch *wp_cached_at(struct wp_switch_cache *cache,
							     const struct wallprof_task *slot,
							     u64 hash)
{
	hash = hash << WP_SWITCH_CACHE_SIZE_BITS ^ (unsigned long)slot;
	return (void *)((char *)cache->entries +
			(hash & (sizeof(cache->entries) - sizeof(cache->entries[0]))));
}

/*
 * Returns where the entry of a thread and a key is. The hash is a sum since the addresses
 * at which threads enter the kernel are some bytes apart, and two system calls, or two
 * states, may have one address. Slots are somewhat larger than entries.
 *
 * Context: irqs off.
 */
static __always_inline struct wp_cached_switch *wp_cached_of(struct wp_switch_cache *cache,
							     const struct wallprof_task *slot,
							     const struct wp_switch_key *skey)
{
	return wp_cached_at(cache, slot, wp_switch_key_ip(skey) +
			    4 * (u64)wp_switch_key_nr(skey) + skey->state +
			    wp_switch_key_object(skey));
}

/*
 * The same of a thread that wakes another one: @skey is of WP_SWITCH_WAKES. What it wakes
 * the other by is no part of its stacks. Context: irqs off.
 */
static __always_inline struct wp_cached_switch *
wp_cached_of_waker(struct wp_switch_cache *cache, const struct wallprof_task *slot,
		   const struct wp_switch_key *skey)
{
	return wp_cached_at(cache, slot, wp_switch_key_ip(skey) +
			    4 * (u64)wp_switch_key_nr(skey) + WP_SWITCH_WAKES);
}

/*
 * Returns where the entry by which a thread left is noted. @key: see wp_tasks_find().
 * Context: irqs off.
 */
static __always_inline struct wp_cached_switch **wp_cached_away(struct wp_switch_cache *cache,
								unsigned long key)
{
	/* See wp_tasks_bucket(). */
	return cache->away + hash_32(key >> 6, WP_SWITCH_CACHE_AWAY_BITS);
}

/**
 * wp_cached_matches_key - check whether a thread leaves by the entry that it came by
 * @cached: the entry
 * @skey: the switch key
 *
 * The words of the stack are still to be compared. The thread has not left since it
 * came, so it is WALLPROF_TASK_RUNNING and has not executed another program.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_cached_matches_key(const struct wp_cached_switch *cached,
						  const struct wp_switch_key *skey)
{
	return cached->ip == wp_switch_key_ip(skey) && cached->nr == wp_switch_key_nr(skey) &&
	       cached->state == skey->state && cached->changes == skey->changes &&
	       cached->sp == wp_switch_key_sp(skey) &&
	       cached->arg == wp_switch_key_arg(skey) && !wp_switch_key_is_uncacheable(skey) &&
	       (!cached->by_fp || cached->fp == wp_switch_key_fp(skey));
}

/**
 * wp_cached_matches - check whether a thread leaves by an entry
 * @cached: wp_cached_of() it
 * @slot: the thread's
 * @skey: the switch key
 *
 * As wp_cached_matches_key(), of an entry that the thread did not come by.
 *
 * A slot and a time of birth identify a thread: the next thread in a slot is born after
 * the last one, while thread ids are used again. The ids in the slot are those of after
 * an exec since the thread first left after it, and an entry is learned later than that.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_cached_matches(const struct wp_cached_switch *cached,
					      const struct wallprof_task *slot,
					      const struct wp_switch_key *skey)
{
	return wp_cached_matches_key(cached, skey) && cached->slot == slot &&
	       slot->phase == WALLPROF_TASK_RUNNING &&
	       cached->start_time == slot->start_time &&
	       cached->exec_id == wp_switch_key_exec_id(skey);
}

/**
 * wp_cached_wakes - check whether a thread wakes another one by an entry
 * @cached: wp_cached_of_waker() it
 * @slot: the thread's
 * @skey: the switch key, of WP_SWITCH_WAKES
 *
 * As wp_cached_matches(), of an entry of wakeups, which may be by any argument. The words of
 * the stack are still to be compared. A thread has the same process id all its life.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_cached_wakes(const struct wp_cached_switch *cached,
					    const struct wallprof_task *slot,
					    const struct wp_switch_key *skey)
{
	return cached->ip == wp_switch_key_ip(skey) && cached->nr == wp_switch_key_nr(skey) &&
	       cached->state == skey->state && cached->changes == skey->changes &&
	       cached->sp == wp_switch_key_sp(skey) && !wp_switch_key_is_uncacheable(skey) &&
	       (!cached->by_fp || cached->fp == wp_switch_key_fp(skey)) &&
	       cached->slot == slot && cached->start_time == slot->start_time &&
	       cached->exec_id == wp_switch_key_exec_id(skey);
}

/**
 * wp_cached_apply - put an entry's values into a thread's slot
 * @cache: this CPU's
 * @cached: the entry
 * @slot: the slot of a thread that leaves by it, but did not come by it
 *
 * The slot of a thread that came by the entry has these values already.
 *
 * Context: irqs off.
 */
static __always_inline void wp_cached_apply(struct wp_switch_cache *cache,
					    struct wp_cached_switch *cached,
					    struct wallprof_task *slot)
{
	slot->user_stack = cached->user_stack;
	slot->arg = cached->has_arg ? cached->arg : 0;
	slot->syscall = cached->syscall;
	slot->reason = cached->reason;
	*wp_cached_away(cache, cached->key) = cached;
}

/**
 * wp_cached_leave - let a thread leave its CPU by an entry
 * @cached: the entry, which holds, as do the words of the stack
 * @slot: the thread's; its phase is WALLPROF_TASK_RUNNING
 * @now: the time
 *
 * Does what wp_interval_open() would do. The thread came by this entry, or
 * wp_cached_apply() was called.
 *
 * Context: irqs off.
 */
static __always_inline void wp_cached_leave(struct wp_cached_switch *cached,
					    struct wallprof_task *slot, u64 now)
{
	cached->hits->known++;
	slot->run_ns += wp_interval_depart(slot, now);
	WRITE_ONCE(*WP_PHASE_WORD(slot), cached->phase_word);	/* wakers look at it */
	cached->left = slot->since;
}

/**
 * wp_cached_wake - let a thread wake another one by an entry
 * @cached: the entry, which holds, as do the words of the stack
 *
 * Context: irqs off.
 * Return: id of the record of its stacks.
 */
static __always_inline u64 wp_cached_wake(const struct wp_cached_switch *cached)
{
	cached->hits->woke++;
	return cached->user_stack;
}

/**
 * wp_cached_left_by - check whether a thread that comes to a CPU left by an entry
 * @cached: wp_cached_away(): the entry by which it may have left
 * @slot: its slot, if it did: @cached->slot
 * @key: the thread
 * @changes: see &struct wp_switch_key
 *
 * A thread leaves once at a given time. A thread at the address of a dead one is born
 * later than the dead one left, as RCU keeps the address for a while.
 *
 * False if the walk of blocked threads has replaced the stack since: it replaces a stack
 * only if WALLPROF_TASK_WEAK_STACK is set, and clears that flag.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_cached_left_by(const struct wp_cached_switch *cached,
					      const struct wallprof_task *slot,
					      unsigned long key, u64 changes)
{
	return cached->key == key && cached->left == slot->since &&
	       cached->changes == changes && cached->phase_word == READ_ONCE(*WP_PHASE_WORD(slot));
}

/*
 * Whether the waker of an interval that began by blocking is the one that ended the
 * intervals of an aggregate. @stacks: wakers may have stacks; without, these are all 0.
 * Context: irqs off.
 */
static __always_inline bool wp_cached_same_waker(const struct wallprof_aggr *aggr,
						 const struct wallprof_task *slot, bool stacks)
{
	/* A waker that is too late may write meanwhile: see wp_interval_ended_by(). */
	return *WP_CAUSE(aggr) == READ_ONCE(*WP_CAUSE(slot)) &&
	       aggr->waker_tid == READ_ONCE(slot->waker_tid) &&
	       (!stacks || aggr->waker_stack == READ_ONCE(slot->waker_stack));
}

/*
 * Returns the histogram of an entry's aggregate, which is known. @tables: of this CPU, with
 * histograms. Context: irqs off.
 */
static __always_inline struct wallprof_hist *
wp_cached_hist(const struct wp_cached_switch *cached, const struct wp_tables *tables)
{
	const struct wp_half *half = &tables->half[0];

	if (!wp_cache_hits_are_in(cached->hits, half))
		half++;
	return wp_hist_of(half, cached->aggr);
}

/**
 * wp_cached_come - let a thread come to its CPU by an entry
 * @cached: wp_cached_left_by(), and wp_cached_same_waker() unless @runnable
 * @slot: its slot
 * @aggr: @cached->aggr
 * @now: the time
 * @runnable: @cached->runnable
 * @hists: this CPU's tables; or NULL without histograms
 *
 * Does what wp_interval_close(), wp_aggr_add(), wp_hist_add() and wp_interval_forget()
 * would do, except that the slot keeps the interval's values, for wp_cached_leave().
 *
 * Context: irqs off.
 */
static __always_inline void wp_cached_come(const struct wp_cached_switch *cached,
					   struct wallprof_task *slot,
					   struct wallprof_aggr *aggr, u64 now, bool runnable,
					   const struct wp_tables *hists)
{
	u64 ns = wp_interval_advance(slot, now);
	u64 waited = runnable ? ns : wp_interval_runnable(slot, now, ns);

	cached->hits->summed++;
	/* A part can be the thread's longest only if it is the longest of this sum. */
	if (unlikely(wp_aggr_sum(aggr, ns, waited, now)))
		wp_interval_longest(slot, ns, waited);
	if (hists)
		wp_hist_add(wp_cached_hist(cached, hists), ns, waited);
	wp_interval_run(slot, ns, waited);
	wp_interval_forget_waker(slot);
}

/* Sets the aggregate that the interval of an entry was added to. Context: irqs off. */
static inline void wp_cached_sums(struct wp_cached_switch *cached, struct wallprof_aggr *aggr,
				  bool runnable)
{
	cached->aggr = aggr;
	cached->runnable = runnable;
}

/*
 * Whether an entry is of a thread that leaves in the same state from the same place.
 * Context: irqs off.
 */
static inline bool wp_cached_is_of(const struct wp_cached_switch *cached,
				   const struct wallprof_task *slot,
				   const struct wp_switch_key *skey)
{
	return cached->ip == wp_switch_key_ip(skey) && cached->sp == wp_switch_key_sp(skey) &&
	       cached->nr == wp_switch_key_nr(skey) && cached->state == skey->state &&
	       cached->slot == slot && cached->start_time == slot->start_time;
}

/**
 * wp_cached_left_kind - find out why a thread left by no entry
 * @cached: wp_cached_of() it
 * @slot: the thread's
 * @skey: the switch key, of a switch for which an entry can be learned
 *
 * Context: irqs off.
 * Return: enum wallprof_switch.
 */
static inline enum wallprof_switch wp_cached_left_kind(const struct wp_cached_switch *cached,
						       const struct wallprof_task *slot,
						       const struct wp_switch_key *skey)
{
	if (!wp_cached_is_of(cached, slot, skey))
		return cached->slot && (!cached->changes || cached->changes == skey->changes) ?
			WALLPROF_SWITCH_LEFT_REPLACED : WALLPROF_SWITCH_LEFT_FIRST;
	if (!cached->changes)
		return WALLPROF_SWITCH_LEFT_FIRST;
	if (cached->changes != skey->changes)
		return WALLPROF_SWITCH_LEFT_CHANGED;
	return cached->arg != wp_switch_key_arg(skey) ? WALLPROF_SWITCH_LEFT_ARGUMENT :
						       WALLPROF_SWITCH_LEFT_STACK;
}

/**
 * wp_cached_came_kind - find out why the interval of a thread that came was not added
 * @cache: this CPU's
 * @cached: the entry by which the thread left; NULL: it left by none that holds
 * @slot: its slot, before the interval is closed
 *
 * Context: irqs off.
 * Return: enum wallprof_switch.
 */
static inline enum wallprof_switch wp_cached_came_kind(const struct wp_switch_cache *cache,
						       const struct wp_cached_switch *cached,
						       const struct wallprof_task *slot)
{
	if (!cached)
		return WALLPROF_SWITCH_CAME_UNKNOWN;
	if (cached->aggr == &cache->nowhere)
		return WALLPROF_SWITCH_CAME_FIRST;
	return cached->runnable || wp_cached_same_waker(cached->aggr, slot, true) ?
	       WALLPROF_SWITCH_CAME_LENGTH : WALLPROF_SWITCH_CAME_WAKER;
}

/**
 * wp_cached_begin - begin an entry for a thread that left, or woke, without one
 * @cache: this CPU's
 * @cached: wp_cached_of() it, or wp_cached_of_waker()
 * @slot: the thread's; if it left, as wp_interval_open() left it
 * @key: see &struct wp_cached_switch
 * @skey: the switch key: in a system call, or preempted in one, and not odd
 * @leave: what was recorded
 *
 * Context: irqs off.
 * Return: whether the thread did the same the last time: the stack's fields of the entry
 * are still to be set.
 */
static inline bool wp_cached_begin(struct wp_switch_cache *cache,
				   struct wp_cached_switch *cached,
				   struct wallprof_task *slot, unsigned long key,
				   const struct wp_switch_key *skey,
				   const struct wp_leave *leave)
{
	bool again = wp_cached_is_of(cached, slot, skey);

	cached->changes = 0;
	cached->left = 0;
	cached->slot = slot;
	cached->key = key;
	cached->start_time = slot->start_time;
	cached->ip = wp_switch_key_ip(skey);
	cached->sp = wp_switch_key_sp(skey);
	cached->nr = wp_switch_key_nr(skey);
	cached->state = skey->state;
	if (!again)
		return false;
	cached->arg = wp_switch_key_arg(skey);
	cached->has_arg = !!leave->arg;
	cached->user_stack = leave->user_stack;
	cached->exec_id = slot->exec_id;
	cached->phase_word = *WP_PHASE_WORD(slot);
	cached->syscall = leave->syscall;
	cached->reason = leave->reason;
	wp_cached_sums(cached, &cache->nowhere, false);
	return true;
}

/* Sets the stack of an entry to one that is an address only. Context: irqs off. */
static inline void wp_cached_set_address(struct wp_cached_switch *cached, struct wp_half *half)
{
	cached->nr_words = 0;
	cached->far = 0;
	cached->by_fp = false;
	cached->hits = wp_cache_hits_of(half, WALLPROF_UNWIND_DEPTH, true, 0);
}

/*
 * Sets by what the stack of an entry is recognized. @old is in the stack cache, and its
 * stack in @half. Context: irqs off.
 */
static inline void wp_cached_set_stack(struct wp_cached_switch *cached,
				       const struct wp_cached_stack *old,
				       struct wp_half *half)
{
	cached->begin = old->begin;
	cached->nr_words = old->nr;
	cached->far = old->far;
	cached->hits = wp_cache_hits_of(half, old->stop, old->flags & WALLPROF_STACK_BY_FP,
					old->interp);
	cached->by_fp = old->by_fp;
	cached->fp = old->fp;
}

/**
 * wp_cached_learn - complete an entry
 * @cache: this CPU's
 * @cached: wp_cached_begin(), with its stack set
 * @slot: the thread's, which has just left
 * @skey: the switch key
 *
 * Context: irqs off.
 */
static inline void wp_cached_learn(struct wp_switch_cache *cache, struct wp_cached_switch *cached,
				   const struct wallprof_task *slot,
				   const struct wp_switch_key *skey)
{
	cached->changes = skey->changes;
	cached->left = slot->since;
	*wp_cached_away(cache, cached->key) = cached;
}

/**
 * wp_cached_learn_waker - complete an entry of wakeups
 * @cached: wp_cached_begin(), with its stack set
 * @skey: the switch key
 * @id: of the record of the waker's stacks, not 0
 *
 * Nobody is away by it: it is not noted there, and keeps no time of leaving.
 *
 * Context: irqs off.
 */
static inline void wp_cached_learn_waker(struct wp_cached_switch *cached,
					 const struct wp_switch_key *skey, u64 id)
{
	cached->changes = skey->changes;
	cached->user_stack = id;
}

#endif /* WALLPROF_PURE_SWITCH_CACHE_H */
