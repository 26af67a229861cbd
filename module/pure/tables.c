// SPDX-License-Identifier: GPL-2.0
/*
 * The epoch tables: aggregates, and the stacks in their keys.
 *
 * This file owns the layout of a half, the interning of stacks and the adding to
 * aggregates. It is pure: it includes no tracing header, allocates nothing and is
 * compiled into the module, KUnit and userspace tests alike. Its callers are the probes
 * (irqs off) and the overflow handler (NMI or hard irq), each for tables of its own, and
 * process context for a half without a writer.
 *
 * Entries are dense, so that a reader reads only what is used; a hash index of tagged
 * words finds them. A word of the index carries the epoch in which it was written, so
 * that nothing has to be cleared when a half is used again: a word of another epoch is
 * free.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "pure/tables.h"

/* Words that a search looks at. The index is at most half full of aggregates. */
#define WP_HASH_STEPS	64

/*
 * A word of an index: epoch (28 bits), hash (15), entry (21). A match of these alone is
 * not enough: the entry itself is compared in full.
 */
#define WP_ENTRY_BITS	WALLPROF_STACK_INDEX_BITS
#define WP_ENTRY_MASK	((1ULL << WP_ENTRY_BITS) - 1)
#define WP_HASH_BITS	(64 - WALLPROF_STACK_EPOCH_BITS - WP_ENTRY_BITS)

/* A half's capacities are at most so many times twice as large after a flip. */
#define WP_GROW_AT_ONCE	2

/* Words of a stack's header. */
#define WP_STACK_HEAD	(sizeof(struct wallprof_stack) / sizeof(u64))

static_assert(sizeof(struct wallprof_stack) % sizeof(u64) == 0);
static_assert(WALLPROF_MAX_STACK_WORDS <= 1U << WALLPROF_STACK_INDEX_BITS);
static_assert(WALLPROF_MAX_AGGRS <= 1U << WP_ENTRY_BITS);
static_assert(!((WALLPROF_MAX_AGGRS - 1) & WALLPROF_INDEX_IS_WAIT));
static_assert(!((WALLPROF_MAX_WAITS - 1) & WALLPROF_INDEX_IS_WAIT));
static_assert(WALLPROF_STACK_INDEX_BITS + WALLPROF_STACK_CONTEXT_BITS +
	      WALLPROF_STACK_CPU_BITS + WALLPROF_STACK_EPOCH_BITS == 64);
/* The largest stack fits into the smallest table. */
static_assert(WP_STACK_HEAD + WALLPROF_MAX_STACK < WALLPROF_MIN_STACK_WORDS);

static u64 wp_tag(u32 epoch, u64 hash)
{
	return (u64)epoch << (64 - WALLPROF_STACK_EPOCH_BITS) |
	       hash >> (64 - WP_HASH_BITS) << WP_ENTRY_BITS;
}

/* One step of a multiplicative hash; the constant is 2^64 / golden ratio. */
static __always_inline u64 wp_mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static u32 wp_watermark(u32 capacity, u32 percent)
{
	u32 mark = div_u64((u64)capacity * percent, 100);

	return mark ? mark : 1;
}

/**
 * wp_sizes_set - compute capacities and layout
 * @sizes: to fill
 * @nr_aggrs: entries of an aggregate table
 * @stack_words: words of a stack table
 * @nr_exits: entries of a table of ended threads, or 0
 * @nr_waits: entries of a table of single intervals, or 0
 * @hists: each aggregate has a histogram
 * @watermark: percent of a capacity
 * @page_size: alignment of a half, a power of two
 *
 * Context: process. The numbers were validated by the caller.
 */
void wp_sizes_set(struct wp_table_sizes *sizes, u32 nr_aggrs, u32 stack_words,
		  u32 nr_exits, u32 nr_waits, bool hists, u32 watermark,
		  u64 page_size)
{
	u64 bytes = ALIGN(sizeof(struct wallprof_half), 64);

	sizes->nr_aggrs = nr_aggrs;
	sizes->stack_words = stack_words;
	sizes->nr_exits = nr_exits;
	sizes->nr_waits = nr_waits;
	sizes->hists = hists;
	sizes->aggr_mask = 2 * roundup_pow_of_two(nr_aggrs) - 1;
	/* Stacks of fewer than seven frames may run out of index first. */
	sizes->stack_mask = roundup_pow_of_two(stack_words / 4) - 1;
	sizes->aggr_watermark = wp_watermark(nr_aggrs, watermark);
	sizes->stack_watermark = wp_watermark(stack_words, watermark);
	sizes->exit_watermark = nr_exits ? wp_watermark(nr_exits, watermark) :
					   U32_MAX;
	sizes->wait_watermark = nr_waits ? wp_watermark(nr_waits, watermark) :
					   U32_MAX;
	sizes->aggrs_offset = bytes;
	bytes += (u64)nr_aggrs * sizeof(struct wallprof_aggr);
	sizes->stacks_offset = ALIGN(bytes, 64);
	bytes = sizes->stacks_offset + (u64)stack_words * sizeof(u64);
	sizes->exits_offset = ALIGN(bytes, 64);
	bytes = sizes->exits_offset + (u64)nr_exits * sizeof(struct wallprof_task);
	sizes->waits_offset = ALIGN(bytes, 64);
	bytes = sizes->waits_offset + (u64)nr_waits * sizeof(struct wallprof_wait);
	sizes->hists_offset = ALIGN(bytes, 64);
	if (hists)
		bytes = sizes->hists_offset + (u64)nr_aggrs * sizeof(struct wallprof_hist);
	sizes->half_stride = ALIGN(bytes, page_size);
	sizes->aggr_index_offset = sizes->half_stride;
	bytes = sizes->aggr_index_offset + (sizes->aggr_mask + 1ULL) * sizeof(u64);
	sizes->stack_index_offset = ALIGN(bytes, 64);
	bytes = sizes->stack_index_offset + (sizes->stack_mask + 1ULL) * sizeof(u64);
	sizes->area_bytes = ALIGN(bytes, page_size);
}

/**
 * wp_sizes_place - move the parts of a half to where they are in a larger one
 * @sizes: as set by wp_sizes_set()
 * @largest: likewise, with no smaller capacities
 *
 * So the parts of a half can grow without being moved: what they do not use yet are
 * pages between them.
 *
 * Context: process.
 */
void wp_sizes_place(struct wp_table_sizes *sizes, const struct wp_table_sizes *largest)
{
	sizes->aggrs_offset = largest->aggrs_offset;
	sizes->stacks_offset = largest->stacks_offset;
	sizes->exits_offset = largest->exits_offset;
	sizes->waits_offset = largest->waits_offset;
	sizes->hists_offset = largest->hists_offset;
	sizes->half_stride = largest->half_stride;
	sizes->aggr_index_offset = largest->aggr_index_offset;
	sizes->stack_index_offset = largest->stack_index_offset;
	sizes->area_bytes = largest->area_bytes;
}

/* A part of a half, from its start. */
struct wp_part_at {
	u64 at;
	u64 bytes;
};

#define WP_HALF_PARTS	8

/* The parts of a half in the order in which they are there. */
static void wp_sizes_parts(const struct wp_table_sizes *sizes,
			   struct wp_part_at parts[WP_HALF_PARTS])
{
	const struct wp_part_at all[WP_HALF_PARTS] = {
		{ 0, sizeof(struct wallprof_half) },
		{ sizes->aggrs_offset, sizes->nr_aggrs * sizeof(struct wallprof_aggr) },
		{ sizes->stacks_offset, sizes->stack_words * sizeof(u64) },
		{ sizes->exits_offset, sizes->nr_exits * sizeof(struct wallprof_task) },
		{ sizes->waits_offset, sizes->nr_waits * sizeof(struct wallprof_wait) },
		{ sizes->hists_offset, sizes->hists ? sizes->nr_aggrs *
						      sizeof(struct wallprof_hist) : 0 },
		{ sizes->aggr_index_offset, (sizes->aggr_mask + 1ULL) * sizeof(u64) },
		{ sizes->stack_index_offset, (sizes->stack_mask + 1ULL) * sizeof(u64) },
	};

	memcpy(parts, all, sizeof(all));
}

/**
 * wp_sizes_use - find out whether some bytes of a half are a part's
 * @sizes: as set by wp_sizes_set() or wp_sizes_place()
 * @at: where the bytes begin, from the start of the half
 * @bytes: how many
 *
 * Context: process.
 * Return: whether any of them is in a table or an index.
 */
bool wp_sizes_use(const struct wp_table_sizes *sizes, u64 at, u64 bytes)
{
	struct wp_part_at parts[WP_HALF_PARTS];
	unsigned int i;

	wp_sizes_parts(sizes, parts);
	for (i = 0; i < WP_HALF_PARTS; i++) {
		if (parts[i].bytes && at < parts[i].at + parts[i].bytes &&
		    parts[i].at < at + bytes)
			return true;
	}
	return false;
}

/**
 * wp_sizes_bytes - count the memory of a half
 * @sizes: as set by wp_sizes_set() or wp_sizes_place()
 * @page_size: as there
 *
 * Context: process.
 * Return: bytes of the pages that have a part of a table or an index.
 */
u64 wp_sizes_bytes(const struct wp_table_sizes *sizes, u64 page_size)
{
	struct wp_part_at parts[WP_HALF_PARTS];
	u64 counted = 0, bytes = 0, from, to;
	unsigned int i;

	wp_sizes_parts(sizes, parts);
	for (i = 0; i < WP_HALF_PARTS; i++) {
		if (!parts[i].bytes)
			continue;
		/* The first page can have the end of the part before. */
		from = max(counted, parts[i].at & ~(page_size - 1));
		to = ALIGN(parts[i].at + parts[i].bytes, page_size);
		bytes += to - from;
		counted = to;
	}
	return bytes;
}

/**
 * wp_tables_set - initialize the tables of a CPU and context
 * @tables: zeroes; wp_half_set() sets the halves
 * @cpu: the CPU
 * @context: WP_CONTEXT_SCHED or WP_CONTEXT_SAMPLER
 *
 * Context: process, before any writer knows the tables.
 */
void wp_tables_set(struct wp_tables *tables, u32 cpu, u32 context)
{
	tables->cpu = cpu;
	tables->context = context;
}

/**
 * wp_half_set - give memory to a half
 * @half: without a writer or reader
 * @sizes: as set by wp_sizes_set() or wp_sizes_place(); kept
 * @area: &wp_table_sizes.area_bytes. What was not in an area of the half before is zeroed
 *
 * Context: process, before wp_half_begin().
 */
void wp_half_set(struct wp_half *half, const struct wp_table_sizes *sizes, void *area)
{
	char *base = area;

	half->sizes = sizes;
	half->head = (struct wallprof_half *)base;
	half->aggrs = (struct wallprof_aggr *)(base + sizes->aggrs_offset);
	half->stacks = (u64 *)(base + sizes->stacks_offset);
	half->exits = (struct wallprof_task *)(base + sizes->exits_offset);
	half->waits = (struct wallprof_wait *)(base + sizes->waits_offset);
	half->hists = (struct wallprof_hist *)(base + sizes->hists_offset);
	half->aggr_index = (u64 *)(base + sizes->aggr_index_offset);
	half->stack_index = (u64 *)(base + sizes->stack_index_offset);
}

/* How often a table has to double to hold what it holds, and what it lost. */
static unsigned int wp_wants(u64 used, u64 lost, u64 capacity, u64 watermark)
{
	/* A search of an index can give up before a table is full. */
	unsigned int doublings = lost || used >= watermark ? 1 : 0;

	while (doublings && doublings < WP_GROW_AT_ONCE && used + lost > capacity << doublings)
		doublings++;
	return doublings;
}

/**
 * wp_half_wants - find out how much larger a half's tables should be
 * @half: a half
 *
 * Above a watermark the reader was woken, and reads again what it has read in the last epoch.
 * A stack that is lost is counted each time, so the result can be too large; it is bounded.
 *
 * Context: process. The half may have a writer: the numbers are those of some moment.
 * Return: how often its capacities have to double; 0 if nothing was lost, and no table is
 * above its watermark.
 */
unsigned int wp_half_wants(const struct wp_half *half)
{
	const struct wallprof_half *head = half->head;
	const struct wp_table_sizes *sizes = half->sizes;
	u64 words = READ_ONCE(head->stack_words), stacks = READ_ONCE(head->nr_stacks);
	u64 lost = READ_ONCE(head->lost[WALLPROF_LOSS_STACK_FULL].count);
	unsigned int wants;

	wants = wp_wants(words, lost * (stacks ? div64_u64(words, stacks) : 1),
			 sizes->stack_words, sizes->stack_watermark);
	wants = max(wants, wp_wants(READ_ONCE(head->nr_aggrs),
				    READ_ONCE(head->lost[WALLPROF_LOSS_AGGR_FULL].count),
				    sizes->nr_aggrs, sizes->aggr_watermark));
	wants = max(wants, wp_wants(READ_ONCE(head->nr_waits),
				    READ_ONCE(head->waits_full.count),
				    sizes->nr_waits, sizes->wait_watermark));
	return max(wants, wp_wants(READ_ONCE(head->nr_exits),
				   READ_ONCE(head->lost[WALLPROF_LOSS_EXIT_FULL].count),
				   sizes->nr_exits, sizes->exit_watermark));
}

/**
 * wp_half_begin - prepare an unused half for an epoch
 * @tables: the CPU's tables
 * @epoch: 1 to WP_EPOCH_MAX, larger than any that the half has held
 *
 * Context: process. The half has no writer; the release store that makes
 * @epoch the current one publishes what is written here.
 */
void wp_half_begin(struct wp_tables *tables, u32 epoch)
{
	struct wp_half *half = wp_half_of(tables, epoch);
	struct wallprof_half *head = half->head;

	memset(half->hits, 0, sizeof(half->hits));
	memset(head, 0, sizeof(*head));
	head->epoch = epoch;
	head->cpu = tables->cpu;
	head->stack_words = 1;
}

/**
 * wp_half_settle - add the fast path's counts to a half's head
 * @half: the half
 *
 * Context: process. The half has no writer any more, and no reader yet.
 */
void wp_half_settle(struct wp_half *half)
{
	struct wallprof_half *head = half->head;
	unsigned int i;

	for (i = 0; i < WP_CACHE_HITS; i++) {
		struct wp_cache_hits *hits = &half->hits[i];
		unsigned int interp = i / (2 * WALLPROF_UNWIND_MAX);
		u64 stacks = hits->known + hits->woke;

		head->events += hits->summed;
		head->switches[WALLPROF_SWITCH_LEFT_CACHED] += hits->known;
		head->switches[WALLPROF_SWITCH_CAME_CACHED] += hits->summed;
		head->unwinds[i / 2 % WALLPROF_UNWIND_MAX] += stacks;
		head->walks_remembered += stacks;
		head->walks_mixed += i % 2 ? stacks : 0;
		if (interp)
			head->interps[interp - 1] += stacks;
		memset(hits, 0, sizeof(*hits));
	}
}

/* Id of a stack, or of an aggregate or single interval. */
static u64 wp_stack_id(const struct wp_tables *tables, u32 epoch, u32 index)
{
	return (u64)epoch << 36 | (u64)tables->cpu << 22 |
	       (u64)tables->context << 21 | index;
}

/**
 * wp_stack_intern - find a stack in this epoch's table, or add it
 * @tables: the CPU's tables
 * @epoch: the current epoch
 * @ips: addresses, the innermost first, or the words of another record
 * @nr: how many, at most WALLPROF_MAX_STACK
 * @unwind: enum wallprof_unwind
 * @flags: WALLPROF_STACK_IS_KERNEL, …
 *
 * Two stacks are the same if all of their addresses, @unwind and @flags are.
 *
 * Context: the tables' writer, any.
 * Return: the stack's id; 0 if there is no room, which is counted.
 */
u64 wp_stack_intern(struct wp_tables *tables, u32 epoch, const u64 *ips,
		    unsigned int nr, u8 unwind, u8 flags)
{
	struct wp_half *half = wp_half_of(tables, epoch);
	const struct wp_table_sizes *sizes = half->sizes;
	u64 header = nr | (u64)unwind << 16 | (u64)flags << 24;
	u64 hash = wp_mix(0, header);
	struct wallprof_stack *stack;
	u64 tag, word;
	u32 slot, at;
	int i;

	for (i = 0; i < nr; i++)
		hash = wp_mix(hash, ips[i]);
	tag = wp_tag(epoch, hash);
	slot = hash & sizes->stack_mask;
	for (i = 0; i < WP_HASH_STEPS; i++, slot = (slot + 1) & sizes->stack_mask) {
		word = half->stack_index[slot];
		if ((word ^ tag) >> (64 - WALLPROF_STACK_EPOCH_BITS))
			break;
		if ((word ^ tag) & ~WP_ENTRY_MASK)
			continue;
		at = word & WP_ENTRY_MASK;
		stack = (struct wallprof_stack *)&half->stacks[at];
		if (stack->nr == nr && stack->unwind == unwind &&
		    stack->flags == flags &&
		    !memcmp(stack->ips, ips, nr * sizeof(*ips)))
			return wp_stack_id(tables, epoch, at);
	}
	at = half->head->stack_words;
	if (i == WP_HASH_STEPS || sizes->stack_words - at < WP_STACK_HEAD + nr) {
		wp_half_lose(half, WALLPROF_LOSS_STACK_FULL, 0);
		return 0;
	}
	stack = (struct wallprof_stack *)&half->stacks[at];
	stack->nr = nr;
	stack->unwind = unwind;
	stack->flags = flags;
	stack->reserved = 0;
	memcpy(stack->ips, ips, nr * sizeof(*ips));
	half->stack_index[slot] = tag | at;
	half->head->nr_stacks++;
	half->head->stack_words = at + WP_STACK_HEAD + nr;
	return wp_stack_id(tables, epoch, at);
}

static u64 wp_aggr_hash(const struct wallprof_aggr *key)
{
	u64 hash;

	hash = wp_mix(key->start_time, (u64)key->tgid << 32 | key->tid);
	hash = wp_mix(hash, (u64)key->exec_id << 32 | (u32)key->flags << 16 |
			    (u32)key->state << 8 | key->kind);
	hash = wp_mix(hash, key->user_stack);
	hash = wp_mix(hash, key->kernel_stack);
	hash = wp_mix(hash, (u64)key->waker_tid << 32 | (u32)key->syscall << 16 |
			    (u32)key->reason << 8 | key->waker);
	hash = wp_mix(hash, key->arg);
	return wp_mix(hash, key->waker_stack);
}

/**
 * wp_aggr_add - add an interval or a sample to its aggregate
 * @tables: the CPU's tables
 * @epoch: the current epoch
 * @key: the fields before count, and runnable; the others are not read
 * @value: nanoseconds, or the period
 * @time: when the interval ended, or the sample was taken
 *
 * Context: the tables' writer, any.
 * Return: whether there was room. What is lost is counted with @value.
 */
bool wp_aggr_add(struct wp_tables *tables, u32 epoch,
		 const struct wallprof_aggr *key, u64 value, u64 time)
{
	struct wp_half *half = wp_half_of(tables, epoch);
	const struct wp_table_sizes *sizes = half->sizes;
	u64 hash = wp_aggr_hash(key);
	u64 tag = wp_tag(epoch, hash);
	u32 slot = hash & sizes->aggr_mask;
	struct wallprof_aggr *aggr;
	u64 word;
	u32 at;
	int i;

	half->head->events++;
	for (i = 0; i < WP_HASH_STEPS; i++, slot = (slot + 1) & sizes->aggr_mask) {
		word = half->aggr_index[slot];
		if ((word ^ tag) >> (64 - WALLPROF_STACK_EPOCH_BITS))
			break;
		if ((word ^ tag) & ~WP_ENTRY_MASK)
			continue;
		at = word & WP_ENTRY_MASK;
		aggr = &half->aggrs[at];
		if (!wp_aggr_same(aggr, key))
			continue;
		wp_aggr_sum(aggr, value, key->runnable, time);
		*wp_aggr_recent(tables, key->tid, key->user_stack) = at;
		return true;
	}
	at = half->head->nr_aggrs;
	if (i == WP_HASH_STEPS || at == sizes->nr_aggrs) {
		wp_half_lose(half, WALLPROF_LOSS_AGGR_FULL, value);
		return false;
	}
	aggr = &half->aggrs[at];
	*aggr = *key;
	aggr->count = 1;
	aggr->total = value;
	aggr->min = value;
	aggr->max = value;
	aggr->first = time;
	aggr->last = time;
	aggr->runnable_max = key->runnable;
	aggr->blocked_max = value - key->runnable;
	aggr->waker_aggr = 0;
	if (sizes->hists)
		memset(&half->hists[at], 0, sizeof(half->hists[at]));
	half->aggr_index[slot] = tag | at;
	*wp_aggr_recent(tables, key->tid, key->user_stack) = at;
	half->head->nr_aggrs = at + 1;
	return true;
}

/**
 * wp_aggr_chain - link an interval to the last interval of its waker
 * @tables: the CPU's tables
 * @epoch: the current epoch
 * @key: as just added, for which there was room; nothing was added since
 * @waker_aggr: what this or wp_wait_chain() returned for the waker's; 0: not known
 *
 * The link is no part of the key: aggregates that differ by their waker's, which differ
 * likewise, would be new ones each time.
 *
 * Context: the tables' writer, any.
 * Return: the aggregate's id.
 */
u64 wp_aggr_chain(struct wp_tables *tables, u32 epoch,
		  const struct wallprof_aggr *key, u64 waker_aggr)
{
	u32 at = *wp_aggr_recent(tables, key->tid, key->user_stack);

	wp_half_of(tables, epoch)->aggrs[at].waker_aggr = waker_aggr;
	return wp_stack_id(tables, epoch, at);
}

/**
 * wp_wait_chain - link a single interval to the last interval of its waker
 * @tables: the CPU's tables
 * @epoch: the current epoch, in which wp_wait_add() had room; nothing was added since
 * @waker_aggr: what this or wp_aggr_chain() returned for the waker's; 0: not known
 *
 * Context: the tables' writer, any.
 * Return: the interval's id.
 */
u64 wp_wait_chain(struct wp_tables *tables, u32 epoch, u64 waker_aggr)
{
	struct wp_half *half = wp_half_of(tables, epoch);
	u32 at = half->head->nr_waits - 1;

	half->waits[at].waker_aggr = waker_aggr;
	return wp_stack_id(tables, epoch, WALLPROF_INDEX_IS_WAIT | at);
}

/**
 * wp_exit_add - keep the totals of a thread that has ended
 * @tables: the CPU's tables
 * @epoch: the current epoch
 * @task: its slot
 *
 * Context: the tables' writer, any.
 * Return: whether there was room; a loss is counted.
 */
bool wp_exit_add(struct wp_tables *tables, u32 epoch,
		 const struct wallprof_task *task)
{
	struct wp_half *half = wp_half_of(tables, epoch);
	u32 at = half->head->nr_exits;

	if (at == half->sizes->nr_exits) {
		wp_half_lose(half, WALLPROF_LOSS_EXIT_FULL, task->spill_ns);
		return false;
	}
	half->exits[at] = *task;
	half->head->nr_exits = at + 1;
	return true;
}

/**
 * wp_wait_add - keep a single interval
 * @tables: the CPU's tables
 * @epoch: the current epoch
 * @key: the fields before count, and runnable; the others are not read
 * @more: its system call's second and third argument
 * @ns: its length
 * @now: when it ended
 *
 * Context: the tables' writer, any.
 * Return: whether there was room. If not, that is counted, and the caller adds the
 * interval to its aggregate.
 */
bool wp_wait_add(struct wp_tables *tables, u32 epoch, const struct wallprof_aggr *key,
		 const u64 more[2], u64 ns, u64 now)
{
	struct wp_half *half = wp_half_of(tables, epoch);
	struct wallprof_half *head = half->head;
	u32 at = head->nr_waits;

	if (at == half->sizes->nr_waits) {
		head->waits_full.count++;
		head->waits_full.ns += ns;
		return false;
	}
	half->waits[at] = (struct wallprof_wait){
		.tid = key->tid,
		.tgid = key->tgid,
		.start_time = key->start_time,
		.exec_id = key->exec_id,
		.kind = key->kind,
		.state = key->state,
		.flags = key->flags,
		.user_stack = key->user_stack,
		.kernel_stack = key->kernel_stack,
		.waker_tid = key->waker_tid,
		.syscall = key->syscall,
		.reason = key->reason,
		.waker = key->waker,
		.arg = key->arg,
		.waker_stack = key->waker_stack,
		.begin = now - ns,
		.end = now,
		.runnable = key->runnable,
		.arg2 = more[0],
		.arg3 = more[1],
	};
	head->events++;
	head->nr_waits = at + 1;
	return true;
}
