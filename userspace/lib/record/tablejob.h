/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that waits for its table, and what tablequeue.c is called with.
 */
#ifndef WP_LIB_RECORD_TABLEJOB_H
#define WP_LIB_RECORD_TABLEJOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "lib/elf/elfcode.h"
#include "lib/sandbox/worker.h"
#include "lib/unwind/tablecache.h"

/**
 * struct wp_tablejob - a file that waits for its table. After wp_tablequeue_add() it
 *	belongs to the queue until done() is called
 * @fd: the file, open for reading; closed by the queue. -1: our own vdso
 * @owner: the file's owner
 * @dev: its file system
 * @size: its size in bytes
 * @keep: its table may be kept on disk
 * @label: for messages
 * @codes: out: its code, if @table
 * @table: out: number of its table, or 0: there is none
 * @next: private to the queue
 * @name: private to the queue
 * @named: private to the queue
 * @tries: private to the queue
 * @looked: private to the queue
 * @file: private to the queue
 */
struct wp_tablejob {
	int fd;
	uid_t owner;
	dev_t dev;
	__u64 size;
	bool keep;
	const char *label;
	struct wp_elfcode codes;
	__u32 table;
	struct wp_tablejob *next;
	struct wp_tablename name;
	bool named;
	unsigned int tries;
	bool looked;			/* it was looked for in the index */
	struct wp_fileident file;	/* as it was then; all 0: cannot be recognized */
};

/**
 * struct wp_tablequeue_options - where tables and files go
 * @push: takes a table and sets its id; returns 0 or a negative errno
 * @done: takes back a file that is finished. Both are called from the queue's own thread
 * @ctx: passed to both
 * @cache: on-disk cache of tables, or NULL
 * @limits: limits for reading a file; NULL: defaults
 */
struct wp_tablequeue_options {
	int (*push)(void *ctx, const void *table, size_t size, __u32 *id);
	void (*done)(void *ctx, struct wp_tablejob *job);
	void *ctx;
	struct wp_tablecache *cache;
	const struct wp_worker_limits *limits;
};

/**
 * struct wp_tablequeue_stats - statistics
 * @tables: tables that were pushed
 * @cached: of them, from the cache
 * @known: of them, without reading the file
 * @bytes: bytes of tables
 * @no_table: files without unwind information, or that are not ELF files
 * @bad: of them, files that could not be read within their limits
 * @refused: tables that @push refused
 * @error: the last reason, a negative errno
 * @ns: CPU time used
 */
struct wp_tablequeue_stats {
	__u64 tables;
	__u64 cached;
	__u64 known;
	__u64 bytes;
	__u64 no_table;
	__u64 bad;
	__u64 refused;
	int error;
	__u64 ns;
};

#endif /* WP_LIB_RECORD_TABLEJOB_H */
