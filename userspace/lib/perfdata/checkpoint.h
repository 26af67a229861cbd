/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf.data file that can be read at any moment while it is written. See checkpoint.c;
 * used by perfdata.c only.
 */
#ifndef WP_LIB_PERFDATA_CHECKPOINT_H
#define WP_LIB_PERFDATA_CHECKPOINT_H

#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "lib/base/outfile.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/perfheader.h"

/* The contents of the buffer and their position in the file. */
struct wp_checkpoint_tail {
	off_t pos;
	size_t len;
};

/**
 * struct wp_checkpoint - the file
 * @out: the output
 * @header: its header
 * @tail: the unwritten data; two copies: the signal handler needs a consistent one
 * @cur: the valid one of these
 * @blob: table and sections of features, offsets from the table's start
 * @blob_len: their size
 * @blob_dir: scratch: the table with file offsets
 * @nr_feat: number of features
 * @sample_time_at: offset in @blob of the times of samples; 0: none
 * @feature_bits: the features, for the header
 * @first_time: time of the first sample
 * @last_time: time of the last sample
 */
struct wp_checkpoint {
	struct wp_outfile out;
	struct wp_file_header header;
	struct wp_checkpoint_tail tail[2];
	volatile int cur;
	char *blob;
	size_t blob_len;
	struct wp_file_section *blob_dir;
	unsigned int nr_feat;
	size_t sample_time_at;
	__u64 feature_bits;
	__u64 first_time;
	__u64 last_time;
};

/**
 * wp_checkpoint_set_tail() - set the position and the length of the unwritten data
 * @c: the file
 * @pos: position in the file
 * @len: length
 */
static inline void wp_checkpoint_set_tail(struct wp_checkpoint *c, off_t pos, size_t len)
{
	int next = !c->cur;

	c->tail[next].pos = pos;
	c->tail[next].len = len;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->cur = next;
}

/**
 * wp_checkpoint_tail() - the unwritten data
 * @c: the file
 *
 * Async-signal-safe.
 *
 * Return: its position in the file, and its length.
 */
static inline const struct wp_checkpoint_tail *
wp_checkpoint_tail(const struct wp_checkpoint *c)
{
	return &c->tail[c->cur];
}

int wp_checkpoint_write(struct wp_checkpoint *c, const void *data, size_t len);
int wp_checkpoint_features(struct wp_checkpoint *c, const struct wp_features *feat);

#endif /* WP_LIB_PERFDATA_CHECKPOINT_H */
