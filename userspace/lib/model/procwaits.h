/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What processes were blocked in: sums by process, reason and system call. See
 * procwaits.c.
 */
#ifndef WP_LIB_MODEL_PROCWAITS_H
#define WP_LIB_MODEL_PROCWAITS_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/base/intern.h"
#include "lib/model/waits.h"

#define WP_PROCWAIT_32BIT	1	/* the call is of the 32-bit table */

/**
 * struct wp_procwait - a process's waits of one reason
 * @tgid: the process
 * @syscall: number of the system call, or WALLPROF_SYSCALL_*
 * @reason: enum wallprof_reason
 * @flags: WP_PROCWAIT_32BIT
 * @count: waits
 * @blocked_ns: their nanoseconds without those in which the thread was runnable
 */
struct wp_procwait {
	__u32 tgid;
	__u16 syscall;
	__u8 reason;
	__u8 flags;
	__u64 count;
	__u64 blocked_ns;
};

/**
 * struct wp_procwaits - the sums; all zero is an empty table
 * @keys: what tells the entries apart, numbered as these are
 * @entry: the first @nr are used
 * @nr: their number
 * @room: of @entry
 */
struct wp_procwaits {
	struct wp_intern keys;
	struct wp_procwait *entry;
	size_t nr;
	size_t room;
};

int wp_procwaits_add(struct wp_procwaits *p, const struct wp_procwait *wait);
int wp_procwaits_add_wait(struct wp_procwaits *p, const struct wp_wait *wait);
void wp_procwaits_sort(struct wp_procwaits *p);
const struct wp_procwait *wp_procwaits_of(const struct wp_procwaits *p, __u32 tgid, size_t *nr);
void wp_procwaits_free(struct wp_procwaits *p);

const char *wp_procwait_name(const struct wp_procwait *wait, const char *arch, char *buf,
			     size_t size);

#endif /* WP_LIB_MODEL_PROCWAITS_H */
