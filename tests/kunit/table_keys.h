/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A key of an aggregate, and its fields. Used by table_aggrs.c and tables.c.
 */
#ifndef WALLPROF_KUNIT_TABLE_KEYS_H
#define WALLPROF_KUNIT_TABLE_KEYS_H

#include <linux/kernel.h>
#include <linux/types.h>

#include "pure/tables.h"

static const struct wallprof_aggr base_key = {
	.tid = 11, .tgid = 10, .start_time = 1000, .exec_id = 5,
	.kind = WALLPROF_AGGR_OFFCPU, .state = WALLPROF_STATE_SLEEPING,
	.flags = 0, .user_stack = 0x1000000001, .kernel_stack = 0x1000000005,
	.waker_tid = 12, .syscall = 202, .reason = WALLPROF_REASON_SYSCALL,
	.waker = WALLPROF_WAKER_TASK, .arg = 0x7fff00001000,
	.waker_stack = 0x1000000007,
};

/* The fields of the key: how wide, and how many to try until two collide. */
static const struct field {
	const char *name;
	unsigned int offset, bits;
	u32 members;
} fields[] = {
	{ "tid", offsetof(struct wallprof_aggr, tid), 32, 8192 },
	{ "tgid", offsetof(struct wallprof_aggr, tgid), 32, 8192 },
	{ "start_time", offsetof(struct wallprof_aggr, start_time), 64, 8192 },
	{ "exec_id", offsetof(struct wallprof_aggr, exec_id), 32, 8192 },
	{ "kind", offsetof(struct wallprof_aggr, kind), 8, 256 },
	{ "state", offsetof(struct wallprof_aggr, state), 8, 256 },
	{ "flags", offsetof(struct wallprof_aggr, flags), 16, 8192 },
	{ "user_stack", offsetof(struct wallprof_aggr, user_stack), 64, 8192 },
	{ "kernel_stack", offsetof(struct wallprof_aggr, kernel_stack), 64, 8192 },
	{ "waker_tid", offsetof(struct wallprof_aggr, waker_tid), 32, 8192 },
	{ "syscall", offsetof(struct wallprof_aggr, syscall), 16, 8192 },
	{ "reason", offsetof(struct wallprof_aggr, reason), 8, 256 },
	{ "waker", offsetof(struct wallprof_aggr, waker), 8, 256 },
	{ "arg", offsetof(struct wallprof_aggr, arg), 64, 8192 },
	{ "waker_stack", offsetof(struct wallprof_aggr, waker_stack), 64, 8192 },
};

static inline void field_flip(struct wallprof_aggr *key, const struct field *f, u64 bits)
{
	void *at = (char *)key + f->offset;

	switch (f->bits) {
	case 8:
		*(u8 *)at ^= bits;
		break;
	case 16:
		*(u16 *)at ^= bits;
		break;
	case 32:
		*(u32 *)at ^= bits;
		break;
	default:
		*(u64 *)at ^= bits;
	}
}

#endif /* WALLPROF_KUNIT_TABLE_KEYS_H */
