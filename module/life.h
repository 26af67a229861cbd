/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_LIFE_H
#define WALLPROF_LIFE_H

struct wp_probe;

extern struct wp_probe wp_fork_probe;
extern struct wp_probe wp_exec_probe;
extern struct wp_probe wp_exit_probe;

#endif /* WALLPROF_LIFE_H */
