/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workers of the queue of tables. See tableworkers.c.
 */
#ifndef WP_LIB_RECORD_TABLEWORKERS_H
#define WP_LIB_RECORD_TABLEWORKERS_H

#include "lib/record/tablestate.h"

void wp_tableworkers_take_answers(struct wp_tablequeue *q, struct wp_tableslot *s);
__u64 wp_tableworkers_give_all(struct wp_tablequeue *q);

#endif /* WP_LIB_RECORD_TABLEWORKERS_H */
