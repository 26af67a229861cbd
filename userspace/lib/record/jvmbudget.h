/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is read and kept of the JVMs of each user. See jvmbudget.c.
 */
#ifndef WP_LIB_RECORD_JVMBUDGET_H
#define WP_LIB_RECORD_JVMBUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "lib/interp/pymemory.h"
#include "lib/record/interpusers.h"

/**
 * struct wp_jvmbudget - the limits; all zero but @max_bytes: before the first epoch
 * @users: users
 * @read: what may still be read of the processes of each, in this epoch
 * @windows: likewise, of windows
 * @stacks: likewise, for how many stacks
 * @all_windows: windows that may still be read of all
 * @bytes: memory of what is kept of the processes of each user
 * @all_bytes: and of all
 * @max_bytes: limit of that
 */
struct wp_jvmbudget {
	struct wp_interpusers users;
	struct wp_pybudget read[WP_INTERPUSERS_MAX];
	unsigned int windows[WP_INTERPUSERS_MAX];
	unsigned int stacks[WP_INTERPUSERS_MAX];
	unsigned int all_windows;
	size_t bytes[WP_INTERPUSERS_MAX];
	size_t all_bytes;
	size_t max_bytes;
};

void wp_jvmbudget_renew(struct wp_jvmbudget *b);
bool wp_jvmbudget_may_read(const struct wp_jvmbudget *b, unsigned int user);
void wp_jvmbudget_has_read(struct wp_jvmbudget *b, unsigned int user, unsigned int left);
bool wp_jvmbudget_has_room(const struct wp_jvmbudget *b, unsigned int user);
void wp_jvmbudget_keep(struct wp_jvmbudget *b, unsigned int user, ssize_t bytes);

#endif /* WP_LIB_RECORD_JVMBUDGET_H */
