/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Description of a thread from /proc. See procabout.c.
 */
#ifndef WP_LIB_PROC_PROCABOUT_H
#define WP_LIB_PROC_PROCABOUT_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_procabout - a thread
 * @process: the name of its process, unsanitized
 * @kthread: it is a kernel thread
 * @age: nanoseconds since its start
 */
struct wp_procabout {
	char process[WALLPROF_COMM_LEN];
	bool kthread;
	__u64 age;
};

bool wp_procabout_read(__u32 pid, __u32 tid, struct wp_procabout *about);
char *wp_procabout_command(__u32 pid);

#endif /* WP_LIB_PROC_PROCABOUT_H */
