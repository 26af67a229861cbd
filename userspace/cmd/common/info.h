/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Description of a recording, for a picture or a file. See info.c.
 *
 *	wp_info_read(&info, &samples);
 *	...
 *	wp_info_free(&info);
 */
#ifndef WP_CMD_COMMON_INFO_H
#define WP_CMD_COMMON_INFO_H

#include <stdbool.h>

struct wp_samples;

/**
 * struct wp_info - where, when and how it was recorded, and what is missing
 * @host: its host, or NULL
 * @system: kernel and machine, or NULL
 * @command: its command, or NULL
 * @when: time of day; empty if unknown
 * @written: @when is the file's time: the recording does not have its own
 * @seconds: its length
 * @title: command, host and time, as far as they are known, or NULL
 * @scaled: how samples of the clock were scaled; empty: they are not scaled
 * @lost: what is missing, in sentences; empty: nothing
 */
struct wp_info {
	char *host;
	char *system;
	char *command;
	char *title;
	char when[32];
	bool written;
	double seconds;
	char scaled[120];
	char lost[600];
};

void wp_info_read(struct wp_info *info, const struct wp_samples *samples);
void wp_info_free(struct wp_info *info);

#endif /* WP_CMD_COMMON_INFO_H */
