// SPDX-License-Identifier: GPL-2.0
/*
 * Reads /proc/PID/task/TID/stack, the only source of the kernel stacks of threads that
 * were already blocked when a session began: the module reads only the user stack of such
 * a thread. Called by the stacks command, while the session runs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/procfile.h"
#include "lib/proc/procstack.h"

/* The kernel prints at most 64 frames, a line each. */
#define MAX_FRAMES	64

/* The name in "[<0>] name+0x12/0x34 [module]"; NULL for other lines. */
static char *name_in(char *line)
{
	char *name = strstr(line, "] ");

	if (*line != '[' || !name)
		return NULL;
	name += 2;
	name[strcspn(name, "+ ")] = '\0';
	/* Without permission to see addresses, they are 0x0. */
	return *name && strncmp(name, "0x", 2) ? name : NULL;
}

/**
 * wp_procstack_parse() - parse the names of such a file
 * @text: its contents
 *
 * Return: the stack; NULL if there is none, or no memory.
 */
struct wp_procstack *wp_procstack_parse(const char *text)
{
	struct wp_procstack *s = malloc(sizeof(*s) + MAX_FRAMES * sizeof(char *));
	char *rest, *line, *name;

	if (!s)
		return NULL;
	s->nr = 0;
	s->text = strdup(text);
	rest = s->text;
	while (rest && (line = strsep(&rest, "\n")) && s->nr < MAX_FRAMES) {
		name = name_in(line);
		if (name)
			s->name[s->nr++] = name;
	}
	if (s->nr)
		return s;
	wp_procstack_free(s);
	return NULL;
}

/**
 * wp_procstack_read() - the kernel stack of a blocked thread
 * @pid: its process
 * @tid: the thread
 *
 * Return: the stack; NULL if it is not available: the thread runs, is gone, or there is
 * no permission, or its process is busy.
 */
struct wp_procstack *wp_procstack_read(__u32 pid, __u32 tid)
{
	struct wp_procfile_text text = { 0 };
	struct wp_procstack *s = NULL;
	char path[64];
	ssize_t n = -1;
	int dir;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return NULL;
	/* Reading waits for the lock that execve() holds. */
	snprintf(path, sizeof(path), "task/%u/stack", tid);
	n = wp_procfile_read(dir, path, &text);
	close(dir);
	if (n > 0)
		s = wp_procstack_parse(text.text);
	free(text.text);
	return s;
}

/**
 * wp_procstack_compare() - compare two stacks
 * @a: a stack or NULL
 * @b: another one
 *
 * Return: 0 if they are equal; else their order.
 */
int wp_procstack_compare(const struct wp_procstack *a, const struct wp_procstack *b)
{
	unsigned int nr = a ? a->nr : 0, other = b ? b->nr : 0, i;
	int ret = (nr > other) - (nr < other);

	for (i = 0; !ret && i < nr; i++)
		ret = strcmp(a->name[i], b->name[i]);
	return ret;
}

/**
 * wp_procstack_free() - free a stack
 * @s: the stack, or NULL
 */
void wp_procstack_free(struct wp_procstack *s)
{
	if (!s)
		return;
	free(s->text);
	free(s);
}
