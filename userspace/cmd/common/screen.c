// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the destination of a command's output: its width, and the pager. Called by
 * commands that print more than a screen.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/common/screen.h"
#include "lib/base/columns.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/worker.h"

#define PLAIN_WIDTH	80
#define MIN_WIDTH	40
#define MAX_WIDTH	1000

static pid_t pager;

/* As it was before the pager replaced standard output. */
static size_t width;

static size_t asked_width(void)
{
	const char *columns = getenv("COLUMNS");
	long n = columns ? strtol(columns, NULL, 10) : 0;

	return n > 0 ? (size_t)n : 0;
}

/**
 * wp_screen_width() - maximum width of lines
 *
 * Return: the value of COLUMNS; without it, the width of the terminal, or 80.
 */
size_t wp_screen_width(void)
{
	struct winsize size;

	if (pager)
		return width;
	width = asked_width();
	if (!width && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (!width)
		width = PLAIN_WIDTH;
	if (width < MIN_WIDTH)
		width = MIN_WIDTH;
	return width < MAX_WIDTH ? width : MAX_WIDTH;
}

/**
 * wp_screen_line() - print a line, truncated to the width
 * @fmt: printf format; names in it are sanitized, see text.c
 */
void wp_screen_line(const char *fmt, ...)
{
	char line[4096], cut[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	wp_columns_cut(cut, sizeof(cut), line, wp_screen_width());
	puts(cut);
}

/**
 * wp_screen_put() - print a line, truncated only on a terminal
 * @line: the line, sanitized, see text.c
 *
 * In a file or a pager it stays complete.
 */
void wp_screen_put(const char *line)
{
	if (isatty(STDOUT_FILENO))
		wp_screen_line("%s", line);
	else
		puts(line);
}

/* Lines in the making, of a stream that truncates them. */
static struct {
	FILE *to;
	size_t len;
	char line[4096];
} fit;

static void end_line(void)
{
	char cut[sizeof(fit.line)];

	fit.line[fit.len] = '\0';
	wp_columns_cut(cut, sizeof(cut), fit.line, wp_screen_width());
	fputs(cut, fit.to);
	fit.len = 0;
}

static ssize_t write_fit(void *cookie, const char *buf, size_t size)
{
	size_t i;

	(void)cookie;
	for (i = 0; i < size; i++) {
		if (buf[i] == '\n') {
			end_line();
			fputc('\n', fit.to);
		} else if (fit.len < sizeof(fit.line) - 1) {
			fit.line[fit.len++] = buf[i];
		}
	}
	return fflush(fit.to) ? 0 : (ssize_t)size;
}

/**
 * wp_screen_fit() - truncate all further lines of standard output to the width
 *
 * Only on a terminal: in a file or a pager they stay complete.
 */
void wp_screen_fit(void)
{
	const cookie_io_functions_t io = { .write = write_fit };
	FILE *f = !fit.to && isatty(STDOUT_FILENO) ? fopencookie(NULL, "w", io) : NULL;

	if (!f)
		return;
	setvbuf(f, NULL, _IOLBF, BUFSIZ);
	fflush(stdout);
	fit.to = stdout;
	stdout = f;
}

/* As in perf and git: the user's choice, or less. NULL: none. */
static const char *program(void)
{
	static const char *const names[] = { "PERF_PAGER", "PAGER" };
	const char *name;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		name = getenv(names[i]);
		if (name)
			return *name && strcmp(name, "cat") ? name : NULL;
	}
	return access("/usr/bin/less", X_OK) ? NULL : "less";
}

/* The terminal belongs to the pager until that ends. Only async-signal-safe calls. */
static void on_signal(int sig)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	signal(sig, SIG_DFL);
	raise(sig);
}

static void show(const char *name, int from)
{
	/* Wait for the first bytes: an earlier failure leaves the terminal unchanged. */
	dup2(from, STDIN_FILENO);
	close(from);
	setenv("LESS", "FRSX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", name, (char *)NULL);
	_exit(127);
}

/**
 * wp_screen_page() - show all further output in a pager
 *
 * Only on a terminal. wp_screen_end() waits for it.
 */
void wp_screen_page(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const char *name = isatty(STDOUT_FILENO) ? program() : NULL;
	struct sigaction action = { .sa_handler = on_signal };
	int ends[2];
	size_t i;

	if (!name || pager || pipe(ends))
		return;
	width = wp_screen_width();
	fflush(stdout);
	pager = fork();
	if (pager <= 0) {
		close(ends[1]);
		if (!pager)
			show(name, ends[0]);
		close(ends[0]);
		pager = 0;
		return;
	}
	dup2(ends[1], STDOUT_FILENO);
	if (isatty(STDERR_FILENO))
		dup2(ends[1], STDERR_FILENO);
	close(ends[0]);
	close(ends[1]);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

/**
 * wp_screen_end() - wait until the user has left the pager
 *
 * If there was one, nothing can be printed afterwards.
 */
void wp_screen_end(void)
{
	if (!pager)
		return;
	/* Their copies of the pipe would keep it open. */
	wp_filereader_end();
	wp_worker_end();
	fflush(stdout);
	fflush(stderr);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}
