/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits of processes: sums by process, reason and system call. See procwaits.c.
 */
#ifndef WP_LIB_MODEL_PROCWAITS_H
#define WP_LIB_MODEL_PROCWAITS_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/base/intern.h"
#include "lib/model/waits.h"

#define WP_PROCWAIT_32BIT	1	/* the call is in the 32-bit table */

/**
 * struct wp_procwait - waits of a process for one reason
 * @tgid: the process
 * @syscall: number of the system call, or WALLPROF_SYSCALL_*
 * @reason: enum wallprof_reason
 * @flags: WP_PROCWAIT_32BIT
 * @count: number of waits
 * @blocked_ns: their time without the runnable part
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
 * struct wp_procwaits - the sums; all zero: an empty table
 * @keys: keys of the entries, with the same numbers
 * @entry: the first @nr are used
 * @nr: their number
 * @room: of @entry
 * @last: number of the key that was added last; 0: none
 */
struct wp_procwaits {
	struct wp_intern keys;
	struct wp_procwait *entry;
	size_t nr;
	size_t room;
	__u32 last;
};

int wp_procwaits_add(struct wp_procwaits *p, const struct wp_procwait *wait);
int wp_procwaits_add_wait(struct wp_procwaits *p, const struct wp_wait *wait);
void wp_procwaits_sort(struct wp_procwaits *p);
const struct wp_procwait *wp_procwaits_of(const struct wp_procwaits *p, __u32 tgid, size_t *nr);
void wp_procwaits_free(struct wp_procwaits *p);

const char *wp_procwait_name(const struct wp_procwait *wait, const char *arch, char *buf,
			     size_t size);

#endif /* WP_LIB_MODEL_PROCWAITS_H */
