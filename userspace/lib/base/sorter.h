/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holds perf records until they are complete up to a time, and delivers them in order of
 * time. Used by sideband.c, to merge the rings of all CPUs, and by batch.c, to merge
 * sideband and samples.
 */
#ifndef WP_LIB_BASE_SORTER_H
#define WP_LIB_BASE_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * struct wp_sorter - waiting records; all zero: empty
 * @data: the records, in order of arrival
 * @len: bytes used
 * @room: bytes allocated
 * @entry: times and offsets of the records
 * @nr: their number
 * @nr_room: entries allocated
 * @seq: sequence number of the next record
 * @next: entries before this one were delivered by wp_sorter_pass()
 * @unsorted: an entry from @next on comes before the one in front of it
 */
struct wp_sorter {
	char *data;
	size_t len;
	size_t room;
	struct wp_sorter_entry *entry;
	size_t nr;
	size_t nr_room;
	__u64 seq;
	size_t next;
	bool unsorted;
};

/*
 * Called for each record. It may change the record, but not its size. A return value
 * other than 0 ends the iteration; the record counts as delivered.
 */
typedef int (*wp_sorter_fn)(void *ctx, struct perf_event_header *rec, __u64 time);

void *wp_sorter_place(struct wp_sorter *s, size_t size);
int wp_sorter_add_placed(struct wp_sorter *s, __u64 time);
int wp_sorter_add(struct wp_sorter *s, const struct perf_event_header *rec, __u64 time);
int wp_sorter_flush(struct wp_sorter *s, __u64 upto, wp_sorter_fn fn, void *ctx);
int wp_sorter_pass(struct wp_sorter *s, __u64 time, wp_sorter_fn fn, void *ctx);
int wp_sorter_flush_half(struct wp_sorter *s, wp_sorter_fn fn, void *ctx);
void wp_sorter_free(struct wp_sorter *s);

#endif /* WP_LIB_BASE_SORTER_H */
