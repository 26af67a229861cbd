/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Our unwinder: a process's mappings, their tables, and module/pure/unwind_cfi.h with
 * memory from wherever it is.
 */
#ifndef ORACLE_OURS_H
#define ORACLE_OURS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/user.h>

#include "pure/unwind_cfi.h"

/* What was counted over all walks of all processes. */
struct ours_counts {
	u64 frames, by_fp, walks, slow, reads;
	u64 kinds[WALLPROF_RULE_MAX], no_table;
};

struct ours;

/* Reads memory of the process; whether it could. */
typedef bool ours_read_fn(void *ctx, u64 addr, void *to, size_t size);

struct ours *ours_new(ours_read_fn *read, void *ctx);
struct ours *ours_copy(const struct ours *from, void *ctx);
void ours_free(struct ours *o);
void ours_map(struct ours *o, u64 start, u64 end, u64 offset, const char *name,
	      const char *path);
void ours_unmap_all(struct ours *o);
unsigned int ours_unwind(struct ours *o, const struct user_regs_struct *regs, u64 *ips,
			 unsigned int max, struct wp_cfi_result *result);
const struct ours_counts *ours_counts(void);
bool ours_code(const struct ours *o, u64 addr, void *to, size_t size);
bool ours_follows_call(const struct ours *o, u64 ip);
bool ours_moves_stack(const struct ours *o, u64 pc);
bool ours_is_code(const struct ours *o, u64 addr);
const char *ours_name(const struct ours *o, u64 ip, u64 *addr);
void ours_show(const struct ours *o, const char *whose, const u64 *ips, unsigned int nr);
const struct wallprof_rule *ours_rule(const struct ours *o, u64 pc);

#endif /* ORACLE_OURS_H */
