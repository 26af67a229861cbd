/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that is stopped: its code and its memory, for our unwinder.
 */
#ifndef ORACLE_PROCESS_H
#define ORACLE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "ours.h"

struct process;

/* What became of a process's mappings. */
enum mappings {
	MAPPINGS_SAME,
	MAPPINGS_CHANGED,
	MAPPINGS_GONE,	/* and the process with them */
};

struct process *process_new(pid_t pid);
void process_free(struct process *p);
enum mappings process_refresh(struct process *p);
struct ours *process_ours(struct process *p);

#endif /* ORACLE_PROCESS_H */
