/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an ELF file names: its build-id and its files of debug information. See elflinks.c.
 */
#ifndef WP_LIB_ELF_ELFLINKS_H
#define WP_LIB_ELF_ELFLINKS_H

#include <libelf.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"

/* As long as a name of a file can be. */
#define WP_ELFLINKS_NAME	256

/* As long as the path of a file that several share. */
#define WP_ELFLINKS_PATH	1024

/**
 * struct wp_elflinks - what a file names
 * @id: its build-id; of no bytes if it has none
 * @link: of .gnu_debuglink, the base name of a file; "" if there is none that is one
 * @crc: the CRC32 that the file has
 * @alt: of .gnu_debugaltlink, the path of a file; "" if there is none
 * @alt_id: its build-id
 * @symbols: it has a table of symbols itself
 * @dwarf: it has debug information itself
 */
struct wp_elflinks {
	struct wp_buildid id;
	char link[WP_ELFLINKS_NAME];
	__u32 crc;
	char alt[WP_ELFLINKS_PATH];
	struct wp_buildid alt_id;
	bool symbols;
	bool dwarf;
};

int wp_elflinks_read(struct wp_elflinks *links, int fd, const struct stat *st);

#endif /* WP_LIB_ELF_ELFLINKS_H */
