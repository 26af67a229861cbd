/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process whose JVM has methods in stacks. See jvmprocess.c.
 */
#ifndef WP_LIB_RECORD_JVMPROCESS_H
#define WP_LIB_RECORD_JVMPROCESS_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/record/jvms.h"

struct wp_livejvms;

/**
 * struct wp_jvmprocess - a process
 * @pid: its number
 * @ended: when it ended, or executed another program, or another process had its number, or 0:
 *	nothing is read any more
 * @execs: another program has its number since then, or may have
 * @stalls: how often its memory did not come: it is not read again in that epoch, and after
 *	some of these not at all
 * @stalled: the epoch of the last one
 * @known: @facts is set, but for its numbers of classes, which are @unloads
 * @facts: what its methods are read by
 * @unloads: numbers of unloaded and loaded classes
 * @over: that was read from @file, as it has ended: nothing else is read
 * @file: the file that has them; -1: not opened yet; -2: there is none
 * @file_at: where that of unloaded classes is
 * @checked: the epoch in whose samples it was read last
 * @err: the result of that
 */
struct wp_jvmprocess {
	__u32 pid;
	__u64 ended;
	bool execs;
	unsigned int stalls;
	__u64 stalled;
	bool known;
	struct wp_jvmfacts facts;
	struct wp_jvmunloads unloads;
	bool over;
	int file;
	__u64 file_at;
	__u64 checked;
	int err;
};

bool wp_jvmprocess_stalled(const struct wp_jvmprocess *p, __u64 epoch);
int wp_jvmprocess_note(struct wp_jvmprocess *p, __u64 epoch, int err);
bool wp_jvmprocess_given_up(const struct wp_jvmprocess *p);
int wp_jvmprocess_count(struct wp_jvmprocess *p, struct wp_livejvms *reader, __u64 epoch);
int wp_jvmprocess_check(struct wp_jvmprocess *p, struct wp_jvms *jvms,
			struct wp_livejvms *reader, __u64 epoch, bool may_open);
bool wp_jvmprocess_same(const struct wp_jvmprocess *p, __u64 time);

#endif /* WP_LIB_RECORD_JVMPROCESS_H */
