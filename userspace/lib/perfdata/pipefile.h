/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recordings read from a pipe. See pipefile.c.
 */
#ifndef WP_LIB_PERFDATA_PIPEFILE_H
#define WP_LIB_PERFDATA_PIPEFILE_H

int wp_pipefile_spool(int from, const char *path);

#endif /* WP_LIB_PERFDATA_PIPEFILE_H */
