/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where, when and how a recording was made, and where the time went, by process and by
 * thread. See overview.c.
 */
#ifndef WP_CMD_OVERVIEW_H
#define WP_CMD_OVERVIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/ledger.h"
#include "lib/ledgerfile.h"
#include "lib/perffile.h"
#include "lib/processes.h"

/**
 * struct wp_overview - what a recording tells of itself
 * @input: its name
 * @file: the recording
 * @has_ledger: it has one; what follows is of it
 * @head: what was lost, and when it was recorded
 * @ledger: threads in sum
 * @processes: processes, those that wanted a CPU for the longest time first
 */
struct wp_overview {
	const char *input;
	struct wp_perffile file;
	bool has_ledger;
	struct wp_ledgerfile_head head;
	struct wp_ledger ledger;
	struct wp_processes processes;
};

int wp_overview_read(struct wp_overview *o, const char *input, size_t threads);
void wp_overview_print(struct wp_overview *o, size_t most);
void wp_overview_free(struct wp_overview *o);

#endif /* WP_CMD_OVERVIEW_H */
