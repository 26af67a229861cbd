/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Build-ids in the mapping records of a written file, for paths where the table of
 * build-ids is ambiguous. See mapids.c.
 */
#ifndef WP_LIB_PERFDATA_MAPIDS_H
#define WP_LIB_PERFDATA_MAPIDS_H

#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct wp_buildids;

/**
 * struct wp_mapids - positions of a file's records of executable mappings
 * @at: their offsets in the file
 * @nr: their number
 * @room: allocated entries of @at
 *
 * All zero: empty.
 */
struct wp_mapids {
	__u64 *at;
	size_t nr, room;
};

void wp_mapids_note(struct wp_mapids *maps, const struct perf_event_header *rec, __u64 at);
int wp_mapids_write(const struct wp_mapids *maps, int fd, const struct wp_buildids *ids);
void wp_mapids_free(struct wp_mapids *maps);

#endif /* WP_LIB_PERFDATA_MAPIDS_H */
