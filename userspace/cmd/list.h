/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wallprof list. See list.c.
 */
#ifndef WP_CMD_LIST_H
#define WP_CMD_LIST_H

int cmd_list(int argc, char **argv);

#endif /* WP_CMD_LIST_H */
