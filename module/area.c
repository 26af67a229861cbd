// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel memory of whole pages, contiguous, on a node, charged to the current task's memory
 * cgroup. An area may lack pages: one page of zeroes, the hole, stands for all of these, and
 * nothing may be written there. Later it can get them, at another address.
 *
 * Callers are cpus.c and growth.c: process context.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "area.h"
#include "compat/memcg.h"
#include "compat/vmalloc.h"
#include "pure/tables.h"

/* A request that is too large must fail, not start the OOM killer. */
#define WP_GFP	(GFP_KERNEL_ACCOUNT | WP_GFP_MAY_FAIL)

/* Frees pages, of which the holes are not the caller's. Context: process; may sleep. */
static void wp_area_put_pages(struct page **pages, unsigned int nr, struct page *hole)
{
	while (nr) {
		if (pages[--nr] && pages[nr] != hole)
			__free_page(pages[nr]);
		cond_resched();
	}
	kvfree(pages);
}

/*
 * Allocates the pages of an area that its tables use and @had does not have; NULL without
 * memory. The others are NULL.
 */
static struct page **wp_area_pages(unsigned int nr, const struct wp_table_sizes *sizes, int node,
				   struct page *const *had, struct page *hole)
{
	struct page **pages = kvcalloc(nr, sizeof(*pages), WP_GFP);
	unsigned int i;

	if (!pages)
		return NULL;
	for (i = 0; i < nr; i++) {
		if ((had && had[i] != hole) ||
		    (sizes && !wp_sizes_use(sizes, (u64)i << PAGE_SHIFT, PAGE_SIZE)))
			continue;
		pages[i] = alloc_pages_node(node, WP_GFP | __GFP_ZERO, 0);
		if (!pages[i]) {
			wp_area_put_pages(pages, i, hole);
			return NULL;
		}
		cond_resched();
	}
	return pages;
}

/*
 * As __vmalloc(), which takes no node; vzalloc_node() charges nobody. VM_MAP_PUT_PAGES
 * makes /proc/vmallocinfo show the nodes. It has no other effect on memory that is freed
 * by vunmap().
 */
static void *wp_area_map(struct page **pages, unsigned int nr)
{
	return vmap(pages, nr, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
}

/**
 * wp_area_make - make an area of zeroes
 * @area: zeroes
 * @bytes: its size, whole pages, not 0
 * @sizes: it has only the pages that these use; NULL: all
 * @node: where, or NUMA_NO_NODE
 * @hole: the page that stands for those that it lacks
 *
 * Context: process.
 * Return: false without memory; then nothing is left.
 */
bool wp_area_make(struct wp_area *area, u64 bytes, const struct wp_table_sizes *sizes,
		  int node, struct page *hole)
{
	unsigned int nr = bytes >> PAGE_SHIFT, i;
	struct page **pages = wp_area_pages(nr, sizes, node, NULL, hole);

	if (!pages)
		return false;
	for (i = 0; i < nr; i++) {
		if (!pages[i])
			pages[i] = hole;
	}
	area->memory = wp_area_map(pages, nr);
	if (!area->memory) {
		wp_area_put_pages(pages, nr, hole);
		return false;
	}
	area->pages = pages;
	area->nr = nr;
	return true;
}

/* Puts pages where an area has holes, or takes these out again. @hole is locked here. */
static void wp_area_fill(struct wp_area *area, struct page *const *more, bool out,
			 struct page *hole)
{
	unsigned int i;

	/* Pairs with the lock in wp_cpus_fault(): a fault that found a hole has mapped it. */
	lock_page(hole);
	for (i = 0; i < area->nr; i++) {
		if (more[i])
			/* Its zeroes come first. Pairs with wp_area_page(). */
			smp_store_release(&area->pages[i], out ? hole : more[i]);
	}
	unlock_page(hole);
}

/**
 * wp_area_grow - give an area pages that it lacks
 * @area: the area, which nobody uses but page faults
 * @sizes: it gets those that these use
 * @node: where, or NUMA_NO_NODE
 * @hole: as it was made with
 * @old: out: where it was mapped before; the caller passes it to vunmap(), when nothing
 *	refers to it any more
 *
 * The pages that it has keep what is in them.
 *
 * Context: process. Then the caller removes user mappings of holes.
 * Return: false without memory; then the area is as before.
 */
bool wp_area_grow(struct wp_area *area, const struct wp_table_sizes *sizes, int node,
		  struct page *hole, void **old)
{
	struct page **more = wp_area_pages(area->nr, sizes, node, area->pages, hole);
	void *memory;

	if (!more)
		return false;
	wp_area_fill(area, more, false, hole);
	memory = wp_area_map(area->pages, area->nr);
	if (!memory) {
		wp_area_fill(area, more, true, hole);
		/*
		 * A fault that found one of these pages has a reference of its own by then:
		 * see wp_cpus_fault().
		 */
		synchronize_rcu();
		wp_area_put_pages(more, area->nr, hole);
		return false;
	}
	kvfree(more);
	*old = area->memory;
	area->memory = memory;
	return true;
}

/**
 * wp_area_free - free an area
 * @area: an area without users, or zeroes
 * @hole: as it was made with
 *
 * Context: process; may sleep.
 */
void wp_area_free(struct wp_area *area, struct page *hole)
{
	if (!area->memory)
		return;
	vunmap(area->memory);
	wp_area_put_pages(area->pages, area->nr, hole);
	memset(area, 0, sizeof(*area));
}

/**
 * wp_area_page - find a page of an area
 * @area: the area
 * @nr: which, below &wp_area.nr
 *
 * Context: process. A page that is not the hole's can be freed when rcu_read_unlock() is
 * called, unless the caller has a reference to it by then.
 * Return: the page, or the hole's.
 */
struct page *wp_area_page(const struct wp_area *area, unsigned int nr)
{
	/* Pairs with wp_area_fill(). */
	return smp_load_acquire(&area->pages[nr]);
}
