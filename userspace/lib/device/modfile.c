// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the installed module: by "make install", DKMS or a package of modules, compressed or
 * not. Called to explain why the module is not loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/device/modfile.h"

/* Appended by sign-file. */
#define SIGNATURE_END	"~Module signature appended~\n"

/* By depmod's list, whose lines begin with the path of a module and a colon. */
static bool find_listed(const char *root, const char *release, char *path, size_t size)
{
	static const char name[] = "/wallprof.ko";
	char *line = NULL, *end;
	bool found = false;
	size_t room = 0;
	FILE *f;

	snprintf(path, size, "%s/lib/modules/%s/modules.dep", root, release);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &room, f) > 0) {
		line[strcspn(line, ":")] = '\0';
		end = strstr(line, name);
		if (!end || (end[sizeof(name) - 1] && end[sizeof(name) - 1] != '.'))
			continue;
		if (*line == '/')
			snprintf(path, size, "%s%s", root, line);
		else
			snprintf(path, size, "%s/lib/modules/%s/%s", root, release, line);
		found = !access(path, F_OK);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/**
 * wp_modfile_find() - find the module of a kernel
 * @root: prefix of all paths; "" except in tests
 * @release: release of the kernel
 * @path: set to the file
 * @size: size of @path
 *
 * Return: true if there is one, in the order of modprobe.
 */
bool wp_modfile_find(const char *root, const char *release, char *path, size_t size)
{
	static const char *const dirs[] = { "updates/dkms", "updates", "extra" };
	static const char *const suffixes[] = { "", ".xz", ".zst", ".gz" };
	size_t d, s;

	for (d = 0; d < sizeof(dirs) / sizeof(dirs[0]); d++) {
		for (s = 0; s < sizeof(suffixes) / sizeof(suffixes[0]); s++) {
			snprintf(path, size, "%s/lib/modules/%s/%s/wallprof.ko%s", root, release,
				 dirs[d], suffixes[s]);
			if (!access(path, F_OK))
				return true;
		}
	}
	return find_listed(root, release, path, size);
}

/**
 * wp_modfile_signature() - look for the signature at the end of a module's file
 * @path: the file
 *
 * Return: the result.
 */
enum wp_signature wp_modfile_signature(const char *path)
{
	const size_t size = sizeof(SIGNATURE_END) - 1, len = strlen(path);
	char end[sizeof(SIGNATURE_END)];
	enum wp_signature ret = WP_SIGNATURE_UNKNOWN;
	FILE *f;

	if (len < 3 || strcmp(path + len - 3, ".ko"))
		return ret;
	f = fopen(path, "re");
	if (!f)
		return ret;
	if (!fseek(f, -(long)size, SEEK_END) && fread(end, size, 1, f) == 1)
		ret = memcmp(end, SIGNATURE_END, size) ? WP_SIGNATURE_NONE : WP_SIGNATURE_SOME;
	fclose(f);
	return ret;
}
