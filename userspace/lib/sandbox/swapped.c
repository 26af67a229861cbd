// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the check whether a file of tmpfs has pages in swap.
 *
 * To read such a page takes it out of swap, and charges it to the memory cgroup that it
 * belonged to, whoever reads: at that group's limit a process of it is killed. Recording
 * may not do that. The check is mincore() of a mapping whose pages are not touched; to
 * who may not write the file the kernel reports all pages as present (mm/mincore.c). A
 * page may go to swap after the check: its charge is then free in its group.
 */
#include <linux/magic.h>
#include <linux/types.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/sandbox/swapped.h"

#define CHUNK_PAGES	16384	/* mapped at a time */
#define BLOCK		512	/* of st_blocks */

static bool leave;

/**
 * wp_swapped_leave() - from now on, leave files that have pages in swap alone
 *
 * For commands that record; called before they begin.
 */
void wp_swapped_leave(void)
{
	leave = true;
}

/* The number of pages of a part of the file that are in memory; all if it is not known. */
static size_t resident(int fd, off_t at, size_t size, size_t nr)
{
	unsigned char in_memory[CHUNK_PAGES];
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, at);
	size_t i, found = 0;

	if (map == MAP_FAILED)
		return nr;
	if (mincore(map, size, in_memory))
		found = nr;
	else
		for (i = 0; i < nr; i++)
			found += in_memory[i] & 1;
	munmap(map, size);
	return found;
}

/**
 * wp_swapped_is_left() - whether a file is to be left alone
 * @fd: the file, open for reading
 * @st: its status
 *
 * A file takes st_blocks for its pages in memory and in swap, not for holes; and for what a
 * huge page, or fallocate(), has behind its end: a file that has holes as well may look as
 * if it were in swap.
 *
 * Return: true if it has pages in swap, after wp_swapped_leave().
 */
bool wp_swapped_is_left(int fd, const struct stat *st)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	off_t at, size, most = CHUNK_PAGES * (off_t)page;
	__u64 found = 0, all = 0;
	struct statfs fs;
	size_t nr;

	if (!leave || !st->st_size || fstatfs(fd, &fs) || fs.f_type != TMPFS_MAGIC)
		return false;
	for (at = 0; at < st->st_size; at += most) {
		size = st->st_size - at < most ? st->st_size - at : most;
		nr = (size + page - 1) / page;
		found += resident(fd, at, size, nr);
		all += nr;
	}
	return found < all && found * page < (__u64)st->st_blocks * BLOCK;
}
