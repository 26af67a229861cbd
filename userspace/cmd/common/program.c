// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the file of a command as execvp() does, and maps it as code, so that its unwind
 * table is built as those of all mapped files are, before the command runs. Of a script the
 * interpreter's, too. Called by workload.c, in the child that executes the command.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/program.h"

#define LINE	256	/* of the first line of a script: as the kernel's BINPRM_BUF_SIZE */
#define SCRIPTS	4	/* interpreters that are scripts; the kernel's limit is 5 */

/* Open a program's file, and no other: a script of somebody else's may name a device. */
static int open_program(const char *path, struct stat *st)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char found[32];

	if (place < 0)
		return -1;
	snprintf(found, sizeof(found), "/proc/self/fd/%d", place);
	if (!fstat(place, st) && S_ISREG(st->st_mode) && st->st_size && !access(found, X_OK))
		fd = open(found, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	close(place);
	return fd;
}

/* Map the file; it stays mapped until the exec. @line is set to its first bytes. */
static bool map_file(const char *path, char line[LINE + 1])
{
	struct stat st;
	ssize_t n;
	int fd;

	fd = open_program(path, &st);
	if (fd < 0)
		return false;
	n = pread(fd, line, LINE, 0);
	mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	line[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool map_command(const char *name, char line[LINE + 1])
{
	const char *dir = getenv("PATH"), *end;
	char path[4096];

	if (strchr(name, '/'))
		return map_file(name, line);
	for (dir = dir ? dir : "/bin:/usr/bin"; *dir; dir = *end ? end + 1 : end) {
		int len;

		end = strchrnul(dir, ':');
		len = snprintf(path, sizeof(path), "%.*s/%s", end == dir ? 1 : (int)(end - dir),
			       end == dir ? "." : dir, name);
		if (len < (int)sizeof(path) && map_file(path, line))
			return true;
	}
	return false;
}

/* The next word of a script's first line, or NULL. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t");

	*line = word + strcspn(word, " \t");
	if (**line)
		*(*line)++ = 0;
	return *word ? word : NULL;
}

/**
 * wp_program_map() - map the file of a command, until the caller executes it
 * @name: the command
 *
 * Without a message: what cannot be mapped has its table built later.
 */
void wp_program_map(const char *name)
{
	char line[LINE + 1], script[LINE + 1], *rest, *word;
	unsigned int i;

	for (i = 0; i <= SCRIPTS && map_command(name, line); i++) {
		if (strncmp(line, "#!", 2))
			return;
		line[strcspn(line, "\n")] = 0;
		rest = line + 2;
		word = next_word(&rest);
		/* env executes its first argument. */
		if (word && !strcmp(word, "/usr/bin/env"))
			word = next_word(&rest);
		if (!word)
			return;
		snprintf(script, sizeof(script), "%s", word);
		name = script;
	}
}
