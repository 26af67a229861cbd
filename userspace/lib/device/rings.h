/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's rings: every switch and wakeup, in the order of each CPU. See rings.c.
 */
#ifndef WP_LIB_DEVICE_RINGS_H
#define WP_LIB_DEVICE_RINGS_H

#include <linux/types.h>
#include <linux/wallprof.h>

struct wp_device;

/*
 * Takes a record of a CPU, and the source of its stacks, or NULL; both are invalid after
 * the return. WP_RING_LATER leaves the record, and those after it, to the next drain; a
 * negative errno ends the drain and is returned.
 */
typedef int (*wp_ring_fn)(void *ctx, __u32 cpu, const struct wallprof_record *record,
			  const struct wallprof_record *stacks);

#define WP_RING_LATER	1

int wp_rings_drain(struct wp_device *dev, wp_ring_fn fn, void *ctx);
int wp_rings_open_gaps(const struct wp_device *dev, wp_ring_fn fn, void *ctx);

#endif /* WP_LIB_DEVICE_RINGS_H */
