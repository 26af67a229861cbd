// SPDX-License-Identifier: GPL-2.0
/*
 * Names files after the time, and removes the oldest ones. Called by the commands that
 * record, from one thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/outputnames.h"
#include "lib/base/err.h"

/* Names that may be in use already. */
#define MAX_TRIES	1000

/**
 * wp_output_names_init() - begin without files
 * @n: the files
 * @max: how many to keep, or 0
 *
 * Return: 0, or -ENOMEM after a message.
 */
int wp_output_names_init(struct wp_output_names *n, unsigned int max)
{
	*n = (struct wp_output_names){ .max = max };
	if (!max)
		return 0;
	n->name = calloc(max, sizeof(*n->name));
	return n->name ? 0 : wp_no_memory("the names of files");
}

/**
 * wp_output_name() - name a file after the time, as perf: with hundredths of a second
 * @output: what the name begins with
 * @path: gets the name, of no file
 * @size: room for it
 *
 * Return: 0 or a negative errno after a message.
 */
int wp_output_name(const char *output, char *path, size_t size)
{
	struct timeval tv;
	char when[32];
	struct tm tm;
	int i;

	gettimeofday(&tv, NULL);
	tv.tv_usec /= 10000;
	for (i = 0; i < MAX_TRIES; i++) {
		if (!localtime_r(&tv.tv_sec, &tm) ||
		    !strftime(when, sizeof(when), "%Y%m%d%H%M%S", &tm))
			strcpy(when, "0");
		if (snprintf(path, size, "%s.%s%02u", output, when,
			     (unsigned int)tv.tv_usec) >= (int)size) {
			wp_err("%s: the name is too long", output);
			return -ENAMETOOLONG;
		}
		if (access(path, F_OK))
			return 0;
		/* A file of the same hundredth of a second. */
		if (++tv.tv_usec == 100) {
			tv.tv_sec++;
			tv.tv_usec = 0;
		}
	}
	wp_err("%s: there are too many files of this time", path);
	return -EEXIST;
}

/**
 * wp_output_names_add() - add a complete file, and remove the oldest one if need be
 * @n: the files
 * @path: its name
 */
void wp_output_names_add(struct wp_output_names *n, const char *path)
{
	char **place;

	n->nr++;
	if (!n->max)
		return;
	place = &n->name[(n->nr - 1) % n->max];
	if (*place && unlink(*place))
		wp_warn("cannot remove %s: %s", *place, strerror(errno));
	free(*place);
	*place = strdup(path);
}

/**
 * wp_output_names_free() - free the names; the files stay
 * @n: the files
 */
void wp_output_names_free(struct wp_output_names *n)
{
	unsigned int i;

	for (i = 0; n->name && i < n->max; i++)
		free(n->name[i]);
	free(n->name);
	*n = (struct wp_output_names){ 0 };
}
