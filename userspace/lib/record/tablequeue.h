/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queue of files whose unwind tables are to be made. For codefiles.c.
 */
#ifndef WP_LIB_RECORD_TABLEQUEUE_H
#define WP_LIB_RECORD_TABLEQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "lib/elf/elfcode.h"
#include "lib/sandbox/worker.h"
#include "lib/unwind/tablecache.h"

/**
 * struct wp_tablejob - a file that waits for its table. One that has been added is the
 *	queue's until done() is called
 * @fd: the file, open for reading; closed by the queue. -1: our own vdso
 * @owner: the user whose file it is
 * @dev: where it is
 * @size: its bytes
 * @keep: its table may be kept on disk
 * @label: for messages
 * @codes: out: its code, if @table
 * @table: out: number of its table, or 0: there is none
 * @next: of the queue
 * @name: of the queue
 * @named: of the queue
 * @tries: of the queue
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
};

/**
 * struct wp_tablequeue_options - what the tables are for
 * @push: takes a table; sets its id; 0 or a negative errno
 * @done: takes a file back that has its table, or gets none. Both from a thread of the
 *	queue's own
 * @ctx: handed to both
 * @cache: where tables are kept, or NULL
 * @limits: of a file; NULL: what is usual
 */
struct wp_tablequeue_options {
	int (*push)(void *ctx, const void *table, size_t size, __u32 *id);
	void (*done)(void *ctx, struct wp_tablejob *job);
	void *ctx;
	struct wp_tablecache *cache;
	const struct wp_worker_limits *limits;
};

/**
 * struct wp_tablequeue_stats - what was done
 * @tables: tables that were pushed
 * @cached: of them, from the cache
 * @bytes: of tables
 * @no_table: files that tell nothing of their frames, or are none
 * @bad: of them, files that could not be read within their limits
 * @refused: tables that @push refused
 * @error: the last reason, a negative errno
 * @ns: CPU time that it took
 */
struct wp_tablequeue_stats {
	__u64 tables;
	__u64 cached;
	__u64 bytes;
	__u64 no_table;
	__u64 bad;
	__u64 refused;
	int error;
	__u64 ns;
};

struct wp_tablequeue;

struct wp_tablequeue *wp_tablequeue_new(const struct wp_tablequeue_options *opt);
void wp_tablequeue_free(struct wp_tablequeue *q);
bool wp_tablequeue_has_room(struct wp_tablequeue *q, uid_t owner, dev_t dev);
int wp_tablequeue_add(struct wp_tablequeue *q, struct wp_tablejob *job);
void wp_tablequeue_forget(struct wp_tablequeue *q);
int wp_tablequeue_fd(const struct wp_tablequeue *q);
bool wp_tablequeue_busy(struct wp_tablequeue *q);
void wp_tablequeue_stats(struct wp_tablequeue *q, struct wp_tablequeue_stats *stats);

#endif /* WP_LIB_RECORD_TABLEQUEUE_H */
