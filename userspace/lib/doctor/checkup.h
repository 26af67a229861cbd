/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether recording works on a host, and what to do if it does not. See checkup.c.
 */
#ifndef WP_LIB_DOCTOR_CHECKUP_H
#define WP_LIB_DOCTOR_CHECKUP_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/doctor/hostfacts.h"

/**
 * enum wp_level - the result of a check
 * @WP_LEVEL_OK: as it should be
 * @WP_LEVEL_NOTE: recording works, with a limitation
 * @WP_LEVEL_FAIL: recording does not work
 * @WP_LEVELS: number of levels
 */
enum wp_level {
	WP_LEVEL_OK,
	WP_LEVEL_NOTE,
	WP_LEVEL_FAIL,
	WP_LEVELS,
};

/**
 * struct wp_finding - a check and its result
 * @level: the result
 * @name: what was checked
 * @found: what was found
 * @means: the consequence; "" if all is well
 * @remedy: a command that fixes it; "" if there is none
 */
struct wp_finding {
	enum wp_level level;
	const char *name;
	char found[PATH_MAX + 256];
	char means[512];
	char remedy[PATH_MAX + 256];
};

#define WP_CHECKUP_MAX	24

/**
 * struct wp_checkup - all findings
 * @finding: the findings, in the order of the output
 * @nr: their number
 * @count: number of findings of each level
 */
struct wp_checkup {
	struct wp_finding finding[WP_CHECKUP_MAX];
	size_t nr;
	unsigned int count[WP_LEVELS];
};

void wp_checkup(struct wp_checkup *c, const struct wp_hostfacts *h, __u64 tables);
const char *wp_level_name(enum wp_level level);

#endif /* WP_LIB_DOCTOR_CHECKUP_H */
