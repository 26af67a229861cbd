/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is open of processes in a round of lookups. See openprocs.c; used by objects.c
 * only.
 */
#ifndef WP_LIB_MODEL_OPENPROCS_H
#define WP_LIB_MODEL_OPENPROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/proc/procmaps.h"
#include "lib/proc/sockets.h"

#define WP_OPENPROCS	8
#define WP_OPENNETS	8

/* A process that is looked up. */
struct wp_openproc {
	__u32 tgid;	/* 0: free */
	__u32 exec_id;	/* of its program, whose mappings these are */
	__u32 born;	/* which process of this id it is */
	__u32 round;	/* in which the mappings were read */
	int dir;
	bool mapped;
	struct wp_procmaps text;
	struct wp_procmap *map;
	size_t nr_maps;
	size_t room_maps;
};

struct wp_opennet {
	__u64 ino;	/* of the namespace; 0: free */
	struct wp_sockets sockets;
};

struct wp_openprocs {
	char *root;	/* /proc, but for tests */
	struct wp_openproc open[WP_OPENPROCS];
	unsigned int next_open;
	struct wp_opennet net[WP_OPENNETS];
	unsigned int next_net;
};

struct wp_openproc *wp_openprocs_get(struct wp_openprocs *o, __u32 tgid, __u32 exec_id,
				     __u32 born);
int wp_openprocs_sockets(struct wp_openprocs *o, int dir, const struct wp_sockets **sockets);
int wp_openprocs_read_maps(struct wp_openproc *p);
void wp_openprocs_forget_maps(struct wp_openproc *p);
const struct wp_procmap *wp_openprocs_map(const struct wp_openproc *p, __u64 address);
void wp_openprocs_close(struct wp_openprocs *o);

#endif /* WP_LIB_MODEL_OPENPROCS_H */
