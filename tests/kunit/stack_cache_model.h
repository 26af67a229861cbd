/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reference of the stack cache: it keeps every stack whole and knows the stack of each
 * word of the ring. It has no tags, no positions, and no way that is tried first. Used by
 * stack_cache.c and by the fuzzer.
 *
 * Stacks are not walked here: the words of a walk are made up. They overlap in one piece
 * of memory, so that a word decides several.
 */
#ifndef WALLPROF_KUNIT_STACK_CACHE_MODEL_H
#define WALLPROF_KUNIT_STACK_CACHE_MODEL_H

#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/stack_cache.h"

#define STACK_CACHE_PROCESSES	3
#define STACK_CACHE_IPS	16
#define STACK_CACHE_SPS	64
#define STACK_CACHE_MEMORY	(STACK_CACHE_SPS + 3 * WP_STACK_CACHE_WORDS)	/* words */
#define STACK_CACHE_STACK	0x7ffd00000000ULL

/* A stack that was walked. */
struct stack_cache_entry {
	u64 ip, sp, process, fp, changes, generation, id;
	u32 epoch, serial, first;
	u16 nr;
	u8 step, by_fp, stop;
	u8 word[WP_STACK_CACHE_WORDS];
};

/* A stack with which a thread leaves its CPU. */
struct stack_cache_visit {
	u8 process, ip, sp, fp;
	u8 nr;		/* words, as many as WP_STACK_CACHE_WORDS or more */
	u8 step;	/* they lie 1 to 3 words apart */
	bool by_fp;
	enum { STACK_CACHE_GOOD, STACK_CACHE_FAULT, STACK_CACHE_REG, STACK_CACHE_NO_ID } spoilt;
};

/**
 * struct stack_cache_model - a stack cache, and the reference
 * @cache: the cache under test
 * @stack: the stacks by when they were walked; all are cached if nothing changes
 * @nr: of these
 * @owner: the stack of each word of the ring
 * @next: where in the ring the next words begin
 * @serial: number of walks
 * @memory: the words; 0: cannot be read
 * @held: number of times that a stack was found in the cache
 * @tied: number of these that looked the mappings up
 * @evicted: stacks that another one of their set replaced
 * @overwritten: stacks whose words were overwritten when they came again
 */
struct stack_cache_model {
	struct wp_stack_cache cache;
	struct stack_cache_entry stack[WP_STACK_CACHE_SETS * WP_STACK_CACHE_WAYS];
	unsigned int nr;
	u32 owner[WP_STACK_CACHE_RING];
	u32 next, serial, epoch;
	u64 changes, generation[STACK_CACHE_PROCESSES];
	u8 memory[STACK_CACHE_MEMORY];
	unsigned int held, tied, evicted, overwritten;
};

static inline void stack_cache_model_set(struct stack_cache_model *m)
{
	unsigned int i;

	wp_stack_cache_init(&m->cache);
	m->epoch = 1;
	m->changes = 1;
	for (i = 0; i < STACK_CACHE_PROCESSES; i++)
		m->generation[i] = i + 1;
	memset(m->memory, 1, sizeof(m->memory));
}

static inline bool stack_cache_model_read(void *ctx, u64 addr, u64 *value)
{
	const struct stack_cache_model *m = ctx;

	*value = m->memory[(addr - STACK_CACHE_STACK) / 8];
	return *value;
}

static inline bool stack_cache_model_is(void *ctx, u64 addr, u64 word)
{
	u64 value;

	return stack_cache_model_read(ctx, addr, &value) && value == word;
}

/* The fast path of the sched_switch probe. */
static inline const struct wp_cached_stack *
stack_cache_model_again(struct stack_cache_model *m, u64 ip, u64 sp, u64 process, u64 fp)
{
	const struct wp_cached_stack *cached = wp_stack_cache_last(&m->cache, ip, sp, process);

	if (!wp_stack_cache_began(cached, ip, sp, process))
		cached = wp_stack_cache_find(&m->cache, ip, sp, process);
	return cached && wp_stack_cache_may_hold(&m->cache, cached, m->changes, m->epoch, fp) &&
			       wp_stack_cache_words_hold(&m->cache, cached,
							 stack_cache_model_is, m, sp) ?
		       cached :
		       NULL;
}

static inline u64 stack_cache_model_set_of(const struct stack_cache_entry *s)
{
	return wp_stack_cache_set_of(wp_stack_cache_hash(s->ip, s->sp, s->process));
}

static inline struct stack_cache_entry *stack_cache_model_find(struct stack_cache_model *m,
							       const struct stack_cache_entry *like)
{
	struct stack_cache_entry *s;

	for (s = m->stack; s < m->stack + m->nr; s++) {
		if (s->ip == like->ip && s->sp == like->sp && s->process == like->process)
			return s;
	}
	return NULL;
}

static inline void stack_cache_model_forget(struct stack_cache_model *m,
					    struct stack_cache_entry *s)
{
	m->nr--;
	memmove(s, s + 1, (char *)(m->stack + m->nr) - (char *)s);
}

/* Whether all of its words are in the ring. */
static inline bool stack_cache_model_is_there(const struct stack_cache_model *m,
					      const struct stack_cache_entry *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (m->owner[s->first + i] != s->serial)
			return false;
	}
	return true;
}

/* Whether they, and the frame pointer, are the same as in the walk. */
static inline bool stack_cache_model_is_same(const struct stack_cache_model *m,
					     const struct stack_cache_entry *s, u64 fp)
{
	const u8 *memory = m->memory + (s->sp - STACK_CACHE_STACK) / 8;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (memory[i * s->step] != s->word[i])
			return false;
	}
	return !s->by_fp || s->fp == fp;
}

/* Walks @s, last walked as @old, or NULL. Returns whether it notes where it may. */
static inline bool stack_cache_model_walk(struct stack_cache_model *m, struct stack_cache_entry *s,
					  struct stack_cache_entry *old,
					  const struct stack_cache_visit *v)
{
	bool keeps = v->spoilt == STACK_CACHE_GOOD && v->nr <= WP_STACK_CACHE_WORDS;
	struct wp_stack_cache_notes notes;
	struct stack_cache_entry *other;
	unsigned int i, ways = 0;
	u64 value;

	wp_stack_cache_begin(&notes, &m->cache,
			     wp_stack_cache_find(&m->cache, s->ip, s->sp, s->process),
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
	if (v->spoilt == STACK_CACHE_FAULT)
		wp_stack_cache_note_fault(&notes);
	if (v->spoilt == STACK_CACHE_REG)
		wp_stack_cache_note_reg(&notes, false);
	s->id = v->spoilt == STACK_CACHE_NO_ID ? 0 : ++m->serial;
	s->serial = m->serial;
	wp_stack_cache_keep(&notes, s->generation, s->changes, s->epoch, s->id, s->stop, v->ip);

	/* Even a stack that is not kept replaces another one. */
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
 * A thread leaves its CPU: the stack is found in the cache, by both paths, or is walked.
 * @v: with a word at least. Returns whether the cache did as the reference does.
 */
static inline bool stack_cache_model_visit(struct stack_cache_model *m,
					   const struct stack_cache_visit *v)
{
	struct stack_cache_entry now = {
		.ip = 0x400000 + v->ip, .sp = STACK_CACHE_STACK + 8 * v->sp,
		.process = 0xffff888012340000ULL + v->process * 0x440, .fp = v->fp,
		.changes = m->changes, .generation = m->generation[v->process],
		.epoch = m->epoch, .step = v->step, .by_fp = v->by_fp, .stop = v->fp,
	};
	struct stack_cache_entry *old = stack_cache_model_find(m, &now);
	bool there = old && stack_cache_model_is_there(m, old), same, held;
	const struct wp_cached_stack *again;
	struct wp_cached_stack *cached;

	m->overwritten += old && !there;
	same = there && old->epoch == m->epoch && stack_cache_model_is_same(m, old, v->fp);
	again = stack_cache_model_again(m, now.ip, now.sp, now.process, v->fp);
	if (!!again != (same && old->changes == m->changes))
		return false;
	cached = wp_stack_cache_find(&m->cache, now.ip, now.sp, now.process);
	held = cached && wp_stack_cache_holds(&m->cache, cached, stack_cache_model_is, m,
					      now.generation, m->epoch, v->fp, 0);
	if (held != (same && old->generation == now.generation) || (again && again != cached))
		return false;
	m->held += held;
	m->tied += held && !again;
	if (!held)
		return stack_cache_model_walk(m, &now, old, v);
	wp_stack_cache_tie(cached, m->changes);
	old->changes = m->changes;
	return cached->id == old->id && cached->stop == old->stop && cached->flags == v->ip;
}

/* Writes a word of memory; 0 unmaps it. */
static inline void stack_cache_model_write(struct stack_cache_model *m, unsigned int at, u8 value)
{
	m->memory[at % STACK_CACHE_MEMORY] = value;
}

/* Changes the mappings of a process, or of one that is not in the cache. */
static inline void stack_cache_model_map(struct stack_cache_model *m, unsigned int process)
{
	m->changes++;
	if (process < STACK_CACHE_PROCESSES)
		m->generation[process] = m->changes + STACK_CACHE_PROCESSES;
}

#endif /* WALLPROF_KUNIT_STACK_CACHE_MODEL_H */
