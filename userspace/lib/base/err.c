// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the last error and warning message and the verbosity of the process. Newlines of a
 * format are kept, as a message may have several lines, but not those of names in it.
 * Called by all parts of libwallprof and by the commands; not from signal handlers.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

#define SENTENCE	1024	/* maximum size of a message; longer ones are truncated */

static enum wp_verbosity verbosity;
static __thread char last_error[SENTENCE];
static __thread char last_warning[SENTENCE];
static const char *place;

/**
 * wp_set_verbosity() - set the verbosity
 * @level: the level; higher levels print more
 */
void wp_set_verbosity(enum wp_verbosity level)
{
	verbosity = level;
}

/**
 * wp_get_verbosity() - get the verbosity
 *
 * Return: the level set last.
 */
enum wp_verbosity wp_get_verbosity(void)
{
	return verbosity;
}

/**
 * wp_err_place() - set where the causes of errors and warnings are, from here on
 * @where: a file and a line; printed before messages, and must stay valid; or NULL
 */
void wp_err_place(const char *where)
{
	place = where;
}

/**
 * wp_err_where() - where the causes of errors are
 *
 * Return: what wp_err_place() set last.
 */
const char *wp_err_where(void)
{
	return place;
}

static void print(const char *kind, const char *message)
{
	if (place)
		wp_text_print(stderr, "wallprof: %s%s: %s\n", kind, place, message);
	else
		fprintf(stderr, "wallprof: %s%s\n", kind, message);
}

/**
 * wp_err() - print and store the message of an error
 * @fmt: printf format, without "wallprof: " and without a final newline
 */
void wp_err(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wp_text_vformat(last_error, sizeof(last_error), fmt, ap);
	va_end(ap);
	if (verbosity >= WP_QUIET)
		print("", last_error);
}

/**
 * wp_warn() - print and store a warning that something is lost or left out
 * @fmt: printf format, as for wp_err()
 */
void wp_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wp_text_vformat(last_warning, sizeof(last_warning), fmt, ap);
	va_end(ap);
	if (verbosity >= WP_NORMAL)
		print("warning: ", last_warning);
}

/**
 * wp_debug() - print a message with record -v only
 * @fmt: printf format, as for wp_err()
 */
void wp_debug(const char *fmt, ...)
{
	char line[SENTENCE];
	va_list ap;

	if (verbosity < WP_VERBOSE)
		return;
	va_start(ap, fmt);
	wp_text_vformat(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "wallprof: %s\n", line);
}

/**
 * wp_no_memory() - print that there is no memory
 * @what: what it was for, a noun
 *
 * Return: -ENOMEM.
 */
int wp_no_memory(const char *what)
{
	wp_err("no memory for %s", what);
	return -ENOMEM;
}

/**
 * wp_end_output() - flush standard output, and check for errors
 * @f: the stream
 *
 * Return: 0, or a negative errno, after a message, if not all could be written.
 */
int wp_end_output(FILE *f)
{
	int err;

	errno = 0;
	if (!fflush(f) && !ferror(f))
		return 0;
	err = errno;
	if (err)
		wp_err("could not write all of it to standard output: %s", strerror(err));
	else
		wp_err("could not write all of it to standard output. Is there room?");
	return err ? -err : -EIO;
}

/**
 * wp_last_error() - the message of the last wp_err()
 *
 * Return: the message; empty if there was none.
 */
const char *wp_last_error(void)
{
	return last_error;
}

/**
 * wp_last_warning() - the message of the last wp_warn()
 *
 * Return: the message; empty if there was none.
 */
const char *wp_last_warning(void)
{
	return last_warning;
}

/**
 * wp_clear_errors() - clear the stored messages
 */
void wp_clear_errors(void)
{
	last_error[0] = '\0';
	last_warning[0] = '\0';
}
