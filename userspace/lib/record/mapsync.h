/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Publishes to the module which code processes have mapped, with unwind tables, from the
 * start of a session to its end. Used by the record command:
 *
 *	wp_publisher_open()	the session is configured; follows processes
 *	wp_publisher_begin()	publishes those that run, and starts a thread
 *	wp_publisher_started()	the session is started
 *	wp_publisher_end()
 */
#ifndef WP_LIB_RECORD_MAPSYNC_H
#define WP_LIB_RECORD_MAPSYNC_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/record/mapopts.h"

struct wp_live;
struct wp_publisher;

int wp_publisher_open(struct wp_publisher **out, const struct wp_publisher_options *opt);
int wp_publisher_begin(struct wp_publisher *pub, struct wp_live *live, unsigned int wait_ms);
void wp_publisher_started(struct wp_publisher *pub);
void wp_publisher_end(struct wp_publisher *pub, struct wp_publisher_stats *stats);
bool wp_publisher_denied(const struct wp_publisher_stats *stats, char *text, size_t size);

#endif /* WP_LIB_RECORD_MAPSYNC_H */
