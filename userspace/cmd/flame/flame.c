// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof flame: a recording as a flame graph of wall-clock time, in one file for a
 * browser (flame/html.c), or as a picture (flame/svg.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/folded.h"
#include "cmd/common/options.h"
#include "cmd/common/samples.h"
#include "cmd/common/sections.h"
#include "cmd/flame/flame.h"
#include "cmd/graph/chains.h"
#include "cmd/graph/graph.h"
#include "lib/base/err.h"
#include "lib/base/outfile.h"
#include "lib/base/text.h"

/* Number of time slots, for the strip of activity. */
#define SLOTS	240

enum {
	OPT_EVENT = 0x100,
	OPT_FOLDED,
	OPT_IDLE,
	OPT_MODE,
	OPT_SVG,
	OPT_TITLE,
};

enum format {
	FORMAT_HTML,
	FORMAT_SVG,
	FORMAT_FOLDED,
};

struct flame {
	struct wp_samples_options options;
	const char *output;
	const char *event;
	enum format format;
	struct wp_flame_view view;
};

static const char *const usage[] = {
	"[<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ 'o', "output", "file", "the file to write (default\n"
	  "wallprof-flame.html, .svg, .folded); an existing\n"
	  "one is overwritten; - is standard output" },
	{ OPT_EVENT, "event", "event", "the event to show (default the first)" },
	{ OPT_FOLDED, "folded", NULL, "all stacks, also those of idle time, a line\n"
	  "each, for flamegraph.pl" },
	{ OPT_IDLE, "idle", NULL, "show idle kernel threads, idle loops and waits\n"
	  "of wallprof, too, for a whole host" },
	{ OPT_MODE, "mode", "mode", "initial view: wall (on-CPU and off-CPU\n"
	  "time), cpu, off, blocked, runnable, offwake,\n"
	  "wake" },
	{ OPT_SVG, "svg", NULL, "an SVG picture of the view, for documents" },
	{ OPT_TITLE, "title", "text", "title of the graph" },
	{ 0 }
};

static int set_mode(struct flame *f, const char *arg)
{
	static const char *const modes[] = { "wall", "cpu", "off", "blocked", "runnable",
					    "offwake", "wake" };
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(arg, modes[i])) {
			f->view.mode = modes[i];
			return 0;
		}
	}
	wp_err("--mode must be wall, cpu, off, blocked, runnable, offwake or wake, not '%s'", arg);
	return -EINVAL;
}

static int set(void *ctx, int id, const char *arg)
{
	struct flame *f = ctx;

	switch (id) {
	case 'o':
		f->output = arg;
		return 0;
	case OPT_EVENT:
		f->event = arg;
		return 0;
	case OPT_IDLE:
		f->view.idle = true;
		return 0;
	case OPT_MODE:
		return set_mode(f, arg);
	case OPT_SVG:
	case OPT_FOLDED:
		if (f->format != FORMAT_HTML &&
		    f->format != (id == OPT_SVG ? FORMAT_SVG : FORMAT_FOLDED)) {
			wp_err("--svg and --folded cannot be combined");
			return -EINVAL;
		}
		f->format = id == OPT_SVG ? FORMAT_SVG : FORMAT_FOLDED;
		return 0;
	case OPT_TITLE:
		f->view.title = arg;
		return 0;
	}
	return wp_samples_set(&f->options, id, arg);
}

/* A picture shows one of several events; name the others. */
static void list_left_out(char *left_out, size_t size, const struct wp_flame_graph *g)
{
	size_t len = 0;
	__u32 i;

	for (i = 0; i < g->nr_events && len < size; i++) {
		if (i != g->chosen)
			len += snprintf(left_out + len, size - len, "%s%s",
					len ? ", " : "", g->event[i].name);
	}
}

static int draw(FILE *out, const struct flame *f, struct wp_samples *s,
		const struct wp_flame_graph *g)
{
	switch (f->format) {
	case FORMAT_FOLDED:
		return wp_folded(out, s, WP_SECTION_ALL);
	case FORMAT_SVG:
		return wp_flame_svg(out, g, &f->view);
	case FORMAT_HTML:
		break;
	}
	/* The page shows the first available mode. */
	if (f->view.mode && !wp_flame_has_mode(g, f->view.mode))
		wp_warn("%s: the recording has nothing for --mode %s; another view is shown first",
			s->o->input, f->view.mode);
	wp_flame_html(out, g, &f->view);
	return 0;
}

static int write_file(const struct flame *f, struct wp_samples *s,
		      const struct wp_flame_graph *g)
{
	struct wp_outfile out;
	FILE *stream = wp_samples_output(s, &out, f->output);
	int err;

	if (!stream)
		return -EIO;
	err = wp_outfile_end(&out, draw(stream, f, s, g));
	if (!err && wp_outfile_has_name(&out))
		wp_text_print(stderr, "[ wallprof flame: Wrote %.3f MB %s (%zu frames) ]\n",
			      (double)out.bytes / 1024 / 1024, f->output, (size_t)g->nodes.nr);
	return err;
}

static int run(struct flame *f)
{
	static const char *const outputs[] = {
		[FORMAT_HTML] = "wallprof-flame.html",
		[FORMAT_SVG] = "wallprof-flame.svg",
		[FORMAT_FOLDED] = "wallprof-flame.folded",
	};
	struct wp_flame_graph graph = { 0 };
	char left_out[200] = "";
	struct wp_flame_chains chains = { 0 };
	struct wp_samples samples;
	int err;

	if (!f->output)
		f->output = outputs[f->format];
	if (f->format != FORMAT_FOLDED) {
		f->options.each = wp_flame_chains_add;
		f->options.ctx = &chains;
	}
	/* Folded stacks need no time slots. */
	err = wp_samples_read(&samples, &f->options, f->format == FORMAT_FOLDED ? 1 : SLOTS);
	if (!err)
		err = wp_flame_graph(&graph, &samples, f->event, &chains);
	if (!err)
		err = wp_flame_spread(&graph);
	if (!err) {
		wp_info_read(&f->view.info, &samples);
		list_left_out(left_out, sizeof(left_out), &graph);
		f->view.left_out = left_out;
		if (!f->view.title)
			f->view.title = f->view.info.title;
		if (!f->view.title)
			f->view.title = f->options.input;
		f->view.file = f->options.input;
		wp_samples_warn(&samples);
		err = write_file(f, &samples, &graph);
	}
	wp_info_free(&f->view.info);
	wp_flame_graph_free(&graph);
	wp_flame_chains_free(&chains);
	wp_samples_free(&samples);
	return err;
}

/**
 * cmd_flame() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "flame"
 *
 * Return: its exit status.
 */
int cmd_flame(int argc, char **argv)
{
	struct flame f = { .options = WP_SAMPLES_DEFAULT };
	const struct wp_options options = {
		.command = "wallprof flame",
		.usage = usage,
		.table = table,
		.shared = wp_samples_table,
		.set = set,
	};
	int err, rest;

	err = wp_parse_options(&options, argc, argv, &f, &rest);
	if (err)
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	if (rest < argc) {
		wp_text_print(stderr, " Error: unexpected argument '%s'; use -i FILE or -o FILE\n",
			      argv[rest]);
		wp_print_usage(&options);
		return WP_EXIT_USAGE;
	}
	if (f.format == FORMAT_FOLDED &&
	    (f.view.mode || f.view.title || f.event || f.view.idle)) {
		fprintf(stderr, " Error: --folded and --%s cannot be combined: folded stacks have all views and no title\n",
			f.view.mode ? "mode" : f.event ? "event" : f.view.idle ? "idle" : "title");
		wp_samples_options_free(&f.options);
		return WP_EXIT_USAGE;
	}
	wp_outfile_die_on_signals();
	err = run(&f);
	wp_samples_options_free(&f.options);
	return err ? WP_EXIT_ERROR : 0;
}
