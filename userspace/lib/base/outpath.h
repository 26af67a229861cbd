/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the name of an output leads. See outpath.c.
 */
#ifndef WP_LIB_BASE_OUTPATH_H
#define WP_LIB_BASE_OUTPATH_H

#include <limits.h>

/**
 * struct wp_outpath - where the name of an output leads
 * @dir: O_PATH descriptor of the directory, to be closed; -1 if @stream is one
 * @name: its name there, one component, at which there is nothing or what can be replaced
 * @stream: descriptor of what is written to as it is, to be closed; or -1
 */
struct wp_outpath {
	int dir;
	char name[NAME_MAX + 1];
	int stream;
};

int wp_outpath_resolve(struct wp_outpath *p, const char *path);

#endif /* WP_LIB_BASE_OUTPATH_H */
