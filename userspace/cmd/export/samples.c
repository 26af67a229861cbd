// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a recording for the formats that have samples with stacks, and prints the summary
 * at the end. Called by export/pprof.c, export/speedscope.c and export/folded.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/export/samples.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

static void note_functions(struct wp_export_samples *s, const struct wp_frame *f)
{
	size_t i, nr;
	const __u32 *functions = wp_profile_frame_functions(s->samples.profile, f, &nr);

	for (i = 0; i < nr; i++) {
		if (functions[i] > s->nr_functions)
			s->nr_functions = functions[i];
	}
}

/* Look up all functions, so that their numbers are known. */
static int look_up(struct wp_export_samples *s)
{
	struct wp_profile *p = s->samples.profile;
	size_t i, k, nr;

	for (i = 0; i < s->samples.sum.nr; i++) {
		const __u32 *frames = wp_profile_stack(p, s->samples.sum.line[i].stack, &nr);

		for (k = 0; k < nr; k++) {
			const struct wp_frame *f = wp_profile_frame(p, frames[k]);

			if (!f)
				return -ENOMEM;
			if (frames[k] > s->nr_frames)
				s->nr_frames = frames[k];
			note_functions(s, f);
		}
	}
	return 0;
}

/**
 * wp_export_samples_read() - read a recording
 * @s: filled in, to be passed to wp_export_samples_end()
 * @e: the options
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_export_samples_read(struct wp_export_samples *s, const struct wp_export *e)
{
	int err;

	*s = (struct wp_export_samples){ .e = e };
	err = wp_samples_read(&s->samples, &e->samples, 1);
	if (!err && !s->samples.sum.nr) {
		if (e->samples.chosen)
			wp_err("%s: no sample is left by --%s%s", e->samples.input,
			       e->samples.chosen, wp_samples_cause_hint(&s->samples));
		else
			wp_err("%s has no samples: there is nothing to export", e->samples.input);
		err = -ENODATA;
	}
	return err ? err : look_up(s);
}

static void print_summary(const struct wp_export_samples *s)
{
	__u64 samples = 0;
	size_t i;

	wp_samples_warn(&s->samples);
	if (!wp_outfile_has_name(&s->out))
		return;
	for (i = 0; i < s->samples.sum.nr; i++)
		samples += s->samples.sum.line[i].samples;
	wp_text_print(stderr, "[ wallprof export: Wrote %.3f MB %s (%" PRIu64 " sample%s, %zu different) ]\n",
		      (double)s->out.bytes / 1024 / 1024, s->e->output, (uint64_t)samples,
		      samples == 1 ? "" : "s", s->samples.sum.nr);
}

/**
 * wp_export_samples_end() - print what was written, and free the recording
 * @s: the recording
 * @err: 0, or the reason why it was not written
 *
 * Return: @err.
 */
int wp_export_samples_end(struct wp_export_samples *s, int err)
{
	if (!err)
		print_summary(s);
	wp_samples_free(&s->samples);
	return err;
}
