/* SPDX-License-Identifier: GPL-2.0 */
/*
 * References of an ELF file: its build-id and its files of debug information. See
 * elflinks.c.
 */
#ifndef WP_LIB_ELF_ELFLINKS_H
#define WP_LIB_ELF_ELFLINKS_H

#include <libelf.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"

/* Maximum length of a file's name. */
#define WP_ELFLINKS_NAME	256

/* Maximum length of the path of a shared file. */
#define WP_ELFLINKS_PATH	1024

/**
 * struct wp_elflinks - references of a file
 * @id: its build-id; empty if it has none
 * @link: .gnu_debuglink, the base name of a file; "" if there is no valid one
 * @crc: the CRC32 of that file
 * @alt: .gnu_debugaltlink, the path of a file; "" if there is none
 * @alt_id: the build-id of that file
 * @symbols: the file itself has a table of symbols
 * @dwarf: the file itself has debug information
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
