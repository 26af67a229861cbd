/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_TIMELINE_H
#define WALLPROF_TIMELINE_H

#include "probes.h"

#define WP_TIMELINE_PROBES	4

extern struct wp_probe wp_timeline_probes[WP_TIMELINE_PROBES];

#endif /* WALLPROF_TIMELINE_H */
