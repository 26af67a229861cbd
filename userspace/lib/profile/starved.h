/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that ran on a CPU while another was runnable there, from the scheduler's
 * events. See starved.c.
 *
 *	ret = wp_starved_new(&s, fn, ctx);
 *	for each event, in order of time:
 *		ret = wp_starved_event(s, &ev);
 *	ret = wp_starved_end(s, time);
 *	wp_starved_free(s);
 */
#ifndef WP_LIB_PROFILE_STARVED_H
#define WP_LIB_PROFILE_STARVED_H

#include <linux/types.h>

#include "lib/profile/schedevents.h"

struct wp_starved;

/**
 * struct wp_starved_time - a part of a time in which a thread was runnable
 * @who: the thread
 * @runner: the thread that ran on its CPU meanwhile; its tid is 0 if the CPU was idle,
 *	and below 0 if it is unknown
 * @time: when the thread became runnable
 * @ns: length of the part
 */
struct wp_starved_time {
	struct wp_schedthread who;
	struct wp_schedthread runner;
	__u64 time;
	__u64 ns;
};

/* A return value other than 0 ends the iteration, and is returned. */
typedef int (*wp_starved_fn)(void *ctx, const struct wp_starved_time *t);

int wp_starved_new(struct wp_starved **out, wp_starved_fn fn, void *ctx);
int wp_starved_event(struct wp_starved *s, const struct wp_schedevent *ev);
int wp_starved_end(struct wp_starved *s, __u64 time);
void wp_starved_free(struct wp_starved *s);

#endif /* WP_LIB_PROFILE_STARVED_H */
