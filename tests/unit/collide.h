/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of stacks and the merge with hashes that all collide: they must compare
 * in full. Included by the programs that run their tests once more.
 */
#ifndef WP_TESTS_UNIT_COLLIDE_H
#define WP_TESTS_UNIT_COLLIDE_H

#define hash_ips(ips, nr, flags)	((void)(ips), 7)
#define hash_key(s)			((s)->tid % 64)

#include "../../userspace/lib/model/stacks.c"
#include "../../userspace/lib/model/merge.c"

#endif /* WP_TESTS_UNIT_COLLIDE_H */
