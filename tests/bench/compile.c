// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest: what the unwind tables of files take.
 *
 *	compile FILE...
 *
 * A line for each: its name, bytes of code, bytes of the table, nanoseconds to
 * make it, which are instructions in the lab. What was read once is in memory:
 * each is made twice, and the second time counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/elf/elfcode.h"
#include "lib/unwind/unwindtable.h"

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compile(const char *name, struct wp_unwindtable *table, long long *ns)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC), err = -ENOEXEC;
	struct wp_elfcode codes;
	Elf *elf;

	if (fd < 0)
		return -errno;
	*ns = now();
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		err = wp_elfcode_read(&codes, elf);
	if (!err)
		err = wp_unwindtable_from_elf(table, elf, &codes);
	elf_end(elf);
	*ns = now() - *ns;
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	struct wp_unwindtable table;
	int i, err, round;
	long long ns = 0;

	elf_version(EV_CURRENT);
	for (i = 1; i < argc; i++) {
		for (round = 0; round < 2; round++) {
			memset(&table, 0, sizeof(table));
			err = compile(argv[i], &table, &ns);
			if (err) {
				fprintf(stderr, "compile: %s: %s\n", argv[i], strerror(-err));
				return 1;
			}
			if (round)
				printf("%s\t%llu\t%zu\t%lld\n", strrchr(argv[i], '/') + 1,
				       (unsigned long long)table.code_bytes, table.size, ns);
			wp_unwindtable_free(&table);
		}
	}
	return 0;
}
