/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that mapsync.c knows. See mapprocs.c.
 */
#ifndef WP_LIB_RECORD_MAPPROCS_H
#define WP_LIB_RECORD_MAPPROCS_H

#include "lib/record/mapstate.h"

struct wp_mapproc *wp_mapprocs_find(struct wp_mapsync *sync, __u32 pid);
struct wp_mapproc *wp_mapprocs_find_or_add(struct wp_mapsync *sync, __u32 pid);
void wp_mapprocs_forget(struct wp_mapsync *sync, __u32 pid);
void wp_mapprocs_forget_ended(struct wp_mapsync *sync);
void wp_mapprocs_mark(struct wp_mapsync *sync, const struct wp_mapproc *p);
unsigned int wp_mapprocs_next(struct wp_mapsync *sync, unsigned int i);
void wp_mapprocs_set_dirty(struct wp_mapsync *sync, struct wp_mapproc *p);
void wp_mapprocs_touch(struct wp_mapsync *sync, __u32 pid);
void wp_mapprocs_touch_all(struct wp_mapsync *sync);
void wp_mapprocs_touch_targets(struct wp_mapsync *sync);
void wp_mapprocs_touch_unsettled(struct wp_mapsync *sync);
void wp_mapprocs_touch_known(struct wp_mapsync *sync);
void wp_mapprocs_touch_forked(struct wp_mapsync *sync, __u64 since);
void wp_mapprocs_note_thread(struct wp_mapsync *sync, __u32 pid);

#endif /* WP_LIB_RECORD_MAPPROCS_H */
