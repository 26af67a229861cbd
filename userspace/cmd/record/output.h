/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a recording. See output.c.
 */
#ifndef WP_CMD_RECORD_OUTPUT_H
#define WP_CMD_RECORD_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <linux/types.h>

#include "cmd/common/outputnames.h"

struct wp_recording;

/**
 * struct wp_record_output - the files
 * @names: those that are complete
 * @path: the name of the last one of these
 * @next: when the next one begins, of CLOCK_MONOTONIC; ~0: at no time
 * @has_names_only: the one that is written: nothing has been recorded since it began
 */
struct wp_record_output {
	struct wp_output_names names;
	char path[PATH_MAX];
	__u64 next;
	bool has_names_only;
};

int wp_record_output_open(struct wp_record_output *out, struct wp_recording *r);
void wp_record_output_begin(struct wp_record_output *out, const struct wp_recording *r);
int wp_record_output_switch(struct wp_record_output *out, struct wp_recording *r);
__u64 wp_record_output_next(const struct wp_record_output *out);
bool wp_record_output_is_due(const struct wp_record_output *out, const struct wp_recording *r);
bool wp_record_output_is_full(const struct wp_recording *r);
void wp_record_output_close(struct wp_record_output *out, struct wp_recording *r, int *err);

#endif /* WP_CMD_RECORD_OUTPUT_H */
