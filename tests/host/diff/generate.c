// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a perf.data through libwallprof, of samples that standard input has, for
 * diff.test: a line for each.
 *
 * usage: generate [-1] OUTPUT PROGRAM START LENGTH OFFSET BUILDID
 *	-1	no off-CPU events
 *
 * Numbers of PROGRAM and addresses are hexadecimal; a line is
 *	cpu|off|run|faults TIME TID PERIOD [ADDRESS...]
 * with the innermost address first. All are of process 1000, which PROGRAM runs in.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/perfdata/events.h"
#include "lib/perfdata/mmaprecord.h"
#include "lib/perfdata/perfdata.h"

#define PID		1000
#define MAX_FRAMES	64

enum { CPU, FAULTS, OFF, RUN, SIDEBAND };

static void must(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "generate: %s: %s\n", what, strerror(ret < 0 ? -ret : ret));
	exit(1);
}

/* Write a record: its fixed part, a name, and the trailer of all records. */
static void put(struct wp_perfdata *pd, __u64 id, void *fixed, size_t size, const char *name)
{
	const struct wp_sample_id trailer = { .pid = PID, .tid = PID, .time = 1, .id = id };
	size_t padded = (strlen(name) + 8) & ~7UL;
	char *record = calloc(1, size + padded + sizeof(trailer));
	struct perf_event_header *header = (struct perf_event_header *)record;

	if (!record)
		must(ENOMEM, "record");
	memcpy(record, fixed, size);
	memcpy(record + size, name, strlen(name));
	memcpy(record + size + padded, &trailer, sizeof(trailer));
	header->size = size + padded + sizeof(trailer);
	must(wp_perfdata_write_record(pd, header), "record");
	free(record);
}

static void put_program(struct wp_perfdata *pd, __u64 id, char **argv)
{
	struct {
		struct perf_event_header header;
		__u32 pid, tid;
	} comm = { .header.type = PERF_RECORD_COMM, .pid = PID, .tid = PID };
	struct wp_mmap2_record map = {
		.header = { .type = PERF_RECORD_MMAP2,
			    .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID },
		.pid = PID, .tid = PID, .start = strtoull(argv[1], NULL, 16),
		.len = strtoull(argv[2], NULL, 16), .pgoff = strtoull(argv[3], NULL, 16),
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
	};
	unsigned int i, byte;

	for (i = 0; i < WP_BUILDID_MAX && sscanf(argv[4] + 2 * i, "%2x", &byte) == 1; i++)
		map.build_id[i] = byte;
	map.build_id_size = i;
	put(pd, id, &comm, sizeof(comm), "work");
	put(pd, id, &map, sizeof(map), argv[0]);
}

static void put_sample(struct wp_perfdata *pd, const unsigned int *event, char *line)
{
	static const char *const names[] = {
		[CPU] = "cpu", [FAULTS] = "faults", [OFF] = "off", [RUN] = "run",
	};
	struct wp_perfdata_sample s = { .pid = PID };
	__u64 kernel[MAX_FRAMES], user[MAX_FRAMES];
	char *word = strtok(line, " \n");
	unsigned int i = 0;

	while (i < SIDEBAND && strcmp(word, names[i]))
		i++;
	if (i == SIDEBAND || event[i] == ~0U)
		must(EINVAL, word);
	s.event = event[i];
	s.time = strtoull(strtok(NULL, " \n"), NULL, 10);
	s.tid = strtoul(strtok(NULL, " \n"), NULL, 10);
	s.period = strtoull(strtok(NULL, " \n"), NULL, 10);
	s.user_ips = user;
	s.kernel_ips = kernel;
	while ((word = strtok(NULL, " \n"))) {
		__u64 address = strtoull(word, NULL, 16);

		if (address >> 63)
			kernel[s.nr_kernel++] = address;
		else
			user[s.nr_user++] = address;
		if (s.nr_kernel == MAX_FRAMES || s.nr_user == MAX_FRAMES)
			must(E2BIG, "stack");
	}
	must(wp_perfdata_write_sample(pd, &s), "sample");
}

int main(int argc, char **argv)
{
	unsigned int event[] = { ~0U, ~0U, ~0U, ~0U, ~0U }, nr = 0;
	struct wp_perfdata_event ev[5];
	struct wp_perfdata *pd;
	struct wp_event parsed;
	bool off = true;
	char line[4096];
	int opt;

	while ((opt = getopt(argc, argv, "1")) > 0)
		off = opt != '1';
	if (argc - optind != 6)
		return 2;
	must(wp_event_parse(&parsed, "cpu-clock"), "event");
	wp_event_settle(&parsed, 99, 0);
	event[CPU] = nr;
	wp_perfdata_event_oncpu(&ev[nr++], &parsed);
	must(wp_event_parse(&parsed, "page-faults"), "event");
	wp_event_settle(&parsed, 0, 1);
	event[FAULTS] = nr;
	wp_perfdata_event_oncpu(&ev[nr++], &parsed);
	if (off) {
		event[OFF] = nr;
		wp_perfdata_event_offcpu(&ev[nr++]);
		event[RUN] = nr;
		wp_perfdata_event_runnable(&ev[nr++]);
	}
	event[SIDEBAND] = nr;
	wp_perfdata_event_sideband(&ev[nr++]);
	must(wp_perfdata_open(&pd, &(struct wp_perfdata_options){
		.path = argv[optind], .events = ev, .nr_events = nr,
		.argc = argc, .argv = argv }), "open");
	put_program(pd, wp_perfdata_id(pd, event[SIDEBAND], 0), argv + optind + 1);
	while (fgets(line, sizeof(line), stdin))
		put_sample(pd, event, line);
	must(wp_perfdata_close(pd, NULL), "close");
	return 0;
}
