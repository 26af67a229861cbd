/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of a table of time: what it was spent on, where, and by which threads. See
 * waitrows.c.
 *
 *	struct wp_waitrows rows = { 0 };
 *
 *	err = wp_waitrows_add(&rows, &item);		for each
 *	wp_waitrows_sort(&rows);
 *	... rows.row[i], wp_waitrow_by(&rows.row[i], ...)
 *	wp_waitrows_free(&rows);
 */
#ifndef WP_LIB_MODEL_WAITROWS_H
#define WP_LIB_MODEL_WAITROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/base/intern.h"

/**
 * struct wp_waititem - time that goes into a row
 * @what: what it was spent on
 * @where: the function
 * @apart: what else separates rows, or ""
 * @comm: the thread's name
 * @pid: its process
 * @tid: the thread
 * @value: ns, or events
 * @longest: the longest interval; 0: unknown
 * @at_most: @longest is only an upper bound
 * @count: number of samples
 */
struct wp_waititem {
	const char *what;
	const char *where;
	const char *apart;
	const char *comm;
	__s32 pid;
	__s32 tid;
	__u64 value;
	__u64 longest;
	bool at_most;
	__u64 count;
};

/**
 * struct wp_waitrow - a row
 * @what: what the time was spent on
 * @where: the function
 * @value: ns, or events
 * @longest: the longest interval; 0: unknown
 * @at_most: @longest is only an upper bound
 * @count: number of samples
 * @threads: number of threads
 * @comms: number of distinct names
 * @first: the name with the largest share
 * @first_value: its share
 * @same: length of the common prefix of all names
 * @key: number of the row's key
 */
struct wp_waitrow {
	const char *what;
	const char *where;
	__u64 value;
	__u64 longest;
	bool at_most;
	__u64 count;
	__u32 threads;
	__u32 comms;
	const char *first;
	__u64 first_value;
	size_t same;
	__u32 key;
};

/**
 * struct wp_waitrows - the rows; all zero: an empty table
 * @row: the rows
 * @nr: their number
 * @room: of @row
 * @total: sum of all values
 * @keys: keys of rows
 * @threads: rows and their threads
 * @comms: rows and their threads' names
 * @comm: value of each of @comms
 * @comm_room: of @comm
 */
struct wp_waitrows {
	struct wp_waitrow *row;
	size_t nr;
	size_t room;
	__u64 total;
	struct wp_intern keys;
	struct wp_intern threads;
	struct wp_intern comms;
	__u64 *comm;
	size_t comm_room;
};

int wp_waitrows_add(struct wp_waitrows *r, const struct wp_waititem *item);
void wp_waitrows_sort(struct wp_waitrows *r);
void wp_waitrow_by(const struct wp_waitrow *row, size_t width, char *to, size_t size);
void wp_waitrow_longest(const struct wp_waitrow *row, char to[16]);
void wp_waitrows_free(struct wp_waitrows *r);

#endif /* WP_LIB_MODEL_WAITROWS_H */
