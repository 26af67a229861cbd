/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats of the scheduler's tracepoints, as kernels have them. Included by tracepoint.c
 * and tracedfile.c.
 */
#ifndef WP_TESTS_UNIT_FORMATS_H
#define WP_TESTS_UNIT_FORMATS_H

#include <linux/types.h>

#include "lib/perfdata/tracepoint.h"

#define HEAD(name, id)	"name: " name "\nID: " id "\nformat:\n"
#define FIELD(declaration, offset, size, is_signed)				\
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size		\
	";\tsigned:" #is_signed ";\n"
#define COMMON									\
	FIELD("unsigned short common_type", 0, 2, 0)				\
	FIELD("unsigned char common_flags", 2, 1, 0)				\
	FIELD("unsigned char common_preempt_count", 3, 1, 0)			\
	FIELD("int common_pid", 4, 4, 1) "\n"
#define PRINT(words)	"\nprint fmt: " words "\n"
#define BITS									\
	"((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | "	\
	"0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)"
#define ABOVE									\
	"(((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | "	\
	"0x00000010 | 0x00000020 | 0x00000040) + 1) << 1)"

/* The same from 5.10 on, but for whether a char has a sign. */
#define SWITCH(id, sign)							\
	HEAD("sched_switch", id) COMMON						\
	FIELD("char prev_comm[16]", 8, 16, sign)				\
	FIELD("pid_t prev_pid", 24, 4, 1)					\
	FIELD("int prev_prio", 28, 4, 1)					\
	FIELD("long prev_state", 32, 8, 1)					\
	FIELD("char next_comm[16]", 40, 16, sign)				\
	FIELD("pid_t next_pid", 56, 4, 1)					\
	FIELD("int next_prio", 60, 4, 1)					\
	PRINT("\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> "	\
	      "next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, "	\
	      "REC->prev_pid, REC->prev_prio, (REC->prev_state & " BITS ") ? "	\
	      "__print_flags(REC->prev_state & " BITS ", \"|\", "		\
	      "{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, "			\
	      "{ 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "			\
	      "{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, "			\
	      "{ 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", "		\
	      "REC->prev_state & " ABOVE " ? \"+\" : \"\", "			\
	      "REC->next_comm, REC->next_pid, REC->next_prio")
#define PRINT_WAKEUP								\
	PRINT("\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, "		\
	      "REC->pid, REC->prio, REC->target_cpu")
#define WAKEUP(name, id, sign)							\
	HEAD(name, id) COMMON							\
	FIELD("char comm[16]", 8, 16, sign)					\
	FIELD("pid_t pid", 24, 4, 1)						\
	FIELD("int prio", 28, 4, 1)						\
	FIELD("int target_cpu", 32, 4, 1)					\
	PRINT_WAKEUP

enum { SWITCHING, WOKEN, WAKEUP_NEW, MIGRATE, RUNTIME, NR };

static const char *const names[NR] = {
	"sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task",
	"sched_stat_runtime",
};

static const char *const linux_6_1[NR] = {
	SWITCH("314", 1), WAKEUP("sched_wakeup", "316", 1), WAKEUP("sched_wakeup_new", "315", 1),
	HEAD("sched_migrate_task", "313") COMMON
	FIELD("char comm[16]", 8, 16, 1)
	FIELD("pid_t pid", 24, 4, 1)
	FIELD("int prio", 28, 4, 1)
	FIELD("int orig_cpu", 32, 4, 1)
	FIELD("int dest_cpu", 36, 4, 1)
	PRINT("\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, "
	      "REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu"),
	HEAD("sched_stat_runtime", "302") COMMON
	FIELD("char comm[16]", 8, 16, 1)
	FIELD("pid_t pid", 24, 4, 1)
	FIELD("u64 runtime", 32, 8, 0)
	FIELD("u64 vruntime", 40, 8, 0)
	PRINT("\"comm=%s pid=%d runtime=%Lu [ns] vruntime=%Lu [ns]\", REC->comm, "
	      "REC->pid, (unsigned long long)REC->runtime, "
	      "(unsigned long long)REC->vruntime"),
};

static const char *const linux_7[NR] = {
	SWITCH("310", 0), WAKEUP("sched_wakeup", "312", 0), WAKEUP("sched_wakeup_new", "311", 0),
	HEAD("sched_migrate_task", "309") COMMON
	FIELD("__data_loc char[] comm", 8, 4, 0)
	FIELD("pid_t pid", 12, 4, 1)
	FIELD("int prio", 16, 4, 1)
	FIELD("int orig_cpu", 20, 4, 1)
	FIELD("int dest_cpu", 24, 4, 1)
	PRINT("\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", "
	      "__get_str(comm), REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu"),
	HEAD("sched_stat_runtime", "297") COMMON
	FIELD("__data_loc char[] comm", 8, 4, 0)
	FIELD("pid_t pid", 12, 4, 1)
	FIELD("u64 runtime", 16, 8, 0)
	PRINT("\"comm=%s pid=%d runtime=%Lu [ns]\", __get_str(comm), REC->pid, "
	      "(unsigned long long)REC->runtime"),
};

static inline void set(const struct wp_tracepoint *tp, const char *field, void *raw, __s64 value)
{
	wp_tracepoint_set(wp_tracepoint_field(tp, field), raw, value);
}

static inline void set_text(const struct wp_tracepoint *tp, const char *field, void *raw,
			    const char *text)
{
	wp_tracepoint_set_text(wp_tracepoint_field(tp, field), raw, text);
}

#endif /* WP_TESTS_UNIT_FORMATS_H */
