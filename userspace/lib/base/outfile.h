/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output files of a command. See outfile.c.
 *
 *	ret = wp_outfile_open(&out, path, flags);
 *	f = wp_outfile_stream(&out);		or write to out.fd
 *	ret = wp_outfile_commit(&out);		or wp_outfile_abandon(&out);
 */
#ifndef WP_LIB_BASE_OUTFILE_H
#define WP_LIB_BASE_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>
#include <sys/stat.h>

/**
 * enum wp_outfile_flags - kinds of output
 * @WP_OUTFILE_STDOUT: "-" is standard output
 * @WP_OUTFILE_PARTIAL: an incomplete file is useful: it gets its name, too
 * @WP_OUTFILE_LINES: an incomplete file is truncated after its last complete line
 * @WP_OUTFILE_SUDO: under sudo it is given to the user who called sudo
 */
enum wp_outfile_flags {
	WP_OUTFILE_STDOUT = 1,
	WP_OUTFILE_PARTIAL = 2,
	WP_OUTFILE_LINES = 4,
	WP_OUTFILE_SUDO = 8,
};

/**
 * struct wp_outfile - an open output
 * @path: its name as given, for messages; must stay valid until the end
 * @fd: descriptor for writing
 * @bytes: size of the file; set by the commit
 *
 * The other fields are private to outfile.c. All zeroes: not open.
 */
struct wp_outfile {
	const char *path;
	int fd;
	__u64 bytes;

	bool is_open;
	bool quiet;
	unsigned int flags;
	FILE *stream;
	/* The first error of the stream. */
	int err;
	/* Its directory, or -1 if it is not a new file. */
	int dir;
	char name[NAME_MAX + 1];
	/* Empty once the file has its name. */
	char tmp[NAME_MAX + 1];
};

int wp_outfile_open(struct wp_outfile *o, const char *path, unsigned int flags);
int wp_outfile_open_at(struct wp_outfile *o, int dir, const char *name);
FILE *wp_outfile_stream(struct wp_outfile *o);
int wp_outfile_publish(struct wp_outfile *o, const char *old);
int wp_outfile_commit(struct wp_outfile *o);
bool wp_outfile_commit_new(struct wp_outfile *o);
void wp_outfile_abandon(struct wp_outfile *o);
int wp_outfile_end(struct wp_outfile *o, int err);
void wp_outfile_remove(struct wp_outfile *o);
bool wp_outfile_has_name(const struct wp_outfile *o);
int wp_outfile_check(const char *path);
bool wp_outfile_same(const struct wp_outfile *o, const struct stat *st);
void wp_outfile_die(void);
void wp_outfile_die_on_signals(void);

#endif /* WP_LIB_BASE_OUTFILE_H */
