/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resolution of the name of an output. See outpath.c.
 */
#ifndef WP_LIB_BASE_OUTPATH_H
#define WP_LIB_BASE_OUTPATH_H

#include <limits.h>

/**
 * struct wp_outpath - location of an output
 * @dir: O_PATH descriptor of the directory, to be closed; -1 if @stream is used
 * @name: its name there, one component: free, or of something that can be replaced
 * @stream: descriptor of what is written directly, to be closed; or -1
 */
struct wp_outpath {
	int dir;
	char name[NAME_MAX + 1];
	int stream;
};

int wp_outpath_resolve(struct wp_outpath *p, const char *path);
int wp_outpath_probe(const char *path);

#endif /* WP_LIB_BASE_OUTPATH_H */
