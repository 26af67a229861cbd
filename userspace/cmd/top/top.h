/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of wallprof top: top.c has its options and its main loop,
 * top/text.c the text, top/stacks.c the stacks of a row, top/help.c the text about keys,
 * top/screen.c the terminal, top/draw.c what is drawn on it, top/keys.c its keys. The
 * session is that of common/live.c.
 */
#ifndef WP_CMD_TOP_TOP_H
#define WP_CMD_TOP_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "cmd/common/live.h"
#include "lib/top/topview.h"

/* Size of a line of text, for the widest terminal. */
#define WP_TOP_LINE	512

/**
 * struct wp_top - a live view
 * @live: its session
 * @options: options of the view
 * @delay: length of an interval in nanoseconds
 * @count: number of intervals, 0: until the end is requested
 * @batch: print text to stdout
 * @stacks: with @batch, or at the beginning, show stacks
 * @command: show the command line of each process
 * @paused: the view is frozen
 * @utf8: the terminal, or the reader of the output, supports UTF-8
 */
struct wp_top {
	struct wp_live live;
	struct wp_topoptions options;
	__u64 delay;
	unsigned long count;
	bool batch;
	bool stacks;
	bool command;
	bool paused;
	bool utf8;
};

/**
 * struct wp_top_lines - lines of text, sanitized
 * @line: the lines
 * @nr: their number
 * @room: allocated lines
 */
struct wp_top_lines {
	char (*line)[WP_TOP_LINE];
	size_t nr;
	size_t room;
};

/* top/text.c */
/* Maximum number of head lines: host, sums, losses, options, the event, and what is hidden. */
#define WP_TOP_HEAD	6
/* Index of the line with losses. */
#define WP_TOP_HEAD_LOST	2

bool wp_top_has_events(const struct wp_top *top);
size_t wp_top_cell(const struct wp_top *top, char *line, size_t size, const char *text,
		   size_t width);
const char *wp_top_cause(const struct wp_topkey *key, char *buf, size_t size);
unsigned int wp_top_head(const struct wp_top *top, size_t width,
			 char head[WP_TOP_HEAD][WP_TOP_LINE], bool *lost);
void wp_top_title(const struct wp_top *top, size_t width, char *line, size_t size);
int wp_top_row(struct wp_top *top, const struct wp_toprow *row, size_t width, char *line,
	       size_t size);
int wp_top_print(struct wp_top *top);

/* top/stacks.c */
int wp_top_where(struct wp_top *top, const struct wp_topkey *key, char *text, size_t size);
int wp_top_stacks(struct wp_top *top, const struct wp_toprow *row, struct wp_top_lines *lines);
char *wp_top_lines_add(struct wp_top_lines *l);
void wp_top_lines_free(struct wp_top_lines *lines);

/* top/help.c */
int wp_top_help(size_t width, struct wp_top_lines *lines);
void wp_top_hints(size_t width, char *line, size_t size);

/* top/screen.c */
struct wp_screen;

int wp_screen_check(void);
int wp_screen_open(struct wp_screen **out, struct wp_top *top);
int wp_screen_suspend(struct wp_screen *s);
int wp_screen_resize(struct wp_screen *s);
void wp_screen_close(struct wp_screen *s);

/* top/draw.c */
int wp_screen_draw(struct wp_screen *s);

/* top/keys.c */
int wp_screen_keys(struct wp_screen *s, bool *quit);

int cmd_top(int argc, char **argv);

#endif /* WP_CMD_TOP_TOP_H */
