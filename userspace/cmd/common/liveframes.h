/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames of a stack of a live view, with names. See liveframes.c.
 *
 *	wp_liveframes_init(&frames, &live, key);
 *	do {
 *		ret = wp_liveframes_next(&frames, &name, &found);
 *	} while (!ret && found);
 */
#ifndef WP_CMD_COMMON_LIVEFRAMES_H
#define WP_CMD_COMMON_LIVEFRAMES_H

#include <stdbool.h>

#include "cmd/common/live.h"

/**
 * struct wp_liveframes - a position in a stack
 * @live: the view
 * @key: the share whose stack it is
 * @kernel: next one of the kernel's frames
 * @user: next word of the user stack
 * @native: the last native frame
 * @run: functions that it executes may follow
 * @shown: one has followed
 */
struct wp_liveframes {
	struct wp_live *live;
	const struct wp_topkey *key;
	unsigned int kernel;
	unsigned int user;
	unsigned int native;
	bool run;
	bool shown;
};

void wp_liveframes_init(struct wp_liveframes *f, struct wp_live *live,
			const struct wp_topkey *key);
int wp_liveframes_next(struct wp_liveframes *f, struct wp_livename *name, bool *found);

#endif /* WP_CMD_COMMON_LIVEFRAMES_H */
