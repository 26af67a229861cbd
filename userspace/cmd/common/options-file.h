/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of a command from a file. See options-file.c.
 */
#ifndef WP_CMD_COMMON_OPTIONS_FILE_H
#define WP_CMD_COMMON_OPTIONS_FILE_H

struct wp_options;

int wp_options_file(const struct wp_options *o, const char *path, const char *const *never,
		    void *ctx, char **text);

#endif /* WP_CMD_COMMON_OPTIONS_FILE_H */
