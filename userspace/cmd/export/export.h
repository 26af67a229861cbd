/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wallprof export: a recording in other programs' formats. See export.c.
 */
#ifndef WP_CMD_EXPORT_EXPORT_H
#define WP_CMD_EXPORT_EXPORT_H

#include <stdbool.h>

#include "cmd/common/samples.h"

/**
 * struct wp_export - the options
 * @samples: the recording, and the selection of its samples
 * @output: the output file, NULL for the format's default
 * @format: the format, NULL if none was named
 */
struct wp_export {
	struct wp_samples_options samples;
	const char *output;
	const struct wp_export_format *format;
};

/**
 * struct wp_export_format - a format
 * @id: id of its option
 * @name: the option
 * @output: default name of the file
 * @chooses: it supports a selection of samples
 * @run: writes it; returns 0 or a negative errno after it printed a message
 */
struct wp_export_format {
	int id;
	const char *name;
	const char *output;
	bool chooses;
	int (*run)(const struct wp_export *e);
};

int cmd_export(int argc, char **argv);
int wp_export_firefox(const struct wp_export *e);
int wp_export_folded(const struct wp_export *e);
int wp_export_perfetto(const struct wp_export *e);
int wp_export_pprof(const struct wp_export *e);
int wp_export_speedscope(const struct wp_export *e);

#endif /* WP_CMD_EXPORT_EXPORT_H */
