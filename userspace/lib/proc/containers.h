/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of a container by its id. See containers.c.
 */
#ifndef WP_LIB_PROC_CONTAINERS_H
#define WP_LIB_PROC_CONTAINERS_H

#include "lib/sandbox/containerfile.h"

int wp_container_find(int root, const char *id, struct wp_container *c);

#endif /* WP_LIB_PROC_CONTAINERS_H */
