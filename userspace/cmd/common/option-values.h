/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of common options. See option-values.c.
 */
#ifndef WP_CMD_COMMON_OPTION_VALUES_H
#define WP_CMD_COMMON_OPTION_VALUES_H

#include <linux/types.h>

struct wp_cpumask;

__u64 wp_value_max_freq(void);
int wp_value_buffer(const char *option, const char *arg, __u64 *bytes);
int wp_value_file_size(const char *option, const char *arg, __u64 *bytes);
int wp_value_int(const char *option, const char *arg, int min, int max, int *value);
int wp_value_times(const char *arg, __u64 *from, __u64 *to);
int wp_value_output(const char *arg, const char **output);
int wp_value_cpus(const char *option, const char *arg, struct wp_cpumask *cpus);

#endif /* WP_CMD_COMMON_OPTION_VALUES_H */
