/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interpreted functions in the stacks of a recording. See interprows.c.
 */
#ifndef WP_LIB_RECORD_INTERPROWS_H
#define WP_LIB_RECORD_INTERPROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/record/interps.h"

/* The name of the file in which the functions have their addresses. */
#define WP_INTERPROWS_PATH	"/[python]"

/* A function of which nothing is known. */
#define WP_INTERPROWS_UNREAD	"[python: not read]"

/* Where functions are: no process has memory there. */
#define WP_INTERPROWS_BASE	(1ULL << 60)

/* Maximum number of functions. */
#define WP_INTERPROWS_MAX	(1 << 18)

/**
 * enum wp_interprows_reason - why a function in a stack was not read
 * @WP_INTERPROWS_ENDED: its process has ended
 * @WP_INTERPROWS_CHANGED: there is another object, or none, where it was
 * @WP_INTERPROWS_ABSENT: its memory is not present
 * @WP_INTERPROWS_DENIED: the process may not be read
 * @WP_INTERPROWS_BLOCKED: its memory did not come
 * @WP_INTERPROWS_BAD: what was read does not fit together
 * @WP_INTERPROWS_LIMIT: there are too many
 * @WP_INTERPROWS_REASONS: number of reasons
 */
enum wp_interprows_reason {
	WP_INTERPROWS_ENDED,
	WP_INTERPROWS_CHANGED,
	WP_INTERPROWS_ABSENT,
	WP_INTERPROWS_DENIED,
	WP_INTERPROWS_BLOCKED,
	WP_INTERPROWS_BAD,
	WP_INTERPROWS_LIMIT,
	WP_INTERPROWS_REASONS,
};

/**
 * struct wp_interprows_stats - statistics
 * @frames: interpreted functions in the stacks of samples
 * @unread: those of them without a name, by reason
 * @codes: code objects that were read
 */
struct wp_interprows_stats {
	__u64 frames;
	__u64 unread[WP_INTERPROWS_REASONS];
	__u64 codes;
};

struct wp_interprows;

struct wp_interprows *wp_interprows_new(struct wp_interps *interps);
void wp_interprows_free(struct wp_interprows *rows);
int wp_interprows_stack(struct wp_interprows *rows, __u32 pid, const __u64 *ips,
			unsigned int nr, __u64 *to, unsigned int *nr_to, bool *has);
void wp_interprows_look(struct wp_interprows *rows, __u32 pid, const __u64 *ips,
			unsigned int nr);
int wp_interprows_record(struct wp_interprows *rows, const struct perf_event_header *rec,
			 __u64 time);
bool wp_interprows_map(struct wp_interprows *rows, __u32 pid, __u64 time, __u64 *at);
void wp_interprows_end_epoch(struct wp_interprows *rows, __u64 upto);
void wp_interprows_unmap(struct wp_interprows *rows);
size_t wp_interprows_nr(const struct wp_interprows *rows);
const char *wp_interprows_name(void *rows, size_t i);
const char *wp_interprows_reason(unsigned int reason);
void wp_interprows_stats(const struct wp_interprows *rows, struct wp_interprows_stats *stats);

#endif /* WP_LIB_RECORD_INTERPROWS_H */
