// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration files: a setting in each line, "name = value". Empty lines are skipped, and
 * what follows a "#" at the start of a line or behind a blank. What names and values mean is
 * up to the caller.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/conffile.h"
#include "lib/base/err.h"

/* A "\r" is one: lines may end as those of other systems. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Without blanks on both sides. */
static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && is_blank(end[-1]))
		end--;
	*end = 0;
	while (is_blank(*s))
		s++;
	return s;
}

static void cut_comment(char *s)
{
	char *c;

	for (c = s; (c = strchr(c, '#')); c++) {
		if (c == s || is_blank(c[-1])) {
			*c = 0;
			return;
		}
	}
}

/* Returns whether there is anything in the line, of so many bytes and a zero. */
static bool parse_line(char *s, size_t len, struct wp_conffile_line *line)
{
	char *equals;

	*line = (struct wp_conffile_line){ .nr = line->nr };
	if (strlen(s) != len) {
		line->problem = "it has a NUL byte, and is not text";
		return true;
	}
	cut_comment(s);
	s = trim(s);
	if (!*s)
		return false;
	equals = strchr(s, '=');
	if (!equals) {
		line->problem = "there is no '='; write 'name = value'";
		return true;
	}
	*equals = 0;
	line->name = trim(s);
	line->value = trim(equals + 1);
	if (!*line->name)
		line->problem = "there is no name before '='; write 'name = value'";
	else if (!*line->value)
		line->problem = "there is no value; write 'name = value', or leave the line out";
	return true;
}

/**
 * wp_conffile_next() - get the next setting
 * @f: the file; initially only its text and size are set
 * @line: set to the setting, or to what is wrong with the line
 *
 * Return: 1, or 0 at the end.
 */
int wp_conffile_next(struct wp_conffile *f, struct wp_conffile_line *line)
{
	while (f->at < f->size) {
		char *s = f->text + f->at;
		char *end = memchr(s, '\n', f->size - f->at);
		size_t len = end ? (size_t)(end - s) : f->size - f->at;

		s[len] = 0;
		f->at += len + 1;
		line->nr = ++f->nr;
		if (parse_line(s, len, line))
			return 1;
	}
	return 0;
}

/* What is wrong with a file that decides what root records, and where that is sent; or NULL. */
static const char *problem_of(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_uid && st->st_uid != geteuid())
		return "it belongs to another user: chown it to root";
	if (st->st_mode & 022)
		return "others than its owner can write it: chmod go-w it";
	return NULL;
}

/* Reads up to @room bytes; returns how many, or a negative errno. */
static ssize_t read_all(int fd, char *to, size_t room)
{
	size_t at = 0;
	ssize_t n;

	while (at < room) {
		n = read(fd, to + at, room - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		at += n;
	}
	return at;
}

/**
 * wp_conffile_read() - read a file
 * @path: the file: a regular one that only its owner, the user or root, can write
 * @text: set to its bytes and a zero, which the caller frees
 * @size: set to their number, without the zero
 *
 * Return: 0, or a negative errno after a message: -EINVAL if the file must not be used.
 */
int wp_conffile_read(const char *path, char **text, size_t *size)
{
	/* A FIFO must not be waited for. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *problem = NULL;
	ssize_t n = -1;
	struct stat st;

	*text = NULL;
	if (fd < 0 || fstat(fd, &st)) {
		n = -errno;
	} else {
		problem = problem_of(&st);
		*text = problem ? NULL : malloc(WP_CONFFILE_SIZE + 2);
		n = problem ? -EINVAL : !*text ? -ENOMEM :
		    read_all(fd, *text, WP_CONFFILE_SIZE + 1);
		if (n > WP_CONFFILE_SIZE) {
			problem = "it is larger than 64 kB, and no configuration";
			n = -EINVAL;
		}
	}
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		wp_err("%s: %s", path, problem ? problem : strerror(-n));
		free(*text);
		*text = NULL;
		return n;
	}
	(*text)[n] = 0;
	*size = n;
	return 0;
}
