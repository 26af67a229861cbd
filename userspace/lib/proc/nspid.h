/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Thread ids of other pid namespaces. See nspid.c.
 */
#ifndef WP_LIB_PROC_NSPID_H
#define WP_LIB_PROC_NSPID_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * struct wp_nsthread - a thread
 * @ours: its number in our namespace
 * @own: in its own
 */
struct wp_nsthread {
	__u32 ours;
	__u32 own;
};

/**
 * struct wp_nsprocess - a process
 * @pid: its number in our namespace
 * @is_ours: it has the same number in its own; its threads are not read
 * @thread: its threads
 * @nr: their number
 * @room: allocated ones
 */
struct wp_nsprocess {
	__u32 pid;
	bool is_ours;
	struct wp_nsthread *thread;
	size_t nr;
	size_t room;
};

/**
 * struct wp_nspids - processes whose numbers were read; all 0: none
 * @process: the processes
 * @nr: their number
 */
struct wp_nspids {
	struct wp_nsprocess *process;
	size_t nr;
};

__u32 wp_nspids_find(struct wp_nspids *all, __u32 pid, __u32 tid, bool shared);
__u32 wp_nspid_own(__u32 pid, __u32 tid);
void wp_nspids_free(struct wp_nspids *all);

#endif /* WP_LIB_PROC_NSPID_H */
