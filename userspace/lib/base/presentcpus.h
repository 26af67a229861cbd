/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPUs of this host. See presentcpus.c.
 */
#ifndef WP_LIB_BASE_PRESENTCPUS_H
#define WP_LIB_BASE_PRESENTCPUS_H

#define WP_PRESENTCPUS_MAX	65536

int wp_presentcpus_read(int **cpus, unsigned int *nr);

#endif /* WP_LIB_BASE_PRESENTCPUS_H */
