/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc and /sys show; when all is closed, that nothing is left. */
#ifndef HOSTILE_PROC_H
#define HOSTILE_PROC_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number in a file; -1: there is none. */
static inline long number_in(const char *path)
{
	FILE *f = fopen(path, "re");
	long nr = -1;

	if (f && fscanf(f, "%ld", &nr) != 1)
		nr = -1;
	if (f)
		fclose(f);
	return nr;
}

static inline bool module_memory_left(void)
{
	FILE *f = fopen("/proc/vmallocinfo", "re");
	bool left = !f;
	char line[1024];

	while (f && fgets(line, sizeof(line), f))
		left |= !!strstr(line, "[wallprof]");
	if (f)
		fclose(f);
	return left;
}

/* Locked memory that this process is charged for. */
static inline long locked_kb(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmLck: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

/* What is left, or NULL. What others do last may take a moment. */
static inline const char *what_is_left(void)
{
	const char *left = NULL;

	for (int tries = 0; tries < 1500; tries++) {
		if (number_in("/sys/module/wallprof/refcnt"))
			left = "the module is still in use";
		else if (module_memory_left())
			left = "memory of the module's is left";
		else
			return NULL;
		usleep(20000);
	}
	return left;
}

#endif
