/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_STACK_H
#define WALLPROF_STACK_H

#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "compat/uaccess.h"
#include "pure/stack_cache.h"
#include "user_nospec.h"

struct pt_regs;
struct wp_cpu;
struct wp_scratch;
struct wp_session;

/**
 * struct wp_walk - the result of a walk of a user stack
 * @stop: the stop reason, enum wallprof_unwind
 * @flags: WALLPROF_STACK_BY_FP
 * @unknown: the session walks by tables, and the process's mappings are unknown
 * @slow: it went by tables, in the slow form
 * @interp: how the capture of interpreted functions ended: @ended of &struct wp_interp_runs
 * @id: the stack's id, if it was cached: nothing was walked then
 * @generation: of the mappings, if tables were used
 * @changes: wp_mappings_changes() before the mappings were looked up
 * @notes: notes for the stack cache, if their @old is set
 */
struct wp_walk {
	u8 stop;
	u8 flags;
	bool unknown;
	bool slow;
	u8 interp;
	u64 id;
	u64 generation;
	u64 changes;
	struct wp_stack_cache_notes notes;
};

/* Whether a walk could have gone on, or been better, with more tables. */
static inline bool wp_stack_is_weak(u8 stop, bool by_fp)
{
	return by_fp || stop == WALLPROF_UNWIND_NO_TABLE;
}

/*
 * Whether a thread is in an exec that has given up the memory of the old program. Its
 * registers are the old program's until the new one is loaded, which is when the kernel
 * sets mm->end_code. Both are written by @p alone, which is current, or blocked. Any
 * context. @mm: @p's.
 */
static inline bool wp_stack_is_exec(const struct task_struct *p,
				    const struct mm_struct *mm)
{
	return p->in_execve && !READ_ONCE(mm->end_code);
}

const struct wp_cached_stack *wp_stack_cached_by_id(struct wp_session *session, struct wp_cpu *cpu,
						    u32 epoch, u64 id);
const struct wp_cached_stack *wp_stack_cached(struct wp_session *session, struct wp_cpu *cpu,
					      u32 epoch);
unsigned int wp_stack_user(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
			   struct wp_walk *walk);
const struct wp_cached_stack *wp_stack_cached_sample(struct wp_session *session,
						     struct wp_cpu *cpu, u32 epoch,
						     struct pt_regs *regs);
unsigned int wp_stack_user_sample(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
				  struct pt_regs *regs, struct wp_walk *walk);
void wp_walk_keep(const struct wp_walk *walk, u32 epoch, u64 id);
unsigned int wp_stack_user_nmi(struct wp_session *session, struct wp_scratch *scratch,
			       struct pt_regs *regs, u32 flags, unsigned int max,
			       struct wp_walk *walk);
void wp_walk_count(struct wallprof_half *head, const struct wp_walk *walk);

/**
 * wp_walk_count_cached - count a cached stack that was not walked
 * @head: of the half that the stack is in
 * @old: the cached stack
 *
 * Context: the half's writer.
 * Return: whether it is wp_stack_is_weak().
 */
static __always_inline bool wp_walk_count_cached(struct wallprof_half *head,
						 const struct wp_cached_stack *old)
{
	head->unwinds[old->stop]++;
	head->walks_remembered++;
	if (unlikely(old->interp))
		head->interps[old->interp - 1]++;
	if (likely(!wp_stack_is_weak(old->stop, old->flags & WALLPROF_STACK_BY_FP)))
		return false;
	if (old->flags & WALLPROF_STACK_BY_FP)
		head->walks_mixed++;
	return true;
}

/*
 * Page faults of a scheduler probe must fail at once. Kernels that count preemption know
 * that from the lock of the run queue, or the pi_lock, that is held; debug kernels need
 * the explicit mark: arm64's get_user() calls might_fault().
 */
#define WP_FAULTS_CHECKED	(!IS_ENABLED(CONFIG_PREEMPT_COUNT) || \
				 IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP) || \
				 IS_ENABLED(CONFIG_PROVE_LOCKING))

static __always_inline void wp_faults_fail(void)
{
	if (WP_FAULTS_CHECKED)
		pagefault_disable();
}

static __always_inline void wp_faults_end(void)
{
	if (WP_FAULTS_CHECKED)
		pagefault_enable();
}

/* Whether a word near a stack pointer has a value. User memory is open. */
static __always_inline bool wp_stack_word_is(void *ctx, u64 addr, u64 word)
{
	return wp_user_word_is((const u64 __user *)addr, word);
}

/**
 * wp_stack_words_unchanged - check whether words of current's stack are unchanged
 * @cache: this CPU's
 * @begin: position of their cached values
 * @nr: how many, even; 0 of a stack of one address, if no more was asked for
 * @sp: stack pointer
 *
 * A walk has read them, below the limit. A CPU that speculates reads no further above
 * that than the words can be above @sp. If @sp is a user address under speculation, too,
 * nothing of the kernel is there.
 *
 * Context: irqs off, not NMI; current's mm is loaded.
 */
static __always_inline bool wp_stack_words_unchanged(const struct wp_stack_cache *cache, u64 begin,
						     unsigned int nr, u64 sp)
{
	if (unlikely(!nr))
		return true;
	wp_faults_fail();
	if (unlikely(!user_access_begin((void __user *)0, TASK_SIZE_MAX - 1)))
		goto no;
	if (likely(wp_stack_cache_words_unchanged(wp_stack_cache_words(cache, begin),
						  wp_stack_cache_ats(cache, begin), nr,
						  wp_stack_word_is, NULL, sp))) {
		user_access_end();
		wp_faults_end();
		return true;
	}
	user_access_end();
no:
	wp_faults_end();
	return false;
}

#endif /* WALLPROF_STACK_H */
