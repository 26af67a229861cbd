/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_CONFIG_H
#define WALLPROF_CONFIG_H

#include <linux/types.h>
#include <linux/wallprof.h>

bool wp_config_ok(const struct wallprof_configure *config);
void wp_config_fill(struct wallprof_configure *config);

#endif /* WALLPROF_CONFIG_H */
