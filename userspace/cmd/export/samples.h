/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common parts of the formats that have samples with stacks. See export/samples.c.
 *
 *	ret = wp_export_samples_read(&samples, e);
 *	f = wp_samples_output(&samples.samples, &samples.out, path);
 *	ret = wp_outfile_end(&samples.out, ret);
 *	ret = wp_export_samples_end(&samples, ret);
 */
#ifndef WP_CMD_EXPORT_SAMPLES_H
#define WP_CMD_EXPORT_SAMPLES_H

#include "cmd/common/samples.h"
#include "cmd/export/export.h"
#include "lib/base/outfile.h"

/**
 * struct wp_export_samples - a recording that is converted
 * @e: the options
 * @samples: its samples
 * @out: the output file
 * @nr_functions: highest number of a function; all are looked up
 * @nr_frames: the same for frames
 */
struct wp_export_samples {
	const struct wp_export *e;
	struct wp_samples samples;
	struct wp_outfile out;
	__u32 nr_functions;
	__u32 nr_frames;
};

int wp_export_samples_read(struct wp_export_samples *s, const struct wp_export *e);
int wp_export_samples_end(struct wp_export_samples *s, int err);

#endif /* WP_CMD_EXPORT_SAMPLES_H */
