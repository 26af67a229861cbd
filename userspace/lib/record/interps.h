/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interpreters of running processes. See interps.c.
 */
#ifndef WP_LIB_RECORD_INTERPS_H
#define WP_LIB_RECORD_INTERPS_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/wallprof_interp.h>

#include "lib/interp/pylayout.h"

/**
 * struct wp_interp - an interpreter of a process
 * @py: where it keeps what
 * @interp: its description for the module
 */
struct wp_interp {
	struct wp_pyruntime py;
	struct wallprof_interp interp;
};

struct wp_interps;

struct wp_interps *wp_interps_new(void);
void wp_interps_free(struct wp_interps *all);
int wp_interps_again(struct wp_interps *all, __u32 pid);
int wp_interps_look(struct wp_interps *all, __u32 pid, struct wallprof_interp *interp);
void wp_interps_fork(struct wp_interps *all, __u32 ppid, __u32 pid);
void wp_interps_forget(struct wp_interps *all, __u32 pid);
bool wp_interps_any(struct wp_interps *all);
bool wp_interps_find(struct wp_interps *all, __u32 pid, struct wp_interp *interp);

#endif /* WP_LIB_RECORD_INTERPS_H */
