// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the terminal of wallprof top: drawing by ncurses, which sends only changes; the
 * keys; and the restoration of the terminal, however the process ends. Called by top.c,
 * from one thread; except restore(), which signal handlers call.
 */
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* A terminal capability, and a useful name. */
#undef lines

#include "cmd/common/signals.h"
#include "cmd/top/top.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

/* A smaller terminal shows nothing useful. */
#define LEAST_LINES	7
#define LEAST_COLUMNS	30
/* A lower one has no line for keys. */
#define HINT_LINES	9
/* Timeout in ms for the rest of a key's sequence, long enough for slow lines. */
#define ESCAPE_MS	200
#define SHORTEST_DELAY	100000000ULL
#define LONGEST_DELAY	60000000000ULL

#define KEY_ESCAPE	27
#define CONTROL(c)	((c) & 0x1f)

enum {
	COLOR_LOST = 1,
	COLOR_HEAD,
	COLOR_ONCPU,
	COLOR_RUNNABLE,
	COLOR_BLOCKED,
};

/* Modes of the keys. */
enum mode {
	IN_ROWS,
	IN_PANE,
	IN_FILTER,
	IN_HELP,
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
	enum mode mode;
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

/* State that a signal handler needs to restore the terminal. */
static struct termios before;
static char leave[256];
static volatile bool is_ours;

/* Async-signal-safe. */
static void restore(void)
{
	if (!is_ours)
		return;
	is_ours = false;
	if (write(STDOUT_FILENO, leave, strlen(leave)) < 0)
		return;
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

/* The sequence that leaves the screen, without padding. */
static void find_leave(void)
{
	static const char *const names[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
	size_t i, len = 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *s = tigetstr(names[i]);

		if (!s || s == (char *)-1)
			continue;
		while (*s && len + 1 < sizeof(leave)) {
			if (s[0] == '$' && s[1] == '<' && strchr(s, '>'))
				s = strchr(s, '>') + 1;
			else
				leave[len++] = *s++;
		}
	}
	leave[len] = 0;
}

/**
 * wp_screen_check() - whether there is a usable terminal
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_screen_check(void)
{
	const char *term = getenv("TERM"), *move;
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		wp_err("top needs a terminal; -b prints lines to a file or pipe");
		return -ENOTTY;
	}
	if (!term || !*term) {
		wp_err("TERM is not set, so what the terminal can do is not known; -b prints lines");
		return -ENOTTY;
	}
	if (setupterm(NULL, STDOUT_FILENO, &found) != OK) {
		wp_err("the terminal '%s' is not known here: set TERM to one that is, as xterm or vt100; -b prints lines",
		       term);
		return -ENOTTY;
	}
	move = tigetstr("cup");
	if (!move || move == (char *)-1) {
		wp_err("the terminal '%s' cannot move its cursor; -b prints lines", term);
		return -ENOTTY;
	}
	return 0;
}

/* The flame graph's colors, or the nearest ones of the terminal. */
static void set_colors(void)
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

static void set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	/* Finish drawing a screen even if keys are pressed meanwhile. */
	typeahead(-1);
	/* Let the terminal move rows. */
	idlok(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	curs_set(0);
}

/**
 * wp_screen_open() - take over the terminal
 * @out: set to the screen, to be closed by wp_screen_close()
 * @top: the view
 *
 * Messages are stored from now on, and not printed: see wp_screen_close().
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_screen_open(struct wp_screen **out, struct wp_top *top)
{
	struct wp_screen *s = calloc(1, sizeof(*s));

	if (!s || tcgetattr(STDIN_FILENO, &before)) {
		int err = s ? -errno : -ENOMEM;

		wp_err("no terminal: %s", strerror(-err));
		free(s);
		return err;
	}
	top->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	s->top = top;
	s->pane = top->stacks;
	find_leave();
	/* Before ncurses starts: it leaves signals alone that have a handler. */
	is_ours = true;
	wp_signals_catch_screen(restore, STDIN_FILENO);
	s->screen = newterm(NULL, stdout, stdin);
	if (!s->screen) {
		restore();
		wp_err("the terminal '%s' cannot be used; -b prints lines", getenv("TERM"));
		free(s);
		return -ENOTTY;
	}
	set_modes();
	set_colors();
	s->verbosity = wp_get_verbosity();
	wp_set_verbosity(WP_SILENT);
	*out = s;
	return 0;
}

/**
 * wp_screen_close() - restore the terminal
 * @s: the screen, or NULL
 */
void wp_screen_close(struct wp_screen *s)
{
	if (!s)
		return;
	endwin();
	is_ours = false;
	delscreen(s->screen);
	wp_top_lines_free(&s->lines);
	wp_set_verbosity(s->verbosity);
	free(s);
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

static size_t pane_lines(const struct wp_screen *s)
{
	return s->pane ? free_lines(s) - free_lines(s) / 2 : 0;
}

static size_t row_lines(const struct wp_screen *s)
{
	return free_lines(s) - pane_lines(s);
}

static bool is_selected(const struct wp_screen *s, const struct wp_toprow *row)
{
	return row->tgid == s->tgid && row->tid == s->tid && row->start_time == s->start_time;
}

static void note_selected(struct wp_screen *s)
{
	const struct wp_toptable *t = &s->top->table;

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
	const struct wp_toptable *t = &s->top->table;
	size_t lines = row_lines(s), i;

	for (i = 0; s->follow && i < t->nr_view; i++) {
		if (is_selected(s, t->view[i])) {
			s->at = i;
			break;
		}
	}
	if (s->at >= t->nr_view)
		s->at = t->nr_view ? t->nr_view - 1 : 0;
	note_selected(s);
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
	const struct wp_toptable *t = &s->top->table;
	size_t lines = row_lines(s), i;
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
	const struct wp_toptable *t = &s->top->table;
	size_t lines = pane_lines(s), y = s->first_row + row_lines(s), i;
	int err = 0;

	if (!lines)
		return 0;
	s->lines.nr = 0;
	if (s->at < t->nr_view)
		err = wp_top_stacks(s->top, t->view[s->at], &s->lines);
	if (s->scrolled + lines > s->lines.nr)
		s->scrolled = s->lines.nr > lines ? s->lines.nr - lines : 0;
	put(s, y, s->lines.nr ? s->lines.line[0] : "", s->mode == IN_PANE ? A_REVERSE | A_BOLD :
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
	if (!s->top->table.interval)
		snprintf(head[1], sizeof(head[1]), "looking for the first time ...");
	if (s->mode == IN_FILTER)
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
	} else if (s->mode == IN_HELP) {
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

static int look_again(struct wp_screen *s)
{
	int err = wp_toptable_view(&s->top->table, &s->top->shares, &s->top->options);

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
		s->mode = IN_ROWS;
		return 0;
	case KEY_ESCAPE:
		*filter = 0;
		s->mode = IN_ROWS;
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
	size_t nr = s->top->table.nr_view, step = by < 0 ? -by : by;

	if (by < 0)
		s->at = s->at > step ? s->at - step : 0;
	else
		s->at = s->at + step < nr ? s->at + step : nr ? nr - 1 : 0;
	s->follow = true;
	s->scrolled = 0;
	note_selected(s);
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
	if (s->mode == IN_PANE)
		move_pane(s, by);
	else
		move_rows(s, by);
}

static bool key_of_place(struct wp_screen *s, int key)
{
	long page = s->mode == IN_PANE ? pane_lines(s) : row_lines(s), all = 1L << 30;

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
		if (s->mode == IN_ROWS)
			s->follow = false;
		return true;
	case KEY_END:
	case 'G':
		move_by(s, all);
		return true;
	}
	return false;
}

static void sort_by(struct wp_topoptions *o, int step)
{
	o->column = (o->column + WP_TOPCOLUMN_MAX + step) % WP_TOPCOLUMN_MAX;
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
		sort_by(o, -1);
		return true;
	case '>':
	case '.':
	case 's':
		sort_by(o, 1);
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
	s->mode = IN_ROWS;
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
		s->mode = IN_HELP;
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
		s->mode = s->mode == IN_PANE ? IN_ROWS : IN_PANE;
		break;
	case '/':
		s->mode = IN_FILTER;
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
		s->mode = IN_ROWS;
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
		if (s->mode == IN_HELP)
			key_of_help(s, key);
		else if (s->mode == IN_FILTER)
			err = key_of_filter(s, key);
		else
			err = key_of_screen(s, key, quit);
	}
	if (is_hung_up())
		*quit = true;
	return any && !err && !*quit ? wp_screen_draw(s) : err;
}

/**
 * wp_screen_resize() - redraw after a resize, or after another program's output
 * @s: the screen
 *
 * Return: 0 or a negative errno; a message was stored.
 */
int wp_screen_resize(struct wp_screen *s)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	/* After a SIGSTOP the shell has set its own terminal modes. */
	reset_prog_mode();
	clearok(curscr, TRUE);
	return wp_screen_draw(s);
}

/**
 * wp_screen_suspend() - return the terminal to the shell until the process continues
 * @s: the screen
 *
 * Return: 0 or a negative errno; a message was stored.
 */
int wp_screen_suspend(struct wp_screen *s)
{
	endwin();
	is_ours = false;
	wp_signals_sleep();
	/* The shell may have changed it. */
	if (tcgetattr(STDIN_FILENO, &before))
		return -errno;
	is_ours = true;
	set_modes();
	return wp_screen_resize(s);
}
