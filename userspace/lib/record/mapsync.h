/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Publishes to the module which code processes have mapped, with unwind tables, from the
 * start of a session to its end. Used by the record command:
 *
 *	wp_mapsync_open()	the session is configured; follows processes
 *	wp_mapsync_begin()	publishes those that run, and starts a thread
 *	wp_mapsync_started()	the session is started
 *	wp_mapsync_wait_walked()
 *	wp_mapsync_end()
 */
#ifndef WP_LIB_RECORD_MAPSYNC_H
#define WP_LIB_RECORD_MAPSYNC_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/record/mapopts.h"

struct wp_snapshot;
struct wp_mapsync;

int wp_mapsync_open(struct wp_mapsync **out, const struct wp_mapsync_options *opt);
int wp_mapsync_begin(struct wp_mapsync *sync, struct wp_snapshot *snap, unsigned int wait_ms);
void wp_mapsync_started(struct wp_mapsync *sync);
bool wp_mapsync_wait_walked(struct wp_mapsync *sync, unsigned int wait_ms);
void wp_mapsync_end(struct wp_mapsync *sync, struct wp_mapsync_stats *stats);
bool wp_mapsync_denied(const struct wp_mapsync_stats *stats, char *text, size_t size);

#endif /* WP_LIB_RECORD_MAPSYNC_H */
