// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the limit of memory of the control groups that this process is in: of both
 * versions, where they are usually mounted (Documentation/admin-guide/cgroup-v2.rst and
 * cgroup-v1/memory.rst in the kernel's source).
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/proc/memorylimit.h"

#define GROUPS	"/proc/self/cgroup"
#define MOUNTED	"/sys/fs/cgroup"

/* The number in a file; all ones if there is none, as of "max". */
static __u64 number_in(const char *path)
{
	__u64 n = ~0ULL;
	unsigned long long value;
	FILE *f = fopen(path, "re");

	if (!f)
		return n;
	if (fscanf(f, "%llu", &value) == 1)
		n = value;
	fclose(f);
	return n;
}

/* The least number in a file of a group and of those above it. @group is changed. */
static __u64 least_above(const char *mounted, char *group, const char *name)
{
	char path[PATH_MAX], *end = group + strlen(group);
	__u64 least = ~0ULL, n;

	do {
		*end = 0;
		if (snprintf(path, sizeof(path), "%s%s/%s", mounted, group, name) <
		    (int)sizeof(path)) {
			n = number_in(path);
			least = n < least ? n : least;
		}
		end = strrchr(group, '/');
	} while (end);
	return least;
}

/* Whether a list of controllers, by commas, has that of memory. */
static bool has_memory(const char *list)
{
	static const char name[] = "memory";
	const char *at = list;

	while ((at = strstr(at, name))) {
		const char *end = at + sizeof(name) - 1;

		if ((at == list || at[-1] == ',') && (!*end || *end == ','))
			return true;
		at = end;
	}
	return false;
}

/**
 * wp_memory_limit_of() - find the memory that some control groups may have
 * @groups: file as /proc/PID/cgroup
 * @mounted: where the hierarchies are mounted
 *
 * Return: bytes; all ones if there is no limit, or it cannot be read.
 */
__u64 wp_memory_limit_of(const char *groups, const char *mounted)
{
	char line[PATH_MAX], first[PATH_MAX];
	__u64 least = ~0ULL, n;
	FILE *f = fopen(groups, "re");

	if (!f)
		return least;
	snprintf(first, sizeof(first), "%s/memory", mounted);
	while (fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;

		if (!group)
			continue;
		*list++ = 0;
		*group++ = 0;
		group[strcspn(group, "\n")] = 0;
		if (!*list)
			n = least_above(mounted, group, "memory.max");
		else if (has_memory(list))
			n = least_above(first, group, "memory.limit_in_bytes");
		else
			continue;
		least = n < least ? n : least;
	}
	fclose(f);
	return least;
}

/**
 * wp_memory_limit() - find the memory that our control groups may have
 *
 * Return: as wp_memory_limit_of().
 */
__u64 wp_memory_limit(void)
{
	return wp_memory_limit_of(GROUPS, MOUNTED);
}
