/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wakes a thread when any process of the host executes a program. See execwatch.c.
 */
#ifndef WP_LIB_RECORD_EXECWATCH_H
#define WP_LIB_RECORD_EXECWATCH_H

#include <linux/types.h>

struct wp_execwatch;

int wp_execwatch_open(struct wp_execwatch **out);
int wp_execwatch_fd(const struct wp_execwatch *watch);
void wp_execwatch_take(struct wp_execwatch *watch);
void wp_execwatch_look(struct wp_execwatch *watch, __u64 now);
void wp_execwatch_close(struct wp_execwatch *watch);

#endif /* WP_LIB_RECORD_EXECWATCH_H */
