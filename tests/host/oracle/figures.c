// SPDX-License-Identifier: GPL-2.0
/*
 * What the tables of files come to: one line for each file that is named, and
 * whether each passes the module's check.
 *
 *	figures FILE...
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/unwind/unwindtable.h"
#include "pure/unwind_table.h"

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Steps of the search of an average row, and of the worst. */
static double steps(const struct wp_table *t, unsigned int *worst)
{
	double sum = 0, nr = 0;
	__u32 i;

	*worst = 0;
	for (i = 0; i < t->nr_pages; i++) {
		__u32 rows = t->pages[i + 1] - t->pages[i], left;
		unsigned int n = 0;

		for (left = rows; left > 1; left -= left / 2)
			n++;
		/* A page with one row is a gap, mostly: few are looked for there. */
		if (rows > 1) {
			sum += n;
			nr++;
		}
		*worst = n > *worst ? n : *worst;
	}
	return nr ? sum / nr : 0;
}

static int print_figures(const char *path)
{
	struct wp_unwindtable table;
	const struct wallprof_table *head;
	struct wp_table checked;
	const char *wrong;
	unsigned int worst;
	double ms, mb, mean;
	struct wp_elfcode codes;
	int fd, ret;
	Elf *elf;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	ms = cpu_ms();
	elf = elf_begin(fd, ELF_C_READ, NULL);
	ret = wp_elfcode_read(&codes, elf);
	if (ret) {
		fprintf(stderr, "%s: %s\n", path, strerror(-ret));
		return 1;
	}
	ret = wp_unwindtable_from_elf(&table, elf, &codes);
	elf_end(elf);
	ms = cpu_ms() - ms;
	close(fd);
	if (ret) {
		printf("%-24.24s %s\n", name_of(path), strerror(-ret));
		wp_unwindtable_free(&table);
		return ret != -ENODATA;
	}
	wrong = wp_table_check(&checked, table.data, table.size, table.machine);
	if (wrong) {
		printf("%-24.24s refused: %s\n", name_of(path), wrong);
		wp_unwindtable_free(&table);
		return 1;
	}
	head = table.data;
	mb = table.code_bytes / 1e6;
	mean = steps(&checked, &worst);
	printf("%-24.24s %8.2f %8zu %9.0f %8.0f %6u %6u %5zu %5zu %8.1f %8.1f %5.1f %5u\n",
	       name_of(path), mb, table.nr_fdes, head->nr_rows / mb, table.size / 1e3 / mb,
	       head->nr_rules, head->nr_saves, table.unsupported, table.skipped, ms,
	       10 * ms / mb, mean, worst);
	wp_unwindtable_free(&table);
	return 0;
}

int main(int argc, char **argv)
{
	int i, bad = 0;

	elf_version(EV_CURRENT);
	printf("%-24s %8s %8s %9s %8s %6s %6s %5s %5s %8s %8s %5s %5s\n", "file", "code MB",
	       "FDEs", "rows/MB", "KB/MB", "rules", "saves", "unsup", "skip", "ms",
	       "ms/10MB", "steps", "worst");
	for (i = 1; i < argc; i++)
		bad |= print_figures(argv[i]);
	return bad;
}
