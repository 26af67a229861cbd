// SPDX-License-Identifier: GPL-2.0
/*
 * Owns when the jitdump file of a running process is read again: if it has grown, and
 * rarely if that takes long. Names that were found stay until the end, as callers keep
 * them; all others go with the reading. Called by symbols.c.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/symbols/livejit.h"

/* Time between two looks: the least, and the most while nothing changes. */
#define LEAST_NS	1000000000ULL
#define MOST_NS		8000000000ULL

/* Reading takes at most this part of the time. */
#define PART		10

/* Limit for the names that stay; further ones are unknown. */
#define MAX_NAMES	(1 << 20)

/**
 * wp_livejit_has_changed() - whether a file is not as it was read last
 * @j: the file
 * @st: its status now
 *
 * Return: true if it has to be read; then it counts as read.
 */
bool wp_livejit_has_changed(struct wp_livejit *j, const struct stat *st)
{
	if (j->size == st->st_size && j->ino == st->st_ino && j->dev == st->st_dev)
		return false;
	j->size = st->st_size;
	j->ino = st->st_ino;
	j->dev = st->st_dev;
	return true;
}

/**
 * wp_livejit_wait() - set when a file is looked at again
 * @j: the file
 * @began: when this look began
 * @changed: it was read
 */
void wp_livejit_wait(struct wp_livejit *j, __u64 began, bool changed)
{
	__u64 now = wp_clock_now(), pause = changed ? LEAST_NS : 2 * j->pause;

	if (pause < LEAST_NS)
		pause = LEAST_NS;
	j->pause = pause > MOST_NS ? MOST_NS : pause;
	j->next = now + j->pause + PART * (now - began);
}

/**
 * wp_livejit_name() - keep a name
 * @j: the file
 * @name: the name
 *
 * Return: the same, valid until wp_livejit_free(); NULL: there are too many, or there is no
 * memory.
 */
const char *wp_livejit_name(struct wp_livejit *j, const char *name)
{
	size_t nr = j->index.nr;
	bool is_new;
	char **more;
	__u32 at;

	if (nr >= MAX_NAMES)
		at = wp_intern_find(&j->index, name, strlen(name) + 1);
	else
		at = wp_intern(&j->index, name, strlen(name) + 1, &is_new);
	if (!at)
		return NULL;
	if (at > j->room) {
		more = reallocarray(j->name, 2 * at, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + j->room, 0, (2 * at - j->room) * sizeof(*more));
		j->name = more;
		j->room = 2 * at;
	}
	if (!j->name[at - 1])
		j->name[at - 1] = strdup(name);
	return j->name[at - 1];
}

/**
 * wp_livejit_free() - free the names
 * @j: the file
 */
void wp_livejit_free(struct wp_livejit *j)
{
	size_t i;

	for (i = 0; i < j->room; i++)
		free(j->name[i]);
	free(j->name);
	wp_intern_free(&j->index);
}
