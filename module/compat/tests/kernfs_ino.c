// SPDX-License-Identifier: GPL-2.0
/* 5.5: a node's id is a number, and a function says which inode number that is. */
#include <linux/kernfs.h>

ino_t wp_test(struct kernfs_node *node);
ino_t wp_test(struct kernfs_node *node)
{
	return kernfs_ino(node);
}
