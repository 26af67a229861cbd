/* SPDX-License-Identifier: GPL-2.0 */
/* The sched command. See sched.c. */
#ifndef WP_CMD_SCHED_SCHED_H
#define WP_CMD_SCHED_SCHED_H

#include <stddef.h>

const char *wp_sched_command(size_t nr, const char **help);
int cmd_sched(int argc, char **argv);
int cmd_sched_record(int argc, char **argv);
int cmd_sched_latency(int argc, char **argv);
int cmd_sched_timehist(int argc, char **argv);
int cmd_sched_map(int argc, char **argv);
int cmd_sched_hist(int argc, char **argv);

#endif /* WP_CMD_SCHED_SCHED_H */
