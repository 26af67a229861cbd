/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PROCESS_H
#define WALLPROF_PROCESS_H

struct wp_probe;

extern struct wp_probe wp_fork_probe;
extern struct wp_probe wp_exec_probe;
extern struct wp_probe wp_exit_probe;

#endif /* WALLPROF_PROCESS_H */
