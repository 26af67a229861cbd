/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of a service to its manager, as of sd_notify(3). See notify.c.
 *
 *	wp_notify_open(&n);
 *	wp_notify(&n, "READY=1");
 *	wp_notify_alive(&n);		often
 *	wp_notify_close(&n);
 */
#ifndef WP_LIB_BASE_NOTIFY_H
#define WP_LIB_BASE_NOTIFY_H

#include <linux/types.h>

/**
 * struct wp_notify - a connection to the manager
 * @sock: its socket, or -1: there is none
 * @every: ns, at most, between two messages that the process is alive; 0: none are expected
 * @next: time of the next one, ns of CLOCK_MONOTONIC
 */
struct wp_notify {
	int sock;
	__u64 every;
	__u64 next;
};

void wp_notify_open(struct wp_notify *n);
void wp_notify(const struct wp_notify *n, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void wp_notify_alive(struct wp_notify *n);
__u64 wp_notify_until(const struct wp_notify *n, __u64 until);
void wp_notify_close(struct wp_notify *n);

#endif /* WP_LIB_BASE_NOTIFY_H */
