// SPDX-License-Identifier: GPL-2.0
/*
 * Capture of a stack: which registers, which walker, which memory.
 *
 * This file owns how the current thread's user and kernel stacks are read. Its
 * callers are the sched_switch probe (irqs off, the run queue locked) and the
 * overflow handler (NMI or hard irq). Nothing here faults, sleeps or allocates.
 */
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/stacktrace.h>

#include "compat/ptrace.h"
#include "compat/sched.h"
#include "compat/uaccess.h"
#include "images.h"
#include "memo.h"
#include "session.h"
#include "stack.h"
#include "unwind_cfi.h"
#include "unwind_fp.h"

/*
 * The code through which a tracepoint calls its probes, when it has several:
 * it is no part of the stack that users want to see. Written once, at load.
 */
static unsigned long wp_caller_from, wp_caller_to;

/**
 * wp_stack_set_caller - tell what to leave out of kernel stacks
 * @from: the first address
 * @to: the one behind the last
 *
 * Context: process, at load.
 */
void wp_stack_set_caller(unsigned long from, unsigned long to)
{
	wp_caller_from = from;
	wp_caller_to = to;
}

/* Where user addresses end: a task may not have mapped anything above. */
static __always_inline u64 wp_user_limit(bool is64)
{
	return is64 ? TASK_SIZE_MAX : 1ULL << 32;
}

/*
 * The walk has checked an address, but a CPU may run ahead of that check with
 * an address that the user chose: the mask sees to it that it then reads
 * nothing of the kernel.
 */
static __always_inline u64 wp_user_nospec(u64 addr)
{
	unsigned long limit = TASK_SIZE_MAX;

	/* 5.10 wants a register: as a constant it is too long for a compare. */
	OPTIMIZER_HIDE_VAR(limit);
	return array_index_nospec(addr, limit);
}

/* Read a frame within user_access_begin(). */
static __always_inline bool wp_read_frame64(u64 addr, struct wp_frame *frame)
{
	const u64 __user *p = (const u64 __user *)wp_user_nospec(addr);

	unsafe_get_user(frame->next, p, fault);
	unsafe_get_user(frame->ret, p + 1, fault);
	frame->next = wp_strip_fp(frame->next);
	frame->ret = wp_strip_ip(frame->ret);
	return true;
fault:
	return false;
}

/* Whether an APCS frame ends at @addr, of 32-bit ARM: see unwind_fp.h. */
static __always_inline bool wp_read_apcs_frame(u64 addr, struct wp_frame *frame)
{
	u32 next, sp, ret;
	const u32 __user *p;

	if (addr < WP_APCS_FRAME)
		return false;
	p = (const u32 __user *)wp_user_nospec(addr - WP_APCS_FRAME);
	unsafe_get_user(sp, p + 1, fault);
	if (!wp_is_apcs_frame(addr, sp))
		return false;
	unsafe_get_user(next, p, fault);
	unsafe_get_user(ret, p + 2, fault);
	frame->next = next;
	frame->ret = ret;
	return true;
fault:
	return false;
}

static __always_inline bool wp_read_frame32(u64 addr, struct wp_frame *frame)
{
	const u32 __user *p = (const u32 __user *)wp_user_nospec(addr);
	u32 next, ret;

	if (WP_HAS_APCS_FRAMES && wp_read_apcs_frame(addr, frame))
		return true;
	unsafe_get_user(next, p, fault);
	unsafe_get_user(ret, p + 1, fault);
	frame->next = next;
	frame->ret = ret;
	return true;
fault:
	return false;
}

/* Read a frame in any context. */
static __always_inline bool wp_read_frame64_nmi(u64 addr, struct wp_frame *frame)
{
	u64 words[2];

	if (!wp_copy_from_user_nmi(words, addr, sizeof(words)))
		return false;
	frame->next = wp_strip_fp(words[0]);
	frame->ret = wp_strip_ip(words[1]);
	return true;
}

static __always_inline bool wp_read_frame32_nmi(u64 addr, struct wp_frame *frame)
{
	u32 words[3];

	if (WP_HAS_APCS_FRAMES && addr >= WP_APCS_FRAME &&
	    wp_copy_from_user_nmi(words, addr - WP_APCS_FRAME, WP_APCS_FRAME) &&
	    wp_is_apcs_frame(addr, words[1])) {
		frame->next = words[0];
		frame->ret = words[2];
		return true;
	}
	if (!wp_copy_from_user_nmi(words, addr, 2 * sizeof(*words)))
		return false;
	frame->next = words[0];
	frame->ret = words[1];
	return true;
}

/**
 * struct wp_reader - what a walk by tables reads from
 * @regs: the user registers
 * @memo: is told what was read; not in NMI
 */
struct wp_reader {
	struct pt_regs *regs;
	struct wp_memo *memo;
};

/* A register where the walk begins. */
static __always_inline u64 wp_read_reg(const void *ctx, unsigned int reg)
{
	const struct wp_reader *reader = ctx;

	wp_memo_note_reg(reader->memo, reg == wp_cfi_here.fp);
	return wp_regs_dwarf(reader->regs, reg);
}

static __always_inline u64 wp_read_reg_nmi(const void *ctx, unsigned int reg)
{
	return wp_regs_dwarf(((const struct wp_reader *)ctx)->regs, reg);
}

/* Read a word within user_access_begin(). */
static __always_inline bool wp_read_user(void *ctx, u64 addr, u64 *value)
{
	unsafe_get_user(*value, (const u64 __user *)wp_user_nospec(addr), fault);
	return true;
fault:
	return false;
}

/* The same, of an address that is near one that was masked. */
static __always_inline bool wp_read_near(void *ctx, u64 addr, u64 *value)
{
	unsafe_get_user(*value, (const u64 __user *)addr, fault);
	return true;
fault:
	return false;
}

/* As wp_read_user(), and note it. */
static __always_inline bool wp_read_word(void *ctx, u64 addr, u64 *value)
{
	struct wp_reader *reader = ctx;

	if (!wp_read_user(ctx, addr, value)) {
		wp_memo_note_fault(reader->memo);
		return false;
	}
	wp_memo_note(reader->memo, addr, *value);
	return true;
}

/* Read a word in any context. */
static __always_inline bool wp_read_word_nmi(void *ctx, u64 addr, u64 *value)
{
	return wp_copy_from_user_nmi(value, addr, sizeof(*value));
}

static __always_inline u64 wp_walk_strip(u64 ip)
{
	return wp_strip_ip(ip);
}

static const struct wp_cfi_ops wp_walk_ops = {
	.arch = &wp_cfi_here,
	.reg = wp_read_reg,
	.read = wp_read_word,
	.strip = wp_walk_strip,
};

static const struct wp_cfi_ops wp_walk_ops_nmi = {
	.arch = &wp_cfi_here,
	.reg = wp_read_reg_nmi,
	.read = wp_read_word_nmi,
	.strip = wp_walk_strip,
};

/* Whether current has a user stack to walk. Any context. */
static bool wp_stack_has_user(struct wp_walk *walk)
{
	*walk = (struct wp_walk){ .why = WALLPROF_UNWIND_NO_USER };
	return current->mm && !(current->flags & WP_PF_NO_USER) &&
	       !wp_stack_is_exec(current, current->mm);
}

/*
 * The code of current's process, if its stack is to be walked by tables.
 * Valid as long as interrupts are off, or the NMI lasts. Any context.
 */
static const struct wp_code *wp_walk_code(struct wp_session *session, bool is64,
					  struct wp_walk *walk)
{
	const struct wp_code *code = NULL;

	if (!(session->config.stack_flags & WALLPROF_STACK_TABLES))
		return NULL;
	/* Tables are of 64-bit code. */
	if (is64) {
		walk->changes = wp_images_changes(&session->images);
		code = wp_images_find(&session->images, current->mm);
	}
	walk->unknown = !code;
	return code;
}

/* What a walk by tables told. */
static __always_inline void wp_walk_told(struct wp_walk *walk,
					 const struct wp_cfi_told *told)
{
	walk->why = told->why;
	walk->slow = told->slow;
	if (told->by_fp)
		walk->flags |= WALLPROF_STACK_BY_FP;
}

/**
 * wp_walk_count - count a walk
 * @head: of the half that the stack goes to
 * @walk: the walk
 *
 * Context: the half's writer.
 */
void wp_walk_count(struct wallprof_half *head, const struct wp_walk *walk)
{
	head->unwinds[walk->why]++;
	head->walks_unknown += walk->unknown;
	head->walks_slow += walk->slow;
	head->walks_remembered += !!walk->id;
	if (!walk->unknown && walk->flags & WALLPROF_STACK_BY_FP)
		head->walks_mixed++;
}

/*
 * By tables, unless the stack is remembered. Where user memory is open: must not
 * call. Returns the number of frames, 1 of one that is remembered.
 */
static __always_inline unsigned int
wp_walk_tables(struct pt_regs *regs, const struct wp_code *code, bool by_fp, u64 limit,
	       struct wp_cpu *cpu, u32 epoch, unsigned int max, struct wp_walk *walk)
{
	u64 ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	struct wp_memo *memo = wp_memo_of(cpu->memos, ip, sp, (unsigned long)current->mm);
	struct wp_reader reader = { .regs = regs, .memo = memo };
	u64 fp = wp_regs_dwarf(regs, wp_cfi_here.fp);
	struct wp_cfi_told told;
	unsigned int nr;

	if (wp_memo_holds(memo, wp_read_user, NULL, code->generation, epoch, ip, sp, fp)) {
		walk->why = memo->why;
		walk->flags = memo->flags;
		walk->id = memo->id;
		wp_memo_tie(memo, (unsigned long)current->mm, walk->changes);
		return 1;
	}
	wp_memo_begin(memo, ip, sp, fp);
	nr = wp_unwind_cfi(&wp_walk_ops, &reader, &code->maps, by_fp, ip, sp, limit,
			   cpu->sched_scratch.user, max, &told);
	wp_walk_told(walk, &told);
	walk->generation = code->generation;
	walk->memo = memo;
	return nr;
}

/* By frame pointers. Where user memory is open: must not call. */
static __always_inline unsigned int
wp_walk_frames(struct pt_regs *regs, bool is64, u64 limit, u64 *ips, unsigned int max,
	       u8 *why)
{
	u64 ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	u64 fp = wp_regs_fp(regs);

	if (is64)
		return wp_unwind_fp(ip, sp, fp, 8, limit, wp_read_frame64, ips, max, why);
	return wp_unwind_fp(ip, sp, fp, 4, limit, wp_read_frame32, ips, max, why);
}

/**
 * wp_stack_again - the user stack of a thread that leaves its CPU as it did before
 * @session: unwinds by tables
 * @cpu: this CPU's
 * @epoch: the current one
 *
 * What most switches come to, and so the shortest way to know it. It tells
 * nothing else: what wp_stack_user() finds has to be asked then. Flattened as
 * that is.
 *
 * Context: irqs off, not NMI; current's mm is loaded.
 * Return: what is remembered of the stack; NULL if it is not known to be the same.
 */
__attribute__((__flatten__)) const struct wp_memo *
wp_stack_again(struct wp_session *session, struct wp_cpu *cpu, u32 epoch)
{
	u64 changes = wp_images_changes(&session->images);
	struct pt_regs *regs = task_pt_regs(current);
	u64 ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	unsigned long process = (unsigned long)current->mm;
	const struct wp_memo *memo = NULL, *there;

	if (!process || current->flags & WP_PF_NO_USER || !wp_regs_64bit(regs))
		return NULL;
	there = wp_memo_of(cpu->memos, ip, sp, process);
	if (!wp_memo_may_hold(there, process, changes, epoch, ip, sp,
			      wp_regs_dwarf(regs, wp_cfi_here.fp)))
		return NULL;
	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX - 1)) {
		/*
		 * The words are where the walk read them, below the limit. One
		 * that runs ahead comes no further above it than they can be
		 * above sp, and nothing of the kernel is there.
		 */
		if (wp_memo_words_hold(there, wp_read_near, NULL, wp_user_nospec(sp)))
			memo = there;
		user_access_end();
	}
	pagefault_enable();
	return memo;
}

/**
 * wp_stack_user - the user stack of a thread that leaves its CPU
 * @session: tells how to walk, and by which tables
 * @cpu: this CPU's; sched_scratch gets the addresses
 * @epoch: the current one
 * @walk: out; with an id the stack is known, and nothing is in the scratch
 *
 * Flattened, since it must not call where user memory is open, not even what is
 * inline but so large, with a debug kernel's checks, that compilers do not care.
 *
 * Context: irqs off, not NMI; current's mm is loaded.
 * Return: frames; 0 if there is no user stack.
 */
__attribute__((__flatten__)) unsigned int
wp_stack_user(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
	      struct wp_walk *walk)
{
	bool by_fp = session->config.stack_flags & WALLPROF_STACK_USER;
	unsigned int max = session->config.max_stack, nr = 1;
	struct pt_regs *regs = task_pt_regs(current);
	u64 *ips = cpu->sched_scratch.user;
	const struct wp_code *code;
	bool is64;
	u64 limit;

	if (!wp_stack_has_user(walk))
		return 0;
	is64 = wp_regs_64bit(regs);
	limit = wp_user_limit(is64);
	code = wp_walk_code(session, is64, walk);
	ips[0] = instruction_pointer(regs);
	if (!code && !by_fp) {
		walk->why = WALLPROF_UNWIND_NO_TABLE;
		return 1;
	}
	if (!code)
		walk->flags = WALLPROF_STACK_BY_FP;
	walk->why = WALLPROF_UNWIND_FAULT;
	/*
	 * The range that is asked for is what the walk may read (less a byte,
	 * since some kernels end theirs one earlier): it keeps below the limit
	 * itself.
	 */
	pagefault_disable();
	if (user_access_begin((void __user *)0, limit - 1)) {
		if (code)
			nr = wp_walk_tables(regs, code, by_fp, limit, cpu, epoch, max,
					    walk);
		else
			nr = wp_walk_frames(regs, is64, limit, ips, max, &walk->why);
		user_access_end();
	}
	pagefault_enable();
	return nr;
}

/**
 * wp_walk_keep - remember the stack that was walked
 * @walk: wp_stack_user()'s
 * @epoch: of @id
 * @id: the stack's, or 0
 *
 * Context: irqs off.
 */
void wp_walk_keep(const struct wp_walk *walk, u32 epoch, u64 id)
{
	if (!walk->memo)
		return;
	wp_memo_keep(walk->memo, walk->generation, epoch, id, walk->why, walk->flags);
	wp_memo_tie(walk->memo, (unsigned long)current->mm, walk->changes);
}

/**
 * wp_stack_user_nmi - the user stack of a thread that was interrupted
 * @session: tells how to walk, and by which tables
 * @scratch: gets the addresses
 * @regs: what was interrupted: user or kernel code
 * @max: frames, 1 to WALLPROF_MAX_STACK
 * @walk: out
 *
 * Context: any, NMI included; preemption off.
 * Return: frames; 0 if there is no user stack.
 */
unsigned int wp_stack_user_nmi(struct wp_session *session, struct wp_scratch *scratch,
			       struct pt_regs *regs, unsigned int max,
			       struct wp_walk *walk)
{
	bool by_fp = session->config.stack_flags & WALLPROF_STACK_USER;
	struct wp_reader reader = {};
	const struct wp_code *code;
	struct wp_cfi_told told;
	unsigned int nr;
	u64 ip, sp, fp;
	bool is64;

	if (!wp_stack_has_user(walk))
		return 0;
	if (!user_mode(regs))
		regs = task_pt_regs(current);
	/*
	 * An NMI in the entry code may find them half written, one in the
	 * scheduler the next thread's memory.
	 */
	if (!user_mode(regs) || !wp_user_loaded())
		return 0;
	is64 = wp_regs_64bit(regs);
	ip = instruction_pointer(regs);
	sp = user_stack_pointer(regs);
	fp = wp_regs_fp(regs);
	code = max > 1 ? wp_walk_code(session, is64, walk) : NULL;
	if (code) {
		reader.regs = regs;
		nr = wp_unwind_cfi(&wp_walk_ops_nmi, &reader, &code->maps, by_fp, ip, sp,
				   wp_user_limit(true), scratch->user, max, &told);
		wp_walk_told(walk, &told);
		return nr;
	}
	if (max > 1 && !by_fp) {
		scratch->user[0] = ip;
		walk->why = WALLPROF_UNWIND_NO_TABLE;
		return 1;
	}
	if (max > 1)
		walk->flags = WALLPROF_STACK_BY_FP;
	if (is64)
		return wp_unwind_fp(ip, sp, fp, 8, wp_user_limit(true),
				    wp_read_frame64_nmi, scratch->user, max,
				    &walk->why);
	return wp_unwind_fp(ip, sp, fp, 4, wp_user_limit(false),
			    wp_read_frame32_nmi, scratch->user, max, &walk->why);
}

/**
 * wp_stack_kernel - the kernel stack of a thread that leaves its CPU
 * @scratch: gets the addresses
 * @max: frames, 1 to WALLPROF_MAX_STACK
 * @skip: out: where they begin in scratch->kernel
 *
 * Context: irqs off, not NMI.
 * Return: frames; the first is the scheduler's.
 */
unsigned int wp_stack_kernel(struct wp_scratch *scratch, unsigned int max,
			     unsigned int *skip)
{
	unsigned long *ips = scratch->kernel;
	unsigned int nr, i;

	nr = stack_trace_save(ips, ARRAY_SIZE(scratch->kernel), 0);
	for (i = 0; i < nr; i++) {
		if (!within_module(ips[i], THIS_MODULE) &&
		    (ips[i] < wp_caller_from || ips[i] >= wp_caller_to))
			break;
	}
	*skip = i;
	return min(nr - i, max);
}

/*
 * Whether what was interrupted ran on current's stack, or on an interrupt's,
 * from which a walk finds back to it. When the scheduler changes threads, the
 * next one's stack is in use before current is the next one. An NMI can come
 * there: a walk would get lost, and the kernel's frame pointer unwinder says so
 * in its log.
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
 * wp_stack_kernel_nmi - the kernel stack of what was interrupted
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
	/* No walk, or one that did not get so far: the address is known. */
	ips[0] = ip;
	*skip = 0;
	return 1;
}
