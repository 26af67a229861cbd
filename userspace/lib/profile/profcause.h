/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cause of a sample of off-CPU time. See profcause.c.
 */
#ifndef WP_LIB_PROFILE_PROFCAUSE_H
#define WP_LIB_PROFILE_PROFCAUSE_H

#include <stdbool.h>

#include "lib/model/comms.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/perfdata/tracepoint.h"
#include "lib/profile/profstacks.h"
#include "lib/profile/sample.h"

/* Names of system calls with numbers below this are cached. */
#define WP_PROFCAUSE_CALLS	512

/**
 * struct wp_profcause_fields - the fields of an event's raw payload
 * @is_short: it is a struct wp_offcpu_raw instead
 * @state: NULL: there is no such field; so for the following
 * @reason: see above
 * @syscall: see above
 * @arg: see above
 * @object: see above
 * @count: see above
 * @waker: see above
 * @waker_tid: see above
 * @owner: see above
 * @lock: see above
 * @blocked_max: see above
 * @runnable_max: see above
 */
struct wp_profcause_fields {
	bool is_short;
	const struct wp_tracepoint_field *state;
	const struct wp_tracepoint_field *reason;
	const struct wp_tracepoint_field *syscall;
	const struct wp_tracepoint_field *arg;
	const struct wp_tracepoint_field *object;
	const struct wp_tracepoint_field *count;
	const struct wp_tracepoint_field *waker;
	const struct wp_tracepoint_field *waker_tid;
	const struct wp_tracepoint_field *owner;
	const struct wp_tracepoint_field *lock;
	const struct wp_tracepoint_field *blocked_max;
	const struct wp_tracepoint_field *runnable_max;
};

/**
 * struct wp_profcauses - what names are found by
 * @arch: machine of the recording; NULL: unknown
 * @stacks: for the names of variables
 * @comms: names of threads
 * @calls: cache of the names of system calls, native and 32-bit
 */
struct wp_profcauses {
	char *arch;
	struct wp_profstacks *stacks;
	const struct wp_comms *comms;
	char calls[2][WP_PROFCAUSE_CALLS][32];
};

void wp_profcause_fields(struct wp_profcause_fields *to, const struct wp_tracepoint *tp);
bool wp_profcause_read(struct wp_profcauses *p, const struct wp_profcause_fields *event,
		       const struct wp_perfrecord *rec, struct wp_profile_sample *sample,
		       struct wp_profile_cause *c);
void wp_profcause_call(struct wp_profcauses *p, const char *number, char name[WP_BYFIELD_TEXT]);

#endif /* WP_LIB_PROFILE_PROFCAUSE_H */
