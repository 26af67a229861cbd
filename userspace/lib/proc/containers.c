// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the names of a container in the files that its runtime keeps on the host: nothing is
 * asked of a runtime, and none has to answer. Which one it is does not matter: an id is that
 * of one container.
 *
 * The files are at the places that these runtimes have by default, as root. Those of a user,
 * as of Podman without root, are not read: their owner could name any container.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/proc/containers.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"

#define STORAGE	"/var/lib/containers/storage/"
#define TASKS	"io.containerd.runtime.v2.task/"

/* %s is the id. */
static const char *const places[] = {
	"/var/lib/docker/containers/%s/config.v2.json",
	/* containerd of Kubernetes, of K3s and RKE2, of nerdctl */
	"/run/containerd/" TASKS "k8s.io/%s/config.json",
	"/run/k3s/containerd/" TASKS "k8s.io/%s/config.json",
	"/run/containerd/" TASKS "default/%s/config.json",
	/* CRI-O, before Podman's list, which has its containers, too */
	"/run/containers/storage/overlay-containers/%s/userdata/config.json",
	STORAGE "overlay-containers/%s/userdata/config.json",
	/* Podman, by storage driver; "volatile" has those that are removed when they end */
	STORAGE "overlay-containers/containers.json",
	STORAGE "overlay-containers/volatile-containers.json",
	STORAGE "btrfs-containers/containers.json",
	STORAGE "btrfs-containers/volatile-containers.json",
	STORAGE "vfs-containers/containers.json",
	STORAGE "vfs-containers/volatile-containers.json",
};

#define NR_PLACES	(sizeof(places) / sizeof(places[0]))

/* Hexadecimal digits alone, so that it is no path. */
static bool is_id(const char *id)
{
	size_t len = strlen(id);

	return len == 64 && strspn(id, "0123456789abcdef") == len;
}

/**
 * wp_container_find() - find the names of a container
 * @root: root directory of the host, or WP_OPENFILE_HERE
 * @id: its id
 * @c: set to its names; all empty on failure
 *
 * Return: 0 or -ENOENT.
 */
int wp_container_find(int root, const char *id, struct wp_container *c)
{
	char path[256];
	struct stat st;
	int fd, err;
	size_t i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < NR_PLACES && is_id(id); i++) {
		snprintf(path, sizeof(path), places[i], id);
		fd = wp_openfile_in(root, path, &st);
		if (fd < 0)
			continue;
		err = wp_filereader_container(fd, id, c);
		close(fd);
		if (!err && wp_container_is_known(c))
			return 0;
	}
	return -ENOENT;
}
