/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Target options: -a, -p, -t, -u, --comm and -G. See target-options.c.
 */
#ifndef WP_CMD_COMMON_TARGET_OPTIONS_H
#define WP_CMD_COMMON_TARGET_OPTIONS_H

#include <stdbool.h>

struct wp_target;

/* The option --comm, which has no letter, distinct from those of the commands. */
#define WP_TARGET_OPTION_COMM	0x500

/**
 * struct wp_target_options - values of the options, or NULL
 * @pid: -p
 * @tid: -t
 * @uid: -u
 * @comm: --comm
 * @group: -G
 * @all: -a was given
 */
struct wp_target_options {
	const char *pid;
	const char *tid;
	const char *uid;
	const char *comm;
	const char *group;
	bool all;
};

int wp_target_options_set(struct wp_target_options *w, int id, const char *arg);
int wp_target_options_resolve(const struct wp_target_options *w, struct wp_target *t);

#endif /* WP_CMD_COMMON_TARGET_OPTIONS_H */
