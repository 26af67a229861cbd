// SPDX-License-Identifier: GPL-2.0
/*
 * The memory that a session has for each CPU: tables, indexes, ring, caches. growth.c lets
 * tables have more.
 *
 * CPUs that are online at CONFIGURE have it from the beginning, the others get it when
 * they come online, before anything runs there. It is on the CPU's node, is charged to
 * the session's owner alone, and stays until the session ends, also if the CPU goes
 * offline: what was recorded there is still to be read. A CPU that came when no memory
 * could be allocated has &wp_cpu_none, like those that never came; the probes count what
 * is lost.
 *
 * Callers are session.c and configure.c (process context, session->lock held) and CPU
 * hotplug (process context, the hotplug lock held for writing, on another CPU than the one
 * that comes).
 * Hotplug must not wait for session->lock, whose holders wait for the hotplug lock.
 */
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "compat/memcg.h"
#include "compat/mm.h"
#include "compat/vmalloc.h"
#include "cpus.h"
#include "kernel_cache.h"
#include "pure/stack_cache.h"
#include "pure/step_cache.h"
#include "pure/switch_cache.h"
#include "state.h"

/* A request that is too large must fail, not start the OOM killer. */
#define WP_GFP	(GFP_KERNEL_ACCOUNT | WP_GFP_MAY_FAIL)

/* With the CPUs that come late, a session has at most this part of the memory. */
#define WP_RAM_SHARE	4

/* Tries to take the lock of the owner's memory, from hotplug, a millisecond apart. */
#define WP_CHARGE_TRIES	5

/*
 * References to the empty page at which no more is mapped: some 8 GiB of page tables. With
 * four times as many the counter would wrap, and the page be freed while it is mapped.
 */
#define WP_EMPTY_REFS	(INT_MAX / 2)

/* For all CPUs without memory. Never written to: every writer finds it busy. */
static const struct wp_cpu wp_cpu_none = {
	.nomem = true,
	.sched_busy = true,
	.sampler_busy = true,
};

static enum cpuhp_state wp_cpus_state;	/* written once, at load */

#define WP_SWITCH_KERNEL_BYTES	(sizeof(struct wp_cached_kernel) << WP_SWITCH_CACHE_BITS)
#define WP_STACK_CACHE_BYTES	ALIGN(sizeof(struct wp_stack_cache), SMP_CACHE_BYTES)
#define WP_FAR_BYTES		ALIGN(sizeof(struct wp_far_ring), SMP_CACHE_BYTES)
#define WP_STEPS_BYTES		ALIGN(sizeof(struct wp_step_cache), SMP_CACHE_BYTES)

/* Bytes of what only walks by tables need, beside a cache of user stacks. */
static size_t wp_cpus_walk_bytes(const struct wp_session *session)
{
	return session->config.stack_flags & WALLPROF_STACK_TABLES ?
	       WP_FAR_BYTES + WP_STEPS_BYTES : 0;
}

/* Bytes of a CPU's stack cache, of a session that walks user stacks at switches. */
static size_t wp_cpus_stack_cache_bytes(const struct wp_session *session)
{
	return session->config.flags & WALLPROF_OFFCPU &&
	       session->config.stack_flags & WP_STACK_WALK ?
	       WP_STACK_CACHE_BYTES + wp_cpus_walk_bytes(session) : 0;
}

/* Bytes of its stack cache for samples. */
static size_t wp_cpus_sample_cache_bytes(const struct wp_session *session)
{
	return session->config.flags & WALLPROF_SAMPLE_CACHE ?
	       WP_STACK_CACHE_BYTES + wp_cpus_walk_bytes(session) : 0;
}

/* Bytes of a CPU's switch cache, of a session that is wp_session_is_fast(). */
static size_t wp_cpus_switch_cache_bytes(const struct wp_session *session)
{
	return session->config.flags & WALLPROF_OFFCPU && wp_session_is_fast(session) ?
	       sizeof(struct wp_switch_cache) : 0;
}

/*
 * Bytes of a CPU's cache of kernel stacks, and of the switch cache's parts that are of them,
 * of a session that walks kernel stacks at switches.
 */
static size_t wp_cpus_kernel_cache_bytes(const struct wp_session *session)
{
	return WP_HAS_KERNEL_CACHE && session->config.flags & WALLPROF_OFFCPU &&
	       session->config.stack_flags & WALLPROF_STACK_KERNEL ?
	       WP_STACK_CACHE_BYTES + WP_SWITCH_KERNEL_BYTES : 0;
}

/* Whether halves of a layout, when they have grown, can be mapped, and filled. */
static bool wp_cpus_may_grow(const struct wp_layout *layout)
{
	u64 most = (u64)(totalram_pages() / WP_RAM_SHARE) << PAGE_SHIFT;

	return layout->sched[layout->growth].area_bytes <= most &&
	       layout->sampler[layout->growth].area_bytes <= most;
}

/**
 * wp_cpus_lay_out - compute the layout of the mapping, and the memory
 * @session: being configured
 *
 * For the CPUs that are online now; wp_cpus_allocate() allocates for these.
 *
 * Context: process.
 * Return: false if a CPU's tables are too large.
 */
bool wp_cpus_lay_out(struct wp_session *session)
{
	struct wp_machine machine = {
		.page_size = PAGE_SIZE,
		.cpu_bytes = sizeof(struct wp_cpu),
		.cache_bytes = wp_cpus_stack_cache_bytes(session) +
			       wp_cpus_sample_cache_bytes(session) +
			       wp_cpus_switch_cache_bytes(session) +
			       wp_cpus_kernel_cache_bytes(session),
		.nr_cpus = nr_cpu_ids,
		.growth = WALLPROF_MAX_GROWTH,
	};

	cpus_read_lock();
	cpumask_copy(session->cpus_first, cpu_online_mask);
	cpus_read_unlock();
	machine.nr_online = cpumask_weight(session->cpus_first);
	/* vmap() maps no more pages than the machine has, those of holes counted. */
	while (wp_layout_set(&session->layout, &session->config, &machine)) {
		if (!session->layout.growth || wp_cpus_may_grow(&session->layout))
			return true;
		machine.growth = session->layout.growth - 1;
	}
	return false;
}

static void wp_cpus_put(const struct wp_session *session, struct wp_cpu *cpu)
{
	int i;

	for (i = 0; i < 2; i++) {
		wp_area_free(&cpu->sched_areas[i], session->empty);
		wp_area_free(&cpu->sampler_areas[i], session->empty);
	}
	wp_area_free(&cpu->other, session->empty);
	kvfree(cpu);
}

/* Makes an empty cache of user stacks, of zeroes. Its far words and its steps are behind it. */
static void wp_cpus_set_stack_cache(const struct wp_session *session, struct wp_stack_cache *cache)
{
	char *at = (char *)cache + WP_STACK_CACHE_BYTES;

	wp_stack_cache_init(cache);
	if (wp_cpus_walk_bytes(session)) {
		cache->far = (void *)at;
		cache->steps = (void *)(at + WP_FAR_BYTES);
	}
}

/* Lays a CPU's ring and caches into its memory. */
static void wp_cpus_set(struct wp_session *session, struct wp_cpu *cpu, unsigned int nr)
{
	const struct wallprof_configure *config = &session->config;
	char *ring = cpu->other.memory;
	char *at = ring + session->layout.ring_stride;

	if (wp_cpus_stack_cache_bytes(session)) {
		cpu->stack_cache = (struct wp_stack_cache *)at;
		at += wp_cpus_stack_cache_bytes(session);
		wp_cpus_set_stack_cache(session, cpu->stack_cache);
	}
	if (wp_cpus_sample_cache_bytes(session)) {
		cpu->sample_cache = (struct wp_stack_cache *)at;
		at += wp_cpus_sample_cache_bytes(session);
		wp_cpus_set_stack_cache(session, cpu->sample_cache);
	}
	if (wp_cpus_switch_cache_bytes(session)) {
		cpu->switch_cache = (struct wp_switch_cache *)at;
		at += wp_cpus_switch_cache_bytes(session);
		wp_switch_cache_init(cpu->switch_cache);
	}
	if (wp_cpus_kernel_cache_bytes(session)) {
		cpu->kernel_cache = (struct wp_stack_cache *)at;
		cpu->switch_kernel = (void *)(at + WP_STACK_CACHE_BYTES);
		wp_stack_cache_init(cpu->kernel_cache);
	}
	if (config->flags & WALLPROF_TIMELINE)
		wp_ring_set(&cpu->ring, ring, PAGE_SIZE, &session->tails[nr],
			    config->nr_records, config->flags & WALLPROF_OVERWRITE);
}

/**
 * wp_cpus_node - find the node of a CPU
 * @nr: the CPU
 *
 * Context: process.
 * Return: the node, if memory can be allocated there, or NUMA_NO_NODE.
 */
int wp_cpus_node(unsigned int nr)
{
	int node = cpu_to_node(nr);

	return node != NUMA_NO_NODE && !node_online(node) ? NUMA_NO_NODE : node;
}

/* Makes a context's two halves, in their first size. */
static bool wp_cpus_make_tables(const struct wp_session *session, struct wp_tables *tables,
				struct wp_area *areas, const struct wp_table_sizes *sizes,
				unsigned int nr, u32 context)
{
	int i;

	wp_tables_set(tables, nr, context);
	for (i = 0; i < 2; i++) {
		if (!wp_area_make(&areas[i], sizes->area_bytes, sizes, wp_cpus_node(nr),
				  session->empty))
			return false;
		wp_half_set(&tables->half[i], sizes, areas[i].memory);
	}
	return true;
}

/* Allocates a CPU's memory, on its node; NULL if there is none. */
static struct wp_cpu *wp_cpus_make(struct wp_session *session, unsigned int nr)
{
	const struct wp_layout *layout = &session->layout;
	u32 flags = session->config.flags;
	struct wp_cpu *cpu;

	cpu = kvmalloc_node(sizeof(*cpu), WP_GFP | __GFP_ZERO, wp_cpus_node(nr));
	if (!cpu)
		return NULL;
	if (flags & WALLPROF_OFFCPU &&
	    !wp_cpus_make_tables(session, &cpu->sched, cpu->sched_areas, layout->sched, nr,
				 WP_CONTEXT_SCHED))
		goto put;
	if (flags & WALLPROF_SAMPLER &&
	    !wp_cpus_make_tables(session, &cpu->sampler, cpu->sampler_areas, layout->sampler, nr,
				 WP_CONTEXT_SAMPLER))
		goto put;
	if (layout->other_bytes && !wp_area_make(&cpu->other, layout->other_bytes, NULL,
						 wp_cpus_node(nr), session->empty))
		goto put;
	wp_cpus_set(session, cpu, nr);
	return cpu;
put:
	wp_cpus_put(session, cpu);
	return NULL;
}

/**
 * wp_cpus_allocate - allocate memory for the CPUs that are online
 * @session: being configured, laid out and charged
 *
 * Context: process.
 * Return: 0, -ENOMEM or -EINTR; then wp_cpus_free() frees what was allocated.
 */
int wp_cpus_allocate(struct wp_session *session)
{
	struct wp_cpu *cpu;
	unsigned int nr;

	session->empty = alloc_page(WP_GFP | __GFP_ZERO);
	if (!session->empty)
		return -ENOMEM;
	/* Once allocated, every entry is set: wp_cpus_free() relies on that. */
	session->cpus = kvcalloc(nr_cpu_ids, sizeof(*session->cpus), GFP_KERNEL_ACCOUNT);
	if (!session->cpus)
		return -ENOMEM;
	for (nr = 0; nr < nr_cpu_ids; nr++)
		session->cpus[nr] = (struct wp_cpu *)&wp_cpu_none;
	for_each_cpu(nr, session->cpus_first) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cpu = wp_cpus_make(session, nr);
		if (!cpu)
			return -ENOMEM;
		session->cpus[nr] = cpu;
	}
	return 0;
}

/**
 * wp_cpus_pay - charge the pages that the owner owes to its locked memory
 * @session: a session
 *
 * Only if the lock of its memory is free: the owner may hold it as long as it likes, for
 * a page that does not come, and neither hotplug nor session->lock may wait for that.
 *
 * Context: process; session->lock or the hotplug lock held.
 */
void wp_cpus_pay(struct wp_session *session)
{
	struct mm_struct *mm = session->mm;

	/* Not mmap_write_lock(), which also announces that mappings may change. */
	if (!atomic_long_read(&session->owed_pages) || !down_write_trylock(&mm->mmap_lock))
		return;
	mm->locked_vm += atomic_long_xchg(&session->owed_pages, 0);
	up_write(&mm->mmap_lock);
}

/**
 * wp_cpus_may_have - find out whether a session may have so many pages more
 * @session: a session
 * @pages: how many
 *
 * Owners with CAP_IPC_LOCK have no limit of locked memory, and chose sizes for the CPUs that
 * were there.
 *
 * Context: process; session->lock or the hotplug lock held.
 * Return: whether the owner's limit of locked memory, and the host's memory, allow them.
 */
bool wp_cpus_may_have(struct wp_session *session, unsigned long pages)
{
	unsigned long has = session->mm_pages + atomic_long_read(&session->late_pages) +
			    atomic_long_read(&session->grown_pages);
	unsigned long locked = READ_ONCE(session->mm->locked_vm) +
			       atomic_long_read(&session->owed_pages);

	return has + pages <= totalram_pages() / WP_RAM_SHARE &&
	       locked + pages <= session->mm_limit;
}

/*
 * Charges pages to the owner, now or as owed; false if its limit does not allow them.
 * @count is where they are counted.
 */
static bool wp_cpus_charge(struct wp_session *session, unsigned long pages, atomic_long_t *count)
{
	if (!wp_cpus_may_have(session, pages))
		return false;
	atomic_long_add(pages, count);
	atomic_long_add(pages, &session->owed_pages);
	wp_cpus_pay(session);
	return true;
}

/* Tries for a moment to charge what is owed. */
static void wp_cpus_pay_soon(struct wp_session *session)
{
	int i;

	for (i = 1; i < WP_CHARGE_TRIES && atomic_long_read(&session->owed_pages); i++) {
		usleep_range(USEC_PER_MSEC, 2 * USEC_PER_MSEC);
		wp_cpus_pay(session);
	}
}

/* wp_cpus_make(), charged to the owner, which need not be current. */
static struct wp_cpu *wp_cpus_make_charged(struct wp_session *session, unsigned int nr)
{
	unsigned long pages = session->layout.cpu_memory >> PAGE_SHIFT;
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(session->mm);
	struct mem_cgroup *old = wp_set_active_memcg(memcg);
	struct wp_cpu *cpu = wp_cpus_make(session, nr);

	wp_set_active_memcg(old);
	mem_cgroup_put(memcg);
	if (!cpu)
		return NULL;
	if (!wp_cpus_charge(session, pages, &session->late_pages)) {
		wp_cpus_put(session, cpu);
		return NULL;
	}
	wp_cpus_pay_soon(session);
	return cpu;
}

/*
 * Publishes the memory of a CPU that came late. @cpus_lock orders it with the start of an
 * epoch: a flip sees the CPU, or was before. The lock of the empty page orders it with
 * wp_cpus_fault(): a fault sees the CPU, or has mapped the empty page before, and that
 * mapping is removed here.
 */
static void wp_cpus_publish(struct wp_session *session, unsigned int nr, struct wp_cpu *cpu)
{
	const struct wp_layout *layout = &session->layout;
	const struct wallprof_configure *config = &session->config;

	mutex_lock(&session->cpus_lock);
	wp_session_begin_cpu(session, cpu, session->epoch);
	lock_page(session->empty);
	/* Pairs with wp_session_cpu(). The CPU itself runs nothing yet. */
	smp_store_release(&session->cpus[nr], cpu);
	unlock_page(session->empty);
	mutex_unlock(&session->cpus_lock);
	/*
	 * Mappings of other sessions at these offsets go, too, and are faulted in again.
	 */
	if (layout->cpu_stride)
		unmap_mapping_range(session->mapping,
				    config->cpus_offset + nr * layout->cpu_stride,
				    layout->cpu_stride, 1);
	if (layout->ring_stride)
		unmap_mapping_range(session->mapping,
				    config->rings_offset + nr * layout->ring_stride,
				    layout->ring_stride, 1);
}

/*
 * Adds memory for a CPU that comes, or came while the session was configured. A lack of
 * memory must not keep the CPU from coming: it is counted.
 *
 * Context: process, the hotplug lock held.
 */
static void wp_cpus_add(struct wp_session *session, unsigned int nr)
{
	struct wp_cpu *cpu;

	if (!session->cpus[nr]->nomem)
		return;
	cpu = wp_cpus_make_charged(session, nr);
	if (cpu)
		wp_cpus_publish(session, nr, cpu);
	else
		atomic_inc(&session->cpus_failed);
}

/* Context: process, the hotplug lock held for writing; the CPU runs nothing yet. */
static int wp_cpus_prepare(unsigned int nr, struct hlist_node *node)
{
	wp_cpus_add(hlist_entry(node, struct wp_session, cpus_node), nr);
	return 0;
}

/**
 * wp_cpus_follow - register for CPUs that come online
 * @session: being configured, its first epoch begun
 *
 * Context: process.
 * Return: 0, or the kernel's error.
 */
int wp_cpus_follow(struct wp_session *session)
{
	unsigned int nr;
	int err;

	err = cpuhp_state_add_instance_nocalls(wp_cpus_state, &session->cpus_node);
	if (err)
		return err;
	session->cpus_followed = true;
	/* CPUs that came since wp_cpus_lay_out(). */
	cpus_read_lock();
	for_each_online_cpu(nr)
		wp_cpus_add(session, nr);
	cpus_read_unlock();
	return 0;
}

/**
 * wp_cpus_unfollow - unregister from CPU hotplug
 * @session: a session
 *
 * Context: process. When it returns, no CPU is added any more.
 */
void wp_cpus_unfollow(struct wp_session *session)
{
	if (session->cpus_followed)
		cpuhp_state_remove_instance_nocalls(wp_cpus_state, &session->cpus_node);
	session->cpus_followed = false;
}

/**
 * wp_cpus_free - free the memory of all CPUs
 * @session: a session without other users, which follows no CPUs
 *
 * Context: process.
 */
void wp_cpus_free(struct wp_session *session)
{
	unsigned int nr;

	for (nr = 0; session->cpus && nr < nr_cpu_ids; nr++) {
		if (!session->cpus[nr]->nomem)
			wp_cpus_put(session, session->cpus[nr]);
	}
	kvfree(session->cpus);
	session->cpus = NULL;
	if (session->empty)
		__free_page(session->empty);
	session->empty = NULL;
	atomic_set(&session->cpus_failed, 0);
}

/* The page at a place in a CPU's tables or ring: the empty one, if there is none. */
static struct page *wp_cpus_page(const struct wp_session *session, const struct wp_place *place)
{
	const struct wp_cpu *cpu = wp_session_cpu(session, place->cpu);
	const struct wallprof_configure *config = &session->config;
	const struct wp_area *areas;
	u64 at = place->rest, stride;

	if (!cpu)
		return session->empty;
	if (place->part == WP_PART_RING)
		return wp_area_page(&cpu->other, at >> PAGE_SHIFT);
	if (at < config->sampler_offset) {
		areas = cpu->sched_areas;
		stride = config->half_stride;
	} else {
		areas = cpu->sampler_areas;
		stride = config->sampler_half_stride;
		at -= config->sampler_offset;
	}
	if (at >= stride) {
		areas++;
		at -= stride;
	}
	return wp_area_page(areas, at >> PAGE_SHIFT);
}

/*
 * wp_cpus_page(), with a reference, unless it is the empty one. An area takes pages back
 * that it cannot map: see wp_area_grow().
 */
static struct page *wp_cpus_page_get(const struct wp_session *session,
				     const struct wp_place *place)
{
	struct page *page;

	rcu_read_lock();
	page = wp_cpus_page(session, place);
	if (page != session->empty)
		get_page(page);
	rcu_read_unlock();
	return page;
}

/**
 * wp_cpus_fault - find a page of a CPU's tables or ring
 * @session: a session
 * @place: where in the mapping
 * @vmf: the fault
 *
 * For a CPU without memory, every page is the empty one, of zeroes: no epoch, no record;
 * and so is what tables do not use yet. It is returned locked, and unlocked by the kernel
 * when it is mapped: see wp_cpus_publish() and wp_area_grow().
 *
 * Context: process, the mmap lock held, or the mapping's.
 * Return: VM_FAULT_LOCKED or 0; @vmf->page is set, with a reference. VM_FAULT_SIGBUS
 * if no CPU can have that number, or the empty page is mapped too often.
 */
vm_fault_t wp_cpus_fault(struct wp_session *session, const struct wp_place *place,
			 struct vm_fault *vmf)
{
	struct page *page;

	if (!cpu_possible(place->cpu))
		return VM_FAULT_SIGBUS;
	page = wp_cpus_page_get(session, place);
	if (page == session->empty) {
		lock_page(session->empty);
		page = wp_cpus_page_get(session, place);
		if (page == session->empty && page_ref_count(page) < WP_EMPTY_REFS) {
			get_page(page);
			vmf->page = page;
			return VM_FAULT_LOCKED;
		}
		unlock_page(session->empty);
		if (page == session->empty)
			return VM_FAULT_SIGBUS;
	}
	vmf->page = page;
	return 0;
}

/* Context: process, at load. */
int wp_cpus_init(void)
{
	int state;

	state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN, "wallprof:prepare",
					wp_cpus_prepare, NULL);
	if (state < 0)
		return state;
	wp_cpus_state = state;
	return 0;
}

/* Context: process, at unload. */
void wp_cpus_exit(void)
{
	cpuhp_remove_multi_state(wp_cpus_state);
}
