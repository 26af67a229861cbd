/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Overview of a recording: host, time and command, and where the time went, by process
 * and by thread. See overview.c.
 */
#ifndef WP_CMD_REPORT_OVERVIEW_H
#define WP_CMD_REPORT_OVERVIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/common/samples.h"
#include "lib/model/ledger.h"
#include "lib/model/ledgerfile.h"
#include "lib/model/processes.h"
#include "lib/model/procwaits.h"
#include "lib/perfdata/perffile.h"

/* Process id of the waits of all processes. */
#define WP_OVERVIEW_ALL	(~0U)

/**
 * struct wp_overview - overview of a recording
 * @input: its name
 * @of: the selection: the ledger is limited to these processes and threads
 * @file: the recording
 * @has_ledger: it has a ledger, the source of the following fields
 * @head: losses and times of the recording
 * @ledger: sums of threads
 * @processes: processes, those with the highest demand for CPUs first
 * @waits: their waits; those of all together have the process ~0
 * @wide: tables have all columns
 * @arch: the machine, for the names of system calls; or NULL
 */
struct wp_overview {
	const char *input;
	const struct wp_samples_options *of;
	struct wp_perffile file;
	bool has_ledger;
	struct wp_ledgerfile_head head;
	struct wp_ledger ledger;
	struct wp_processes processes;
	struct wp_procwaits waits;
	bool wide;
	char *arch;
};

int wp_overview_read(struct wp_overview *o, const struct wp_samples_options *of,
		     size_t threads);
void wp_overview_print_file(const struct wp_overview *o);
void wp_overview_print_header(const struct wp_overview *o, const struct wp_perfevents *events);
void wp_overview_print(struct wp_overview *o, size_t most);
void wp_overview_free(struct wp_overview *o);

#endif /* WP_CMD_REPORT_OVERVIEW_H */
