// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof export: a recording in other programs' formats. Selects the format; each has a
 * file of its own.
 */
#include <errno.h>
#include <stdio.h>

#include "cmd/common/options.h"
#include "cmd/export/export.h"
#include "lib/base/err.h"
#include "lib/base/outfile.h"
#include "lib/base/text.h"

enum {
	OPT_FIREFOX = 256,
	OPT_FOLDED,
	OPT_PERFETTO,
	OPT_PPROF,
	OPT_SPEEDSCOPE,
};

static const char *const usage[] = {
	"--<format> [<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ OPT_FIREFOX, "firefox", NULL, "samples for profiler.firefox.com" },
	{ OPT_FOLDED, "folded", NULL, "stacks, a line each, for flamegraph.pl" },
	{ OPT_PERFETTO, "perfetto", NULL, "a trace for ui.perfetto.dev and trace_processor" },
	{ OPT_PPROF, "pprof", NULL, "a profile for pprof: cpu, off-cpu, runnable" },
	{ OPT_SPEEDSCOPE, "speedscope", NULL, "samples for speedscope.app" },
	{ 'o', "output", "file", "the file to write (default\n"
	  "wallprof.firefox.json, wallprof.folded,\n"
	  "trace.perfetto-trace, wallprof.pb.gz,\n"
	  "wallprof.speedscope.json); an existing one\n"
	  "is overwritten; - is standard output" },
	{ 0 }
};

static const struct wp_export_format formats[] = {
	{ OPT_FIREFOX, "firefox", "wallprof.firefox.json", true, wp_export_firefox },
	{ OPT_FOLDED, "folded", "wallprof.folded", true, wp_export_folded },
	{ OPT_PERFETTO, "perfetto", "trace.perfetto-trace", false, wp_export_perfetto },
	{ OPT_PPROF, "pprof", "wallprof.pb.gz", true, wp_export_pprof },
	{ OPT_SPEEDSCOPE, "speedscope", "wallprof.speedscope.json", true,
	  wp_export_speedscope },
};

#define NR_FORMATS	(sizeof(formats) / sizeof(formats[0]))

static const struct wp_export_format *format_of(int id)
{
	size_t i;

	for (i = 0; i < NR_FORMATS; i++) {
		if (formats[i].id == id)
			return &formats[i];
	}
	return NULL;
}

static int set(void *ctx, int id, const char *arg)
{
	const struct wp_export_format *format = format_of(id);
	struct wp_export *e = ctx;

	if (id == 'o') {
		e->output = arg;
		return 0;
	}
	if (!format)
		return wp_samples_set(&e->samples, id, arg);
	if (e->format && e->format != format) {
		fprintf(stderr, " Error: --%s and --%s: one format at a time\n", e->format->name,
			format->name);
		return -EINVAL;
	}
	e->format = format;
	return 0;
}

/**
 * cmd_export() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "export"
 *
 * Return: its exit status.
 */
int cmd_export(int argc, char **argv)
{
	struct wp_export e = { .samples = WP_SAMPLES_DEFAULT };
	const struct wp_options options = {
		.command = "wallprof export",
		.usage = usage,
		.table = table,
		.shared = wp_samples_table,
		.set = set,
	};
	int err, rest;

	err = wp_parse_options(&options, argc, argv, &e, &rest);
	if (err)
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	if (rest < argc) {
		wp_text_print(stderr, " Error: unexpected argument '%s'; use -i FILE or -o FILE\n",
			      argv[rest]);
		wp_print_usage(&options);
		return WP_EXIT_USAGE;
	}
	if (!e.format) {
		fprintf(stderr, " Error: no format is named\n");
		wp_print_usage(&options);
		return WP_EXIT_USAGE;
	}
	if (e.samples.chosen && !e.format->chooses) {
		fprintf(stderr, " Error: --%s and --%s cannot be combined: the format has the whole recording\n",
			e.samples.chosen, e.format->name);
		wp_samples_options_free(&e.samples);
		return WP_EXIT_USAGE;
	}
	if (!e.output)
		e.output = e.format->output;
	wp_outfile_die_on_signals();
	err = e.format->run(&e);
	wp_samples_options_free(&e.samples);
	return err ? WP_EXIT_ERROR : 0;
}
