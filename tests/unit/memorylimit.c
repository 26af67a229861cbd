// SPDX-License-Identifier: GPL-2.0
/*
 * lib/proc/memorylimit.c: limits of control groups of both versions.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/proc/memorylimit.h"
#include "tap.h"

#define NONE	(~0ULL)

static char dir[] = "/tmp/wallprof-memorylimit.XXXXXX";

__attribute__((format(printf, 2, 3)))
static void write_to(const char *name, const char *format, ...)
{
	char path[4096];
	va_list args;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fclose(f);
}

static void make_dir(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	mkdir(path, 0755);
}

/* The limit of who is in these groups. */
static __u64 limit_in(const char *groups)
{
	char path[4096];

	write_to("groups", "%s", groups);
	snprintf(path, sizeof(path), "%s/groups", dir);
	return wp_memory_limit_of(path, dir);
}

int main(void)
{
	char long_line[9000], command[4200];

	if (!mkdtemp(dir))
		return 1;
	make_dir("a");
	make_dir("a/b");
	make_dir("a/b/c");
	make_dir("memory");
	make_dir("memory/old");
	ok(limit_in("0::/a/b/c\n") == NONE, "no file has a limit");
	write_to("a/memory.max", "max\n");
	write_to("a/b/memory.max", "max\n");
	ok(limit_in("0::/a/b/c\n") == NONE, "max is none");
	write_to("a/b/c/memory.max", "3000000\n");
	ok(limit_in("0::/a/b/c\n") == 3000000, "a limit of the group");
	ok(limit_in("0::/a/b\n") == NONE, "not of the one above it");
	write_to("a/memory.max", "2000000\n");
	ok(limit_in("0::/a/b/c\n") == 2000000, "a lower limit two groups above");
	write_to("a/b/memory.max", "4000000\n");
	ok(limit_in("0::/a/b/c\n") == 2000000, "a higher one in between");
	write_to("memory.max", "1000000\n");
	ok(limit_in("0::/\n") == 1000000, "the topmost group of a container");
	ok(limit_in("0::/a/b/c\n") == 1000000, "... is above all");
	write_to("memory/old/memory.limit_in_bytes", "500000\n");
	write_to("memory/memory.limit_in_bytes", "9223372036854771712\n");
	ok(limit_in("5:cpu,cpuacct:/old\n4:memory:/old\n0::/\n") == 500000, "version 1");
	ok(limit_in("4:hugetlb,memory:/old\n") == 500000, "... with another controller");
	ok(limit_in("4:memoryless:/old\n4:mymemory,x:/old\n") == NONE, "... names that are alike");
	ok(limit_in("") == NONE && limit_in("x\n:\n::\n") == 1000000, "other lines");
	write_to("memory.max", "none\n");
	ok(limit_in("0::/\n") == NONE, "no number");
	memset(long_line, 'a', sizeof(long_line) - 1);
	memcpy(long_line, "0::/", 4);
	long_line[sizeof(long_line) - 1] = 0;
	ok(limit_in(long_line) == NONE, "a path that is too long");
	ok(wp_memory_limit_of("/nonexistent", dir) == NONE, "no file");
	ok(wp_memory_limit() > 0, "our own");
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return done() | !!system(command);
}
