/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Payload of a sample of off-CPU time. See rawsample.c.
 */
#ifndef WP_LIB_PERFDATA_RAWSAMPLE_H
#define WP_LIB_PERFDATA_RAWSAMPLE_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/model/merge.h"

/* The tracepoint in the description. No kernel has tracepoints with such a large id. */
#define WP_RAW_SYSTEM	"wallprof"
#define WP_RAW_NAME	"offcpu"
#define WP_RAW_ID	65500

/* The system call's name, the object, two histograms, and the rest. */
#define WP_RAW_MAX	(152 + 32 + 512 + 2 * WP_HIST_TEXT_MAX + 8)

/* Optional fields that perf script prints: */
#define WP_RAW_HIST	(1U << 0)	/* histograms */
#define WP_RAW_SINGLE	(1U << 1)	/* fields of single intervals only */
#define WP_RAW_CHAINS	(1U << 2)	/* ids of intervals, and of wakers' intervals */
#define WP_RAW_OWNERS	(1U << 3)	/* who held the lock */

struct wp_buf;

void wp_raw_format(struct wp_buf *b, unsigned int shows);
size_t wp_raw_encode(const struct wp_sample *s, const char *object,
		     const struct wp_hist *hist, void *buf, size_t size);

#endif /* WP_LIB_PERFDATA_RAWSAMPLE_H */
