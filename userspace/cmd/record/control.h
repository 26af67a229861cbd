/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands that another process sends to a recording: --control. See control.c.
 *
 *	wp_control_open(&c, "fd:10,11")
 *	after each wait:
 *		wp_control_next()	until there is none
 *		wp_control_ack()	when what it asks for is done
 *	wp_control_close(&c)
 */
#ifndef WP_CMD_RECORD_CONTROL_H
#define WP_CMD_RECORD_CONTROL_H

#include <stdbool.h>

#include "lib/record/sessionopts.h"

/**
 * struct wp_control - where commands come from
 * @fd: they are read here; -1: none come, or none any more
 * @ack: each one that is done is answered here; or -1
 * @opened: both were opened by us
 * @unread: an answer found no room
 */
struct wp_control {
	int fd;
	int ack;
	bool opened;
	bool unread;
};

/**
 * enum wp_command - what the recording itself has to do
 * @WP_COMMAND_NONE: nothing: there is no command now
 * @WP_COMMAND_DONE: nothing more
 * @WP_COMMAND_ENABLE: begin
 * @WP_COMMAND_DISABLE: record no more
 * @WP_COMMAND_STOP: end
 */
enum wp_command {
	WP_COMMAND_NONE,
	WP_COMMAND_DONE,
	WP_COMMAND_ENABLE,
	WP_COMMAND_DISABLE,
	WP_COMMAND_STOP,
};

int wp_control_open(struct wp_control *c, const char *text);
enum wp_command wp_control_next(struct wp_control *c, const struct wp_record_opts *o);
void wp_control_ack(struct wp_control *c);
void wp_control_close(struct wp_control *c);

#endif /* WP_CMD_RECORD_CONTROL_H */
