// SPDX-License-Identifier: GPL-2.0
/*
 * What the reader of unwind tables takes for one file.
 *
 *	tables FILE
 *
 * A line: 0 or the errno, bytes of the table, steps that it took, KiB of memory that were
 * mapped at most beyond what was mapped before, KiB that were read. All are counts: they
 * are the same on a machine that is busy.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/elf/buildid.h"
#include "lib/unwind/tablecache.h"
#include "lib/unwind/tablename.h"

/* More than any file may take: beyond that, memory runs out here and not on the host. */
#define MEMORY	(3ULL << 30)

static unsigned long long field(const char *path, const char *name)
{
	unsigned long long value = 0;
	char line[256];
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name), NULL, 10);
	}
	if (f)
		fclose(f);
	return value;
}

int main(int argc, char **argv)
{
	struct rlimit limit = { MEMORY, MEMORY };
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	char dir[] = "/tmp/wallprof-harm.XXXXXX", command[64];
	struct wp_unwindtable table = {};
	unsigned long long before, bytes;
	struct wp_tablecache *cache;
	struct wp_elfcode codes;
	struct wp_buildid id;
	int err = -ENOEXEC;
	struct wp_tablename name;
	__u64 key[2];
	Elf *elf;

	if (fd < 0 || setrlimit(RLIMIT_AS, &limit) || !mkdtemp(dir))
		return 2;
	elf_version(EV_CURRENT);
	/* All large pieces of memory are mappings of their own, and gone when freed. */
	mallopt(M_MMAP_THRESHOLD, 64 << 10);
	wp_tablecache_open(&cache, dir);
	before = field("/proc/self/status", "VmPeak:");
	bytes = field("/proc/self/io", "rchar:");
	wp_buildid_from_fd(fd, &id);
	elf = wp_elfcode_begin(fd);
	if (elf)
		err = wp_elfcode_read_fd(&codes, elf, fd);
	if (!err) {
		wp_tablecache_key(cache, 0, key);
		wp_tablename_of(&name, elf, &codes, key);
		err = wp_unwindtable_from_elf(&table, elf, &codes);
	}
	if (!err)
		wp_tablecache_put(cache, 0, &name, &table);
	elf_end(elf);
	printf("%d %zu %llu %llu %llu\n", -err, table.size, (unsigned long long)table.steps,
	       field("/proc/self/status", "VmPeak:") - before,
	       (field("/proc/self/io", "rchar:") - bytes) >> 10);
	wp_unwindtable_free(&table);
	wp_tablecache_close(cache);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 2 : 0;
}
