/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interpreted methods of Java. See jvmmethods.c.
 */
#ifndef WP_LIB_RECORD_JVMMETHODS_H
#define WP_LIB_RECORD_JVMMETHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/wallprof_interp.h>

#include "lib/record/jvms.h"
#include "lib/symbols/livenames.h"

/* A method of which nothing is known, and the file that all others are shown with. */
#define WP_JVMMETHODS_UNREAD	"[java: not read]"
#define WP_JVMMETHODS_FILE	"[java]"

/**
 * enum wp_jvmmethods_reason - why a method in a stack has no name
 * @WP_JVMMETHODS_ENDED: its process has ended
 * @WP_JVMMETHODS_UNLOADED: classes were unloaded meanwhile
 * @WP_JVMMETHODS_REDEFINED: classes were loaded or unloaded meanwhile, or maybe redefined by an
 *	agent
 * @WP_JVMMETHODS_UNCOUNTED: nobody knows whether classes were unloaded
 * @WP_JVMMETHODS_NONE: the frame has no method, or it was not present
 * @WP_JVMMETHODS_ABSENT: its memory is not present
 * @WP_JVMMETHODS_DENIED: the process may not be read
 * @WP_JVMMETHODS_BLOCKED: its memory did not come
 * @WP_JVMMETHODS_BAD: what was read does not fit together
 * @WP_JVMMETHODS_LIMIT: there are too many
 * @WP_JVMMETHODS_REASONS: number of reasons
 */
enum wp_jvmmethods_reason {
	WP_JVMMETHODS_ENDED,
	WP_JVMMETHODS_UNLOADED,
	WP_JVMMETHODS_REDEFINED,
	WP_JVMMETHODS_UNCOUNTED,
	WP_JVMMETHODS_NONE,
	WP_JVMMETHODS_ABSENT,
	WP_JVMMETHODS_DENIED,
	WP_JVMMETHODS_BLOCKED,
	WP_JVMMETHODS_BAD,
	WP_JVMMETHODS_LIMIT,
	WP_JVMMETHODS_REASONS,
};

/**
 * struct wp_jvmmethods_stats - statistics
 * @frames: interpreted methods in the stacks of samples
 * @unread: those of them without a name, by reason
 * @methods: names that were read
 * @bytes: memory of those that are kept
 */
struct wp_jvmmethods_stats {
	__u64 frames;
	__u64 unread[WP_JVMMETHODS_REASONS];
	__u64 methods;
	size_t bytes;
};

struct wp_jvmmethods;

struct wp_jvmmethods *wp_jvmmethods_new(struct wp_jvms *jvms, size_t max_bytes);
void wp_jvmmethods_free(struct wp_jvmmethods *m);
bool wp_jvmmethods_any(const struct wp_jvmmethods *m);
void wp_jvmmethods_before(struct wp_jvmmethods *m);
void wp_jvmmethods_flipped(struct wp_jvmmethods *m, __u64 time);
void wp_jvmmethods_look(struct wp_jvmmethods *m, __u32 pid, const __u64 *ips, unsigned int nr);
const char *wp_jvmmethods_name(struct wp_jvmmethods *m, __u32 pid, __u64 word, __u64 time);
void wp_jvmmethods_livename(const struct wp_jvmmethods *m, __u32 pid, __u64 word,
			    struct wp_livename *name);
void wp_jvmmethods_no_room(struct wp_jvmmethods *m);
void wp_jvmmethods_record(struct wp_jvmmethods *m, const struct perf_event_header *rec,
			  __u64 time);
bool wp_jvmmethods_map(struct wp_jvmmethods *m, __u32 pid, __u64 time, __u64 *at);
void wp_jvmmethods_unmap(struct wp_jvmmethods *m);
void wp_jvmmethods_end_epoch(struct wp_jvmmethods *m, __u64 upto);
void wp_jvmmethods_turn(struct wp_jvmmethods *m);
const char *wp_jvmmethods_reason(unsigned int reason);
void wp_jvmmethods_stats(const struct wp_jvmmethods *m, struct wp_jvmmethods_stats *stats);

#endif /* WP_LIB_RECORD_JVMMETHODS_H */
