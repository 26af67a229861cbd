/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Folded stacks, for flame graph tools. See folded.c.
 */
#ifndef WP_CMD_COMMON_FOLDED_H
#define WP_CMD_COMMON_FOLDED_H

#include <stdio.h>

#include "cmd/common/samples.h"

int wp_folded(FILE *f, struct wp_samples *s, unsigned int kinds);

#endif /* WP_CMD_COMMON_FOLDED_H */
