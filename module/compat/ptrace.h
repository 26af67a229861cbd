/* SPDX-License-Identifier: GPL-2.0 */
/* asm/ptrace.h: a task's user registers, by architecture. */
#ifndef WALLPROF_COMPAT_PTRACE_H
#define WALLPROF_COMPAT_PTRACE_H

#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "features.h"

#if defined(CONFIG_X86_64)
#include <asm/hwcap2.h>
#ifdef HWCAP2_FSGSBASE	/* 5.9: user code may set it without a call */
#include <asm/cpufeature.h>
#include <asm/fsgsbase.h>
#endif

static inline bool wp_regs_64bit(struct pt_regs *regs)
{
	return user_64bit_mode(regs);
}

/* The value of a register of a 64-bit task, by its DWARF number. */
static __always_inline u64 wp_regs_dwarf(const struct pt_regs *regs, unsigned int nr)
{
	static const u8 offset[16] = {
		offsetof(struct pt_regs, ax), offsetof(struct pt_regs, dx),
		offsetof(struct pt_regs, cx), offsetof(struct pt_regs, bx),
		offsetof(struct pt_regs, si), offsetof(struct pt_regs, di),
		offsetof(struct pt_regs, bp), offsetof(struct pt_regs, sp),
		offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
		offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
		offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
	};

	return *(const unsigned long *)((const char *)regs + offset[nr & 15]);
}

/* Whether current is in a system call of the 32-bit table. 64-bit code may be. */
static __always_inline bool wp_in_syscall_32(struct task_struct *p)
{
#if defined(WP_HAS_SYSCALL_GET_ARCH_TASK)
	return syscall_get_arch(p) == AUDIT_ARCH_I386;
#elif defined(CONFIG_IA32_EMULATION)
	return task_thread_info(p)->status & TS_COMPAT;
#else
	return false;
#endif
}

/* The first argument of a system call of the 64-bit table. */
static __always_inline u64 wp_syscall_arg_64(const struct pt_regs *regs)
{
	return regs->di;
}

/* The first argument of the system call that current is in. */
static __always_inline u64 wp_syscall_arg(struct task_struct *p, struct pt_regs *regs)
{
	return unlikely(wp_in_syscall_32(p)) ? (u32)regs->bx : wp_syscall_arg_64(regs);
}

/* The two after it, of a thread that is off its CPU. */
static inline void wp_syscall_more_args(struct task_struct *p, const struct pt_regs *regs,
					u64 more[2])
{
	bool narrow = wp_in_syscall_32(p);

	more[0] = narrow ? (u32)regs->cx : regs->si;
	more[1] = narrow ? (u32)regs->dx : regs->dx;
}

/* The fourth, of a thread that is off its CPU, in a system call of the 64-bit table. */
static inline u64 wp_syscall_arg4_64(const struct pt_regs *regs)
{
	return regs->r10;
}

/*
 * The thread pointer of current, a 64-bit thread with user memory. Any context; in the
 * middle of a switch it may be the next thread's already.
 */
static inline u64 wp_thread_pointer(void)
{
#ifdef HWCAP2_FSGSBASE
	if (boot_cpu_has(X86_FEATURE_FSGSBASE))
		return rdfsbase();
#endif
	return current->thread.fsbase;
}

/* The thread pointer of such a thread when it last left its CPU, or was set by a call. */
static inline u64 wp_thread_pointer_saved(const struct task_struct *p)
{
	return p->thread.fsbase;
}

#define wp_regs_fp(regs)	((regs)->bp)
#define wp_strip_fp(fp)		(fp)
#define wp_cfi_here		wp_cfi_x86_64
#define wp_strip_ip(ip)		(ip)
#define WP_HAS_APCS_FRAMES	0
#elif defined(CONFIG_ARM64)
#include <asm/sysreg.h>
#ifdef WP_HAS_POINTER_AUTH
#include <asm/pointer_auth.h>
#endif

static inline bool wp_regs_64bit(struct pt_regs *regs)
{
	return !compat_user_mode(regs);
}

/* Whether current is in a system call of the 32-bit table. */
static __always_inline bool wp_in_syscall_32(struct task_struct *p)
{
	return compat_user_mode(task_pt_regs(p));
}

/* The first argument of a system call of the 64-bit table. */
static __always_inline u64 wp_syscall_arg_64(const struct pt_regs *regs)
{
	return regs->orig_x0;
}

/* The first argument of the system call that current is in. */
static __always_inline u64 wp_syscall_arg(struct task_struct *p, struct pt_regs *regs)
{
	return wp_in_syscall_32(p) ? (u32)regs->orig_x0 : wp_syscall_arg_64(regs);
}

/* The two after it, of a thread that is off its CPU. */
static inline void wp_syscall_more_args(struct task_struct *p, const struct pt_regs *regs,
					u64 more[2])
{
	bool narrow = wp_in_syscall_32(p);

	more[0] = narrow ? (u32)regs->regs[1] : regs->regs[1];
	more[1] = narrow ? (u32)regs->regs[2] : regs->regs[2];
}

/* The fourth, of a thread that is off its CPU, in a system call of the 64-bit table. */
static inline u64 wp_syscall_arg4_64(const struct pt_regs *regs)
{
	return regs->regs[3];
}

/* The hardware ignores the upper byte of a user address, which can be a tag. */
#define wp_strip_fp(fp)		((u64)untagged_addr(fp))

/* AArch32 code has its frame pointer in r11 (ARM) or r7 (Thumb): take r11. */
static inline u64 wp_regs_fp(struct pt_regs *regs)
{
	return compat_user_mode(regs) ? regs->compat_fp :
					wp_strip_fp(regs->regs[29]);
}

/* The value of a register of a 64-bit task, by its DWARF number. */
static __always_inline u64 wp_regs_dwarf(const struct pt_regs *regs, unsigned int nr)
{
	/* sp follows the others. */
	return nr < 31 ? regs->regs[nr] : regs->sp;
}

/* See above. */
static inline u64 wp_thread_pointer(void)
{
	return read_sysreg(tpidr_el0);
}

static inline u64 wp_thread_pointer_saved(const struct task_struct *p)
{
	return p->thread.uw.tp_value;
}

#define wp_cfi_here		wp_cfi_arm64

/* A return address on the stack may be signed in its upper bits. */
#if !defined(WP_HAS_POINTER_AUTH)
#define wp_strip_ip(ip)		(ip)
#elif defined(ptrauth_strip_user_insn_pac)	/* 6.5 */
#define wp_strip_ip(ip)		ptrauth_strip_user_insn_pac(ip)
#else
#define wp_strip_ip(ip)		ptrauth_strip_insn_pac(ip)
#endif

#define WP_HAS_APCS_FRAMES	1	/* in 32-bit tasks */
#else
#error "wallprof: this architecture is not supported (x86-64 and arm64 are)"
#endif

/* sched_yield of i386 and of 32-bit ARM. */
#define WP_NR_SCHED_YIELD_32	158

/* Whether current, a user thread, is in sched_yield(). */
static inline bool wp_in_sched_yield(void)
{
	return syscall_get_nr(current, task_pt_regs(current)) ==
	       (wp_in_syscall_32(current) ? WP_NR_SCHED_YIELD_32 : __NR_sched_yield);
}

#endif /* WALLPROF_COMPAT_PTRACE_H */
