// SPDX-License-Identifier: GPL-2.0
/*
 * Options of a command from a file: each line is a long option and its value. They go by
 * the table of the command line and to the same function. All mistakes are reported.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/options-file.h"
#include "cmd/common/options.h"
#include "lib/base/conffile.h"
#include "lib/base/err.h"
#include "lib/base/nearest.h"

static const struct wp_option *find(const struct wp_options *o, const char *name)
{
	const struct wp_option *opt;
	unsigned int i;

	for (i = 0; (opt = wp_option_at(o, i)); i++) {
		if (opt->name && !strcmp(opt->name, name))
			return opt;
	}
	return NULL;
}

static int print_unknown(const struct wp_options *o, const char *name)
{
	struct wp_nearest n = WP_NEAREST(name);
	const struct wp_option *opt;
	unsigned int i;

	for (i = 0; (opt = wp_option_at(o, i)); i++) {
		if (opt->name)
			wp_nearest_offer(&n, opt->name);
	}
	if (wp_nearest_found(&n))
		wp_err("there is no setting '%s'; did you mean '%s'?", name, n.name);
	else
		wp_err("there is no setting '%s'; the names are the options of '%s --help'", name,
		       o->command);
	return -EINVAL;
}

/* An option without an argument. */
static int set_switch(const struct wp_options *o, const struct wp_option *opt, const char *value,
		      void *ctx)
{
	if (!strcmp(value, "yes"))
		return o->set(ctx, opt->id, NULL);
	if (!strcmp(value, "no"))
		return 0;
	wp_err("%s: '%s' is neither 'yes' nor 'no'", opt->name, value);
	return -EINVAL;
}

static int set(const struct wp_options *o, const struct wp_conffile_line *line,
	       const char *const *never, void *ctx)
{
	const struct wp_option *opt;

	if (line->problem) {
		wp_err("%s", line->problem);
		return -EINVAL;
	}
	for (; *never; never++) {
		if (strcmp(*never, line->name))
			continue;
		wp_err("'%s' can be on the command line only; leave the line out", line->name);
		return -EINVAL;
	}
	opt = find(o, line->name);
	if (!opt)
		return print_unknown(o, line->name);
	return opt->arg ? o->set(ctx, opt->id, line->value) :
			  set_switch(o, opt, line->value, ctx);
}

/**
 * wp_options_file() - read options from a file
 * @o: the options
 * @path: the file
 * @never: names that it must not have, NULL at the end
 * @ctx: passed to @set
 * @text: set to the text that values are in; the caller frees it when it is done with them
 *
 * Return: 0, or a negative errno, of the first mistake, after messages about all of them,
 * which begin with the file's name and the line.
 */
int wp_options_file(const struct wp_options *o, const char *path, const char *const *never,
		    void *ctx, char **text)
{
	struct wp_conffile_line line;
	struct wp_conffile f = { 0 };
	char place[256];
	int err, first;

	first = wp_conffile_read(path, text, &f.size);
	f.text = *text;
	while (wp_conffile_next(&f, &line)) {
		snprintf(place, sizeof(place), "%s:%u", path, line.nr);
		wp_err_place(place);
		err = set(o, &line, never, ctx);
		if (!first)
			first = err;
	}
	wp_err_place(NULL);
	return first;
}
