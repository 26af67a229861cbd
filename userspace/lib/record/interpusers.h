/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users of processes whose interpreters are read. See interpusers.c.
 */
#ifndef WP_LIB_RECORD_INTERPUSERS_H
#define WP_LIB_RECORD_INTERPUSERS_H

#include <sys/types.h>
#include <linux/types.h>

#define WP_INTERPUSERS_MAX	64

/**
 * struct wp_interpusers - the users; all zero: none
 * @uid: them
 * @nr: their number
 */
struct wp_interpusers {
	uid_t uid[WP_INTERPUSERS_MAX];
	unsigned int nr;
};

unsigned int wp_interpusers_find(struct wp_interpusers *users, __u32 pid);

#endif /* WP_LIB_RECORD_INTERPUSERS_H */
