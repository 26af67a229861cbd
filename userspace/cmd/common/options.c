// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the command line parser. Every command describes its options in one table; this
 * file converts it for getopt, calls back for each option that is given, and prints the
 * help from the same table, so that the two cannot differ.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/common/perf-options.h"
#include "lib/base/err.h"
#include "lib/base/nearest.h"
#include "lib/base/text.h"

#define MAX_OPTIONS	96
#define HELP_COLUMN	32
#define HELP_ID		0x7ffe
#define LIST_ID		0x7fff

/* Called for --list-opts instead of list_names(), if set. */
static void (*lister)(const struct wp_options *o);

/**
 * wp_options_set_lister() - pass tables to a function instead of printing them
 * @fn: called with the options of a command that is called with --list-opts
 */
void wp_options_set_lister(void (*fn)(const struct wp_options *o))
{
	lister = fn;
}

/**
 * wp_option_at() - get an option by index
 * @o: the options
 * @nr: from 0 on
 *
 * Return: the option; NULL: there are no more.
 */
const struct wp_option *wp_option_at(const struct wp_options *o, unsigned int nr)
{
	const struct wp_option *opt;

	for (opt = o->table; opt->id; opt++) {
		if (!nr--)
			return opt;
	}
	for (opt = o->shared; opt && opt->id; opt++) {
		if (!nr--)
			return opt;
	}
	return NULL;
}

static void print_option(const struct wp_option *opt)
{
	const char *line = opt->help;
	int at;

	if (!opt->name)
		at = printf("    -%c", opt->id);
	else if (opt->id < 256)
		at = printf("    -%c, --%s", opt->id, opt->name);
	else
		at = printf("        --%s", opt->name);
	if (opt->arg)
		at += printf(opt->arg[0] != '[' ? " <%s>" : opt->arg[1] == '=' ? "%s" : " %s",
			     opt->arg);
	if (at >= HELP_COLUMN - 1) {
		putchar('\n');
		at = 0;
	}
	while (*line) {
		int len = strcspn(line, "\n");

		printf("%*s%.*s\n", HELP_COLUMN - at, "", len, line);
		line += len + (line[len] == '\n');
		at = 0;
	}
}

static void print_lines(const struct wp_options *o, FILE *f)
{
	int i;

	for (i = 0; o->usage[i]; i++)
		fprintf(f, "\n %s %s %s", i ? "   or:" : "Usage:", o->command, o->usage[i]);
	fprintf(f, "\n");
}

static void print_help(const struct wp_options *o)
{
	const struct wp_option *opt;
	unsigned int i;

	print_lines(o, stdout);
	putchar('\n');
	for (i = 0; (opt = wp_option_at(o, i)); i++)
		print_option(opt);
	printf("    -h, --help                  show this\n\n");
}

/**
 * wp_print_usage() - print the usage, after an error
 * @o: the options
 */
void wp_print_usage(const struct wp_options *o)
{
	print_lines(o, stderr);
	fprintf(stderr, "\n '%s --help' lists the options.\n", o->command);
}

/* For shell completion and for tests, as perf's --list-opts. */
static void list_names(const struct wp_options *o)
{
	const struct wp_option *opt;
	unsigned int i;

	for (i = 0; (opt = wp_option_at(o, i)); i++) {
		if (opt->name)
			printf("--%s ", opt->name);
	}
	putchar('\n');
}

/* Whether the value of an option is optional. */
static bool is_optional(const struct wp_option *opt)
{
	return opt->arg && opt->arg[0] == '[';
}

static const struct wp_option *find(const struct wp_options *o, int id)
{
	const struct wp_option *opt;
	unsigned int i;

	for (i = 0; (opt = wp_option_at(o, i)); i++) {
		if (opt->id == id)
			return opt;
	}
	return NULL;
}

/* Suggestions for an unknown word: all options that begin with it, or the nearest one. */
static void suggest(const struct wp_options *o, const char *word)
{
	size_t len = strcspn(word + 2, "=");
	const struct wp_option *opt;
	struct wp_nearest n;
	unsigned int i, nr = 0;
	char name[WP_NEAREST_SIZE];

	for (i = 0; len && (opt = wp_option_at(o, i)); i++) {
		if (opt->name && !strncmp(opt->name, word + 2, len))
			fprintf(stderr, nr++ ? " or --%s" : " Did you mean --%s", opt->name);
	}
	if (nr) {
		fprintf(stderr, "?\n");
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)len, word + 2);
	n = (struct wp_nearest)WP_NEAREST(name);
	for (i = 0; (opt = wp_option_at(o, i)); i++) {
		if (opt->name)
			wp_nearest_offer(&n, opt->name);
	}
	if (wp_nearest_found(&n))
		fprintf(stderr, " Did you mean --%s?\n", n.name);
}

static void print_option_error(const struct wp_options *o, int found, const char *word)
{
	const struct wp_option *opt = find(o, optopt);

	if (found == ':' && opt) {
		fprintf(stderr, " Error: option `%s' requires a value\n", opt->name);
	} else if (opt && !strncmp(word, "--", 2)) {
		fprintf(stderr, " Error: option `%s' takes no value\n", opt->name);
	} else if (optopt && strncmp(word, "--", 2)) {
		wp_text_print(stderr, " Error: unknown switch `%c'\n", optopt);
	} else {
		wp_text_print(stderr, " Error: unknown or ambiguous option `%s'\n", word);
		suggest(o, word);
	}
}

/*
 * Whether a word is an option of perf's that is accepted. @err: if not, whether a message
 * was printed.
 */
static bool accept_perf_option(const struct wp_options *o, const char *word, int argc, char **argv,
			       int *err)
{
	const struct wp_perf_option *f = wp_perf_option_find(o->perf_options, optopt, word);
	bool is_long = !strncmp(word, "--", 2);

	*err = 0;
	if (!f)
		return false;
	if (f->instead) {
		fprintf(stderr, " Error: perf's option `%.*s' is not supported: %s\n",
			is_long ? (int)strcspn(word + 2, "=") : 1,
			is_long ? word + 2 : (char[]){ f->letter, 0 }, f->instead);
		*err = -EINVAL;
		return false;
	}
	if (f->arg && is_long && !strchr(word, '=') && optind < argc && argv[optind][0] != '-')
		optind++;
	return true;
}

/**
 * wp_parse_options() - parse a command line
 * @o: the options
 * @argc: arguments of the command
 * @argv: the same; the first one is its name
 * @ctx: passed to @set
 * @rest: set to the index of the first word that is no option
 *
 * Return: 0; WP_OPTIONS_DONE if only help was requested; or a negative errno after a
 * message, -EINVAL when the usage was printed.
 */
int wp_parse_options(const struct wp_options *o, int argc, char **argv, void *ctx, int *rest)
{
	struct option longs[MAX_OPTIONS + 3] = {};
	char shorts[MAX_OPTIONS * 3 + 4] = "+:h";
	const struct wp_option *opt;
	size_t nr = 0, at = 3;
	unsigned int i;
	int id, err = 0;

	for (i = 0; i < MAX_OPTIONS && (opt = wp_option_at(o, i)); i++) {
		if (opt->name) {
			longs[nr].name = opt->name;
			longs[nr].has_arg = is_optional(opt) ? optional_argument :
				opt->arg ? required_argument : no_argument;
			longs[nr++].val = opt->id;
		}
		if (opt->id < 256) {
			shorts[at++] = opt->id;
			if (opt->arg)
				shorts[at++] = ':';
			if (is_optional(opt))
				shorts[at++] = ':';
		}
	}
	longs[nr++] = (struct option){ "help", no_argument, NULL, HELP_ID };
	longs[nr++] = (struct option){ "list-opts", no_argument, NULL, LIST_ID };

	opterr = 0;
	optind = 1;
	for (;;) {
		const char *word = argv[optind < argc ? optind : argc - 1];

		id = getopt_long(argc, argv, shorts, longs, NULL);
		switch (id) {
		case -1:
			*rest = optind;
			return 0;
		case 'h':
		case HELP_ID:
			print_help(o);
			return wp_end_output(stdout) ? -EIO : WP_OPTIONS_DONE;
		case LIST_ID:
			(lister ? lister : list_names)(o);
			return wp_end_output(stdout) ? -EIO : WP_OPTIONS_DONE;
		case '?':
		case ':':
			if (id == '?' && accept_perf_option(o, word, argc, argv, &err))
				break;
			if (id == '?' && err)
				return err;
			print_option_error(o, id, word);
			wp_print_usage(o);
			return -EINVAL;
		default:
			opt = find(o, id);
			/*
			 * As in perf: the next word is the value, unless it is an option
			 * or may be a command.
			 */
			if (opt && is_optional(opt) && opt->arg[1] != '=' && !optarg &&
			    optind < argc && argv[optind][0] != '-')
				optarg = argv[optind++];
			err = o->set(ctx, id, optarg);
			if (err)
				return err;
		}
	}
}
