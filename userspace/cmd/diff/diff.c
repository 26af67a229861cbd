// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof diff: what differs between two recordings, as a table (diff/print.c) or as
 * JSON (diff/json.c), and what of it is more than noise (lib/model/difference.c).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/option-values.h"
#include "cmd/common/options.h"
#include "cmd/common/samples.h"
#include "cmd/common/screen.h"
#include "cmd/common/sections.h"
#include "cmd/common/sortkeys.h"
#include "cmd/diff/diff.h"
#include "cmd/diff/print.h"
#include "cmd/diff/rows.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

/* So that the sums and the rows fit on a screen. */
#define MAX_ROWS	10

/* Options without a letter, distinct from those of samples.c. */
enum {
	OPT_CHILDREN = 0x100,
	OPT_JSON,
	OPT_KINDS,
	OPT_NO_PAGER,
	OPT_NORMALIZE,
};

struct diff {
	struct wp_samples_options samples;
	struct wp_sort sort;
	struct wp_diff rows;
	int most;
	bool has_unit;
	bool json;
	bool no_pager;
};

static const char *const usage[] = {
	"[<options>] [<file A> [<file B>]]",
	NULL
};

static const struct wp_option table[] = {
	{ OPT_CHILDREN, "children", NULL, "add the time of callees to each function" },
	{ 'c', "comms", "names", "samples of threads of these names only" },
	{ 'd', "dsos", "files", "samples in these files only" },
	{ OPT_JSON, "json", NULL, "all rows as JSON" },
	{ OPT_KINDS, "kinds", "kind", "these kinds of time only, separated by commas:\n"
	  "cpu, runnable, blocked, waker, other" },
	{ 'n', "rows", "n", "maximum number of rows (default 10); 0: all" },
	{ OPT_NO_PAGER, "no-pager", NULL, "do not use a pager" },
	{ OPT_NORMALIZE, "normalize", "what", "compare time per second of wall time (wall,\n"
	  "default), intervals and samples per second\n"
	  "(count), or the share of each kind (share)" },
	{ 's', "sort", "key", "rows by these keys, separated by commas: comm,\n"
	  "pid, tid, dso, sym, reason, syscall, object,\n"
	  "owner, state, by (default sym,dso)" },
	{ 0 }
};

static int set_normalize(struct diff *d, const char *arg)
{
	static const char *const units[] = {
		[WP_DIFF_WALL] = "wall", [WP_DIFF_COUNT] = "count", [WP_DIFF_SHARE] = "share",
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(arg, units[i])) {
			d->rows.unit = i;
			d->has_unit = true;
			return 0;
		}
	}
	wp_err("--normalize must be wall, count or share, not '%s'", arg);
	return -EINVAL;
}

static int set(void *ctx, int id, const char *arg)
{
	struct diff *d = ctx;

	switch (id) {
	case OPT_CHILDREN:
		d->sort.children = true;
		return 0;
	case 'c':
		d->samples.comms = arg;
		d->samples.chosen = "comms";
		return 0;
	case 'd':
		d->samples.dsos = arg;
		d->samples.chosen = "dsos";
		return 0;
	case OPT_JSON:
		d->json = true;
		return 0;
	case OPT_KINDS:
		return wp_sections_parse(arg, &d->rows.kinds);
	case 'n':
		return wp_value_int("-n", arg, 0, INT_MAX, &d->most);
	case OPT_NO_PAGER:
		d->no_pager = true;
		return 0;
	case OPT_NORMALIZE:
		return set_normalize(d, arg);
	case 's':
		return wp_sort_parse(arg, &d->sort);
	}
	return wp_samples_set(&d->samples, id, arg);
}

static int read_side(struct diff *d, enum wp_diff_side side)
{
	const char *path = d->rows.input[side].path;
	struct wp_samples_options o = d->samples;
	struct wp_samples samples;
	int err;

	o.input = path;
	o.whole_seconds = true;
	err = wp_samples_read(&samples, &o, WP_DIFF_WINDOWS);
	if (!err && !samples.sum.nr) {
		if (o.chosen)
			wp_err("%s: no sample is left by --%s%s", path, o.chosen,
			       wp_samples_cause_hint(&samples));
		else
			wp_err("%s has no samples: there is nothing to compare", path);
		err = -ENODATA;
	}
	if (!err && samples.end <= samples.sum.from) {
		wp_err("%s: all samples have the same time: there is no rate; record for longer",
		       path);
		err = -ENODATA;
	}
	if (!err)
		err = wp_diff_read(&d->rows, side, &samples);
	if (!err)
		wp_samples_warn(&samples);
	wp_samples_free(&samples);
	return err;
}

/* Folded stacks have no length, and a profile may have none. */
static int check_unit(struct diff *d)
{
	unsigned int i;

	if (d->rows.unit == WP_DIFF_SHARE || wp_diff_has_lengths(&d->rows))
		return 0;
	if (!d->has_unit) {
		d->rows.unit = WP_DIFF_SHARE;
		return 0;
	}
	for (i = 0; d->rows.input[i].seconds > 0; i++)
		;
	wp_err("%s has no length of time: nothing is per second; use --normalize share",
	       d->rows.input[i].path);
	return -EINVAL;
}

static int run(struct diff *d)
{
	int err;

	d->rows.sort = &d->sort;
	err = read_side(d, WP_DIFF_A);
	if (!err)
		err = read_side(d, WP_DIFF_B);
	if (!err)
		err = check_unit(d);
	if (!err)
		err = wp_diff_compare(&d->rows);
	if (!err && !d->rows.nr) {
		wp_err("%s and %s have no kind of samples in common: there is nothing to compare",
		       d->rows.input[WP_DIFF_A].path, d->rows.input[WP_DIFF_B].path);
		err = -ENODATA;
	}
	if (!err && d->json) {
		wp_diff_json(stdout, &d->rows);
	} else if (!err) {
		if (!d->no_pager)
			wp_screen_page();
		wp_diff_print(&d->rows, d->most ? (size_t)d->most : SIZE_MAX);
	}
	if (!err)
		err = wp_end_output(stdout);
	wp_screen_end();
	wp_diff_free(&d->rows);
	return err;
}

/**
 * cmd_diff() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "diff"
 *
 * Return: its exit status.
 */
int cmd_diff(int argc, char **argv)
{
	struct diff d = {
		.samples = WP_SAMPLES_DEFAULT, .most = MAX_ROWS,
		.rows = {
			.kinds = WP_SECTION_ALL & ~WP_SECTION_WAKER,
			.input[WP_DIFF_A].path = "perf.data.old",
			.input[WP_DIFF_B].path = "perf.data",
		},
	};
	const struct wp_options options = {
		.command = "wallprof diff",
		.usage = usage,
		.table = table,
		/* Without -i, the first one: the files are arguments. */
		.shared = wp_samples_table + 1,
		.set = set,
	};
	int err, rest;

	wp_sort_parse("sym,dso", &d.sort);
	err = wp_parse_options(&options, argc, argv, &d, &rest);
	if (err)
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	if (argc - rest > 2) {
		wp_text_print(stderr, " Error: unexpected argument '%s'; two files are compared\n",
			      argv[rest + 2]);
		wp_print_usage(&options);
		wp_samples_options_free(&d.samples);
		return WP_EXIT_USAGE;
	}
	if (rest < argc)
		d.rows.input[WP_DIFF_A].path = argv[rest];
	if (rest + 1 < argc)
		d.rows.input[WP_DIFF_B].path = argv[rest + 1];
	err = run(&d);
	wp_samples_options_free(&d.samples);
	return err ? WP_EXIT_ERROR : 0;
}
