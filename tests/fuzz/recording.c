// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes what wallprof report reads: the header of a perf.data, its feature sections,
 * and the ledger behind them. The input is the file. Whatever it is, what is told of it
 * is text that ends, and as many accounts as the ledger says, in sums that do not trap.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/ledgerfile.h"
#include "lib/perffile.h"
#include "lib/processes.h"

static struct wp_processes processes;
static struct wp_ledger ledger;
static uint64_t nr;

static int add(void *ctx, const struct wp_account *a)
{
	(void)ctx;
	nr++;
	if (strnlen(a->comm, sizeof(a->comm)) == sizeof(a->comm))
		abort();
	wp_ledger_add(&ledger, a, 0);
	return wp_processes_add(&processes, a);
}

static void read_ledger(int fd)
{
	struct wp_ledgerfile_head head;
	uint64_t threads = 0;
	__u64 offset;
	size_t i;

	if (wp_ledgerfile_open(fd, &head, &offset))
		return;
	nr = 0;
	wp_ledger_init(&ledger, 3);
	if (wp_ledgerfile_read(fd, &head, offset, add, NULL) || nr != head.nr)
		abort();
	wp_processes_sort(&processes);
	for (i = 0; i < processes.nr; i++)
		threads += processes.entry[i].threads;
	if (threads != nr)
		abort();
	wp_ledger_sort(&ledger);
	if (ledger.threads != nr)
		abort();
	wp_ledger_free(&ledger);
	wp_processes_free(&processes);
}

static void read_features(const char *path)
{
	struct wp_perffile f;
	unsigned int i;
	__u64 tod;

	if (wp_perffile_open(&f, path))
		return;
	for (i = 0; i < WP_FEAT_MAX; i++)
		free(wp_perffile_string(&f, i));
	free(wp_perffile_cmdline(&f));
	wp_perffile_time(&f, 1, &tod);
	wp_perffile_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int fd;

	wp_set_verbosity(WP_SILENT);
	fd = memfd_create("recording", 0);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_features(path);
	read_ledger(fd);
	close(fd);
	return 0;
}
