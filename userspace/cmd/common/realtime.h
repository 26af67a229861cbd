/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Priority of the reader. See realtime.c.
 */
#ifndef WP_CMD_COMMON_REALTIME_H
#define WP_CMD_COMMON_REALTIME_H

int wp_realtime_parse(const char *arg, int *priority);
int wp_realtime_set(int priority);

#endif /* WP_CMD_COMMON_REALTIME_H */
