// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of mappings that are memory, as perf and the kernel write them.
 *
 * Pure: no I/O, no clock.
 */
#include <stddef.h>
#include <string.h>

#include "lib/symbols/symbolkind.h"

/**
 * wp_symbolkind_is_memory() - whether a mapping is memory without a file, by its name
 * @path: its name, not the vdso's
 *
 * A program that was started from a memfd has such a name, too.
 *
 * Return: whether it is.
 */
bool wp_symbolkind_is_memory(const char *path)
{
	static const char *const no_files[] = {
		"//anon", "/dev/zero", "/anon_hugepage", "/memfd:", "/SYSV", "[",
	};
	size_t i;

	for (i = 0; i < sizeof(no_files) / sizeof(no_files[0]); i++) {
		if (!strncmp(path, no_files[i], strlen(no_files[i])))
			return true;
	}
	return !*path;
}
