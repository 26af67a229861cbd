/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_MAPPINGS_H
#define WALLPROF_MAPPINGS_H

#include <linux/types.h>

struct mm_struct;
struct wallprof_maps;
struct wallprof_status;
struct wp_code;
struct wp_mappings;
struct wp_session;

void wp_mappings_init(struct wp_mappings *mappings);
void wp_mappings_note_epoch(struct wp_mappings *mappings);
void wp_mappings_release(struct wp_session *session);
void wp_mappings_free_retired(struct wp_session *session);
int wp_mappings_map(struct wp_session *session, struct wallprof_maps *maps,
		    struct mm_struct **mm, const struct wp_code **code);
void wp_mappings_retire_dead(struct wp_session *session);
void wp_mappings_settle(struct wp_session *session);
void wp_mappings_status(struct wp_session *session, struct wallprof_status *status);
void wp_mappings_fork(struct wp_session *session, struct mm_struct *parent,
		      struct mm_struct *child);
const struct wp_code *wp_mappings_find(struct wp_mappings *mappings,
				       const struct mm_struct *mm);

#endif /* WALLPROF_MAPPINGS_H */
