/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signals that the main thread does not take, as it waits uninterruptibly in the kernel.
 * See sigwatch.c.
 */
#ifndef WP_CMD_COMMON_SIGWATCH_H
#define WP_CMD_COMMON_SIGWATCH_H

#include <signal.h>

void wp_sigwatch_start(const sigset_t *signals, void (*handler)(int sig));

#endif /* WP_CMD_COMMON_SIGWATCH_H */
