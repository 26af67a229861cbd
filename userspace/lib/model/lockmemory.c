// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the kinds of memory that hold locks: how they are recognized by a line of
 * /proc/PID/maps, and their texts. Called by objects.c and profile.c.
 *
 * Pure: no I/O, no clock.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/model/lockmemory.h"

/**
 * wp_lockmemory_of() - kind of a mapping
 * @map: the mapping
 *
 * Return: the kind.
 */
enum wp_lockmemory wp_lockmemory_of(const struct wp_procmap *map)
{
	bool shared = map->flags & MAP_SHARED;

	if (!strcmp(map->name, "[heap]"))
		return WP_LOCKMEMORY_HEAP;
	if (!strcmp(map->name, "[stack]"))
		return WP_LOCKMEMORY_STACK;
	/* Unnamed shared memory has the name of /dev/zero, named memory [anon:NAME]. */
	if (!*map->name || *map->name == '[' || !strcmp(map->name, "/dev/zero (deleted)"))
		return shared ? WP_LOCKMEMORY_SHARED_ANON : WP_LOCKMEMORY_ANON;
	return shared ? WP_LOCKMEMORY_SHARED_FILE : WP_LOCKMEMORY_FILE;
}

/**
 * wp_lockmemory_text() - text of a lock
 * @memory: enum wp_lockmemory, not trusted
 * @address: its address
 * @text: set to "0x55d0c3a2 [heap]"; without a known kind the address alone
 * @size: size of @text
 */
void wp_lockmemory_text(unsigned int memory, __u64 address, char *text, size_t size)
{
	static const char *const name[WP_LOCKMEMORY_MAX] = {
		[WP_LOCKMEMORY_UNKNOWN] = "",
		[WP_LOCKMEMORY_HEAP] = " [heap]",
		[WP_LOCKMEMORY_STACK] = " [stack]",
		[WP_LOCKMEMORY_ANON] = " [anon]",
		[WP_LOCKMEMORY_SHARED_ANON] = " [anon], shared",
		[WP_LOCKMEMORY_FILE] = " [file]",
		[WP_LOCKMEMORY_SHARED_FILE] = " [file], shared",
	};

	snprintf(text, size, "0x%" PRIx64 "%s", (uint64_t)address,
		 name[memory < WP_LOCKMEMORY_MAX ? memory : WP_LOCKMEMORY_UNKNOWN]);
}
