/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Our unwinder, on a process that is stopped: its mappings, their tables, and
 * module/unwind_cfi.h with memory from /proc/PID/mem.
 */
#ifndef ORACLE_OURS_H
#define ORACLE_OURS_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

#include "unwind_cfi.h"

/* What was counted over all walks of all processes. */
struct ours_counts {
	u64 frames, by_fp, walks, slow, reads;
	u64 kinds[WALLPROF_RULE_MAX], no_table;
};

struct ours;

struct ours *ours_new(pid_t pid);
void ours_free(struct ours *o);
bool ours_refresh(struct ours *o);
unsigned int ours_unwind(struct ours *o, const struct user_regs_struct *regs, u64 *ips,
			 unsigned int max, struct wp_cfi_told *told);
const struct ours_counts *ours_counts(void);
bool ours_read(const struct ours *o, u64 addr, void *to, size_t size);
bool ours_is_code(const struct ours *o, u64 addr);
const char *ours_name(const struct ours *o, u64 ip, u64 *addr);
const struct wallprof_rule *ours_rule(const struct ours *o, u64 pc);

#endif /* ORACLE_OURS_H */
