/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The archive command. See archive.c.
 */
#ifndef WP_CMD_ARCHIVE_H
#define WP_CMD_ARCHIVE_H

int cmd_archive(int argc, char **argv);

#endif /* WP_CMD_ARCHIVE_H */
