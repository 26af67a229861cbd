/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a block device always answers. See disk.c.
 */
#ifndef WP_LIB_SANDBOX_DISK_H
#define WP_LIB_SANDBOX_DISK_H

#include <stdbool.h>
#include <sys/types.h>

/* Maximum number of loop devices below a device; one with more counts as served. */
#define WP_DISK_LOOPS	16

/**
 * struct wp_disk - what is below a block device
 * @is_served: a program, another machine, or something unknown
 * @loop: these loop devices, whose files may be on any file system
 * @nr_loops: their number
 */
struct wp_disk {
	bool is_served;
	dev_t loop[WP_DISK_LOOPS];
	unsigned int nr_loops;
};

void wp_disk_below(int sys, dev_t dev, struct wp_disk *disk);
int wp_disk_backing(dev_t loop);
bool wp_disk_look(dev_t dev);
bool wp_disk_is(dev_t dev);

#endif /* WP_LIB_SANDBOX_DISK_H */
