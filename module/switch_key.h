/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The key of the switch cache: what decides how a thread leaves its CPU, as far as it is
 * found without a read of user memory.
 *
 * Each part is read where it is needed, since most of a switch's cost is here. A test
 * suite without task_struct defines all of this file itself.
 *
 * Context: irqs off.
 */
#ifndef WALLPROF_SWITCH_KEY_H
#define WALLPROF_SWITCH_KEY_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/types.h>

#include "compat/ptrace.h"
#include "compat/sched.h"
#include "pure/unwind_cfi.h"

/* In &wp_switch_key.state: the thread was preempted. The scheduler has no such state. */
#define WP_SWITCH_PREEMPTED	BIT(31)
/*
 * All of it: the thread does not leave, but wakes another one. The scheduler has no such
 * state; the lower bit is for the hash, of which the upper one is no part.
 */
#define WP_SWITCH_WAKES		(BIT(30) | BIT(9))

#define WP_SWITCH_OBJECT_BITS	10	/* of wp_switch_key_object() */

/**
 * struct wp_switch_key - how a thread leaves its CPU
 * @p: the thread, current
 * @changes: wp_mappings_changes(), read before the stack and the epoch are looked up
 * @state: the scheduler's state, and WP_SWITCH_PREEMPTED; or WP_SWITCH_WAKES
 *
 * Context: irqs off.
 */
struct wp_switch_key {
	struct task_struct *p;
	u64 changes;
	u32 state;
};

/* Address at which the thread entered the kernel. */
static __always_inline u64 wp_switch_key_ip(const struct wp_switch_key *skey)
{
	return instruction_pointer(task_pt_regs(skey->p));
}

/* Its user stack pointer there. */
static __always_inline u64 wp_switch_key_sp(const struct wp_switch_key *skey)
{
	return user_stack_pointer(task_pt_regs(skey->p));
}

/* Its user frame pointer there. */
static __always_inline u64 wp_switch_key_fp(const struct wp_switch_key *skey)
{
	return wp_regs_dwarf(task_pt_regs(skey->p), wp_cfi_here.fp);
}

/* The first argument of the system call that it is in. */
static __always_inline u64 wp_switch_key_arg(const struct wp_switch_key *skey)
{
	return wp_syscall_arg_64(task_pt_regs(skey->p));
}

/* Number of the system call; negative outside of one. */
static __always_inline int wp_switch_key_nr(const struct wp_switch_key *skey)
{
	return syscall_get_nr(skey->p, task_pt_regs(skey->p));
}

/*
 * Distinguishes the objects that threads wait for at one place, for the hash; or 0. Only
 * a futex's word is hashed: a thread that waits for a condition variable of glibc uses two
 * in turn. The address of a buffer would spread over the table what never repeats.
 */
static __always_inline u32 wp_switch_key_object(const struct wp_switch_key *skey)
{
	if (wp_switch_key_nr(skey) != __NR_futex)
		return 0;
	return hash_32((u32)wp_switch_key_arg(skey), WP_SWITCH_OBJECT_BITS);
}

/* Changes with every exec. */
static __always_inline u32 wp_switch_key_exec_id(const struct wp_switch_key *skey)
{
	return wp_task_exec_id(skey->p);
}

/*
 * Whether something else than the key decides the record. The registers of a thread that
 * has begun to exit, or that executes a program, are of before.
 *
 * Whether the call is a 32-bit program's needs one check, when an entry is learned: code
 * that enters the kernel by one instruction does not use another at the same place.
 */
static __always_inline bool wp_switch_key_is_uncacheable(const struct wp_switch_key *skey)
{
	const struct task_struct *p = skey->p;

	return p->flags & (WP_PF_NO_USER | PF_EXITING) || p->in_execve || p->in_iowait;
}

#endif /* WALLPROF_SWITCH_KEY_H */
