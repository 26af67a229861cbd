/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf.data of perf record --call-graph dwarf: what processes map, and samples
 * with registers and a copy of the stack.
 */
#ifndef ORACLE_RECORDING_H
#define ORACLE_RECORDING_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/user.h>

enum record_kind { RECORD_MAP, RECORD_FORK, RECORD_EXEC, RECORD_SAMPLE };

/**
 * struct record - what happened
 * @kind: which of those below hold
 * @pid: process
 * @tid: thread; samples
 * @parent: process that forked it
 * @time: of the sample
 * @start: where the code begins; maps
 * @end: and ends
 * @offset: in the file
 * @name: of the file; of what is executed
 * @switched: a sample of a context switch, not of the clock
 * @regs: the user's, NULL: it has none
 * @stack: a copy of the stack, from the stack pointer on
 * @size: bytes of it
 */
struct record {
	enum record_kind kind;
	pid_t pid, tid, parent;
	__u64 time, start, end, offset;
	const char *name;
	bool switched;
	const struct user_regs_struct *regs;
	const void *stack;
	size_t size;
};

struct recording;

struct recording *recording_open(const char *path);
bool recording_next(struct recording *r, struct record *record);

#endif /* ORACLE_RECORDING_H */
