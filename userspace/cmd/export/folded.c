// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof export --folded: folded stacks (folded.c).
 */
#include <errno.h>

#include "cmd/common/folded.h"
#include "cmd/common/sections.h"
#include "cmd/export/samples.h"

/**
 * wp_export_folded() - write folded stacks
 * @e: the options
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_export_folded(const struct wp_export *e)
{
	struct wp_export_samples s;
	FILE *f = NULL;
	int err;

	err = wp_export_samples_read(&s, e);
	if (!err)
		f = wp_samples_output(&s.samples, &s.out, e->output);
	if (!err)
		err = f ? wp_outfile_end(&s.out, wp_folded(f, &s.samples, WP_SECTION_ALL)) : -EIO;
	return wp_export_samples_end(&s, err);
}
