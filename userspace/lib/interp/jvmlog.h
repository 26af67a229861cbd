/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code of a JVM by time. See jvmlog.c.
 */
#ifndef WP_LIB_INTERP_JVMLOG_H
#define WP_LIB_INTERP_JVMLOG_H

#include "lib/elf/jitdump.h"
#include "lib/interp/jvmcode.h"

/**
 * struct wp_jvmlog - code of a process by time; all zero: none, and none is wanted
 * @loads: the code, in the form of a jitdump file
 * @max: its memory; what is beyond has no name
 * @removes: code was removed, so its addresses may be used again at any time
 */
struct wp_jvmlog {
	struct wp_jitloads loads;
	size_t max;
	bool removes;
};

bool wp_jvmlog_note(struct wp_jvmlog *log, const struct wp_jvmcodes *before, __u64 then,
		    struct wp_jvmcodes *now, __u64 time, const struct wp_intern *names);
void wp_jvmlog_end(struct wp_jvmlog *log, const struct wp_jvmcodes *codes, __u64 time, bool sure);
size_t wp_jvmlog_bytes(const struct wp_jvmlog *log);

#endif /* WP_LIB_INTERP_JVMLOG_H */
