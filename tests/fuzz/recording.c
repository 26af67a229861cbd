// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the reader of perf.data: its header, its feature sections, the records and
 * their scheduler events, and the per-thread totals behind them. The input is the file.
 * For any input, all strings end, there are as many totals as their section says, in sums
 * that do not trap; waits are found by process, the longest time first; and the spans of
 * a thread are contiguous.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/model/ledgerfile.h"
#include "lib/model/processes.h"
#include "lib/perfdata/perffile.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/profile/schedevents.h"
#include "lib/profile/schedule.h"

static struct wp_processes processes;
static struct wp_ledger ledger;
static uint64_t nr;

static int add(void *ctx, const struct wp_totals *a)
{
	(void)ctx;
	nr++;
	if (strnlen(a->comm, sizeof(a->comm)) == sizeof(a->comm))
		abort();
	wp_ledger_add(&ledger, a, 0);
	return wp_processes_add(&processes, a);
}

static void read_waits(int fd, const struct wp_ledgerfile_head *head, __u64 offset)
{
	struct wp_procwaits waits = { 0 };
	const struct wp_procwait *w;
	size_t nr_waits, found = 0, i, j;
	char name[48];

	if (wp_ledgerfile_read_waits(fd, head, offset, &waits) || waits.nr > head->nr_waits)
		abort();
	wp_procwaits_sort(&waits);
	for (i = 0; i < waits.nr; i = found) {
		w = wp_procwaits_of(&waits, waits.entry[i].tgid, &nr_waits);
		if (w != &waits.entry[i] || !nr_waits)
			abort();
		for (j = 0; j < nr_waits; j++) {
			const char *word = wp_procwait_name(&w[j], "x86_64", name, sizeof(name));

			if (w[j].tgid != w->tgid || !*word ||
			    (j && w[j].blocked_ns > w[j - 1].blocked_ns))
				abort();
		}
		found += nr_waits;
	}
	wp_procwaits_free(&waits);
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
	read_waits(fd, &head, offset);
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

static struct wp_schedevents *events;
static struct wp_schedule *schedule;

static int take_span(void *ctx, const struct wp_span *span)
{
	(void)ctx;
	if (span->end < span->begin || span->kind > WP_SPAN_BLOCKED ||
	    strnlen(span->who.comm, WP_SCHED_COMM) == WP_SCHED_COMM)
		abort();
	return 0;
}

static int take_record(void *ctx, const struct wp_perfrecord *rec)
{
	struct wp_schedevent ev;
	uint64_t sum = 0, i;

	(void)ctx;
	for (i = 0; i < rec->nr_chain; i++)
		sum += rec->chain[i];
	for (i = 0; i < rec->raw_size; i++)
		sum += ((const uint8_t *)rec->raw)[i];
	nr += sum & 1;
	if (wp_schedevents_decode(events, rec, &ev) != 1)
		return 0;
	if (strnlen(ev.who.comm, WP_SCHED_COMM) == WP_SCHED_COMM)
		abort();
	return wp_schedule_event(schedule, &ev);
}

static void read_records(const char *path)
{
	struct wp_perfrecords *records;
	struct wp_perffile f;

	if (wp_perffile_open(&f, path))
		return;
	if (!wp_perfrecords_open(&records, &f, path)) {
		if (wp_schedevents_new(&events, records) ||
		    wp_schedule_new(&schedule, take_span, NULL))
			abort();
		if (!wp_perfrecords_read(records, take_record, NULL))
			wp_schedule_end(schedule, 0);
		wp_schedule_free(schedule);
		wp_schedevents_free(events);
		wp_perfrecords_free(records);
	}
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
	read_records(path);
	read_ledger(fd);
	close(fd);
	return 0;
}
