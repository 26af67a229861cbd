/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recorded command. See workload.c.
 */
#ifndef WP_CMD_COMMON_WORKLOAD_H
#define WP_CMD_COMMON_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct wp_workload - a child that waits for its release, and then executes
 * @pid: the child, 0 if there is none
 * @go: pipe to it: a byte releases it, end of file makes it exit
 * @failed: pipe from it: 0 when its program is mapped; an errno, if the exec failed
 * @ended: it has been reaped
 * @status: from wait, if @ended
 */
struct wp_workload {
	pid_t pid;
	int go;
	int failed;
	bool ended;
	int status;
};

int wp_workload_fork(struct wp_workload *w, char **argv, bool map);
int wp_workload_release(struct wp_workload *w);
bool wp_workload_ended(struct wp_workload *w);
int wp_workload_finish(struct wp_workload *w);

#endif /* WP_CMD_COMMON_WORKLOAD_H */
