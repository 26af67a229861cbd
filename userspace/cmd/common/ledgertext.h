/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ledger as text, for record -v and report. See ledgertext.c.
 */
#ifndef WP_CMD_COMMON_LEDGERTEXT_H
#define WP_CMD_COMMON_LEDGERTEXT_H

#include <stdio.h>

#include "lib/model/ledger.h"

void wp_print_ledger(FILE *f, struct wp_ledger *l);

#endif /* WP_CMD_COMMON_LEDGERTEXT_H */
