/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record command. See record.c.
 */
#ifndef WP_CMD_RECORD_RECORD_H
#define WP_CMD_RECORD_RECORD_H

int cmd_record(int argc, char **argv);

#endif /* WP_CMD_RECORD_RECORD_H */
