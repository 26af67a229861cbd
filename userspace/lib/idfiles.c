// SPDX-License-Identifier: GPL-2.0
/*
 * Owns where a file is looked for that is not, or not any more, where it was mapped from:
 * by its build-id, in perf's cache, below /usr/lib/debug/.build-id and, if DEBUGINFOD_URLS
 * is set, at a server. Called by symbols.c.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/idfiles.h"

/* Where a module is put that is only looked for. */
#define SOMEWHERE	0x1000000ULL

/**
 * wp_idfiles_regular() - open a regular file, and touch nothing else
 * @path: its name, which may be anybody's
 *
 * Return: its descriptor, or -1 with errno.
 */
int wp_idfiles_regular(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st))
		return -1;
	/* To open a device may do something: a watchdog begins to count. */
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	/* It may be another one by now. */
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

static bool is_of(int fd, const struct wp_buildid *id)
{
	struct wp_buildid found;

	return !wp_buildid_from_fd(fd, &found) && found.size == id->size &&
	       !memcmp(found.data, id->data, id->size);
}

/* Where perf keeps copies: as perf-archive has it, or below the user's home directory. */
static int cache_of(char *path, size_t size)
{
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	if (dir && *dir)
		return snprintf(path, size, "%s", dir);
	return home && *home ? snprintf(path, size, "%s/.debug", home) : -1;
}

/**
 * wp_idfiles_cached() - open a file of perf's cache
 * @id: its build-id
 * @what: "elf": the file itself; "kallsyms": of a kernel its list
 *
 * Return: its descriptor, or -1 if it is not there.
 */
int wp_idfiles_cached(const struct wp_buildid *id, const char *what)
{
	char path[PATH_MAX];
	int len = cache_of(path, sizeof(path)), fd;
	unsigned int i;

	if (!id->size || len < 0 || len + 2 * id->size + 32 > (int)sizeof(path))
		return -1;
	len += sprintf(path + len, "/.build-id/%02x/", id->data[0]);
	for (i = 1; i < id->size; i++)
		len += sprintf(path + len, "%02x", id->data[i]);
	sprintf(path + len, "/%.16s", what);
	fd = wp_idfiles_regular(path);
	/* A list has no build-id that could be asked for. */
	if (fd >= 0 && strcmp(what, "kallsyms") && !is_of(fd, id)) {
		close(fd);
		return -1;
	}
	return fd;
}

/**
 * wp_idfiles_find() - find a file where libdwfl finds those of debug information
 * @id: its build-id
 * @path: what it was called
 *
 * Return: its descriptor, or -1 if it is not there.
 */
int wp_idfiles_find(const struct wp_buildid *id, const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};
	Dwfl *dwfl = id->size ? dwfl_begin(&callbacks) : NULL;
	Dwfl_Module *mod = NULL;
	char *found = NULL;
	Elf *elf = NULL;
	int fd = -1;

	if (dwfl)
		mod = dwfl_report_module(dwfl, path, SOMEWHERE, 2 * SOMEWHERE);
	if (mod && !dwfl_module_report_build_id(mod, id->data, id->size, 0))
		fd = dwfl_build_id_find_elf(mod, NULL, path, SOMEWHERE, &found, &elf);
	if (elf)
		elf_end(elf);
	if (fd >= 0 && !is_of(fd, id)) {
		close(fd);
		fd = -1;
	}
	free(found);
	if (dwfl)
		dwfl_end(dwfl);
	return fd;
}
