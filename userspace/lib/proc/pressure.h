/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of the time processes of the host cannot run because memory is short. See
 * pressure.c.
 */
#ifndef WP_LIB_PROC_PRESSURE_H
#define WP_LIB_PROC_PRESSURE_H

/* Shares of time are in hundredths of a percent, as the kernel prints them. */
#define WP_PRESSURE_PERCENT	100

int wp_pressure_parse(const char *text);
int wp_pressure_memory(void);

#endif /* WP_LIB_PROC_PRESSURE_H */
