/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths with values, as a tree: paths with a common prefix share its nodes. See
 * calltree.c.
 *
 *	struct wp_calltree tree = { 0 };
 *
 *	ret = wp_calltree_add(&tree, path, nr, value, count);	for each path
 *	ret = wp_calltree_sort(&tree);
 *	children = wp_calltree_children(&tree, 0, &nr);		of the root
 *	wp_calltree_free(&tree);
 */
#ifndef WP_LIB_MODEL_CALLTREE_H
#define WP_LIB_MODEL_CALLTREE_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/base/intern.h"

/**
 * struct wp_callnode - a node of the tree
 * @parent: number of the parent node, 0 for the root
 * @item: the item of the path
 * @total: sum of the values of all paths through this node
 * @self: sum of the values of the paths that end here
 * @count: sum of the counts of all paths through this node
 * @first: sorted: position of the first child
 * @nr: sorted: number of children
 */
struct wp_callnode {
	__u32 parent;
	__u32 item;
	__u64 total;
	__u64 self;
	__u64 count;
	__u32 first;
	__u32 nr;
};

/**
 * struct wp_calltree - a tree; all zero: empty
 * @keys: parent and item of each node
 * @node: the nodes, the root first
 * @nr: number of nodes, including the root
 * @room: allocated nodes
 * @order: sorted: all but the root, children of one node together
 */
struct wp_calltree {
	struct wp_intern keys;
	struct wp_callnode *node;
	size_t nr;
	size_t room;
	__u32 *order;
};

int wp_calltree_add(struct wp_calltree *t, const __u32 *path, size_t nr, __u64 value,
		    __u64 count);
int wp_calltree_sort(struct wp_calltree *t);
const __u32 *wp_calltree_children(const struct wp_calltree *t, __u32 node, size_t *nr);
void wp_calltree_free(struct wp_calltree *t);

#endif /* WP_LIB_MODEL_CALLTREE_H */
