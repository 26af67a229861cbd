/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings of perf's dummy events, one per CPU. See siderings.c.
 */
#ifndef WP_LIB_RECORD_SIDERINGS_H
#define WP_LIB_RECORD_SIDERINGS_H

#include "lib/record/sidestate.h"

int wp_siderings_open(struct wp_sideband *sb);
int wp_siderings_follow_hotplug(struct wp_sideband *sb);
int wp_siderings_drain(struct wp_sideband *sb, struct wp_sidering *r);
int wp_siderings_write_last_losses(struct wp_sideband *sb, struct wp_sidering *r);
void wp_siderings_close(struct wp_sidering *r);

#endif /* WP_LIB_RECORD_SIDERINGS_H */
