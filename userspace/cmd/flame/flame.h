/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wallprof flame: a flame graph of a recording. See flame.c.
 */
#ifndef WP_CMD_FLAME_FLAME_H
#define WP_CMD_FLAME_FLAME_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/common/info.h"

struct wp_flame_graph;

/**
 * struct wp_flame_view - options of the view, and its heading
 * @title: command, host and time, or the user's choice
 * @file: the recording's name
 * @mode: the graph that is shown first: "wall", "cpu", "off", "blocked", "runnable",
 *	"wake"; NULL: the first available one
 * @info: description of the recording, and what is missing
 * @idle: show idle time of a whole host, too
 * @baseline: description of the recording that it is compared with
 * @baseline_file: its name; NULL: it is compared with none
 * @left_out: names of events that a picture does not show; empty: none
 */
struct wp_flame_view {
	const char *title;
	const char *file;
	const char *mode;
	struct wp_info info;
	bool idle;
	struct wp_info baseline;
	const char *baseline_file;
	const char *left_out;
};

/* In userspace/flame/page.S. */
extern const char wp_flame_picture_js[];

int cmd_flame(int argc, char **argv);
void wp_flame_html(FILE *f, const struct wp_flame_graph *g, const struct wp_flame_view *view);
int wp_flame_svg(FILE *f, const struct wp_flame_graph *g, const struct wp_flame_view *view);

#endif /* WP_CMD_FLAME_FLAME_H */
