// SPDX-License-Identifier: GPL-2.0
/*
 * Capture of user stacks: which registers, which unwinder, which memory.
 *
 * This file owns how the current thread's user stack is read. Its callers are the
 * sched_switch probe (irqs off, the run queue locked), the sched_waking probe (irqs off,
 * the woken thread's pi_lock held) and the overflow handler (irqs off, or NMI). Nothing
 * here faults, sleeps or allocates.
 */
#include "compat/mmu_context.h"
#include "compat/ptrace.h"
#include "compat/sched.h"
#include "compat/uaccess.h"
#include "interp_stack.h"
#include "mappings.h"
#include "pure/stack_cache.h"
#include "pure/unwind_cfi.h"
#include "pure/unwind_fp.h"
#include "stack.h"
#include "state.h"

/* End of the user addresses: a task cannot map anything above. */
static __always_inline u64 wp_user_limit(bool is64)
{
	return is64 ? TASK_SIZE_MAX : 1ULL << 32;
}

/* Reads a frame within user_access_begin(). @ctx: the notes, or NULL. */
static __always_inline bool wp_read_frame64(void *ctx, u64 addr, struct wp_frame *frame)
{
	const u64 __user *p = (const u64 __user *)wp_user_nospec(addr);
	struct wp_stack_cache_notes *notes = ctx;

	unsafe_get_user(frame->next, p, fault);
	unsafe_get_user(frame->ret, p + 1, fault);
	if (notes) {
		wp_stack_cache_note(notes, addr, frame->next);
		wp_stack_cache_note(notes, addr + sizeof(u64), frame->ret);
	}
	frame->next = wp_strip_fp(frame->next);
	frame->ret = wp_strip_ip(frame->ret);
	return true;
fault:
	if (notes)
		wp_stack_cache_note_fault(notes);
	return false;
}

/* Reads the APCS frame that ends at @addr, of 32-bit ARM: see unwind_fp.h. */
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

static __always_inline bool wp_read_frame32(void *ctx, u64 addr, struct wp_frame *frame)
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

/* Reads a frame in any context. */
static __always_inline bool wp_read_frame64_nmi(void *ctx, u64 addr,
						struct wp_frame *frame)
{
	u64 words[2];

	if (!wp_copy_from_user_nmi(words, addr, sizeof(words)))
		return false;
	frame->next = wp_strip_fp(words[0]);
	frame->ret = wp_strip_ip(words[1]);
	return true;
}

static __always_inline bool wp_read_frame32_nmi(void *ctx, u64 addr,
						struct wp_frame *frame)
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
 * @notes: notes of what was read; not in NMI
 */
struct wp_reader {
	struct pt_regs *regs;
	struct wp_stack_cache_notes *notes;
};

/* Reads a register where the walk begins. */
static __always_inline u64 wp_read_reg(const void *ctx, unsigned int reg)
{
	const struct wp_reader *reader = ctx;

	wp_stack_cache_note_reg(reader->notes, reg == wp_cfi_here.fp);
	return wp_regs_dwarf(reader->regs, reg);
}

static __always_inline u64 wp_read_reg_nmi(const void *ctx, unsigned int reg)
{
	return wp_regs_dwarf(((const struct wp_reader *)ctx)->regs, reg);
}

/* Reads a word within user_access_begin(). */
static __always_inline bool wp_read_user(void *ctx, u64 addr, u64 *value)
{
	unsafe_get_user(*value, (const u64 __user *)wp_user_nospec(addr), fault);
	return true;
fault:
	return false;
}

/* Whether a word has a value, within user_access_begin(). */
static __always_inline bool wp_user_is(void *ctx, u64 addr, u64 word)
{
	return wp_user_word_is((const u64 __user *)wp_user_nospec(addr), word);
}

/* As wp_read_user(), and notes the word. */
static __always_inline bool wp_read_word(void *ctx, u64 addr, u64 *value)
{
	struct wp_reader *reader = ctx;

	if (!wp_read_user(ctx, addr, value)) {
		wp_stack_cache_note_fault(reader->notes);
		return false;
	}
	wp_stack_cache_note(reader->notes, addr, *value);
	return true;
}

/* Reads a word in any context. */
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
static __always_inline bool wp_stack_is_user(const struct task_struct *p)
{
	return p->mm && !(p->flags & WP_PF_NO_USER) && !wp_stack_is_exec(p, p->mm);
}

/* The same, where the walk begins. */
static bool wp_stack_has_user(struct wp_walk *walk)
{
	*walk = (struct wp_walk){ .stop = WALLPROF_UNWIND_NO_USER };
	return wp_stack_is_user(current);
}

/*
 * The user's registers at an event that interrupted @regs. NULL if they cannot be read: an
 * NMI in the entry code may find them half written, and memory that is not current's may be
 * loaded. Any context; current has an mm.
 */
static __always_inline struct pt_regs *wp_stack_user_regs(struct pt_regs *regs)
{
	if (!user_mode(regs))
		regs = task_pt_regs(current);
	return likely(user_mode(regs) && wp_user_loaded()) ? regs : NULL;
}

/*
 * Returns the code of current's process, if its stack is to be walked by tables. Valid as
 * long as interrupts are off, or the NMI lasts. Any context.
 */
static const struct wp_code *wp_walk_code(struct wp_session *session, bool is64,
					  struct wp_walk *walk)
{
	const struct wp_code *code = NULL;

	walk->changes = wp_mappings_changes(&session->mappings);
	if (!(session->config.stack_flags & WALLPROF_STACK_TABLES))
		return NULL;
	/* Tables describe 64-bit code. */
	if (is64)
		code = wp_mappings_find(&session->mappings, current->mm);
	walk->unknown = !code;
	return code;
}

/* Takes over the result of a walk by tables. */
static __always_inline void wp_walk_take(struct wp_walk *walk,
					 const struct wp_cfi_result *result)
{
	walk->stop = result->stop;
	walk->slow = result->slow;
	if (result->by_fp)
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
	head->unwinds[walk->stop]++;
	head->walks_unknown += walk->unknown;
	head->walks_slow += walk->slow;
	head->walks_remembered += !!walk->id;
	if (unlikely(walk->interp))
		head->interps[walk->interp - 1]++;
	if (!walk->unknown && walk->flags & WALLPROF_STACK_BY_FP)
		head->walks_mixed++;
}

#define WP_STACK_CALLS 256	/* system calls that the stack cache distinguishes, about */

/*
 * The process for the stack cache, and the system call that current waits in. C libraries
 * may make all system calls at one place, as glibc since 2.41 does where threads can be
 * cancelled: without the call, two that a thread makes in turn would replace each other.
 * An address inside of the mm is no other process's. @p is current, and has an mm. Any
 * context.
 */
static __always_inline unsigned long wp_stack_process(struct task_struct *p,
						      struct pt_regs *regs)
{
	BUILD_BUG_ON(sizeof(*p->mm) <= WP_STACK_CALLS);
	return (unsigned long)p->mm + (syscall_get_nr(p, regs) & (WP_STACK_CALLS - 1));
}

/*
 * Whether the stack is cached; if not, @notes are begun. Must not call, since user memory
 * is open.
 */
static __always_inline bool wp_walk_cached(struct wp_stack_cache *cache, u32 epoch,
					   struct pt_regs *regs, u64 generation,
					   u64 thread, struct wp_walk *walk,
					   struct wp_stack_cache_notes *notes)
{
	u64 ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	u64 fp = wp_regs_dwarf(regs, wp_cfi_here.fp);
	unsigned long process = wp_stack_process(current, regs);
	struct wp_cached_stack *old;

	walk->generation = generation;
	old = wp_stack_cache_find(cache, ip, sp, process);
	if (old && wp_stack_cache_holds(cache, old, wp_user_is, NULL, generation, epoch, fp,
					thread)) {
		walk->stop = old->stop;
		walk->flags = old->flags;
		walk->id = old->id;
		walk->interp = old->interp;
		wp_stack_cache_tie(old, walk->changes);
		return true;
	}
	wp_stack_cache_begin(notes, cache, old, ip, sp, fp, process);
	return false;
}

/*
 * Walks by tables, unless the stack is cached. Must not call, since user memory is open.
 * Returns the number of frames, 1 of a cached stack.
 */
static __always_inline unsigned int
wp_walk_tables(struct pt_regs *regs, const struct wp_code *code, bool by_fp, u64 limit,
	       struct wp_stack_cache *cache, u64 *ips, u32 epoch, unsigned int max, u64 thread,
	       struct wp_walk *walk)
{
	u64 ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	struct wp_stack_cache_notes notes;	/* not in @walk: for registers */
	struct wp_reader reader = { .regs = regs, .notes = &notes };
	struct wp_cfi_code cfi = {
		.maps = &code->maps, .steps = cache->steps, .by_fp = by_fp,
	};
	struct wp_cfi_result result;
	unsigned int nr;

	if (wp_walk_cached(cache, epoch, regs, code->maps.generation, thread, walk, &notes))
		return 1;
	nr = wp_unwind_cfi(&wp_walk_ops, &reader, &cfi, ip, sp, limit, ips, max, &result);
	wp_walk_take(walk, &result);
	walk->notes = notes;
	return nr;
}

/*
 * Walks by frame pointers, unless the stack is cached, in a session without tables: only
 * registers and memory of the process decide the stack. Must not call, since user memory
 * is open. Returns the number of frames, 1 of a cached stack.
 */
static __always_inline unsigned int
wp_walk_frames_noted(struct pt_regs *regs, u64 limit, struct wp_stack_cache *cache, u64 *ips,
		     u32 epoch, unsigned int max, struct wp_walk *walk)
{
	u64 ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	struct wp_stack_cache_notes notes;	/* not in @walk: for registers */
	unsigned int nr;

	/* No code has generation 0. */
	if (wp_walk_cached(cache, epoch, regs, 0, 0, walk, &notes))
		return 1;
	if (max > 1)
		wp_stack_cache_note_reg(&notes, true);
	nr = wp_unwind_fp(ip, sp, wp_regs_fp(regs), 8, limit, wp_read_frame64, &notes, ips,
			  max, &walk->stop);
	walk->notes = notes;
	return nr;
}

/* Walks by frame pointers. Must not call, since user memory is open. */
static __always_inline unsigned int
wp_walk_frames(struct pt_regs *regs, bool is64, u64 limit, u64 *ips, unsigned int max,
	       u8 *stop)
{
	u64 ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	u64 fp = wp_regs_fp(regs);

	if (is64)
		return wp_unwind_fp(ip, sp, fp, 8, limit, wp_read_frame64, NULL, ips, max,
				    stop);
	return wp_unwind_fp(ip, sp, fp, 4, limit, wp_read_frame32, NULL, ips, max, stop);
}

/*
 * Whether a cached stack that began alike is current; returns it, or NULL. @event: as
 * wp_interp_thread() has it. Context: irqs off, user memory not open yet.
 */
static __always_inline const struct wp_cached_stack *
wp_stack_same(const struct wp_session *session, const struct wp_stack_cache *cache,
	      const struct wp_cached_stack *there, u32 epoch, u64 sp, u64 fp,
	      struct pt_regs *event)
{
	if (!wp_stack_cache_may_hold(cache, there, wp_mappings_changes(&session->mappings),
				     epoch, fp))
		return NULL;
	return wp_stack_words_unchanged(cache, there->begin, there->nr, wp_user_nospec(sp)) &&
	       wp_interp_stack_unchanged(cache, there->far, there->begin, event) ? there : NULL;
}

/*
 * wp_stack_cached(), if another stack of the set was found since. A function of its own,
 * so that the likely path has no registers to save. Context: irqs off.
 */
static noinline __attribute__((__flatten__)) const struct wp_cached_stack *
wp_stack_cached_other(const struct wp_session *session, struct wp_stack_cache *cache, u32 epoch)
{
	struct pt_regs *regs = task_pt_regs(current);
	u64 ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	const struct wp_cached_stack *there;

	there = wp_stack_cache_find(cache, ip, sp, wp_stack_process(current, regs));
	if (!there)
		return NULL;
	return wp_stack_same(session, cache, there, epoch, sp,
			     wp_regs_dwarf(regs, wp_cfi_here.fp), NULL);
}

/**
 * wp_stack_cached - look a leaving thread's user stack up in the stack cache
 * @session: walks user stacks
 * @cpu: this CPU's
 * @epoch: the current one
 *
 * The fast path of most switches. It handles 64-bit threads with user memory only;
 * wp_stack_user() handles all. Flattened as that is.
 *
 * Context: irqs off, not NMI; current's mm is loaded.
 * Return: the cached stack; NULL if it is not known to be current.
 */
__attribute__((__flatten__)) const struct wp_cached_stack *
wp_stack_cached(struct wp_session *session, struct wp_cpu *cpu, u32 epoch)
{
	struct task_struct *p = current;
	struct pt_regs *regs = task_pt_regs(p);
	u64 ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	struct wp_stack_cache *cache = cpu->stack_cache;
	const struct wp_cached_stack *there;
	unsigned long process;

	if (!p->mm || p->flags & WP_PF_NO_USER || !wp_regs_64bit(regs))
		return NULL;
	process = wp_stack_process(p, regs);
	there = wp_stack_cache_last(cache, ip, sp, process);
	if (unlikely(!wp_stack_cache_began(there, ip, sp, process)))
		return wp_stack_cached_other(session, cache, epoch);
	return wp_stack_same(session, cache, there, epoch, sp,
			     wp_regs_dwarf(regs, wp_cfi_here.fp), NULL);
}

/**
 * wp_stack_cached_by_id - find the cached stack that current was just found to have
 * @session: walks user stacks
 * @cpu: this CPU's
 * @epoch: the current one
 * @id: the stack's
 *
 * Context: irqs off, not NMI; current has an mm, and is 64-bit.
 * Return: the cached stack, if wp_stack_cached() would return it; or NULL.
 */
const struct wp_cached_stack *wp_stack_cached_by_id(struct wp_session *session, struct wp_cpu *cpu,
						    u32 epoch, u64 id)
{
	struct pt_regs *regs = task_pt_regs(current);
	const struct wp_cached_stack *old;

	old = wp_stack_cache_find(cpu->stack_cache, instruction_pointer(regs),
				  user_stack_pointer(regs),
				  wp_stack_process(current, regs));
	if (!old || old->id != id ||
	    !wp_stack_cache_may_hold(cpu->stack_cache, old,
				     wp_mappings_changes(&session->mappings), epoch,
				     wp_regs_dwarf(regs, wp_cfi_here.fp)))
		return NULL;
	return old;
}

/*
 * Walks the user stack that @regs begin, unless it is cached. Must be inlined, as must all
 * that it calls while user memory is open. @scratch gets the addresses; @event: as
 * wp_interp_thread() has it. Context: irqs off, not NMI; current has a user stack, and its
 * mm is loaded. Returns the number of words.
 */
static __always_inline unsigned int
wp_walk_user(struct wp_session *session, struct pt_regs *regs, struct wp_stack_cache *cache,
	     struct wp_scratch *scratch, struct pt_regs *event, u32 epoch,
	     struct wp_walk *walk)
{
	u64 *ips = scratch->user;
	bool by_tables = session->config.stack_flags & WALLPROF_STACK_TABLES;
	bool by_fp = session->config.stack_flags & WALLPROF_STACK_USER;
	unsigned int max = session->config.max_stack, nr = 1;
	const struct wp_code *code;
	u64 limit, thread;
	bool is64;

	is64 = wp_regs_64bit(regs);
	limit = wp_user_limit(is64);
	code = wp_walk_code(session, is64, walk);
	thread = code && unlikely(code->interp) ? wp_interp_thread(event) : 0;
	ips[0] = instruction_pointer(regs);
	if (!code && !by_fp) {
		walk->stop = WALLPROF_UNWIND_NO_TABLE;
		return 1;
	}
	if (!code)
		walk->flags = WALLPROF_STACK_BY_FP;
	walk->stop = WALLPROF_UNWIND_FAULT;
	/*
	 * The range that is checked is what the walk may read (less a byte, since some
	 * kernels end theirs one earlier). The walk itself keeps below the limit.
	 */
	pagefault_disable();
	if (user_access_begin((void __user *)0, limit - 1)) {
		if (code)
			nr = wp_walk_tables(regs, code, by_fp, limit, cache, ips, epoch,
					    max, thread, walk);
		else if (!by_tables && is64)
			nr = wp_walk_frames_noted(regs, limit, cache, ips, epoch, max,
						  walk);
		else
			nr = wp_walk_frames(regs, is64, limit, ips, max, &walk->stop);
		user_access_end();
	}
	pagefault_enable();
	if (code && unlikely(code->interp) && !walk->id) {
		nr = wp_interp_stack(code->interp, scratch, nr, max, thread, walk->stop,
				     walk->flags & WALLPROF_STACK_BY_FP, &walk->notes);
		walk->interp = scratch->runs.ended;
	}
	return nr;
}

/**
 * wp_stack_user - walk the user stack of a thread that leaves its CPU, or wakes
 * @session: its options and mappings
 * @cpu: this CPU's; sched_scratch gets the addresses
 * @epoch: the current one
 * @walk: out; with an id the stack was cached, and nothing is in the scratch
 *
 * Flattened, since it must not call while user memory is open: compilers do not inline
 * functions that are as large as these are with a debug kernel's checks.
 *
 * Context: irqs off, not NMI; current's mm is loaded.
 * Return: words; 0 if there is no user stack.
 */
__attribute__((__flatten__)) unsigned int
wp_stack_user(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
	      struct wp_walk *walk)
{
	if (!wp_stack_has_user(walk))
		return 0;
	return wp_walk_user(session, task_pt_regs(current), cpu->stack_cache,
			    &cpu->sched_scratch, NULL, epoch, walk);
}

/**
 * wp_stack_cached_sample - look a thread's user stack up in the stack cache of samples
 * @session: its options and mappings, which are the event's
 * @cpu: this CPU's
 * @epoch: the current one
 * @regs: where the event occurred: in user or kernel code
 *
 * As wp_stack_cached(). Flattened as that is.
 *
 * Context: irqs off, not NMI; with WALLPROF_SAMPLE_CACHE.
 * Return: the cached stack; NULL if it is not known to be current.
 */
__attribute__((__flatten__)) const struct wp_cached_stack *
wp_stack_cached_sample(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
		       struct pt_regs *regs)
{
	struct wp_stack_cache *cache = cpu->sample_cache;
	const struct wp_cached_stack *there;
	struct task_struct *p = current;
	struct pt_regs *event = regs;
	unsigned long process;
	u64 ip, sp;

	if (unlikely(!wp_stack_is_user(p)))
		return NULL;
	regs = wp_stack_user_regs(regs);
	if (unlikely(!regs || !wp_regs_64bit(regs)))
		return NULL;
	ip = instruction_pointer(regs);
	sp = user_stack_pointer(regs);
	process = wp_stack_process(p, regs);
	there = wp_stack_cache_last(cache, ip, sp, process);
	if (unlikely(!wp_stack_cache_began(there, ip, sp, process))) {
		there = wp_stack_cache_find(cache, ip, sp, process);
		if (!there)
			return NULL;
	}
	return wp_stack_same(session, cache, there, epoch, sp,
			     wp_regs_dwarf(regs, wp_cfi_here.fp), event);
}

/**
 * wp_stack_user_sample - walk the user stack of a thread at an event, outside of NMIs
 * @session: its options and mappings, which are the event's
 * @cpu: this CPU's; sampler_scratch gets the addresses
 * @epoch: the current one
 * @regs: where the event occurred: in user or kernel code
 * @walk: out; with an id the stack was cached, and nothing is in the scratch
 *
 * For stacks that wp_stack_cached_sample() does not know. Flattened as wp_stack_user() is.
 *
 * Context: irqs off, not NMI; with WALLPROF_SAMPLE_CACHE.
 * Return: words; 0 if there is no user stack.
 */
__attribute__((__flatten__)) unsigned int
wp_stack_user_sample(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
		     struct pt_regs *regs, struct wp_walk *walk)
{
	struct pt_regs *event = regs;

	if (!wp_stack_has_user(walk))
		return 0;
	regs = wp_stack_user_regs(regs);
	if (!regs)
		return 0;
	return wp_walk_user(session, regs, cpu->sample_cache, &cpu->sampler_scratch, event,
			    epoch, walk);
}

/**
 * wp_walk_keep - cache the stack that was walked
 * @walk: wp_stack_user()'s, or wp_stack_user_sample()'s
 * @epoch: of @id
 * @id: the stack's, or 0
 *
 * Context: irqs off.
 */
void wp_walk_keep(const struct wp_walk *walk, u32 epoch, u64 id)
{
	if (walk->notes.old)
		wp_stack_cache_keep(&walk->notes, walk->generation, walk->changes, epoch, id,
				    walk->stop, walk->flags);
}

/**
 * wp_stack_user_nmi - walk the user stack of a thread that was interrupted
 * @session: its options and mappings
 * @scratch: gets the addresses
 * @regs: what was interrupted: user or kernel code
 * @flags: how: WALLPROF_STACK_USER, …; some of the session's
 * @max: frames, 1 to WALLPROF_MAX_STACK
 * @walk: out
 *
 * Context: any, NMI included; preemption off.
 * Return: words; 0 if there is no user stack.
 */
unsigned int wp_stack_user_nmi(struct wp_session *session, struct wp_scratch *scratch,
			       struct pt_regs *regs, u32 flags, unsigned int max,
			       struct wp_walk *walk)
{
	bool by_tables = flags & WALLPROF_STACK_TABLES;
	bool by_fp = flags & WALLPROF_STACK_USER;
	struct pt_regs *event = regs;
	struct wp_reader reader = {};
	const struct wp_code *code;
	struct wp_cfi_result result;
	unsigned int nr;
	u64 ip, sp, fp;
	bool is64;

	if (!wp_stack_has_user(walk))
		return 0;
	regs = wp_stack_user_regs(regs);
	if (!regs)
		return 0;
	is64 = wp_regs_64bit(regs);
	ip = instruction_pointer(regs);
	sp = user_stack_pointer(regs);
	fp = wp_regs_fp(regs);
	code = by_tables && max > 1 ? wp_walk_code(session, is64, walk) : NULL;
	if (code) {
		struct wp_cfi_code cfi = { .maps = &code->maps, .by_fp = by_fp };

		reader.regs = regs;
		nr = wp_unwind_cfi(&wp_walk_ops_nmi, &reader, &cfi, ip, sp,
				   wp_user_limit(true), scratch->user, max, &result);
		wp_walk_take(walk, &result);
		if (unlikely(code->interp)) {
			nr = wp_interp_stack_nmi(code->interp, scratch, nr, max, event,
						 walk->stop, result.by_fp);
			walk->interp = scratch->runs.ended;
		}
		return nr;
	}
	if (max > 1 && !by_fp) {
		scratch->user[0] = ip;
		walk->stop = WALLPROF_UNWIND_NO_TABLE;
		return 1;
	}
	if (max > 1)
		walk->flags = WALLPROF_STACK_BY_FP;
	if (is64)
		return wp_unwind_fp(ip, sp, fp, 8, wp_user_limit(true),
				    wp_read_frame64_nmi, NULL, scratch->user, max,
				    &walk->stop);
	return wp_unwind_fp(ip, sp, fp, 4, wp_user_limit(false),
			    wp_read_frame32_nmi, NULL, scratch->user, max,
			    &walk->stop);
}
