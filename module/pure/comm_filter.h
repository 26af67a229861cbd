/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_COMM_FILTER_H
#define WALLPROF_PURE_COMM_FILTER_H

#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_names - names of threads, from the user
 * @names: each padded with 0; sorted by wp_names_sort()
 * @nr: how many
 */
struct wp_names {
	char (*names)[WALLPROF_COMM_LEN];
	u32 nr;
};

bool wp_names_sort(struct wp_names *names);
bool wp_names_have(const struct wp_names *names, const char *comm);

#endif /* WALLPROF_PURE_COMM_FILTER_H */
