/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finishing files, with or without a table. See tableresults.c.
 */
#ifndef WP_LIB_RECORD_TABLERESULTS_H
#define WP_LIB_RECORD_TABLERESULTS_H

#include "lib/record/tablestate.h"

void wp_tableresults_settle(struct wp_tablequeue *q, struct wp_tablegroup *g,
			    struct wp_tablejob *job,
			    const struct wp_tablequeue_stats *did);
void wp_tableresults_give_none(struct wp_tablequeue *q, struct wp_tablegroup *g,
			       struct wp_tablejob *job, int err);
void wp_tableresults_give_up(struct wp_tablequeue *q, struct wp_tablegroup *g,
			     struct wp_tablejob *job, int err);
void wp_tableresults_make_vdso(struct wp_tablequeue *q, struct wp_tablejob *job);
bool wp_tableresults_take_known(struct wp_tablequeue *q, struct wp_tablegroup *g,
				struct wp_tablejob *job);
bool wp_tableresults_take_name(struct wp_tablequeue *q, struct wp_tablegroup *g,
			       struct wp_tablejob *job,
			       const struct wp_answer *answer);
bool wp_tableresults_take_table(struct wp_tablequeue *q, struct wp_tablegroup *g,
				struct wp_tablejob *job,
				const struct wp_answer *answer);

#endif /* WP_LIB_RECORD_TABLERESULTS_H */
