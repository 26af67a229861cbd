/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User memory, registers and mappings, the callbacks of wp_unwind_cfi() for them, and a
 * reference of the walk. Used by cfi.c and by the fuzzer.
 *
 * The reader allows what the walk guarantees, and notes reads beyond that. The reference
 * keeps all frames and finds a register by going back through them; it has no fast and no
 * slow form.
 */
#ifndef UNIT_CFI_MODEL_H
#define UNIT_CFI_MODEL_H

#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/unwind_cfi.h"

struct cfi_user {
	const u8 *bytes;
	u64 base, size;		/* user addresses of what is mapped */
	u64 limit;
	u64 regs[WP_CFI_REGS];
	u64 ip;
	struct wp_maps maps;
	struct wp_step_cache *steps;	/* walk with them, too; or NULL */
	bool no_fp;		/* follow no frame pointers without a table */
	const struct wp_cfi_arch *arch;
	unsigned int reads;
	bool broken;		/* a guarantee was broken */
};

static inline u64 cfi_reg(const void *ctx, unsigned int reg)
{
	return ((const struct cfi_user *)ctx)->regs[reg];
}

static inline bool cfi_peek(const struct cfi_user *u, u64 addr, u64 *value)
{
	if (addr < u->base || addr - u->base >= u->size || u->size - (addr - u->base) < 8)
		return false;
	memcpy(value, u->bytes + (addr - u->base), 8);
	return true;
}

static inline bool cfi_read(void *ctx, u64 addr, u64 *value)
{
	struct cfi_user *u = ctx;

	u->reads++;
	u->broken |= addr & 7 || addr > u->limit - 8;
	return cfi_peek(u, addr, value);
}

/* Whether a word has a value, for the stack cache. */
static inline bool cfi_is(void *ctx, u64 addr, u64 word)
{
	u64 value;

	return cfi_read(ctx, addr, &value) && value == word;
}

/* Strips addresses, as on a machine that signs them in the upper bits. */
static inline u64 cfi_strip(u64 ip)
{
	return ip & ~(0x7fULL << 56);
}

static const struct wp_cfi_ops cfi_ops_x86_64 = {
	.arch = &wp_cfi_x86_64, .reg = cfi_reg, .read = cfi_read, .strip = cfi_strip,
};

static const struct wp_cfi_ops cfi_ops_arm64 = {
	.arch = &wp_cfi_arm64, .reg = cfi_reg, .read = cfi_read, .strip = cfi_strip,
};

static inline unsigned int cfi_walk_once(struct cfi_user *u, struct wp_step_cache *steps,
					 u64 *ips, unsigned int max,
					 struct wp_cfi_result *result)
{
	struct wp_cfi_code code = { .maps = &u->maps, .steps = steps, .by_fp = !u->no_fp };

	u->reads = 0;
	if (u->arch->machine == EM_AARCH64)
		return wp_unwind_cfi(&cfi_ops_arm64, u, &code, u->ip, u->regs[u->arch->sp],
				     u->limit, ips, max, result);
	return wp_unwind_cfi(&cfi_ops_x86_64, u, &code, u->ip, u->regs[u->arch->sp], u->limit,
			     ips, max, result);
}

/* Whether a word of the last frame may have been read twice, as the frame is wrong. */
static inline bool cfi_may_repeat(u8 stop)
{
	return stop == WALLPROF_UNWIND_FAULT || stop == WALLPROF_UNWIND_MISALIGNED ||
	       stop == WALLPROF_UNWIND_NOT_RISING;
}

/* Walks again, with a step cache, which must not be seen. @reads: without it. */
static inline bool cfi_walks_alike(struct cfi_user *u, const u64 *ips, unsigned int nr,
				   unsigned int max, const struct wp_cfi_result *result,
				   unsigned int reads)
{
	static u64 again[WALLPROF_MAX_STACK];
	struct wp_cfi_result now;

	return cfi_walk_once(u, u->steps, again, max, &now) == nr &&
	       !memcmp(again, ips, nr * sizeof(*ips)) && now.stop == result->stop &&
	       now.by_fp == result->by_fp && now.slow == result->slow &&
	       (u->reads == reads || cfi_may_repeat(now.stop));
}

static inline unsigned int cfi_walk(struct cfi_user *u, u64 *ips, unsigned int max,
				    struct wp_cfi_result *result)
{
	static u64 generation;
	unsigned int nr, reads;

	u->broken = false;
	nr = cfi_walk_once(u, NULL, ips, max, result);
	reads = u->reads;
	if (u->steps) {
		/* The second time all steps are there, but those that replaced each other. */
		u->maps.generation = ++generation;
		u->broken |= !cfi_walks_alike(u, ips, nr, max, result, reads);
		u->broken |= !cfi_walks_alike(u, ips, nr, max, result, reads);
	}
	u->reads = reads;
	return nr;
}

/* The reference: a frame, and how its caller was found. */
struct model_frame {
	u64 ip, sp, cfa, fp, signal;
	bool exact, inner, by_fp;
	enum model_how { BY_RULE, BY_SIGNAL, BY_FP } how;
	const struct wallprof_rule *rule;
	const struct wp_table *table;
};

static inline u8 model_word(const struct cfi_user *u, u64 addr, u64 *value)
{
	if (addr % 8)
		return WALLPROF_UNWIND_MISALIGNED;
	if (addr > u->limit - 8 || !cfi_peek(u, addr, value))
		return WALLPROF_UNWIND_FAULT;
	return WP_CFI_ON;
}

/* Where frame @callee has saved its caller's register @reg. */
static inline int model_saved(const struct cfi_user *u, const struct model_frame *callee,
			      unsigned int reg, u64 *addr)
{
	const struct wallprof_rule *r = callee->rule;
	const struct wallprof_save *save, *found = NULL;

	if (callee->how == BY_FP) {
		*addr = callee->fp;
		return reg == u->arch->fp ? WALLPROF_SAVE_CFA : WALLPROF_SAVE_LOST;
	}
	if (reg == u->arch->fp) {
		*addr = (r->flags & WALLPROF_RULE_FP_FP ? callee->fp : callee->cfa) +
			r->fp * 8LL;
		return r->flags & WALLPROF_RULE_FP_SAVED ? WALLPROF_SAVE_CFA :
		       r->flags & WALLPROF_RULE_FP_LOST ? WALLPROF_SAVE_LOST :
		       WALLPROF_SAVE_END;
	}
	for (save = &callee->table->saves[r->saves]; save->how != WALLPROF_SAVE_END; save++) {
		if (save->reg == reg)
			found = save;
	}
	if (!found)
		return WALLPROF_SAVE_END;
	*addr = (found->how == WALLPROF_SAVE_FP ? callee->fp : callee->cfa) +
		found->off * 8LL;
	return found->how;
}

/* Register @reg in frame @n. */
static inline u8 model_reg(const struct cfi_user *u, const struct model_frame *f,
			   unsigned int n, unsigned int reg, u64 *value)
{
	const struct wp_cfi_arch *arch = u->arch;
	u64 addr = 0;
	int how;

	if (reg == arch->sp) {
		*value = f[n].sp;
		return WP_CFI_ON;
	}
	if (!f[n].inner && reg != arch->fp && !(arch->saved >> reg & 1))
		return WALLPROF_UNWIND_NO_REG;
	while (!f[n].inner) {
		how = model_saved(u, &f[--n], reg, &addr);
		if (how == WALLPROF_SAVE_LOST)
			return WALLPROF_UNWIND_NO_REG;
		/* Marks of the walk; nothing is saved there. */
		if (how != WALLPROF_SAVE_END && addr == 1)
			return WALLPROF_UNWIND_NO_REG;
		if (how != WALLPROF_SAVE_END && addr)
			return model_word(u, addr, value);
		if (how != WALLPROF_SAVE_END) {
			while (!f[n].inner)
				n--;
		}
	}
	if (f[n].signal)
		return model_word(u, f[n].signal + arch->signal[reg], value);
	*value = u->regs[reg];
	return WP_CFI_ON;
}

static inline u8 model_enter(const struct cfi_user *u, struct model_frame *to, u64 ip, u64 sp)
{
	ip = cfi_strip(ip);
	to->ip = ip;
	to->sp = sp;
	return !ip ? WALLPROF_UNWIND_END : ip >= u->limit ? WALLPROF_UNWIND_BAD_IP : WP_CFI_ON;
}

static inline const struct wp_map *model_map(const struct cfi_user *u, u64 addr)
{
	u32 i;

	for (i = 0; i < u->maps.nr; i++) {
		if (addr >= u->maps.map[i].start && addr < u->maps.map[i].end)
			return &u->maps.map[i];
	}
	return NULL;
}

static inline const struct wallprof_rule *model_rule(const struct wp_table *t, u64 pc)
{
	u64 page = (pc - t->base) / (1 << WALLPROF_TABLE_SHIFT);
	const struct wallprof_rule *rule = NULL;
	u32 i;

	if (page >= t->nr_pages)
		return NULL;
	for (i = t->pages[page]; i < t->pages[page + 1]; i++) {
		if (t->rows[i].pc <= pc % (1 << WALLPROF_TABLE_SHIFT))
			rule = &t->rules[t->rows[i].rule];
	}
	return rule;
}

static inline u8 model_by_fp(const struct cfi_user *u, struct model_frame *f,
			     unsigned int n, u8 stop)
{
	u64 ip;

	if (u->no_fp || model_reg(u, f, n, u->arch->fp, &f[n].fp) != WP_CFI_ON)
		return stop;
	if (!f[n].fp && f[n].by_fp)
		return WALLPROF_UNWIND_END;
	if (f[n].fp < f[n].sp || f[n].fp > u->limit - 16 ||
	    model_word(u, f[n].fp + 8, &ip) != WP_CFI_ON)
		return stop;
	ip = cfi_strip(ip);
	if (!ip)
		return f[n].by_fp ? WALLPROF_UNWIND_END : stop;
	if (ip >= u->limit || !model_map(u, ip - 1))
		return stop;
	f[n].how = BY_FP;
	f[n + 1] = (struct model_frame){ .ip = ip, .sp = f[n].fp + 16, .by_fp = true };
	return WP_CFI_ON;
}

/* The words of a stack that was walked, and the room for them. */
struct model_words {
	u64 *word;
	unsigned int nr, max;
};

/* The word of frame @f that its rule has in the stack. */
static inline u8 model_add_word(const struct cfi_user *u, const struct model_frame *f,
				const struct wallprof_rule *r, struct model_words *words)
{
	u64 value;

	if (f->fp - 8ULL * r->index < f->sp ||
	    model_word(u, f->fp - 8ULL * r->index, &value) != WP_CFI_ON || value >> 56)
		value = 0;
	words->word[words->nr++] = 6ULL << 61 | value;
	return words->nr < words->max ? WP_CFI_ON : WALLPROF_UNWIND_DEPTH;
}

static inline u8 model_by_rule(const struct cfi_user *u, struct model_frame *f,
			       unsigned int n, const struct wallprof_rule *r,
			       struct model_words *words)
{
	u64 addr, value, ip;
	u8 stop = WP_CFI_ON;

	if (r->flags & (WALLPROF_RULE_FP_FP | WALLPROF_RULE_RA_FP | WALLPROF_RULE_WORD))
		stop = model_reg(u, f, n, u->arch->fp, &f[n].fp);
	if (stop == WP_CFI_ON && r->flags & WALLPROF_RULE_WORD)
		stop = model_add_word(u, &f[n], r, words);
	if (stop != WP_CFI_ON)
		return stop;
	if (r->kind == WALLPROF_RULE_PLT) {
		f[n].cfa = f[n].sp + 8 + (f[n].ip % 16 >= (u64)r->add ? 8 : 0);
	} else {
		stop = model_reg(u, f, n, r->reg, &addr);
		f[n].cfa = addr += r->off;
		if (stop == WP_CFI_ON && !(r->flags & WALLPROF_RULE_WORD) &&
		    r->index != WALLPROF_RULE_NO_INDEX) {
			stop = model_reg(u, f, n, WALLPROF_RULE_INDEX_REG(r->index), &value);
			addr += value << WALLPROF_RULE_INDEX_SCALE(r->index);
		}
		if (stop == WP_CFI_ON && r->kind == WALLPROF_RULE_DEREF) {
			stop = model_word(u, addr, &value);
			f[n].cfa = value + r->add;
		}
	}
	if (stop != WP_CFI_ON)
		return stop;
	if (f[n].cfa % 8)
		return WALLPROF_UNWIND_MISALIGNED;
	if (f[n].cfa < f[n].sp ||
	    (f[n].cfa == f[n].sp && !(r->flags & WALLPROF_RULE_RA_REG && f[n].inner)))
		return WALLPROF_UNWIND_NOT_RISING;
	if (r->kind == WALLPROF_RULE_PLT)
		stop = model_word(u, f[n].cfa - 8, &ip);
	else if (r->flags & WALLPROF_RULE_RA_REG)
		stop = model_reg(u, f, n, r->ra, &ip);
	else
		stop = model_word(u, (r->flags & WALLPROF_RULE_RA_FP ? f[n].fp : f[n].cfa) +
				  r->ra * 8LL, &ip);
	if (stop != WP_CFI_ON)
		return stop;
	f[n].how = BY_RULE;
	f[n + 1] = (struct model_frame){ .exact = r->flags & WALLPROF_RULE_EXACT };
	return model_enter(u, &f[n + 1], ip, f[n].cfa);
}

static inline u8 model_step(const struct cfi_user *u, struct model_frame *f, unsigned int n,
			    struct model_words *words)
{
	u64 pc = f[n].ip - !f[n].exact, ip, sp;
	const struct wp_map *map = model_map(u, pc);
	const struct wallprof_rule *r;
	u8 stop;

	if (!map || !map->table)
		return model_by_fp(u, f, n, WALLPROF_UNWIND_NO_TABLE);
	f[n].table = map->table;
	r = model_rule(map->table, pc - map->bias);
	f[n].rule = r;
	if (!r || r->kind == WALLPROF_RULE_NONE)
		return model_by_fp(u, f, n, WALLPROF_UNWIND_NO_ROW);
	if (r->kind == WALLPROF_RULE_UNSUPPORTED)
		return model_by_fp(u, f, n, WALLPROF_UNWIND_UNSUPPORTED);
	if (r->kind == WALLPROF_RULE_END)
		return WALLPROF_UNWIND_END;
	if (r->kind != WALLPROF_RULE_SIGNAL)
		return model_by_rule(u, f, n, r, words);
	f[n].how = BY_SIGNAL;
	stop = model_word(u, f[n].sp + u->arch->signal_ip, &ip);
	if (stop == WP_CFI_ON)
		stop = model_word(u, f[n].sp + u->arch->signal[u->arch->sp], &sp);
	if (stop != WP_CFI_ON)
		return stop;
	f[n + 1] = (struct model_frame){ .exact = true, .inner = true, .signal = f[n].sp };
	return model_enter(u, &f[n + 1], ip, sp);
}

static inline unsigned int cfi_model(const struct cfi_user *u, u64 *ips, unsigned int max,
				     struct wp_cfi_result *result)
{
	static struct model_frame f[WALLPROF_MAX_STACK + 1];
	struct model_words words = { .word = ips, .nr = 1, .max = max };
	unsigned int n;
	u8 stop;

	f[0] = (struct model_frame){
		.ip = u->ip, .sp = u->regs[u->arch->sp], .exact = true, .inner = true,
	};
	*result = (struct wp_cfi_result){ .stop = WALLPROF_UNWIND_DEPTH };
	ips[0] = u->ip;
	for (n = 0; words.nr < max; n++) {
		stop = model_step(u, f, n, &words);
		if (stop != WP_CFI_ON) {
			result->stop = stop;
			break;
		}
		result->by_fp += f[n + 1].by_fp;
		ips[words.nr++] = f[n + 1].ip;
	}
	return words.nr;
}

#endif /* UNIT_CFI_MODEL_H */
