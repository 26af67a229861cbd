/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of a recording's samples, their frames and functions, with numbers. See
 * profstacks.c; readers of samples use profile.h.
 */
#ifndef WP_LIB_PROFILE_PROFSTACKS_H
#define WP_LIB_PROFILE_PROFSTACKS_H

#include "lib/perfdata/memmaps.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/profile/frame.h"
#include "lib/symbols/symbols.h"

struct wp_profstacks;

int wp_profstacks_new(struct wp_profstacks **out, struct wp_memmaps *maps,
		      const struct wp_symbols_options *options);
__u32 wp_profstacks_place(struct wp_profstacks *s, __s32 pid, __u64 space, __u64 address,
			  bool is_caller, __u64 time);
__u64 wp_profstacks_time(const struct wp_perfrecord *rec, bool is_wait);
int wp_profstacks_add(struct wp_profstacks *s, const struct wp_perfrecord *rec, const char *label,
		      __u64 time, __u32 *stack);
bool wp_profstacks_variable(struct wp_profstacks *s, __s32 pid, __u64 address, char *text,
			    size_t size);
const __u32 *wp_profstacks_frames(const struct wp_profstacks *s, __u32 stack, size_t *nr);
const struct wp_frame *wp_profstacks_frame(struct wp_profstacks *s, __u32 frame);
const struct wp_buildid *wp_profstacks_frame_id(const struct wp_profstacks *s, __u32 frame);
const __u32 *wp_profstacks_frame_functions(const struct wp_profstacks *s,
					   const struct wp_frame *f, size_t *nr);
const __u32 *wp_profstacks_functions(struct wp_profstacks *s, __u32 stack, size_t *nr);
const struct wp_function *wp_profstacks_function(const struct wp_profstacks *s,
						 __u32 function);
__u64 wp_profstacks_left_out(const struct wp_profstacks *s);
bool wp_profstacks_code(const struct wp_profstacks *s, size_t *at,
			struct wp_profile_code *code);
const char *wp_profstacks_trouble(const struct wp_profstacks *s, size_t *at, const char **path);
void wp_profstacks_free(struct wp_profstacks *s);

#endif /* WP_LIB_PROFILE_PROFSTACKS_H */
