/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The feature sections about the host. See hostfeatures.c.
 */
#ifndef WP_LIB_PERFDATA_HOSTFEATURES_H
#define WP_LIB_PERFDATA_HOSTFEATURES_H

struct wp_features;

void wp_features_host(struct wp_features *f);

#endif /* WP_LIB_PERFDATA_HOSTFEATURES_H */
