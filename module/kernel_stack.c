// SPDX-License-Identifier: GPL-2.0
/*
 * Capture of kernel stacks, of the current thread.
 *
 * This file owns how its kernel stack is read, and what is left out of it. Its callers are
 * the sched_switch probe (irqs off, the run queue locked), the sched_waking probe (irqs off,
 * the woken thread's pi_lock held) and the overflow handler (NMI or hard irq), and
 * remote_stack.c, which interns stacks of other threads. tracepoint.c passes the probes'
 * caller at load. Nothing here faults, sleeps or
 * allocates.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "compat/stacktrace.h"
#include "kernel_stack.h"
#include "pure/tables.h"
#include "state.h"

/*
 * The kernel's code that calls several probes of the two tracepoints at which stacks are
 * read. It is left out of kernel stacks. Written once, at load.
 */
static struct {
	unsigned long from, to;
} wp_callers[WP_STACK_CALLERS];

/**
 * wp_stack_set_caller - set a range to leave out of kernel stacks
 * @nr: which of the callers it is, below WP_STACK_CALLERS
 * @from: the first address
 * @to: the one behind the last
 *
 * Context: process, at load.
 */
void wp_stack_set_caller(unsigned int nr, unsigned long from, unsigned long to)
{
	wp_callers[nr].from = from;
	wp_callers[nr].to = to;
}

/* Whether a return address is the module's, or in wp_callers. Any context. */
static bool wp_stack_is_probe(unsigned long ip)
{
	unsigned int i;

	for (i = 0; i < WP_STACK_CALLERS; i++) {
		if (ip >= wp_callers[i].from && ip < wp_callers[i].to)
			return true;
	}
	return within_module(ip, THIS_MODULE);
}

/**
 * wp_stack_kernel_trim - cut off a walked stack what is not the thread's
 * @scratch: has the addresses
 * @nr: how many
 * @max: frames, 1 to WALLPROF_MAX_STACK
 * @skip: out: where the thread's begin in scratch->kernel
 *
 * Context: any.
 * Return: frames; the first is the scheduler's, which called the tracepoint.
 */
unsigned int wp_stack_kernel_trim(const struct wp_scratch *scratch, unsigned int nr,
				  unsigned int max, unsigned int *skip)
{
	unsigned int i;

	for (i = 0; i < nr && wp_stack_is_probe(scratch->kernel[i]); i++)
		;
	*skip = i;
	return min(nr - i, max);
}

/**
 * wp_stack_kernel - walk the kernel stack of a thread that leaves its CPU, or wakes
 * @scratch: gets the addresses
 * @max: frames, 1 to WALLPROF_MAX_STACK
 * @skip: out: where they begin in scratch->kernel
 *
 * Context: irqs off, not NMI.
 * Return: frames; the first is the scheduler's, which called the tracepoint.
 */
unsigned int wp_stack_kernel(struct wp_scratch *scratch, unsigned int max,
			     unsigned int *skip)
{
	unsigned int nr = stack_trace_save(scratch->kernel, ARRAY_SIZE(scratch->kernel), 0);

	return wp_stack_kernel_trim(scratch, nr, max, skip);
}

/**
 * wp_stack_intern_kernel - intern a kernel stack
 * @tables: the table's
 * @epoch: the current one
 * @scratch: has the addresses; the writer's, which uses it for nothing else meanwhile
 * @skip: where they begin in scratch->kernel
 * @nr: how many, at most WALLPROF_MAX_STACK
 *
 * Context: the tables' writer, any.
 * Return: as wp_stack_intern().
 */
u64 wp_stack_intern_kernel(struct wp_tables *tables, u32 epoch,
			   struct wp_scratch *scratch, unsigned int skip,
			   unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		scratch->user[i] = scratch->kernel[skip + i];
	return wp_stack_intern(tables, epoch, scratch->user, nr, WALLPROF_UNWIND_END,
			       WALLPROF_STACK_IS_KERNEL);
}

/*
 * Whether the interrupted code ran on current's stack, or on an interrupt's, from which a
 * walk finds back to it. While the scheduler changes threads, the next thread's stack is
 * in use before current is the next thread. A walk from an NMI there would get lost, and
 * the kernel's frame pointer unwinder prints a warning then.
 *
 * Context: any, NMI included.
 */
static bool wp_stack_is_current(struct pt_regs *regs)
{
	unsigned long sp = kernel_stack_pointer(regs);
	unsigned int count = preempt_count();

	/* An NMI counts as an interrupt, too. */
	if (!in_nmi() || count & SOFTIRQ_MASK ||
	    (count & HARDIRQ_MASK) / HARDIRQ_OFFSET > (count & NMI_MASK) / NMI_OFFSET)
		return true;
	return sp - (unsigned long)task_stack_page(current) < THREAD_SIZE;
}

/**
 * wp_stack_kernel_nmi - walk the kernel stack of interrupted kernel code
 * @scratch: gets the addresses
 * @regs: what was interrupted: kernel code
 * @max: frames, 1 to WALLPROF_MAX_STACK
 * @skip: out: where they begin in scratch->kernel
 *
 * Context: any, NMI included.
 * Return: frames, at least 1: the interrupted instruction.
 */
unsigned int wp_stack_kernel_nmi(struct wp_scratch *scratch, struct pt_regs *regs,
				 unsigned int max, unsigned int *skip)
{
	unsigned long *ips = scratch->kernel;
	unsigned long ip = instruction_pointer(regs);
	unsigned int nr = 0, i;

	if (max > 1 && wp_stack_is_current(regs))
		nr = stack_trace_save(ips, ARRAY_SIZE(scratch->kernel), 0);
	for (i = 0; i < nr; i++) {
		if (ips[i] == ip) {
			*skip = i;
			return min(nr - i, max);
		}
	}
	/* No walk, or it did not reach the interrupted code, whose address is known. */
	ips[0] = ip;
	*skip = 0;
	return 1;
}
