/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What threads wait for: files, sockets and futexes. See objects.c.
 */
#ifndef WP_LIB_MODEL_OBJECTS_H
#define WP_LIB_MODEL_OBJECTS_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/model/cause.h"
#include "lib/model/objecttexts.h"

/* Limits on memory, and on the cost of an epoch. */
#define WP_OBJECTS_MAX_KEYS	65536	/* descriptors and futexes */
#define WP_OBJECTS_MAX_LOOKUPS	2048	/* in a round */
#define WP_OBJECTS_MAX_MEMORY	256	/* of these, of kinds of memory: see there */

struct wp_livenames;
struct wp_objects;

/**
 * struct wp_objects_stats - statistics of lookups
 * @looked: lookups of descriptors and futexes
 * @gone: of these: the process, descriptor or mapping no longer existed
 * @denied: of these: no permission to read the process
 * @skipped: not looked up, as the round had reached its limit
 */
struct wp_objects_stats {
	__u64 looked;
	__u64 gone;
	__u64 denied;
	__u64 skipped;
};

struct wp_objects *wp_objects_new(const char *root);
void wp_objects_name_locks(struct wp_objects *o, struct wp_livenames *names);
void wp_objects_free(struct wp_objects *o);
int wp_objects_find(struct wp_objects *o, __u32 tid, __u32 tgid, __u32 exec_id,
		    const struct wp_cause *c, __u32 *object);
int wp_objects_memory(struct wp_objects *o, __u32 tgid, __u32 exec_id,
		      const struct wp_cause *c, __u8 *memory);
int wp_objects_expect(struct wp_objects *o, __u32 tid, __u32 tgid, __u32 exec_id,
		      const struct wp_cause *c, __u64 since);
void wp_objects_record(struct wp_objects *o, const struct perf_event_header *rec);
void wp_objects_begin_round(struct wp_objects *o, __u64 time);
void wp_objects_end_round(struct wp_objects *o);
void wp_objects_end_short_round(struct wp_objects *o);
bool wp_objects_full(const struct wp_objects *o);
const char *wp_objects_text(const struct wp_objects *o, __u32 object);
void wp_objects_stats(const struct wp_objects *o, struct wp_objects_stats *stats);

#endif /* WP_LIB_MODEL_OBJECTS_H */
