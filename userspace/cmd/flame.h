/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wallprof flame: a flame graph of a recording. See flame.c.
 */
#ifndef WP_CMD_FLAME_H
#define WP_CMD_FLAME_H

#include <stdio.h>

struct wp_flame_graph;

/**
 * struct wp_flame_about - what stands above the graph
 * @title: the file's name, or what is wanted
 * @mode: which graph is shown first: "wall", "cpu", "off", "blocked", "runnable", "wake";
 *	NULL: the first that there is
 * @host: where it was recorded
 * @system: kernel and machine
 * @command: by which command
 * @when: when it was recorded; empty if that is not known
 * @seconds: for how long
 * @lost: what is missing, in words; empty: nothing
 */
struct wp_flame_about {
	const char *title;
	const char *mode;
	char *host;
	char *system;
	char *command;
	char when[32];
	double seconds;
	char lost[600];
};

int cmd_flame(int argc, char **argv);
void wp_flame_html(FILE *f, const struct wp_flame_graph *g, const struct wp_flame_about *about);
int wp_flame_svg(FILE *f, const struct wp_flame_graph *g, const struct wp_flame_about *about);

#endif /* WP_CMD_FLAME_H */
