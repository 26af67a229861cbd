/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of a command. See program.c.
 */
#ifndef WP_CMD_COMMON_PROGRAM_H
#define WP_CMD_COMMON_PROGRAM_H

void wp_program_map(const char *name);

#endif /* WP_CMD_COMMON_PROGRAM_H */
