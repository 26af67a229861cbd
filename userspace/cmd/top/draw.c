// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the screen of wallprof top: the head, the rows, the pane with stacks, and help.
 * Called by top.c, top/screen.c and top/keys.c.
 */
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/top/screen.h"
#include "cmd/top/top.h"
#include "lib/base/err.h"

/* A smaller terminal shows nothing useful. */
#define LEAST_LINES	7
#define LEAST_COLUMNS	30
/* A lower one has no line for keys. */
#define HINT_LINES	9

enum {
	COLOR_LOST = 1,
	COLOR_HEAD,
	COLOR_ONCPU,
	COLOR_RUNNABLE,
	COLOR_BLOCKED,
};

/**
 * wp_screen_set_colors() - choose the colors
 *
 * The flame graph's colors, or the nearest ones of the terminal.
 */
void wp_screen_set_colors(void)
{
	const char *none = getenv("NO_COLOR");
	bool many;

	if ((none && *none) || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	init_pair(COLOR_LOST, COLOR_WHITE, COLOR_RED);
	init_pair(COLOR_HEAD, COLOR_CYAN, -1);
	many = COLORS >= 256;
	init_pair(COLOR_ONCPU, many ? 208 : COLOR_YELLOW, -1);
	init_pair(COLOR_RUNNABLE, many ? 149 : COLOR_GREEN, -1);
	init_pair(COLOR_BLOCKED, many ? 68 : COLOR_BLUE, -1);
}

/* Without colors, A_BOLD and A_REVERSE must suffice. */
static attr_t color(int pair)
{
	return has_colors() ? COLOR_PAIR(pair) : 0;
}

/* Draw a line of text, padded to the width of the screen. */
static void put(struct wp_screen *s, int y, const char *text, attr_t attr)
{
	char line[WP_TOP_LINE * 4];

	if (y >= LINES)
		return;
	wp_top_cell(s->top, line, sizeof(line), text, COLS);
	attrset(attr);
	mvaddstr(y, 0, line);
	attrset(A_NORMAL);
}

static bool has_hints(void)
{
	return LINES >= HINT_LINES;
}

/* Number of lines below the head. */
static size_t free_lines(const struct wp_screen *s)
{
	size_t lines = LINES - has_hints();

	return lines > s->first_row ? lines - s->first_row : 0;
}

/**
 * wp_screen_pane_lines() - number of lines of the pane
 * @s: the screen
 */
size_t wp_screen_pane_lines(const struct wp_screen *s)
{
	return s->pane ? free_lines(s) - free_lines(s) / 2 : 0;
}

/**
 * wp_screen_row_lines() - number of lines for rows
 * @s: the screen
 */
size_t wp_screen_row_lines(const struct wp_screen *s)
{
	return free_lines(s) - wp_screen_pane_lines(s);
}

static bool is_selected(const struct wp_screen *s, const struct wp_toprow *row)
{
	return row->tgid == s->tgid && row->tid == s->tid && row->start_time == s->start_time;
}

/**
 * wp_screen_note_selected() - note which row is selected
 * @s: the screen
 */
void wp_screen_note_selected(struct wp_screen *s)
{
	const struct wp_toptable *t = &s->top->live.table;

	if (s->at >= t->nr_view)
		return;
	s->tgid = t->view[s->at]->tgid;
	s->tid = t->view[s->at]->tid;
	s->start_time = t->view[s->at]->start_time;
}

/*
 * Find the current position of the selected row; if it is gone, select the one in its
 * place.
 */
static void find_selected(struct wp_screen *s)
{
	const struct wp_toptable *t = &s->top->live.table;
	size_t lines = wp_screen_row_lines(s), i;

	for (i = 0; s->follow && i < t->nr_view; i++) {
		if (is_selected(s, t->view[i])) {
			s->at = i;
			break;
		}
	}
	if (s->at >= t->nr_view)
		s->at = t->nr_view ? t->nr_view - 1 : 0;
	wp_screen_note_selected(s);
	if (s->first > s->at)
		s->first = s->at;
	if (lines && s->at - s->first >= lines)
		s->first = s->at - lines + 1;
	/* No empty lines at the bottom while there are rows above. */
	if (s->first && s->first + lines > t->nr_view)
		s->first = t->nr_view > lines ? t->nr_view - lines : 0;
}

static attr_t attr_of(const struct wp_screen *s, const struct wp_toprow *row)
{
	__u64 blocked = wp_toprow_blocked(row, &s->top->options);

	if (row->ns[WP_TOP_RUNNABLE] > row->ns[WP_TOP_RUN] && row->ns[WP_TOP_RUNNABLE] > blocked)
		return color(COLOR_RUNNABLE);
	if (row->ns[WP_TOP_RUN] > blocked)
		return color(COLOR_ONCPU);
	return A_NORMAL;
}

static int draw_rows(struct wp_screen *s)
{
	const struct wp_toptable *t = &s->top->live.table;
	size_t lines = wp_screen_row_lines(s), i;
	char line[WP_TOP_LINE];
	int err = 0;

	for (i = 0; i < lines && !err; i++) {
		size_t nr = s->first + i;

		if (nr >= t->nr_view) {
			put(s, s->first_row + i, !i && t->interval ? "(none)" : "", A_NORMAL);
			continue;
		}
		err = wp_top_row(s->top, t->view[nr], COLS, line, sizeof(line));
		put(s, s->first_row + i, line, nr == s->at ? A_REVERSE : attr_of(s, t->view[nr]));
	}
	return err;
}

static attr_t attr_of_line(const char *line)
{
	if (strstr(line, "% on-CPU"))
		return color(COLOR_ONCPU);
	if (strstr(line, "% runnable: "))
		return color(COLOR_RUNNABLE);
	if (strstr(line, "% blocked"))
		return color(COLOR_BLOCKED) | A_BOLD;
	return A_NORMAL;
}

static int draw_pane(struct wp_screen *s)
{
	const struct wp_toptable *t = &s->top->live.table;
	size_t lines = wp_screen_pane_lines(s), y = s->first_row + wp_screen_row_lines(s), i;
	int err = 0;

	if (!lines)
		return 0;
	s->lines.nr = 0;
	if (s->at < t->nr_view)
		err = wp_top_stacks(s->top, t->view[s->at], &s->lines);
	if (s->scrolled + lines > s->lines.nr)
		s->scrolled = s->lines.nr > lines ? s->lines.nr - lines : 0;
	put(s, y, s->lines.nr ? s->lines.line[0] : "", s->mode == WP_IN_PANE ? A_REVERSE | A_BOLD :
	    A_REVERSE);
	for (i = 1; i < lines; i++) {
		const char *line = s->scrolled + i < s->lines.nr ?
				   s->lines.line[s->scrolled + i] : "";

		put(s, y + i, line, attr_of_line(line));
	}
	return err;
}

static int draw_help(struct wp_screen *s)
{
	size_t i;
	int err;

	s->lines.nr = 0;
	err = wp_top_help(COLS, &s->lines);
	for (i = 0; i < (size_t)LINES && !err; i++)
		put(s, i, s->scrolled + i < s->lines.nr ? s->lines.line[s->scrolled + i] : "",
		    A_NORMAL);
	return err;
}

static void draw_hints(struct wp_screen *s)
{
	char line[WP_TOP_LINE];

	wp_top_hints(COLS, line, sizeof(line));
	put(s, LINES - 1, line, A_BOLD);
}

static void draw_head(struct wp_screen *s)
{
	char head[WP_TOP_HEAD][WP_TOP_LINE], line[WP_TOP_LINE];
	unsigned int nr, i;
	bool lost;

	nr = wp_top_head(s->top, COLS, head, &lost);
	if (!s->top->live.table.interval)
		snprintf(head[1], sizeof(head[1]), "looking for the first time ...");
	if (s->mode == WP_IN_FILTER)
		snprintf(head[3], sizeof(head[3]), "Only: %s_", s->top->options.filter);
	for (i = 0; i < nr; i++)
		put(s, i, head[i], i == WP_TOP_HEAD_LOST && lost ?
		    color(COLOR_LOST) | A_BOLD | (has_colors() ? 0 : A_REVERSE) :
		    i ? A_NORMAL : color(COLOR_HEAD) | A_BOLD);
	wp_top_title(s->top, COLS, line, sizeof(line));
	put(s, nr, line, A_REVERSE);
	s->first_row = nr + 1;
}

/**
 * wp_screen_draw() - draw the current view
 * @s: the screen
 *
 * Return: 0 or a negative errno; a message was stored.
 */
int wp_screen_draw(struct wp_screen *s)
{
	int err = 0;

	if (LINES < LEAST_LINES || COLS < LEAST_COLUMNS) {
		erase();
		put(s, 0, "too small", A_NORMAL);
	} else if (s->mode == WP_IN_HELP) {
		err = draw_help(s);
	} else {
		draw_head(s);
		find_selected(s);
		err = draw_rows(s);
		if (!err)
			err = draw_pane(s);
		if (has_hints())
			draw_hints(s);
	}
	move(LINES - 1, 0);
	refresh();
	if (err)
		wp_err("out of memory");
	return err;
}
