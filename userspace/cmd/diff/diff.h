/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wallprof diff: what differs between two recordings. See diff.c.
 */
#ifndef WP_CMD_DIFF_DIFF_H
#define WP_CMD_DIFF_DIFF_H

int cmd_diff(int argc, char **argv);

#endif /* WP_CMD_DIFF_DIFF_H */
