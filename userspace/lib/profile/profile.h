/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of a perf.data, or of a file of stacks, one by one: thread, time, functions of
 * the stack, duration and cause. See profile.c. profsum.h sums equal ones.
 *
 *	ret = wp_profile_open(&profile, path, &symbol_options);
 *	ret = wp_profile_read(profile, fn, ctx);
 *	frames = wp_profile_stack(profile, sample->stack, &nr);
 *	wp_profile_close(profile);
 */
#ifndef WP_LIB_PROFILE_PROFILE_H
#define WP_LIB_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/perfdata/perffile.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/profile/frame.h"
#include "lib/profile/sample.h"
#include "lib/symbols/symbols.h"

struct wp_profile;

/**
 * struct wp_profile_stats - statistics
 * @samples: samples, by kind
 * @lost: events that were lost
 * @damaged: records that could not be read
 * @no_stack: samples without their stack, as there are too many stacks
 * @first: time of the first sample
 * @last: time of the last one
 */
struct wp_profile_stats {
	__u64 samples[WP_PROFILE_KINDS];
	__u64 lost;
	__u64 damaged;
	__u64 no_stack;
	__u64 first;
	__u64 last;
};

/* A return value other than 0 ends the reading, and is returned. */
typedef int (*wp_profile_fn)(void *ctx, const struct wp_profile_sample *sample);

int wp_profile_open(struct wp_profile **out, const char *path,
		    const struct wp_symbols_options *options);
const struct wp_perffile *wp_profile_file(const struct wp_profile *p);
const struct wp_perfevents *wp_profile_events(const struct wp_profile *p);
int wp_profile_read(struct wp_profile *p, wp_profile_fn fn, void *ctx);
void wp_profile_stats(const struct wp_profile *p, struct wp_profile_stats *stats);

bool wp_profile_length(const struct wp_profile *p, __u64 *ns);
enum wp_profile_kind wp_profile_kind(const struct wp_profile *p, unsigned int event);
const char *wp_profile_by(const struct wp_profile *p, unsigned int event);
size_t wp_profile_threads(const struct wp_profile *p);
__u32 wp_profile_add_thread(struct wp_profile *p, __s32 pid, __s32 tid, const char *comm);
const char *wp_profile_comm_of(const struct wp_profile *p, __s32 tid);
const struct wp_profile_thread *wp_profile_thread(const struct wp_profile *p, __u32 thread);
bool wp_profile_is_sums(const struct wp_profile *p);
bool wp_profile_has_causes(const struct wp_profile *p);
bool wp_profile_has_objects(const struct wp_profile *p);
const struct wp_profile_cause *wp_profile_cause(const struct wp_profile *p, __u32 cause);
const __u32 *wp_profile_stack(struct wp_profile *p, __u32 stack, size_t *nr);
const struct wp_frame *wp_profile_frame(struct wp_profile *p, __u32 frame);
const struct wp_buildid *wp_profile_frame_id(const struct wp_profile *p, __u32 frame);
const __u32 *wp_profile_frame_functions(const struct wp_profile *p, const struct wp_frame *f,
					size_t *nr);
const __u32 *wp_profile_stack_functions(struct wp_profile *p, __u32 stack, size_t *nr);
const struct wp_function *wp_profile_function(const struct wp_profile *p, __u32 function);
bool wp_profile_code(const struct wp_profile *p, size_t *at, struct wp_profile_code *code);
const char *wp_profile_trouble(const struct wp_profile *p, size_t *at, const char **path);
void wp_profile_close(struct wp_profile *p);

#endif /* WP_LIB_PROFILE_PROFILE_H */
