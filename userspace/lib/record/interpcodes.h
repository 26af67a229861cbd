/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code objects of interpreted functions. See interpcodes.c.
 */
#ifndef WP_LIB_RECORD_INTERPCODES_H
#define WP_LIB_RECORD_INTERPCODES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/record/interps.h"

/* A function of which nothing is known. */
#define WP_INTERPCODES_UNREAD	"[python: not read]"

/**
 * enum wp_interpcodes_reason - why a function in a stack was not read
 * @WP_INTERPCODES_ENDED: its process has ended
 * @WP_INTERPCODES_CHANGED: there is another object, or none, where it was
 * @WP_INTERPCODES_ABSENT: its memory is not present
 * @WP_INTERPCODES_DENIED: the process may not be read
 * @WP_INTERPCODES_BLOCKED: its memory did not come
 * @WP_INTERPCODES_BAD: what was read does not fit together
 * @WP_INTERPCODES_LIMIT: there are too many
 * @WP_INTERPCODES_REASONS: number of reasons
 */
enum wp_interpcodes_reason {
	WP_INTERPCODES_ENDED,
	WP_INTERPCODES_CHANGED,
	WP_INTERPCODES_ABSENT,
	WP_INTERPCODES_DENIED,
	WP_INTERPCODES_BLOCKED,
	WP_INTERPCODES_BAD,
	WP_INTERPCODES_LIMIT,
	WP_INTERPCODES_REASONS,
};

/**
 * struct wp_interpcodes_stats - statistics
 * @frames: interpreted functions in the stacks of samples
 * @unread: those of them without a name, by reason
 * @codes: code objects that were read
 * @bytes: memory of those that are kept
 */
struct wp_interpcodes_stats {
	__u64 frames;
	__u64 unread[WP_INTERPCODES_REASONS];
	__u64 codes;
	size_t bytes;
};

/**
 * struct wp_interprow - what a caller knows a place of a function by
 * @place: the place
 * @row: a number that the caller has set, or 0
 */
struct wp_interprow {
	__u64 place;
	__u32 row;
};

/**
 * struct wp_interpfunction - a function that is executed
 * @row: for the caller's number of it, valid until the next call. If it has one, the others
 *	are not set
 * @name: its name, as the process has it; it is valid until its process is forgotten
 * @file: its file, likewise
 * @line: the line, or 0
 */
struct wp_interpfunction {
	struct wp_interprow *row;
	const char *name;
	const char *file;
	__u32 line;
};

struct wp_interpcodes;

struct wp_interpcodes *wp_interpcodes_new(struct wp_interps *interps, size_t max_bytes);
void wp_interpcodes_free(struct wp_interpcodes *codes);
int wp_interpcodes_function(struct wp_interpcodes *codes, __u32 pid, __u64 address, __u64 at,
			    struct wp_interpfunction *f);
void wp_interpcodes_no_room(struct wp_interpcodes *codes);
void wp_interpcodes_look(struct wp_interpcodes *codes, __u32 pid, const __u64 *ips,
			 unsigned int nr);
int wp_interpcodes_record(struct wp_interpcodes *codes, const struct perf_event_header *rec,
			  __u64 time);
bool wp_interpcodes_map(struct wp_interpcodes *codes, __u32 pid, __u64 time, __u64 *at);
void wp_interpcodes_end_epoch(struct wp_interpcodes *codes, __u64 upto);
void wp_interpcodes_sweep(struct wp_interpcodes *codes);
void wp_interpcodes_unmap(struct wp_interpcodes *codes);
const char *wp_interpcodes_reason(unsigned int reason);
void wp_interpcodes_stats(const struct wp_interpcodes *codes, struct wp_interpcodes_stats *stats);

#endif /* WP_LIB_RECORD_INTERPCODES_H */
