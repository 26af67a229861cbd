/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_MAPPINGS_H
#define WALLPROF_MAPPINGS_H

#include <linux/types.h>

struct mm_struct;
struct wallprof_maps;
struct wallprof_status;
struct wp_code;
struct wp_images;
struct wp_session;

void wp_images_init(struct wp_images *images);
void wp_images_note_epoch(struct wp_images *images);
void wp_images_release(struct wp_session *session);
void wp_images_free_retired(struct wp_session *session);
int wp_images_map(struct wp_session *session, struct wallprof_maps *maps,
		  struct mm_struct **mm, const struct wp_code **code);
void wp_images_retire_dead(struct wp_session *session);
void wp_images_settle(struct wp_session *session);
void wp_images_status(struct wp_session *session, struct wallprof_status *status);
void wp_images_fork(struct wp_session *session, struct mm_struct *parent,
		    struct mm_struct *child);
const struct wp_code *wp_images_find(struct wp_images *images,
				     const struct mm_struct *mm);

#endif /* WALLPROF_MAPPINGS_H */
