/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wallprof export: a recording in other programs' formats. See export.c.
 */
#ifndef WP_CMD_EXPORT_EXPORT_H
#define WP_CMD_EXPORT_EXPORT_H

#include <stdbool.h>

#include "cmd/common/samples.h"

/**
 * struct wp_export - what is asked for
 * @samples: the recording, and which of its samples
 * @output: the file to write, NULL for the format's own name
 * @format: which format, NULL if none was named
 */
struct wp_export {
	struct wp_samples_options samples;
	const char *output;
	const struct wp_export_format *format;
};

/**
 * struct wp_export_format - a format
 * @id: of its option
 * @name: the option
 * @output: the file's name if none is given
 * @chooses: it can leave samples out
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
