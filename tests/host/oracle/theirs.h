/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libdw's unwinder, on a thread that is stopped.
 */
#ifndef ORACLE_THEIRS_H
#define ORACLE_THEIRS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pure/unwind_cfi.h"

struct theirs;

struct theirs *theirs_new(pid_t pid, const char **why);
void theirs_free(struct theirs *t);
unsigned int theirs_unwind(struct theirs *t, pid_t tid, u64 *ips, unsigned int max,
			   const char **why);

#endif /* ORACLE_THEIRS_H */
