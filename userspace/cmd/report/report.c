// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof report: description of a recording, and where the time went (report/first.c,
 * overview.c), its stacks (report/trees.c), or all of it as JSON (report/json.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/folded.h"
#include "cmd/common/option-values.h"
#include "cmd/common/options.h"
#include "cmd/common/perf-options.h"
#include "cmd/common/samples.h"
#include "cmd/common/screen.h"
#include "cmd/common/sections.h"
#include "cmd/report/first.h"
#include "cmd/report/json.h"
#include "cmd/report/overview.h"
#include "cmd/report/report.h"
#include "cmd/report/trees.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

#define TOP_PROCESSES	20
#define TOP_THREADS	20

/* The highest possible setting of perf's limit for stacks. */
#define MAX_STACK	65535

/* Default sort keys of perf report. */
#define PERF_KEYS	"comm,dso,sym"

#define NR(array)	(sizeof(array) / sizeof(array[0]))

/* Options without a letter. */
enum {
	OPT_CHILDREN = 0x100,
	OPT_FOLDED,
	OPT_HEADER,
	OPT_HEADER_ONLY,
	OPT_IDLE,
	OPT_JSON,
	OPT_KINDS,
	OPT_MAX_STACK,
	OPT_NO_CHILDREN,
	OPT_NO_GRAPH,
	OPT_NO_PAGER,
	OPT_PERCENT_LIMIT,
};

struct report {
	int verbose;
	bool folded;
	bool header;
	bool header_only;
	bool idle;
	bool json;
	bool no_pager;
	bool quiet;
	bool trees;
	struct wp_samples_options samples;
	struct wp_report_tree_options stacks;
	struct wp_overview overview;
};

static const char *const usage[] = {
	"[<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ OPT_CHILDREN, "children", NULL, "a table, with the time of callees added" },
	{ 'c', "comms", "names", "samples of threads of these names only" },
	{ 'd', "dsos", "files", "samples in these files only" },
	{ 'g', "call-graph", "[type]", "trees of stacks in place of the table" },
	{ 'G', "inverted", NULL, "trees begin with the functions in which the\n"
	  "time was spent, not with those that called" },
	{ OPT_FOLDED, "folded", NULL, "stacks only, a line each, for flamegraph.pl:\n"
	  "thread's name; functions; and ns, or events\n"
	  "if they stand for no time" },
	{ 'I', "show-info", NULL, "the same as --header" },
	{ OPT_HEADER, "header", NULL, "more details of the recording" },
	{ OPT_HEADER_ONLY, "header-only", NULL, "only the header" },
	{ OPT_IDLE, "idle", NULL, "show idle loops and kernel threads, too, which\n"
	  "the table of a whole host leaves out" },
	{ OPT_JSON, "json", NULL, "all of it as JSON, with all processes and stacks" },
	{ OPT_KINDS, "kinds", "kind", "stacks of these kinds of time only, separated\n"
	  "by commas: cpu, runnable, blocked, waker, other" },
	{ OPT_MAX_STACK, "max-stack", "n", "maximum number of functions of a stack" },
	{ 'n', "show-nr-samples", NULL, "a table, with numbers of samples or intervals" },
	{ OPT_NO_CHILDREN, "no-children", NULL, "self time of functions (default)" },
	{ OPT_NO_GRAPH, "no-call-graph", NULL, "no trees, as -g none" },
	{ OPT_NO_PAGER, "no-pager", NULL, "do not use a pager" },
	{ OPT_PERCENT_LIMIT, "percent-limit", "percent", "percentage below which\n"
	  "lines are summed (default 0.5)" },
	{ 'q', "quiet", NULL, "no header and no warnings" },
	{ 's', "sort", "key", "tables by these keys, separated by commas, not\n"
	  "trees: comm, pid, tid, dso, sym, reason,\n"
	  "syscall, object, owner, state, by" },
	{ 'v', "verbose", NULL, "show threads, too; twice: all threads and\n"
	  "processes" },
	{ 0 }
};

static int set_limit(struct report *r, const char *arg)
{
	char *end;

	r->stacks.limit = strtod(arg, &end);
	if (end != arg && !*end && r->stacks.limit >= 0 && r->stacks.limit <= 100)
		return 0;
	wp_err("--percent-limit must be a number from 0 to 100, not '%s'", arg);
	return -EINVAL;
}

/* Parse a word of -g, as in perf; false: it is none. */
static bool set_graph_word(struct report *r, const char *word, bool *limited)
{
	/* There is only one type of tree: of functions, with shares and times. */
	static const char *const types[] = {
		"graph", "flat", "fractal", "folded", "caller", "function", "address", "percent",
		"period", "count", "branch",
	};
	char *end;
	double limit;
	size_t i;

	if (!strcmp(word, "none") || !strcmp(word, "no")) {
		r->trees = false;
		return true;
	}
	if (!strcmp(word, "callee")) {
		r->stacks.callees = true;
		return true;
	}
	for (i = 0; i < NR(types) && strcmp(word, types[i]); i++)
		;
	limit = strtod(word, &end);
	if (i < NR(types))
		return true;
	if (end == word || *end || !(limit >= 0 && limit <= 100))
		return false;
	/* The second number is the maximum number of lines. */
	if (!*limited)
		r->stacks.limit = limit;
	*limited = true;
	return true;
}

static int set_graph(struct report *r, const char *arg)
{
	char *words = strdup(arg ? arg : "graph"), *rest = words, *word;
	bool good = words, limited = false;

	r->trees = true;
	while (good && (word = strsep(&rest, ",")))
		good = set_graph_word(r, word, &limited);
	if (!good && words)
		wp_err("-g must be graph, caller, callee or none, and a limit in percent, not '%s'",
		       arg ? arg : "");
	free(words);
	return good ? 0 : -EINVAL;
}

static int set(void *ctx, int id, const char *arg)
{
	struct report *r = ctx;

	switch (id) {
	case 'v':
		r->verbose++;
		return 0;
	case 'G':
		r->stacks.callees = true;
		r->trees = true;
		return 0;
	case 'g':
		return set_graph(r, arg);
	case OPT_IDLE:
		r->idle = true;
		return 0;
	case OPT_NO_GRAPH:
		r->trees = false;
		return 0;
	case OPT_CHILDREN:
	case OPT_NO_CHILDREN:
		r->stacks.sort.children = id == OPT_CHILDREN;
		return 0;
	case 'n':
		r->stacks.sort.counts = true;
		return 0;
	case 'c':
		r->samples.comms = arg;
		r->samples.chosen = "comms";
		return 0;
	case 'd':
		r->samples.dsos = arg;
		r->samples.chosen = "dsos";
		return 0;
	case OPT_MAX_STACK:
		return wp_value_int("--max-stack", arg, 1, MAX_STACK, &r->samples.max_stack);
	case OPT_HEADER_ONLY:
		r->header_only = true;
		r->header = true;
		return 0;
	case OPT_HEADER:
	case 'I':
		r->header = true;
		return 0;
	case 'q':
		r->quiet = true;
		return 0;
	case OPT_NO_PAGER:
		r->no_pager = true;
		return 0;
	case 's':
		return wp_sort_parse(arg, &r->stacks.sort);
	case OPT_FOLDED:
		r->folded = true;
		return 0;
	case OPT_JSON:
		r->json = true;
		return 0;
	case OPT_KINDS:
		return wp_sections_parse(arg, &r->stacks.kinds);
	case OPT_PERCENT_LIMIT:
		return set_limit(r, arg);
	}
	return wp_samples_set(&r->samples, id, arg);
}

static void warn(const struct report *r, struct wp_samples *samples)
{
	wp_samples_warn(samples);
	wp_sections_warn(samples, r->stacks.kinds);
}

static int print_folded(const struct report *r)
{
	struct wp_samples samples;
	int err;

	err = wp_samples_read(&samples, &r->samples, 1);
	if (!err)
		err = wp_folded(stdout, &samples, r->stacks.kinds);
	/* Standard error may go to the same file: keep lines intact. */
	fflush(stdout);
	if (!err)
		warn(r, &samples);
	wp_samples_free(&samples);
	return err;
}

static int print_json(struct report *r)
{
	struct wp_samples samples = { 0 };
	int err;

	err = wp_overview_read(&r->overview, &r->samples, 0);
	if (!err)
		err = wp_samples_read(&samples, &r->samples, 1);
	if (!err)
		err = wp_report_json(stdout, &r->overview, &samples, r->stacks.kinds);
	fflush(stdout);
	if (!err)
		warn(r, &samples);
	wp_samples_free(&samples);
	return err;
}

static int print_times(struct report *r, struct wp_samples *samples)
{
	const struct wp_report_first first = {
		.overview = &r->overview,
		.samples = samples,
		.kinds = r->stacks.kinds,
		.idle = r->idle,
	};

	if (r->trees || r->stacks.sort.nr)
		return wp_report_trees(&r->stacks, samples);
	return wp_report_first(&first);
}

/* A file that is no perf.data has stacks only. */
static int print_other(struct report *r, struct wp_samples *samples, __u64 length)
{
	int err;

	if (!r->no_pager)
		wp_screen_page();
	if (!r->quiet && length)
		wp_screen_line("# %s: stacks of %.3f s", r->samples.input, length / 1e9);
	else if (!r->quiet)
		wp_screen_line("# %s: stacks of an unknown time", r->samples.input);
	if (!r->quiet)
		putchar('\n');
	if (!r->stacks.sort.nr && !r->trees)
		wp_sort_parse("dso,sym", &r->stacks.sort);
	err = wp_report_trees(&r->stacks, samples);
	fflush(stdout);
	if (!err)
		warn(r, samples);
	return err;
}

static int print_report(struct report *r)
{
	struct wp_samples samples = { 0 };
	struct wp_profile_stats stats;
	__u64 length;
	int err;

	err = wp_samples_read(&samples, &r->samples, 1);
	if (!err && wp_profile_length(samples.profile, &length)) {
		err = print_other(r, &samples, length);
		wp_samples_free(&samples);
		return err;
	}
	if (!err)
		err = wp_overview_read(&r->overview, &r->samples,
				       r->verbose > 1 ? SIZE_MAX : r->verbose ? TOP_THREADS : 0);
	if (!err && !r->no_pager)
		wp_screen_page();
	if (!err && !r->quiet)
		wp_overview_print_file(&r->overview);
	if (!err && r->header)
		wp_overview_print_header(&r->overview, wp_profile_events(samples.profile));
	if (!err && (!r->quiet || r->header))
		putchar('\n');
	if (!err && !r->header_only)
		err = print_times(r, &samples);
	if (!err && !r->header_only) {
		wp_profile_stats(samples.profile, &stats);
		if (stats.lost)
			printf("# LOST %" PRIu64 " events: they are in none of these sums\n",
			       (uint64_t)stats.lost);
		wp_overview_print(&r->overview, r->verbose > 1 ? SIZE_MAX : TOP_PROCESSES);
	}
	/* Messages may go to the same file: keep lines intact. */
	fflush(stdout);
	if (!err && !r->header_only)
		warn(r, &samples);
	wp_samples_free(&samples);
	return err;
}

/**
 * cmd_report() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "report"
 *
 * Return: its exit status.
 */
int cmd_report(int argc, char **argv)
{
	struct report r = {
		.samples = WP_SAMPLES_DEFAULT,
		.stacks = { .kinds = WP_SECTION_ALL, .limit = 0.5 },
	};
	const struct wp_options options = {
		.command = "wallprof report",
		.usage = usage,
		.table = table,
		.shared = wp_samples_table,
		.perf_options = wp_perf_options_report,
		.set = set,
	};
	int err, rest;

	err = wp_parse_options(&options, argc, argv, &r, &rest);
	if (err)
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	if (rest < argc) {
		wp_text_print(stderr, " Error: unexpected argument '%s'; use -i FILE\n",
			      argv[rest]);
		wp_print_usage(&options);
		return WP_EXIT_USAGE;
	}
	if (r.quiet)
		wp_set_verbosity(WP_QUIET);
	/* With these options perf prints its table, with its default keys. */
	if (!r.stacks.sort.nr && !r.trees && !r.json && !r.folded &&
	    (r.stacks.sort.counts || r.stacks.sort.children))
		wp_sort_parse(PERF_KEYS, &r.stacks.sort);
	if (r.json && r.folded) {
		fprintf(stderr, " Error: --json and --folded cannot be combined\n");
		return WP_EXIT_USAGE;
	}
	if (r.folded && r.stacks.callees) {
		fprintf(stderr, " Error: --folded and --inverted: lines of text have no tree\n");
		return WP_EXIT_USAGE;
	}
	if (r.stacks.sort.nr && (r.json || r.folded || r.stacks.callees)) {
		fprintf(stderr, " Error: --sort and %s: a table has no stacks\n",
			r.json ? "--json" : r.folded ? "--folded" : "--inverted");
		return WP_EXIT_USAGE;
	}
	err = r.json ? print_json(&r) : r.folded ? print_folded(&r) : print_report(&r);
	if (!err)
		err = wp_end_output(stdout);
	wp_screen_end();
	wp_samples_options_free(&r.samples);
	wp_overview_free(&r.overview);
	return err ? WP_EXIT_ERROR : 0;
}
