/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of options that several commands have. See values.c.
 */
#ifndef WP_CMD_VALUES_H
#define WP_CMD_VALUES_H

#include <linux/types.h>

/* Tables of one CPU and context, where there is enough memory. */
#define WP_DEFAULT_BUFFER	(2ULL << 20)

struct wallprof_configure;
struct wp_cpumask;
struct wp_device;

__u64 wp_value_max_freq(void);
int wp_value_buffer(const char *option, const char *arg, __u64 *bytes);
int wp_value_int(const char *option, const char *arg, int min, int max, int *value);
int wp_value_times(const char *arg, __u64 *from, __u64 *to);
int wp_value_output(const char *arg, const char **output);
__u64 wp_value_default_buffer(__u64 most, __u64 buffers);
__u32 wp_value_ring_records(__u64 buffer, __u32 nr_cpus);
int wp_value_set_cpus(struct wallprof_configure *c, const struct wp_device *dev,
		      const struct wp_cpumask *cpus);
int wp_value_cpus(const char *option, const char *arg, struct wp_cpumask *cpus);

#endif /* WP_CMD_VALUES_H */
