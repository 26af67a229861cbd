// SPDX-License-Identifier: GPL-2.0
/*
 * Owns a tree of paths with values, built from stacks. Called by the report command.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/model/calltree.h"

static bool more(struct wp_calltree *t)
{
	size_t room = t->room ? t->room * 2 : 256;
	struct wp_callnode *node;

	if (t->nr < t->room)
		return true;
	node = reallocarray(t->node, room, sizeof(*node));
	if (!node)
		return false;
	t->node = node;
	t->room = room;
	return true;
}

/* Look up or add a child; returns its number, 0 if there is no memory. */
static __u32 child_of(struct wp_calltree *t, __u32 parent, __u32 item)
{
	const __u32 key[] = { parent, item };
	bool is_new;
	__u32 nr = wp_intern(&t->keys, key, sizeof(key), &is_new);

	if (!nr || !is_new)
		return nr;
	if (!more(t))
		return 0;
	t->node[t->nr++] = (struct wp_callnode){ .parent = parent, .item = item };
	return nr;
}

/**
 * wp_calltree_add() - add a path
 * @t: the tree
 * @path: its items, from the root on
 * @nr: number of items
 * @value: its value
 * @count: its count
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_calltree_add(struct wp_calltree *t, const __u32 *path, size_t nr, __u64 value,
		    __u64 count)
{
	__u32 at = 0;
	size_t i;

	if (!t->nr) {
		if (!more(t))
			return wp_no_memory("the tree of stacks");
		t->node[t->nr++] = (struct wp_callnode){ 0 };
	}
	t->node[0].total += value;
	t->node[0].count += count;
	for (i = 0; i < nr; i++) {
		at = child_of(t, at, path[i]);
		if (!at)
			return wp_no_memory("the tree of stacks");
		t->node[at].total += value;
		t->node[at].count += count;
	}
	t->node[at].self += value;
	return 0;
}

static int compare(const void *pa, const void *pb, void *node)
{
	const struct wp_callnode *a = (struct wp_callnode *)node + *(const __u32 *)pa;
	const struct wp_callnode *b = (struct wp_callnode *)node + *(const __u32 *)pb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

/**
 * wp_calltree_sort() - sort children by total, largest first
 * @t: the tree; nothing can be added afterwards
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_calltree_sort(struct wp_calltree *t)
{
	__u32 i;

	if (t->nr < 2)
		return 0;
	t->order = calloc(t->nr - 1, sizeof(*t->order));
	if (!t->order)
		return wp_no_memory("the tree of stacks");
	for (i = 1; i < t->nr; i++)
		t->order[i - 1] = i;
	qsort_r(t->order, t->nr - 1, sizeof(*t->order), compare, t->node);
	for (i = 0; i < t->nr - 1; i++) {
		struct wp_callnode *parent = &t->node[t->node[t->order[i]].parent];

		if (!parent->nr++)
			parent->first = i;
	}
	return 0;
}

/**
 * wp_calltree_children() - children of a node
 * @t: the tree, sorted
 * @node: its number, 0 for the root
 * @nr: set to the number of children
 *
 * Return: their numbers.
 */
const __u32 *wp_calltree_children(const struct wp_calltree *t, __u32 node, size_t *nr)
{
	*nr = t->nr ? t->node[node].nr : 0;
	return *nr ? t->order + t->node[node].first : NULL;
}

/**
 * wp_calltree_free() - free the nodes
 * @t: the tree; empty afterwards
 */
void wp_calltree_free(struct wp_calltree *t)
{
	wp_intern_free(&t->keys);
	free(t->node);
	free(t->order);
	memset(t, 0, sizeof(*t));
}
