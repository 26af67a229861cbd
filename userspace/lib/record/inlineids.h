/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the kernel can be asked for build-ids in records of mappings. See inlineids.c.
 */
#ifndef WP_LIB_RECORD_INLINEIDS_H
#define WP_LIB_RECORD_INLINEIDS_H

#include <stdbool.h>
#include <stddef.h>

bool wp_inlineids_work(void);

/* For tests: what the records of the trial say. */
bool wp_inlineids_judge(const void *records, size_t size);

#endif /* WP_LIB_RECORD_INLINEIDS_H */
