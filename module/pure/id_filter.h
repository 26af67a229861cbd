/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_ID_FILTER_H
#define WALLPROF_PURE_ID_FILTER_H

#include <linux/types.h>

/**
 * struct wp_ids - ids from the user
 * @ids: sorted by wp_ids_sort()
 * @nr: how many
 */
struct wp_ids {
	u64 *ids;
	u32 nr;
};

void wp_ids_widen(struct wp_ids *ids);
bool wp_ids_name(const struct wp_ids *ids, u64 none);
void wp_ids_sort(struct wp_ids *ids);
bool wp_ids_have(const struct wp_ids *ids, u64 id);

#endif /* WALLPROF_PURE_ID_FILTER_H */
