/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel stack of a blocked thread. The kernel's own stack_trace_save_tsk() is
 * exported only from 6.12 on, and leaves out the scheduler's frames, where the stacks of
 * the probes begin. Of its parts, x86's unwinders are exported. arm64 keeps frame
 * pointers.
 * Kernel stacks can be cached where the walk is by ORC, or by frames.
 */
#ifndef WALLPROF_COMPAT_UNWIND_H
#define WALLPROF_COMPAT_UNWIND_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "features.h"

#if defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_ARM64)
#define WP_HAS_KERNEL_CACHE	1
#else
#define WP_HAS_KERNEL_CACHE	0
#endif

#if defined(CONFIG_X86_64)
#include <asm/unwind.h>

static inline unsigned int wp_unwind_blocked(struct task_struct *p, unsigned long *ips,
					     unsigned int max)
{
	struct unwind_state state;
	unsigned int nr = 0;

	/* A word before the first frame, which is skipped before 5.7 if that is named. */
	unwind_start(&state, p, NULL, (unsigned long *)p->thread.sp - 1);
	while (nr < max && !unwind_done(&state)) {
		ips[nr] = unwind_get_return_address(&state);
		if (!ips[nr])
			break;
		nr++;
		unwind_next_frame(&state);
	}
	return nr;
}
#elif defined(CONFIG_ARM64)
#ifdef WP_HAS_POINTER_AUTH
#include <asm/pointer_auth.h>
#endif

#if !defined(WP_HAS_POINTER_AUTH)
#define wp_strip_kernel_ip(ip)	(ip)
#elif defined(ptrauth_strip_kernel_insn_pac)	/* 6.5 */
#define wp_strip_kernel_ip(ip)	ptrauth_strip_kernel_insn_pac(ip)
#else
#define wp_strip_kernel_ip(ip)	ptrauth_strip_insn_pac(ip)
#endif

/*
 * The thread left the scheduler by a call: its return address is in the first frame. The
 * frame of an entry from user mode, the last one, is zero. So is, from 6.13 on, the frame
 * of an exception in the kernel, and the walk ends there. For a function that returns by
 * way of a tracer, the tracer's address is found.
 */
static inline unsigned int wp_unwind_blocked(struct task_struct *p, unsigned long *ips,
					     unsigned int max)
{
	unsigned long from = (unsigned long)task_stack_page(p);
	unsigned long to = from + THREAD_SIZE, fp = p->thread.cpu_context.fp;
	unsigned int nr = 0;

	while (nr < max && fp >= from && fp <= to - 2 * sizeof(fp) &&
	       !(fp % sizeof(fp))) {
		unsigned long *frame = (unsigned long *)fp;
		/*
		 * KASAN may have poisoned the place for a variable of a frame that has
		 * ended.
		 */
		unsigned long ip = wp_strip_kernel_ip(READ_ONCE_NOCHECK(frame[1]));

		if (!ip)
			break;
		ips[nr++] = ip;
		from = fp + 2 * sizeof(fp);
		fp = READ_ONCE_NOCHECK(frame[0]);
	}
	return nr;
}
#endif

#endif /* WALLPROF_COMPAT_UNWIND_H */
