// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a process whose interpreter is read, in blocks that are kept: what a thread
 * executes lies close together, and each block costs a system call. What is read is limited:
 * a process can have as many threads, frames and texts as it likes, all at one place.
 *
 * Pure: the caller reads.
 */
#include <errno.h>
#include <string.h>

#include "lib/interp/pymemory.h"

/**
 * wp_pymemory_forget() - forget all blocks: they are read again
 * @m: the memory
 */
void wp_pymemory_forget(struct wp_pymemory *m)
{
	memset(m->kept, 0, sizeof(m->kept));
	m->forgotten++;
}

/* Sets @data to a block. */
static int get(struct wp_pymemory *m, __u64 address, const __u8 **data)
{
	size_t i = address / WP_PYMEMORY_BLOCK % WP_PYMEMORY_BLOCKS;
	int err;

	*data = m->data[i];
	if (m->kept[i] && m->address[i] == address)
		return 0;
	if (!m->budget->blocks)
		return -EDQUOT;
	m->budget->blocks--;
	m->kept[i] = false;
	err = m->read(m->ctx, address, m->data[i]);
	if (err)
		return err;
	m->kept[i] = true;
	m->address[i] = address;
	return 0;
}

/**
 * wp_pymemory_read() - read memory
 * @m: the memory
 * @address: where; any number
 * @to: set to the bytes
 * @bytes: how many
 *
 * Return: 0; -EDQUOT: nothing more may be read; -ENODATA: beyond the address space; or what
 * the caller's function returned.
 */
int wp_pymemory_read(struct wp_pymemory *m, __u64 address, void *to, size_t bytes)
{
	__u8 *at = to;

	if (address + bytes < address)
		return -ENODATA;
	if (bytes > m->budget->bytes)
		return -EDQUOT;
	m->budget->bytes -= bytes;
	while (bytes) {
		size_t skip = address % WP_PYMEMORY_BLOCK, part = WP_PYMEMORY_BLOCK - skip;
		const __u8 *data;
		int err;

		err = get(m, address - skip, &data);
		if (err)
			return err;
		if (part > bytes)
			part = bytes;
		memcpy(at, data + skip, part);
		at += part;
		address += part;
		bytes -= part;
	}
	return 0;
}

/**
 * wp_pymemory_word() - read a word
 * @m: the memory
 * @address: where
 * @word: set to it
 *
 * Return: as wp_pymemory_read().
 */
int wp_pymemory_word(struct wp_pymemory *m, __u64 address, __u64 *word)
{
	return wp_pymemory_read(m, address, word, sizeof(*word));
}
