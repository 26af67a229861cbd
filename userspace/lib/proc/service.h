/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The service that a process belongs to. See service.c.
 */
#ifndef WP_LIB_PROC_SERVICE_H
#define WP_LIB_PROC_SERVICE_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/proc/procmemory.h"

#define WP_SERVICE_NAME		256
#define WP_SERVICE_CONTAINER	65	/* 64 hexadecimal digits */
#define WP_SERVICE_GROUP	256

/**
 * struct wp_service - a service; strings are unsanitized, and empty if unknown
 * @name: its name
 * @own: that is the name of the program, or of the process: nothing else names it
 * @container: id of its container
 * @group: path of its control group, down to a session or another group of one run
 * @executable: the program of the process, without directories
 */
struct wp_service {
	char name[WP_SERVICE_NAME];
	bool own;
	char container[WP_SERVICE_CONTAINER];
	char group[WP_SERVICE_GROUP];
	char executable[WP_SERVICE_NAME];
};

void wp_service_of_groups(const char *text, struct wp_service *s);
void wp_service_of_environment(const char *text, size_t size, struct wp_service *s);
void wp_service_inherit(struct wp_service *s, const struct wp_service *parent);
void wp_service_read(struct wp_procmemory *memory, __u32 pid, const char *comm,
		     struct wp_service *s);

#endif /* WP_LIB_PROC_SERVICE_H */
