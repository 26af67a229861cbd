/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signals that end a recording, request a snapshot or concern the terminal, and the wait
 * for signals, data and keys. See signals.c.
 */
#ifndef WP_CMD_COMMON_SIGNALS_H
#define WP_CMD_COMMON_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

struct wp_device;
struct wp_perfdata;
struct wp_sideband;

/**
 * enum wp_wake - why wp_signals_wait() returned
 * @WP_WAKE_TIME: the time has come, or a signal without consequences, or a command
 * @WP_WAKE_FULL: data is ready
 * @WP_WAKE_GONE: no target is left
 * @WP_WAKE_INPUT: a key was pressed, or the terminal was hung up
 * @WP_WAKE_FILES: a process mapped a file that is new
 */
enum wp_wake {
	WP_WAKE_TIME,
	WP_WAKE_FULL,
	WP_WAKE_GONE,
	WP_WAKE_INPUT,
	WP_WAKE_FILES,
};

void wp_signals_want_reload(void);
int wp_signals_catch(void);
int wp_signals_stop(void);
bool wp_signals_reload(void);
void wp_signals_hold(void);
void wp_signals_catch_snapshot(void);
bool wp_signals_snapshot(void);
void wp_signals_catch_screen(void (*restore)(void), int input);
bool wp_signals_suspend(void);
bool wp_signals_resized(void);
void wp_signals_sleep(void);
void wp_signals_ignore_limit(void);
void wp_signals_restore_limit(void);
void wp_signals_set_file(struct wp_perfdata *pd);
void wp_signals_set_files(int fd);
void wp_signals_set_control(int fd);
void wp_signals_set_command(pid_t pid);
int wp_signals_wait(const struct wp_device *dev, struct wp_sideband *sideband,
		    __u64 until);
int wp_signals_exit_status(int err, int status);

#endif /* WP_CMD_COMMON_SIGNALS_H */
