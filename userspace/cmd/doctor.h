/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wallprof doctor. See doctor.c.
 */
#ifndef WP_CMD_DOCTOR_H
#define WP_CMD_DOCTOR_H

int cmd_doctor(int argc, char **argv);

#endif /* WP_CMD_DOCTOR_H */
