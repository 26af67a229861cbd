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

struct process *process_new(pid_t pid);
void process_free(struct process *p);
bool process_refresh(struct process *p);
struct ours *process_ours(struct process *p);

#endif /* ORACLE_PROCESS_H */
