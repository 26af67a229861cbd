/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests ask of build-ids, and the reader does not.
 */
#ifndef WP_TESTS_UNIT_BUILDID_H
#define WP_TESTS_UNIT_BUILDID_H

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/buildids.h"

/* The build-id of a file, read as the reader does. Returns 0 or a negative errno. */
static inline int buildid_of_file(const char *path, struct wp_buildid *id)
{
	struct stat st;
	int fd = wp_openfile(path, 0, &st), ret;

	if (fd < 0)
		return -errno;
	ret = wp_filereader_buildid(fd, id);
	close(fd);
	return ret;
}

struct buildids_search {
	const char *path;
	const struct wp_dso *dso, *kernel;
	size_t nr;
};

static inline int buildids_look(void *ctx, const struct wp_dso *dso)
{
	struct buildids_search *s = ctx;
	const struct wp_dso **found = dso->kernel ? &s->kernel : &s->dso;

	s->nr++;
	if (s->path && !*found && !strcmp(dso->path, s->path))
		*found = dso;
	return 0;
}

/* The first file of a name, the kernel's last; or NULL. */
static inline struct wp_dso *buildids_find(const struct wp_buildids *ids, const char *path)
{
	struct buildids_search s = { .path = path };

	wp_buildids_for_each(ids, buildids_look, &s);
	return (struct wp_dso *)(s.dso ? s.dso : s.kernel);
}

/* Number of files, with those without a build-id. */
static inline size_t buildids_count(const struct wp_buildids *ids)
{
	struct buildids_search s = {};

	wp_buildids_for_each(ids, buildids_look, &s);
	return s.nr;
}

#endif /* WP_TESTS_UNIT_BUILDID_H */
