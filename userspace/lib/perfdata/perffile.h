/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the description of a recording in a perf.data file: host, time and command. See
 * perffile.c.
 */
#ifndef WP_LIB_PERFDATA_PERFFILE_H
#define WP_LIB_PERFDATA_PERFFILE_H

#include <stdbool.h>
#include <time.h>
#include <linux/types.h>

#include "lib/perfdata/features.h"
#include "lib/perfdata/perfheader.h"

/**
 * struct wp_perffile - a file open for reading
 * @fd: its descriptor
 * @size: its size in bytes
 * @header: its header, checked
 * @written: end of the recording, as far as it is known: time of its last sample, or of the
 *	file; of what comes through a pipe, the time of reading
 */
struct wp_perffile {
	int fd;
	__u64 size;
	struct wp_file_header header;
	struct timespec written;
};

int wp_perffile_open(struct wp_perffile *f, const char *path);
bool wp_perffile_open_other(struct wp_perffile *f, const char *path);
void wp_perffile_close(struct wp_perffile *f);
int wp_perffile_feature(const struct wp_perffile *f, enum wp_feature nr, struct wp_buf *b);
char *wp_perffile_string(const struct wp_perffile *f, enum wp_feature nr);
char *wp_perffile_words(const struct wp_perffile *f, size_t *len);
char *wp_perffile_cmdline(const struct wp_perffile *f);
bool wp_perffile_time(const struct wp_perffile *f, __u64 time, __u64 *tod);
bool wp_perffile_day(const struct wp_perffile *f, __u64 time, time_t *day, bool *written);

#endif /* WP_LIB_PERFDATA_PERFFILE_H */
