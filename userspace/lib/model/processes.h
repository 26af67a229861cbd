/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Totals of threads, summed by process. See processes.c.
 */
#ifndef WP_LIB_MODEL_PROCESSES_H
#define WP_LIB_MODEL_PROCESSES_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/model/ledger.h"

/**
 * struct wp_process - totals of a process's threads
 * @tgid: its id
 * @comm: name of its main thread, or of the first of the others; or ""
 * @threads: number of threads
 * @wall_ns: sum over the threads
 * @run_ns: the same
 * @off_ns: the same
 * @runnable_ns: the same
 * @unknown_ns: the same
 */
struct wp_process {
	__u32 tgid;
	char comm[WP_COMM_LEN];
	__u64 threads;
	__u64 wall_ns;
	__u64 run_ns;
	__u64 off_ns;
	__u64 runnable_ns;
	__u64 unknown_ns;
};

/**
 * struct wp_processes - all processes
 * @entry: the processes, unordered until wp_processes_sort()
 * @nr: their number
 * @room: of @entry; a power of two, or 0
 */
struct wp_processes {
	struct wp_process *entry;
	size_t nr;
	size_t room;
};

int wp_processes_add(struct wp_processes *p, const struct wp_totals *a);
void wp_processes_sort(struct wp_processes *p);
void wp_processes_free(struct wp_processes *p);

#endif /* WP_LIB_MODEL_PROCESSES_H */
