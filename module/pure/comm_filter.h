/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_COMM_FILTER_H
#define WALLPROF_PURE_COMM_FILTER_H

#include <linux/compiler.h>
#include <linux/string.h>
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
u32 wp_names_find(const struct wp_names *names, const char *comm);

/* Whether a name is in a list: see wp_names_find(). */
static inline bool wp_names_have(const struct wp_names *names, const char *comm)
{
	return wp_names_find(names, comm) < names->nr;
}

/**
 * wp_names_is - check whether a name is still the one that was found
 * @names: sorted
 * @at: where it was found; or any other place in the list
 * @comm: WALLPROF_COMM_LEN bytes
 *
 * Two words are compared, with the bytes behind the first 0, which the list has as 0 and
 * kernels before 5.17 do not clear in a shorter name. Context: any.
 *
 * Return: true if the name is that one. If not, wp_names_find() decides.
 */
static __always_inline bool wp_names_is(const struct wp_names *names, u32 at, const char *comm)
{
	u64 name[2], other[2];

	memcpy(name, names->names[at], sizeof(name));
	memcpy(other, comm, sizeof(other));
	return name[0] == other[0] && name[1] == other[1];
}

#endif /* WALLPROF_PURE_COMM_FILTER_H */
