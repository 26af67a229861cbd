/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PROCESS_H
#define WALLPROF_PROCESS_H

struct wp_probe_desc;

extern struct wp_probe_desc wp_fork_probe_desc;
extern struct wp_probe_desc wp_exec_probe_desc;
extern struct wp_probe_desc wp_exit_probe_desc;

#endif /* WALLPROF_PROCESS_H */
