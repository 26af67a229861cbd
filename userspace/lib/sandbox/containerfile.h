/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the file of a container runtime says of a container. See containerfile.c.
 */
#ifndef WP_LIB_SANDBOX_CONTAINERFILE_H
#define WP_LIB_SANDBOX_CONTAINERFILE_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum size of a file. */
#define WP_CONTAINERFILE_MAX	(8 << 20)

#define WP_CONTAINER_NAME	256
#define WP_CONTAINER_IMAGE	512

/**
 * struct wp_container - names of a container; strings are unsanitized, and empty if unknown
 * @name: its name, as the runtime has it
 * @image: the name of its image, without tag and digest
 * @k8s_container: its name in the specification of the pod
 * @k8s_pod: the pod
 * @k8s_namespace: the namespace of the pod
 */
struct wp_container {
	char name[WP_CONTAINER_NAME];
	char image[WP_CONTAINER_IMAGE];
	char k8s_container[WP_CONTAINER_NAME];
	char k8s_pod[WP_CONTAINER_NAME];
	char k8s_namespace[WP_CONTAINER_NAME];
};

int wp_containerfile_parse(const char *text, size_t size, const char *id, struct wp_container *c);
int wp_containerfile_read(int fd, const char *id, struct wp_container *c);
bool wp_container_is_valid(const struct wp_container *c);
bool wp_container_is_known(const struct wp_container *c);

#endif /* WP_LIB_SANDBOX_CONTAINERFILE_H */
