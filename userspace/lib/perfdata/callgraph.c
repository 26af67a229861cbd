// SPDX-License-Identifier: GPL-2.0
/*
 * Parses how user stacks are walked. Called by the record command's options and by events.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/perfdata/callgraph.h"

/* "dwarf", or with the size of perf's copies: "dwarf,8192". */
static bool is_dwarf(const char *arg)
{
	return !strncmp(arg, "dwarf", 5) && (!arg[5] || arg[5] == ',');
}

/**
 * wp_call_graph_parse() - parse the argument of --call-graph
 * @call_graph: set to the method
 * @option: what the argument is of, for messages: "--call-graph"
 * @arg: auto, cfi, fp, none or no; dwarf is taken as auto, which needs no copies of stacks
 *
 * Return: 0, or -EINVAL after a message.
 */
int wp_call_graph_parse(enum wp_call_graph *call_graph, const char *option, const char *arg)
{
	static const struct {
		const char *word;
		enum wp_call_graph call_graph;
	} words[] = {
		{ "auto", WP_CALL_GRAPH_AUTO },
		{ "cfi", WP_CALL_GRAPH_CFI },
		{ "fp", WP_CALL_GRAPH_FP },
		{ "none", WP_CALL_GRAPH_NONE },
		{ "no", WP_CALL_GRAPH_NONE },
	};
	static bool dwarf_said;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(arg, words[i].word)) {
			*call_graph = words[i].call_graph;
			return 0;
		}
	}
	if (is_dwarf(arg)) {
		/* Once: a glob may name hundreds of events. */
		if (!dwarf_said)
			wp_warn("%s %s: stacks are unwound in the kernel, by tables of the same DWARF information, as with 'auto'; no stack is copied",
				option, arg);
		dwarf_said = true;
		*call_graph = WP_CALL_GRAPH_AUTO;
		return 0;
	}
	if (!strcmp(arg, "lbr"))
		wp_err("%s lbr: branches are not recorded; 'auto' finds whole stacks without them",
		       option);
	else
		wp_err("%s must be 'auto', 'cfi', 'fp' or 'none', not '%s'", option, arg);
	return -EINVAL;
}
