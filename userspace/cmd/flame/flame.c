// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof flame: a recording as a flame graph of wall-clock time, in one file for a
 * browser (flame/html.c), or as a picture (flame/svg.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
	OPT_DIFF = 0x100,
	OPT_EVENT,
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

/**
 * struct side - a recording
 * @options: its options
 * @samples: its samples
 * @graph: its graph
 * @chains: its wakers
 */
struct side {
	struct wp_samples_options options;
	struct wp_samples samples;
	struct wp_flame_graph graph;
	struct wp_flame_chains chains;
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
	{ OPT_DIFF, "diff", "file", "the recording to compare with, the baseline:\n"
	  "what takes more time is red, less is blue" },
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
	case OPT_DIFF:
		f->view.baseline_file = arg;
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
	struct stat baseline;
	int err;

	if (!stream)
		return -EIO;
	if (g->baseline && !fstat(wp_profile_file(g->baseline->samples->profile)->fd, &baseline) &&
	    wp_outfile_same(&out, &baseline)) {
		wp_err("%s is the recording to compare with; use another file with -o", f->output);
		wp_outfile_abandon(&out);
		return -EINVAL;
	}
	err = wp_outfile_end(&out, draw(stream, f, s, g));
	if (!err && wp_outfile_has_name(&out))
		wp_text_print(stderr, "[ wallprof flame: Wrote %.3f MB %s (%zu frames) ]\n",
			      (double)out.bytes / 1024 / 1024, f->output, (size_t)g->nodes.nr);
	return err;
}

/* A difference has no times: those of one recording are not those of the other. */
static void drop_times(struct wp_flame_graph *g)
{
	size_t i;

	for (i = 0; i < g->nr; i++) {
		g->line[i].slot = 0;
		g->line[i].begin = 0;
	}
}

/* Read a recording, and build its graph. */
static int read_side(struct side *s, const struct flame *f, const char *input)
{
	bool folded = f->format == FORMAT_FOLDED, differs = f->view.baseline_file;
	int err;

	s->options = f->options;
	s->options.input = input;
	if (!folded && !differs) {
		s->options.each = wp_flame_chains_add;
		s->options.ctx = &s->chains;
	}
	/* Folded stacks need no time slots; with two, the length is known. */
	err = wp_samples_read(&s->samples, &s->options, folded ? 1 : differs ? 2 : SLOTS);
	if (!err)
		err = wp_flame_graph(&s->graph, &s->samples, f->event, &s->chains);
	if (!err && !differs)
		err = wp_flame_spread(&s->graph);
	if (!err && differs)
		drop_times(&s->graph);
	return err;
}

static void free_side(struct side *s)
{
	wp_flame_graph_free(&s->graph);
	wp_flame_chains_free(&s->chains);
	wp_samples_free(&s->samples);
}

/* Read the recording to compare with, and add it. */
static int add_baseline(struct flame *f, struct side *s, struct side *baseline)
{
	int err = read_side(baseline, f, f->view.baseline_file);

	if (err)
		return err;
	wp_info_read(&f->view.baseline, &baseline->samples);
	wp_samples_warn(&baseline->samples);
	return wp_flame_add_baseline(&s->graph, &baseline->graph);
}

static void set_view(struct flame *f, const struct side *s, char *spare, size_t size)
{
	wp_info_read(&f->view.info, &s->samples);
	f->view.file = f->options.input;
	if (!f->view.title && f->view.baseline_file) {
		snprintf(spare, size, "%s compared with %s", f->view.file,
			 f->view.baseline_file);
		f->view.title = spare;
	}
	if (!f->view.title)
		f->view.title = f->view.info.title;
	if (!f->view.title)
		f->view.title = f->options.input;
}

static int run(struct flame *f)
{
	static const char *const outputs[] = {
		[FORMAT_HTML] = "wallprof-flame.html",
		[FORMAT_SVG] = "wallprof-flame.svg",
		[FORMAT_FOLDED] = "wallprof-flame.folded",
	};
	struct side side = { 0 }, baseline = { 0 };
	char left_out[200] = "", title[600];
	int err;

	if (!f->output)
		f->output = outputs[f->format];
	err = read_side(&side, f, f->options.input);
	if (!err && f->view.baseline_file)
		err = add_baseline(f, &side, &baseline);
	if (!err) {
		set_view(f, &side, title, sizeof(title));
		list_left_out(left_out, sizeof(left_out), &side.graph);
		f->view.left_out = left_out;
		wp_samples_warn(&side.samples);
		err = write_file(f, &side.samples, &side.graph);
	}
	wp_info_free(&f->view.info);
	wp_info_free(&f->view.baseline);
	free_side(&side);
	free_side(&baseline);
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
	if (f.view.baseline_file && f.format == FORMAT_FOLDED) {
		fprintf(stderr, " Error: --diff and --folded cannot be combined: a difference is a page or a picture\n");
		wp_samples_options_free(&f.options);
		return WP_EXIT_USAGE;
	}
	wp_outfile_die_on_signals();
	err = run(&f);
	wp_samples_options_free(&f.options);
	return err ? WP_EXIT_ERROR : 0;
}
