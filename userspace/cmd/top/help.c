// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptions of keys for wallprof top: in the last line of the screen, and as help.
 * Called by top/draw.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/top/top.h"
#include "lib/base/text.h"

/* Width of the column of keys in the help. */
#define KEYS_WIDTH	12

/* Hints in the last line, as far as they fit: the most useful ones first. */
static const char *const hints[] = {
	"q quit", "h help", "Enter stacks", "i idle", "H threads", "s sort", "c command", "/ find",
	"Space pause", "+ - interval",
};

static const struct help {
	const char *keys;
	const char *text;
} help[] = {
	{ "q, Ctrl-C", "quit" },
	{ "h ?", "this; arrows scroll, any other key closes it" },
	{ "Up Down k j", "select a row: it stays selected wherever it goes" },
	{ "PgUp PgDn", "the same by pages" },
	{ "Home End", "the first row, whichever that is; the last one" },
	{ "Enter", "open or close a pane with details and stacks of the selected row" },
	{ "Tab", "keys move in the pane, or in the rows again" },
	{ "c", "command lines of processes" },
	{ "< > s", "sort by the column to the left, to the right, the next" },
	{ "e", "the next one of several events: its column, and its on-CPU stacks" },
	{ "r", "reverse the order" },
	{ "H", "threads or processes" },
	{ "i", "hide or show idle kernel threads and waits for the next work" },
	{ "/", "only rows with this in their name, or of this id; Esc: all" },
	{ "Space", "pause, go on" },
	{ "+ -", "longer or shorter intervals" },
	{ "Ctrl-L", "draw anew" },
	{ "", "" },
	{ NULL, "RUN%, RUNNABLE% and BLOCKED% are of the last interval: a thread's sum is 100." },
	{ NULL, "Runnable waits for a CPU, blocked waits for something else; WAIT% is both." },
	{ NULL, "MOSTLY: what the row spent most of its time in, and in which function." },
};

static int put_wrapped(struct wp_top_lines *lines, size_t width, const struct help *h)
{
	size_t indent = h->keys ? KEYS_WIDTH : 0, len;
	const char *keys = h->keys, *text = h->text;

	do {
		char *line = wp_top_lines_add(lines);

		if (!line)
			return -ENOMEM;
		len = wp_text_wrap(text, width - indent);
		snprintf(line, WP_TOP_LINE, "%-*s%.*s", (int)indent, keys ? keys : "", (int)len,
			 text);
		text += len;
		text += *text == ' ';
		keys = "";
	} while (*text);
	return 0;
}

/**
 * wp_top_help() - describe all keys
 * @width: width of a line, more than KEYS_WIDTH
 * @lines: the text is appended
 *
 * Return: 0 or -ENOMEM.
 */
int wp_top_help(size_t width, struct wp_top_lines *lines)
{
	int err = 0;
	size_t i;

	for (i = 0; i < sizeof(help) / sizeof(help[0]) && !err; i++)
		err = put_wrapped(lines, width, &help[i]);
	return err;
}

/**
 * wp_top_hints() - describe as many keys as fit into a line
 * @width: width of the line
 * @line: set to the text
 * @size: size of @line
 */
void wp_top_hints(size_t width, char *line, size_t size)
{
	size_t i, len = 0;

	*line = 0;
	for (i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (len + strlen(hints[i]) + 2 * !!i > width)
			break;
		len += snprintf(line + len, size - len, "%s%s", i ? "  " : "", hints[i]);
	}
}
