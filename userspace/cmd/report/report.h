/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report command. See report.c.
 */
#ifndef WP_CMD_REPORT_REPORT_H
#define WP_CMD_REPORT_REPORT_H

int cmd_report(int argc, char **argv);

#endif /* WP_CMD_REPORT_REPORT_H */
