/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Description of a thread from /proc. See procinfo.c.
 */
#ifndef WP_LIB_PROC_PROCINFO_H
#define WP_LIB_PROC_PROCINFO_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_procinfo - a thread
 * @process: the name of its process, unsanitized
 * @kthread: it is a kernel thread
 * @age: nanoseconds since its start
 */
struct wp_procinfo {
	char process[WALLPROF_COMM_LEN];
	bool kthread;
	__u64 age;
};

bool wp_procinfo_read(__u32 pid, __u32 tid, struct wp_procinfo *info);
char *wp_procinfo_command(__u32 pid);

#endif /* WP_LIB_PROC_PROCINFO_H */
