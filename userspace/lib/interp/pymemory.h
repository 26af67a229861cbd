/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a process whose interpreter is read. See pymemory.c.
 */
#ifndef WP_LIB_INTERP_PYMEMORY_H
#define WP_LIB_INTERP_PYMEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define WP_PYMEMORY_BLOCK	4096
#define WP_PYMEMORY_BLOCKS	64

/**
 * struct wp_pybudget - what may still be read of all processes of a user
 * @blocks: number of blocks
 * @bytes: number of bytes that are taken from these
 */
struct wp_pybudget {
	__u64 blocks;
	__u64 bytes;
};

/**
 * struct wp_pymemory - memory of a process, for one blocked thread
 * @read: reads the block of WP_PYMEMORY_BLOCK bytes at an address that is a multiple of
 *	that; returns 0 or a negative errno
 * @ctx: its first argument
 * @budget: what may still be read
 * @address: addresses of the blocks that are kept
 * @kept: which are
 * @forgotten: how often all were forgotten
 * @data: the blocks
 */
struct wp_pymemory {
	int (*read)(void *ctx, __u64 address, void *to);
	void *ctx;
	struct wp_pybudget *budget;
	__u64 address[WP_PYMEMORY_BLOCKS];
	bool kept[WP_PYMEMORY_BLOCKS];
	unsigned int forgotten;
	__u8 data[WP_PYMEMORY_BLOCKS][WP_PYMEMORY_BLOCK];
};

void wp_pymemory_forget(struct wp_pymemory *m);
int wp_pymemory_read(struct wp_pymemory *m, __u64 address, void *to, size_t bytes);
int wp_pymemory_word(struct wp_pymemory *m, __u64 address, __u64 *word);

#endif /* WP_LIB_INTERP_PYMEMORY_H */
