/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that ran while others were runnable, in recordings with a timeline. See
 * report/starved.c.
 */
#ifndef WP_CMD_REPORT_STARVED_H
#define WP_CMD_REPORT_STARVED_H

#include <stdbool.h>

#include "cmd/common/samples.h"

bool wp_report_has_timeline(const struct wp_samples *samples);
int wp_report_starved(const struct wp_samples *samples);

#endif /* WP_CMD_REPORT_STARVED_H */
