/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What may be done with the files of a file system, by its type.
 */
#ifndef WP_LIB_SANDBOX_FSTYPE_H
#define WP_LIB_SANDBOX_FSTYPE_H

#include <sys/vfs.h>

/**
 * enum wp_fstype - where a file comes from
 * @WP_FSTYPE_KERNEL: the kernel: opening or reading it can have side effects
 * @WP_FSTYPE_LOCAL: a disk or memory: it does not wait for a server
 * @WP_FSTYPE_SERVED: maybe a server, on another machine, or below
 * @WP_FSTYPE_FOREIGN: a program
 */
enum wp_fstype {
	WP_FSTYPE_KERNEL, WP_FSTYPE_LOCAL, WP_FSTYPE_SERVED, WP_FSTYPE_FOREIGN,
};

enum wp_fstype wp_fstype_of(const struct statfs *fs);

#endif /* WP_LIB_SANDBOX_FSTYPE_H */
