/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Data of the ledger section until perf.data is complete. See ledgerspool.c.
 */
#ifndef WP_LIB_RECORD_LEDGERSPOOL_H
#define WP_LIB_RECORD_LEDGERSPOOL_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/model/ledger.h"
#include "lib/model/ledgerfile.h"
#include "lib/model/procwaits.h"

/**
 * struct wp_ledgerspool - the spool; all zero: closed
 * @totals: file of struct wp_ledgerfile_totals, or NULL
 * @waits: file of struct wp_procwait, or NULL
 * @sums: waits that are not in the file yet
 */
struct wp_ledgerspool {
	FILE *totals;
	FILE *waits;
	struct wp_procwaits sums;
};

int wp_ledgerspool_open(struct wp_ledgerspool *s, const char *path);
void wp_ledgerspool_totals(struct wp_ledgerspool *s, const struct wp_totals *a);
int wp_ledgerspool_wait(struct wp_ledgerspool *s, const struct wp_wait *wait);
int wp_ledgerspool_append(struct wp_ledgerspool *s, int fd, const char *path,
			  const struct wp_ledgerfile_head *head);
void wp_ledgerspool_close(struct wp_ledgerspool *s);

static inline bool wp_ledgerspool_is_open(const struct wp_ledgerspool *s)
{
	return s->totals;
}

#endif /* WP_LIB_RECORD_LEDGERSPOOL_H */
