/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a memo must remember, and no more: a reference that keeps every stack
 * whole and knows whose each word of the ring is. It has no tags, no positions,
 * and no way that is tried first. Used by stack_cache.c and by the fuzzer.
 *
 * Stacks are not walked here: what a walk would have read is made up. They lie
 * over each other in one piece of memory, so that a word decides several.
 */
#ifndef WALLPROF_KUNIT_MEMO_MODEL_H
#define WALLPROF_KUNIT_MEMO_MODEL_H

#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/stack_cache.h"

#define MEMO_PROCESSES	3
#define MEMO_IPS	16
#define MEMO_SPS	64
#define MEMO_MEMORY	(MEMO_SPS + 3 * WP_STACK_CACHE_WORDS)	/* words */
#define MEMO_STACK	0x7ffd00000000ULL

/* A stack that was walked. */
struct memo_stack {
	u64 ip, sp, process, fp, changes, generation, id;
	u32 epoch, serial, first;
	u16 nr;
	u8 step, by_fp, why;
	u8 word[WP_STACK_CACHE_WORDS];
};

/* One that a thread leaves its CPU with. */
struct memo_visit {
	u8 process, ip, sp, fp;
	u8 nr;		/* words, as many as WP_STACK_CACHE_WORDS or more */
	u8 step;	/* they lie 1 to 3 words apart */
	bool by_fp;
	enum { MEMO_GOOD, MEMO_FAULT, MEMO_REG, MEMO_NO_ID } spoilt;
};

/**
 * struct memo_model - a memo, and the reference
 * @memos: what is tested
 * @stack: by when they were walked; all that is remembered if nothing changes
 * @nr: of these
 * @owner: whose a word of the ring is
 * @next: where in the ring the next ones begin
 * @serial: how many were walked
 * @memory: what the words are; 0: cannot be read
 * @held: how often a stack was remembered
 * @tied: that it took a look at the mappings
 * @evicted: stacks that another one of their set replaced
 * @overwritten: stacks whose words were, when they came again
 */
struct memo_model {
	struct wp_stack_cache memos;
	struct memo_stack stack[WP_STACK_CACHE_SETS * WP_STACK_CACHE_WAYS];
	unsigned int nr;
	u32 owner[WP_STACK_CACHE_RING];
	u32 next, serial, epoch;
	u64 changes, generation[MEMO_PROCESSES];
	u8 memory[MEMO_MEMORY];
	unsigned int held, tied, evicted, overwritten;
};

static inline void stack_cache_model_set(struct memo_model *m)
{
	unsigned int i;

	wp_stack_cache_init(&m->memos);
	m->epoch = 1;
	m->changes = 1;
	for (i = 0; i < MEMO_PROCESSES; i++)
		m->generation[i] = i + 1;
	memset(m->memory, 1, sizeof(m->memory));
}

static inline bool stack_cache_model_read(void *ctx, u64 addr, u64 *value)
{
	const struct memo_model *m = ctx;

	*value = m->memory[(addr - MEMO_STACK) / 8];
	return *value;
}

static inline bool stack_cache_model_is(void *ctx, u64 addr, u64 word)
{
	u64 value;

	return stack_cache_model_read(ctx, addr, &value) && value == word;
}

/* As the sched_switch probe asks, the short way. */
static inline const struct wp_cached_stack *
stack_cache_model_again(struct memo_model *m, u64 ip, u64 sp, u64 process, u64 fp)
{
	const struct wp_cached_stack *memo = wp_stack_cache_last(&m->memos, ip, sp, process);

	if (!wp_stack_cache_began(memo, ip, sp, process))
		memo = wp_stack_cache_find(&m->memos, ip, sp, process);
	return memo && wp_stack_cache_may_hold(&m->memos, memo, m->changes, m->epoch, fp) &&
			       wp_stack_cache_words_hold(&m->memos, memo,
							 stack_cache_model_is, m, sp) ?
		       memo :
		       NULL;
}

static inline u64 stack_cache_model_set_of(const struct memo_stack *s)
{
	return wp_stack_cache_set_of(wp_stack_cache_hash(s->ip, s->sp, s->process));
}

static inline struct memo_stack *stack_cache_model_find(struct memo_model *m,
							const struct memo_stack *like)
{
	struct memo_stack *s;

	for (s = m->stack; s < m->stack + m->nr; s++) {
		if (s->ip == like->ip && s->sp == like->sp && s->process == like->process)
			return s;
	}
	return NULL;
}

static inline void stack_cache_model_forget(struct memo_model *m, struct memo_stack *s)
{
	m->nr--;
	memmove(s, s + 1, (char *)(m->stack + m->nr) - (char *)s);
}

/* Whether all of its words are in the ring. */
static inline bool stack_cache_model_is_there(const struct memo_model *m,
					      const struct memo_stack *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (m->owner[s->first + i] != s->serial)
			return false;
	}
	return true;
}

/* Whether they, and the frame pointer, are as when it was walked. */
static inline bool stack_cache_model_is_same(const struct memo_model *m,
					     const struct memo_stack *s, u64 fp)
{
	const u8 *memory = m->memory + (s->sp - MEMO_STACK) / 8;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (memory[i * s->step] != s->word[i])
			return false;
	}
	return !s->by_fp || s->fp == fp;
}

/* The walk of @s, whose last one is @old, or NULL. Whether it notes where it may. */
static inline bool stack_cache_model_walk(struct memo_model *m, struct memo_stack *s,
					  struct memo_stack *old, const struct memo_visit *v)
{
	bool keeps = v->spoilt == MEMO_GOOD && v->nr <= WP_STACK_CACHE_WORDS;
	struct wp_stack_cache_notes notes;
	struct memo_stack *other;
	unsigned int i, ways = 0;
	u64 value;

	wp_stack_cache_begin(&notes, &m->memos,
			     wp_stack_cache_find(&m->memos, s->ip, s->sp, s->process),
			     s->ip, s->sp, s->fp, s->process);
	if (old)
		stack_cache_model_forget(m, old);
	if (m->next + WP_STACK_CACHE_WORDS > WP_STACK_CACHE_RING)
		m->next = 0;
	if (notes.next != m->next)
		return false;
	memset(m->owner + m->next, 0, WP_STACK_CACHE_WORDS * sizeof(*m->owner));

	for (i = 0; i < v->nr; i++) {
		u64 addr = s->sp + 8ULL * (i % WP_STACK_CACHE_WORDS) * s->step;

		if (!stack_cache_model_read(m, addr, &value)) {
			wp_stack_cache_note_fault(&notes);
			keeps = false;
			break;
		}
		wp_stack_cache_note(&notes, addr, value);
		if (i < WP_STACK_CACHE_WORDS)
			s->word[i] = value;
	}
	if (s->by_fp)
		wp_stack_cache_note_reg(&notes, true);
	if (v->spoilt == MEMO_FAULT)
		wp_stack_cache_note_fault(&notes);
	if (v->spoilt == MEMO_REG)
		wp_stack_cache_note_reg(&notes, false);
	s->id = v->spoilt == MEMO_NO_ID ? 0 : ++m->serial;
	s->serial = m->serial;
	wp_stack_cache_keep(&notes, s->generation, s->changes, s->epoch, s->id, s->why, v->ip);

	/* Even what is not kept takes the place of another. */
	for (other = m->stack; other < m->stack + m->nr; other++)
		ways += stack_cache_model_set_of(other) == stack_cache_model_set_of(s);
	for (other = m->stack; ways == WP_STACK_CACHE_WAYS && other < m->stack + m->nr; other++) {
		if (stack_cache_model_set_of(other) == stack_cache_model_set_of(s)) {
			stack_cache_model_forget(m, other);
			m->evicted++;
			break;
		}
	}
	if (!keeps)
		return true;
	s->first = m->next;
	s->nr = v->nr;
	for (i = 0; i < s->nr; i++)
		m->owner[m->next + i] = s->serial;
	m->next += (s->nr + 1) & ~1;
	m->stack[m->nr++] = *s;
	return true;
}

/*
 * A thread leaves its CPU: the stack is remembered, both ways, or it is walked.
 * @v: with a word at least. Whether the memo did as the reference does.
 */
static inline bool stack_cache_model_visit(struct memo_model *m, const struct memo_visit *v)
{
	struct memo_stack now = {
		.ip = 0x400000 + v->ip, .sp = MEMO_STACK + 8 * v->sp,
		.process = 0xffff888012340000ULL + v->process * 0x440, .fp = v->fp,
		.changes = m->changes, .generation = m->generation[v->process],
		.epoch = m->epoch, .step = v->step, .by_fp = v->by_fp, .why = v->fp,
	};
	struct memo_stack *old = stack_cache_model_find(m, &now);
	bool there = old && stack_cache_model_is_there(m, old), same, held;
	const struct wp_cached_stack *again;
	struct wp_cached_stack *memo;

	m->overwritten += old && !there;
	same = there && old->epoch == m->epoch && stack_cache_model_is_same(m, old, v->fp);
	again = stack_cache_model_again(m, now.ip, now.sp, now.process, v->fp);
	if (!!again != (same && old->changes == m->changes))
		return false;
	memo = wp_stack_cache_find(&m->memos, now.ip, now.sp, now.process);
	held = memo && wp_stack_cache_holds(&m->memos, memo, stack_cache_model_is, m,
					    now.generation, m->epoch, v->fp);
	if (held != (same && old->generation == now.generation) || (again && again != memo))
		return false;
	m->held += held;
	m->tied += held && !again;
	if (!held)
		return stack_cache_model_walk(m, &now, old, v);
	wp_stack_cache_tie(memo, m->changes);
	old->changes = m->changes;
	return memo->id == old->id && memo->why == old->why && memo->flags == v->ip;
}

/* Memory is written to, or, with 0, goes. */
static inline void stack_cache_model_write(struct memo_model *m, unsigned int at, u8 value)
{
	m->memory[at % MEMO_MEMORY] = value;
}

/* The mappings of a process change, or of one that the memo does not know. */
static inline void stack_cache_model_map(struct memo_model *m, unsigned int process)
{
	m->changes++;
	if (process < MEMO_PROCESSES)
		m->generation[process] = m->changes + MEMO_PROCESSES;
}

#endif /* WALLPROF_KUNIT_MEMO_MODEL_H */
