/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Publishing the mappings of a process. See mappublish.c.
 */
#ifndef WP_LIB_RECORD_MAPPUBLISH_H
#define WP_LIB_RECORD_MAPPUBLISH_H

#include "lib/record/mapstate.h"

int wp_mappublish_add_map_of(struct wp_mapsync *sync, struct wp_codefile *file,
			     const struct wp_procmap *m);
bool wp_mappublish_is_published(const struct wp_mapsync *sync, const struct wp_procmap *m);
int wp_mappublish_maps(struct wp_mapsync *sync, struct wp_mapproc *p, __u64 start_stack);
void wp_mappublish_look_again(struct wp_mapsync *sync, struct wp_mapproc *p);
bool wp_mappublish_note_published(struct wp_mapsync *sync, struct wp_mapproc *p,
				  __u64 start_stack, int err);
__u64 wp_mappublish_dirty(struct wp_mapsync *sync, bool *all);

#endif /* WP_LIB_RECORD_MAPPUBLISH_H */
