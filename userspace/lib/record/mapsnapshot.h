/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Publishing what runs at the start. See mapsnapshot.c.
 */
#ifndef WP_LIB_RECORD_MAPSNAPSHOT_H
#define WP_LIB_RECORD_MAPSNAPSHOT_H

#include "lib/record/mapstate.h"

void wp_mapsnapshot_publish(struct wp_mapsync *sync);

#endif /* WP_LIB_RECORD_MAPSNAPSHOT_H */
