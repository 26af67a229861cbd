// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of wallprof top: what each of them does in the current mode. Called by top.c.
 */
#include <curses.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cmd/top/screen.h"
#include "cmd/top/top.h"
#include "lib/base/err.h"

#define SHORTEST_DELAY	100000000ULL
#define LONGEST_DELAY	60000000000ULL

#define KEY_ESCAPE	27
#define CONTROL(c)	((c) & 0x1f)

static int look_again(struct wp_screen *s)
{
	int err = wp_toptable_view(&s->top->live.table, &s->top->live.shares, &s->top->options);

	if (err)
		wp_err("out of memory");
	return err;
}

/* Key while the filter is edited. */
static int key_of_filter(struct wp_screen *s, int key)
{
	char *filter = s->top->options.filter;
	size_t len = strlen(filter);

	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
		s->mode = WP_IN_ROWS;
		return 0;
	case KEY_ESCAPE:
		*filter = 0;
		s->mode = WP_IN_ROWS;
		break;
	case KEY_BACKSPACE:
	case CONTROL('H'):
	case 0x7f:
		/* Remove a complete character. */
		while (len && (filter[--len] & 0xc0) == 0x80)
			;
		filter[len] = 0;
		break;
	case CONTROL('U'):
		*filter = 0;
		break;
	default:
		if (key < ' ' || key > 0xff || len + 1 >= sizeof(s->top->options.filter))
			return 0;
		filter[len] = key;
		filter[len + 1] = 0;
	}
	return look_again(s);
}

static void move_rows(struct wp_screen *s, long by)
{
	size_t nr = s->top->live.table.nr_view, step = by < 0 ? -by : by;

	if (by < 0)
		s->at = s->at > step ? s->at - step : 0;
	else
		s->at = s->at + step < nr ? s->at + step : nr ? nr - 1 : 0;
	s->follow = true;
	s->scrolled = 0;
	wp_screen_note_selected(s);
}

static void move_pane(struct wp_screen *s, long by)
{
	size_t step = by < 0 ? -by : by;

	if (by < 0)
		s->scrolled = s->scrolled > step ? s->scrolled - step : 0;
	else
		s->scrolled += step;
}

static void move_by(struct wp_screen *s, long by)
{
	if (s->mode == WP_IN_PANE)
		move_pane(s, by);
	else
		move_rows(s, by);
}

static bool key_of_place(struct wp_screen *s, int key)
{
	long page = s->mode == WP_IN_PANE ? wp_screen_pane_lines(s) : wp_screen_row_lines(s);
	long all = 1L << 30;

	switch (key) {
	case KEY_UP:
	case 'k':
		move_by(s, -1);
		return true;
	case KEY_DOWN:
	case 'j':
		move_by(s, 1);
		return true;
	case KEY_PPAGE:
		move_by(s, -page);
		return true;
	case KEY_NPAGE:
		move_by(s, page);
		return true;
	case KEY_HOME:
	case 'g':
		move_by(s, -all);
		if (s->mode == WP_IN_ROWS)
			s->follow = false;
		return true;
	case KEY_END:
	case 'G':
		move_by(s, all);
		return true;
	}
	return false;
}

static void sort_by(struct wp_top *top, int step)
{
	/* The last column is there if there are several events. */
	int nr = top->live.r.o.events.nr > 1 ? WP_TOPCOLUMN_MAX : WP_TOPCOLUMN_EVENT;

	top->options.column = (top->options.column + nr + step) % nr;
}

/* Double or halve the delay. */
static void set_delay(struct wp_top *top, bool longer)
{
	top->delay = longer ? top->delay * 2 : top->delay / 2;
	if (top->delay < SHORTEST_DELAY)
		top->delay = SHORTEST_DELAY;
	if (top->delay > LONGEST_DELAY)
		top->delay = LONGEST_DELAY;
}

/* Keys that change the view of the current data. */
static bool key_of_view(struct wp_screen *s, int key)
{
	struct wp_topoptions *o = &s->top->options;

	switch (key) {
	case '<':
	case ',':
		sort_by(s->top, -1);
		return true;
	case '>':
	case '.':
	case 's':
		sort_by(s->top, 1);
		return true;
	case 'e':
		if (s->top->live.r.o.events.nr)
			o->event = (o->event + 1) % s->top->live.r.o.events.nr;
		return true;
	case 'r':
		o->reverse = !o->reverse;
		return true;
	case 'H':
		o->threads = !o->threads;
		s->follow = false;
		s->at = 0;
		s->first = 0;
		return true;
	case 'i':
		o->no_idle = !o->no_idle;
		return true;
	case 'c':
		s->top->command = !s->top->command;
		return true;
	case KEY_ESCAPE:
		*o->filter = 0;
		return true;
	}
	return false;
}

static void toggle_pane(struct wp_screen *s)
{
	s->pane = !s->pane;
	s->scrolled = 0;
	s->mode = WP_IN_ROWS;
}

static int key_of_screen(struct wp_screen *s, int key, bool *quit)
{
	if (key_of_place(s, key))
		return 0;
	if (key_of_view(s, key))
		return look_again(s);
	switch (key) {
	case 'q':
		*quit = true;
		break;
	case 'h':
	case '?':
	case KEY_F(1):
		s->mode = WP_IN_HELP;
		s->scrolled = 0;
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
		toggle_pane(s);
		break;
	case '\t':
		if (!s->pane)
			toggle_pane(s);
		s->mode = s->mode == WP_IN_PANE ? WP_IN_ROWS : WP_IN_PANE;
		break;
	case '/':
		s->mode = WP_IN_FILTER;
		break;
	case ' ':
		s->top->paused = !s->top->paused;
		break;
	case '+':
		set_delay(s->top, true);
		break;
	case '-':
		set_delay(s->top, false);
		break;
	case CONTROL('L'):
		clearok(curscr, TRUE);
		break;
	}
	return 0;
}

static void key_of_help(struct wp_screen *s, int key)
{
	size_t lines = LINES, most = s->lines.nr > lines ? s->lines.nr - lines : 0;

	switch (key) {
	case KEY_UP:
	case 'k':
		s->scrolled -= !!s->scrolled;
		break;
	case KEY_DOWN:
	case 'j':
		s->scrolled += s->scrolled < most;
		break;
	case KEY_PPAGE:
		s->scrolled = s->scrolled > lines ? s->scrolled - lines : 0;
		break;
	case KEY_NPAGE:
		s->scrolled = s->scrolled + lines < most ? s->scrolled + lines : most;
		break;
	default:
		s->mode = WP_IN_ROWS;
		s->scrolled = 0;
	}
}

/* Whether the terminal was hung up. */
static bool is_hung_up(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&fd, 1, 0) > 0 && fd.revents & (POLLHUP | POLLERR | POLLNVAL);
}

/**
 * wp_screen_keys() - process the keys
 * @s: the screen
 * @quit: set if the end was requested, or the terminal is gone
 *
 * Return: 0 or a negative errno; a message was stored.
 */
int wp_screen_keys(struct wp_screen *s, bool *quit)
{
	bool any = false;
	int key, err = 0;

	while (!err && !*quit && (key = getch()) != ERR) {
		any = true;
		if (key == KEY_RESIZE)
			continue;
		if (s->mode == WP_IN_HELP)
			key_of_help(s, key);
		else if (s->mode == WP_IN_FILTER)
			err = key_of_filter(s, key);
		else
			err = key_of_screen(s, key, quit);
	}
	if (is_hung_up())
		*quit = true;
	return any && !err && !*quit ? wp_screen_draw(s) : err;
}
