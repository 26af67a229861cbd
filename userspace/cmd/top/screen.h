/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of the terminal, for top/screen.c, top/draw.c and top/keys.c.
 */
#ifndef WP_CMD_TOP_SCREEN_H
#define WP_CMD_TOP_SCREEN_H

#include <curses.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "cmd/top/top.h"
#include "lib/base/err.h"

/* Modes of the keys. */
enum wp_screen_mode {
	WP_IN_ROWS,
	WP_IN_PANE,
	WP_IN_FILTER,
	WP_IN_HELP,
};

/**
 * struct wp_screen - the terminal
 * @top: the view
 * @first_row: number of lines above the rows: the head, and the column titles
 * @screen: ncurses' own
 * @mode: mode of the keys
 * @pane: the pane is open
 * @at: number of the selected row
 * @follow: the selection follows the row
 * @tgid: the row's process
 * @tid: its thread
 * @start_time: that thread's start time
 * @first: number of the first visible row
 * @scrolled: number of lines of the pane or of help above the screen
 * @old_filter: the filter before the current change
 * @lines: lines of the pane, or of help
 * @verbosity: the verbosity before
 */
struct wp_screen {
	struct wp_top *top;
	size_t first_row;
	SCREEN *screen;
	enum wp_screen_mode mode;
	bool pane;
	size_t at;
	bool follow;
	__u32 tgid;
	__u32 tid;
	__u64 start_time;
	size_t first;
	size_t scrolled;
	char old_filter[sizeof(((struct wp_topoptions *)0)->filter)];
	struct wp_top_lines lines;
	enum wp_verbosity verbosity;
};

/* top/draw.c */
void wp_screen_set_colors(void);
size_t wp_screen_pane_lines(const struct wp_screen *s);
size_t wp_screen_row_lines(const struct wp_screen *s);
void wp_screen_note_selected(struct wp_screen *s);

#endif /* WP_CMD_TOP_SCREEN_H */
