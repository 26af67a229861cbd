/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a thread leaves its CPU, as far as is seen without a look at its memory: what its
 * habits are known by.
 *
 * Each part is read where it is asked for, as most switches are what they cost. A suite
 * that has no threads of the kernel's defines all of this file itself.
 */
#ifndef WALLPROF_SWITCH_KEY_H
#define WALLPROF_SWITCH_KEY_H

#include <linux/bits.h>
#include <linux/types.h>

#include "compat/ptrace.h"
#include "compat/sched.h"
#include "pure/unwind_cfi.h"

/* In &wp_switch_key.state: the thread lost its CPU. No state of the scheduler's. */
#define WP_SWITCH_PREEMPTED	BIT(31)

/**
 * struct wp_switch_key - how a thread leaves its CPU
 * @p: the thread, current
 * @changes: wp_mappings_changes(), of before its stack and the epoch are looked up
 * @state: the scheduler's name of the state, and WP_SWITCH_PREEMPTED
 *
 * Context: irqs off.
 */
struct wp_switch_key {
	struct task_struct *p;
	u64 changes;
	u32 state;
};

/* Where it entered the kernel. */
static __always_inline u64 wp_switch_key_ip(const struct wp_switch_key *how)
{
	return instruction_pointer(task_pt_regs(how->p));
}

/* Its stack pointer there. */
static __always_inline u64 wp_switch_key_sp(const struct wp_switch_key *how)
{
	return user_stack_pointer(task_pt_regs(how->p));
}

/* Its frame pointer there. */
static __always_inline u64 wp_switch_key_fp(const struct wp_switch_key *how)
{
	return wp_regs_dwarf(task_pt_regs(how->p), wp_cfi_here.fp);
}

/* The first argument of the system call that it is in. */
static __always_inline u64 wp_switch_key_arg(const struct wp_switch_key *how)
{
	return wp_syscall_arg_64(task_pt_regs(how->p));
}

/* Number of the system call; below 0 if it is in none. */
static __always_inline int wp_switch_key_nr(const struct wp_switch_key *how)
{
	return syscall_get_nr(how->p, task_pt_regs(how->p));
}

/* Changes with every exec. */
static __always_inline u32 wp_switch_key_exec_id(const struct wp_switch_key *how)
{
	return how->p->self_exec_id;
}

/*
 * Whether more than the others decides what is told of it. Of who has begun to end, or
 * executes a program, the registers are of before.
 *
 * That it is no call of a 32-bit program's has to be known of one time only: code that
 * enters the kernel by an instruction does not do so by another, at the same place.
 */
static __always_inline bool wp_switch_key_is_odd(const struct wp_switch_key *how)
{
	const struct task_struct *p = how->p;

	return p->flags & (WP_PF_NO_USER | PF_EXITING) || p->in_execve || p->in_iowait;
}

#endif /* WALLPROF_SWITCH_KEY_H */
