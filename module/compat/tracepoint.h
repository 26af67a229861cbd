/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/tracepoint.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_TRACEPOINT_H
#define WALLPROF_COMPAT_TRACEPOINT_H

#include <linux/tracepoint.h>

#include "features.h"

/*
 * The function that calls several probes of a tracepoint; NULL if the function that has
 * the tracepoint calls them itself: then no frame is between the two.
 */
static inline void *wp_tracepoint_iterator(const struct tracepoint *tp)
{
#ifdef WP_HAS_TRACEPOINT_ITERATOR
	return tp->iterator;
#else
	return NULL;
#endif
}

#endif /* WALLPROF_COMPAT_TRACEPOINT_H */
