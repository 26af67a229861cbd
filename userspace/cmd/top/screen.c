// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the terminal of wallprof top: taking it over for ncurses, which sends only changes;
 * and the restoration of the terminal, however the process ends. Called by top.c, from one
 * thread; except restore(), which signal handlers call. top/draw.c draws, top/keys.c has
 * the keys.
 */
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
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
#include "cmd/top/screen.h"
#include "cmd/top/terminals.h"
#include "cmd/top/top.h"
#include "lib/base/err.h"

/* Timeout in ms for the rest of a key's sequence, long enough for slow lines. */
#define ESCAPE_MS	200

/* State that a signal handler needs to restore the terminal. */
static struct termios before;
static char leave[256];
static volatile bool is_ours;

/* The host has no description of the terminal. */
static bool is_built_in;

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

static bool find_terminal(const char *term)
{
	int found;

	if (setupterm(NULL, STDOUT_FILENO, &found) == OK)
		return true;
	if (!wp_terminals_use(term))
		return false;
	is_built_in = setupterm(NULL, STDOUT_FILENO, &found) == OK;
	wp_terminals_end();
	return is_built_in;
}

static SCREEN *start_curses(void)
{
	SCREEN *screen;

	if (is_built_in)
		wp_terminals_use(getenv("TERM"));
	screen = newterm(NULL, stdout, stdin);
	if (is_built_in)
		wp_terminals_end();
	return screen;
}

/**
 * wp_screen_check() - whether there is a usable terminal
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_screen_check(void)
{
	const char *term = getenv("TERM"), *move;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		wp_err("top needs a terminal; -b prints lines to a file or pipe");
		return -ENOTTY;
	}
	if (!term || !*term) {
		wp_err("TERM is not set, so what the terminal can do is not known; -b prints lines");
		return -ENOTTY;
	}
	if (!find_terminal(term)) {
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
	s->screen = start_curses();
	if (!s->screen) {
		restore();
		wp_err("the terminal '%s' cannot be used; -b prints lines", getenv("TERM"));
		free(s);
		return -ENOTTY;
	}
	set_modes();
	wp_screen_set_colors();
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
